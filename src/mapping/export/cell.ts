/** Compiles one column of an export: the value it shows and how it is written. */
import { compileCellCondition } from './cell-condition.ts'
import { checkTexts } from './characters.ts'
import { checkKinds, optionsOf, placeOf } from './column-checks.ts'
import type { ColumnLeaf } from './column-options.ts'
import { compileFlag, countFlag } from './cell-flag.ts'
import { lookupFor } from './cell-lookup.ts'
import { hasNumberForm } from './cell-number.ts'
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
import { datesOf, mayBeNumber, printerFor } from './cell-value.ts'
import type { Mistakes, SourceNode } from '../source/source.ts'
import type { Tables } from '../tables.ts'
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
  const parts = valueParts(node, options, context)
  const { value, isNumber, ...source } = sourceOf(node, options, { parts, context })
  const holds = compileCellCondition(node, context, mistakes)
  const { text, title, blank } = finished({ node, name, value, isNumber }, options, context)
  if (mistakes.count() > before) return undefined
  const column = { name, title, ...source }
  if (holds === undefined) return { ...column, text }
  return {
    ...column,
    text: (record, item, refuse) => (holds(record, item) ? text(record, item, refuse) : blank),
  }
}

/** The paths of a column that shows values; none where it shows a total, a flag or a constant. */
function valueParts(node: SourceNode, options: ColumnLeaf, context: CellContext): readonly Part[] {
  const isValue = (options.sum ?? options.count ?? options.filled ?? options.const) === undefined
  return isValue ? partsOf(node, options, context, context.mistakes) : []
}

interface Source extends Pick<CellPlan, 'field' | 'perItem'> {
  readonly value: ReadText | undefined
  readonly isNumber: boolean
}

function sourceOf(
  node: SourceNode,
  options: ColumnLeaf,
  { parts, context }: { readonly parts: readonly Part[]; readonly context: CellContext },
): Source {
  const { sum, count, filled } = options
  const note = (option: string, message: string) => context.mistakes.add(placeOf(node, option), message)
  if (filled !== undefined) {
    const flag = compileFlag(filled, options, context)
    if (typeof flag === 'string') note('filled', flag)
    if (typeof flag === 'string') return { field: '', perItem: false, value: undefined, isNumber: false }
    return { field: flag.path, perItem: flag.perItem, value: flag.text, isNumber: false }
  }
  if (sum !== undefined || count !== undefined) {
    const total = totalOf(options, context.record, note)
    const isFlag = (options.yes ?? options.no) !== undefined
    const value = total && (isFlag ? countFlag(total, options) : totalText(total, options))
    return { field: sum ?? count ?? '', perItem: false, value, isNumber: !isFlag }
  }
  const [first] = parts
  const isNumber =
    options.table !== undefined && hasNumberForm(options)
      ? true
      : first?.kind !== 'text' && first?.kind !== undefined && mayBeNumber(first.kind)
  const value = compileValue(node, options, parts, context)
  return { field: first?.path ?? '', perItem: first?.perItem ?? false, value, isNumber }
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

const REQUIRED_CURE = 'Fill the value in at the API, or give the column a `default` in the mapping.'

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
    if (options.required && written.trim() === '') {
      return refuse('value-missing', `column "${name}" is blank`, REQUIRED_CURE)
    }
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
