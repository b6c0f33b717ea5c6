/** Finds how rows form records: key columns that neighbouring rows share, and several lines in numbered columns. */
import type { InboundOperationName } from '../../contract/operations.ts'
import type { Confidence, Field, PlacedColumn } from './column-matching.ts'
import type { ColumnProfile } from './column-profile.ts'
import type { Sample } from './sample.ts'
import { findSpelling } from './spellings.ts'

export interface Grouping {
  /** Empty when nothing was found. */
  readonly keys: readonly ColumnProfile[]
  /** Whether rows with blank keys continue the record before them. */
  readonly blankContinues: boolean
  /** The positions of the rows of each record. */
  readonly groups: readonly (readonly number[])[]
  /** What the rows alone allow to say. */
  readonly confidence: Confidence
  readonly why: string
}

/** Of a file without a key column, and of one whose rows name their type. */
export const NO_GROUPING: Grouping = {
  keys: [],
  blankContinues: false,
  groups: [],
  confidence: 'guess',
  why: '',
}

/** The fields that name a record; the first one is required. */
export const KEY_FIELDS: Readonly<Record<InboundOperationName, readonly string[]>> = {
  'create-order': ['purchase_order_number'],
  'create-cancel': ['order_id'],
  'acknowledge-order': ['order_id'],
  'create-shipment': ['order_id', 'tracking_number'],
  'close-order': ['order_id'],
  'reopen-order': ['order_id'],
  'create-invoice': ['purchase_order_number', 'invoice_number'],
  'create-variant': ['attributes.identifier'],
  'update-variant': ['variant_id'],
  'acknowledge-shipment': ['shipment_id'],
  'acknowledge-invoice': ['invoice_id'],
  'acknowledge-cancel': ['cancel_id'],
  'acknowledge-credit': ['credit_id'],
  'acknowledge-return': ['return_id'],
  'acknowledge-variant': ['variant_id'],
}

export function findGrouping(operation: InboundOperationName, placed: readonly PlacedColumn[]): Grouping {
  const columnOf = (path: string) => placed.find(({ field }) => field.path === path)?.column ?? []
  const keys = KEY_FIELDS[operation].flatMap(columnOf)
  const [first] = keys
  if (first === undefined)
    return { keys: [], blankContinues: false, groups: [], confidence: 'guess', why: '' }
  const others = placed.filter(({ field, column }) => !field.perRow && !keys.includes(column))
  const isBlank = (row: number) => keys.every(({ cells }) => cells[row] === '')
  const blankRows = [...first.cells.keys()].filter(isBlank)
  // A row with cells of an order of its own begins one, and its key is missing.
  const missing = blankRows.filter((row) => others.some(({ column }) => column.cells[row] !== ''))
  const blankContinues = blankRows.length > 0 && missing.length === 0 && !isBlank(0)
  const groups = groupRows(keys, blankContinues)
  const torn = others.filter(({ column }) => countMixedGroups(column, groups) > 0)
  const rows = first.cells.length
  const counted = `${rows} rows make ${groups.length} ${groups.length === 1 ? 'record' : 'records'}`
  const unsure = torn
    .slice(0, MAX_TORN)
    .map(({ column }) => `"${column.name}" differs within ${countMixedGroups(column, groups)} of them`)
  const more = torn.length - MAX_TORN
  if (more > 0) unsure.push(`so ${more === 1 ? 'does another column' : `do ${more} more columns`}`)
  if (missing.length > 0)
    unsure.push(`${missing.length === 1 ? '1 row has' : `${missing.length} rows have`} no ${first.name}`)
  const isOpen = unsure.length > 0 || (blankContinues && others.length === 0)
  const confidence = isOpen ? 'guess' : blankContinues ? 'likely' : 'sure'
  return { keys, blankContinues, groups, confidence, why: [counted, ...unsure].join('; ') }
}

/** A message names at most this many columns that differ within groups. */
const MAX_TORN = 3

/** Guesses the key column of a file whose headings do not name it. */
export function guessKeyColumn(columns: readonly ColumnProfile[], placed: readonly PlacedColumn[]) {
  const taken = new Set(placed.map(({ column }) => column))
  const ofRecord = placed.filter(({ field }) => !field.perRow).map(({ column }) => column)
  const isKey = (cell: string) => /\d/.test(cell) && !/\s/.test(cell) && cell.length <= 32
  const candidates = columns.filter((column) => {
    const { distinct, cells, filled } = column
    if (taken.has(column) || distinct.size < 2 || cells.includes('') || !filled.every(isKey)) return false
    const groups = groupRows([column], false)
    return groups.length === distinct.size && ofRecord.every((other) => countMixedGroups(other, groups) === 0)
  })
  // Prefers the column with the fewest groups: a column of lines would make a record of every row.
  return candidates.toSorted((a, b) => a.distinct.size - b.distinct.size || a.position - b.position)[0]
}

