/** Reads the ends of a sample: its delimiter, the line that names the columns, what stands around it, and a last row of totals. */
import Papa from 'papaparse'
import { addDecimals, compareDecimals, type Decimal, parseDecimal } from '../../support/decimal.ts'

export interface SampleTop {
  readonly delimiter: string
  /** The first rows, blank ones left out. */
  readonly rows: readonly (readonly string[])[]
  /** The column names; absent in a file that begins with data. */
  readonly headings: readonly string[] | undefined
  /** Whether there are other lines above them. */
  readonly hasPreamble: boolean
  /** The titles of groups of columns in the line above the names, one for each column. */
  readonly groups: readonly string[] | undefined
  /** How many lines below the names explain them. */
  readonly explainingLines: number
  /** Whether each row has one cell too many, a blank one: its line ends with a delimiter. */
  readonly hasBlankEnds: boolean
  /** The first lines as they stand, where no character divides most of them. */
  readonly lines: readonly string[] | undefined
  /** The start of comment lines; absent without comments. */
  readonly comments?: string
}

const DELIMITERS = [',', ';', '\t', '|']

/** This many rows are enough to detect the dialect. */
const TOP_ROWS = 50

export function readTop(text: string): SampleTop {
  const plain = text.replace(/^\uFEFF/, '').replace(/^"?sep=.?"?\r?\n/i, '')
  for (const mark of COMMENT_MARKS) {
    const rest = removeComments(plain, mark)
    if (rest !== undefined) return { ...readTopRows(rest), comments: mark }
  }
  return readTopRows(plain)
}

const COMMENT_MARKS = ['#', '//', '--']

/** Undefined without such lines, or where they have as many cells as other lines. */
function removeComments(text: string, mark: string): string | undefined {
  const lines = text.split('\n')
  const rest = lines.filter((line) => !line.startsWith(mark))
  if (rest.length === lines.length || rest.every((line) => line.trim() === '')) return undefined
  const top = readTopRows(rest.join('\n'))
  const width = top.rows.at(-1)?.length ?? 1
  const comments = lines.filter((line) => line.startsWith(mark)).slice(0, TOP_ROWS)
  const isRow = (line: string) => width > 1 && line.split(top.delimiter).length === width
  return comments.some(isRow) ? undefined : rest.join('\n')
}

function readTopRows(plain: string): SampleTop {
  const tries = DELIMITERS.map((delimiter) => {
    const rows = Papa.parse<string[]>(plain, { delimiter, preview: TOP_ROWS, skipEmptyLines: 'greedy' }).data
    return { delimiter, rows, ...findCommonWidth(rows) }
  })
  // Where two delimiters fit, as with decimal commas, the right one makes more cells. The number of rows alone says little,
  // because an open quote swallows most rows of the right one.
  const dividedBy = ({ count, width }: { count: number; width: number }) => count * (width - 1)
  const [best] = tries.toSorted((a, b) => dividedBy(b) - dividedBy(a) || b.width - a.width)
  const { delimiter = ',', rows = [], width = 1 } = best ?? {}
  const isDivided = rows.filter(({ length }) => length > 1).length >= rows.length / 2
  const [first = []] = rows
  const at = Math.max(0, findHeadingRow(rows, width))
  const headings = at > 0 || !first.some(isDataCell) ? rows[at] : undefined
  const data = headings === undefined ? rows : rows.slice(at + 1)
  const names = headings === undefined ? first.length - 1 : headings.length
  const isEnded = (row: readonly string[]) => row.length === names + 1 && row.at(-1)?.trim() === ''
  return {
    delimiter,
    rows,
    headings,
    hasPreamble: at > 0,
    groups: at === 0 ? undefined : findGroupTitles(rows[at - 1] ?? [], headings ?? []),
    explainingLines: headings === undefined ? 0 : countExplainingLines(data),
    lines: isDivided ? undefined : listLines(plain),
    hasBlankEnds: at === 0 && names > 1 && data.length > 0 && data.every(isEnded),
  }
}

/** The last line of a long text may be cut. */
function listLines(text: string): string[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  return lines.slice(0, Math.min(1000, Math.max(TOP_ROWS, lines.length - 1)))
}

/** Finds the most frequent number of cells, and how many rows have it. */
function findCommonWidth(rows: readonly (readonly string[])[]): { width: number; count: number } {
  const counts = new Map<number, number>()
  for (const { length } of rows) if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1)
  const [common] = [...counts].toSorted(([a, many], [b, more]) => more - many || b - a)
  return { width: common?.[0] ?? 1, count: common?.[1] ?? 0 }
}

/** Finds the first whole row of names, with shorter rows above and a row as wide below; -1 when there is none. */
function findHeadingRow(rows: readonly (readonly string[])[], width: number): number {
  const isFull = (row: readonly string[]) => row.length === width && countFilled(row) >= 0.8 * width
  const at = rows.findIndex((row) => isFull(row) && !row.some(isDataCell) && !isRepeating(row))
  const isAbove = rows
    .slice(0, Math.max(0, at))
    .every((row) => countFilled(row) <= width / 2 || isRepeating(row))
  return width > 1 && isAbove && rows.slice(at + 1).some((row) => row.length === width) ? at : -1
}

