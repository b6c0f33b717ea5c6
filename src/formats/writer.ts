/** Writes rows as bytes: as CSV, with quotes where a reader needs them, or as fixed-width lines. */
import iconv from 'iconv-lite'
import type { RowWriter, WriteOptions } from '../domain/format.ts'
import { BridgeError } from '../support/errors.ts'
import { assertDelimiter } from './csv/dialect.ts'

type FormatLine = (cells: readonly string[]) => string

export function createCsvWriter(columns: readonly string[], options: WriteOptions): RowWriter {
  const { delimiter = ',', newline = '\r\n', quoteAll = false, header = true, quote } = options
  assertDelimiter(delimiter, quote === null ? null : '"')
  const needsQuotes = quoteAll ? /^/ : compileQuotePattern(delimiter)

  const quotedLine: FormatLine = (cells) => {
    let line = ''
    let separator = ''
    for (const cell of cells) {
      line += separator
      line += needsQuotes.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
      separator = delimiter
    }
    // Readers would not take an empty line for a row.
    return (line === '' ? '""' : line) + newline
  }
  const plainLine: FormatLine = (cells) => cells.join(delimiter) + newline
  return createLineWriter(quote === null ? plainLine : quotedLine, header ? columns : undefined, options)
}

/** Writes rows whose cells already have their full width. */
export function createFixedWriter(columns: readonly string[], options: WriteOptions): RowWriter {
  const { newline = '\r\n', header = false } = options
  return createLineWriter((cells) => cells.join('') + newline, header ? columns : undefined, options)
}

function createLineWriter(
  toLine: FormatLine,
  header: readonly string[] | undefined,
  { encoding = 'utf-8', byteOrderMark, newline = '\r\n', above = [] }: WriteOptions,
): RowWriter {
  const { encode, needsMark } = createEncoder(encoding)
  // Only its byte order mark identifies a UTF-16 file.
  const mark = (byteOrderMark ?? needsMark) ? encode('\uFEFF') : new Uint8Array()
  const top = above.map((line) => (typeof line === 'string' ? line + newline : toLine(line)))
  if (header !== undefined) top.push(toLine(header))
  return {
    formatHeader: () => Buffer.concat([mark, encode(top.join(''))]),
    formatRows(rows) {
      let text = ''
      for (const row of rows) text += toLine(row)
      return encode(text)
    },
  }
}

/**
 * Matches cells with a quote, a line break, any character of the delimiter, outer blanks, or the form of a `sep=` line.
 * One character is enough: a cell that ends in `|` must not run into the delimiter `||`.
 */
function compileQuotePattern(delimiter: string): RegExp {
  const escaped = delimiter.replace(/[\\\]^-]/g, '\\$&')
  return new RegExp(`["\\r\\n${escaped}]|^\\s|\\s$|^sep=`, 'i')
}

// Encoders turn text into bytes of any encoding and never replace a character silently.

/** Names that iconv knows for non-text encodings and for stateful ones. */
const NOT_ENCODINGS = new Set(['base64', 'hex', 'binary', 'utf7', 'utf7imap', 'cesu8', 'ucs2'])

/**
 * Throws `configuration-invalid` for an unknown encoding. So does `encode` for a character that the encoding lacks: the caller
 * must replace such characters first. `needsMark`: only a byte order mark identifies the encoding.
 */
export function createEncoder(name: string) {
  const folded = name.toLowerCase().replace(/[^a-z0-9]/g, '')
  if (folded === 'utf8')
    return { encode: (text: string): Uint8Array => Buffer.from(text, 'utf8'), needsMark: false }
  if (folded === 'utf16le' || folded === 'utf16') {
    return { encode: (text: string): Uint8Array => Buffer.from(text, 'utf16le'), needsMark: true }
  }
  if (NOT_ENCODINGS.has(folded) || !iconv.encodingExists(name)) {
    const message = `Files cannot be written as "${name}": use utf-8, utf-16le or one such as windows-1252.`
    throw new BridgeError('configuration-invalid', message)
  }
  const encode = (text: string): Uint8Array => iconv.encode(text, name, { addBOM: false })
  if (folded.startsWith('utf')) return { encode, needsMark: true }
  return { encode: (text: string) => assertEncodable(text, encode(text), name), needsMark: false }
}

/** Checks that all but plain ASCII decodes to the same text again. */
function assertEncodable(text: string, bytes: Uint8Array, name: string): Uint8Array {
  if (iconv.decode(bytes, name, { stripBOM: false }) === text) return bytes
  const isLost = (it: string) => iconv.decode(iconv.encode(it, name), name, { stripBOM: false }) !== it
  const lost = Array.from(text).find(isLost) ?? text
  const message = `A file in ${name} cannot hold "${lost}". Write it as utf-8, or say in the mapping what to write instead: \`write: { fold: ascii }\` or \`replace\`.`
  throw new BridgeError('configuration-invalid', message)
}
