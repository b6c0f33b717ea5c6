/** Which column feeds which field: by its name first, by the look of its cells where the name says nothing. */
import { describeRule } from '../../../mapping/shape.ts'
import type { Field } from './fields.ts'
import { type ColumnProfile, type Look, looksOf, shareFitting, shareOf } from './profile.ts'
import { namePairs, plainName, type Spelling, spellingOf } from './spellings.ts'

/** `sure`: name and cells leave no doubt; `likely`: look at it once; `guess`: it may well be something else. */
export type Confidence = 'sure' | 'likely' | 'guess'

export interface Placed {
  readonly field: Field
  readonly column: ColumnProfile
  /** What is put behind it, such as a last name. */
  readonly joined?: ColumnProfile
  readonly confidence: Confidence
  /** `named so`, or what the guess rests on. */
  readonly why: string
}

interface Candidate extends Placed {
  readonly score: number
}

export interface Placing {
  readonly placed: readonly Placed[]
  /** Columns that feed no field, and what is known of them. */
  readonly left: readonly { readonly column: ColumnProfile; readonly why: string }[]
}

/** Every field has one column at most, or a first and a last name, and every column feeds one field. */
export function placeColumns(
  fields: readonly Field[],
  columns: readonly ColumnProfile[],
  hasHeader: boolean,
): Placing {
  const named = fields.flatMap((field) => columns.flatMap((column) => namedCandidate(field, column) ?? []))
  const namedColumns = new Set(named.map(({ column }) => column))
  const looking = columns
    .filter((column) => !namedColumns.has(column))
    .flatMap((column) => fields.flatMap((field) => lookingCandidate(field, column, hasHeader) ?? []))
  const candidates = [...named, ...looking].toSorted((a, b) => b.score - a.score)
  const placed: Placed[] = []
  for (const { score: _, ...candidate } of candidates) {
    const isTaken = placed.some(
      ({ field, column }) => field === candidate.field || column === candidate.column,
    )
    if (!isTaken) placed.push(candidate)
  }
  const whole = withoutHalfObjects([...placed, ...namesInTwo(fields, columns, placed)], fields)
  return { placed: whole, left: leftOver(columns, candidates, whole) }
}

/** A name whose first and last part stand in columns of their own. */
function namesInTwo(
  fields: readonly Field[],
  columns: readonly ColumnProfile[],
  placed: readonly Placed[],
): Placed[] {
  const isFree = (column: ColumnProfile) =>
    column.filled.length > 0 && !placed.some((each) => each.column === column)
  const free = columns.filter(isFree)
  return fields.flatMap((field): Placed[] => {
    if (placed.some((each) => each.field === field)) return []
    const pairs = namePairs(field.path).map(([first, last]) => [
      free.find(({ name }) => plainName(name) === first),
      free.find(({ name }) => plainName(name) === last),
    ])
    const [column, joined] = pairs.find((pair) => pair.every((found) => found !== undefined)) ?? []
    if (column === undefined || joined === undefined) return []
    return [{ field, column, joined, confidence: 'sure', why: 'first and last name, put together' }]
  })
}

function leftOver(
  columns: readonly ColumnProfile[],
  candidates: readonly Candidate[],
  placed: readonly Placed[],
): Placing['left'] {
  const used = new Set(placed.flatMap(({ column, joined }) => [column, joined]))
  return columns
    .filter((column) => !used.has(column))
    .map((column) => {
      const field = candidates.find((each) => each.column === column)?.field
      if (field === undefined) return { column, why: '' }
      const owner = placed.find((each) => each.field === field)
      const why =
        owner === undefined
          ? `could be ${field.path}, but ${field.within ?? 'the rest of it'} lacks what it must have`
          : `could be ${field.path} too, which "${owner.column.name}" feeds`
      return { column, why }
    })
}

function namedCandidate(field: Field, column: ColumnProfile): Candidate | undefined {
  const spelling = spellingOf(field.path, column.name)
  if (spelling === undefined || !isPlausible(field, column)) return undefined
  const share = column.filled.length === 0 || field.list ? 1 : shareFitting(column, field.rule)
  if (share < 0.5) return undefined
  const fits = share >= 0.98
  return {
    field,
    column,
    confidence: confidenceOf(spelling, field, fits && column.filled.length > 0),
    why: whyNamed(
      spelling,
      column,
      fits ? undefined : `${percent(share)} of its cells are ${describeRule(field.rule)}`,
    ),
    score: 1000 - spelling.rank - (spelling.isSure ? 0 : 200) - (fits ? 0 : 100),
  }
}

/** Any text fits a text, so a name that may mean other things proves nothing there. */
function confidenceOf({ isSure }: Spelling, { rule, look }: Field, fits: boolean): Confidence {
  if (!fits) return 'guess'
  if (isSure) return 'sure'
  return rule.kind === 'text' && look === undefined ? 'guess' : 'likely'
}

function whyNamed({ isSure }: Spelling, { filled }: ColumnProfile, doubt: string | undefined): string {
  if (filled.length === 0) return 'named so, but all of its cells are blank'
  if (doubt !== undefined) return `named so, but only ${doubt}`
  return isSure ? 'named so' : 'files often name it so'
}

/** Numbers of orders have digits, and people's names have none. */
function isPlausible({ path }: Field, { filled }: ColumnProfile): boolean {
  if (filled.length === 0) return true
  const withDigits = shareOf(filled, (cell) => /\d/.test(cell))
  if (path === 'purchase_order_number' || path === 'order_id') return withDigits >= 0.9
  return !/(?:\.|_)name[12]$/.test(path) || withDigits < 0.5
}

/** Words for the kinds of cell, for the reason of a guess. */
const LOOKS: Readonly<Record<Look, string>> = {
  upc: 'numbers with the check digit of a UPC',
  postal: 'postal codes',
  email: 'e-mail addresses',
  country: 'countries',
  province: 'states or provinces',
  date: 'dates',
  tracking: 'long enough for tracking numbers',
  count: 'small whole numbers',
  amount: 'amounts with two decimals',
}

/** Numbers are too much alike to be told by their look where the columns have names. */
const TELLING_WITHOUT_NAMES: ReadonlySet<Look> = new Set(['count', 'amount'])

function lookingCandidate(field: Field, column: ColumnProfile, hasHeader: boolean): Candidate | undefined {
  const { look } = field
  if (look === undefined || column.filled.length < 2) return undefined
  if (hasHeader && TELLING_WITHOUT_NAMES.has(look)) return undefined
  const looks = looksOf(column)
  const order = looks.findIndex(([found]) => found === look)
  const share = looks[order]?.[1]
  if (share === undefined) return undefined
  const formats = look === 'date' ? ` ${column.dates?.formats.join(' or ') ?? ''}`.trimEnd() : ''
  const why = `${percent(share)} of its cells are ${LOOKS[look]}${formats}`
  return { field, column, confidence: 'guess', why, score: 100 * share - order * 10 - column.position / 1000 }
}

export function percent(share: number): string {
  return `${share === 1 ? 100 : Math.min(99, Math.round(share * 100))} %`
}

/** An optional object, such as the buyer's address, is worth mapping only when all that it must have was found. */
function withoutHalfObjects(placed: readonly Placed[], fields: readonly Field[]): Placed[] {
  const found = new Set(placed.map(({ field }) => field))
  return placed.filter(({ field: { within } }) => {
    if (within === undefined) return true
    return fields.every((field) => field.within !== within || !field.required || found.has(field))
  })
}
