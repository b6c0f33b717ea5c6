/** Checks rows against their layout: the record type and the number of cells. */
import type { Layout, ReadOptions, Row } from '../../domain/format.ts'
import { problem } from '../../domain/problem.ts'
import type { Place } from '../../domain/place.ts'
import type { RowFaultCode } from './scan.ts'
import { type RecordKind, type RecordKinds, type TypedRow, unknownTypeProblem } from '../text/record-types.ts'
import { nameColumn, shortenCell } from '../text/batches.ts'
import { type Dialect, isBlankRow } from './dialect.ts'
import { findDelimiterOf } from './dialect-detection.ts'

export interface RowLayout {
  readonly layouts: readonly Layout[]
  readonly hasParts: boolean
  /** The cells of the widest row, the record type included. */
  readonly maxCells: number
  /**
   * Whether cells over several lines can be one row: their number is right, and the lines are not rows themselves, which
   * an open quote has swallowed up to the next stray quote.
   */
  fitsOverLines(values: readonly string[]): boolean
  /** The same check for the first cells of a row, up to the last one that ends on the current line. */
  mayBegin(values: readonly string[]): boolean
  /** Fits the row into its layout, or adds its problems; undefined when the row is left out. */
  fit(row: Row): TypedRow | undefined
  /** Makes a refused row of the cells that could be read; `isCut`: the file seems to end inside the next cell. */
  refuse(row: Row, code: RowFaultCode, isCut: boolean): TypedRow
  /** Finds the kinds of rows by their order in the file; called once for each row. */
  readonly assign?: (rows: readonly TypedRow[]) => TypedRow[]
  /** The cells of a row, where all rows have the same number. */
  readonly width?: number
}

type RowPolicy = NonNullable<ReadOptions['rows']>

type CsvMarks = Pick<Dialect, 'delimiter' | 'newline'>

/** Layout of rows that are all of one kind. */
export function createTableLayout(columns: readonly string[], marks: CsvMarks, rows: RowPolicy): RowLayout {
  const table = toTableColumns(columns)
  const check = (row: Row) => checkRowDelimiter(row, columns.length, marks.delimiter)
  const areRows = (lines: readonly (readonly string[])[]) =>
    lines.length * (columns.length - 1) >= MIN_DECISIVE_DELIMITERS &&
    lines.every(({ length }) => length === columns.length)
  return {
    layouts: [{ recordType: '', columns }],
    hasParts: false,
    maxCells: columns.length,
    width: columns.length,
    fitsOverLines: (values) =>
      fitWidth(values, table) !== undefined && !areRows(splitLaterLines(values, marks)),
    mayBegin: (values) =>
      values.length < columns.length && !areRows(splitLaterLines(values, marks).slice(0, -1)),
    fit: (row) => (row.values.length === columns.length ? row : (check(row) ?? fitRow(row, table, rows))),
    refuse: (row, code, isCut) => refuseRow(row, { code, isCut }, columns),
  }
}

/** Layout of rows whose cell at `at` names their kind; where that cell is not among the values, it is the first cell. */
export function createRecordLayout(
  kinds: RecordKinds,
  { at, isValue }: { readonly at: number; readonly isValue: boolean },
  separators: CsvMarks,
  rows: RowPolicy,
): RowLayout {
  const tables = new Map(kinds.all.map((kind) => [kind, toTableColumns(kind.columns)]))
  const kindOf = (values: readonly string[]) => kinds.find(values[at] ?? '')
  const cellsOf = (values: readonly string[]) => (isValue ? values : values.slice(1))
  const isRecord = (values: readonly string[]) => {
    const kind = kindOf(values)
    const table = kind && tables.get(kind)
    return table !== undefined && (kind?.ignored || fitWidth(cellsOf(values), table) !== undefined)
  }
  const areRecords = (lines: readonly (readonly string[])[]) => lines.length > 0 && lines.every(isRecord)
  return {
    layouts: kinds.layouts,
    hasParts: kinds.hasParts,
    maxCells: (isValue ? 0 : 1) + Math.max(0, ...kinds.all.map(({ columns }) => columns.length)),
    fitsOverLines: (values) => isRecord(values) && !areRecords(splitLaterLines(values, separators)),
    mayBegin(values) {
      const width = (kindOf(values)?.columns.length ?? 0) + (isValue ? 0 : 1)
      return values.length < width && !areRecords(splitLaterLines(values, separators).slice(0, -1))
    },
    fit(row) {
      const kind = kindOf(row.values)
      const table = kind && tables.get(kind)
      if (kind === undefined || table === undefined) return refuseUnknownType(row, at, kinds)
      if (kind.ignored) return undefined
      const { line, lastLine } = row
      const own = { layout: kind.layout, line, lastLine, values: cellsOf(row.values) }
      return kinds.place(own.values.length === kind.columns.length ? own : fitRow(own, table, rows), kind)
    },
    refuse(row, code, isCut) {
      const kind = kindOf(row.values)
      const refused = refuseRow({ ...row, values: cellsOf(row.values) }, { code, isCut }, kind?.columns ?? [])
      return kind === undefined ? refused : kinds.place(refused, kind)
    },
  }
}

