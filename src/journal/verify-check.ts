/** Shared parts of the verifier: parsed events, mismatches, and the records seen so far. */
import { type RawBuilder, sql } from 'kysely'
import type { Mismatch } from '../domain/audit.ts'
import { type EventDetail, EventDetailSchema } from './event-detail.ts'
import { hashEvent } from './events.ts'
import { jsonRows } from './rows.ts'
import type { Db, EventRow } from './schema.ts'

export interface ParsedEvent {
  readonly event: EventRow
  readonly detail: EventDetail
}

/** Which values of each record the walk has seen, from the last event to the first. */
export interface SeenRecords {
  readonly state: IdSet
  readonly http: IdSet
  readonly apiId: IdSet
  readonly planned: IdSet
  readonly attached: IdSet
  readonly pruned: IdSet
  /** The seen records that are in the table. */
  readonly there: IdSet
}

/** How many records are compared with one query. */
export const BATCH_SIZE = 1000

export function* splitIntoBatches<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < all.length; start += BATCH_SIZE) yield all.slice(start, start + BATCH_SIZE)
}

/** Rows of records, a batch at a time; `columns` and `joins` are parts of the query. */
export async function* selectRecords<T>(
  db: Db,
  ids: readonly number[],
  columns: RawBuilder<unknown>,
  joins: RawBuilder<unknown> = sql``,
): AsyncGenerator<T> {
  for (const chunk of splitIntoBatches(ids)) {
    const { rows } = await sql<T>`
      select ${columns} from ${jsonRows(chunk, { id: (id) => id })} cross join records ${joins}
      where records.id = batch.id order by records.id`.execute(db)
    yield* rows
  }
}

export interface Verifier {
  readonly db: Db
  readonly found: Mismatches
  readonly seen: SeenRecords
}

// Counts all mismatches and keeps the first.

/** As many mismatches as a person reads. */
const MAX_LISTED = 100

export interface Mismatches {
  add(about: Mismatch['about'], id: string | number, message: string, event?: EventRef): void
  count(): number
  /** In the order of their events. */
  list(): Mismatch[]
}

type EventRef = Pick<EventRow, 'id' | 'at'>

export function collectMismatches(): Mismatches {
  let count = 0
  const kept: Mismatch[] = []
  return {
    add(about, id, message, event) {
      count++
      if (kept.length >= MAX_LISTED) return
      kept.push({ about, id: String(id), message, ...(event && { event: event.id, since: event.at }) })
    },
    count: () => count,
    list: () => kept.toSorted((one, other) => (one.event ?? Infinity) - (other.event ?? Infinity)),
  }
}

// A set of ids with one bit for each: a hundred million records in twelve megabytes.

export interface IdSet {
  has(id: number): boolean
  /** Returns whether it is new. */
  add(id: number): boolean
  remove(id: number): void
  size(): number
}

export function createIdSet(): IdSet {
  let bits = new Uint8Array(1024)
  let size = 0
  const isIn = (id: number) => ((bits[id >>> 3] ?? 0) & (1 << (id & 7))) !== 0
  return {
    has: isIn,
    add(id) {
      if (isIn(id)) return false
      const byte = id >>> 3
      if (byte >= bits.length) {
        const wider = new Uint8Array(Math.max(bits.length * 2, byte + 1))
        wider.set(bits)
        bits = wider
      }
      bits[byte] = (bits[byte] ?? 0) | (1 << (id & 7))
      size++
      return true
    },
    remove(id) {
      if (!isIn(id)) return
      bits[id >>> 3] = (bits[id >>> 3] ?? 0) & ~(1 << (id & 7))
      size--
    },
    size: () => size,
  }
}

// The links of the chain, and the contents of its events.

/** `previous` is the existing event before this one; its id is 0 before the first. */
export function checkLink(previous: { id: number; hash: string }, event: EventRow, found: Mismatches): void {
  const first = previous.id + 1
  if (event.id !== first) {
    const which = event.id - 1 === first ? `event ${first} is` : `events ${first} to ${event.id - 1} are`
    const why =
      first === 1
        ? ': the beginning of the chain was removed'
        : `; the next one, ${event.kind}, does not follow it`
    found.add('event', first, `${which} missing${why}`, event)
  } else if (hashEvent(previous.hash, event) !== event.hash) {
    const message = `event ${event.id} (${event.kind}) or the hash of the one before it is not what was written`
    found.add('event', event.id, message, event)
  }
}

export function parseEvent(event: EventRow, found: Mismatches): ParsedEvent[] {
  try {
    return [{ event, detail: EventDetailSchema.parse(JSON.parse(event.detail)) }]
  } catch {
    found.add('event', event.id, `event ${event.id} (${event.kind}) has an unknown content`, event)
    return []
  }
}

/** Reads one consistent state, because other bridges may write meanwhile. */
export async function readConsistently<T>(db: Db, work: () => Promise<T>): Promise<T> {
  await sql`begin`.execute(db)
  try {
    return await work()
  } finally {
    await sql`rollback`.execute(db)
  }
}
