/** Composing a delivery: waiting records as the rows of one file, in the spool, before anybody sees it. */
import type { DeliveryEntry } from '../../domain/journal.ts'
import type { Problem } from '../../domain/problem.ts'
import type { OutgoingRecord } from '../../domain/record.ts'
import { numberedName } from '../names.ts'
import type { OutboundParts } from '../parts.ts'
import { withKept } from '../references/kept.ts'
import { recordName } from './record-name.ts'

/** How many records are turned into rows at once. */
const PAGE = 250

/** A record that is in no file, because it could not be turned into rows. */
export interface HeldRecord {
  readonly id: number
  readonly apiId: string
  /** What people call it, as in `order HV-30015`; empty where it has no such number. */
  readonly name: string
  readonly state: 'held'
  readonly problems: readonly Problem[]
}

/** How far a pass has come through the waiting records. */
export interface Progress {
  /** The last record that was looked at. */
  upToRecord: number
  /** All that could not be turned into rows, whichever file they were meant for. */
  readonly held: HeldRecord[]
}

/** How many records one file of the route holds at most; undefined: all that wait. */
export function recordsPerFile({ route, composer }: OutboundParts): number | undefined {
  return route.namesRecord ? 1 : composer.recordsPerFile
}

/**
 * Makes one delivery of what waits, or of as many records as one file holds; undefined when there is nothing to
 * deliver. A record that cannot be turned into rows is held with its problems, and tried again with the next pass.
 * Until the journal has the delivery, a crash only leaves a file in the spool that the next composing replaces.
 */
export async function composeDelivery(
  parts: OutboundParts,
  progress: Progress,
): Promise<DeliveryEntry | undefined> {
  const { journal, lease, spool, route, clock } = parts
  const id = parts.newId()
  const found: Found = { records: 0, rows: 0, first: {} }
  const lines = deliveryLines(parts, waitingPages(parts, progress, found), { progress, found })
  const blob = await spool.put(deliverySpoolName(id), lines)
  if (found.records === 0) {
    if (progress.held.length > 0) await journal.holdRecords(lease, progress.held)
    await spool.remove(deliverySpoolName(id))
    return undefined
  }
  const composedAt = clock.now()
  return journal.deliveryComposed(lease, {
    id,
    nameFor: (sequence, turn) => numberedName(route.nameFor(sequence, composedAt, found.first), turn),
    folder: route.folder,
    sha256: blob.sha256,
    rows: found.rows,
    upToRecord: progress.upToRecord,
    // Those held for an earlier file of the pass lie before the mark too.
    held: progress.held,
  })
}

export interface Found {
  records: number
  rows: number
  /** The first record of the file, which may give it its name. */
  first: Readonly<Record<string, unknown>>
}

/** The bytes of the file, record after record; notes what it came to hold, and how far it came. */
export async function* deliveryLines(
  parts: OutboundParts,
  pages: AsyncIterable<readonly OutgoingRecord[]>,
  { progress, found }: { readonly progress: Progress; readonly found: Found },
): AsyncGenerator<Uint8Array> {
  const { composer, format } = parts
  const writer = format.writer(composer.columns, composer.write)
  const trailer = composer.trailer?.()
  yield writer.head()
  for await (const page of pages) {
    const rows: (readonly string[])[] = []
    const records = await withKept(
      parts,
      page.map(({ body }) => JSON.parse(body) as Record<string, unknown>),
    )
    for (const [index, record] of records.entries()) {
      const composed = composer.rows(record)
      if ('problems' in composed) {
        const { id = 0, apiId = '' } = page[index] ?? {}
        const name = recordName(parts.route.operation, record)
        progress.held.push({ id, apiId, name, state: 'held', problems: composed.problems })
        continue
      }
      if (found.records === 0) found.first = record
      found.records++
      rows.push(...composed.rows)
      trailer?.add(record, composed.rows.length)
    }
    found.rows += rows.length
    // Records collected while composing are beyond the mark and wait for the next delivery.
    progress.upToRecord = page.at(-1)?.id ?? progress.upToRecord
    yield writer.rows(rows)
  }
  if (trailer !== undefined && found.records > 0) yield writer.rows([trailer.row()])
}

/** The waiting records behind those looked at, until the file is full. */
async function* waitingPages(
  parts: OutboundParts,
  progress: Progress,
  found: Found,
): AsyncGenerator<readonly OutgoingRecord[]> {
  const most = recordsPerFile(parts) ?? Number.POSITIVE_INFINITY
  while (found.records < most) {
    const limit = Math.min(PAGE, most - found.records)
    const page = await parts.journal.waitingRecords(parts.route.name, progress.upToRecord, limit)
    if (page.length === 0) return
    yield page
  }
}

/** The name of a delivery's file in the spool. */
export function deliverySpoolName(id: string): string {
  return `${id}.out`
}
