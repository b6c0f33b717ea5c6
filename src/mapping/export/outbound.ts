/** Compiles an outbound mapping: which rows a record makes, and what stands in each column. */
import type { OutboundOperation } from '../../contract/outbound-operations.ts'
import type { Composer } from '../../domain/translator.ts'
import { type CellPlan, compileCell } from './cell.ts'
import { partOf } from './cell-source.ts'
import { checkPart } from '../source/check.ts'
import { createComposer, type RowPlan } from './composer.ts'
import { type ExplainedRow, explainRows } from './explain-rows.ts'
import { type Example, OutboundFile } from '../file.ts'
import { followPath } from './paths.ts'
import { type ObjectShape, type Shape, shapeOf } from '../shape.ts'
import { keyPlace, type MapNode, type Mistakes, nodeAt, type SourceNode } from '../source/source.ts'
import { compileTables, type ReadTable, type Tables } from '../tables.ts'
import { compileTrailer, type TrailerPlan } from './trailer.ts'
import { WriteFrame } from './write-frame.ts'
import type { Paper } from './paper.ts'
import { compileWrite } from './writing.ts'

export interface CompiledOutbound {
  readonly composer: Composer
  /** How the rows of a record come to their cells, for the tools that show it. */
  readonly explain: (record: Readonly<Record<string, unknown>>) => readonly ExplainedRow[]
  readonly examples: readonly Example[]
}

interface RowContext {
  readonly mistakes: Mistakes
  readonly tables: Tables
  readonly record: Shape
  readonly paper: Paper
}

/** The composer, or undefined after every mistake was noted. */
export async function compileOutbound(
  root: MapNode,
  operation: OutboundOperation & { readonly name: string },
  context: { readonly readTable: ReadTable; readonly mistakes: Mistakes },
): Promise<CompiledOutbound | undefined> {
  const { mistakes } = context
  const file = checkPart(OutboundFile, root, mistakes)
  const tables = await compileTables(root.entries.get('tables')?.node, context)
  const isTable = !root.entries.has('records')
  // Checked apart from the file, whose other mistakes must not hide those in here.
  const writeNode = root.entries.get('write')?.node
  const write = (writeNode && checkPart(WriteFrame, writeNode, mistakes)) ?? { format: 'csv' }
  const { options, paper } = compileWrite(write, root, { isTable, mistakes })
  const rowContext = { mistakes, tables, record: shapeOf(operation.record), paper }
  const rows = isTable ? compileRow(root, root, rowContext) : compileRecords(root, rowContext)
  const trailer = trailerOf(root, rowContext)
  const keep = keepOf(root, rowContext)
  if (file === undefined || mistakes.count() > 0) return undefined
  const composer = createComposer({
    operation: operation.name,
    write: options,
    columns: isTable ? rows.flatMap(({ cells }) => cells.map(({ title }) => title)) : [],
    rows,
    trailer,
    recordsPerFile: file.file?.records,
    keep,
  })
  return { composer, explain: (record) => explainRows(rows, record), examples: file.examples ?? [] }
}

/** The kinds of rows of a file in which each row says in its first cell what it is. */
function compileRecords(root: MapNode, context: RowContext): readonly RowPlan[] {
  for (const key of ['columns', 'each', 'parts']) {
    if (root.entries.has(key)) {
      context.mistakes.add(keyPlace(root, key), `\`${key}\` and \`records\` exclude each other`)
    }
  }
  const node = root.entries.get('records')?.node
  const records = node?.kind === 'list' ? node.items : []
  return records.flatMap((record) => (record.kind === 'map' ? compileRow(record, root, context) : []))
}

/** One kind of row from its `columns`, `each` and `type`; none after its mistakes were noted. */
function compileRow(node: MapNode, root: MapNode, context: RowContext): readonly RowPlan[] {
  const { mistakes, record } = context
  const item = checkEach(node, record, mistakes)
  const each = item === undefined ? undefined : textAt(node, 'each')
  const columns = columnsAt(node, mistakes)
  if (columns === undefined) return []
  const cells: CellPlan[] = []
  for (const [name, { node: column }] of columns.entries) {
    if (name.trim() === '') mistakes.add(keyPlace(columns, name), 'a column needs a name')
    const cell = compileCell(name, column, { ...context, item, each })
    if (cell !== undefined) cells.push(cell)
  }
  const firstPartsOnly = item?.fields.has('part') === true && textAt(root, 'parts') !== 'all'
  return [{ type: typeOf(node, context), each, firstPartsOnly, cells }]
}

/** The values that are remembered beside the order of a record. */
function keepOf(root: MapNode, { record, mistakes }: RowContext): Map<string, (record: unknown) => unknown> {
  const node = root.entries.get('keep')?.node
  const keep = new Map<string, (record: unknown) => unknown>()
  for (const [name, entry] of node?.kind === 'map' ? node.entries : []) {
    const part =
      entry.node.kind === 'text'
        ? partOf(entry.node.text, { record, each: undefined, item: undefined }, false)
        : ''
    if (typeof part !== 'string') keep.set(name, (value) => part.read(value, undefined))
    else if (part !== '') mistakes.add(entry.node, part)
  }
  return keep
}

function trailerOf(root: MapNode, context: RowContext): TrailerPlan | undefined {
  const node = root.entries.get('trailer')?.node
  if (node?.kind !== 'map') return undefined
  const columns = columnsAt(node, context.mistakes)
  return columns && compileTrailer(columns, typeOf(node, context), context)
}

/** The first cell of the rows of one kind. */
function typeOf(node: SourceNode, { paper, mistakes }: RowContext): string | undefined {
  const type = textAt(node, 'type')
  return type === undefined
    ? undefined
    : (paper.fit?.(type, (_code, message) => {
        mistakes.add(nodeAt(node, ['type']), message)
        return ''
      }) ?? type)
}

function columnsAt(node: MapNode, mistakes: Mistakes): MapNode | undefined {
  const columns = node.entries.get('columns')?.node
  if (columns?.kind === 'map' && columns.entries.size > 0) return columns
  const message = 'columns are missing: each column of the file, and the path of the API field in it'
  mistakes.add(columns ?? node, message)
  return undefined
}

/** The items that make a row each; undefined when a record makes one row, or the mistake was noted. */
function checkEach(node: MapNode, record: Shape, mistakes: Mistakes): ObjectShape | undefined {
  const each = node.entries.get('each')?.node
  const parts = node.entries.get('parts')?.node
  const item = each?.kind === 'text' ? itemAt(record, each.text) : undefined
  if (typeof item === 'string' && each !== undefined) mistakes.add(each, item)
  const shape = typeof item === 'string' ? undefined : item
  if (parts !== undefined && shape?.fields.has('part') !== true) {
    mistakes.add(parts, '`parts` is for rows of shipment lines: it needs `each: shipment_lines`')
  }
  return shape
}

function itemAt(record: Shape, path: string): ObjectShape | string {
  const followed = followPath(record, path)
  if ('mistake' in followed) return followed.mistake
  const { found } = followed
  return found.kind === 'list' && found.item.kind === 'object' ? found.item : `${path} is no list of objects`
}

function textAt(node: SourceNode, key: string): string | undefined {
  const found = node.kind === 'map' ? nodeAt(node, [key]) : node
  return found !== node && found.kind === 'text' ? found.text : undefined
}