/** Layout of rows of two kinds that alternate. `fit` leaves them as they are, because it may see a row twice. */
export function createAlternatingLayout(kinds: RecordKinds, marks: CsvMarks, rows: RowPolicy): RowLayout {
  const tables = kinds.all.map((kind) => ({ kind, table: toTableColumns(kind.columns) }))
  const isRow = (values: readonly string[]) =>
    tables.some(({ table }) => fitWidth(values, table) !== undefined)
  const areRows = (lines: readonly (readonly string[])[]) =>
    lines.flat().length - lines.length >= MIN_DECISIVE_DELIMITERS && lines.every(isRow)
  const maxCells = Math.max(0, ...kinds.all.map(({ columns }) => columns.length))
  return {
    layouts: kinds.layouts,
    hasParts: false,
    maxCells,
    fitsOverLines: (values) => isRow(values) && !areRows(splitLaterLines(values, marks)),
    mayBegin: (values) => values.length < maxCells && !areRows(splitLaterLines(values, marks).slice(0, -1)),
    fit: (row) => row,
    refuse: (row, code, isCut) => refuseRow(row, { code, isCut }, []),
    assign: createAlternation(tables, kinds, rows),
  }
}

/** Assigns the two kinds in turn. A row that fits only the other kind is of that kind: a row before it is missing. */
function createAlternation(
  tables: readonly { readonly kind: RecordKind; readonly table: TableColumns }[],
  kinds: RecordKinds,
  rows: RowPolicy,
) {
  let next = 0
  const assignKind = (row: TypedRow): TypedRow => {
    const [expected, other] = next === 0 ? tables : tables.toReversed()
    if (expected === undefined || other === undefined) return row
    const fits = ({ table }: typeof expected) => fitWidth(row.values, table) !== undefined
    const isOther = row.problems === undefined && !fits(expected) && fits(other)
    const { kind, table } = isOther ? other : expected
    if (!isOther) next = 1 - next
    const own = { ...row, layout: kind.layout }
    const placed = kinds.place(row.problems === undefined ? fitRow(own, table, rows) : own, kind)
    // A row of the first kind opens a record of its own; the one before it lacks its second row, and is refused.
    if (!isOther || next === 1) return placed
    const message = `A row of type ${expected.kind.type} is missing before this row.`
    return { ...placed, problems: [problem('record-part-misplaced', { line: row.line }, message)] }
  }
  return (all: readonly TypedRow[]) => all.map(assignKind)
}

/** Leaves out repeated heading lines, or marks them. */
export function findHeadings(
  rowLayout: RowLayout,
  headings: readonly (readonly string[])[],
  areIgnored: boolean,
): RowLayout {
  const lines = headings.map((values) => values.map((name) => name.trim()))
  const isHeading = (values: readonly string[]) =>
    lines.some(
      (names) =>
        names.every((name, index) => (values[index] ?? '').trim() === name) &&
        isBlankRow(values.slice(names.length)),
    )
  return {
    ...rowLayout,
    fitsOverLines: (values) => isHeading(values) || rowLayout.fitsOverLines(values),
    fit(row) {
      if (!isHeading(row.values)) return rowLayout.fit(row)
      const { problems: _, ...fitted } = (areIgnored ? undefined : rowLayout.fit(row)) ?? {}
      return 'values' in fitted ? { ...fitted, isHeader: true } : undefined
    },
  }
}

