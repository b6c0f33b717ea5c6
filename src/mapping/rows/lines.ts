/** Defines `lines`, and compiles several lines of a record in one row. */
import { z } from 'zod'
import type { Layout, Row } from '../../domain/format.ts'
import { problem } from '../../domain/problem.ts'
import { didYouMean } from '../../support/text.ts'
import { type ColumnAlternatives, listLeaves, type ObjectPlan } from '../fields/plan.ts'
import { Character, checkEntry, Text } from '../source/schema.ts'
import { type MapNode, type MappingErrors, nodeAt } from '../source/source.ts'
import { checkEscape, cleanCell, splitEscaped } from '../values/text.ts'
import type { BindContext } from '../binding/record-builder.ts'
import { foldColumnName, type NumberedRow } from './columns.ts'
import { CheckFrame, type ConditionContext, HoldFrame } from './conditions.ts'
import { TotalsFrame } from './control-totals.ts'
import { MAX_RECORD_ROWS, type RecordRows, recordTooLargeProblem } from './grouping.ts'

export const LinesFrame = z.strictObject({
  columns: z.array(Text).min(1).optional(),
  split: Text.optional(),
  escape: Character.optional(),
  same: z.enum(['add', 'refuse'], { error: 'expected `add` or `refuse`' }).optional(),
  check: z.array(CheckFrame).min(1).optional(),
  hold: z.array(HoldFrame).min(1).optional(),
  totals: TotalsFrame.optional(),
})

/** Columns that hold several lines: each a list, or one column per line with its number in the name. */
export interface PackedLines {
  readonly columns: readonly string[]
  /** What separates the lines in a cell; without it the columns are numbered. */
  readonly split: string | undefined
  /** The escape before a separator that is text, and before itself. */
  readonly escape: string | undefined
}

/** The placeholder for the number in the name of a numbered column. */
const NUMBER_MARK = '{n}'

export function compilePacked(root: MapNode, { errors, columns: known }: ConditionContext) {
  const node = nodeAt(root, 'lines')
  const frame = checkEntry(LinesFrame, root, 'lines', errors)
  if (frame === undefined) return undefined
  const { columns, split, escape } = frame
  const error = escape && (split === undefined ? '`escape` needs `split`' : checkEscape(escape, split))
  if (error !== undefined) errors.add(nodeAt(node, 'escape'), error)
  if (columns === undefined) {
    const message = '`split` needs `columns`: those whose cells hold lists'
    return split === undefined ? undefined : errors.add(nodeAt(node, 'split'), message)
  }
  for (const [index, name] of columns.entries()) {
    const wrong = checkPackedColumn(name, split, known)
    if (wrong !== undefined) errors.add(nodeAt(node, 'columns', index), wrong)
  }
  return { columns, split, escape }
}

function checkPackedColumn(name: string, split: string | undefined, known: readonly string[] | undefined) {
  const isNumbered = name.includes(NUMBER_MARK)
  if (split === undefined && !isNumbered) {
    return `"${name}" needs ${NUMBER_MARK} where its number stands, as in "SKU${NUMBER_MARK}", or name \`split\``
  }
  if (split !== undefined && isNumbered) {
    return `with \`split\` the column holds a list: leave ${NUMBER_MARK} out`
  }
  const fits = (column: string) =>
    isNumbered
      ? parseColumnNumber(column, name) !== undefined
      : foldColumnName(column) === foldColumnName(name)
  if (known === undefined || known.some(fits)) return undefined
  return `\`read\` names no column "${name}".${didYouMean(name, known)}`
}

/** Parses the 12 of `SKU 12` for the pattern `SKU {n}`. */
function parseColumnNumber(name: string, pattern: string): number | undefined {
  const [before = '', after = ''] = pattern
    .split(NUMBER_MARK)
    .map((part) => part.trim() && foldColumnName(part))
  const folded = foldColumnName(name)
  if (!folded.startsWith(before) || !folded.endsWith(after)) return undefined
  const digits = folded.slice(before.length, folded.length - after.length)
  return /^\d{1,4}$/.test(digits) ? Number(digits) : undefined
}

// Unpacks rows that hold several lines: every line becomes a row with the same place in the file.

type Unpack = (row: Row) => readonly Row[]

/** How the rows of one layout are unpacked. */
export interface Unpacking {
  readonly layout: number
  readonly unpack: Unpack
  /** Whether rows are unpacked before they are grouped, because a cell holds the keys of several records. */
  readonly isFirst: boolean
}

/** Whether a column that holds several lines is a key of the record: then each part goes into its own record. */
export function packsKey({ columns }: PackedLines, keys: readonly ColumnAlternatives[]) {
  const packed = new Set(columns.map(foldColumnName))
  return keys.some((key) => key.flat().some((name) => packed.has(foldColumnName(name))))
}

/** Notes a quantity that would be sent once for each record that a row is divided into. */
export function checkPackedKey(
  root: MapNode,
  body: ObjectPlan,
  packed: PackedLines,
  errors: MappingErrors,
): void {
  const columns = new Set(packed.columns.map(foldColumnName))
  const quantities = listLeaves(body).filter(({ field }) => field.endsWith('[].quantity'))
  const isPacked = ({ alternatives }: (typeof quantities)[number]) =>
    alternatives.every((names) => names.some((name) => columns.has(foldColumnName(name))))
  if (quantities.every(isPacked)) return
  const message =
    'a row is divided into several records, and its quantity would be sent with each: name that column too'
  errors.add(nodeAt(root, 'lines', 'columns'), message)
}

