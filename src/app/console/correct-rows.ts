/** Rows as a person corrects them: their cells, and their bytes with other cells. What was not touched stays byte for byte. */
import { type CellPlace, isUnreadable, type ReadOptions, type Row } from '../../domain/format.ts'
import type { Problem } from '../../domain/problem.ts'
import type { Dialect } from '../../formats/csv/dialect.ts'
import { findTypeCell, hasHeader } from '../../formats/csv/dialect-detection.ts'
import { scanRow } from '../../formats/csv/scan.ts'
import { createFormats } from '../../formats/formats.ts'
import { DEFAULT_LIMITS, detectNewline, type Newline, SAMPLE_SIZE } from '../../formats/text/buffer.ts'
import { replaceInvalidBytes } from '../../formats/text/decoders.ts'
import { createTypeMatcher } from '../../formats/text/record-types.ts'
import {
  type Carrier,
  type CellChange,
  type CellError,
  chooseCarrier,
  createPlainCarrier,
  type EditableCell,
  endOfContent,
  type RawCell,
  type RawRow,
  rewriteRow,
  type RowForm,
} from './correct-cells.ts'
import { toStream } from '../../support/async.ts'

export interface EditableRow {
  /** Its first and last physical line in the source. */
  readonly line: number
  readonly lastLine: number
  readonly cells: readonly EditableCell[]
}

export interface EditableFile {
  readonly encoding: string
  readonly rows: readonly EditableRow[]
  /** How a line ends in the file. */
  readonly lineEnd: Uint8Array
  /** The byte order mark and the lines above the rows. */
  readonly head: Uint8Array
  /** How many lines these are. */
  readonly headLines: number
  /** The lines of the source as they are, or with other cells. Ranges are sorted. */
  rewrite(range: readonly [first: number, last: number], changes: readonly CellChange[]): Rewritten
}

export interface Rewritten {
  readonly bytes: Uint8Array
  /** The line of the source from which each line of `bytes` comes. */
  readonly lines: readonly number[]
  readonly errors: readonly CellError[]
}

/** The header and the chosen lines of a file, and the number of each line in it. */
export interface SourceLines {
  readonly bytes: Buffer
  readonly numbers: readonly number[]
}

/** Texts that a browser gives back: line breaks of any kind are one, and it has no other control characters. */
export function normalizeTyped(text: string): string {
  return replaceInvalidBytes(text)
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])\p{Cc}/gu, '\uFFFD')
}

/** Returns the problems of a file that its mapping cannot read. */
export async function openEditable(
  source: SourceLines,
  read: ReadOptions,
): Promise<EditableFile | { readonly problems: readonly Problem[] }> {
  const reading = await createFormats().read(toStream(source.bytes), read)
  if (isUnreadable(reading)) return reading
  const { layouts, encoding, delimiter, headerLines } = reading
  const rows: Row[] = []
  for await (const batch of reading.batches) rows.push(...batch)
  const quote = read.format === 'fixed' || read.quote === null ? null : (read.quote ?? '"')
  const mark = source.bytes.subarray(0, measureMark(source.bytes))
  const { lines, newline } = splitLines(source.bytes.subarray(mark.length), encoding, quote)
  const form: RowForm = { read, layouts, encoding, delimiter, newline, quote }
  const numbers = source.numbers.slice(0, lines.length)
  const numberOf = (line: number) => numbers[line - 1] ?? line
  const raw = rows.flatMap((row) => divideRow(row, lines, form).map((each) => ({ ...each, numberOf })))
  const byLine = new Map(raw.map((row) => [numberOf(row.line), row]))
  const indexOf = new Map(numbers.map((number, index) => [number, index]))
  return {
    encoding,
    rows: raw.map(({ line, lastLine, cells }) => ({
      line: numberOf(line),
      lastLine: numberOf(lastLine),
      cells: cells.map(({ start: _start, end: _end, ...cell }) => cell),
    })),
    lineEnd: findLineEnd(lines, { encoding, newline }),
    head: Buffer.concat([mark, ...lines.slice(0, headerLines)]),
    headLines: headerLines,
    rewrite([first, last], changes) {
      const parts: Uint8Array[] = []
      const from: number[] = []
      const errors: CellError[] = []
      for (let number = first; number <= last; number++) {
        const index = indexOf.get(number)
        if (index === undefined) continue
        const row = byLine.get(number)
        const own = changes.filter((change) => change.line === number)
        if (row === undefined || own.length === 0) {
          parts.push(lines[index] ?? new Uint8Array())
          from.push(number)
          continue
        }
        const bytes = rewriteRow(row, own, form, errors)
        parts.push(bytes)
        const count = Math.max(1, splitLines(Buffer.from(bytes), encoding, null, newline).lines.length)
        for (let each = 0; each < count; each++) from.push(Math.min(number + each, numberOf(row.lastLine)))
        number += row.lastLine - row.line
      }
      return { bytes: Buffer.concat(parts), lines: from, errors }
    },
  }
}

