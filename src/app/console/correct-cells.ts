/** The bytes of a row with other cells: only these are written anew, in the form of the row. */
import iconv from 'iconv-lite'
import type { Layout, ReadOptions } from '../../domain/format.ts'
import type { Newline } from '../../formats/text/buffer.ts'
import { openDecoder } from '../../formats/text/decoders.ts'
import { createEncoder } from '../../formats/writer.ts'

/** A cell of a row, or a whole line that cannot be divided into cells. */
export interface EditableCell {
  /** Its number in the row, from 0. */
  readonly cell: number
  /** The name of its column; empty where it has none. */
  readonly column: string
  /** As a browser can show it, and gives it back where it is not touched. */
  readonly text: string
  /** How many characters, or bytes, its place has; left out where it may grow. */
  readonly room?: number
  readonly isWholeLine?: true
}

/** Another text for a cell of the row that begins on this line of the source. */
export interface CellChange {
  readonly line: number
  readonly cell: number
  readonly text: string
}

/** Why a cell cannot hold what was typed. */
export interface CellError extends Pick<CellChange, 'line' | 'cell'> {
  readonly message: string
}

export interface RowForm {
  readonly read: ReadOptions
  readonly layouts: readonly Layout[]
  readonly encoding: string
  readonly delimiter: string
  readonly newline: Newline
  readonly quote: string | null
}

/** A cell with its place in the carried text of its row. */
export interface RawCell extends EditableCell {
  readonly start: number
  readonly end: number
}

export interface RawRow {
  /** Its first and last line among those that were read. */
  readonly line: number
  readonly lastLine: number
  readonly text: string
  readonly carrier: Carrier
  readonly cells: readonly RawCell[]
}

// Carriers: bytes as text in which the marks of the format can be found, and back to the same bytes.

export interface Carrier {
  toText(bytes: Uint8Array): string
  toBytes(text: string): Uint8Array
  /** Carries a text that a person typed. */
  carry(text: string): string
  /** A part of the carried text as a person reads it. */
  show(text: string): string
}

export function chooseCarrier(bytes: Uint8Array, { encoding, read }: RowForm): Carrier {
  const plain = createPlainCarrier(encoding)
  const isWhole = Buffer.from(plain.toBytes(plain.toText(bytes))).equals(Buffer.from(bytes))
  const inBytes = read.format === 'fixed' && read.widths === 'bytes'
  // Bytes that are no text of the encoding must stay as they are, in cells that are not touched.
  return (isWhole && !inBytes) || encoding.startsWith('utf-16') ? plain : createByteCarrier(encoding)
}

export function createPlainCarrier(encoding: string): Carrier {
  const encode = (text: string) => iconv.encode(text, encoding, { addBOM: false })
  return {
    toText: (bytes) => iconv.decode(Buffer.from(bytes), encoding, { stripBOM: false }),
    toBytes: encode,
    carry: (text) => text,
    show: (text) => text,
  }
}

/** Each byte is one character. */
function createByteCarrier(encoding: string): Carrier {
  return {
    toText: (bytes) => Buffer.from(bytes).toString('latin1'),
    toBytes: (text) => Buffer.from(text, 'latin1'),
    carry: (text) => Buffer.from(createEncoder(encoding).encode(text)).toString('latin1'),
    show(text) {
      const decoder = openDecoder(encoding)
      return decoder.write(Buffer.from(text, 'latin1')).text + decoder.end().text
    },
  }
}

/** Where the line ends without its line break. */
export function endOfContent(text: string, end: number, newline: Newline): number {
  let stop = text[end - 1] === newline ? end - 1 : end
  if (newline === '\n' && text[stop - 1] === '\r') stop -= 1
  return stop
}

// Writing: only the changed cells, in the form of the row.

