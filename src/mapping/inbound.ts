/** Compiles an inbound mapping: how the file is read, which rows make a record, and the body. */
import type { z } from 'zod'
import type { InboundOperation } from '../contract/inbound-operations.ts'
import { didYouMean } from '../support/nearest.ts'
import { compileBody } from './fields/body.ts'
import { checkPart } from './source/check.ts'
import { foldedName } from './rows/columns.ts'
import { type Check, compileChecks, compileCondition, type Condition } from './rows/conditions.ts'
import { compileTotals } from './rows/control-totals.ts'
import { compileKeep, noOrderOf } from './keep.ts'
import { type Example, InboundFile } from './file.ts'
import { conditionsOf, type LeafContext } from './fields/leaf.ts'
import { checkColumns } from './fields/leaf-names.ts'
import { GroupFrame } from './rows/group-forms.ts'
import { compilePacked, lineRulesOf, type PackedLines, withLineRules } from './rows/lines.ts'
import type { Alternatives, Grouping } from './fields/plan.ts'
import {
  knownColumns,
  ReadFrame,
  readOptions,
  recordsOf,
  refusing,
  totalsContext,
} from './reading/reading.ts'
import { shapeOf } from './shape.ts'
import { keyPlace, type MapNode, type Mistakes } from './source/source.ts'
import { compileTables, type ReadTable } from './tables.ts'
import { createTranslator, type InboundPlan } from './translator.ts'
import { blanksOf } from './values/text.ts'
import type { WatchedTranslator } from './watched.ts'

export interface CompiledInbound {
  readonly translator: WatchedTranslator
  readonly examples: readonly Example[]
}

/** The translator, or undefined after every mistake was noted. */
export async function compileInbound(
  root: MapNode,
  operation: InboundOperation & { readonly name: string },
  context: { readonly readTable: ReadTable; readonly mistakes: Mistakes },
): Promise<CompiledInbound | undefined> {
  const { mistakes } = context
  const file = checkPart(InboundFile, root, mistakes)
  const tables = await compileTables(root.entries.get('tables')?.node, context)
  const read = partOf(root, 'read', ReadFrame, mistakes) ?? { format: 'csv' }
  const group = partOf(root, 'group', GroupFrame, mistakes)
  const shape = shapeOf(operation.body)
  const bodyNode = root.entries.get('body')?.node
  if (bodyNode === undefined || shape.kind !== 'object') {
    mistakes.add(root, 'body is missing: it says which field of the API comes from which column')
    return undefined
  }
  const records = recordsOf(read, root, mistakes)
  const columnsFor = (perRow: boolean) => knownColumns(read, records, perRow)
  const packed = compilePacked(root, { mistakes, columns: columnsFor(true) })
  const leaves: LeafContext = {
    mistakes,
    tables,
    spills: new Map(),
    columnsFor: withPacked(columnsFor, packed),
    packed: packed?.columns,
    decimal: read.decimal,
    blanks: blanksOf(read.blanks),
    noOrder: noOrderOf(operation, shape),
  }
  const body = compileBody(bodyNode, shape, { field: '', perRow: false, needed: true }, leaves)
  const keep = compileKeep(root, operation.name, leaves)
  const rules = rulesOf(root, leaves)
  const totals = compileTotals(root, { mistakes, ...totalsContext(read, records) })
  const lineRules = lineRulesOf(root, conditionsOf(leaves, true))
  const grouping = records ?? groupingOf(group, root, leaves)
  if (records !== undefined && root.entries.has('group')) {
    mistakes.add(
      keyPlace(root, 'group'),
      'the record types say already which rows belong together: leave `group` out. If all rows are of one kind and share a key, leave `records` out: name their `columns`, the other lines under `ignore`, and a row of totals with `totals.when`',
    )
  }
  if (file === undefined || body === undefined || grouping === undefined || mistakes.count() > 0)
    return undefined
  const plan: InboundPlan = {
    operation: operation.name,
    read: readOptions(read, body, grouping),
    grouping,
    blanks: leaves.blanks,
    body: withLineRules(body, shape, lineRules),
    ...(keep === undefined ? {} : { keep }),
    ...rules,
    lineHolds: lineRules.holds,
    ...(totals === undefined ? {} : { totals }),
    ...(packed === undefined ? {} : { packed }),
  }
  return { translator: refusing(createTranslator(plan), read), examples: file.examples ?? [] }
}

/** Lines may name numbered columns, such as `SKU{n}`, that stand for several of the file. */
function withPacked(
  columnsFor: LeafContext['columnsFor'],
  packed: PackedLines | undefined,
): LeafContext['columnsFor'] {
  if (packed === undefined) return columnsFor
  return (perRow) => {
    const known = columnsFor(perRow)
    return known && perRow ? [...known, ...packed.columns] : known
  }
}

/** What decides about records as a whole. */
function rulesOf(root: MapNode, leaves: LeafContext): Pick<InboundPlan, 'only' | 'checks' | 'holds'> {
  const context = conditionsOf(leaves, false)
  const written = root.entries.get('only')?.node
  const only: Condition | undefined = written && compileCondition(written, context)
  const checks: readonly Check[] = compileChecks(root.entries.get('check')?.node, context)
  const holds: readonly Check[] = compileChecks(root.entries.get('hold')?.node, context)
  return {
    ...(only === undefined ? {} : { only }),
    checks,
    holds,
  }
}

/** A part by itself, so that a mistake elsewhere does not hide those in it. */
function partOf<Schema extends z.ZodType>(
  root: MapNode,
  name: string,
  schema: Schema,
  mistakes: Mistakes,
): z.infer<Schema> | undefined {
  const node = root.entries.get(name)?.node
  return node && checkPart(schema, node, mistakes)
}

function groupingOf(
  group: GroupFrame | undefined,
  root: MapNode,
  context: LeafContext,
): Grouping | undefined {
  const { mistakes } = context
  const node = root.entries.get('group')?.node
  if (group === undefined || node === undefined) {
    const message = 'group is missing: name the column whose value the rows of one record share'
    if (!root.entries.has('group')) mistakes.add(root, message)
    return undefined
  }
  const isLong = typeof group === 'object' && 'by' in group
  const by = isLong ? group.by : group
  const keys = (typeof by === 'string' ? [by] : by).map(toAlternatives)
  checkKeys(keys, mistakes, node)
  for (const key of keys) checkColumns(node, key, false, context)
  return {
    kind: 'keys',
    keys,
    blankContinues: isLong && group.blank === 'continues',
    firstCounts: isLong && group.differing === 'first',
  }
}

type GroupKey = string | string[] | { readonly firstOf: readonly (string | string[])[] }

function toAlternatives(key: GroupKey): Alternatives {
  const names = (one: string | string[]) => (typeof one === 'string' ? [one] : one)
  return typeof key === 'string' || Array.isArray(key) ? [names(key)] : key.firstOf.map(names)
}

function checkKeys(
  keys: readonly Alternatives[],
  mistakes: Mistakes,
  node: { offset: number; path: string },
): void {
  const names = keys.map((key) => key.flat().map(foldedName).join())
  if (new Set(names).size < names.length) mistakes.add(node, 'the same column is named twice')
}

/** The operations whose names are near, for a mistake about an unknown one. */
export function unknownOperation(name: string, known: readonly string[]): string {
  return `there is no operation "${name}".${didYouMean(name, known) || ` There are ${known.join(', ')}.`}`
}
