/** The bytes of a report: record after record as it is read, so that a report of any length passes through. */
import type { OutboundOperationName } from '../../contract/operations.ts'
import type { Resource } from '../../domain/api.ts'
import type { Format } from '../../domain/format.ts'
import type { Problem } from '../../domain/problem.ts'
import type { Composer } from '../../domain/translator.ts'
import { idOf } from '../operations/operation.ts'
import { recordName } from './record-name.ts'

/** How many records that could not be written are named. */
const UNWRITTEN_MAX = 100

/** A record that could not be turned into rows. */
export interface UnwrittenRecord {
  readonly apiId: string
  /** What people call it, as in `order HV-30015`; empty where it has no such number. */
  readonly name: string
  readonly state: 'held'
  readonly problems: readonly Problem[]
}

/** What a report came to hold. */
export interface ReportTally {
  records: number
  rows: number
  /** How many could not be turned into rows, and the first of them. */
  unwritten: number
  readonly firstUnwritten: UnwrittenRecord[]
}

export function emptyTally(): ReportTally {
  return { records: 0, rows: 0, unwritten: 0, firstUnwritten: [] }
}

export async function* reportLines(
  {
    composer,
    format,
    operation,
  }: { readonly composer: Composer; readonly format: Format; readonly operation: OutboundOperationName },
  pages: AsyncIterable<readonly Resource[]>,
  tally: ReportTally,
): AsyncGenerator<Uint8Array, void, undefined> {
  const writer = format.writer(composer.columns, composer.write)
  const trailer = composer.trailer?.()
  yield writer.head()
  for await (const page of pages) {
    const rows: (readonly string[])[] = []
    for (const record of page) {
      const composed = composer.rows(record)
      if ('problems' in composed) {
        note(tally, recordName(operation, record), { record, problems: composed.problems })
        continue
      }
      tally.records++
      rows.push(...composed.rows)
      trailer?.add(record, composed.rows.length)
    }
    tally.rows += rows.length
    if (rows.length > 0) yield writer.rows(rows)
  }
  if (trailer !== undefined && tally.records > 0) yield writer.rows([trailer.row()])
}

function note(
  tally: ReportTally,
  name: string,
  { record, problems }: { readonly record: Resource; readonly problems: readonly Problem[] },
): void {
  tally.unwritten++
  if (tally.firstUnwritten.length >= UNWRITTEN_MAX) return
  tally.firstUnwritten.push({ apiId: idOf(record) ?? '', name, state: 'held', problems })
}