export function rewriteRow(
  row: RawRow & { readonly numberOf: (line: number) => number },
  changes: readonly CellChange[],
  form: RowForm,
  errors: CellError[],
): Uint8Array {
  const { text, carrier, cells } = row
  const before = carrier.toBytes(text)
  let changed = form.read.format === 'fixed' ? Array.from(text) : text.split('')
  const sorted = changes.toSorted((one, other) => other.cell - one.cell)
  const added: string[] = []
  const last = cells.findLastIndex(
    ({ start, end }, at) => at === 0 || start !== end || start !== cells[at - 1]?.end,
  )
  for (const { line, cell: at, text: typed } of sorted) {
    const cell = cells[at]
    const refuse = (message: string) => void errors.push({ line, cell: at, message })
    if (cell === undefined) continue
    const lacking = findLacking(typed, form.encoding)
    if (lacking !== undefined) {
      refuse(`A file in ${form.encoding} cannot hold "${lacking}".`)
      continue
    }
    const written = writeCell(cell, text, typed, { carrier, form })
    if (typeof written !== 'string') {
      refuse(written.refused)
      continue
    }
    if (form.read.format !== 'fixed' && at > last && cell.isWholeLine !== true) {
      added[at - last - 1] = written
      continue
    }
    const units = form.read.format === 'fixed' ? Array.from(written) : [written]
    const short = cell.room === undefined ? 0 : cell.start + cell.room
    const stop = form.read.format === 'fixed' ? endOfUnits(changed, form.newline) : 0
    // A short line of fixed width gets blanks up to the place of the cell.
    const blanks =
      stop < short && stop < cell.start ? Array.from({ length: cell.start - stop }, () => ' ') : []
    const start = blanks.length > 0 ? stop : cell.start
    const end = cell.room === undefined ? cell.end : Math.min(cell.start + cell.room, Math.max(stop, start))
    changed = [...changed.slice(0, start), ...blanks, ...units, ...changed.slice(Math.max(start, end))]
  }
  const whole =
    added.length === 0 ? changed.join('') : appendCells(changed.join(''), added, { carrier, form })
  return errors.length > 0 ? before : carrier.toBytes(whole)
}

function endOfUnits(units: readonly string[], newline: Newline): number {
  let end = units.length
  if (units[end - 1] === newline) end -= 1
  if (newline === '\n' && units[end - 1] === '\r') end -= 1
  return end
}

/** Cells that a short row lacked. */
function appendCells(
  text: string,
  added: readonly (string | undefined)[],
  { carrier, form }: { readonly carrier: Carrier; readonly form: RowForm },
): string {
  const end = endOfContent(text, text.length, form.newline)
  const delimiter = carrier.carry(form.delimiter)
  const cells = Array.from(added, (each = '') => delimiter + each).join('')
  return text.slice(0, end) + cells + text.slice(end)
}

type Written = string | { readonly refused: string }

function writeCell(
  cell: RawCell,
  row: string,
  typed: string,
  { carrier, form }: { readonly carrier: Carrier; readonly form: RowForm },
): Written {
  if (cell.isWholeLine === true)
    return typed.includes('\n') ? { refused: 'A line cannot hold a line break.' } : carrier.carry(typed)
  return cell.room === undefined
    ? writeCsvCell(row.slice(cell.start, cell.end), typed, { carrier, form })
    : writeFixedCell(row, cell, typed, carrier)
}

/** In quotes where the cell had them or its text needs them. */
function writeCsvCell(
  raw: string,
  typed: string,
  { carrier, form }: { readonly carrier: Carrier; readonly form: RowForm },
): Written {
  const { quote, delimiter, read, newline } = form
  const lineBreak = newline
  const text = typed.replaceAll('\n', lineBreak)
  const { escape } = read
  const guarded = escape === undefined ? text : text.replaceAll(escape, escape + escape)
  const hasBreak = /[\r\n]/.test(text)
  if (quote === null) {
    if (hasBreak) return { refused: 'A cell of this file cannot hold a line break.' }
    if (escape !== undefined) return carrier.carry(guarded.replaceAll(delimiter, escape + delimiter))
    if (text.includes(delimiter))
      return { refused: `A cell of this file cannot hold "${delimiter}", which separates its cells.` }
    return carrier.carry(text)
  }
  const wasQuoted = raw.trimStart().startsWith(carrier.carry(quote))
  const marks = [quote, ...Array.from(delimiter)]
  const needsQuotes =
    hasBreak || marks.some((mark) => text.includes(mark)) || text.trim() !== text || /^sep=/i.test(text)
  if (!wasQuoted && !needsQuotes) return carrier.carry(guarded)
  return carrier.carry(quote + guarded.replaceAll(quote, quote + quote) + quote)
}

/** Filled with blanks on the side where the cell had them. */
function writeFixedCell(
  row: string,
  { start, end, room = 0 }: RawCell,
  typed: string,
  carrier: Carrier,
): Written {
  if (/[\r\n]/.test(typed)) return { refused: 'A cell of this file cannot hold a line break.' }
  const text = carrier.carry(typed)
  const { length } = Array.from(text)
  if (length > room) return { refused: `It has ${length} characters, and its place has ${room}.` }
  const before = Array.from(row).slice(start, end).join('')
  const isRight = before.startsWith(' ') && !before.endsWith(' ') && before.trim() !== ''
  const blanks = ' '.repeat(room - length)
  return isRight ? blanks + text : text + blanks
}

/** The first character that the encoding does not have. */
function findLacking(text: string, encoding: string): string | undefined {
  const { encode } = createEncoder(encoding)
  const isLacking = (part: string) => {
    try {
      encode(part)
      return false
    } catch {
      return true
    }
  }
  return isLacking(text) ? Array.from(text).find(isLacking) : undefined
}
