/** Matches columns to fields: by name first, by the kind of cells where the name is no help. */
import { type InboundOperationName, OPERATIONS } from '../../contract/operations.ts'
import { describeRule, type ObjectShape, type Shape, toShape } from '../../mapping/shape.ts'
import type { MappedField } from '../mapped-fields.ts'
import {
  type CellKind,
  type ColumnProfile,
  computeFittingShare,
  computeShare,
  detectCellKinds,
  isLineCounter,
} from './column-profile.ts'
import { findSpelling, listNamePairs, listReadNames, type Spelling } from './spellings.ts'

/** `sure`: name and cells leave no doubt; `likely`: check it once; `guess`: it may well be something else. */
export type Confidence = 'sure' | 'likely' | 'guess'

export interface PlacedColumn {
  readonly field: Field
  readonly column: ColumnProfile
  /** A second column that is joined to it, such as a last name. */
  readonly joined?: ColumnProfile
  readonly confidence: Confidence
  /** `named so`, or the reason for the guess. */
  readonly why: string
}

interface Candidate extends PlacedColumn {
  readonly score: number
}

export interface Placement {
  readonly placed: readonly PlacedColumn[]
  /** Columns that fill no field, each with the reason. */
  readonly unplaced: readonly {
    readonly column: ColumnProfile
    readonly why: string
    /** The open fields that its cells fit. */
    readonly fits?: readonly string[]
  }[]
}

/** Every field has one column at most, or a first and a last name, and every column fills one field. */
export function placeColumns(
  fields: readonly Field[],
  columns: readonly ColumnProfile[],
  hasHeader: boolean,
): Placement {
  const nameAll = (field: Field) => columns.flatMap((column) => createNamedCandidate(field, column) ?? [])
  const named = [...fields.flatMap(nameAll), ...fields.flatMap((field) => listPairCandidates(field, columns))]
  const namedColumns = new Set(named.map(({ column }) => column))
  const counters = new Set(columns.filter((column) => isLineCounter(column, columns)))
  const looking = columns
    .filter((column) => !namedColumns.has(column) && !counters.has(column))
    .flatMap((column) => fields.flatMap((field) => createGuessedCandidate(field, column, hasHeader) ?? []))
  const candidates = [...named, ...looking].toSorted((a, b) => b.score - a.score)
  const taken = chooseCandidates(candidates)
  // The columns of an object that cannot be filled may fill another field.
  const isWhole = ({ within }: Field) => within === undefined || hasRequired(within, fields, taken)
  const chosen = chooseCandidates(candidates.filter(({ field }) => isWhole(field)))
  const placed = markPrices(
    chosen.filter(({ field: { within } }) => within === undefined || hasRequired(within, fields, chosen)),
    columns,
  )
  const unplaced = listUnplaced(columns, fields, candidates, placed)
  return {
    placed,
    unplaced: unplaced.map((each) =>
      counters.has(each.column) ? { column: each.column, why: 'counts the lines' } : each,
    ),
  }
}

/** Takes the best candidates, each column and each field once. */
function chooseCandidates(candidates: readonly Candidate[]): PlacedColumn[] {
  const placed: PlacedColumn[] = []
  for (const { score: _, ...candidate } of candidates) {
    const isTaken = ({ field, column, joined }: PlacedColumn) =>
      field === candidate.field ||
      [column, joined].some(
        (each) => each === candidate.column || (each !== undefined && each === candidate.joined),
      )
    if (!placed.some(isTaken)) placed.push(candidate)
  }
  return placed
}

/** Whether all that an optional object, such as the buyer's address, must have was found. */
function hasRequired(within: string, fields: readonly Field[], placed: readonly PlacedColumn[]): boolean {
  const found = new Set(placed.map(({ field }) => field))
  return fields.every((field) => field.within !== within || !field.required || found.has(field))
}

/** Pairs of a first and a last name. A column of the whole name of this party goes first, one of any party's name behind. */
function listPairCandidates(field: Field, columns: readonly ColumnProfile[]): Candidate[] {
  const pairs = listNamePairs(field.path)
  if (pairs.length === 0) return []
  const free = columns
    .filter(({ filled }) => filled.length > 0)
    .map((column) => ({ column, names: column.headings.flatMap((each) => listReadNames(field.path, each)) }))
  const findNamed = (name: string) => free.find(({ names }) => names.includes(name))?.column
  return pairs.flatMap(([first, last], order): Candidate[] => {
    const column = findNamed(first)
    const joined = findNamed(last)
    if (column === undefined || joined === undefined) return []
    const score = PAIR_SCORE - order / 100
    return [{ field, column, joined, confidence: 'sure', why: 'first and last name, put together', score }]
  })
}

