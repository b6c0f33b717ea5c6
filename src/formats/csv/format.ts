/** Reads and writes CSV: text divided into lines and cells by a delimiter. */
import type { Format, ReadOptions } from '../../domain/format.ts'
import { createLineFilter, createReading } from '../text/batches.ts'
import {
  DEFAULT_LIMITS,
  fillBuffer,
  openText,
  type ReadLimits,
  SAMPLE_SIZE,
  skipLines,
  type TextBuffer,
} from '../text/buffer.ts'
import { createCsvWriter } from '../writer.ts'
import { detectDelimiter, skipToHeader, takeSeparatorLine } from './dialect-detection.ts'
import { assertReadOptions, type Dialect } from './dialect.ts'
import { readFileHeader } from './header.ts'
import { parseRows } from './rows.ts'

/** Throws `configuration-invalid` for options that no file could be read or written with. */
export function createCsvFormat(limits: Partial<ReadLimits> = {}): Format {
  return {
    read: (input, options) => readCsv(input, options, { ...DEFAULT_LIMITS, ...limits }),
    createWriter: createCsvWriter,
  }
}

async function readCsv(input: AsyncIterable<Uint8Array>, options: ReadOptions, limits: ReadLimits) {
  assertReadOptions(options)
  const quote = options.quote === undefined ? '"' : options.quote
  const opened = await openText(input, options.encoding, quote)
  if ('problems' in opened) return opened
  const { buffer, newline, encoding } = opened
  const told = await detectDialect(buffer, { newline, quote, escape: options.escape, limits }, options)
  const header = await readFileHeader(buffer, told, options, encoding)
  if ('problems' in header) {
    await buffer.close()
    return header
  }
  const { rowLayout, headerLines, ignored } = header
  const { layouts, hasParts, maxCells } = rowLayout
  const dialect = { ...told, maxCells }
  const form = { newline, encoding, delimiter: told.delimiter, headerLines, ignored, layouts, hasParts }
  return createReading(buffer, form, () => parseRows(buffer, dialect, rowLayout))
}

/** Leaves the feed behind all that stands above the header, or the data where there is none. */
async function detectDialect(
  buffer: TextBuffer,
  told: Pick<Dialect, 'newline' | 'quote' | 'escape' | 'limits'>,
  options: ReadOptions,
): Promise<Dialect> {
  const { skip = 0, ignore } = options
  const separator = takeSeparatorLine(buffer)
  if (typeof skip === 'number') await skipLines(buffer, told.newline, skip)
  await fillBuffer(buffer, SAMPLE_SIZE)
  const lower = separator ?? takeSeparatorLine(buffer)
  const delimiter = options.delimiter ?? lower ?? ''
  const start = { ...told, maxCells: Infinity, delimiter, ignores: createLineFilter(ignore, '') }
  if (skip === 'header') await skipToHeader(buffer, start, options)
  await fillBuffer(buffer, SAMPLE_SIZE)
  const found = detectDelimiter(buffer.text, start, options)
  return { ...start, delimiter: found, ignores: createLineFilter(ignore, found) }
}
