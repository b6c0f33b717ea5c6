/** Cuts text into rows: sound text by the parser, a piece at a time; damaged text row by row. */
import Papa from 'papaparse'
import type { Feed } from '../text/feed.ts'
import type { TypedRow } from '../text/records.ts'
import { countOf, type Grid, isBlank } from './grid.ts'
import { endOfIgnored, openedOnFirstLine, scanRow } from './scan.ts'
import type { Shape } from './shape.ts'

export interface Cut {
  /** The rows that are whole, blank ones left out. */
  readonly rows: TypedRow[]
  /** How many lines were left out because the mapping says so. */
  readonly ignored: number
  readonly consumed: number
  /** The physical line behind what was consumed; the same as the last row's where `midLine`. */
  readonly line: number
  /** Whether the last row's line goes on behind the text and the rest of it is to be dropped. */
  readonly midLine: boolean
}

type Text = Pick<Feed, 'text' | 'line' | 'ended'>

export function cutRows(feed: Text, grid: Grid, shape: Shape): Cut {
  const sound = cutSound(feed, grid, shape) ?? {
    rows: [],
    ignored: 0,
    consumed: 0,
    line: feed.line,
    midLine: false,
  }
  // A line break in what is left over is inside a quote: still open, or never to be closed.
  if (feed.text.indexOf(grid.newline, sound.consumed) === -1 && !isOverlong(feed, sound, grid)) return sound
  return cutCarefully(feed, sound, { grid, shape })
}

function isOverlong({ text }: Text, { consumed }: Cut, { limits }: Grid): boolean {
  return text.length - consumed > limits.maxRowCharacters
}

/** The fast way; undefined when anything in the text needs a closer look. */
function cutSound({ text, line }: Text, grid: Grid, shape: Shape): Cut | undefined {
  const { newline, quote, limits } = grid
  if (text.length > limits.maxRowCharacters || grid.escape !== undefined) return undefined
  if (grid.ignores !== undefined && text.split(newline).some(grid.ignores)) return undefined
  const breaks = countOf(text, newline)
  const hasReturns = newline === '\n' && text.includes('\r')
  const isAllPairs = hasReturns && areAllPairs(text)
  const mustDropReturns = hasReturns && !isAllPairs
  // Only here could a carriage return before the line break be a quoted cell's own.
  if (mustDropReturns && quote !== null && text.includes(`\r${quote}`)) return undefined

  const { data, errors, meta } = parse(text, grid, isAllPairs ? '\r\n' : newline)
  const firstWrong = errors[0]?.row
  if (firstWrong !== undefined && firstWrong < data.length) return undefined // one in the unfinished row may be none
  const embedded = breaks - countOf(text.slice(meta.cursor), newline) - data.length
  const newlinesOf = embeddedNewlines(data, text, { grid, embedded })
  const rows: TypedRow[] = []
  let ignored = 0
  let at = line
  for (const [index, values] of data.entries()) {
    if (mustDropReturns) dropReturn(values)
    const newlines = newlinesOf[index] ?? 0
    if (!isBlank(values)) {
      if (newlines > 0 && !shape.fitsOverLines(values)) return undefined
      const row = shape.fit({ layout: 0, line: at, lastLine: at + newlines, values })
      if (row === undefined) ignored += 1
      else rows.push(row)
    }
    if (newlines > limits.maxRowLines) return undefined
    at += newlines + 1
  }
  return { rows, ignored, consumed: meta.cursor, line: at, midLine: false }
}

interface Parsed {
  readonly data: string[][]
  readonly errors: readonly { readonly row?: number }[]
  readonly meta: { readonly cursor: number }
}

function parse(text: string, { delimiter, quote }: Grid, newline: '\n' | '\r' | '\r\n'): Parsed {
  const quoting = quote === null ? { fastMode: true } : { quoteChar: quote }
  const parser = new Papa.Parser({ delimiter, newline, ...quoting })
  return parser.parse(text, 0, true) as Parsed
}

