/** What a column shows before its text is finished: values printed, put together and looked up, a total or a flag. */
import { compileFlag, countFlag } from './cell-flag.ts'
import { type Lookup, lookupFor } from './cell-lookup.ts'
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
import { datesOf, mayBeNumber, printerFor } from './cell-value.ts'
import { checkKinds, placeOf } from './column-checks.ts'
import type { ColumnLeaf } from './column-options.ts'
import type { Mistakes, SourceNode } from '../source/source.ts'
import type { Tables } from '../tables.ts'
import type { Paper } from './paper.ts'

export interface CellContext extends RowScope {
  readonly mistakes: Mistakes
  readonly tables: Tables
  readonly paper: Paper
}

/** What a column has after a step, for the tools that show how it comes to its text. */
export interface CellStep {
  readonly does: string
  readonly read: ReadText
}

/** A value as the API shows it, by its path as written. */
export interface CellValue {
  readonly path: string
  readonly read: (record: unknown, item: unknown) => unknown
}

export interface CellReading {
  /** The path of the API field; empty for a constant. */
  readonly field: string
  /** Whether the value is the item's, not the record's. */
  readonly perItem: boolean
  /** Undefined for a constant, and after its mistakes were noted. */
  readonly value: ReadText | undefined
  readonly isNumber: boolean
  readonly values: readonly CellValue[]
  /** The last is the value. */
  readonly steps: readonly CellStep[]
}

/** The reading of a column whose options go together; what is wrong with its paths and tables is noted. */
export function compileReading(node: SourceNode, options: ColumnLeaf, context: CellContext): CellReading {
  const { sum, count, filled } = options
  const note = (option: string, message: string) => context.mistakes.add(placeOf(node, option), message)
  if (filled !== undefined) {
    const flag = compileFlag(filled, options, context)
    if (typeof flag !== 'string') return { ...flag, ...single(flag.text, 'filled'), isNumber: false }
    note('filled', flag)
    return { field: filled, perItem: false, ...single(undefined, 'filled'), isNumber: false }
  }
  if (sum !== undefined || count !== undefined) {
    const total = totalOf(options, context.record, note)
    const isFlag = (options.yes ?? options.no) !== undefined
    const value = total && (isFlag ? countFlag(total, options) : totalText(total, options))
    const told = single(value, sum === undefined ? 'count' : 'sum')
    return { field: sum ?? count ?? '', perItem: false, ...told, isNumber: !isFlag }
  }
  const parts = options.const === undefined ? partsOf(node, options, context, context.mistakes) : []
  const [first] = parts
  const isTableNumber = options.table !== undefined && hasNumberForm(options)
  const isNumber =
    isTableNumber || (first?.kind !== 'text' && first?.kind !== undefined && mayBeNumber(first.kind))
  const read = compileValue(node, options, parts, context)
  return { field: first?.path ?? '', perItem: first?.perItem ?? false, isNumber, values: parts, ...read }
}

function single(value: ReadText | undefined, does: string): Pick<CellReading, 'value' | 'values' | 'steps'> {
  return { value, values: [], steps: value === undefined ? [] : [{ does, read: value }] }
}

function compileValue(
  node: SourceNode,
  options: ColumnLeaf,
  parts: readonly Part[],
  context: CellContext,
): Pick<CellReading, 'value' | 'steps'> {
  const { mistakes } = context
  if (parts.length > 0) checkKinds(node, options, parts, mistakes)
  const dates = datesOf(node, options, mistakes)
  const lookup =
    options.table === undefined || node.kind !== 'map' ? undefined : lookupFor(node, options, context)
  const { isFixed, isUnquoted } = context.paper
  const separator = options.join ?? (isFixed || isUnquoted ? ' ' : '\n')
  const { with: between = lookup === undefined ? ' ' : ' | ' } = options
  const readWith = (asked: typeof lookup): ReadText | undefined => {
    // A table is asked for what `all` puts together, not for its parts.
    const perPart = options.all === undefined ? asked : undefined
    const texts = parts.map((part) =>
      partText(
        part,
        { print: printerFor(part.kind, options, dates), lookup: perPart },
        { separator, escape: options.escape },
      ),
    )
    if (options.all !== undefined) return putTogether(texts, between, asked)
    return texts.length > 1 ? firstFilled(texts) : texts[0]
  }
  const value = readWith(lookup)
  const printed = lookup === undefined ? value : readWith(undefined)
  if (value === undefined || printed === undefined) return { value, steps: [] }
  const looked = lookup === undefined ? [] : [{ does: `table ${options.table ?? ''}`, read: value }]
  return { value, steps: [{ does: 'written', read: printed }, ...looked] }
}

function putTogether(texts: readonly ReadText[], between: string, lookup: Lookup | undefined): ReadText {
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
