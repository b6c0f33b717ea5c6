/** Reads and writes lines of fixed width, in which every cell has its place. */
import type { CellPlace, Format, Layout, ReadOptions, Row } from '../../domain/format.ts'
import { problem } from '../../domain/problem.ts'
import { BridgeError } from '../../support/errors.ts'
import type { Newline } from '../../support/line-ends.ts'
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
      const lineLayout = createLineLayout(options)
      const ignores = createLineFilter(options.ignore, '')
      const rules: LineContext = { ...DEFAULT_LIMITS, ...limits, lineLayout, newline, ignores }
      const form = { ...lineLayout, newline, encoding, delimiter: '', headerLines, ignored: 0 }
      return createReading(buffer, form, () => parseLines(buffer, rules))
    },
    createWriter: createFixedWriter,
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
  return { ...row, problems: [...(row.problems ?? []), problem('row-too-large', { line }, message)] }
}

// Line layouts: the cells of a line, each cut from its place.

interface LineLayout {
  readonly layouts: readonly Layout[]
  readonly hasParts: boolean
  /** The row of a line that is not blank; undefined when it is left out. */
  fit(text: string, line: number): TypedRow | undefined
}

function createLineLayout({ columns = [], places = [], records, typeIn }: ReadOptions): LineLayout {
  if (records === undefined) {
    const layouts = [{ recordType: '', columns }]
    const fit = (text: string, line: number) => toRow(line, sliceCells(text, places))
    return { layouts, hasParts: false, fit }
  }
  const kinds = compileRecordKinds(records.map((record) => ({ ...record, columns: record.columns ?? [] })))
  const find = createTypeFinder(kinds, typeof typeIn === 'object' ? typeIn : undefined)
  return {
    layouts: kinds.layouts,
    hasParts: kinds.hasParts,
    fit(text, line) {
      const { kind, shown } = find(text)
      if (kind === undefined) {
        return { ...toRow(line, []), problems: [unknownTypeProblem(shortenCell(shown), { line }, kinds.all)] }
      }
      return kind.ignored ? undefined : kinds.place(toRow(line, sliceCells(text, kind.places)), kind)
    },
  }
}

/** Finds the type of a line by the text in its place, or without a place by the start of the line. */
function createTypeFinder(kinds: RecordKinds, place: CellPlace | undefined) {
  if (place !== undefined) {
    return (text: string) => {
      const [shown = ''] = sliceCells(text, [place])
      return { kind: kinds.find(shown), shown }
    }
  }
  const widest = Math.max(1, ...kinds.all.map(({ type }) => type.length))
  const beginnings = kinds.all.map((kind) => ({ type: `${kind.type.trim().replace(/\*$/, '')}*`, kind }))
  const find = createTypeMatcher(beginnings)
  return (text: string) => ({ kind: find(text)?.kind, shown: text.slice(0, widest) })
}

function toRow(line: number, values: readonly string[]): Row {
  return { layout: 0, line, lastLine: line, values }
}

/** Slices the cells; a short line has blank ones. A character of two code units counts as one. */
function sliceCells(text: string, places: readonly CellPlace[]): string[] {
  if (!SURROGATE_PAIR.test(text))
    return places.map(({ start, length }) => text.slice(start - 1, start - 1 + length))
  const characters = Array.from(text)
  return places.map(({ start, length }) => characters.slice(start - 1, start - 1 + length).join(''))
}

const SURROGATE_PAIR = /[\uD800-\uDBFF][\uDC00-\uDFFF]/
