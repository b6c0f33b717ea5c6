/** Reads the sample that a mapping is learned from: its dialect, its columns and its cells. */
import Papa from 'papaparse'
import type { FileReading, Format, ReadOptions, Row, UnreadableFile } from '../../domain/format.ts'
import { isUnreadable } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { cleanText } from '../../mapping/values/text.ts'
import { addDecimals, compareDecimals, type Decimal, parseDecimal } from '../../support/decimal.ts'
import { readHead, readUnpackedBytes } from '../translate-file.ts'

export interface Sample {
  readonly columns: readonly string[]
  /** Cells without outer blanks, row by row. */
  readonly rows: readonly (readonly string[])[]
  readonly hasHeader: boolean
  readonly encoding: string
  readonly delimiter: string
  /** Options that the mapping must state, because the reader does not detect them. */
  readonly statedOptions: Pick<ReadOptions, 'encoding' | 'quote' | 'delimiter' | 'skip' | 'ignore'>
  /** Rows that cannot be read. */
  readonly damaged: number
  /** A last row that describes the whole file; it is not among the rows. */
  readonly closing: ClosingRow | undefined
  /** The names of numbered columns, with `{n}` for the number, and how many numbers there are. */
  readonly numbered?: { readonly names: readonly string[]; readonly count: number }
}

/** More rows would teach nothing more. */
const MAX_ROWS = 20_000

/** How much is read to detect the encoding. */
const HEAD_BYTES = 1024 * 1024

/** Reads the beginning of the file; returns problems when the file as a whole is unreadable. */
export async function readSample(
  path: string,
  format: Format,
): Promise<{ readonly sample: Sample } | { readonly problems: readonly Problem[] }> {
  const head = await readHead(path, HEAD_BYTES)
  const encoding = isUnicode(head) ? undefined : 'windows-1252'
  const top = readTop(new TextDecoder(encoding ?? 'utf-8').decode(head))
  const types = findRecordTypes(top.rows)
  if (types.length > 0) return { problems: [createTypedRecordsProblem(types)] }
  const { headings, hasPreamble } = top
  const hasHeader = headings !== undefined
  const columns = hasHeader ? undefined : top.rows[0]?.map((_, index) => `Column ${index + 1}`)
  const expectColumns = hasPreamble ? headings : undefined
  const statedOptions: Sample['statedOptions'] = {
    ...(encoding === undefined ? {} : { encoding }),
    ...(hasPreamble ? { skip: 'header' } : {}),
    ...(top.comments === undefined ? {} : { ignore: [{ startsWith: top.comments }] }),
  }
  const read = async (options: Sample['statedOptions']): Promise<Attempt> => {
    const expected = expectColumns === undefined ? {} : { expectColumns }
    return {
      statedOptions: options,
      rows: await readRows(path, format, { ...options, columns, ...expected }),
    }
  }
  let best = await read(statedOptions)
  for (const refine of [refineDelimiter(top), refineRepeatedHeadings, refineQuotes]) {
    const better = 'problems' in best.rows ? undefined : refine(best.rows)
    const other = better && (await read(mergeOptions(best.statedOptions, better)))
    const isTaken = refine === refineQuotes ? isBetter : isAsGood
    if (other !== undefined && isTaken(countDamagedRows(other), countDamagedRows(best))) best = other
  }
  return 'problems' in best.rows ? best.rows : buildSample(best.rows, hasHeader, best.statedOptions)
}

function mergeOptions(
  stated: Sample['statedOptions'],
  more: Sample['statedOptions'],
): Sample['statedOptions'] {
  const ignore = [...(stated.ignore ?? []), ...(more.ignore ?? [])]
  return { ...stated, ...more, ...(ignore.length === 0 ? {} : { ignore }) }
}

/** Treats quotes as data only where that reduces the damage. */
const isBetter = (damage: number, before: number) => damage < before

const isAsGood = (damage: number, before: number) => damage <= before

interface Attempt {
  readonly statedOptions: Sample['statedOptions']
  readonly rows: RowsRead | UnreadableFile
}

function countDamagedRows({ rows }: Attempt): number {
  return 'problems' in rows ? Number.POSITIVE_INFINITY : countDamaged(rows.rows)
}

/** Derives further options from how the file was read without them. */
type RefineOptions = (read: RowsRead) => Sample['statedOptions'] | undefined

/** States the delimiter for a preamble or missing headings: another character may be more frequent there. */
function refineDelimiter({ delimiter, headings, hasPreamble }: SampleTop): RefineOptions {
  const isUnsure = hasPreamble || headings === undefined
  return ({ reading }) => (isUnsure && reading.delimiter !== delimiter ? { delimiter } : undefined)
}

/** Ignores repeated headings: several files were put together into one. */
function refineRepeatedHeadings({ reading, rows }: RowsRead): Sample['statedOptions'] | undefined {
  const headings = (reading.layouts[0]?.columns ?? []).map(cleanText).join('\n')
  const isAgain = rows.some(({ values }) => values.map(cleanText).join('\n') === headings)
  return isAgain ? { ignore: [{ header: 'repeated' }] } : undefined
}

