/** What a row must look like: its layout and number of cells, and what is said about a row that does not. */
import type { Layout, Row } from '../../domain/document.ts'
import type { ReadOptions } from '../../domain/format.ts'
import { problem } from '../../domain/problem.ts'
import { type Kinds, type TypedRow, unknownType } from '../text/records.ts'
import { columnAt, excerpt } from '../text/words.ts'
import { type Grid, isBlank } from './grid.ts'

export interface Shape {
  readonly layouts: readonly Layout[]
  /** Whether cells of some rows belong to the row before. */
  readonly hasParts: boolean
  /** The cells of the widest row, the record type included. */
  readonly maxCells: number
  /**
   * Whether cells that go over several lines can be one row: there are as many as there should be, and the lines are
   * not rows themselves, which a quote left open has swallowed up to the next stray quote.
   */
  fitsOverLines(values: readonly string[]): boolean
  /** The same of the first cells of a row, of which the last one ends on the line that is read. */
  mayBegin(values: readonly string[]): boolean
  /** The row in its layout, with the cells the layout has, or with its problems; undefined when it is left out. */
  fit(row: Row): TypedRow | undefined
  /** The row that cannot be read beyond the cells it has. */
  refuse(row: Row, code: 'quote-not-closed' | 'row-too-large'): TypedRow
}

/** What the mapping tells to do with rows of another length. */
export type RowPolicy = NonNullable<ReadOptions['rows']>

/** Which cell tells the type of a row, and whether it is one of the row's values. */
export interface TypeCell {
  readonly at: number
  /** When it is none, it is the first cell. */
  readonly isValue: boolean
}

type Separators = Pick<Grid, 'delimiter' | 'newline'>

/** Rows that are all of one kind. */
export function tableShape(columns: readonly string[], separators: Separators, rows: RowPolicy): Shape {
  const table = toTable(columns)
  const areRows = (lines: readonly (readonly string[])[]) =>
    lines.length * (columns.length - 1) >= TELLING_DELIMITERS &&
    lines.every(({ length }) => length === columns.length)
  return {
    layouts: [{ recordType: '', columns }],
    hasParts: false,
    maxCells: columns.length,
    fitsOverLines: (values) =>
      toWidth(values, table) !== undefined && !areRows(linesBehindFirst(values, separators)),
    mayBegin: (values) =>
      values.length < columns.length && !areRows(linesBehindFirst(values, separators).slice(0, -1)),
    fit: (row) => (row.values.length === columns.length ? row : toFitted(row, table, rows)),
    refuse: (row, code) => toRefused(row, code, columns),
  }
}

/** Rows one of whose cells tells their kind. */
export function recordsShape(
  kinds: Kinds,
  typeCell: TypeCell,
  separators: Separators,
  rows: RowPolicy,
): Shape {
  const { layouts } = kinds
  const { at, isValue } = typeCell
  const tables = new Map(kinds.all.map((kind) => [kind, toTable(kind.columns)]))
  const kindOf = (values: readonly string[]) => kinds.find(values[at] ?? '')
  const cellsOf = (values: readonly string[]) => (isValue ? values : values.slice(1))
  const isRecord = (values: readonly string[]) => {
    const kind = kindOf(values)
    const table = kind && tables.get(kind)
    return table !== undefined && (kind?.ignored || toWidth(cellsOf(values), table) !== undefined)
  }
  const areRecords = (lines: readonly (readonly string[])[]) => lines.length > 0 && lines.every(isRecord)
  return {
    layouts,
    hasParts: kinds.hasParts,
    maxCells: (isValue ? 0 : 1) + Math.max(0, ...kinds.all.map(({ columns }) => columns.length)),
    fitsOverLines: (values) => isRecord(values) && !areRecords(linesBehindFirst(values, separators)),
    mayBegin(values) {
      const width = (kindOf(values)?.columns.length ?? 0) + (isValue ? 0 : 1)
      return values.length < width && !areRecords(linesBehindFirst(values, separators).slice(0, -1))
    },
    fit(row) {
      const kind = kindOf(row.values)
      const table = kind && tables.get(kind)
      if (kind === undefined || table === undefined) return toUnknown(row, at, kinds)
      if (kind.ignored) return undefined
      const { line, lastLine } = row
      const own = { layout: kind.layout, line, lastLine, values: cellsOf(row.values) }
      const fitted = own.values.length === kind.columns.length ? own : toFitted(own, table, rows)
      return kinds.place(fitted, kind)
    },
    refuse(row, code) {
      const kind = kindOf(row.values)
      const refused = toRefused({ ...row, values: cellsOf(row.values) }, code, kind?.columns ?? [])
      return kind === undefined ? refused : kinds.place(refused, kind)
    },
  }
}

