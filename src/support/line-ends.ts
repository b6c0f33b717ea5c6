/** Detects how the lines of a file end: its reader and the copier of its rows must agree. */

/** Before a line feed a carriage return belongs to the line break. */
export type Newline = '\n' | '\r'

/** Shorter than any first piece can be, so that the same file is read the same way however its bytes arrive. */
export const SAMPLE_SIZE = 8 * 1024

/**
 * Returns a carriage return only where there is no line feed outside of quotes. `isWhole`: the text is the whole file and
 * not only its beginning.
 */
export function detectNewline(text: string, isWhole: boolean, quote: string | null): Newline {
  const sample = text.slice(0, SAMPLE_SIZE)
  const isCut = sample.length < text.length || !isWhole
  const shown = isCut ? sample.replace(/\r$/, '') : sample
  const unquoted = quote === null ? shown : removeQuoted(shown, quote)
  const relevant = /[\r\n]/.test(unquoted) ? unquoted : shown
  return relevant.includes('\r') && !relevant.includes('\n') ? '\r' : '\n'
}

function removeQuoted(sample: string, quote: string): string {
  return sample
    .split(quote)
    .filter((_, index) => index % 2 === 0)
    .join('')
}
