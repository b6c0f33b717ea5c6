/** Detects the delimiter and the header line of a file from its first rows. */
import type { ReadOptions } from '../../domain/format.ts'
import { problem, type Problem } from '../../domain/problem.ts'
import { SAMPLE_SIZE } from '../text/buffer.ts'
import { skipLines, type TextBuffer } from '../text/buffer.ts'
import { countOccurrences, type Dialect, isBlankRow } from './dialect.ts'
import { findIgnoredLineEnd, scanRow } from './scan.ts'

const SAMPLE_ROWS = 20
/** What a file may have between its cells, where the mapping does not say. */
const DELIMITERS = [',', ';', '\t', '|'] as const

/** Removes a `sep=;` line from the text, and returns its delimiter. */
export function takeSeparatorLine(buffer: TextBuffer): string | undefined {
  const [line, separator] =
    /^sep=([^\r\n"\uFEFF])(?:\r\n|\r|\n|$)/i.exec(buffer.text.slice(0, SAMPLE_SIZE)) ?? []
  if (line !== undefined) buffer.advance(line.length, buffer.line + 1)
  return separator
}

/** Returns the stated delimiter, or the one that divides the first rows most evenly; a comma when none does. */
export function detectDelimiter(text: string, dialect: Dialect, options: ReadOptions): string {
  if (dialect.delimiter !== '') return dialect.delimiter
  const sample = text.slice(0, SAMPLE_SIZE) + dialect.newline
  let best = { delimiter: ',', score: 0 }
  for (const delimiter of DELIMITERS) {
    const score = scoreRows(sampleRows(sample, { ...dialect, delimiter }), options)
    if (score > best.score) best = { delimiter, score }
  }
  return best.delimiter
}

/** A line with more lines above it is not a header. */
const MAX_LINES_ABOVE_HEADER = 100

/** Moves the buffer to the line with most of the expected names; does not move it when no line has any. */
export async function skipToHeader(
  buffer: TextBuffer,
  dialect: Dialect,
  { expectColumns = [] }: ReadOptions,
): Promise<void> {
  const { newline, limits } = dialect
  const isShort = () =>
    buffer.text.length < limits.maxRowCharacters &&
    buffer.text.split(newline, MAX_LINES_ABOVE_HEADER + 1).length <= MAX_LINES_ABOVE_HEADER
  while (!buffer.ended && isShort()) await buffer.more()
  const text = buffer.text.slice(0, limits.maxRowCharacters)
  let best = { names: 0, line: 0 }
  let at = 0
  for (let line = 0; line < MAX_LINES_ABOVE_HEADER; line += 1) {
    const end = text.indexOf(newline, at)
    if (end === -1) break
    const names = countExpectedNames({ text, at, ended: buffer.ended }, dialect, expectColumns)
    if (names > best.names) best = { names, line }
    at = end + 1
  }
  await skipLines(buffer, newline, buffer.line - 1 + best.line)
}

/** How many of the expected names the row has; by the likeliest delimiter where that of the dialect is empty. */
export function countExpectedNames(
  { text, at, ended }: { readonly text: string; readonly at: number; readonly ended: boolean },
  dialect: Dialect,
  expected: readonly string[],
): number {
  const counts = (dialect.delimiter === '' ? DELIMITERS : [dialect.delimiter]).map((delimiter) => {
    const scan = scanRow(text, at, { ...dialect, delimiter }, ended)
    return scan.kind === 'row' ? matchExpectedNames(scan.values, expected).length : 0
  })
  return Math.max(...counts)
}

function sampleRows(sample: string, dialect: Dialect): string[][] {
  const rows: string[][] = []
  let at = 0
  while (at < sample.length && rows.length < SAMPLE_ROWS) {
    const ignoredEnd = findIgnoredLineEnd(sample, at, dialect)
    if (ignoredEnd !== undefined) {
      at = ignoredEnd
      continue
    }
    const scan = scanRow(sample, at, dialect, true)
    if (scan.kind === 'more') break
    if (scan.kind === 'row' && !isBlankRow(scan.values)) rows.push(scan.values)
    const lineEnd = scan.kind === 'row' ? scan.end - 1 : sample.indexOf(dialect.newline, scan.blamed)
    if (lineEnd === -1) break
    at = lineEnd + 1
  }
  return rows
}

/** Scores the rows: expected names count most, then the share of regular rows, then the number of cells. */
function scoreRows(found: readonly string[][], options: ReadOptions): number {
  const rows = found.slice((options.header?.names ?? 1) - 1)
  const [first = []] = rows
  const widest = Math.min(999, Math.max(0, ...rows.map((row) => row.length)))
  if (widest < 2) return 0
  const even = rows.filter((row) => isExpectedRow(row, first, options)).length
  const expected = hasHeader(options) ? matchExpectedNames(first, options.expectColumns ?? []).length : 0
  return even === 0 ? 0 : expected * 1000 + (even / rows.length) * 100 + widest / 1000
}

function isExpectedRow(row: readonly string[], first: readonly string[], options: ReadOptions): boolean {
  if (options.records && options.alternating === true)
    return options.records.some(({ columns = [] }) => columns.length === row.length)
  if (options.records && !hasHeader(options)) {
    const cell = row[findTypeCell(options)]?.trim() ?? ''
    return options.records.some(({ type }) => matchesType(cell, type.trim()))
  }
  return row.length > 1 && row.length === (options.columns?.length ?? first.length)
}

function matchesType(cell: string, type: string): boolean {
  return type.endsWith('*') ? cell.startsWith(type.slice(0, -1)) : cell === type
}

/** Returns the index of the type cell in a file without a header line. */
export function findTypeCell({ typeIn }: ReadOptions): number {
  return typeof typeIn === 'number' ? typeIn - 1 : 0
}

/** Whether a header line names the columns of all rows. */
export function hasHeader({ columns, records, typeIn }: ReadOptions): boolean {
  return columns === undefined && (records === undefined || typeof typeIn === 'string')
}

/** Finds cells with one of the names; case, spaces, underscores and hyphens do not matter. */
export function matchExpectedNames(cells: readonly string[], expected: readonly string[]): string[] {
  const folded = new Set(expected.map(foldName))
  return cells.filter((cell) => folded.has(foldName(cell)))
}

function foldName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, '')
}

