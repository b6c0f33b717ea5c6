/** Compiles one leaf of a body: where its text comes from and how it becomes the value of its field. */
import type { FieldRule } from '../contract/fields.ts'
import { didYouMean } from '../support/nearest.ts'
import { checkPart } from './check.ts'
import { foldedName } from './columns.ts'
import { BodyLeaf } from './options.ts'
import type { Alternatives, LeafPlan } from './plan.ts'
import { describeRule } from './shape.ts'
import { type MapNode, type Mistakes, type SourceNode, toPlain } from './source.ts'
import { findTable, type Tables } from './tables.ts'
import { compileDates } from './leaf-dates.ts'
import { convertNow, listConverter, lookupConverter } from './leaf-values.ts'
import { converterFor } from './values/convert.ts'
import type { Convert } from './values/value.ts'

export interface LeafContext {
  readonly mistakes: Mistakes
  readonly tables: Tables
  /** The columns a leaf may name, where the mapping itself says which there are. */
  readonly columnsFor: (perRow: boolean) => readonly string[] | undefined
}

export interface LeafTarget {
  readonly field: string
  readonly perRow: boolean
  readonly rule: FieldRule
  /** Whether the field is a list of such values. */
  readonly list: boolean
  readonly required: boolean
  /** Whether no body can be without the field. */
  readonly needed: boolean
}

/** A purchase order number, when it stands for an order. */
const ORDER_NAME: FieldRule = { kind: 'text', max: 32 }

/** The plan of the leaf, or undefined after its mistakes were noted. */
export function compileLeaf(
  node: SourceNode,
  target: LeafTarget,
  context: LeafContext,
): LeafPlan | undefined {
  const before = context.mistakes.count()
  const options = optionsOf(node, target, context.mistakes)
  if (options === undefined) return undefined
  const alternatives = alternativesOf(options)
  checkColumns(node, alternatives, target.perRow, context)
  const convert = compileConvert(node, options, target, context)
  const fallback = node.kind === 'map' ? compileFallback(node, target, context.mistakes) : undefined
  if (context.mistakes.count() > before || convert === undefined) return undefined
  const isReference = options.find === 'order'
  return {
    kind: 'leaf',
    field: target.field,
    perRow: target.perRow,
    alternatives,
    blanks: new Set((options.blanks ?? []).map((blank) => blank.trim().toLowerCase())),
    ...(fallback === undefined ? {} : { fallback }),
    convert,
    required: target.required,
    columnRequired: target.needed && fallback === undefined,
    ...(isReference ? { reference: 'order' as const } : {}),
  }
}

/** The leaf in its long form; a name or a list of names is `from`. */
function optionsOf(node: SourceNode, target: LeafTarget, mistakes: Mistakes): BodyLeaf | undefined {
  if (node.kind === 'map') {
    const options = checkPart(BodyLeaf, node, mistakes)
    return options !== undefined && checkOptions(node, options, target, mistakes) ? options : undefined
  }
  const names = toPlain(node)
  if (typeof names === 'string' && names.trim() !== '') return { from: names }
  if (
    Array.isArray(names) &&
    names.length > 0 &&
    names.every((name) => typeof name === 'string' && name !== '')
  ) {
    return { from: names }
  }
  const written = node.kind === 'text' && node.text !== '' ? `"${node.text}"` : 'this'
  mistakes.add(
    node,
    typeof names === 'number' || typeof names === 'boolean'
      ? `${written} is no column name: put a name in quotes, or write { const: ${names} }`
      : `${written} names no column: write a column name, a list of names, or options such as { from: … }`,
  )
  return undefined
}