/** The shape of a file in which lines that name columns come again and are no rows. */
export function withoutHeadings(shape: Shape, headings: readonly (readonly string[])[]): Shape {
  const lines = headings.map((values) => values.map((name) => name.trim()))
  const isHeading = (values: readonly string[]) =>
    lines.some(
      (names) =>
        names.every((name, index) => (values[index] ?? '').trim() === name) &&
        isBlank(values.slice(names.length)),
    )
  return {
    ...shape,
    fitsOverLines: (values) => isHeading(values) || shape.fitsOverLines(values),
    fit: (row) => (isHeading(row.values) ? undefined : shape.fit(row)),
  }
}

function toUnknown(row: Row, at: number, { all }: Kinds): Row {
  const place = { line: row.line, column: String(at + 1) }
  return { ...row, problems: [unknownType(excerpt(row.values[at] ?? ''), place, all)] }
}

/** So many delimiters, each where a row would have it, are no accident; fewer may stand in any address or note. */
const TELLING_DELIMITERS = 6

/** The cells of the lines of a row but the first, as if the quotes that lead over the lines were not there. */
function linesBehindFirst(values: readonly string[], { delimiter, newline }: Separators): string[][] {
  const lines: string[][] = []
  for (const value of values) {
    if (!value.includes(newline)) {
      lines.at(-1)?.push(value)
      continue
    }
    const [first = '', ...others] = value.split(newline)
    lines.at(-1)?.push(first)
    for (const other of others) lines.push(other.split(delimiter))
  }
  return lines
}

interface Table {
  readonly columns: readonly string[]
  /** How many columns there are up to the last one with a name; the others may be left out of a row. */
  readonly named: number
}

function toTable(columns: readonly string[]): Table {
  return { columns, named: columns.findLastIndex((name) => name !== '') + 1 }
}

/** The cells as many as the columns, when only empty ones are too many or nameless ones missing. */
function toWidth(values: readonly string[], { columns, named }: Table): readonly string[] | undefined {
  const width = columns.length
  if (values.length === width) return values
  // Blank or not: a delimiter too many inside the row moves the last blank cell out, and all behind it one on.
  if (values.length > width) return undefined
  if (values.length < named) return undefined
  return [...values, ...Array.from({ length: width - values.length }, () => '')]
}

/** The same by the mapping's order. A row that is too long only loses what is blank: else its cells have moved. */
function toToldWidth(
  values: readonly string[],
  { columns }: Table,
  { short, long }: RowPolicy,
): readonly string[] | undefined {
  const width = columns.length
  if (values.length < width) {
    return short === 'pad'
      ? [...values, ...Array.from({ length: width - values.length }, () => '')]
      : undefined
  }
  return long === 'cut' && isBlank(values.slice(width)) ? values.slice(0, width) : undefined
}

function toFitted(row: Row, table: Table, rows: RowPolicy): Row {
  const values = toWidth(row.values, table) ?? toToldWidth(row.values, table, rows)
  if (values !== undefined) return values === row.values ? row : { ...row, values }
  const { columns } = table
  const count = `The row has ${row.values.length} cells where ${columns.length} are expected`
  if (row.values.length < columns.length) {
    const missing = columns.length - row.values.length
    const where = missing === 1 ? 'a cell is missing' : `${missing} cells are missing`
    const message = `${count}: ${where} somewhere in the row; compare it with the row above.`
    return { ...row, problems: [problem('row-short', { line: row.line }, message)] }
  }
  const surplus = row.values.slice(columns.length)
  const first = isBlank(surplus)
    ? 'there is a delimiter too many'
    : `the first one too many is "${excerpt(surplus[0] ?? '')}"`
  const message = `${count}; ${first}.`
  return { ...row, problems: [problem('row-long', { line: row.line }, message)] }
}

function toRefused(row: Row, code: 'quote-not-closed' | 'row-too-large', columns: readonly string[]): Row {
  const column = columnAt(columns, row.values.length)
  const place = { line: row.lastLine, column }
  const message =
    code === 'row-too-large'
      ? 'The line is longer than a row may be; it was not read to its end.'
      : `The quote that opens column "${column}" is not closed where the cell ends. Only this line is refused.`
  return {
    ...row,
    problems: [problem(code, code === 'row-too-large' ? { line: row.lastLine } : place, message)],
  }
}