// Dividing: the same rules as those of the reader.

/** A row of the reader may hold several rows of the file that are joined. */
function divideRow(row: Row, lines: readonly Buffer[], form: RowForm): RawRow[] {
  const bytes = Buffer.concat(lines.slice(row.line - 1, row.lastLine))
  const carrier = chooseCarrier(bytes, form)
  const isDamaged = (row.problems ?? []).some(({ code }) => DAMAGE.has(code))
  if (form.read.format === 'fixed' || isDamaged) {
    return lines.slice(row.line - 1, row.lastLine).flatMap((each, index): RawRow[] => {
      const own = chooseCarrier(each, form)
      const text = own.toText(each)
      const end = endOfContent(text, text.length, form.newline)
      if (text.trim() === '') return []
      const whole = [
        { ...toCell(own, text, { cell: 0, column: '', start: 0, end }), isWholeLine: true as const },
      ]
      const cells = isDamaged ? whole : placeCells(text.slice(0, end), own, form, row)
      const line = row.line + index
      return [{ line, lastLine: line, text, carrier: own, cells: cells.length === 0 ? whole : cells }]
    })
  }
  return divideCsv(row, carrier.toText(bytes), carrier, form)
}

const DAMAGE: ReadonlySet<string> = new Set(['quote-not-closed', 'quote-misplaced', 'row-too-large'])

function divideCsv(row: Row, whole: string, carrier: Carrier, form: RowForm): RawRow[] {
  const { newline } = form
  const text = whole.endsWith(newline) ? whole : whole + newline
  const dialect = toDialect(carrier, form)
  const rows: RawRow[] = []
  let { line } = row
  for (let from = 0; from < text.length;) {
    const scan = scanRow(text, from, dialect, true)
    // Some lines of joined rows may be damaged; the reader says so of the row.
    const end = scan.kind === 'row' ? scan.end : text.indexOf(newline, from) + 1
    const own = whole.slice(from, end)
    const stop = endOfContent(own, own.length, newline)
    const lastLine = line + (scan.kind === 'row' ? scan.newlines : 0)
    if (own.trim() !== '') {
      const cells =
        scan.kind === 'row'
          ? divideCells(
              own,
              scan.ends.map((each) => Math.min(each - from, stop)),
              { carrier, form, row, values: scan.values },
            )
          : [
              {
                ...toCell(carrier, own, { cell: 0, column: '', start: 0, end: stop }),
                isWholeLine: true as const,
              },
            ]
      rows.push({ line, lastLine, text: own, carrier, cells })
    }
    from = end
    line = lastLine + 1
  }
  return rows
}

function divideCells(
  text: string,
  ends: readonly number[],
  { carrier, form, row, values }: { carrier: Carrier; form: RowForm; row: Row; values: readonly string[] },
): RawCell[] {
  const step = carrier.carry(form.delimiter).length
  const columns = nameColumns(
    values.map((value) => carrier.show(value)),
    row,
    form,
  )
  const cells = ends.map((end, cell): RawCell => {
    const start = cell === 0 ? 0 : (ends[cell - 1] ?? 0) + step
    const shown = normalizeTyped(carrier.show(values[cell] ?? ''))
    return { cell, column: columns[cell] ?? '', text: shown, start, end }
  })
  // Cells that a short row lacks; a person may fill them in.
  const end = text.length === 0 ? 0 : (ends.at(-1) ?? 0)
  for (let cell = cells.length; cell < columns.length; cell++)
    cells.push({ cell, column: columns[cell] ?? '', text: '', start: end, end })
  return cells
}

/** The names of the cells as they stand in the file, with that of the record type. */
function nameColumns(values: readonly string[], row: Row, { read, layouts }: RowForm): readonly string[] {
  const layout = layouts[row.layout]?.columns ?? []
  if (read.records === undefined || hasHeader(read)) return layout
  const kind =
    read.alternating === true
      ? read.records.find(({ type }) => type === layouts[row.layout]?.recordType)
      : createTypeMatcher(read.records)(values[findTypeCell(read)] ?? '')
  const own = kind?.columns ?? layouts.find(({ recordType }) => recordType === kind?.type)?.columns ?? []
  return read.typeIn === undefined && read.alternating !== true ? ['', ...own] : own
}