/** Below `Ship To Name`, above `Customer Name`, which is never sure. */
const PAIR_SCORE = 850

/** What a bare `Price` is depends on the columns beside it: what the consumer pays, or what the supplier is paid. */
function markPrices(placed: readonly PlacedColumn[], columns: readonly ColumnProfile[]): PlacedColumn[] {
  const isSure = (ending: string) =>
    placed.some(({ field, confidence }) => field.path.endsWith(ending) && confidence === 'sure')
  return placed.map((each) => {
    const [, ending] = /\[\](\.price|\.net_price)$/.exec(each.field.path) ?? []
    if (ending === undefined || each.confidence !== 'guess' || each.why !== EXPLAINED_GUESS) return each
    const others = columns.filter(({ headings }) => /price|preis|prix|precio/i.test(headings.join(' ')))
    if (ending === '.price' && isSure('.net_price') && others.length === 1)
      return { ...each, confidence: 'likely' }
    return { ...each, why: 'a price: of the consumer, or the cost that the supplier is paid?' }
  })
}

function listUnplaced(
  columns: readonly ColumnProfile[],
  fields: readonly Field[],
  candidates: readonly Candidate[],
  placed: readonly PlacedColumn[],
): Placement['unplaced'] {
  // Any text fits a text field, and any name may be that of a resource.
  const open = fields.filter(
    ({ rule, required, path }) =>
      required &&
      rule.kind !== 'text' &&
      !('reference' in rule) &&
      placed.every(({ field }) => field.path !== path),
  )
  const used = new Set(placed.flatMap(({ column, joined }) => [column, joined]))
  return columns
    .filter((column) => !used.has(column))
    .map((column) => {
      const field = candidates.find((each) => each.column === column && each.joined === undefined)?.field
      if (field === undefined) {
        const fitting = open.filter(({ rule }) => computeFittingShare(column, rule) >= 0.98)
        const fits = fitting.map(({ path }) => path)
        return { column, why: fits.length === 0 ? '' : `could be ${fits.join(' or ')}`, fits }
      }
      const owner = placed.find((each) => each.field === field)
      const why =
        owner === undefined
          ? `could be ${field.path}, but ${field.within ?? 'the rest of it'} lacks what it must have`
          : `could be ${field.path} too, which "${owner.column.name}" feeds`
      return { column, why }
    })
}

function createNamedCandidate(field: Field, column: ColumnProfile): Candidate | undefined {
  const [spelling] = column.headings
    .flatMap((heading) => findSpelling(field.path, heading) ?? [])
    .toSorted((a, b) => a.rank - b.rank)
  if (spelling === undefined || !isOfLevel(field, column) || !isPlausible(field, column)) return undefined
  const share = column.filled.length === 0 || field.list ? 1 : computeFittingShare(column, field.rule)
  if (share < 0.5) return undefined
  const fits = share >= 0.98
  const doubt = fits ? undefined : `${formatPercent(share)} of its cells are ${describeRule(field.rule)}`
  const confidence = rateConfidence(spelling, field, fits && column.filled.length > 0)
  const isSure = spelling.confidence === 'sure'
  // Of two numbers of the record the one that every row has is its key.
  const isPartlyBlank = KEY_PATHS.has(field.path) && column.filled.length < column.cells.length
  const score =
    1000 -
    spelling.rank -
    (isSure ? 0 : 200) -
    (fits ? 0 : 100) -
    (column.filled.length > 0 ? 0 : 150) -
    (isPartlyBlank ? 60 : 0)
  return { field, column, confidence, why: explainName(spelling, column, doubt), score }
}

const KEY_PATHS: ReadonlySet<string> = new Set(['purchase_order_number', 'order_id', 'invoice_number'])

/** In a file of typed rows, the rows of a record hold its fields, and those of its lines the fields of lines. */
function isOfLevel({ perRow }: Field, { level }: ColumnProfile): boolean {
  return level === undefined || (level === 'line') === perRow
}

/** An ambiguous name proves nothing for a text field, because any text fits it, nor for the name of a resource. */
function rateConfidence({ confidence }: Spelling, { rule, cellKind }: Field, fits: boolean): Confidence {
  if (!fits) return 'guess'
  const isOpen = (rule.kind === 'text' && cellKind === undefined) || 'reference' in rule
  return confidence === 'likely' && isOpen ? 'guess' : confidence
}

