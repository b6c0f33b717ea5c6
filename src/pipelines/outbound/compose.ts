/** Composing a delivery: the waiting records as the rows of one file, in the spool, before anybody sees it. */
import type { DeliveryEntry } from '../../domain/journal.ts'
import type { Problem } from '../../domain/problem.ts'
import type { OutgoingRecord } from '../../domain/record.ts'
import { numberedName } from '../names.ts'
import type { OutboundParts } from '../parts.ts'

/** How many records are turned into rows at once. */
const PAGE = 250

/** A record that is in no file, because it could not be turned into rows. */
export interface HeldRecord {
  readonly id: number
  readonly apiId: string
  readonly state: 'held'
  readonly problems: readonly Problem[]
}

export interface Composed {
  /** Left out when there is nothing to deliver. */
  readonly delivery?: DeliveryEntry
  readonly held: readonly HeldRecord[]
}

/**
 * Makes one delivery of everything that waits. A record that cannot be
 * turned into rows is held with its problems, and tried again with the next delivery. Until the journal has the
 * delivery, a crash only leaves a file in the spool that the next composing replaces.
 */
export async function composeDelivery(parts: OutboundParts): Promise<Composed> {
  const { journal, lease, spool, route, clock } = parts
  const id = parts.newId()
  const found = { records: 0, rows: 0, upToRecord: 0, held: [] as HeldRecord[] }
  const blob = await spool.put(deliverySpoolName(id), deliveryLines(parts, found))
  if (found.records === 0) {
    if (found.held.length > 0) await journal.holdRecords(lease, found.held)
    await spool.remove(deliverySpoolName(id))
    return { held: found.held }
  }
  const composedAt = clock.now()
  const delivery = await journal.deliveryComposed(lease, {
    id,
    nameFor: (sequence, turn) => numberedName(route.nameFor(sequence, composedAt), turn),
    folder: route.folder,
    sha256: blob.sha256,
    rows: found.rows,
    upToRecord: found.upToRecord,
    held: found.held,
  })
  return { delivery, held: found.held }
}

interface Found {
  records: number
  rows: number
  upToRecord: number
  readonly held: HeldRecord[]
}

async function* deliveryLines(parts: OutboundParts, found: Found): AsyncGenerator<Uint8Array> {
  const { composer, format } = parts
  const writer = format.writer(composer.columns, composer.write)
  yield writer.head()
  for await (const page of waitingPages(parts)) {
    const rows: (readonly string[])[] = []
    for (const record of page) {
      const composed = composer.rows(JSON.parse(record.body) as Record<string, unknown>)
      if ('problems' in composed) {
        const { id, apiId } = record
        found.held.push({ id, apiId, state: 'held', problems: composed.problems })
        continue
      }
      found.records++
      rows.push(...composed.rows)
    }
    found.rows += rows.length
    // Records collected while composing are beyond the mark and wait for the next delivery.
    found.upToRecord = page.at(-1)?.id ?? found.upToRecord
    yield writer.rows(rows)
  }
}

async function* waitingPages(parts: OutboundParts): AsyncGenerator<readonly OutgoingRecord[]> {
  let after = 0
  for (;;) {
    const page = await parts.journal.waitingRecords(parts.route.name, after, PAGE)
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    after = last.id
  }
}

/** The name of a delivery's file in the spool. */
export function deliverySpoolName(id: string): string {
  return `${id}.out`
}
