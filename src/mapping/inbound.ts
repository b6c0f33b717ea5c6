/** Compiles an inbound mapping: how the file is read, which rows make a record, and the body. */
import type { z } from 'zod'
import type { InboundOperation } from '../contract/operations.ts'
import type { ReadOptions } from '../domain/format.ts'
import type { Translator } from '../domain/translator.ts'
import { didYouMean } from '../support/nearest.ts'
import { compileBody } from './body.ts'
import { checkPart } from './check.ts'
import { foldedName } from './columns.ts'
import { type Example, GroupFrame, InboundFile, ReadFrame } from './file.ts'
import { checkColumns, type LeafContext } from './leaf.ts'
import { type Alternatives, leavesOf, type ObjectPlan } from './plan.ts'
import { shapeOf } from './shape.ts'
import { keyPlace, type MapNode, type Mistakes } from './source.ts'
import { compileTables, type ReadTable } from './tables.ts'
import { createTranslator, type Grouping } from './translator.ts'

export interface CompiledInbound {
  readonly translator: Translator
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
  const leaves: LeafContext = {
    mistakes,
    tables,
    columnsFor: (perRow) => knownColumns(read, records, perRow),
  }
  const body = compileBody(bodyNode, shape, { field: '', perRow: false, needed: true }, leaves)
  const grouping = records ?? groupingOf(group, root, leaves)
  if (records !== undefined && root.entries.has('group')) {
    mistakes.add(
      keyPlace(root, 'group'),
      'the record types say already which rows belong together: leave `group` out',
    )
  }
  if (file === undefined || body === undefined || grouping === undefined || mistakes.count() > 0)
    return undefined
  const plan = { operation: operation.name, read: readOptions(read, body, grouping), grouping, body }
  return { translator: createTranslator(plan), examples: file.examples ?? [] }
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

/** Which record type opens a record and which holds its rows; undefined for a plain table. */
function recordsOf(
  read: ReadFrame,
  root: MapNode,
  mistakes: Mistakes,
): Extract<Grouping, { kind: 'records' }> | undefined {
  if (read.records === undefined) return undefined
  const readNode = root.entries.get('read')?.node
  const node = readNode?.kind === 'map' ? (readNode.entries.get('records')?.node ?? readNode) : root
  if (read.columns !== undefined) mistakes.add(node, '`columns` and `records` exclude each other')
  const typesAs = (as: 'header' | 'detail') =>
    Object.entries(read.records ?? {}).flatMap(([type, record]) => (record.as === as ? [type] : []))
  const [header, secondHeader] = typesAs('header')
  const [detail, secondDetail] = typesAs('detail')
  if (
    header === undefined ||
    detail === undefined ||
    secondHeader !== undefined ||
    secondDetail !== undefined
  ) {
    mistakes.add(node, 'name exactly one record type `as: header` and one `as: detail`')
  }
  return { kind: 'records', header: header ?? '', detail: detail ?? '' }
}

function knownColumns(
  { columns, records }: ReadFrame,
  grouping: Extract<Grouping, { kind: 'records' }> | undefined,
  perRow: boolean,
): readonly string[] | undefined {
  if (grouping === undefined) return columns
  const header = records?.[grouping.header]?.columns ?? []
  return perRow ? [...(records?.[grouping.detail]?.columns ?? []), ...header] : header
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
  return { kind: 'keys', keys, blankContinues: isLong && group.blank === 'continues' }
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

/** What the format has to know; a header line must hold at least one name that the mapping uses. */
function readOptions(read: ReadFrame, body: ObjectPlan, grouping: Grouping): ReadOptions {
  const { format, encoding, delimiter, quote, columns, records } = read
  const groupNames = grouping.kind === 'keys' ? grouping.keys.flat(2) : []
  const names = [...groupNames, ...leavesOf(body).flatMap((leaf) => leaf.alternatives.flat())]
  const hasHeaderLine = columns === undefined && records === undefined
  return {
    format,
    ...(encoding === undefined ? {} : { encoding }),
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(quote === undefined ? {} : { quote }),
    ...(columns === undefined ? {} : { columns }),
    ...(records === undefined
      ? {}
      : { records: Object.entries(records).map(([type, record]) => ({ type, columns: record.columns })) }),
    ...(hasHeaderLine ? { expectColumns: [...new Set(names)] } : {}),
  }
}

/** The operations whose names are near, for a mistake about an unknown one. */
export function unknownOperation(name: string, known: readonly string[]): string {
  return `there is no operation "${name}".${didYouMean(name, known) || ` There are ${known.join(', ')}.`}`
}
