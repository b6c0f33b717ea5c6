/** Rows to CSV bytes, quoting only where a reader would otherwise see something else. */
import type { RowWriter, WriteOptions } from '../../domain/format.ts'
import { BridgeError } from '../../support/errors.ts'
import { assertDelimiter } from './options.ts'

export function csvWriter(columns: readonly string[], options: WriteOptions): RowWriter {
  const { delimiter = ',', newline = '\r\n', quoteAll = false, header = true } = options
  assertDelimiter(delimiter, '"')
  const encoding = writableEncoding(options.encoding ?? 'utf-8')
  // Without its mark, nothing in a UTF-16 file says that it is one.
  const hasMark = options.byteOrderMark ?? encoding === 'utf16le'
  const needsQuotes = quoteAll ? /^/ : quotable(delimiter)

  const toLine = (cells: readonly string[]): string => {
    let line = ''
    for (const [index, cell] of cells.entries()) {
      if (index > 0) line += delimiter
      line += needsQuotes.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
    }
    // A line with nothing on it would be no row.
    return (line === '' ? '""' : line) + newline
  }
  return {
    head: () => Buffer.from((hasMark ? '\uFEFF' : '') + (header ? toLine(columns) : ''), encoding),
    rows(rows) {
      let text = ''
      for (const row of rows) text += toLine(row)
      return Buffer.from(text, encoding)
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

/** The encodings that hold every character, so that nothing is ever lost in writing. */
const WRITABLE: Readonly<Record<string, 'utf8' | 'utf16le'>> = {
  'utf-8': 'utf8',
  utf8: 'utf8',
  'utf-16le': 'utf16le',
  utf16le: 'utf16le',
  'utf-16': 'utf16le',
}

function writableEncoding(name: string): 'utf8' | 'utf16le' {
  const encoding = WRITABLE[name.toLowerCase()]
  if (encoding !== undefined) return encoding
  const message = `CSV cannot be written as "${name}": use utf-8 or utf-16le, which hold every character there is.`
  throw new BridgeError('configuration-invalid', message)
}
