/** Compiles an outbound mapping: which rows a record makes, and the source of each column. */
import type { OutboundOperation } from '../../contract/operations.ts'
import { createExampleEnvelope, type WriteOptions } from '../../domain/format.ts'
import type { Composer } from '../../domain/translator.ts'
import { type CellPlan, compileCell, type ExportContext } from './cell.ts'
import { compilePart, createTotalReader } from './cell-source.ts'
import { checkEntry, checkPart } from '../source/schema.ts'
import {
  createComposer,
  createItemReader,
  type ExplainedRow,
  explainRows,
  type RowPlan,
  type TrailerPlan,
} from './composer.ts'
import { type Example, OutboundFile } from '../file.ts'
import { followPath } from './paths.ts'
import { type ObjectShape, type Shape, toShape } from '../shape.ts'
import {
  getEntry,
  getEntryText,
  locateKey,
  type MapNode,
  type MappingErrors,
  nodeAt,
  type SourceNode,
} from '../source/source.ts'
import { compileTables, type TableContext } from '../tables.ts'
import { compileSegments, type DocumentPlan, listSegmentRows } from './segments.ts'
import {
  createDocumentComposer,
  createDocumentTracer,
  explainSegments,
  type TraceDocument,
} from './document-composer.ts'
import { compileWrite, WriteFrame, checkOptionTexts, isDocument } from './write-options.ts'
import { noteRefused, checkNumberForm, compileFinish, formatNumber, type RefuseCell } from './cell-format.ts'
import { addDecimals, type Decimal } from '../../support/decimal.ts'
import { BridgeError } from '../../support/errors.ts'
import { TotalLeaf } from './column-options.ts'

export interface CompiledOutbound {
  readonly composer: Composer
  readonly explain: (record: Readonly<Record<string, unknown>>) => readonly ExplainedRow[]
  readonly rows: readonly RowPlan[]
  /** Of a document of X12 or EDIFACT: its segments, and what becomes of each of them. */
  readonly document?: { readonly plan: DocumentPlan; readonly trace: TraceDocument }
  readonly examples: readonly Example[]
}

export async function compileOutbound(
  root: MapNode,
  operation: OutboundOperation & { readonly name: string },
  context: TableContext,
): Promise<CompiledOutbound | undefined> {
  const { errors } = context
  const file = checkPart(OutboundFile, root, errors)
  const tables = await compileTables(getEntry(root, 'tables'), context)
  const isTable = !root.entries.has('records')
  const write = checkEntry(WriteFrame, root, 'write', errors) ?? { format: 'csv' }
  const { options, limits } = compileWrite(write, root, { isTable, errors })
  const rowContext = { errors, tables, record: toShape(operation.record), limits }
  if (isDocument(write.format)) {
    const keep = compileKeptPaths(root, rowContext)
    return compileDocument(
      root,
      { write: { ...write, format: write.format }, options, keep },
      operation,
      rowContext,
    )
  }
  if (root.entries.has('segments'))
    errors.add(locateKey(root, 'segments'), '`segments` are for `write: { format: x12 }` or `edifact`')
  const rows = isTable ? compileRow(root, root, rowContext) : compileRecords(root, rowContext)
  const trailer = compileTrailerPart(root, rowContext)
  const keep = compileKeptPaths(root, rowContext)
  if (file === undefined || errors.count() > 0) return undefined
  const composer = createComposer({
    operation: operation.name,
    write: options,
    columns: isTable ? rows.flatMap(({ cells }) => cells.map(({ title }) => title)) : [],
    rows,
    trailer,
    recordsPerFile: file.file?.records,
    keep,
  })
  return { composer, explain: (record) => explainRows(rows, record), rows, examples: file.examples ?? [] }
}

