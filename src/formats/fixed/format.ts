/** Reads and writes lines of fixed width, in which every cell has its place. */
import iconv from 'iconv-lite'
import type { CellPlace, Format, Layout, ReadOptions, Row } from '../../domain/format.ts'
import { problem } from '../../domain/problem.ts'
import { BridgeError } from '../../support/errors.ts'
import type { Newline } from '../text/buffer.ts'
import {
  createLineFilter,
  createReading,
  type IsIgnoredLine,
  type ParsedRows,
  shortenCell,
} from '../text/batches.ts'
import { DEFAULT_LIMITS, openText, type ReadLimits, skipLines, type TextBuffer } from '../text/buffer.ts'
import {
  compileRecordKinds,
  createTypeMatcher,
  type RecordKinds,
  type TypedRow,
  unknownTypeProblem,
} from '../text/record-types.ts'
import { copyRows } from '../text/copy-lines.ts'
import { createFixedWriter } from '../writer.ts'

/** Throws `configuration-invalid` for options that fit no file. */
export function createFixedFormat(limits: Partial<ReadLimits> = {}): Format {
  return {
    async read(input, options) {
      assertPlaces(options)
      const opened = await openText(input, options.encoding, null)
      if ('problems' in opened) return opened
      const { buffer, newline, encoding } = opened
      const { skip } = options
      if (typeof skip === 'number') await skipLines(buffer, newline, skip)
      const headerLines = buffer.line - 1
      await skipBlankLines(buffer, newline)
      if (buffer.ended && buffer.text === '') {
        await buffer.close()
        return { problems: [problem('file-empty', {}, 'The file holds nothing but blank lines.')] }
      }
      const slice = options.widths === 'bytes' ? createByteSlicer(encoding.name) : sliceCharacters
      const lineLayout = createLineLayout(options, slice)
      const ignores = createLineFilter(options.ignore, '')
      const rules: LineContext = { ...DEFAULT_LIMITS, ...limits, lineLayout, newline, ignores }
      const hasWholeRows = options.rows?.short !== 'pad'
      const form = { ...lineLayout, newline, encoding, delimiter: '', headerLines, ignored: 0, hasWholeRows }
      return createReading(buffer, form, () => parseLines(buffer, rules))
    },
    createWriter: createFixedWriter,
    copyRecords: (input, options) => copyRows(input, options, null),
    listSets: () => undefined,
  }
}

function assertPlaces({ columns, places, records }: ReadOptions): void {
  const isWhole = ({ start, length }: CellPlace) => start >= 1 && length >= 1
  const fits = (names: readonly string[] = [], cells: readonly CellPlace[] = []) =>
    names.length === cells.length && cells.every(isWhole)
  const isComplete =
    records === undefined
      ? columns !== undefined && fits(columns, places)
      : records.every(
          ({ columns: names, places: cells, ignored }) =>
            ignored === true || (names !== undefined && fits(names, cells)),
        )
  if (isComplete) return
  throw new BridgeError('configuration-invalid', 'A file of fixed width needs the place of every column.')
}

interface LineContext extends ReadLimits {
  readonly lineLayout: LineLayout
  readonly newline: Newline
  readonly ignores: IsIgnoredLine | undefined
}

async function skipBlankLines(buffer: TextBuffer, newline: Newline): Promise<void> {
  for (;;) {
    const end = buffer.text.indexOf(newline)
    const isBlank = buffer.text.slice(0, end === -1 ? undefined : end).trim() === ''
    if (!isBlank || (end === -1 && buffer.ended)) return
    if (end === -1) await buffer.more()
    else buffer.advance(end + 1, buffer.line + 1)
  }
}

function parseLines(buffer: TextBuffer, rules: LineContext): ParsedRows {
  const { newline, maxRowCharacters, lineLayout, ignores } = rules
  const { text } = buffer
  const rows: TypedRow[] = []
  let { line } = buffer
  let at = 0
  let ignored = 0
  for (;;) {
    const end = text.indexOf(newline, at)
    const stop = end === -1 ? text.length : end
    if (stop - at > maxRowCharacters) {
      rows.push(lineTooLargeRow(text.slice(at, at + maxRowCharacters), line, lineLayout))
      // The line is counted later, when the rest of it is dropped.
      return { rows, ignored, consumed: stop, line, midLine: true }
    }
    if (end === -1) return { rows, ignored, consumed: at, line, midLine: false }
    const content = text.slice(at, text[end - 1] === '\r' && end > at ? end - 1 : end)
    if (content.trim() !== '') {
      const row = ignores?.(content) === true ? undefined : lineLayout.fit(content, line)
      if (row === undefined) ignored += 1
      else rows.push(row)
    }
    at = end + 1
    line += 1
  }
}

function lineTooLargeRow(start: string, line: number, lineLayout: LineLayout): TypedRow {
  const row = lineLayout.fit(start, line) ?? { layout: 0, line, lastLine: line, values: [] }
  const message = 'The line is longer than a row may be; it was not read to its end.'
  return { ...row, problems: [problem('row-too-large', { line }, message)] }
}

// Line layouts: the cells of a line, each cut from its place.

interface LineLayout {
  readonly layouts: readonly Layout[]
  readonly hasParts: boolean
  /** The row of a line that is not blank; undefined when it is left out. */
  fit(text: string, line: number): TypedRow | undefined
}