const RETURN = 13

function dropReturn(values: string[]): void {
  const last = values.length - 1
  const cell = values[last]
  if (cell?.charCodeAt(cell.length - 1) === RETURN) values[last] = cell.slice(0, -1)
}

/** Whether a carriage return stands before every line feed. */
function areAllPairs(text: string): boolean {
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (text.charCodeAt(at - 1) !== RETURN) return false
  }
  return true
}

/**
 * How many line breaks are inside the cells of each row, up to the last row that has some. Searching only rows whose
 * cells are together longer than the line they begin on takes 3 % off the time of a whole translation.
 */
function embeddedNewlines(
  rows: readonly (readonly string[])[],
  text: string,
  { grid: { newline, delimiter }, embedded }: { readonly grid: Grid; readonly embedded: number },
): readonly number[] {
  const counts: number[] = []
  let left = embedded
  let lineStart = 0
  for (const values of rows) {
    if (left === 0) break
    const lineEnd = text.indexOf(newline, lineStart)
    const count = lengthOf(values, delimiter) > lineEnd - lineStart ? newlinesIn(values, newline) : 0
    lineStart = lineEnd + 1
    for (let more = count; more > 0; more -= 1) lineStart = text.indexOf(newline, lineStart) + 1
    counts.push(count)
    left -= count
  }
  // Quotes count for the line alone, and may make it seem long enough for a cell that goes on behind it.
  return left === 0 ? counts : rows.map((values) => newlinesIn(values, newline))
}

/** The characters of a row without its quotes. */
function lengthOf(values: readonly string[], delimiter: string): number {
  let length = (values.length - 1) * delimiter.length
  for (const value of values) length += value.length
  return length
}

function newlinesIn(values: readonly string[], newline: string): number {
  let count = 0
  for (const value of values) if (value.includes(newline)) count += countOf(value, newline)
  return count
}

interface Rules {
  readonly grid: Grid
  readonly shape: Shape
}

function cutCarefully({ text, ended }: Text, start: Cut, { grid, shape }: Rules): Cut {
  const { rows } = start
  let { consumed, line, ignored } = start
  while (consumed < text.length) {
    const ignoredEnd = endOfIgnored(text, consumed, grid)
    if (ignoredEnd !== undefined) {
      ignored += 1
      consumed = ignoredEnd
      line += 1
      continue
    }
    const scan = scanRow(text, consumed, grid, ended)
    if (scan.kind === 'more') break
    if (
      scan.kind === 'row' &&
      (scan.newlines === 0 || isBlank(scan.values) || shape.fitsOverLines(scan.values))
    ) {
      const lastLine = line + scan.newlines
      const row = isBlank(scan.values)
        ? undefined
        : shape.fit({ layout: 0, line, lastLine, values: scan.values })
      if (row !== undefined) rows.push(row)
      else if (!isBlank(scan.values)) ignored += 1
      consumed = scan.end
      line = lastLine + 1
      continue
    }
    const isLaterLine = scan.firstLineCells < scan.values.length
    const isFirstToBlame = scan.kind === 'row' || (isLaterLine && !shape.mayBegin(scan.values))
    const fault = isFirstToBlame ? openedOnFirstLine(scan.values, scan.firstLineCells, consumed) : scan
    const lineEnd = text.indexOf(grid.newline, fault.blamed)
    const isEndKnown = lineEnd !== -1 || text.length - consumed > grid.limits.maxRowCharacters
    if (!isEndKnown) break
    const lastLine = line + countOf(text.slice(consumed, fault.blamed), grid.newline)
    rows.push(shape.refuse({ layout: 0, line, lastLine, values: fault.values }, fault.code))
    if (lineEnd === -1) return { rows, ignored, consumed: text.length, line: lastLine, midLine: true }
    consumed = lineEnd + 1
    line = lastLine + 1
  }
  return { rows, ignored, consumed, line, midLine: false }
}
