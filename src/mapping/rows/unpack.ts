/** Unpacks rows that hold several lines of a record: every line becomes a row of its own, at the same place in the file. */
import type { Layout, Row } from '../../domain/document.ts'
import { problem } from '../../domain/problem.ts'
import type { Columns, MissingColumn, NumberedRow } from './columns.ts'
import { type Gathered, MAX_RECORD_ROWS, tooLarge } from './gather.ts'
import { NUMBER_MARK, numberIn, type PackedLines } from './lines.ts'
import { separated } from '../values/separated.ts'
import { textOf } from '../values/text.ts'

/** The rows that a row stands for. */
export type Unpack = (row: Row) => readonly Row[]

/** How the rows of one layout are unpacked. */
export interface Unpacking {
  readonly layout: number
  readonly rows: Unpack
}

/** The record with its rows unpacked, if those are not too many. */
export function unpackRecord({ rows, problems }: Gathered, { layout, rows: unpack }: Unpacking): Gathered {
  const lines: Row[] = []
  for (const row of rows) {
    for (const line of row.layout === layout ? unpack(row) : [row]) lines.push(line)
    if (lines.length > MAX_RECORD_ROWS) return { rows, problems: [...problems, tooLarge(rows[0])] }
  }
  return { rows: lines, problems }
}

/** The layout with a column for each kind of numbered column, after its own. */
export function unpackedLayout(layout: Layout, { columns, split }: PackedLines): Layout {
  return split === undefined ? { ...layout, columns: [...layout.columns, ...columns] } : layout
}

export interface UnpackContext {
  readonly found: Columns
  readonly missing: MissingColumn[]
  /** Texts that mean blank: a line of which every cell is blank is none. */
  readonly blanks: ReadonlySet<string>
}

/** Binds the columns that hold several lines to their positions; at least one of them must be in the file. */
export function bindUnpack(
  packed: PackedLines,
  layout: Layout,
  { found, missing, blanks }: UnpackContext,
): Unpack {
  const { columns, split, escape } = packed
  const noteMissing = () => missing.push({ names: columns, field: 'lines', columns: found })
  if (split === undefined) {
    const numbered = numberedPositions(columns, layout)
    if (numbered.positions.length === 0) noteMissing()
    return unpackNumbered(numbered, layout, { patterns: columns, blanks })
  }
  const positions = columns.flatMap((name) => found.find([name]) ?? []).map(({ position }) => position)
  if (positions.length === 0) noteMissing()
  return unpackLists(positions, (cell) => listIn(cell, split, escape), layout)
}

/** The names of the columns that hold the numbered lines. */
export function numberedColumns(columns: readonly string[], layout: Layout): Set<string> {
  return new Set(
    layout.columns.filter((name) => columns.some((pattern) => numberIn(name, pattern) !== undefined)),
  )
}

interface NumberedPositions {
  /** The numbers that stand in names, ascending. */
  readonly numbers: readonly number[]
  /** For each of them the position of each kind of column; -1 where the file has none. */
  readonly positions: readonly (readonly number[])[]
}

function numberedPositions(patterns: readonly string[], layout: Layout): NumberedPositions {
  const byNumber = new Map<number, number[]>()
  for (const [kind, pattern] of patterns.entries()) {
    for (const [position, name] of layout.columns.entries()) {
      const number = numberIn(name, pattern)
      if (number === undefined) continue
      const found = byNumber.get(number) ?? patterns.map(() => -1)
      found[kind] = position
      byNumber.set(number, found)
    }
  }
  const sorted = [...byNumber].toSorted(([a], [b]) => a - b)
  return { numbers: sorted.map(([number]) => number), positions: sorted.map(([, positions]) => positions) }
}

function unpackNumbered(
  { numbers, positions }: NumberedPositions,
  layout: Layout,
  { patterns, blanks }: { readonly patterns: readonly string[]; readonly blanks: ReadonlySet<string> },
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
      if (cells.every((cell) => textOf(cell, blanks) === '')) return []
      return [{ ...row, values: [...values, ...cells], numbered: { from, names } }]
    })
    return lines.length === 0 ? [row] : lines
  }
}

function unpackLists(
  positions: readonly number[],
  toItems: (cell: string) => readonly string[],
  layout: Layout,
): Unpack {
  return (row) => {
    if (row.problems !== undefined) return [row]
    const lists = positions
      .map((position) => ({ position, items: toItems(row.values[position] ?? '') }))
      .filter(({ items }) => items.some((item) => item !== ''))
    const longest = lists.toSorted((a, b) => linesIn(b.items) - linesIn(a.items))[0]
    if (longest === undefined) return [row]
    const count = linesIn(longest.items)
    const uneven = lists.find(({ items }) => items.length < count)
    if (uneven !== undefined) {
      const name = (position: number) => layout.columns[position]?.trim() ?? String(position + 1)
      const message = `"${name(longest.position)}" holds ${count} lines, but "${name(uneven.position)}" only ${uneven.items.length}.`
      const place = { line: row.line, column: name(uneven.position) }
      return [{ ...row, problems: [problem('lines-uneven', place, message)] }]
    }
    return Array.from({ length: count }, (_, index) => {
      const values = [...row.values]
      for (const { position, items } of lists) values[position] = items[index] ?? ''
      return { ...row, values }
    })
  }
}

function listIn(cell: string, separator: string, escape: string | undefined): string[] {
  return separated(cell, separator, escape)
    .slice(0, MAX_RECORD_ROWS + 1)
    .map((item) => item.trim())
}

/** How many lines a list holds; blank items at its end may come from a separator too many. */
function linesIn(items: readonly string[]): number {
  return items.findLastIndex((item) => item !== '') + 1
}