function checkOptions(node: MapNode, options: BodyLeaf, target: LeafTarget, mistakes: Mistakes): boolean {
  const before = mistakes.count()
  const note = (name: string, message: string) => mistakes.add(node.entries.get(name)?.node ?? node, message)
  const sources = ['from', 'firstOf', 'const'].filter((name) => node.entries.has(name))
  if (sources.length !== 1) {
    mistakes.add(node, 'say where the value comes from with exactly one of `from`, `firstOf` and `const`')
  }
  const others = [...node.entries.keys()].filter((name) => name !== 'const')
  if (options.const !== undefined && sources.length === 1 && others.length > 0) {
    note(others[0] ?? '', 'a constant takes no other options')
  }
  if (options.pick !== undefined && options.table === undefined) note('pick', '`pick` needs a `table`')
  const { kind } = target.rule
  const isDate = kind === 'dateTime' || kind === 'date'
  const what = target.list ? 'a list of texts' : describeRule(target.rule)
  const unfit: readonly [keyof BodyLeaf, boolean, string][] = [
    ['format', isDate, 'dates'],
    ['zone', kind === 'dateTime', 'dates with times'],
    ['split', target.list, 'lists of texts'],
    ['wrap', target.list, 'lists of texts'],
    ['find', isOrder(target.rule), 'the id of an order'],
  ]
  for (const [name, fits, use] of unfit) {
    if (options[name] !== undefined && !fits) note(name, `\`${name}\` is for ${use}; this field is ${what}`)
  }
  if (options.find !== undefined && options.default !== undefined)
    note('default', '`find` takes no `default`')
  const max = target.rule.kind === 'text' ? target.rule.max : undefined
  if (options.wrap !== undefined && max !== undefined && options.wrap > max) {
    note('wrap', `the API takes at most ${max} characters here`)
  }
  return mistakes.count() === before
}

function isOrder(rule: FieldRule): boolean {
  return rule.kind === 'integer' && rule.reference === 'order'
}

function alternativesOf({ from, firstOf }: BodyLeaf): Alternatives {
  const names = (one: string | readonly string[]) => (typeof one === 'string' ? [one] : one)
  if (from !== undefined) return [names(from)]
  return (firstOf ?? []).map(names)
}

/** Where the mapping names the columns of a file without a header line, it may use no others. */
export function checkColumns(
  node: SourceNode,
  alternatives: Alternatives,
  perRow: boolean,
  { mistakes, columnsFor }: LeafContext,
): void {
  const columns = columnsFor(perRow)
  if (columns === undefined) return
  const known = new Set(columns.map(foldedName))
  for (const names of alternatives) {
    if (names.some((name) => known.has(foldedName(name)))) continue
    const [first = ''] = names
    mistakes.add(
      node,
      `\`read\` names no column "${first}" that can be used here.${didYouMean(first, columns)}`,
    )
  }
}

function compileConvert(
  node: SourceNode,
  options: BodyLeaf,
  target: LeafTarget,
  { mistakes, tables }: LeafContext,
): Convert | undefined {
  const dates = compileDates(node, options, mistakes, 'read')
  const value = converterFor(options.find === undefined ? target.rule : ORDER_NAME, dates)
  const convert = target.list ? listConverter(value, target.rule, options) : value
  if (options.table === undefined) return convert
  const place = (name: string) => (node.kind === 'map' ? (node.entries.get(name)?.node ?? node) : node)
  const found = findTable(tables, { table: options.table, pick: options.pick }, (option, message) =>
    mistakes.add(place(option), message),
  )
  return found && lookupConverter(found, convert, (message) => mistakes.add(place('table'), message))
}

/** The constant or the default, as the value it stands for. */
function compileFallback(node: MapNode, target: LeafTarget, mistakes: Mistakes): unknown {
  const written = node.entries.get('const')?.node ?? node.entries.get('default')?.node
  if (written?.kind !== 'text') return undefined
  if (written.text.trim() === '') {
    mistakes.add(written, 'an empty text is never sent: leave the option out')
    return undefined
  }
  const value = converterFor(target.rule, compileDates(node, {}, mistakes, 'read'))
  const result = convertNow(target.list ? listConverter(value, target.rule, {}) : value, written.text.trim())
  if (result.refused === undefined) return result.value
  mistakes.add(written, result.refused)
  return undefined
}
