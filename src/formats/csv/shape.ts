/** What a row must look like: its layout and number of cells, and what is said about a row that does not. */
import type { Layout, Row } from '../../domain/document.ts'
import type { RecordType } from '../../domain/format.ts'
import { problem } from '../../domain/problem.ts'
import { countOf, type Grid, isBlank } from './grid.ts'

export interface Shape {
  readonly layouts: readonly Layout[]
  /** The cells of the widest row, the record type included. */
  readonly maxCells: number
  /**
   * Whether cells that go over several lines can be one row: there are as many as there should be, and the lines are
   * not rows themselves, which a quote left open has swallowed up to the next stray quote.
   */
  fitsOverLines(values: readonly string[]): boolean
  /** The same of the first cells of a row, of which the last one ends on the line that is read. */
  mayBegin(values: readonly string[]): boolean
  /** The row in its layout, with the cells the layout has, or with its problems. */
  fit(row: Row): Row
  /** The row that cannot be read beyond the cells it has. */
  refuse(row: Row, code: 'quote-not-closed' | 'row-too-large'): Row
}

type Separators = Pick<Grid, 'delimiter' | 'newline'>

/** Rows that are all of one kind. */
export function tableShape(columns: readonly string[], separators: Separators): Shape {
  const table = toTable(columns)
  const areRows = (lines: readonly (readonly string[])[]) =>
    lines.length * (columns.length - 1) >= TELLING_DELIMITERS &&
    lines.every(({ length }) => length === columns.length)
  return {
    layouts: [{ recordType: '', columns }],
    maxCells: columns.length,
    fitsOverLines: (values) =>
      toWidth(values, table) !== undefined && !areRows(linesBehindFirst(values, separators)),
    mayBegin: (values) =>
      values.length < columns.length && !areRows(linesBehindFirst(values, separators).slice(0, -1)),
    fit: (row) => (row.values.length === columns.length ? row : toFitted(row, table)),
    refuse: (row, code) => toRefused(row, code, columns),
  }
}

/** Rows whose first cell tells their kind and is not one of their values. */
export function recordsShape(records: readonly RecordType[], separators: Separators): Shape {
  const tables = records.map(({ columns }) => toTable(columns))
  const positions = new Map(records.map(({ type }, position) => [type.trim(), position]))
  const positionOf = ([type = '']: readonly string[]) => positions.get(type.trim())
  const known = records.map(({ type }) => type).join(', ')
  const inLayout = (row: Row): Row => ({
    ...row,
    layout: positionOf(row.values) ?? 0,
    values: row.values.slice(1),
  })
  const isRecord = (values: readonly string[]) => {
    const table = tables[positionOf(values) ?? -1]
    return table !== undefined && toWidth(values.slice(1), table) !== undefined
  }
  const areRecords = (lines: readonly (readonly string[])[]) => lines.length > 0 && lines.every(isRecord)
  return {
    layouts: records.map(({ type, columns }) => ({ recordType: type, columns })),
    maxCells: 1 + Math.max(0, ...records.map(({ columns }) => columns.length)),
    fitsOverLines: (values) => isRecord(values) && !areRecords(linesBehindFirst(values, separators)),
    mayBegin(values) {
      const width = tables[positionOf(values) ?? -1]?.columns.length ?? 0
      return values.length <= width && !areRecords(linesBehindFirst(values, separators).slice(0, -1))
    },
    fit(row) {
      const table = tables[positionOf(row.values) ?? -1]
      return table === undefined ? toUnknown(row, known) : toFitted(inLayout(row), table)
    },
    refuse: (row, code) =>
      toRefused(inLayout(row), code, records[positionOf(row.values) ?? -1]?.columns ?? []),
  }
}

/** So many delimiters, each where a row would have it, are no accident; fewer may stand in any address or note. */
const TELLING_DELIMITERS = 6

/** The cells of the lines of a row but the first, as if the quotes that lead over the lines were not there. */
function linesBehindFirst(values: readonly string[], { delimiter, newline }: Separators): string[][] {
  const lines: string[][] = [[]]
  for (const value of values) {
    const [first = '', ...others] = countOf(value, newline) > 0 ? value.split(newline) : [value]
    lines.at(-1)?.push(first)
    for (const other of others) lines.push(other.split(delimiter))
  }
  return lines.slice(1)
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

function toFitted(row: Row, table: Table): Row {
  const values = toWidth(row.values, table)
  if (values !== undefined) return values === row.values ? row : { ...row, values }
  const { columns } = table
  const count = `The row has ${row.values.length} cells where ${columns.length} are expected`
  if (row.values.length < columns.length) {
    const column = columnAt(columns, row.values.length)
    const message = `${count}; the first one missing is "${column}".`
    return { ...row, problems: [problem('row-short', { line: row.line, column }, message)] }
  }
  const surplus = row.values.slice(columns.length)
  const first = isBlank(surplus)
    ? 'there is a delimiter too many'
    : `the first one too many is "${excerpt(surplus[0] ?? '')}"`
  const message = `${count}; ${first}.`
  return { ...row, problems: [problem('row-long', { line: row.line }, message)] }
}

function toUnknown(row: Row, known: string): Row {
  const [type = ''] = row.values
  const message = `The row is of record type "${excerpt(type)}", which the mapping does not have; it has ${known}.`
  return { ...row, problems: [problem('record-type-unknown', { line: row.line, column: '1' }, message)] }
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

/** The name of a column, or its number from 1 when it has none. */
export function columnAt(columns: readonly string[], index: number): string {
  return columns[index] || String(index + 1)
}

/** A cell shortened to fit a message, on one line. */
export function excerpt(cell: string): string {
  const text = cell.trim().replace(/\s+/g, ' ')
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
