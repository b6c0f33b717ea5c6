/** The dialect of a CSV file: delimiter, line end, quote and escape, and the checks of a mapping's options. */
import type { ReadOptions } from '../../domain/format.ts'
import { BridgeError } from '../../support/errors.ts'
import type { Newline } from '../text/buffer.ts'
import type { ReadLimits } from '../text/buffer.ts'
import type { IsIgnoredLine } from '../text/batches.ts'

export interface Dialect {
  readonly delimiter: string
  readonly newline: Newline
  /** Null when quotes are data. */
  readonly quote: string | null
  /** The escape before a quote, a delimiter or itself as data. */
  readonly escape: string | undefined
  /** The lines to leave out where a row would begin. */
  readonly ignores: IsIgnoredLine | undefined
  readonly limits: ReadLimits
  /** The most cells of a row over several lines, trailing blank ones aside. Once known, it stops a search early. */
  readonly maxCells: number
}

export function isBlankRow(values: readonly string[]): boolean {
  for (const value of values) if (value.trim() !== '') return false
  return true
}

export function countOccurrences(text: string, mark: string): number {
  let count = 0
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) count++
  return count
}

// Options that fit no file at all are an error of the configuration.

export function assertReadOptions({ delimiter, quote }: ReadOptions): void {
  if (quote !== undefined && quote !== null && !/^[^\r\n\s\uFEFF]$/.test(quote)) {
    const message = `A quote must be one visible character, not ${JSON.stringify(quote)}.`
    throw new BridgeError('configuration-invalid', message)
  }
  if (delimiter !== undefined) assertDelimiter(delimiter, quote === undefined ? '"' : quote)
}

export function assertDelimiter(delimiter: string, quote: string | null): void {
  const isUsable =
    delimiter !== '' && !/[\r\n"\uFEFF]/.test(delimiter) && !(quote !== null && delimiter.includes(quote))
  if (isUsable) return
  const message = `A delimiter must be a character that is neither a quote nor a line break, not ${JSON.stringify(delimiter)}.`
  throw new BridgeError('configuration-invalid', message)
}

// Escapes: quotes and delimiters behind an escape character are data.

/** Whether an odd number of escape characters precedes the position, counted from `start`. */
export function isEscaped(text: string, at: number, escape: string, start: number): boolean {
  let count = 0
  while (at - count > start && text[at - count - 1] === escape) count += 1
  return count % 2 === 1
}

/** Removes escapes; in quotes a doubled quote is one too. Before other characters the escape is data: `C:\\orders`. */
export function removeEscapes(
  text: string,
  { escape, quote, delimiter }: Pick<Dialect, 'escape' | 'quote' | 'delimiter'>,
  isQuoted: boolean,
): string {
  if (escape === undefined || !(text.includes(escape) || (isQuoted && text.includes(quote ?? escape))))
    return text
  let unescaped = ''
  for (let at = 0; at < text.length; at += 1) {
    const next = text[at + 1]
    const isMark =
      next !== undefined && (next === escape || next === quote || text.startsWith(delimiter, at + 1))
    const isDoubled = isQuoted && text[at] === quote && next === quote
    if ((text[at] === escape && isMark) || isDoubled) at += 1
    unescaped += text[at] ?? ''
  }
  return unescaped
}
