/** Appends events to the chain, each hashed with the one before it, so that a changed or missing one shows. */
import { hash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Anchor, JournalEventKind } from '../domain/audit.ts'
import type { RecordState } from '../domain/record.ts'
import { assert } from '../support/errors.ts'
import { digestDecision, digestDelivery, digestFile, type EventDetail } from './event-detail.ts'
import { type IdRuns, toIdRuns } from './rows.ts'
import type { Db, EventRow, Row } from './schema.ts'

interface NewEvent {
  readonly kind: JournalEventKind
  readonly route?: string
  /** The id of the file or delivery that it is about. */
  readonly subject?: string
  readonly detail: EventDetail
}

/** Before the first event. */
const BEFORE_FIRST_EVENT: Anchor = { event: 0, hash: '' }

/** Adds an event in the transaction of its change; reads the last one there too, as another bridge may have added one. */
export async function appendEvent(db: Db, at: number, event: NewEvent): Promise<void> {
  const { kind, route = null, subject = null, detail } = event
  const last = await selectHead(db)
  const row = { id: last.event + 1, at, kind, route, subject, detail: JSON.stringify(detail) }
  await sql`
    insert into events (id, at, kind, route, subject, detail, hash)
    values (${row.id}, ${at}, ${kind}, ${route}, ${subject}, ${row.detail}, ${hashEvent(last.hash, row)})`.execute(
    db,
  )
}

export async function selectHead(db: Db): Promise<Anchor> {
  return (await findLastAnchor(db, sql`true`)) ?? BEFORE_FIRST_EVENT
}

/** The last event that a condition holds for. */
export async function findLastAnchor(db: Db, condition: RawBuilder<unknown>): Promise<Anchor | undefined> {
  const { rows } = await sql<Anchor>`
    select id as event, hash from events where ${condition} order by id desc limit 1`.execute(db)
  return rows[0]
}

/** Events before one, or from the last on, the latest first. */
export async function selectEventsBackwards(db: Db, before: number | undefined, limit: number) {
  const all = db.selectFrom('events').selectAll().orderBy('id', 'desc').limit(limit)
  return (before === undefined ? all : all.where('id', '<', before)).execute()
}

export function hashEvent(previous: string, row: Omit<EventRow, 'hash'>): string {
  const { id, at, kind, route, subject, detail } = row
  return hash('sha256', `${previous}\n${JSON.stringify([id, at, kind, route, subject, detail])}`)
}

// Events about records that all came to one state.

interface RecordStateEvent {
  readonly kind: JournalEventKind
  readonly route?: string
  /** The id of the file or delivery. */
  readonly subject?: string
  readonly state: RecordState
  readonly ids: IdRuns
  /** Null where what an earlier attempt was answered counts no more; left out where it stays. */
  readonly http?: null
}

/** Nothing when there are none. */
export async function appendStateEvent(db: Db, now: number, told: RecordStateEvent): Promise<void> {
  const { state, ids, http, ...event } = told
  if (ids.length === 0) return
  const single = ids.filter((id) => typeof id === 'number')
  const runs = single.length === ids.length ? toIdRuns(single) : ids
  const mention = http === undefined ? { state, ids: runs } : { state, ids: runs, http }
  await appendEvent(db, now, { ...event, detail: { records: [mention] } })
}

// Events about files and deliveries, read back from the row that was just written.

interface WorkEvent {
  readonly id: string
  /** By its new state when left out. */
  readonly kind?: JournalEventKind
  /** What changed with it. */
  readonly more?: EventDetail
}

export async function appendFileEvent(db: Db, now: number, { id, kind, more }: WorkEvent): Promise<void> {
  // As plain SQL: this is asked at every step of every file.
  const [row] = (await sql<Row<'files'>>`select * from files where id = ${id}`.execute(db)).rows
  assert(row, `File ${id} is not in the journal.`)
  const { number, route, state, outcome } = row
  const file = { number, state, outcome, digest: digestFile(row) }
  await appendEvent(db, now, { kind: kind ?? `file-${state}`, route, subject: id, detail: { file, ...more } })
}

export async function appendDeliveryEvent(db: Db, now: number, { id, kind, more }: WorkEvent): Promise<void> {
  const [row] = (await sql<Row<'deliveries'>>`select * from deliveries where id = ${id}`.execute(db)).rows
  assert(row, `Delivery ${id} is not in the journal.`)
  const { sequence, route, state } = row
  const detail = { delivery: { sequence, state, digest: digestDelivery(row) }, ...more }
  await appendEvent(db, now, { kind: kind ?? `delivery-${state}`, route, subject: id, detail })
}

// What people decide, and what an event says of it.

interface NewDecision {
  readonly action: Row<'decisions'>['action']
  readonly by: string
  readonly why: string
  readonly records: number
  readonly file_id?: string
  readonly delivery_id?: string
}

/** Gives its id. */
export async function insertDecision(db: Db, now: number, { by, ...values }: NewDecision): Promise<number> {
  const row = { ...values, decided_by: by, decided_at: now }
  const { id } = await db.insertInto('decisions').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function selectDecisionDetail(db: Db, id: number) {
  const row = await db.selectFrom('decisions').selectAll().where('id', '=', id).executeTakeFirst()
  assert(row, `Decision ${id} is not in the journal.`)
  return { id, action: row.action, digest: digestDecision(row) }
}