// A file with a wrong delimiter gets one problem, and not one for each missing column.

/** Returns the problem of an undivided line; undefined where no other delimiter divides it either. */
export function checkDelimiter(text: string, line: number, stated: string | undefined): Problem | undefined {
  if (stated === undefined || text.includes(stated)) return undefined
  const counts = DELIMITERS.map((delimiter) => ({ delimiter, count: countOccurrences(text, delimiter) }))
  const [most] = counts.toSorted((a, b) => b.count - a.count)
  if (most === undefined || most.count === 0) return undefined
  const [one, many] = nameDelimiter(stated)
  const [oneFound, manyFound] = nameDelimiter(most.delimiter)
  const found = most.count === 1 ? `one ${oneFound}` : `${most.count} ${manyFound}`
  const message = `Line ${line} has ${found} and no ${one}, and the mapping says \`delimiter: ${JSON.stringify(stated)}\`.`
  const fix = `Save it with ${many}, or take \`delimiter\` out of the mapping: it is found out.`
  return problem('delimiter-wrong', { line }, message, fix)
}

/** Finds the other delimiter that divides the text into so many cells. */
export function findDelimiterOf(text: string, cells: number, stated: string): string | undefined {
  const unquoted = text.replaceAll(/"[^"]*"/g, '')
  return DELIMITERS.find((each) => each !== stated && countOccurrences(unquoted, each) === cells - 1)
}

const DELIMITER_NAMES: Readonly<Record<string, readonly [one: string, many: string]>> = {
  ',': ['comma', 'commas'],
  ';': ['semicolon', 'semicolons'],
  '\t': ['tab', 'tabs'],
  '|': ['bar', 'bars'],
}

function nameDelimiter(delimiter: string): readonly [one: string, many: string] {
  return DELIMITER_NAMES[delimiter] ?? [JSON.stringify(delimiter), JSON.stringify(delimiter)]
}
