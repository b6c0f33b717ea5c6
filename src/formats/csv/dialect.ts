/** How a file is written: its line breaks and its delimiter, found out from its first rows where nobody has told. */
import type { ReadOptions } from '../../domain/format.ts'
import { type Grid, isBlank, type Newline } from './grid.ts'
import type { CsvLimits } from './limits.ts'
import { scanRow } from './scan.ts'

export interface Dialect {
  readonly grid: Grid
  /** The length of a `sep=;` line at the top, line break included; 0 without one. */
  readonly separatorLine: number
}

/** `isWhole` says that the text is the whole file and not only its beginning. */
export function findDialect(
  text: string,
  isWhole: boolean,
  options: ReadOptions,
  limits: CsvLimits,
): Dialect {
  const quote = options.quote === undefined ? '"' : options.quote
  // Shorter than any first piece can be, so that the same file is read the same way however its bytes arrive.
  const sample = text.slice(0, SAMPLE)
  const newline = newlineOf(
    sample.length < text.length || !isWhole ? sample.replace(/\r$/, '') : sample,
    quote,
  )
  const [line = '', separator = ''] = /^sep=([^\r\n"\uFEFF])(?:\r\n|\r|\n|$)/i.exec(sample) ?? []
  const grid = { newline, quote, limits, maxCells: Infinity, delimiter: options.delimiter ?? separator }
  if (grid.delimiter !== '') return { grid, separatorLine: line.length }
  return { grid: { ...grid, delimiter: delimiterOf(sample + newline, grid, options) }, separatorLine: 0 }
}

const SAMPLE = 8 * 1024
const SAMPLE_ROWS = 20
const DELIMITERS = [',', ';', '\t', '|'] as const

/** Carriage returns alone end lines only where, outside of quotes, there is no line feed at all. */
function newlineOf(sample: string, quote: string | null): Newline {
  const unquoted = quote === null ? sample : outsideQuotes(sample, quote)
  const text = /[\r\n]/.test(unquoted) ? unquoted : sample
  return text.includes('\r') && !text.includes('\n') ? '\r' : '\n'
}

function outsideQuotes(sample: string, quote: string): string {
  return sample
    .split(quote)
    .filter((_, index) => index % 2 === 0)
    .join('')
}

/** The delimiter that divides the first rows most evenly; a comma when none does. */
function delimiterOf(sample: string, grid: Grid, options: ReadOptions): string {
  let best = { delimiter: ',', score: 0 }
  for (const delimiter of DELIMITERS) {
    const score = evenness(firstRows(sample, { ...grid, delimiter }), options)
    if (score > best.score) best = { delimiter, score }
  }
  return best.delimiter
}

function firstRows(sample: string, grid: Grid): string[][] {
  const rows: string[][] = []
  let at = 0
  while (at < sample.length && rows.length < SAMPLE_ROWS) {
    const scan = scanRow(sample, at, grid, true)
    if (scan.kind === 'more') break
    if (scan.kind === 'row' && !isBlank(scan.values)) rows.push(scan.values)
    const lineEnd = scan.kind === 'row' ? scan.end - 1 : sample.indexOf(grid.newline, scan.blamed)
    if (lineEnd === -1) break
    at = lineEnd + 1
  }
  return rows
}

/** Expected names count most, then the share of rows that are as they should be, then the number of cells. */
function evenness(rows: readonly string[][], options: ReadOptions): number {
  const [first = []] = rows
  const widest = Math.min(999, Math.max(0, ...rows.map((row) => row.length)))
  if (widest < 2) return 0
  const even = rows.filter((row) => isAsExpected(row, first, options)).length
  const expected = hasHeader(options) ? expectedNames(first, options.expectColumns ?? []).length : 0
  return even === 0 ? 0 : expected * 1000 + (even / rows.length) * 100 + widest / 1000
}

function isAsExpected(row: readonly string[], first: readonly string[], options: ReadOptions): boolean {
  if (options.records) return options.records.some(({ type }) => type.trim() === row[0]?.trim())
  return row.length > 1 && row.length === (options.columns?.length ?? first.length)
}

export function hasHeader({ columns, records }: ReadOptions): boolean {
  return columns === undefined && records === undefined
}

/** The cells that spell one of the names; upper and lower case, spaces, underscores and hyphens do not matter. */
export function expectedNames(cells: readonly string[], expected: readonly string[]): string[] {
  const folded = new Set(expected.map(foldName))
  return cells.filter((cell) => folded.has(foldName(cell)))
}

function foldName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, '')
}
