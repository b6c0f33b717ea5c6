/** Compiles one column of an export: the value it shows and how it is written. */
import { compileCellCondition } from './cell-condition.ts'
import { checkTexts } from './characters.ts'
import { ColumnLeaf } from './column-options.ts'
import { NUMBER_OPTIONS } from './cell-number.ts'
import {
  type Part,
  partsOf,
  partText,
  type ReadText,
  type RowScope,
  totalOf,
  totalText,
} from './cell-source.ts'
import { finishFor } from './cell-text.ts'
import { datesOf, lookupFor, mayBeNumber, printerFor } from './cell-value.ts'
import { checkPart } from '../source/check.ts'
import type { MapNode, Mistakes, SourceNode } from '../source/source.ts'
import type { Tables } from '../tables.ts'
import { escapeMistake } from '../values/separated.ts'
import type { Paper } from './paper.ts'

export interface CellPlan {
  readonly name: string
  /** The name as it stands in the header line. */
  readonly title: string
  /** The path of the API field; empty for a constant. */
  readonly field: string
  /** Whether the value is the item's, not the record's. */
  readonly perItem: boolean
  /** What stands in the cell. */
  readonly text: ReadText
}

export interface CellContext extends RowScope {
  readonly mistakes: Mistakes
  readonly tables: Tables
  readonly paper: Paper
}

/** The plan of the column, or undefined after its mistakes were noted. */
export function compileCell(name: string, node: SourceNode, context: CellContext): CellPlan | undefined {
  const { mistakes } = context
  const before = mistakes.count()
  const options = optionsOf(node, mistakes)
  if (options === undefined) return undefined
  const isTotal = options.sum !== undefined || options.count !== undefined
  const parts = isTotal ? [] : partsOf(node, options, context, mistakes)
  const value = isTotal ? compileTotal(node, options, context) : compileValue(node, options, parts, context)
  const [first] = parts
  const isNumber = isTotal || (first?.kind !== 'text' && first?.kind !== undefined && mayBeNumber(first.kind))
  const holds = compileCellCondition(node, context, mistakes)
  const { text, title, blank } = finished({ node, name, value, isNumber }, options, context)
  if (mistakes.count() > before) return undefined
  const field = first?.path ?? options.sum ?? options.count ?? ''
  const column = { name, title, field, perItem: first?.perItem ?? false }
  if (holds === undefined) return { ...column, text }
  return {
    ...column,
    text: (record, item, refuse) => (holds(record, item) ? text(record, item, refuse) : blank),
  }
}

/** Those that say where the value comes from. */
const SOURCES = ['from', 'firstOf', 'all', 'sum', 'count', 'const', 'kept'] as const

function optionsOf(node: SourceNode, mistakes: Mistakes): ColumnLeaf | undefined {
  if (node.kind === 'text' && typeof node.value === 'string' && node.value !== '') return { from: node.value }
  if (node.kind !== 'map') {
    mistakes.add(node, 'write the path of an API field, or options such as { from: … }')
    return undefined
  }
  const options = checkPart(ColumnLeaf, node, mistakes)
  if (options === undefined) return undefined
  const before = mistakes.count()
  const note = (option: string, message: string) => mistakes.add(placeOf(node, option), message)
  if (SOURCES.filter((source) => options[source] !== undefined).length !== 1) {
    mistakes.add(node, `say where the value comes from with exactly one of ${inWords(SOURCES)}`)
  } else {
    checkSource(node, options, note)
  }
  const { table, pick, reverse, miss, implied, decimal, zeros } = options
  for (const [option, given] of Object.entries({ pick, reverse, miss })) {
    if (given !== undefined && table === undefined) note(option, `\`${option}\` needs a \`table\``)
  }
  if (pick !== undefined && reverse !== undefined) note('reverse', '`pick` and `reverse` exclude each other')
  if (implied !== undefined && (decimal ?? zeros) !== undefined) {
    note(
      'implied',
      'with `implied` no point is written, so there is no `decimal` and there are no `zeros` to cut',
    )
  }
  const { join, escape } = options
  const wrong = escape !== undefined && join !== undefined ? escapeMistake(escape, join) : undefined
  if (escape !== undefined && !join) note('escape', '`escape` needs `join`')
  if (wrong !== undefined) note('escape', wrong)
  if (options.long !== undefined && options.width === undefined) note('long', '`long: cut` needs a `width`')
  return mistakes.count() === before ? options : undefined
}

/** A constant and a total take fewer options than a value. */
function checkSource(
  node: MapNode,
  options: ColumnLeaf,
  note: (option: string, message: string) => void,
): void {
  const others = [...node.entries.keys()]
  if (options.const !== undefined) {
    const fit: readonly string[] = ['const', 'when', 'width', 'align']
    if (others.some((key) => !fit.includes(key))) {
      note('', 'a constant takes no other options')
    }
  } else if (options.sum !== undefined || options.count !== undefined) {
    const fit: readonly string[] = ['sum', 'count', 'when', 'pad', 'width', 'align', ...NUMBER_OPTIONS]
    const unfit = others.find((key) => !fit.includes(key))
    if (unfit !== undefined) note(unfit, `a sum or a count takes no \`${unfit}\``)
  }
  if (options.with !== undefined && options.all === undefined) note('with', '`with` is for `all`')
}

