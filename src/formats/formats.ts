/** The formats there are, and the one a mapping names. */
import type { Format, ReadOptions } from '../domain/format.ts'
import { csvFormat } from './csv/format.ts'
import { fixedFormat } from './fixed/format.ts'

/** One format that reads and writes each file in the format its options name. */
export function createFormats(): Format {
  const formats: Readonly<Record<ReadOptions['format'], Format>> = { csv: csvFormat(), fixed: fixedFormat() }
  return {
    read: (input, options) => formats[options.format].read(input, options),
    writer: (columns, options) => formats[options.format].writer(columns, options),
  }
}
