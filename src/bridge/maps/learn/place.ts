/** Which column feeds which field: by its name first, by the look of its cells where the name says nothing. */
import { describeRule } from '../../../mapping/shape.ts'
import type { Field } from './fields.ts'
import { type ColumnProfile, type Look, looksOf, shareFitting, shareOf } from './profile.ts'
import { type Spelling, spellingOf } from './spellings.ts'

export interface Placed {
  readonly field: Field
  readonly column: ColumnProfile
  readonly isSure: boolean
  /** `named so`, or what the guess rests on. */
  readonly why: string
}

interface Candidate extends Placed {
  readonly score: number
}

/** Every field has one column at most, and every column feeds one field. */
export function placeColumns(
  fields: readonly Field[],
  columns: readonly ColumnProfile[],
  hasHeader: boolean,
): Placed[] {
  const named = fields.flatMap((field) => columns.flatMap((column) => namedCandidate(field, column) ?? []))
  const namedColumns = new Set(named.map(({ column }) => column))
  const looking = columns
    .filter((column) => !namedColumns.has(column))
    .flatMap((column) => fields.flatMap((field) => lookingCandidate(field, column, hasHeader) ?? []))
  const placed: Placed[] = []
  for (const { score: _, ...candidate } of [...named, ...looking].toSorted((a, b) => b.score - a.score)) {
    const isTaken = placed.some(
      ({ field, column }) => field === candidate.field || column === candidate.column,
    )
    if (!isTaken) placed.push(candidate)
  }
  return withoutHalfObjects(placed, fields)
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
    isSure: spelling.isSure && fits && column.filled.length > 0,
    why: whyNamed(
      spelling,
      column,
      fits ? undefined : `${percent(share)} of its cells are ${describeRule(field.rule)}`,
    ),
    score: 1000 - spelling.rank - (spelling.isSure ? 0 : 200) - (fits ? 0 : 100),
  }
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
  return { field, column, isSure: false, why, score: 100 * share - order * 10 - column.position / 1000 }
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
