/** All formats, combined into one that picks the format of a mapping. */
import type { Format, ReadOptions, WriteOptions } from '../domain/format.ts'
import { createCsvFormat } from './csv/format.ts'
import { createEdiFormat } from './edi/format.ts'
import { createFixedFormat } from './fixed/format.ts'

export function createFormats(): Format {
  const csv = createCsvFormat()
  const fixed = createFixedFormat()
  const readers: Readonly<Record<ReadOptions['format'], Omit<Format, 'createWriter'>>> = {
    csv,
    fixed,
    x12: createEdiFormat('x12'),
    edifact: createEdiFormat('edifact'),
  }
  const writers: Readonly<Record<WriteOptions['format'], Format>> = { csv, fixed }
  return {
    read: (input, options) => readers[options.format].read(input, options),
    copyRecords: (input, options) => readers[options.read.format].copyRecords(input, options),
    listSets: (input, options) => readers[options.format].listSets(input, options),
    createWriter: (columns, options) => writers[options.format].createWriter(columns, options),
  }
}

export { createInterchangeFormat } from './edi/interchanges.ts'
