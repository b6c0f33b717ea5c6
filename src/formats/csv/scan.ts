/**
 * Reads one row, cell by cell. Slower than the parser, but it stops at the first fault, so that an open quote does not
 * swallow the rows behind it. For sound rows it makes the same cells.
 */
import { countOccurrences, type Dialect, isEscaped, removeEscapes } from './dialect.ts'

export type ScanResult =
  | {
      readonly kind: 'row'
      readonly values: string[]
      readonly end: number
      readonly newlines: number
      /** How many cells at the start of the row end on its first line. */
      readonly firstLineCells: number
      /** Where each cell ends, so that a person can change one and leave the others as they are. */
      readonly ends: readonly number[]
    }
  | Fault
  /** The text ends before the row is complete. */
  | { readonly kind: 'more' }

export type RowFaultCode = 'quote-not-closed' | 'quote-misplaced' | 'row-too-large'

export interface Fault {
  readonly kind: 'fault'
  readonly code: RowFaultCode
  readonly values: string[]
  /** How many of them end on the first line of the row. */
  readonly firstLineCells: number
  /** A position on the faulty physical line. */
  readonly blamed: number
  /** Whether the text ends inside the cell. */
  readonly isUnfinished?: boolean
}

const NEEDS_MORE: ScanResult = { kind: 'more' }

/** With `ended`, the text must end with a line break. The result depends only on the text from `from` on. */
export function scanRow(text: string, from: number, dialect: Dialect, ended: boolean): ScanResult {
  const { delimiter, newline, quote, limits, maxCells } = dialect
  const furthest = from + limits.maxRowCharacters
  let lineEnd = text.indexOf(newline, from)
  if (lineEnd === -1 && text.length <= furthest) return NEEDS_MORE
  if (lineEnd === -1 || lineEnd > furthest) return rowTooLargeFault(text.slice(from, furthest), from, dialect)

  const values: string[] = []
  const ends: number[] = []
  let newlines = 0
  let firstLineCells = -1
  const cellsOnFirstLine = () => (newlines === 0 ? values.length : firstLineCells)
  const texts: UnquotedCell[] = []
  const toRow = (end: number): ScanResult => {
    const opening = quote === null ? -1 : findMisplacedQuote(texts, quote, dialect.escape)
    if (opening === -1)
      return { kind: 'row', values, end, newlines, firstLineCells: cellsOnFirstLine(), ends }
    const before = values.slice(0, opening)
    return {
      kind: 'fault',
      code: 'quote-misplaced',
      values: before,
      firstLineCells: opening,
      blamed: end - 1,
    }
  }
  const { escape } = dialect
  const bounds = {
    quote: quote ?? '',
    escape,
    delimiter,
    newline,
    furthest,
    lineEnd,
    linesLeft: limits.maxRowLines,
  }
  // Searched in place of the text, so that a row without another delimiter does not search all rows behind it.
  let line = text.slice(from, lineEnd)
  let lineStart = from
  for (let at = from; ; at += delimiter.length) {
    const indented = quote !== null && isBlank(text, at) ? scanIndented(text, at, bounds) : undefined
    if (quote === null || (text[at] !== quote && indented === undefined)) {
      const start = at - lineStart
      const stop = locateDelimiter(line, start, dialect)
      const cell = stop === -1 ? stripCarriageReturn(line.slice(start), dialect) : line.slice(start, stop)
      if (quote !== null && cell.includes(quote)) texts.push({ index: values.length, text: cell })
      values.push(escape === undefined ? cell : removeEscapes(cell, dialect, false))
      ends.push(at + cell.length)
      if (stop === -1) return toRow(lineEnd + 1)
      at = lineStart + stop
      continue
    }
    const cell = indented ?? scanQuoted(text, at, bounds)
    if (cell === 'unfinished' && !ended) return NEEDS_MORE
    if (cell === 'unfinished' || cell === 'fault') {
      const firstLineCells = cellsOnFirstLine()
      const isUnfinished = cell === 'unfinished'
      return { kind: 'fault', code: 'quote-not-closed', values, firstLineCells, blamed: at, isUnfinished }
    }
    if (cell.newlines > 0) {
      if (newlines === 0) firstLineCells = values.length
      newlines += cell.newlines
      lineEnd = text.indexOf(newline, cell.end)
      if (lineEnd === -1 && text.length <= furthest) return NEEDS_MORE
      if (lineEnd === -1 || lineEnd > furthest) return blameFirstLine(values, firstLineCells, from)
      lineStart = cell.end
      line = text.slice(lineStart, lineEnd)
      bounds.lineEnd = lineEnd
      bounds.linesLeft = limits.maxRowLines - newlines
    }
    values.push(cell.value)
    ends.push(cell.end)
    const isTooMany = newlines > 0 && values.length > maxCells && cell.value.trim() !== ''
    if (isTooMany) return blameFirstLine(values, firstLineCells, from)
    if (cell.end === lineEnd) return toRow(lineEnd + 1)
    at = cell.end
  }
}