function countFilled(row: readonly string[]): number {
  return row.filter((cell) => cell.trim() !== '').length
}

/** Whether the row repeats each of its few texts over neighbouring cells: titles of groups of columns. */
function isRepeating(row: readonly string[]): boolean {
  const cells = row.map((cell) => cell.trim()).filter((cell) => cell !== '')
  const runs = cells.filter((cell, index) => cell !== cells[index - 1])
  return runs.length >= 2 && runs.length <= cells.length / 2 && !cells.some(isDataCell)
}

/** The group title over each column; undefined where the line above the names is none of such titles. */
function findGroupTitles(row: readonly string[], headings: readonly string[]): readonly string[] | undefined {
  const isTitles = countFilled(row) >= 2 && row.length <= headings.length && !row.some(isDataCell)
  if (!isTitles) return undefined
  let title = ''
  return headings.map((_, index) => {
    title = row[index]?.trim() || title
    return title
  })
}

/** How many rows below the names explain them: they have words where all rows below have numbers and dates. */
function countExplainingLines(rows: readonly (readonly string[])[]): number {
  const [first = [], ...others] = rows
  if (others.length < 2) return 0
  const hasDigits = (at: number) => others.every((row) => /\d/.test(row[at] ?? ''))
  const positions = [...first.keys()].filter((at) => hasDigits(at) && first[at]?.trim() !== '')
  const isWords = (cell: string) => !/\d/.test(cell) || /\p{L}+\s+\p{L}+|\d\s+\p{L}{2}/u.test(cell)
  const isExplained = positions.length >= 2 && positions.every((at) => isWords(first[at] ?? ''))
  return isExplained && !first.some(isDataCell) ? 1 : 0
}

/** The longest date, amount or number. */
const LONGEST_DATA = 40

/** Whether the cell cannot be a column name: a number, an amount, a date. */
export function isDataCell(cell: string): boolean {
  if (cell.length > LONGEST_DATA) return false
  return /^[$€£]?[\d.,/:-]*\d[\d.,/:TZ+ -]*$/.test(cell.trim()) && !/^\d$/.test(cell.trim())
}

// A last row that describes the whole file with counts or sums.

export interface ClosingRow {
  /** The column of the cell that names the row, and its text. */
  readonly column: string
  readonly word: string
  /** Whether the line begins with it. */
  readonly isFirst: boolean
  /** The counts and sums by their columns; empty when no number matches. */
  readonly totals: readonly { readonly column: string; readonly what: 'rows' | 'sum' }[]
}

const CLOSING_WORDS =
  /^(?:grand ?total|sub ?total|totals?|sum|summe|gesamt|gesamtsumme|total general|somme|suma|trailer|trl|end|eof|end of (?:file|report)|ende|fin)\b/i

/** Undefined where the last row is an ordinary row. */
export function findClosingRow(rows: readonly (readonly string[])[], columns: readonly string[]) {
  const last = rows.at(-1)
  const above = rows.slice(0, -1)
  if (last === undefined || above.length === 0) return undefined
  const filled = last.flatMap((cell, at) => (cell === '' ? [] : [{ cell, at }]))
  const [named] = filled
  const usual = above.reduce((sum, row) => sum + row.filter((cell) => cell !== '').length, 0) / above.length
  if (named === undefined || !CLOSING_WORDS.test(named.cell) || filled.length > usual * 0.7) return undefined
  const isAlone = above.every((row) => row[named.at]?.toLowerCase() !== named.cell.toLowerCase())
  if (!isAlone) return undefined
  const totals = filled.slice(1).flatMap(({ cell, at }): ClosingRow['totals'] => {
    const number = parseNumber(cell)
    const column = columns[at] ?? ''
    const sum = sumCells(above.map((row) => row[at] ?? ''))
    if (number === undefined) return []
    if (sum !== undefined && compareDecimals(sum, number) === 0) return [{ column, what: 'sum' }]
    const isCount = compareDecimals(number, { units: BigInt(above.length), scale: 0 }) === 0
    return isCount ? [{ column, what: 'rows' }] : []
  })
  return { column: columns[named.at] ?? '', word: named.cell, isFirst: named.at === 0, totals }
}

function sumCells(cells: readonly string[]): Decimal | undefined {
  let sum: Decimal = { units: 0n, scale: 0 }
  for (const cell of cells) {
    if (cell === '') continue
    const number = parseNumber(cell)
    if (number === undefined) return undefined
    sum = addDecimals(sum, number)
  }
  return sum
}

/** Parses `1.216,73` and `1,216.73`; the last mark is the decimal mark. */
function parseNumber(cell: string): Decimal | undefined {
  const plain = cell.replace(/^[$€£]\s?/, '').replaceAll(' ', '')
  const isComma = /,\d{1,2}$/.test(plain)
  return parseDecimal(isComma ? plain.replaceAll('.', '').replace(',', '.') : plain.replaceAll(',', ''))
}