/** Compiles a document of X12 or EDIFACT, which has segments in place of rows. */
function compileDocument(
  root: MapNode,
  {
    write,
    options,
    keep,
  }: {
    readonly write: WriteFrame & { readonly format: 'x12' | 'edifact' }
    readonly options: WriteOptions
    readonly keep: ReturnType<typeof compileKeptPaths>
  },
  operation: OutboundOperation & { readonly name: string },
  context: ExportContext,
): CompiledOutbound | undefined {
  const { errors } = context
  for (const key of ['columns', 'each', 'records', 'trailer'])
    if (root.entries.has(key))
      errors.add(locateKey(root, key), `a document has \`segments\`, and no \`${key}\``)
  const { format: syntax, document = '', set, clash, replace = ' ' } = write
  const sharesSet = set === 'file'
  const plan = compileSegments(root, { syntax, name: document, sharesSet }, context)
  const file = checkPart(OutboundFile, root, errors)
  if (file === undefined || plan === undefined || errors.count() > 0) return undefined
  const rows = listSegmentRows(plan)
  const rule = { replace: clash === 'hold' ? undefined : replace }
  const composer = createDocumentComposer(plan, {
    operation: operation.name,
    write: options,
    rows,
    recordsPerFile: file.file?.records,
    keep,
    clash: rule,
  })
  const trace = createDocumentTracer(plan, { clash: rule, version: options.edi?.version ?? '' })
  const envelope = createExampleEnvelope(syntax)
  const explain = (record: Readonly<Record<string, unknown>>) =>
    envelope === undefined ? [] : trace([record], envelope).records.flatMap(explainSegments)
  return { composer, explain, rows, document: { plan, trace }, examples: file.examples ?? [] }
}

/** Compiles the kinds of rows of a file whose first cells name the kind. */
function compileRecords(root: MapNode, context: ExportContext): readonly RowPlan[] {
  for (const key of ['columns', 'each', 'parts']) {
    if (root.entries.has(key)) {
      context.errors.add(locateKey(root, key), `\`${key}\` and \`records\` exclude each other`)
    }
  }
  const node = getEntry(root, 'records')
  const records = node?.kind === 'list' ? node.items : []
  return records.flatMap((record) => (record.kind === 'map' ? compileRow(record, root, context) : []))
}

/** One kind of row from its `columns`, `each` and `type`; none after its errors were noted. */
function compileRow(node: MapNode, root: MapNode, context: ExportContext): readonly RowPlan[] {
  const { errors, record } = context
  const item = checkEach(node, record, errors)
  const each = item === undefined ? undefined : getEntryText(node, 'each')
  const columns = findColumns(node, errors)
  if (columns === undefined) return []
  const cells: CellPlan[] = []
  for (const [name, { node: column }] of columns.entries) {
    if (name.trim() === '') errors.add(locateKey(columns, name), 'a column needs a name')
    const cell = compileCell(name, column, { ...context, item, each })
    if (cell !== undefined) cells.push(cell)
  }
  const firstPartsOnly = item?.fields.has('part') === true && getEntryText(root, 'parts') !== 'all'
  return [{ type: compileRowType(node, context), each, items: createItemReader(each, firstPartsOnly), cells }]
}

function compileKeptPaths(root: MapNode, { record, errors }: ExportContext) {
  const node = getEntry(root, 'keep')
  const keep = new Map<string, (record: unknown) => unknown>()
  for (const [name, entry] of node?.kind === 'map' ? node.entries : []) {
    const part =
      entry.node.kind === 'text'
        ? compilePart(entry.node.text, { record, each: undefined, item: undefined }, false)
        : ''
    if (typeof part !== 'string') keep.set(name, (value) => part.read(value, undefined))
    else if (part !== '') errors.add(entry.node, part)
  }
  return keep
}

function compileTrailerPart(root: MapNode, context: ExportContext): TrailerPlan | undefined {
  const node = getEntry(root, 'trailer')
  if (node?.kind !== 'map') return undefined
  const columns = findColumns(node, context.errors)
  return columns && compileTrailer(columns, compileRowType(node, context), context)
}

function compileRowType(node: SourceNode, { limits, errors }: ExportContext): string | undefined {
  const type = getEntryText(node, 'type')
  return type && (limits.fit?.(type, noteRefused(nodeAt(node, 'type'), errors)) ?? type)
}

function findColumns(node: MapNode, errors: MappingErrors): MapNode | undefined {
  const columns = getEntry(node, 'columns')
  if (columns?.kind === 'map' && columns.entries.size > 0) return columns
  const message = 'columns are missing: each column of the file, and the path of the API field in it'
  return errors.add(columns ?? node, message)
}