/** Whether the text may hold a quote inside an unquoted cell, which the fast parser takes for text. */
export function mayMisplaceQuotes(text: string, { quote, delimiter }: Dialect): boolean {
  if (quote === null || !text.includes(quote)) return false
  const mark = escapeInClass(quote)
  const other = `[^${mark}${escapeInClass(delimiter)}\\r\\n]`
  // An even number of quotes is text within a quoted cell and outside.
  return new RegExp(`${other}[${mark}](?:[${mark}]{2})*${other}`).test(text)
}

/**
 * Whether a cell of the fast parser begins with blanks and a quote: it takes for text what is a quoted cell behind blanks. The text
 * is searched first, because few files have one, and finds too many: behind a delimiter within a quoted cell, too.
 */
export function hasIndentedQuote(
  rows: readonly (readonly string[])[],
  text: string,
  { quote, delimiter }: Dialect,
): boolean {
  if (quote === null || !text.includes(quote)) return false
  const mark = escapeInClass(quote)
  if (!new RegExp(`(?:^|[${escapeInClass(delimiter)}\\r\\n])[ \\t]+[${mark}]`).test(text)) return false
  const indented = new RegExp(`^[ \\t]+[${mark}]`)
  return rows.some((values) => values.some((value) => indented.test(value)))
}

function escapeInClass(marks: string): string {
  return marks.replaceAll(/[\\\]^-]/g, String.raw`\$&`)
}

function isBlank(text: string, at: number): boolean {
  return text[at] === ' ' || text[at] === '\t'
}

/** A quoted cell behind blanks, which must end on its line; undefined when the cell does not begin so. */
function scanIndented(text: string, from: number, bounds: QuotedBounds) {
  let at = from
  while (isBlank(text, at) && !text.startsWith(bounds.delimiter, at)) at++
  if (at === from || text[at] !== bounds.quote) return undefined
  const cell = scanQuoted(text, at, bounds)
  return typeof cell === 'string' || cell.newlines > 0 ? 'fault' : cell
}

/**
 * The first unquoted cell with a quote inside whose partner is in a later unquoted cell, or -1: a delimiter is missing
 * before the quote, and the one inside the quotes has taken its place. A quote behind a digit may be a mark of inches,
 * so of two such the later one must end its cell. `texts` are the unquoted cells with quotes.
 */
function findMisplacedQuote(
  texts: readonly UnquotedCell[],
  quote: string,
  escape: string | undefined,
): number {
  const odd = texts.filter(({ text }) => listQuotes(text, quote, escape).length % 2 === 1)
  const isClosing = ({ text }: UnquotedCell) => text.trimEnd().endsWith(quote)
  const at = odd.findIndex((cell) => !isClosing(cell))
  const opening = odd[at]
  if (opening === undefined) return -1
  const mayMeanInches = ({ text }: UnquotedCell) => /\d/.test(text.charAt(text.lastIndexOf(quote) - 1))
  const isPartner = (cell: UnquotedCell) =>
    isClosing(cell) || !(mayMeanInches(opening) || mayMeanInches(cell))
  return odd.slice(at + 1).some(isPartner) ? opening.index : -1
}

/** The positions of the quotes in a text, without those behind an escape. */
function listQuotes(text: string, quote: string, escape: string | undefined): number[] {
  const positions: number[] = []
  for (let at = text.indexOf(quote); at !== -1; at = text.indexOf(quote, at + 1)) {
    if (escape === undefined || !isEscaped(text, at, escape, 0)) positions.push(at)
  }
  return positions
}

