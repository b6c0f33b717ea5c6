/** What a sample of interchanges holds: its documents, and how often it fills the paths of a mapping. */
import { type Format, isUnreadable, type Row } from '../../domain/format.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import type { Syntax } from '../../edi/segment.ts'
import { cutSegments, isSegment } from '../../formats/edi/cut.ts'
import type { TransactionSet } from '../../formats/edi/envelopes.ts'
import { createInspector } from '../../formats/edi/inspection.ts'
import { readUnpackedBytes } from '../translate-file.ts'

export interface FoundDocument {
  readonly document: string
  readonly versions: readonly string[]
  readonly sets: number
}

export interface FoundInterchanges {
  readonly syntax: Syntax
  readonly interchanges: number
  /** The most frequent document first; documents of the other syntax are left out. */
  readonly documents: readonly FoundDocument[]
  /** Whether all interchanges are marked as a test. */
  readonly isTest: boolean
}

/** Undefined for a file that does not begin with an interchange. */
export async function findInterchanges(path: string): Promise<FoundInterchanges | undefined> {
  const found = new Map<string, { versions: Set<string>; sets: number }>()
  let syntax: Syntax | undefined
  let interchanges = 0
  let isTest = true
  const inspector = createInspector({
    onInterchange(interchange) {
      syntax ??= interchange.segment.delimiters.syntax
      interchanges += 1
      isTest &&= interchange.isTest
    },
    onSet({ document, version, segment }: TransactionSet) {
      if (segment.delimiters.syntax !== syntax) return
      const known = found.get(document) ?? { versions: new Set(), sets: 0 }
      found.set(document, known)
      if (version !== '') known.versions.add(version)
      known.sets += 1
    },
  })
  for await (const items of cutSegments(readUnpackedBytes(path))) {
    for (const item of items) {
      // Other formats are not read to their end.
      if (!isSegment(item) && item.kind === 'not-found') return undefined
      inspector.take(item)
    }
  }
  inspector.finish()
  if (syntax === undefined) return undefined
  const documents = [...found]
    .map(([document, { versions, sets }]) => ({ document, versions: [...versions], sets }))
    .toSorted((a, b) => b.sets - a.sets)
  return { syntax, interchanges, documents, isTest }
}

// How often a sample fills the paths of a mapping.

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