function createLineLayout(
  { columns = [], places = [], records, typeIn, rows = {}, widths, alternating }: ReadOptions,
  slice: SliceCells,
): LineLayout {
  const toRow = (text: string, line: number, names: readonly string[], cells: readonly CellPlace[]): Row => {
    const { values, length } = slice(text, cells)
    const row = { layout: 0, line, lastLine: line, values }
    const wrong = findWrongWidth({ text, length, rows, slice, inBytes: widths === 'bytes' }, names, cells)
    return wrong === undefined
      ? row
      : { ...row, problems: [problem(wrong.code, { line, ...wrong.place }, wrong.message, wrong.fix)] }
  }
  if (records === undefined) {
    const layouts = [{ recordType: '', columns }]
    return { layouts, hasParts: false, fit: (text, line) => toRow(text, line, columns, places) }
  }
  const kinds = compileRecordKinds(records.map((record) => ({ ...record, columns: record.columns ?? [] })))
  const typePlace = typeof typeIn === 'object' ? typeIn : undefined
  const find = alternating ? createAlternatingFinder(kinds) : createTypeFinder(kinds, slice, typePlace)
  return {
    layouts: kinds.layouts,
    hasParts: kinds.hasParts,
    fit(text, line) {
      const { kind, shown } = find(text)
      if (kind === undefined) {
        const problems = [unknownTypeProblem(shortenCell(shown), { line }, kinds.all)]
        return { layout: 0, line, lastLine: line, values: [], problems }
      }
      if (kind.ignored) return undefined
      return kinds.place(toRow(text, line, kind.columns, kind.places), kind)
    },
  }
}

/** Finds the type of a line by the text in its place, or without a place by the start of the line. */
function createTypeFinder(kinds: RecordKinds, slice: SliceCells, place: CellPlace | undefined) {
  if (place !== undefined) {
    return (text: string) => {
      const [shown = ''] = slice(text, [place]).values
      return { kind: kinds.find(shown), shown }
    }
  }
  const widest = Math.max(1, ...kinds.all.map(({ type }) => type.length))
  const beginnings = kinds.all.map((kind) => ({ type: `${kind.type.trim().replace(/\*$/, '')}*`, kind }))
  const find = createTypeMatcher(beginnings)
  return (text: string) => ({ kind: find(text)?.kind, shown: text.slice(0, widest) })
}

/** Returns the kinds in turn. */
function createAlternatingFinder({ all }: RecordKinds) {
  let count = 0
  return () => {
    const kind = all[count % all.length]
    count += 1
    return { kind, shown: '' }
  }
}

interface LineWidth {
  readonly text: string
  /** Of the line, in the unit of the places. */
  readonly length: number
  readonly rows: NonNullable<ReadOptions['rows']>
  readonly slice: SliceCells
  readonly inBytes: boolean
}

/** A line that goes on behind its last cell, or ends inside one: a value of it is not whole, or has shifted. */
function findWrongWidth(
  { text, length, rows, slice, inBytes }: LineWidth,
  names: readonly string[],
  places: readonly CellPlace[],
) {
  if (places.length === 0) return undefined
  const end = Math.max(0, ...places.map((place) => place.start - 1 + place.length))
  const fitsOtherUnit =
    length !== end && (inBytes ? sliceCharacters(text, []).length : Buffer.byteLength(text)) === end
  const getFix = (usual: string) => (fitsOtherUnit ? (inBytes ? FIX_CHARACTERS : FIX_BYTES) : usual)
  const rest = length > end ? slice(text, [{ start: end + 1, length: length - end }]).values : []
  const behind = rest.join('').trim()
  if (behind !== '' && rows.long !== 'cut') {
    const message = `The line goes on after its last column, which ends at ${end}: "${shortenCell(behind)}".`
    return { code: 'row-long', place: {}, message, fix: getFix(FIX_WIDTH) } as const
  }
  const cut = places.findIndex(({ start, length: width }) => length >= start && length < start - 1 + width)
  // A line that fits in the other unit is not short, although the mapping pads short lines: its cells have shifted.
  if (cut === -1 || (rows.short === 'pad' && !fitsOtherUnit)) return undefined
  const column = names[cut] ?? String(cut + 1)
  const message = `The line ends at ${length}, inside the column "${column}"; perhaps it was cut.`
  return { code: 'row-short', place: { column }, message, fix: getFix(FIX_CUT) } as const
}

const FIX_BYTES = 'Its width fits in bytes: write `widths: bytes` under `read` of the mapping.'
const FIX_CHARACTERS = 'Its width fits in characters: leave `widths: bytes` out under `read` of the mapping.'
const FIX_WIDTH =
  'Correct the line or the places. If nothing of it is needed, write `rows: { long: cut }` under `read`.'
const FIX_CUT =
  'Complete the line. If blanks at its end are left out, write `rows: { short: pad }` under `read`.'

// Cells cut from their places; a short line has blank ones.

type SliceCells = (
  text: string,
  places: readonly CellPlace[],
) => { readonly values: string[]; readonly length: number }

/** A character of two code units counts as one. */
function sliceCharacters(text: string, places: readonly CellPlace[]) {
  if (!SURROGATE_PAIR.test(text)) {
    const values = places.map(({ start, length }) => text.slice(start - 1, start - 1 + length))
    return { values, length: text.length }
  }
  const characters = Array.from(text)
  const values = places.map(({ start, length }) => characters.slice(start - 1, start - 1 + length).join(''))
  return { values, length: characters.length }
}

const SURROGATE_PAIR = /[\uD800-\uDBFF][\uDC00-\uDFFF]/

/** Counts the bytes of the encoding. Half a character becomes U+FFFD, which is refused as damaged text. */
function createByteSlicer(encoding: string): SliceCells {
  return (text, places) => {
    const bytes = iconv.encode(text, encoding)
    const values = places.map(({ start, length }) =>
      iconv.decode(bytes.subarray(start - 1, start - 1 + length), encoding, { stripBOM: false }),
    )
    return { values, length: bytes.length }
  }
}
