/** Reads and writes CSV: text divided into lines and cells by a delimiter. */
import type { Format, ReadOptions } from '../../domain/format.ts'
import { SAMPLE_SIZE } from '../../support/line-ends.ts'
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
import { createHalfRowFinder } from './half-rows.ts'
import { readFileHeader } from './header.ts'
import { parseRows } from './rows.ts'

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
