/** Rows to bytes: as CSV, quoting only where a reader would otherwise see something else, or as fixed-width lines. */
import type { RowWriter, WriteOptions } from '../../domain/format.ts'
import { encoderFor } from '../encoder.ts'
import { assertDelimiter } from './options.ts'

type ToLine = (cells: readonly string[]) => string

export function csvWriter(columns: readonly string[], options: WriteOptions): RowWriter {
  const { delimiter = ',', newline = '\r\n', quoteAll = false, header = true, quote } = options
  assertDelimiter(delimiter, quote === null ? null : '"')
  const needsQuotes = quoteAll ? /^/ : quotable(delimiter)

  const quotedLine: ToLine = (cells) => {
    let line = ''
    for (const [index, cell] of cells.entries()) {
      if (index > 0) line += delimiter
      line += needsQuotes.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
    }
    // A line with nothing on it would be no row.
    return (line === '' ? '""' : line) + newline
  }
  const plainLine: ToLine = (cells) => cells.join(delimiter) + newline
  return lineWriter(quote === null ? plainLine : quotedLine, header ? columns : undefined, options)
}

/** Rows whose cells have their full width already. */
export function fixedWriter(columns: readonly string[], options: WriteOptions): RowWriter {
  const { newline = '\r\n', header = false } = options
  return lineWriter((cells) => cells.join('') + newline, header ? columns : undefined, options)
}

function lineWriter(
  toLine: ToLine,
  header: readonly string[] | undefined,
  { encoding = 'utf-8', byteOrderMark, newline = '\r\n', above = [] }: WriteOptions,
): RowWriter {
  const { encode, needsMark } = encoderFor(encoding)
  // Without its mark, nothing in a UTF-16 file says that it is one.
  const mark = (byteOrderMark ?? needsMark) ? encode('\uFEFF') : new Uint8Array()
  const top = above.map((line) => (typeof line === 'string' ? line + newline : toLine(line)))
  if (header !== undefined) top.push(toLine(header))
  return {
    head: () => Buffer.concat([mark, encode(top.join(''))]),
    rows(rows) {
      let text = ''
      for (const row of rows) text += toLine(row)
      return encode(text)
    },
  }
}

/**
 * Cells with a quote, a line break or a character of the delimiter, with blanks at either end, or that would pass for a
 * `sep=` line. One character is enough: a cell that ends in `|` must not run into the delimiter `||`.
 */
function quotable(delimiter: string): RegExp {
  const escaped = delimiter.replace(/[\\\]^-]/g, '\\$&')
  return new RegExp(`["\\r\\n${escaped}]|^\\s|\\s$|^sep=`, 'i')
}
