/** Reads and writes CSV: text divided into lines and cells by a delimiter. */
import type { Format, ReadOptions, Row } from '../../domain/format.ts'
import { SAMPLE_SIZE } from '../text/buffer.ts'
import { createLineFilter, createReading } from '../text/batches.ts'
import {
  DEFAULT_LIMITS,
  fillBuffer,
  openText,
  type ReadLimits,
  skipLines,
  type TextBuffer,
} from '../text/buffer.ts'
import { copyRows } from '../text/copy-lines.ts'
import { createCsvWriter } from '../writer.ts'
import { detectDelimiter, skipToHeader, takeSeparatorLine } from './dialect-detection.ts'
import { assertReadOptions, type Dialect } from './dialect.ts'
import { readFileHeader } from './header.ts'
import { parseRows } from './rows.ts'
import { problem } from '../../domain/problem.ts'

/** Throws `configuration-invalid` for options that fit no file. */
export function createCsvFormat(limits: Partial<ReadLimits> = {}): Format {
  return {
    read: (input, options) => readCsv(input, options, { ...DEFAULT_LIMITS, ...limits }),
    createWriter: createCsvWriter,
    copyRecords: (input, options) =>
      copyRows(input, options, options.read.quote === undefined ? '"' : options.read.quote),
    listSets: () => undefined,
  }
}

async function readCsv(input: AsyncIterable<Uint8Array>, options: ReadOptions, limits: ReadLimits) {
  assertReadOptions(options)
  const quote = options.quote === undefined ? '"' : options.quote
  const opened = await openText(input, options.encoding, quote)
  if ('problems' in opened) return opened
  const { buffer, newline, encoding } = opened
  const detected = await detectDialect(buffer, { newline, quote, escape: options.escape, limits }, options)
  const header = await readFileHeader(buffer, detected, options, encoding)
  if ('problems' in header) {
    await buffer.close()
    return header
  }
  const { rowLayout, headerLines, ignored } = header
  const { layouts, hasParts, maxCells, assign, width } = rowLayout
  const dialect = { ...detected, maxCells }
  const marks = { newline, encoding, delimiter: detected.delimiter }
  const neighbors = width === undefined ? {} : { neighbors: createHalfRowFinder(width) }
  const form = { ...marks, headerLines, ignored, layouts, hasParts, ...neighbors }
  return createReading(buffer, form, () => {
    const parsed = parseRows(buffer, dialect, rowLayout)
    return assign === undefined ? parsed : { ...parsed, rows: assign(parsed.rows) }
  })
}

async function detectDialect(
  buffer: TextBuffer,
  marks: Pick<Dialect, 'newline' | 'quote' | 'escape' | 'limits'>,
  options: ReadOptions,
): Promise<Dialect> {
  const { skip = 0, ignore } = options
  const separator = takeSeparatorLine(buffer)
  if (typeof skip === 'number') await skipLines(buffer, marks.newline, skip)
  await fillBuffer(buffer, SAMPLE_SIZE)
  const lower = separator ?? takeSeparatorLine(buffer)
  const delimiter = options.delimiter ?? lower ?? ''
  const start = { ...marks, maxCells: Infinity, delimiter, ignores: createLineFilter(ignore, '') }
  if (skip === 'header') await skipToHeader(buffer, start, options)
  await fillBuffer(buffer, SAMPLE_SIZE)
  const found = detectDelimiter(buffer.text, start, options)
  return { ...start, delimiter: found, ignores: createLineFilter(ignore, found) }
}

// Finds short lines that are one row together: an unquoted cell with a line break divides a row.

/** Says of each short line that it is a part of a row. The first line is held back until the next one is known. */
export function createHalfRowFinder<Of extends Row>(width: number) {
  let open: Of[] = []
  const takeOpen = (): Of[] => {
    const rows = open
    open = []
    return rows
  }
  /** Returns the rows that need not wait for another one. */
  const add = (row: Of, openLine: number | undefined): Of[] => {
    const isShort = row.problems?.[0]?.code === 'row-short'
    const before = open.at(-1)?.lastLine === row.line - 1 ? open : []
    const parts = [...before, row]
    // Each line break divides one cell into two.
    const cells = parts.reduce((sum, { values }) => sum + values.length, 1 - parts.length)
    if (isShort && before.length > 0 && cells === width) {
      open = []
      return parts.map((part) => explainPart(part, parts, { width, openLine }))
    }
    // Only a line of one cell can be the middle of a cell.
    if (isShort && before.length > 0 && row.values.length === 1 && parts.length <= MAX_PARTS) {
      open = parts
      return []
    }
    const rows = takeOpen()
    if (isShort) open = [row]
    else rows.push(row)
    return rows
  }
  return {
    /** `openLine` is the last line of the file, where it has no line end. */
    push(rows: readonly Of[], openLine?: number): readonly Of[] {
      const isSound = open.length === 0 && rows.every(({ problems }) => problems === undefined)
      return isSound ? rows : rows.flatMap((row) => add(row, openLine))
    },
    end: takeOpen,
  }
}

/** An address or a note has hardly more lines. */
const MAX_PARTS = 20

function explainPart<Of extends Row>(
  part: Of,
  parts: readonly Of[],
  { width, openLine }: { readonly width: number; readonly openLine: number | undefined },
): Of {
  const first = parts[0]?.line ?? part.line
  const last = parts.at(-1)?.line ?? part.line
  const lines = `${first} ${parts.length === 2 ? 'and' : 'to'} ${last}`
  const found = `Lines ${lines} have the ${width} cells of one row together: a cell without quotes holds a line break.`
  const isCut = last === openLine
  const message = isCut ? `${found} Line ${last} has no line end: perhaps the file is cut.` : found
  const fix = isCut
    ? `If the file is cut, send it again. If not, join lines ${lines}.`
    : `Join lines ${lines}, or put quotes around the cell with the line break.`
  const [, ...others] = part.problems ?? []
  return { ...part, problems: [problem('row-short', { line: part.line }, message, fix), ...others] }
}
