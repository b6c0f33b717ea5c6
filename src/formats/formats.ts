/** All formats, combined into one that picks the format of a mapping. */
import type { Format, ReadOptions } from '../domain/format.ts'
import { createCsvFormat } from './csv/format.ts'
import { createEdiFormat } from './edi/format.ts'
import { createFixedFormat } from './fixed/format.ts'

export function createFormats(): Format {
  const formats: Readonly<Record<ReadOptions['format'], Format>> = {
    csv: createCsvFormat(),
    fixed: createFixedFormat(),
    x12: createEdiFormat('x12'),
    edifact: createEdiFormat('edifact'),
  }
  return {
    read: (input, options) => formats[options.format].read(input, options),
    copyRecords: (input, options) => formats[options.read.format].copyRecords(input, options),
    listSets: (input, options) => formats[options.format].listSets(input, options),
    createWriter: (columns, options, envelope) =>
      formats[options.format].createWriter(columns, options, envelope),
  }
}

export { createInterchangeFormat } from './edi/interchanges.ts'
