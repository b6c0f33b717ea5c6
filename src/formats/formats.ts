/** All formats, combined into one that picks the format of a mapping. */
import type { Format, ReadOptions } from '../domain/format.ts'
import { createCsvFormat } from './csv/format.ts'
import { createFixedFormat } from './fixed/format.ts'

export function createFormats(): Format {
  const formats: Readonly<Record<ReadOptions['format'], Format>> = {
    csv: createCsvFormat(),
    fixed: createFixedFormat(),
  }
  return {
    read: (input, options) => formats[options.format].read(input, options),
    createWriter: (columns, options) => formats[options.format].createWriter(columns, options),
  }
}
