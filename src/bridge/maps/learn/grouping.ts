/** Which columns say that neighbouring rows are one record. */
import type { InboundOperationName } from '../../../contract/operations.ts'
import { type ColumnProfile, shareOf } from './profile.ts'
import type { Placed } from './place.ts'

export interface Grouping {
  /** Empty when nothing was found. */
  readonly keys: readonly ColumnProfile[]
  /** Whether rows with blank keys go on with the record before. */
  readonly blankContinues: boolean
  readonly why: string
}

/** The fields that name a record, the first one being what the row cannot do without. */
const KEY_FIELDS: Readonly<Record<InboundOperationName, readonly string[]>> = {
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

export function keyFieldsOf(operation: InboundOperationName): readonly string[] {
  return KEY_FIELDS[operation]
}

export function findGrouping(operation: InboundOperationName, placed: readonly Placed[]): Grouping {
  const keys = KEY_FIELDS[operation].flatMap(
    (path) => placed.find(({ field }) => field.path === path)?.column ?? [],
  )
  const [first] = keys
  if (first === undefined) return { keys: [], blankContinues: false, why: '' }
  const blankContinues = first.cells.some((cell) => cell === '') && first.cells[0] !== ''
  const groups = groupsOf(keys, blankContinues)
  const ofRecord = placed.filter(({ field }) => !field.perRow)
  const torn = ofRecord.filter(({ column }) => disagreeing(column, groups) > 0)
  const rows = first.cells.length
  const counted = `${rows} rows make ${groups.length} ${groups.length === 1 ? 'record' : 'records'}`
  const unsure = torn
    .slice(0, MAX_TORN)
    .map(({ column }) => `"${column.name}" differs within ${disagreeing(column, groups)} of them`)
  const more = torn.length - MAX_TORN
  if (more > 0) unsure.push(`so ${more === 1 ? 'does another column' : `do ${more} more columns`}`)
  return { keys, blankContinues, why: [counted, ...unsure].join('; ') }
}

/** More columns that are torn apart tell nothing more. */
const MAX_TORN = 3

/** A column that could name the records of a file whose headings do not say so. */
export function guessKeyColumn(
  columns: readonly ColumnProfile[],
  placed: readonly Placed[],
): ColumnProfile | undefined {
  const taken = new Set(placed.map(({ column }) => column))
  const ofRecord = placed.filter(({ field }) => !field.perRow).map(({ column }) => column)
  const candidates = columns.filter((column) => {
    if (taken.has(column) || column.distinct.size < 2 || column.cells.some((cell) => cell === ''))
      return false
    if (shareOf(column.filled, (cell) => /\d/.test(cell) && !/\s/.test(cell) && cell.length <= 32) < 1)
      return false
    const groups = groupsOf([column], false)
    return (
      groups.length === column.distinct.size && ofRecord.every((other) => disagreeing(other, groups) === 0)
    )
  })
  // The fewest groups that are still whole records: a column of lines would make a record of every row.
  return candidates.toSorted((a, b) => a.distinct.size - b.distinct.size || a.position - b.position)[0]
}

/** The positions of the rows of each group of neighbours. */
function groupsOf(keys: readonly ColumnProfile[], blankContinues: boolean): number[][] {
  const groups: number[][] = []
  let before: string | undefined
  for (let row = 0; row < (keys[0]?.cells.length ?? 0); row += 1) {
    const cells = keys.map((key) => key.cells[row] ?? '')
    const key = cells.join('\u0000')
    const goesOn = key === before || (blankContinues && cells.every((cell) => cell === ''))
    if (goesOn && groups.length > 0) groups.at(-1)?.push(row)
    else {
      groups.push([row])
      before = key
    }
  }
  return groups
}

/** In how many groups the filled cells of the column are not all the same. */
function disagreeing({ cells }: ColumnProfile, groups: readonly (readonly number[])[]): number {
  return groups.filter(
    (rows) => new Set(rows.map((row) => cells[row]).filter((cell) => cell !== '')).size > 1,
  ).length
}