/** A cell that begins without a quote and has one inside. */
interface UnquotedCell {
  readonly index: number
  readonly text: string
}

/** Blames the first quote that crosses a line's end, in a row over several lines that cannot be right. */
export function blameFirstLine(cells: readonly string[], firstLineCells: number, from: number): Fault {
  const values = cells.slice(0, firstLineCells)
  return { kind: 'fault', code: 'quote-not-closed', values, firstLineCells, blamed: from }
}

/** Returns the end of an ignored line that begins here, whatever its quotes. */
export function findIgnoredLineEnd(text: string, from: number, dialect: Dialect): number | undefined {
  if (dialect.ignores === undefined) return undefined
  const lineEnd = text.indexOf(dialect.newline, from)
  if (lineEnd === -1 || lineEnd - from > dialect.limits.maxRowCharacters) return undefined
  return dialect.ignores(text.slice(from, lineEnd)) ? lineEnd + 1 : undefined
}

/** Where the cell that begins at `start` ends: at the first delimiter that is not escaped; -1 at the end of the line. */
function locateDelimiter(line: string, start: number, { delimiter, escape }: Dialect): number {
  let stop = line.indexOf(delimiter, start)
  while (escape !== undefined && stop !== -1 && isEscaped(line, stop, escape, start)) {
    stop = line.indexOf(delimiter, stop + delimiter.length)
  }
  return stop
}

interface QuotedBounds extends Pick<Dialect, 'escape' | 'delimiter' | 'newline'> {
  readonly quote: string
  readonly furthest: number
  /** The first line break behind the start of the cell. */
  readonly lineEnd: number
  readonly linesLeft: number
}

/** `end` is the position of the delimiter or line break behind the cell. */
function scanQuoted(text: string, from: number, bounds: QuotedBounds) {
  const { quote, escape, delimiter, newline, furthest, lineEnd, linesLeft } = bounds
  let newlines = 0
  let hasDoubledQuotes = false
  let searched = from + 1
  for (;;) {
    const close = text.indexOf(quote, searched)
    const reached = close === -1 ? text.length : close
    if (reached > lineEnd) newlines += countOccurrences(text.slice(searched, reached), newline)
    if (newlines > linesLeft || reached > furthest) return 'fault'
    if (close === -1) return 'unfinished'
    if (escape !== undefined && isEscaped(text, close, escape, from + 1)) {
      searched = close + 1
      continue
    }
    if (text[close + 1] === quote) {
      hasDoubledQuotes = true
      searched = close + 2
      continue
    }
    const end = skipBlanks(text, close + 1, bounds)
    if (end > furthest) return 'fault'
    if (text[end] !== newline && !text.startsWith(delimiter, end)) {
      return end + delimiter.length > text.length ? 'unfinished' : 'fault'
    }
    const inside = text.slice(from + 1, close)
    if (escape !== undefined) return { value: removeEscapes(inside, bounds, true), end, newlines }
    return { value: hasDoubledQuotes ? inside.replaceAll(quote + quote, quote) : inside, end, newlines }
  }
}

/** Blanks between a closing quote and the end of the cell are not part of it. */
function skipBlanks(text: string, from: number, { newline, delimiter }: QuotedBounds): number {
  let at = from
  while (
    at < text.length &&
    text[at] !== newline &&
    !text.startsWith(delimiter, at) &&
    text[at]?.trim() === ''
  )
    at++
  return at
}

/** Reads the first cells of a row that is too large; they may name its record. */
function rowTooLargeFault(start: string, from: number, dialect: Dialect): Fault {
  const whole = { ...dialect, limits: { ...dialect.limits, maxRowCharacters: start.length + 1 } }
  const scan = scanRow(start + dialect.newline, 0, whole, true)
  const values = scan.kind === 'row' ? scan.values.slice(0, -1) : scan.kind === 'fault' ? scan.values : []
  return { kind: 'fault', code: 'row-too-large', values, firstLineCells: values.length, blamed: from }
}

function stripCarriageReturn(cell: string, { newline }: Dialect): string {
  return newline === '\n' && cell.endsWith('\r') ? cell.slice(0, -1) : cell
}