function refuseUnknownType(row: Row, at: number, { all }: RecordKinds): Row {
  const place = { line: row.line, column: String(at + 1) }
  return { ...row, problems: [unknownTypeProblem(shortenCell(row.values[at] ?? ''), place, all)] }
}

/** This many delimiters at the places of a row are no accident; any address or note may hold fewer. */
const MIN_DECISIVE_DELIMITERS = 6

/** Splits all lines of a row but the first into cells, as if there were no multi-line quotes. */
function splitLaterLines(values: readonly string[], { delimiter, newline }: CsvMarks): string[][] {
  const lines: string[][] = []
  for (const value of values) {
    if (!value.includes(newline)) {
      lines.at(-1)?.push(value)
      continue
    }
    const [first = '', ...laterLines] = value.split(newline)
    lines.at(-1)?.push(first)
    for (const other of laterLines) lines.push(other.split(delimiter))
  }
  return lines
}

interface TableColumns {
  readonly columns: readonly string[]
  /** The number of columns up to the last named one; a row may omit the columns behind it. */
  readonly named: number
}

function toTableColumns(columns: readonly string[]): TableColumns {
  return { columns, named: columns.findLastIndex((name) => name !== '') + 1 }
}

/** Fits the cells to the columns, when only empty cells are surplus or nameless ones missing. */
function fitWidth(values: readonly string[], { columns, named }: TableColumns) {
  const width = columns.length
  if (values.length === width) return values
  // No other surplus, blank or not: an extra delimiter inside the row shifts all cells behind it by one.
  return values.length > width || values.length < named ? undefined : padCells(values, width)
}

function padCells(values: readonly string[], width: number): string[] {
  return [...values, ...Array.from({ length: width - values.length }, () => '')]
}

/** The same by the policy of the mapping. A long row may lose only blank cells: otherwise its cells have shifted. */
function applyRowPolicy(values: readonly string[], { columns }: TableColumns, { short, long }: RowPolicy) {
  const width = columns.length
  if (values.length < width) return short === 'pad' ? padCells(values, width) : undefined
  return long === 'cut' && isBlankRow(values.slice(width)) ? values.slice(0, width) : undefined
}

function fitRow(row: Row, table: TableColumns, rows: RowPolicy): Row {
  const values = fitWidth(row.values, table) ?? applyRowPolicy(row.values, table, rows)
  if (values !== undefined) return values === row.values ? row : { ...row, values }
  const { columns } = table
  const cells = row.values.length === 1 ? '1 cell' : `${row.values.length} cells`
  const count = `The row has ${cells} where ${columns.length} are expected`
  if (row.values.length < columns.length) {
    const missing = columns.length - row.values.length
    const where = missing === 1 ? 'a cell is missing' : `${missing} cells are missing`
    const message = `${count}: ${where} somewhere in the row; compare it with the row above.`
    return { ...row, problems: [problem('row-short', { line: row.line }, message)] }
  }
  const joined = findJoinedRow(row.values, table)
  if (joined !== undefined) {
    const message = `${count}: ${joined.rows} rows stand in one line.`
    return { ...row, problems: [problem('row-long', { line: row.line }, message, joined.fix)] }
  }
  const surplus = row.values.slice(columns.length)
  const many =
    surplus.length === 1 ? 'a delimiter too many stands' : `${surplus.length} delimiters too many stand`
  // Where one is too many in the middle, the cell behind the last column is a good one.
  const what = isBlankRow(surplus)
    ? '; there is a delimiter too many.'
    : `: ${many} somewhere in the row; compare it with the row above.`
  return { ...row, problems: [problem('row-long', { line: row.line }, `${count}${what}`)] }
}

