/** What ends the physical lines of a file. */

/** Before a line feed a carriage return belongs to the line break. */
export type Newline = '\n' | '\r'

/** Shorter than any first piece can be, so that the same file is read the same way however its bytes arrive. */
export const SAMPLE = 8 * 1024

/**
 * Carriage returns alone end lines only where, outside of quotes, there is no line feed at all. `isWhole` says that the
 * text is the whole file and not only its beginning.
 */
export function newlineOf(text: string, isWhole: boolean, quote: string | null): Newline {
  const sample = text.slice(0, SAMPLE)
  const isCut = sample.length < text.length || !isWhole
  const shown = isCut ? sample.replace(/\r$/, '') : sample
  const unquoted = quote === null ? shown : outsideQuotes(shown, quote)
  const telling = /[\r\n]/.test(unquoted) ? unquoted : shown
  return telling.includes('\r') && !telling.includes('\n') ? '\r' : '\n'
}

function outsideQuotes(sample: string, quote: string): string {
  return sample
    .split(quote)
    .filter((_, index) => index % 2 === 0)
    .join('')
}
