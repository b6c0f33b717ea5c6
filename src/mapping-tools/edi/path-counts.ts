/** Counts how often a sample fills the paths of a mapping. */
import { type Format, isUnreadable, type Row } from '../../domain/format.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import { readUnpackedBytes } from '../translate-file.ts'

export interface PathCount {
  /** Its first value that is not blank. */
  readonly value: string
  readonly filled: number
  /** How many records, or lines of them, could have it. */
  readonly of: number
}

export interface PathCounts {
  /** Undefined for a name that is no path of the mapping. `gathered`: of all values, not the first one. */
  find(path: string, level: 'record' | 'line', gathered?: boolean): PathCount | undefined
  /** Each path once, of records first. */
  list(): readonly (PathCount & { readonly path: string; readonly level: 'record' | 'line' })[]
}

const LEVELS = ['record', 'line'] as const

/** Reads the sample once. Records that are refused as a whole count nothing. */
export async function countPaths(
  path: string,
  format: Format,
  { translator }: Pick<InboundMapping, 'translator'>,
): Promise<PathCounts> {
  const { edi } = translator.read
  const columns = [edi?.recordColumns ?? [], edi?.lineColumns ?? []]
  const counted = columns.map((level) => level.map((column) => ({ ...column, value: '', filled: 0 })))
  const rows = [0, 0]
  const reading = await format.read(readUnpackedBytes(path), translator.read)
  const count = ({ layout, values }: Row) => {
    rows[layout] = (rows[layout] ?? 0) + 1
    for (const [index, column] of (counted[layout] ?? []).entries()) {
      const value = values[index]?.trim() ?? ''
      if (value === '') continue
      column.filled += 1
      if (column.value === '') column.value = value
    }
  }
  for await (const batch of isUnreadable(reading) ? [] : reading.batches) {
    for (const row of batch) if (row.problems === undefined && row.verdict === undefined) count(row)
  }
  return {
    find(wanted, level, gathered = false) {
      const at = LEVELS.indexOf(level)
      const found = counted[at]?.find(
        (each) => each.path === wanted && (each.every !== undefined) === gathered,
      )
      return found && { value: found.value, filled: found.filled, of: rows[at] ?? 0 }
    },
    list: () =>
      LEVELS.flatMap((level, at) =>
        (counted[at] ?? []).map(({ name, value, filled }) => ({
          path: name,
          level,
          value,
          filled,
          of: rows[at] ?? 0,
        })),
      ),
  }
}
