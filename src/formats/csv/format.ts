/** CSV and its kin: text divided into lines and cells by a delimiter. */
import type { Format } from '../../domain/format.ts'
import { DEFAULT_LIMITS, type ReadLimits } from '../text/limits.ts'
import { assertReadOptions } from './options.ts'
import { readCsv } from './reader.ts'
import { csvWriter } from './writer.ts'

/** Throws `configuration-invalid` for options that no file could be read or written with. */
export function csvFormat(limits: Partial<ReadLimits> = {}): Format {
  const bounds = { ...DEFAULT_LIMITS, ...limits }
  return {
    async read(input, options) {
      assertReadOptions(options)
      return readCsv(input, options, bounds)
    },
    writer: csvWriter,
  }
}