/** Returns the row positions of each group of neighbours. */
function groupRows(keys: readonly ColumnProfile[], blankContinues: boolean): number[][] {
  const groups: number[][] = []
  let before: string | undefined
  for (let row = 0; row < (keys[0]?.cells.length ?? 0); row += 1) {
    const cells = keys.map((key) => key.cells[row] ?? '')
    const key = cells.join('\u0000')
    const isContinued = key === before || (blankContinues && cells.every((cell) => cell === ''))
    if (isContinued && groups.length > 0) groups.at(-1)?.push(row)
    else {
      groups.push([row])
      before = key
    }
  }
  return groups
}

/** Counts the groups in which the filled cells of the column differ. */
function countMixedGroups({ cells }: ColumnProfile, groups: readonly (readonly number[])[]): number {
  const distinct = (rows: readonly number[]) => new Set(rows.map((row) => cells[row] ?? '').filter(Boolean))
  return groups.filter((rows) => distinct(rows).size > 1).length
}

// Numbered columns such as SKU1, Qty1, SKU2, Qty2 are read as lines of their own.

/** Makes a row for each line; returns the sample unchanged without numbered columns. */
export function unpackNumberedColumns(sample: Sample, fields: readonly Field[]): Sample {
  const names =
    sample.hasHeader && sample.typed === undefined ? findNumberedNames(sample.columns, fields) : []
  if (names.length === 0) return sample
  const { columns, rows } = sample
  const count = listNumbers(names[0] ?? '', columns).length
  const otherPositions = columns.flatMap((name, at) =>
    names.includes(replaceNumber(name) ?? '') ? [] : [at],
  )
  const lines = Array.from({ length: count }, (_, index) =>
    names.map((name) => columns.indexOf(name.replace('{n}', String(index + 1)))),
  )
  const unpacked = rows.flatMap((row) => {
    const own = otherPositions.map((at) => row[at] ?? '')
    const made = lines.map((places) => places.map((at) => row[at] ?? ''))
    const filled = made.filter((cells) => cells.some((cell) => cell !== ''))
    return (filled.length === 0 ? made.slice(0, 1) : filled).map((cells) => [...own, ...cells])
  })
  const own = otherPositions.map((at) => columns[at] ?? '')
  return {
    ...sample,
    groups: undefined,
    columns: [...own, ...names],
    rows: unpacked,
    numbered: { names, count },
  }
}

/** Finds names such as `SKU{n}`, numbered from 1 like the quantity, and none of them a column of the record. */
function findNumberedNames(columns: readonly string[], fields: readonly Field[]): string[] {
  const names = [...new Set(columns.flatMap((column) => replaceNumber(column) ?? []))]
  const feeds = (name: string, test: (field: Field) => boolean) =>
    fields.some((field) => test(field) && findSpelling(field.path, name) !== undefined)
  const isOfLine = (name: string) => feeds(name, ({ perRow }) => perRow)
  const isOfRecord = (name: string) => feeds(name, ({ perRow }) => !perRow)
  const quantity = names.find((name) => feeds(name, ({ path }) => path.endsWith('[].quantity')))
  const numbers = quantity === undefined ? [] : listNumbers(quantity, columns)
  if (numbers.length < 2 || numbers.some((number, index) => number !== index + 1)) return []
  const isAlike = (name: string) => listNumbers(name, columns).join() === numbers.join()
  const alike = names.filter((name) => isAlike(name) && (isOfLine(name) || !isOfRecord(name)))
  return alike.filter(isOfLine).length < 2 ? [] : alike
}

/** `Item 1 SKU` is `Item {n} SKU`; the last number counts. */
function replaceNumber(column: string): string | undefined {
  return /\d/.test(column) ? column.replace(/\d{1,2}(?=\D*$)/, '{n}') : undefined
}

function listNumbers(name: string, columns: readonly string[]): number[] {
  const [before = '', behind = ''] = name.split('{n}')
  return columns
    .filter((column) => replaceNumber(column) === name)
    .map((column) => Number(column.slice(before.length, column.length - behind.length)))
    .toSorted((a, b) => a - b)
}
