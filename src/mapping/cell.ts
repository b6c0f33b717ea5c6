/** Compiles one column of an export: the value it shows and how it is written. */
import type { ProblemCode } from '../domain/problem.ts'
import { checkPart } from './check.ts'
import { compileDates } from './leaf-dates.ts'
import { ColumnLeaf } from './options.ts'
import { followPath, pathReader } from './paths.ts'
import type { ObjectShape, Shape } from './shape.ts'
import type { MapNode, Mistakes, SourceNode } from './source.ts'
import { findTable, missMessage, type Table, tableKey, type Tables } from './tables.ts'
import { instantOf, readTime, type DateOptions } from './values/dates.ts'
import { quoted } from './values/text.ts'
import { UTC } from './values/zone.ts'

export interface CellPlan {
  readonly name: string
  /** The path of the API field; empty for a constant. */
  readonly field: string
  /** Whether the value is the item's, not the record's. */
  readonly perItem: boolean
  read(value: unknown): unknown
  /** The text of the cell for a value that is there. */
  write(value: unknown, refuse: RefuseCell): string
  /** The constant, or the text for a value that is not there. */
  readonly fallback: string
}

export type RefuseCell = (code: ProblemCode, message: string) => string

export interface CellContext {
  readonly mistakes: Mistakes
  readonly tables: Tables
  readonly record: Shape
  /** The list that makes a row per item, and the shape of an item. */
  readonly each: string | undefined
  readonly item: ObjectShape | undefined
}

/** The plan of the column, or undefined after its mistakes were noted. */
export function compileCell(name: string, node: SourceNode, context: CellContext): CellPlan | undefined {
  const { mistakes } = context
  const before = mistakes.count()
  const options = optionsOf(node, mistakes)
  if (options === undefined) return undefined
  const fallback = textAt(node, 'const') ?? textAt(node, 'default') ?? ''
  if (options.from === undefined) {
    return { name, field: '', perItem: false, read: () => undefined, write: () => '', fallback }
  }
  const { each, item, record } = context
  const perItem = each !== undefined && item !== undefined && options.from.startsWith(`${each}.`)
  const path = perItem ? options.from.slice(each.length + 1) : options.from
  const place = placeOf(node, 'from')
  const followed = followPath(perItem ? item : record, path)
  if ('mistake' in followed) mistakes.add(place, followed.mistake)
  const write = 'found' in followed ? compileWrite(node, options, followed.found, context) : undefined
  if (write === undefined || mistakes.count() > before) return undefined
  return { name, field: options.from, perItem, read: pathReader(path), write, fallback }
}

function optionsOf(node: SourceNode, mistakes: Mistakes): ColumnLeaf | undefined {
  if (node.kind === 'text' && typeof node.value === 'string' && node.value !== '') return { from: node.value }
  if (node.kind !== 'map') {
    mistakes.add(node, 'write the path of an API field, or options such as { from: … }')
    return undefined
  }
  const options = checkPart(ColumnLeaf, node, mistakes)
  if (options === undefined) return undefined
  const before = mistakes.count()
  if ((options.from === undefined) === (options.const === undefined)) {
    mistakes.add(node, 'say where the value comes from with exactly one of `from` and `const`')
  } else if (options.const !== undefined && node.entries.size > 1) {
    mistakes.add(node, 'a constant takes no other options')
  }
  if (options.pick !== undefined && options.table === undefined) {
    mistakes.add(placeOf(node, 'pick'), '`pick` needs a `table`')
  }
  return mistakes.count() === before ? options : undefined
}

function compileWrite(
  node: SourceNode,
  options: ColumnLeaf,
  shape: Shape,
  { mistakes, tables }: CellContext,
): CellPlan['write'] | undefined {
  const place = placeOf(node, 'from')
  const isList = shape.kind === 'list' && shape.item.kind === 'field'
  if (shape.kind === 'object') {
    mistakes.add(place, `this is an object; name one of its fields: ${[...shape.fields.keys()].join(', ')}`)
  } else if (shape.kind === 'list' && !isList) {
    mistakes.add(place, 'this is a list: name it under `each` to have a row for each of its items')
  }
  const kind = shape.kind === 'field' ? shape.rule?.kind : undefined
  const isDate = kind === 'dateTime' || kind === 'date'
  if (options.format !== undefined && !isDate) mistakes.add(placeOf(node, 'format'), '`format` is for dates')
  if (options.zone !== undefined && (kind !== 'dateTime' || options.format === undefined)) {
    mistakes.add(placeOf(node, 'zone'), '`zone` is for dates with times, together with `format`')
  }
  if (options.join !== undefined && !isList)
    mistakes.add(placeOf(node, 'join'), '`join` is for lists of texts')
  const separator = options.join ?? '\n'
  const print = (value: unknown) => printed(value, separator)
  if (options.format !== undefined) return dateWriter(compileDates(node, options, mistakes, 'write'))
  if (options.table === undefined) return print
  const found = findTable(tables, { table: options.table, pick: options.pick }, (option, message) =>
    mistakes.add(placeOf(node, option), message),
  )
  return found && lookupWriter(found.table, found.column, print)
}

function lookupWriter(table: Table, column: string, print: (value: unknown) => string): CellPlan['write'] {
  return (value, refuse) => {
    const text = print(value)
    const row = table.rows.get(tableKey(text))
    return row === undefined ? refuse('lookup-missed', missMessage(table, text)) : (row[column] ?? '')
  }
}

function dateWriter({ formats, zone }: DateOptions): CellPlan['write'] | undefined {
  const [format] = formats
  if (format === undefined) return undefined
  return (value, refuse) => {
    const text = printed(value, '')
    const written = readTime(text, { formats: [], names: [], zone: UTC })
    const instant = written && instantOf(written, UTC)
    if (instant === undefined)
      return refuse('date-expected', `${quoted(text)} is not a date as the API writes it.`)
    const localMs = zone.toLocal(instant)
    return format.write(localMs, localMs - instant)
  }
}

function printed(value: unknown, separator: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return value.map((item) => printed(item, separator)).join(separator)
  return value === null || value === undefined ? '' : JSON.stringify(value)
}

function textAt(node: SourceNode, option: string): string | undefined {
  const written = node.kind === 'map' ? (node as MapNode).entries.get(option)?.node : undefined
  return written?.kind === 'text' ? written.text : undefined
}

function placeOf(node: SourceNode, option: string): SourceNode {
  return node.kind === 'map' ? (node.entries.get(option)?.node ?? node) : node
}
