/** Appends events to the chain, each hashed with the one before it, so that a changed or missing one shows. */
import { hash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Anchor, JournalEventKind } from '../domain/audit.ts'
import type { DecisionVia } from '../domain/decision.ts'
import type { RecordState } from '../domain/record.ts'
import { assert } from '../support/errors.ts'
import { digestDecision, digestDelivery, digestFile, type EventDetail } from './event-detail.ts'
import { changeRows, type IdRuns, toIdRuns } from './rows.ts'
import type { Db, EventRow, Row } from './schema.ts'

interface NewEvent {
  readonly kind: JournalEventKind
  readonly route?: string
  /** The id of the file or delivery that the event is about. */
  readonly subject?: string
  readonly detail: EventDetail
}

/** The head of an empty chain. */
const BEFORE_FIRST_EVENT: Anchor = { event: 0, hash: '' }

/** Adds an event in the transaction of its change; reads the last one there too, as another bridge may have added one. */
export async function appendEvent(db: Db, at: number, event: NewEvent): Promise<void> {
  const { kind, route = null, subject = null, detail } = event
  const last = await selectHead(db)
  const row = { id: last.event + 1, at, kind, route, subject, detail: JSON.stringify(detail) }
  await sql`
    insert into events (id, at, kind, route, subject, detail, hash)
    values (${row.id}, ${at}, ${kind}, ${route}, ${subject}, ${row.detail},
      ${hashEvent(last.hash, row)})`.execute(db)
}

export async function selectHead(db: Db): Promise<Anchor> {
  return (await findLastAnchor(db, sql`true`)) ?? BEFORE_FIRST_EVENT
}

export async function findLastAnchor(db: Db, condition: RawBuilder<unknown>): Promise<Anchor | undefined> {
  const { rows } = await sql<Anchor>`
    select id as event, hash from events where ${condition} order by id desc limit 1`.execute(db)
  return rows[0]
}

/** The events before a given one, or from the last one on; the latest first. */
export async function selectEventsBackwards(db: Db, before: number | undefined, limit: number) {
  const all = db.selectFrom('events').selectAll().orderBy('id', 'desc').limit(limit)
  return (before === undefined ? all : all.where('id', '<', before)).execute()
}

export function hashEvent(previous: string, row: Omit<EventRow, 'hash'>): string {
  const { id, at, kind, route, subject, detail } = row
  return hash('sha256', `${previous}\n${JSON.stringify([id, at, kind, route, subject, detail])}`)
}

// Events about records that all got one state.

interface RecordStateEvent extends Omit<NewEvent, 'detail'> {
  readonly state: RecordState
  readonly ids: IdRuns
  /** Null clears the answer of an earlier attempt; left out, the answer stays. */
  readonly http?: null
}

/** Appends no event when there are no records. */
export async function appendStateEvent(db: Db, now: number, input: RecordStateEvent): Promise<void> {
  const { state, ids, http, ...event } = input
  if (ids.length === 0) return
  const single = ids.filter((id) => typeof id === 'number')
  const runs = single.length === ids.length ? toIdRuns(single) : ids
  const mention = http === undefined ? { state, ids: runs } : { state, ids: runs, http }
  await appendEvent(db, now, { ...event, detail: { records: [mention] } })
}

// Events about files and deliveries, read back from the row that was just written.

interface WorkEvent {
  readonly id: string
  /** Left out: named after the new state. */
  readonly kind?: JournalEventKind
  /** Other changes of the same transaction. */
  readonly more?: EventDetail
}

export async function appendFileEvent(db: Db, now: number, { id, kind, more }: WorkEvent): Promise<void> {
  // Plain SQL, because every step of every file reads the row.
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

interface NewDecision extends Pick<Row<'decisions'>, 'action' | 'why' | 'records'> {
  readonly by: string
  readonly file_id?: string
  readonly delivery_id?: string
  readonly via?: DecisionVia | undefined
}

/** Returns the id of the decision. */
export async function insertDecision(db: Db, now: number, { by, ...values }: NewDecision): Promise<number> {
  const row = { ...values, decided_by: by, decided_at: now, via: values.via ?? null }
  const { id } = await db.insertInto('decisions').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

/** Notes a decision about the chosen records of a delivery, or about the delivery where none is chosen. */
export async function insertDeliveryDecision(
  db: Db,
  now: number,
  {
    delivery,
    chosen,
    ...decided
  }: Pick<NewDecision, 'action' | 'by' | 'why' | 'via'> & {
    readonly delivery: string
    readonly chosen: RawBuilder<unknown>
  },
): Promise<{ readonly id: number; readonly records: number }> {
  const id = await insertDecision(db, now, { ...decided, delivery_id: delivery, records: 0 })
  const records = await changeRows(
    db,
    sql`insert into decided_records (record_id, decision_id) select id, ${id} from records where ${chosen}`,
  )
  await db.updateTable('decisions').set({ records }).where('id', '=', id).execute()
  return { id, records }
}

export async function selectDecisionDetail(db: Db, id: number) {
  const row = await db.selectFrom('decisions').selectAll().where('id', '=', id).executeTakeFirst()
  assert(row, `Decision ${id} is not in the journal.`)
  return { id, action: row.action, digest: digestDecision(row) }
}