/** Treats quotes as data in files without quoting, such as 12" for inches. */
function refineQuotes({ rows }: RowsRead): Sample['statedOptions'] | undefined {
  const isBroken = rows.some(({ problems = [] }) => problems.some(({ code }) => code === 'quote-not-closed'))
  return isBroken ? { quote: null } : undefined
}

interface RowsRead {
  readonly reading: FileReading
  readonly rows: readonly Row[]
}

async function readRows(path: string, format: Format, options: Omit<ReadOptions, 'format'>) {
  const reading = await format.read(readUnpackedBytes(path), { format: 'csv', ...options })
  if (isUnreadable(reading)) return reading
  const rows: Row[] = []
  for await (const batch of reading.batches) {
    rows.push(...batch)
    if (rows.length >= MAX_ROWS) break
  }
  return { reading, rows: rows.slice(0, MAX_ROWS) }
}

function buildSample(
  { reading, rows }: RowsRead,
  hasHeader: boolean,
  statedOptions: Sample['statedOptions'],
) {
  const columns = reading.layouts[0]?.columns ?? []
  const usable = rows.flatMap((row) => (row.problems === undefined ? [row.values.map(cleanText)] : []))
  if (usable.length === 0) {
    const fix = 'Give a sample whose first line names the columns, with some rows under it.'
    const none = problem('file-empty', {}, 'The file has no rows under its first line.', fix)
    const message = `None of the ${rows.length} rows under the first line has as many cells as it.`
    return { problems: [rows.length === 0 ? none : problem('row-short', {}, message, fix)] }
  }
  const { encoding, delimiter } = reading
  const closing = findClosingRow(usable, columns)
  const data = closing === undefined ? usable : usable.slice(0, -1)
  const read = { encoding, delimiter, statedOptions, damaged: countDamaged(rows), closing }
  return { sample: { columns, rows: data, hasHeader, ...read } }
}

/** Finds record types in the first cells: few, some repeated, each with its own number of cells. */
function findRecordTypes(rows: readonly (readonly string[])[]): string[] {
  const widths = new Map<string, Set<number>>()
  for (const row of rows) {
    const [type = ''] = row
    widths.set(type, (widths.get(type) ?? new Set()).add(row.length))
  }
  const types = [...widths.keys()]
  const isTyped =
    types.length > 1 &&
    types.length <= 5 &&
    types.length < rows.length &&
    types.every((type) => /^[A-Z][A-Z0-9]{0,7}$/.test(type) && widths.get(type)?.size === 1) &&
    new Set([...widths.values()].map(([width]) => width)).size > 1
  return isTyped ? types : []
}

function createTypedRecordsProblem(types: readonly string[]): Problem {
  const message = `The first cell of each row names its type: ${types.join(', ')}. What stands in the cells behind it, only people know.`
  const start = 'Start from mappings/dropstream-orders.yaml'
  const fix = `${start}, and name the cells of each type under \`read: { records: … }\`.`
  return problem('header-missing', {}, message, fix)
}

function countDamaged(rows: readonly Row[]): number {
  return rows.filter(({ problems }) => problems !== undefined).length
}

/** Whether the text is Unicode. The reader detects UTF-16; other text is nearly always Windows-1252. */
function isUnicode(head: Buffer): boolean {
  if (head.includes(0)) return true
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return false
  }
}

// The top of the sample: the delimiter and the line that names the columns.

interface SampleTop {
  readonly delimiter: string
  /** The first rows, blank ones left out. */
  readonly rows: readonly (readonly string[])[]
  /** The column names; absent in a file that begins with data. */
  readonly headings: readonly string[] | undefined
  /** Whether there are other lines above them. */
  readonly hasPreamble: boolean
  /** The start of comment lines; absent without comments. */
  readonly comments?: string
}

const DELIMITERS = [',', ';', '\t', '|']

/** This many rows are enough to detect the dialect. */
const TOP_ROWS = 50

function readTop(text: string): SampleTop {
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
  const [first = []] = rows
  const at = findHeadingRow(rows, width)
  if (at > 0) return { delimiter, rows, headings: rows[at], hasPreamble: true }
  return { delimiter, rows, headings: first.some(isDataCell) ? undefined : first, hasPreamble: false }
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
  const filled = (row: readonly string[]) => row.filter((cell) => cell.trim() !== '').length
  const isFull = (row: readonly string[]) => row.length === width && filled(row) >= 0.8 * width
  const at = rows.findIndex((row) => isFull(row) && !row.some(isDataCell))
  const isAbove = rows.slice(0, Math.max(0, at)).every((row) => filled(row) <= width / 2)
  return width > 1 && isAbove && rows.slice(at + 1).some((row) => row.length === width) ? at : -1
}

/** The longest date, amount or number. */
const LONGEST_DATA = 40

/** Whether the cell cannot be a column name: a number, an amount, a date. */
function isDataCell(cell: string): boolean {
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
function findClosingRow(rows: readonly (readonly string[])[], columns: readonly string[]) {
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
