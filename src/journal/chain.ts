/** The chain of events: each is hashed with the one before it, so that none can be changed or left out unseen. */
import { hash } from 'node:crypto'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Anchor, EventKind } from '../domain/audit.ts'
import type { EventDetail } from './event-detail.ts'
import type { EventTable, Tables } from './schema.ts'

export interface NewEvent {
  readonly kind: EventKind
  readonly route?: string
  /** The id of the file or delivery that it is about. */
  readonly subject?: string
  readonly detail: EventDetail
}

/** Before the first event. */
const NOTHING: Anchor = { event: 0, hash: '' }

/**
 * Adds an event, in the transaction that makes the change it tells of. The last one is read there too: another bridge
 * may have added to the chain since this one did.
 */
export async function chain(tables: Kysely<Tables>, at: number, event: NewEvent): Promise<void> {
  const { kind, route = null, subject = null, detail } = event
  const last = await headOf(tables)
  const row = { id: last.event + 1, at, kind, route, subject, detail: JSON.stringify(detail) }
  await sql`
    insert into events (id, at, kind, route, subject, detail, hash)
    values (${row.id}, ${at}, ${kind}, ${route}, ${subject}, ${row.detail}, ${hashOf(last.hash, row)})`.execute(
    tables,
  )
}

export async function headOf(tables: Kysely<Tables>): Promise<Anchor> {
  return (await anchorWhere(tables, sql`true`)) ?? NOTHING
}

/** The last event that a condition holds for. */
export async function anchorWhere(
  tables: Kysely<Tables>,
  condition: RawBuilder<unknown>,
): Promise<Anchor | undefined> {
  const { rows } = await sql<Anchor>`
    select id as event, hash from events where ${condition} order by id desc limit 1`.execute(tables)
  return rows[0]
}

/** Events before one, or from the last on, the latest first. */
export async function chainTail(
  tables: Kysely<Tables>,
  before: number | undefined,
  limit: number,
): Promise<EventTable[]> {
  const all = tables.selectFrom('events').selectAll().orderBy('id', 'desc').limit(limit)
  return (before === undefined ? all : all.where('id', '<', before)).execute()
}

export function hashOf(previous: string, row: Omit<EventTable, 'hash'>): string {
  const { id, at, kind, route, subject, detail } = row
  return hash('sha256', `${previous}\n${JSON.stringify([id, at, kind, route, subject, detail])}`)
}
