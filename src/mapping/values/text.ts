/** Cleans and splits the text of cells: blanks, the wrappers of spreadsheets, and line breaks. */
import type { ProblemCode } from '../../domain/problem.ts'

const MAX_QUOTE_LENGTH = 60

/** The text in quotes for a message, shortened when it is long. */
export function quoteText(text: string): string {
  return text.length <= MAX_QUOTE_LENGTH ? `"${text}"` : `"${text.slice(0, MAX_QUOTE_LENGTH)}…"`
}

const SPREADSHEET_FORMULA = /^="(.*)"$/s
const SPREADSHEET_APOSTROPHE = /^'(?=[\d+=-])/

/** Removes outer blanks, also no-break ones, and what keeps zeros in spreadsheets: `="01754"`, a leading apostrophe. */
export function cleanText(raw: string): string {
  if (raw.length === 0 || isPlain(raw.charCodeAt(0), raw.charCodeAt(raw.length - 1))) return raw
  const text = raw.trim()
  const formula = SPREADSHEET_FORMULA.exec(text)
  if (formula?.[1] !== undefined) return formula[1].replaceAll('""', '"').trim()
  return text.replace(SPREADSHEET_APOSTROPHE, '')
}

/** Texts that mean blank, as they are compared: without case and outer blanks. */
export function normalizeBlanks(texts: readonly string[] = []): ReadonlySet<string> {
  return new Set(texts.map((text) => text.trim().toLowerCase()))
}

/** The text of a cell, empty where it means blank. */
export function cleanCell(raw: string, blanks: ReadonlySet<string>): string {
  const text = cleanText(raw)
  return blanks.size > 0 && blanks.has(text.toLowerCase()) ? '' : text
}

/** Whether the outer characters of a text need no cleaning. */
function isPlain(first: number, last: number): boolean {
  return first > 0x20 && first < 0x7f && first !== 0x3d && first !== 0x27 && last > 0x20 && last < 0x7f
}

/** Breaks text between words into lines of at most `width` characters; its own line breaks stay, long words are cut. */
export function wrapText(text: string, width: number): string[] {
  const lines = splitLines(text)
  return lines.every(({ length }) => length <= width) ? lines : lines.flatMap((line) => wrapLine(line, width))
}

/** The lines of a text, each without outer blanks, whatever the line ends are. */
export function splitLines(text: string): string[] {
  if (!text.includes('\n') && !text.includes('\r')) return [text.trim()]
  return text.split(/\r\n|\r|\n/).map((line) => line.trim())
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = []
  let rest = line
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width)
    const end = space > 0 ? space : findCutPosition(rest, width)
    lines.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  if (rest !== '' || lines.length === 0) lines.push(rest)
  return lines
}

/** Where to cut. A character outside the basic plane is two units long and must not be cut in half. */
export function findCutPosition(text: string, width: number): number {
  const unit = text.charCodeAt(width - 1)
  return unit >= 0xd800 && unit <= 0xdbff && width > 1 ? width - 1 : width
}

// A conversion takes a text and gives a value or a refusal.

/** Marks a refused value, so that a rule over several fields does not take it for a missing one. */
export const FAILED: Readonly<Record<string, never>> = Object.freeze({})

/** Marks an id that is still to be found, for the same reason; it is removed from the final body. */
export const DEFERRED: Readonly<Record<string, never>> = Object.freeze({})

/** Notes a problem and gives FAILED. */
export type Refuse = (code: ProblemCode, message: string, fix?: string) => typeof FAILED

/** Converts a filled text without outer blanks to a value. */
export type Convert = (text: string, refuse: Refuse) => unknown

// Several texts in one cell; a separator behind an escape is text.

/** The texts of a cell. The escape counts before the separator and itself; elsewhere it is a character like any other. */
export function splitEscaped(text: string, separator: string, escape: string | undefined): string[] {
  if (escape === undefined || !text.includes(escape)) return text.split(separator)
  const texts: string[] = []
  let current = ''
  let at = 0
  while (at < text.length) {
    const next = text.charAt(at + 1)
    if (text[at] === escape && (next === escape || (next !== '' && next === separator[0]))) {
      current += next
      at += 2
    } else if (text.startsWith(separator, at)) {
      texts.push(current)
      current = ''
      at += separator.length
    } else {
      current += text.charAt(at)
      at += 1
    }
  }
  return [...texts, current]
}

/** Escapes every character that could begin a separator, so that no text runs into the separator behind it. */
export function escapeSeparator(text: string, separator: string, escape: string): string {
  const first = separator.charAt(0)
  return text.replace(/[\s\S]/g, (unit) => (unit === escape || unit === first ? escape + unit : unit))
}

/** Why an escape cannot be used with a separator; undefined when it can. */
export function checkEscape(escape: string, separator: string): string | undefined {
  return separator.includes(escape)
    ? 'the escape must be a character that is not in the separator'
    : undefined
}

// Plain ASCII: letters without their marks.

/** Letters that Unicode does not decompose. */
const SPELLINGS = new Map(
  [
    'ß ss, ẞ SS, æ ae, Æ AE, œ oe, Œ OE, ø o, Ø O, đ d, Đ D, ð d, Ð D, þ th, Þ Th, ł l, Ł L, ħ h, Ħ H, ı i',
    '‐ -, ‑ -, – -, — -, − -, ‘ \', ’ \', ‚ \', “ ", ” ", „ ", « ", » ", × x, € EUR',
  ].flatMap((list) => list.split(', ').map((pair) => [pair.charAt(0), pair.slice(2)] as const)),
)

/** Converts to ASCII: `é` is `e`, `ß` is `ss`; undefined for characters without a readable equivalent. */
export function toAscii(character: string): string | undefined {
  const spelled = SPELLINGS.get(character)
  if (spelled !== undefined) return spelled
  const bare = character.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('\u2044', '/')
  return /^[ -~]+$/.test(bare) ? bare : undefined
}
