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
} from './column-profile.ts'
import { findSpelling, listNamePairs, normalizeName, type Spelling } from './spellings.ts'

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
  readonly unplaced: readonly { readonly column: ColumnProfile; readonly why: string }[]
}

/** Every field has one column at most, or a first and a last name, and every column fills one field. */
export function placeColumns(
  fields: readonly Field[],
  columns: readonly ColumnProfile[],
  hasHeader: boolean,
): Placement {
  const nameAll = (field: Field) => columns.flatMap((column) => createNamedCandidate(field, column) ?? [])
  const named = fields.flatMap(nameAll)
  const namedColumns = new Set(named.map(({ column }) => column))
  const looking = columns
    .filter((column) => !namedColumns.has(column))
    .flatMap((column) => fields.flatMap((field) => createGuessedCandidate(field, column, hasHeader) ?? []))
  const candidates = [...named, ...looking].toSorted((a, b) => b.score - a.score)
  const placed: PlacedColumn[] = []
  for (const { score: _, ...candidate } of candidates) {
    const { field, column } = candidate
    const isTaken = placed.some((each) => each.field === field || each.column === column)
    if (!isTaken) placed.push(candidate)
  }
  const whole = dropIncompleteObjects([...placed, ...pairNames(fields, columns, placed)], fields)
  return { placed: whole, unplaced: listUnplaced(columns, fields, candidates, whole) }
}

function pairNames(
  fields: readonly Field[],
  columns: readonly ColumnProfile[],
  placed: readonly PlacedColumn[],
): PlacedColumn[] {
  const isFree = (column: ColumnProfile) =>
    column.filled.length > 0 && !placed.some((each) => each.column === column)
  const free = columns.filter(isFree)
  return fields.flatMap((field): PlacedColumn[] => {
    if (placed.some((each) => each.field === field)) return []
    const pairs = listNamePairs(field.path).map(([first, last]) => [
      free.find(({ name }) => normalizeName(name) === first),
      free.find(({ name }) => normalizeName(name) === last),
    ])
    const [column, joined] = pairs.find((pair) => pair.every((found) => found !== undefined)) ?? []
    if (column === undefined || joined === undefined) return []
    return [{ field, column, joined, confidence: 'sure', why: 'first and last name, put together' }]
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
      const field = candidates.find((each) => each.column === column)?.field
      if (field === undefined) {
        const fitting = open.filter(({ rule }) => computeFittingShare(column, rule) >= 0.98)
        const why = fitting.length === 0 ? '' : `could be ${fitting.map(({ path }) => path).join(' or ')}`
        return { column, why }
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
  const spelling = findSpelling(field.path, column.name)
  if (spelling === undefined || !isPlausible(field, column)) return undefined
  const share = column.filled.length === 0 || field.list ? 1 : computeFittingShare(column, field.rule)
  if (share < 0.5) return undefined
  const fits = share >= 0.98
  const doubt = fits ? undefined : `${formatPercent(share)} of its cells are ${describeRule(field.rule)}`
  const confidence = rateConfidence(spelling, field, fits && column.filled.length > 0)
  const score = 1000 - spelling.rank - (spelling.isSure ? 0 : 200) - (fits ? 0 : 100)
  return { field, column, confidence, why: explainName(spelling, column, doubt), score }
}

/** An ambiguous name proves nothing for a text field, because any text fits it. */
function rateConfidence({ isSure }: Spelling, { rule, cellKind }: Field, fits: boolean): Confidence {
  if (!fits) return 'guess'
  if (isSure) return 'sure'
  return rule.kind === 'text' && cellKind === undefined ? 'guess' : 'likely'
}

function explainName({ isSure }: Spelling, { filled }: ColumnProfile, doubt: string | undefined): string {
  if (filled.length === 0) return 'named so, but all of its cells are blank'
  if (doubt !== undefined) return `named so, but only ${doubt}`
  return isSure ? 'named so' : 'files often name it so'
}

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
  if (cellKind === undefined || column.filled.length < 2) return undefined
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

/** Drops an optional object, such as the buyer's address, unless all its required fields were found. */
function dropIncompleteObjects(placed: readonly PlacedColumn[], fields: readonly Field[]): PlacedColumn[] {
  const found = new Set(placed.map(({ field }) => field))
  return placed.filter(({ field: { within } }) => {
    if (within === undefined) return true
    return fields.every((field) => field.within !== within || !field.required || found.has(field))
  })
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