/** Returns the item shape of `each`; undefined when a record makes one row, or after noting the error. */
function checkEach(node: MapNode, record: Shape, errors: MappingErrors): ObjectShape | undefined {
  const each = getEntry(node, 'each')
  const parts = getEntry(node, 'parts')
  const item = each?.kind === 'text' ? resolveItem(record, each.text) : undefined
  if (typeof item === 'string' && each !== undefined) errors.add(each, item)
  const shape = typeof item === 'string' ? undefined : item
  if (parts !== undefined && shape?.fields.has('part') !== true) {
    errors.add(parts, '`parts` is for rows of shipment lines: it needs `each: shipment_lines`')
  }
  return shape
}

function resolveItem(record: Shape, path: string): ObjectShape | string {
  const followed = followPath(record, path)
  if ('error' in followed) return followed.error
  const { found } = followed
  return found.kind === 'list' && found.item.kind === 'object' ? found.item : `${path} is no list of objects`
}

// The trailer: a last row with the number of records in the file and their totals.

interface TotalCell {
  /** The amount that a record, or its rows, add to the total; undefined for a constant. */
  readonly amount: ((record: unknown, rows: number, refuse: RefuseCell) => Decimal | undefined) | undefined
  readonly text: (total: Decimal, refuse: RefuseCell) => string
}

export function compileTrailer(
  columns: MapNode,
  type: string | undefined,
  context: ExportContext,
): TrailerPlan {
  const cells = [...columns.entries.values()].flatMap(({ node }) => compileTotal(node, context) ?? [])
  const first = type === undefined ? [] : [type]
  return {
    check(record, refuse) {
      for (const { amount } of cells) amount?.(record, 1, refuse)
    },
    start() {
      const totals = cells.map(() => ZERO)
      return {
        addRecord(record, rows) {
          for (const [index, { amount }] of cells.entries()) {
            const more = amount?.(record, rows, throwUnwritable)
            if (more !== undefined) totals[index] = addDecimals(totals[index] ?? ZERO, more)
          }
        },
        createRow: () => first.concat(cells.map(({ text }, at) => text(totals[at] ?? ZERO, throwUnwritable))),
      }
    },
  }
}

const ZERO: Decimal = { units: 0n, scale: 0 }

/** Stops the export: a trailer that cannot be written belongs to no record. */
function throwUnwritable(_code: unknown, message: string): never {
  throw new BridgeError('mapping-invalid', `The trailer of the file cannot be written: ${message}`)
}

function compileTotal(node: SourceNode, { errors, record, limits }: ExportContext): TotalCell | undefined {
  const leaf = checkPart(TotalLeaf, node, errors)
  if (leaf === undefined) return undefined
  const { sum, count } = leaf
  if ([leaf.const, sum, count].filter((given) => given !== undefined).length !== 1) {
    return errors.add(node, 'say what stands here with exactly one of `const`, `sum` and `count`')
  }
  if (limits.isFixed && leaf.width === undefined) {
    errors.add(node, 'a column of a fixed-width file needs a `width`')
  }
  checkOptionTexts(node, leaf, limits, errors)
  const note = (option: string, message: string) => errors.add(nodeAt(node, option), message)
  checkNumberForm(leaf, note)
  const { shape, layout } = compileFinish({ ...leaf, isNumber: leaf.const === undefined }, limits)
  const finish = (text: string, refuse: RefuseCell) => {
    const shaped = shape?.(text, refuse) ?? text
    return layout?.(shaped, refuse) ?? shaped
  }
  if (leaf.const !== undefined) {
    const written = nodeAt(node, 'const')
    const text = finish(written.kind === 'text' ? written.text : '', noteRefused(written, errors))
    return { amount: undefined, text: () => text }
  }
  const text = (total: Decimal, refuse: RefuseCell) => finish(formatNumber(total, leaf, refuse), refuse)
  if (count === 'records') return { amount: () => ({ units: 1n, scale: 0 }), text }
  if (count === 'rows') return { amount: (_record, rows) => ({ units: BigInt(rows), scale: 0 }), text }
  const total = createTotalReader(leaf, record, note)
  return total && { amount: (value, _rows, refuse) => total(value, refuse), text }
}