/** The cells of a line of fixed width, each in its place; none where its type is not known. */
function placeCells(text: string, carrier: Carrier, { read, layouts }: RowForm, row: Row): RawCell[] {
  const { names, places } = findPlaces(text, carrier, { read, recordType: layouts[row.layout]?.recordType })
  const units = Array.from(text)
  return places.map(({ start, length }, cell): RawCell => {
    const at = Math.min(start - 1, units.length)
    const shown = normalizeTyped(carrier.show(units.slice(at, at + length).join('')))
    const end = Math.min(at + length, units.length)
    return { cell, column: names[cell] ?? '', text: shown.trimEnd(), room: length, start: at, end }
  })
}

function findPlaces(
  text: string,
  carrier: Carrier,
  { read, recordType }: { read: ReadOptions; recordType: string | undefined },
): { readonly names: readonly string[]; readonly places: readonly CellPlace[] } {
  const { records, typeIn, columns = [], places = [] } = read
  if (records === undefined) return { names: columns, places }
  const units = Array.from(text)
  const named =
    typeof typeIn === 'object'
      ? createTypeMatcher(records)(
          carrier.show(units.slice(typeIn.start - 1, typeIn.start - 1 + typeIn.length).join('')),
        )
      : createTypeMatcher(
          records.map((each) => ({ ...each, type: `${each.type.trim().replace(/\*$/, '')}*` })),
        )(carrier.show(text))
  const kind = read.alternating === true ? records.find(({ type }) => type === recordType) : named
  return { names: kind?.columns ?? [], places: kind?.places ?? [] }
}

function toCell(carrier: Carrier, text: string, at: Omit<RawCell, 'text'>): RawCell {
  return { ...at, text: normalizeTyped(carrier.show(text.slice(at.start, at.end))) }
}

function toDialect(carrier: Carrier, { delimiter, newline, quote, read }: RowForm): Dialect {
  const escape = read.escape === undefined ? undefined : carrier.carry(read.escape)
  return {
    delimiter: carrier.carry(delimiter),
    newline,
    quote: quote === null ? null : carrier.carry(quote),
    escape,
    ignores: undefined,
    limits: { ...DEFAULT_LIMITS, maxRowLines: Number.MAX_SAFE_INTEGER },
    maxCells: Infinity,
  }
}

// Lines: the same ends as those of the reader.

function splitLines(bytes: Buffer, encoding: string, quote: string | null, known?: Newline) {
  const wide = encoding.startsWith('utf-16')
  const text = bytes.toString(wide && encoding === 'utf-16le' ? 'utf16le' : 'latin1')
  const newline =
    known ?? detectNewline(wide ? decodeWide(bytes, encoding) : text, bytes.length <= SAMPLE_SIZE, quote)
  const mark = newline.charCodeAt(0)
  const lines: Buffer[] = []
  const [width, high, low] = wide
    ? [2, encoding === 'utf-16le' ? 1 : 0, encoding === 'utf-16le' ? 0 : 1]
    : [1, 0, 0]
  let from = 0
  for (let at = 0; at + width <= bytes.length; at += width) {
    const isEnd = wide ? bytes[at + low] === mark && bytes[at + high] === 0 : bytes[at] === mark
    if (!isEnd) continue
    lines.push(bytes.subarray(from, at + width))
    from = at + width
  }
  if (from < bytes.length) lines.push(bytes.subarray(from))
  return { lines, newline }
}

function decodeWide(bytes: Buffer, encoding: string): string {
  return createPlainCarrier(encoding).toText(bytes)
}

function findLineEnd(lines: readonly Buffer[], { encoding, newline }: Pick<RowForm, 'encoding' | 'newline'>) {
  const carrier = createPlainCarrier(encoding)
  const toBytes = (text: string) => carrier.toBytes(text)
  const ends = newline === '\n' ? ['\r\n', '\n'] : ['\r']
  const found = ends.find((end) =>
    lines.some((line) => line.subarray(-toBytes(end).length).equals(toBytes(end))),
  )
  return toBytes(found ?? newline)
}

function measureMark([first, second, third]: Buffer): number {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 3
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) ? 2 : 0
}