function compileTotal(node: SourceNode, options: ColumnLeaf, context: CellContext): ReadText | undefined {
  const total = totalOf(options, context.record, (option, message) =>
    context.mistakes.add(placeOf(node, option), message),
  )
  return total && totalText(total, options)
}

function compileValue(
  node: SourceNode,
  options: ColumnLeaf,
  parts: readonly Part[],
  context: CellContext,
): ReadText | undefined {
  const { mistakes } = context
  if (parts.length > 0) checkKinds(node, options, parts, mistakes)
  const dates = datesOf(node, options, mistakes)
  const lookup =
    options.table === undefined || node.kind !== 'map' ? undefined : lookupFor(node, options, context)
  const { isFixed, isUnquoted } = context.paper
  const separator = options.join ?? (isFixed || isUnquoted ? ' ' : '\n')
  // A table is asked for what `all` puts together, not for its parts.
  const perPart = options.all === undefined ? lookup : undefined
  const texts = parts.map((part) =>
    partText(
      part,
      { print: printerFor(part.kind, options, dates), lookup: perPart },
      { separator, escape: options.escape },
    ),
  )
  const [first] = texts
  if (options.all === undefined) return texts.length > 1 ? firstFilled(texts) : first
  const { with: between = lookup === undefined ? ' ' : ' | ' } = options
  return (record, item, refuse) => {
    const filled = texts.map((read) => read(record, item, refuse)).filter((text) => text !== '')
    const text = filled.join(between)
    return lookup === undefined || text === '' ? text : lookup(text, refuse)
  }
}

function firstFilled(texts: readonly ReadText[]): ReadText {
  return (record, item, refuse) => {
    for (const read of texts) {
      const text = read(record, item, refuse)
      if (text !== '') return text
    }
    return ''
  }
}

/** Options for dates, booleans, numbers and lists, where the column has none. */
function checkKinds(node: SourceNode, options: ColumnLeaf, parts: readonly Part[], mistakes: Mistakes): void {
  const note = (option: string, message: string) => mistakes.add(placeOf(node, option), message)
  const some = (...kinds: readonly Part['kind'][]) => parts.some(({ kind }) => kinds.includes(kind))
  if (options.format !== undefined && !some('dateTime', 'date')) note('format', '`format` is for dates')
  if (options.zone !== undefined && (!some('dateTime') || options.format === undefined)) {
    note('zone', '`zone` is for dates with times, together with `format`')
  }
  if (options.join !== undefined && parts.every(({ list }) => list === 'none')) {
    note('join', '`join` is for lists of texts')
  }
  for (const option of ['yes', 'no'] as const) {
    if (options[option] !== undefined && !some('boolean')) note(option, `\`${option}\` is for true and false`)
  }
  for (const option of NUMBER_OPTIONS) {
    if (options[option] !== undefined && !parts.some(({ kind }) => mayBeNumber(kind))) {
      note(option, `\`${option}\` is for numbers`)
    }
  }
}

interface Unfinished {
  readonly node: SourceNode
  readonly name: string
  readonly value: ReadText | undefined
  readonly isNumber: boolean
}

/** The text of the column with all that is done to it; a constant or default is finished here, once. */
function finished(
  { node, name, value, isNumber }: Unfinished,
  options: ColumnLeaf,
  { paper, mistakes }: CellContext,
): Pick<CellPlan, 'text' | 'title'> & { readonly blank: string } {
  if (paper.isFixed && options.width === undefined) {
    mistakes.add(node, 'a column of a fixed-width file needs a `width`')
  }
  if (!paper.isFixed && options.align !== undefined) {
    mistakes.add(placeOf(node, 'align'), '`align` is for fixed-width files')
  }
  checkTexts(node, options, paper, mistakes)
  const { shape, layout } = finishFor({ ...options, isNumber }, paper)
  const option = options.const === undefined ? 'default' : 'const'
  const noted = (at: string) => (_code: unknown, message: string) => {
    mistakes.add(placeOf(node, at), message)
    return ''
  }
  const fitted = (text: string, at: string) => paper.fit?.(text, noted(at)) ?? text
  const laid = (text: string, at: string) => layout?.(fitted(text, at), noted(at)) ?? fitted(text, at)
  const title = paper.hasHeader ? (paper.isFixed ? laid : fitted)(name, '') : name
  const told = textAt(node, option)
  const blank = laid('', '')
  const fallback = told === undefined ? blank : laid(told, option)
  if (value === undefined) return { title, blank, text: () => fallback }
  const text: ReadText = (record, item, refuse) => {
    const written = value(record, item, refuse)
    if (written === '') return fallback
    const shaped = shape === undefined ? written : shape(written, refuse)
    return layout === undefined ? shaped : layout(shaped, refuse)
  }
  return { title, blank, text }
}

function textAt(node: SourceNode, option: string): string | undefined {
  const written = node.kind === 'map' ? node.entries.get(option)?.node : undefined
  return written?.kind === 'text' ? written.text : undefined
}

function placeOf(node: SourceNode, option: string): SourceNode {
  return node.kind === 'map' ? (node.entries.get(option)?.node ?? node) : node
}

function inWords(options: readonly string[]): string {
  const quoted = options.map((option) => `\`${option}\``)
  return `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1) ?? ''}`
}
