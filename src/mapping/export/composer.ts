/** A compiled outbound mapping at work: an API record becomes the rows of a file. */
import type { WriteOptions } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import type { ComposedRows, Composer } from '../../domain/translator.ts'
import type { CellPlan } from './cell.ts'
import { KEPT } from './cell-source.ts'
import { isFirstPart, pathReader } from './paths.ts'
import type { TrailerPlan } from './trailer.ts'
import type { RefuseCell } from './paper.ts'

/** One kind of row. */
export interface RowPlan {
  /** The first cell, in a file whose rows say what they are. */
  readonly type: string | undefined
  /** The path of the list that makes a row per item; one row per record without it. */
  readonly each: string | undefined
  /** Spec: lines with part above 1 are further packages of one item and do not count. */
  readonly firstPartsOnly: boolean
  readonly cells: readonly CellPlan[]
}

export interface OutboundPlan {
  readonly operation: string
  readonly write: WriteOptions
  /** The header line; empty in a file of several kinds of rows. */
  readonly columns: readonly string[]
  /** In the order in which they stand for each record. */
  readonly rows: readonly RowPlan[]
  readonly trailer: TrailerPlan | undefined
  readonly recordsPerFile: number | undefined
  /** What is remembered beside the order, by name. */
  readonly keep: ReadonlyMap<string, (record: unknown) => unknown>
}

type ApiRecord = Readonly<Record<string, unknown>>
type ItemReader = (record: ApiRecord) => readonly unknown[]

export function createComposer(plan: OutboundPlan): Composer {
  const { operation, write, columns, trailer, recordsPerFile } = plan
  const readers = plan.rows.map((row): readonly [RowPlan, ItemReader] => [row, itemReader(row)])
  return {
    operation,
    write,
    columns,
    ...(recordsPerFile === undefined ? {} : { recordsPerFile }),
    rows: (record) => withoutBlankLines(composeRows(record, readers, trailer), write),
    ...(trailer === undefined ? {} : { trailer: () => trailer.start() }),
    ...(takesKept(plan) ? { takesKept: true } : {}),
    ...(plan.keep.size === 0 ? {} : { keep: (record) => keptOf(record, plan.keep) }),
  }
}

function takesKept({ rows }: OutboundPlan): boolean {
  return rows.some(({ cells }) => cells.some(({ field }) => field.startsWith(`${KEPT}.`)))
}

function keptOf(record: ApiRecord, keep: OutboundPlan['keep']): Record<string, string> {
  const values = [...keep].map(([name, read]) => [name, read(record)] as const)
  const filled = values.filter(
    ([, value]) => ['string', 'number', 'boolean'].includes(typeof value) && value !== '',
  )
  return Object.fromEntries(filled.map(([name, value]) => [name, String(value)]))
}

function composeRows(
  record: ApiRecord,
  readers: readonly (readonly [RowPlan, ItemReader])[],
  trailer: TrailerPlan | undefined,
): ComposedRows {
  const problems: Problem[] = []
  const rows: string[][] = []
  for (const [plan, readItems] of readers) {
    for (const [index, item] of readItems(record).entries()) {
      rows.push(composeRow(plan, { record, item, index }, problems))
    }
  }
  trailer?.check(record, (code, message, hint) => {
    problems.push(problem(code, {}, message, hint))
    return ''
  })
  if (rows.length === 0) {
    // A record that leaves no trace in the file would be acknowledged without anybody having seen it.
    const field = readers.flatMap(([{ each }]) => each ?? []).join(' or ')
    const message = `The record has nothing in ${field}, so there is no row to write.`
    return { problems: [problem('value-missing', { field }, message, 'Look at the record at the API.')] }
  }
  return problems.length > 0 ? { problems } : { rows }
}

/** Without quotes, a row of one blank cell is a line with nothing on it: no reader would take it for a row. */
function withoutBlankLines(composed: ComposedRows, { quote }: WriteOptions): ComposedRows {
  if (quote !== null || 'problems' in composed) return composed
  if (composed.rows.every((row) => row.length > 1 || row[0] !== '')) return composed
  const message = 'The only cell of the row is blank, and without quotes a blank line is no row.'
  return { problems: [problem('value-missing', {}, message, 'Look at the record at the API.')] }
}

function composeRow(
  { type, each, cells }: RowPlan,
  from: { readonly record: ApiRecord; readonly item: unknown; readonly index: number },
  problems: Problem[],
): string[] {
  let current = cells[0]
  const refuse: RefuseCell = (code, message, hint) => {
    const { name = '', field: path = '', perItem = false } = current ?? {}
    const field = perItem && each !== undefined ? path.replace(`${each}.`, `${each}[${from.index}].`) : path
    problems.push(problem(code, { column: name, field }, message, hint))
    return ''
  }
  const row: string[] = type === undefined ? [] : [type]
  for (const cell of cells) {
    current = cell
    row.push(cell.text(from.record, from.item, refuse))
  }
  return row
}

/** The items of a record that make a row each. */
export function itemReader({ each, firstPartsOnly }: RowPlan): ItemReader {
  if (each === undefined) return () => [undefined]
  const read = pathReader(each)
  return (record) => {
    const list = read(record)
    const items: readonly unknown[] = Array.isArray(list) ? list : []
    return firstPartsOnly ? items.filter(isFirstPart) : items
  }
}
