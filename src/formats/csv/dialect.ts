/** How a file is written, found out from its first rows where nobody has told: its delimiter, and where its header is. */
import type { ReadOptions } from '../../domain/format.ts'
import { type Feed, skipLines } from '../text/feed.ts'
import { SAMPLE } from '../text/newline.ts'
import { type Grid, isBlank } from './grid.ts'
import { endOfIgnored, scanRow } from './scan.ts'

const SAMPLE_ROWS = 20
export const DELIMITERS = [',', ';', '\t', '|'] as const

/** Takes a `sep=;` line off the text, and gives the delimiter it names. */
export function takeSeparatorLine(feed: Feed): string | undefined {
  const [line, separator] = /^sep=([^\r\n"\uFEFF])(?:\r\n|\r|\n|$)/i.exec(feed.text.slice(0, SAMPLE)) ?? []
  if (line !== undefined) feed.advance(line.length, feed.line + 1)
  return separator
}

/** The told delimiter, or the one that divides the first rows most evenly; a comma when none does. */
export function findDelimiter(text: string, grid: Grid, options: ReadOptions): string {
  if (grid.delimiter !== '') return grid.delimiter
  const sample = text.slice(0, SAMPLE) + grid.newline
  let best = { delimiter: ',', score: 0 }
  for (const delimiter of DELIMITERS) {
    const score = evenness(firstRows(sample, { ...grid, delimiter }), options)
    if (score > best.score) best = { delimiter, score }
  }
  return best.delimiter
}

/** A header that has more than this above it is none. */
const LINES_ABOVE_HEADER = 100

/** Leaves the feed before the line with most of the expected names; where it is when no line has any. */
export async function skipToHeader(
  feed: Feed,
  grid: Grid,
  { expectColumns = [] }: ReadOptions,
): Promise<void> {
  const { newline, limits } = grid
  while (!feed.ended && feed.text.length < limits.maxRowCharacters && breaksIn(feed.text, newline)) {
    await feed.more()
  }
  const text = feed.text.slice(0, limits.maxRowCharacters)
  let best = { names: 0, line: 0 }
  let at = 0
  for (let line = 0; line < LINES_ABOVE_HEADER; line += 1) {
    const end = text.indexOf(newline, at)
    if (end === -1) break
    for (const delimiter of grid.delimiter === '' ? DELIMITERS : [grid.delimiter]) {
      const scan = scanRow(text, at, { ...grid, delimiter }, feed.ended)
      const names = scan.kind === 'row' ? expectedNames(scan.values, expectColumns).length : 0
      if (names > best.names) best = { names, line }
    }
    at = end + 1
  }
  await skipLines(feed, newline, feed.line - 1 + best.line)
}

/** Whether there may be fewer lines in the text than have to be looked at. */
function breaksIn(text: string, newline: string): boolean {
  return text.split(newline, LINES_ABOVE_HEADER + 1).length <= LINES_ABOVE_HEADER
}

function firstRows(sample: string, grid: Grid): string[][] {
  const rows: string[][] = []
  let at = 0
  while (at < sample.length && rows.length < SAMPLE_ROWS) {
    const ignoredEnd = endOfIgnored(sample, at, grid)
    if (ignoredEnd !== undefined) {
      at = ignoredEnd
      continue
    }
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
function evenness(found: readonly string[][], options: ReadOptions): number {
  const rows = found.slice((options.header?.names ?? 1) - 1)
  const [first = []] = rows
  const widest = Math.min(999, Math.max(0, ...rows.map((row) => row.length)))
  if (widest < 2) return 0
  const even = rows.filter((row) => isAsExpected(row, first, options)).length
  const expected = hasHeader(options) ? expectedNames(first, options.expectColumns ?? []).length : 0
  return even === 0 ? 0 : expected * 1000 + (even / rows.length) * 100 + widest / 1000
}

function isAsExpected(row: readonly string[], first: readonly string[], options: ReadOptions): boolean {
  if (options.records && !hasHeader(options)) {
    const cell = row[typeIndex(options)]?.trim() ?? ''
    return options.records.some(({ type }) => isOfType(cell, type.trim()))
  }
  return row.length > 1 && row.length === (options.columns?.length ?? first.length)
}

function isOfType(cell: string, type: string): boolean {
  return type.endsWith('*') ? cell.startsWith(type.slice(0, -1)) : cell === type
}

/** The index of the cell that tells the type in a file without a header line that would name it. */
export function typeIndex({ typeIn }: ReadOptions): number {
  return typeof typeIn === 'number' ? typeIn - 1 : 0
}

/** Whether a header line names the columns of all rows. */
export function hasHeader({ columns, records, typeIn }: ReadOptions): boolean {
  return columns === undefined && (records === undefined || typeof typeIn === 'string')
}

/** The cells that spell one of the names; upper and lower case, spaces, underscores and hyphens do not matter. */
export function expectedNames(cells: readonly string[], expected: readonly string[]): string[] {
  const folded = new Set(expected.map(foldName))
  return cells.filter((cell) => folded.has(foldName(cell)))
}

function foldName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, '')
}
