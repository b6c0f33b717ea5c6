/** CSV and its kin: text divided into lines and cells by a delimiter. */
import type { Format } from '../../domain/format.ts'
import { type CsvLimits, DEFAULT_LIMITS } from './limits.ts'
import { assertReadOptions } from './options.ts'
import { readCsv } from './reader.ts'
import { csvWriter } from './writer.ts'

export type { CsvLimits } from './limits.ts'

/** Throws `configuration-invalid` for options that no file could be read or written with. */
export function csvFormat(limits: Partial<CsvLimits> = {}): Format {
  const bounds = { ...DEFAULT_LIMITS, ...limits }
  return {
    async read(input, options) {
      assertReadOptions(options)
      return readCsv(input, options, bounds)
    },
    writer: csvWriter,
  }
}