function explainName({ confidence }: Spelling, { filled }: ColumnProfile, doubt: string | undefined): string {
  if (filled.length === 0) return 'named so, but all of its cells are blank'
  if (doubt !== undefined) return `named so, but only ${doubt}`
  return confidence === 'sure' ? 'named so' : EXPLAINED_GUESS
}

const EXPLAINED_GUESS = 'files often name it so'

/** Numbers of orders have digits, and people's names have none. */
function isPlausible({ path }: Field, { filled }: ColumnProfile): boolean {
  if (filled.length === 0) return true
  const withDigits = computeShare(filled, (cell) => /\d/.test(cell))
  if (path === 'purchase_order_number' || path === 'order_id') return withDigits >= 0.9
  return !/(?:\.|_)name[12]$/.test(path) || withDigits < 0.5
}

const CELL_KIND_LABELS: Readonly<Record<CellKind, string>> = {
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

/** Numbers are too much alike to be matched by kind where the columns have names. */
const AMBIGUOUS_KINDS: ReadonlySet<CellKind> = new Set(['count', 'amount'])

function createGuessedCandidate(
  field: Field,
  column: ColumnProfile,
  hasHeader: boolean,
): Candidate | undefined {
  const { cellKind } = field
  if (cellKind === undefined || column.filled.length < 2 || !isOfLevel(field, column)) return undefined
  if (hasHeader && AMBIGUOUS_KINDS.has(cellKind)) return undefined
  const looks = detectCellKinds(column)
  const order = looks.findIndex(([found]) => found === cellKind)
  const share = looks[order]?.[1]
  if (share === undefined) return undefined
  const formats = cellKind === 'date' ? ` ${column.dates?.formats.join(' or ') ?? ''}`.trimEnd() : ''
  const why = `which field it is, by its cells: ${formatPercent(share)} are ${CELL_KIND_LABELS[cellKind]}${formats}`
  return { field, column, confidence: 'guess', why, score: 100 * share - order * 10 - column.position / 1000 }
}

function formatPercent(share: number): string {
  return `${share === 1 ? 100 : Math.min(99, Math.round(share * 100))} %`
}

// The fields of an operation's body.

export interface Field extends Pick<MappedField, 'rule' | 'list' | 'perRow' | 'required'> {
  /** `order_lines[].quantity`. */
  readonly path: string
  /** The optional object around it, such as `sold_to`; the whole object is left out unless it can be filled. */
  readonly within: string | undefined
  readonly cellKind: CellKind | undefined
}

export function getBodyShape(operation: InboundOperationName): ObjectShape {
  const shape = toShape(OPERATIONS[operation].body)
  if (shape.kind !== 'object') throw new Error(`the body of ${operation} is no object`)
  return shape
}

/** In the contract's order. */
export function listFields(operation: InboundOperationName): Field[] {
  const walk = (shape: Shape, path: string, at: Pick<Field, 'perRow' | 'within'>): Field[] => {
    if (shape.kind === 'object') {
      return [...shape.fields].flatMap(([name, field]) => {
        const below = path === '' ? name : `${path}.${name}`
        const optional = field.kind === 'object' && !field.required ? below : at.within
        return walk(field, below, { ...at, within: optional })
      })
    }
    if (shape.kind === 'list' && shape.item.kind === 'object') {
      return walk(shape.item, `${path}[]`, { ...at, perRow: true })
    }
    const list = shape.kind === 'list'
    const field = shape.kind === 'list' ? shape.item : shape
    if (field.kind !== 'field' || field.rule === undefined) return []
    const { rule } = field
    return [{ path, rule, list, required: shape.required, cellKind: getCellKind(path), ...at }]
  }
  return walk(getBodyShape(operation), '', { perRow: false, within: undefined })
}

/** Returns the kind of cells that fits no other field. */
function getCellKind(path: string): CellKind | undefined {
  const name = path.replace(/^.*\./, '')
  if (path.startsWith('sold_to.') || path.startsWith('ship_from')) return undefined
  return CELL_KINDS[name]
}

const CELL_KINDS: Readonly<Record<string, CellKind>> = {
  upc: 'upc',
  ordered_at: 'date',
  shipped_at: 'date',
  terms_date_due: 'date',
  country: 'country',
  province: 'province',
  postal_code: 'postal',
  email: 'email',
  tracking_number: 'tracking',
  quantity: 'count',
  net_price: 'amount',
}