/** Names the delimiter of a row in one cell; undefined where none divides it into as many as the header has. */
function checkRowDelimiter(row: Row, width: number, delimiter: string): Row | undefined {
  const [only = '', ...others] = row.values
  if (others.length > 0 || width < DELIMITED_WIDTH_MIN) return undefined
  const found = findDelimiterOf(only, width, delimiter)
  if (found === undefined) return undefined
  const [own, other] = [JSON.stringify(delimiter), JSON.stringify(found)]
  const message = `The row is separated by ${other} and the header by ${own}: its ${width} cells are read as one.`
  const fix = `Write ${own} between the cells of each row, as in the header; or have the file sent again.`
  return { ...row, problems: [problem('delimiter-wrong', { line: row.line }, message, fix)] }
}

/** A note in the first cell of a short row may well hold a comma or two. */
const DELIMITED_WIDTH_MIN = 4

/** Narrower rows look alike by accident: their surplus may as well be one cell with unquoted delimiters. */
const JOINED_WIDTH_MIN = 4

/**
 * Finds several rows in one line, where a line break was lost: the cells are a whole multiple of the width, or one less for
 * each break, because the last cell of a row and the first of the next one are glued. Undefined for other long rows.
 */
function findJoinedRow(values: readonly string[], { columns }: TableColumns) {
  const width = columns.length
  if (width < JOINED_WIDTH_MIN) return undefined
  const isGlued = values.length % width !== 0
  const step = isGlued ? width - 1 : width
  const rows = isGlued ? (values.length - 1) / step : values.length / step
  if (!Number.isInteger(rows) || rows < 2) return undefined
  // A glued cell is no cell of either row, so that it is not compared.
  const rowAt = (at: number) => values.slice(at * step + (isGlued ? 1 : 0), (at + 1) * step)
  const first = rowAt(0)
  const later = Array.from({ length: rows - 1 }, (_, at) => rowAt(at + 1))
  if (!later.every((cells) => isAlike(first, cells))) return undefined
  const cell = shortenCell(values[step] ?? '')
  if (!isGlued && cell === '') return undefined
  const fix = isGlued
    ? `Break the line inside the cell "${cell}", where the next row begins.`
    : `Break the line before the cell "${cell}".`
  return { rows, fix: `${fix} Remove nothing.` }
}

/** Whether nearly all cells are of one kind with those above: blank, a number or date, or another text. */
function isAlike(above: readonly string[], cells: readonly string[]): boolean {
  const same = cells.filter((cell, index) => getCellKind(cell) === getCellKind(above[index] ?? ''))
  return same.length >= cells.length * 0.75 && !isBlankRow(cells)
}

function getCellKind(cell: string): 'blank' | 'digits' | 'text' {
  if (cell.trim() === '') return 'blank'
  return isNumberOrDate(cell) ? 'digits' : 'text'
}

/** A cell of digits, such as a quantity, an amount or a date; no column is named so. */
export function isNumberOrDate(cell: string): boolean {
  return /^(?=.*\d)[\d\s.,:/T+-]+Z?$/.test(cell)
}

function refuseRow(
  row: Row,
  { code, isCut }: { readonly code: RowFaultCode; readonly isCut: boolean },
  columns: readonly string[],
): Row {
  const line = row.lastLine
  const column = nameColumn(columns, row.values.length)
  const refuse = (place: Place, message: string, fix?: string) => {
    return { ...row, problems: [problem(code, place, message, fix)] }
  }
  if (code === 'row-too-large')
    return refuse({ line }, 'The line is longer than a row may be; it was not read to its end.')
  if (code === 'quote-misplaced') {
    const where = `Column "${column}" has a quote inside, and a later cell ends with one`
    return refuse({ line, column }, `${where}: perhaps a delimiter is missing before the quote.`)
  }
  const quote = `The quote that opens column "${column}" is not closed where the cell ends.`
  if (!isCut) return refuse({ line, column }, `${quote} Only this line is refused.`)
  const cut = `The file ends inside the quoted cell that begins on line ${line}; perhaps it was cut in transfer.`
  return refuse({ line, column }, cut, 'Have the whole file sent again. If it is whole, close the quote.')
}