/** Unpacks the rows of a record, unless they become too many. */
export function unpackRecord(record: RecordRows, { layout, unpack }: Unpacking): RecordRows {
  const { rows, problems } = record
  const lines: Row[] = []
  for (const row of rows) {
    for (const line of row.layout === layout ? unpack(row) : [row]) lines.push(line)
    if (lines.length <= MAX_RECORD_ROWS) continue
    return { ...record, problems: [...problems, recordTooLargeProblem(rows[0])] }
  }
  return { ...record, rows: lines }
}

/** Appends one column to the layout for each kind of numbered column. */
export function extendLayout(layout: Layout, { columns, split }: PackedLines): Layout {
  return split === undefined ? { ...layout, columns: [...layout.columns, ...columns] } : layout
}

/** Binds the columns that hold several lines to their positions; at least one of them must be in the file. */
export function bindUnpack(
  packed: PackedLines,
  layout: Layout,
  { items: found, missing, blanks }: Pick<BindContext, 'items' | 'missing' | 'blanks'>,
): Unpack {
  const { columns, split, escape } = packed
  const noteMissing = () => missing.push({ names: columns, field: 'lines', columns: found })
  if (split === undefined) {
    const numbered = findNumberedPositions(columns, layout)
    if (numbered.positions.length === 0) noteMissing()
    return createNumberedUnpack(numbered, layout, columns, blanks)
  }
  const positions = columns.flatMap((name) => found.find([name]) ?? []).map(({ position }) => position)
  if (positions.length === 0) noteMissing()
  return createListUnpack(positions, (cell) => splitList(cell, split, escape), layout)
}

export function listNumberedColumns(columns: readonly string[], layout: Layout): Set<string> {
  const isNumbered = (name: string) =>
    columns.some((pattern) => parseColumnNumber(name, pattern) !== undefined)
  return new Set(layout.columns.filter(isNumbered))
}

interface NumberedPositions {
  readonly numbers: readonly number[]
  /** For each number the position of each kind of column; -1 where the file lacks it. */
  readonly positions: readonly (readonly number[])[]
}

function findNumberedPositions(patterns: readonly string[], layout: Layout): NumberedPositions {
  const byNumber = new Map<number, number[]>()
  for (const [kind, pattern] of patterns.entries()) {
    for (const [position, name] of layout.columns.entries()) {
      const number = parseColumnNumber(name, pattern)
      if (number === undefined) continue
      const found = byNumber.get(number) ?? patterns.map(() => -1)
      found[kind] = position
      byNumber.set(number, found)
    }
  }
  const sorted = [...byNumber].toSorted(([a], [b]) => a - b)
  return { numbers: sorted.map(([number]) => number), positions: sorted.map(([, positions]) => positions) }
}

function createNumberedUnpack(
  { numbers, positions }: NumberedPositions,
  layout: Layout,
  patterns: readonly string[],
  blanks: ReadonlySet<string>,
): Unpack {
  const from = layout.columns.length
  const named = positions.map((kinds, index) => ({
    kinds,
    names: kinds.map(
      (position, kind) =>
        layout.columns[position]?.trim() ??
        patterns[kind]?.replace(NUMBER_MARK, String(numbers[index] ?? '')) ??
        '',
    ),
  }))
  return (row) => {
    if (row.problems !== undefined) return [row]
    const values = row.values.slice(0, from)
    const lines = named.flatMap(({ kinds, names }): NumberedRow[] => {
      const cells = kinds.map((position) => values[position] ?? '')
      if (cells.every((cell) => cleanCell(cell, blanks) === '')) return []
      return [{ ...copyRow(row), values: [...values, ...cells], numbered: { from, names } }]
    })
    return lines.length === 0 ? [row] : lines
  }
}

function createListUnpack(
  positions: readonly number[],
  toItems: (cell: string) => readonly string[],
  layout: Layout,
): Unpack {
  return (row) => {
    if (row.problems !== undefined) return [row]
    const lists = positions
      .map((position) => ({ position, items: toItems(row.values[position] ?? '') }))
      .filter(({ items }) => items.some((item) => item !== ''))
    const longest = lists.toSorted((a, b) => countLines(b.items) - countLines(a.items))[0]
    if (longest === undefined) return [row]
    const count = countLines(longest.items)
    const uneven = lists.find(({ items }) => items.length < count)
    if (uneven !== undefined) {
      const name = (position: number) => layout.columns[position]?.trim() ?? String(position + 1)
      const message = `"${name(longest.position)}" holds ${count} lines, but "${name(uneven.position)}" only ${uneven.items.length}.`
      const place = { line: row.line, column: name(uneven.position) }
      return [{ ...copyRow(row), problems: [problem('lines-uneven', place, message)] }]
    }
    return Array.from({ length: count }, (_, index) => {
      const values = [...row.values]
      for (const { position, items } of lists) values[position] = items[index] ?? ''
      return { ...copyRow(row), values }
    })
  }
}

/** A row of an EDI file finds places by a method, which a spread leaves out. */
function copyRow(row: Row): Row {
  return row.findSpot === undefined ? { ...row } : { ...row, findSpot: (column) => row.findSpot?.(column) }
}

function splitList(cell: string, separator: string, escape: string | undefined): string[] {
  return splitEscaped(cell, separator, escape)
    .slice(0, MAX_RECORD_ROWS + 1)
    .map((item) => item.trim())
}

/** Counts the lines of a list; ignores blank items at its end, which a trailing separator makes. */
function countLines(items: readonly string[]): number {
  return items.findLastIndex((item) => item !== '') + 1
}
