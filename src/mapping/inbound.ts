/** Compiles an inbound mapping: how the file is read, which rows make a record, and the body. */
import type { InboundOperation } from '../contract/operations.ts'
import type { TraceableTranslator } from './binding/explained.ts'
import { compileBody } from './fields/body.ts'
import { checkColumns } from './fields/leaf-sources.ts'
import { compileLeaf, createConditionContext, type LeafContext } from './fields/leaf.ts'
import { addLineRules, compileLineRules, compileTotalChecks } from './fields/line-rules.ts'
import type { ColumnAlternatives, LeafPlan, ObjectPlan } from './fields/plan.ts'
import { type Example, InboundFile } from './file.ts'
import type { GrammarContext } from './reading/partner-grammar.ts'
import { isEdi, ReadFrame } from './reading/read-keys.ts'
import {
  compilePaths,
  compileRecordGrouping,
  createTotalsContext,
  enforceColumns,
  listKnownColumns,
  toReadOptions,
} from './reading/read-options.ts'
import { foldColumnName } from './rows/columns.ts'
import { compileChecks, compileCondition } from './rows/conditions.ts'
import { compileTotals } from './rows/control-totals.ts'
import { GroupFrame } from './rows/grouping.ts'
import { checkPackedKey, compilePacked, type PackedLines, packsKey } from './rows/lines.ts'
import { type Shape, toShape } from './shape.ts'
import { checkEntry, checkPart } from './source/schema.ts'
import { getEntry, locateKey, type MapNode } from './source/source.ts'
import { compileTables, type TableContext } from './tables.ts'
import { createTranslator, type InboundPlan } from './translator.ts'
import { normalizeBlanks } from './values/text.ts'

export interface CompiledInbound {
  readonly translator: TraceableTranslator
  readonly plan: InboundPlan
  readonly examples: readonly Example[]
}

export async function compileInbound(
  root: MapNode,
  operation: InboundOperation & { readonly name: string },
  context: TableContext & GrammarContext,
): Promise<CompiledInbound | undefined> {
  const { errors } = context
  const file = checkPart(InboundFile, root, errors)
  const tables = await compileTables(getEntry(root, 'tables'), context)
  const read = checkEntry(ReadFrame, root, 'read', errors) ?? { format: 'csv' }
  const group = checkEntry(GroupFrame, root, 'group', errors)
  const shape = toShape(operation.body)
  const bodyNode = getEntry(root, 'body')
  if (bodyNode === undefined || shape.kind !== 'object') {
    return errors.add(root, 'body is missing: it says which field of the API comes from which column')
  }
  const records = compileRecordGrouping(read, root, errors)
  const paths = await compilePaths(read, root, context)
  if (isEdi(read) && paths === undefined) return undefined
  const columnsFor = (perRow: boolean) => listKnownColumns(read, records, perRow)
  const packed = compilePacked(root, { errors, columns: columnsFor(true) })
  const leaves: LeafContext = {
    errors,
    tables,
    overflows: new Map(),
    columnsFor: addPackedColumns(columnsFor, packed),
    packed: packed?.columns,
    paths,
    decimal: read.decimal,
    isPointGrouping: read.grouping === '.',
    allowsDamage: read.damaged === 'allow',
    blanks: normalizeBlanks(read.blanks),
    noOrder: explainNoOrder(operation, shape),
  }
  const body = compileBody(bodyNode, shape, { field: '', perRow: false, needed: true }, leaves)
  const keep = compileKeep(root, operation.name, leaves)
  const ofRecord = createConditionContext(leaves, false)
  const only = getEntry(root, 'only')
  const rules = {
    only: only && compileCondition(only, ofRecord),
    checks: compileChecks(getEntry(root, 'check'), ofRecord),
    totalChecks: compileTotalChecks(getEntry(root, 'check'), false, leaves),
    holds: compileChecks(getEntry(root, 'hold'), ofRecord),
  }
  const totals = compileTotals(root, { errors, ...createTotalsContext(read, records, 'file') })
  const recordTotals = compileTotals(root, { errors, ...createTotalsContext(read, records, 'record') })
  const lineRules = compileLineRules(root, leaves)
  const grouping = records ?? compileGrouping(group, root, leaves)
  if (records !== undefined && root.entries.has('group')) {
    errors.add(
      locateKey(root, 'group'),
      'the record types say already which rows belong together: leave `group` out. If all rows are of one kind and share a key, leave `records` out: name their `columns`, the other lines under `ignore`, and a row of totals with `totals.when`',
    )
  }
  if (
    packed !== undefined &&
    body !== undefined &&
    grouping?.kind === 'keys' &&
    packsKey(packed, grouping.keys)
  )
    checkPackedKey(root, body, packed, errors)
  if (file === undefined || body === undefined || grouping === undefined || errors.count() > 0)
    return undefined
  const plan: InboundPlan = {
    operation: operation.name,
    read: toReadOptions(read, body, grouping, paths),
    grouping,
    blanks: leaves.blanks,
    body: addLineRules(body, shape, lineRules),
    keep,
    ...rules,
    lines: lineRules,
    totals,
    recordTotals,
    packed,
  }
  return { translator: enforceColumns(createTranslator(plan), read), plan, examples: file.examples ?? [] }
}

