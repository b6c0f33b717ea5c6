/** Lines of fixed width: every cell has its place in the line. */
import type { CellPlace, Format, ReadOptions } from '../../domain/format.ts'
import { BridgeError } from '../../support/errors.ts'
import { fixedWriter } from '../csv/writer.ts'
import { DEFAULT_LIMITS, type ReadLimits } from '../text/limits.ts'
import { readFixed } from './reader.ts'

/** Throws `configuration-invalid` for options that no file could be read with. */
export function fixedFormat(limits: Partial<ReadLimits> = {}): Format {
  const bounds = { ...DEFAULT_LIMITS, ...limits }
  return {
    async read(input, options) {
      assertPlaces(options)
      return readFixed(input, options, bounds)
    },
    writer: fixedWriter,
  }
}

function assertPlaces({ columns, places, records }: ReadOptions): void {
  const isWhole = ({ start, length }: CellPlace) => start >= 1 && length >= 1
  const fits = (names: readonly string[] = [], cells: readonly CellPlace[] = []) =>
    names.length === cells.length && cells.every(isWhole)
  const isTold =
    records === undefined
      ? columns !== undefined && fits(columns, places)
      : records.every(
          ({ columns: names, places: cells, ignored }) =>
            ignored === true || (names !== undefined && fits(names, cells)),
        )
  if (isTold) return
  throw new BridgeError('configuration-invalid', 'A file of fixed width needs the place of every column.')
}