/** Adds numbered columns, such as `SKU{n}`: one name for several columns of the file. */
function addPackedColumns(columnsFor: LeafContext['columnsFor'], packed: PackedLines | undefined) {
  if (packed === undefined) return columnsFor
  return (perRow: boolean) => {
    const known = columnsFor(perRow)
    return known && perRow ? [...known, ...packed.columns] : known
  }
}

function compileGrouping(group: GroupFrame | undefined, root: MapNode, context: LeafContext) {
  const { errors } = context
  const node = getEntry(root, 'group')
  if (node === undefined) {
    return errors.add(root, 'group is missing: name the column whose value the rows of one record share')
  }
  if (group === undefined) return undefined
  const isLong = typeof group === 'object' && 'by' in group
  const by = isLong ? group.by : group
  const keys = (typeof by === 'string' ? [by] : by).map(toAlternatives)
  const names = keys.map((key) => key.flat().map(foldColumnName).join())
  if (new Set(names).size < names.length) errors.add(node, 'the same column is named twice')
  for (const key of keys) checkColumns(node, key, false, context)
  return {
    kind: 'keys' as const,
    keys,
    blankContinues: isLong && group.blank === 'continues',
    firstCounts: isLong && group.differing === 'first',
  }
}

type GroupKey = string | string[] | { readonly firstOf: readonly (string | string[])[] }

function toAlternatives(key: GroupKey): ColumnAlternatives {
  const names = (one: string | string[]) => (typeof one === 'string' ? [one] : one)
  return typeof key === 'string' || Array.isArray(key) ? [names(key)] : key.firstOf.map(names)
}

// `keep`: values that the journal keeps beside an order, for later files.

/** Kept values are references that another party wants back, and not long texts. */
const MAX_KEPT_LENGTH = 500

/** Explains why a record has no order to take values from; undefined for records that are about one. */
function explainNoOrder({ name }: InboundOperation & { readonly name: string }, body: Shape) {
  const names = (field: string) => body.kind === 'object' && body.fields.has(field)
  if (name !== 'create-order' && (names('order_id') || names('purchase_order_number'))) return undefined
  return `the records of ${name} are about no order that the API has, so nothing can be taken from it`
}

function compileKeep(root: MapNode, operation: string, context: LeafContext): ObjectPlan | undefined {
  const node = getEntry(root, 'keep')
  if (node?.kind !== 'map') return undefined
  if (operation !== 'create-order') {
    return context.errors.add(locateKey(root, 'keep'), '`keep` is for create-order and for exports')
  }
  const rule = { kind: 'text', max: MAX_KEPT_LENGTH } as const
  const fields = [...node.entries].flatMap(([name, entry]): [string, LeafPlan][] => {
    const target = { field: `keep.${name}`, perRow: false, rule, list: false, required: false, needed: false }
    const leaf = compileLeaf(entry.node, target, context)
    return leaf === undefined ? [] : [[name, leaf]]
  })
  return { kind: 'object', field: 'keep', perRow: false, fields, rules: [], required: true, hasColumns: true }
}
