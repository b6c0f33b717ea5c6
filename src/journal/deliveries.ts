/** Stores outgoing files, each composed with its records in one transaction; a change of state is one guarded statement. */
import { type RawBuilder, sql } from 'kysely'
import type { Decider } from '../domain/decision.ts'
import type {
  DeliveryEntry,
  DeliveryState,
  NewDelivery,
  NewDeliveryResolution,
  NewReport,
  RedeliveryDecision,
  RedeliveryEntry,
  RedeliveryJournal,
} from '../domain/delivery.ts'
import type { Journal } from '../domain/journal.ts'
import { namesTakenError, USED_NAMES_MAX } from '../domain/mailbox.ts'
import { assert } from '../support/errors.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { appendDeliveryEvent, insertDecision, selectDecisionDetail } from './events.ts'
import { noteVersion } from './leases.ts'
import { removeNamings } from './namings.ts'
import { holdRecords } from './outgoing-records.ts'
import { IS_OPEN } from './records.ts'
import { findLastSequence, holdIfMaybeDelivered } from './restore.ts'
import { bindReservation } from './interchanges/numbers.ts'
import { changeRows, exists, jsonRows, omitNull, selectIdRuns } from './rows.ts'
import { bindDeliveryToRun } from './scheduled-runs.ts'
import type { Db, Row, Tables } from './schema.ts'
import type { BoundStore, RouteTx } from './store.ts'

export function createDeliveryJournal({ reads, leased, leasedIfChanged }: BoundStore) {
  return {
    createDelivery: leased(composeDelivery),
    createReportDelivery: leased(async (tx, report) => {
      const { db, now } = tx
      const { id, scheduledRun, reservation } = report
      const entry = await insertDelivery(tx, report)
      const runs = scheduledRun === undefined ? {} : { runs: await bindDeliveryToRun(tx, scheduledRun, id) }
      const numbers = await bindReservation(tx, reservation, id)
      await appendDeliveryEvent(db, now, { id, more: { ...runs, ...numbers } })
      return { ...entry, ...(await holdIfMaybeDelivered(tx, id)) }
    }),
    renameDelivery: leased(async (tx, id, name) => {
      const { db, now } = tx
      await updateDelivery(tx, { id, from: 'composed' }, { name })
      await appendDeliveryEvent(db, now, { id, kind: 'delivery-renamed' })
    }),
    markDeliveryDelivered: leased(async (tx, id, place) => {
      const { db, now } = tx
      await markDelivered(tx, id, place)
      await removeNamings(db, id)
      await appendDeliveryEvent(db, now, { id })
    }),
    markDeliveryDone: leased(markDone),
    markDeliveryAcknowledged: leased(markAcknowledged),
    getDelivery: reads(findDelivery),
    listUnfinishedDeliveries: reads((db, route) =>
      selectDeliveries(
        db,
        sql`route = ${route} and ${IS_UNFINISHED}
        order by state = 'delivered', confirmed_at is null, sequence limit ${MAX_UNFINISHED}`,
      ),
    ),
    listRecentDeliveries: reads((db, limit, route) =>
      selectDeliveries(db, sql`${isOfRoute(route)} order by composed_at desc, sequence desc limit ${limit}`),
    ),
    listHeldDeliveries: reads((db, limit, route) => {
      const isHeld = sql`held is not null and ${isOfRoute(route)}`
      return selectDeliveries(db, sql`${isHeld} order by composed_at, id limit ${limit}`)
    }),
    findDeliveriesByName: reads((db, nameOrId, limit) => {
      const isMeant = sql`id = ${nameOrId} or name = ${nameOrId}`
      return selectDeliveries(db, sql`${isMeant} order by composed_at desc limit ${limit}`)
    }),
    holdDelivery: leasedIfChanged(async (tx, id, reason) => {
      const { db, now } = tx
      const { state, held } = await getDelivery(tx, id)
      assert(state === 'composed', `Delivery ${id} is ${state} and cannot be held.`)
      if (held !== undefined) return false
      await db.updateTable('deliveries').set({ held: reason }).where('id', '=', id).execute()
      await appendDeliveryEvent(db, now, { id, kind: 'delivery-held' })
      return true
    }),
    resolveHeldDelivery: leased(resolveHeldDelivery),
  } satisfies Partial<Journal>
}

async function composeDelivery(tx: RouteTx, delivery: NewDelivery): Promise<DeliveryEntry> {
  const { db, now, route } = tx
  const { id, held, reservation } = delivery
  const entry = await insertDelivery(tx, { ...delivery, records: 0 })
  await holdRecords(tx, held)
  const records = await attachRecords(tx, delivery)
  assert(records > 0, `Delivery ${id} of route ${route} has no records.`)
  await updateDelivery(tx, { id, from: 'composed' }, { records })
  const attached = await selectIdRuns(db, sql`delivery_id = ${id}`)
  const numbers = await bindReservation(tx, reservation, id)
  const more = { attached, records: [{ state: 'collected', ids: attached }], ...numbers }
  await appendDeliveryEvent(db, now, { id, more })
  return { ...entry, records, ...(await holdIfMaybeDelivered(tx, id)) }
}

/** Takes the sequence number in the transaction that uses it, so that a failure leaves no gap. */
export async function insertDelivery(
  tx: RouteTx,
  { nameFor, id, folder, sha256, rows, records }: Omit<NewReport, 'scheduledRun' | 'reservation'>,
): Promise<DeliveryEntry> {
  const { db, now, route } = tx
  const sequence = (await findLastSequence(db, route)) + 1
  const name = await findFreeName(db, route, (attempt) => nameFor(sequence, attempt))
  const row = { id, route, sequence, folder, name, sha256, rows, records }
  const version = await noteVersion(tx)
  await db
    .insertInto('deliveries')
    .values({ ...row, state: 'composed', composed_at: now, version })
    .execute()
  return { ...row, state: 'composed', composedAt: now }
}

/** Two deliveries of a route never share a name: a file with this name and these bytes must be this delivery. */
export async function findFreeName(db: Db, route: string, nameFor: (attempt: number) => string) {
  for (let attempt = 1; attempt <= USED_NAMES_MAX; attempt += 1) {
    const name = nameFor(attempt)
    const isNamed = sql`route = ${route} and name = ${name}`
    const isUsed =
      (await exists(db, sql`deliveries where ${isNamed}`)) ||
      (await exists(db, sql`redeliveries where ${isNamed}`))
    if (!isUsed) return name
  }
  throw namesTakenError(nameFor(1), USED_NAMES_MAX)
}

/** Returns how many records it attached. */
async function attachRecords({ db, now, route }: RouteTx, { id, upToRecord, held }: NewDelivery) {
  const attaching = sql`
    update records set delivery_id = ${id}, number = numbered.number, state = 'collected', problems = '[]',
      changed_at = ${now}
    from (
      select id, row_number() over (order by id) as number from records
      where route = ${route} and id <= ${upToRecord} and direction = 'outgoing' and delivery_id is null
        and id not in (select batch.id from ${jsonRows(held, { id: 'id' })})
    ) as numbered
    where records.id = numbered.id`
  return changeRows(db, attaching)
}

/** composed → delivered; the caller appends the event. */
async function markDelivered(tx: RouteTx, id: string, place: string | undefined): Promise<void> {
  const { db, now } = tx
  const changes = { state: 'delivered', delivered_at: now, place: place ?? null } as const
  const acknowledge_by = await findFirstAcknowledgeBy(db, id)
  await updateDelivery(tx, { id, from: 'composed' }, { ...changes, acknowledge_by })
}

/** Computed once, because it is read as long as the file waits for its confirmation. */
async function findFirstAcknowledgeBy(db: Db, id: string): Promise<number | null> {
  const { rows } = await sql<{ by: number | null }>`
    select 1000 * min(unixepoch(bodies.body ->> '$.acknowledge_by')) as by
    from records join bodies on bodies.record_id = records.id
    where records.delivery_id = ${id}`.execute(db)
  return rows[0]?.by ?? null
}

async function markAcknowledged(tx: RouteTx, id: string): Promise<boolean> {
  const { db, now, route } = tx
  const acknowledging = sql`
    update deliveries set state = 'acknowledged', acknowledged_at = ${now}
    where id = ${id} and route = ${route} and state = 'delivered'
      and not exists (select 1 from records where records.delivery_id = deliveries.id and ${IS_OPEN})`
  if ((await changeRows(db, acknowledging)) === 1) {
    await appendDeliveryEvent(db, now, { id })
    return true
  }
  // Leaves the state as it is, or stops the program when the delivery is not delivered at all.
  await updateDelivery(tx, { id, from: 'delivered' }, { state: 'delivered' })
  return false
}

/** Keeps acknowledged records; the others become `exported`. */
async function markDone({ db, now, route }: RouteTx, id: string, place?: string): Promise<void> {
  const { numAffectedRows } = await sql`
    update deliveries set state = 'done', delivered_at = coalesce(delivered_at, ${now}),
      place = coalesce(place, ${place ?? null})
    where id = ${id} and route = ${route} and state in ('composed', 'delivered') and held is null`.execute(db)
  assert(numAffectedRows === 1n, `Delivery ${id} of route ${route} should be on its way and is not.`)
  await removeNamings(db, id)
  const isLeft = sql`delivery_id = ${id} and ${IS_OPEN}`
  const ids = await selectIdRuns(db, isLeft)
  await sql`update records set state = 'exported', changed_at = ${now} where ${isLeft}`.execute(db)
  await appendDeliveryEvent(db, now, { id, more: { records: [{ state: 'exported', ids }] } })
}

async function updateDelivery(
  { db, route }: RouteTx,
  { id, from }: { id: string; from: DeliveryState },
  changes: Partial<Tables['deliveries']>,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('deliveries')
    .set(changes)
    .where('id', '=', id)
    .where('route', '=', route)
    .where('state', '=', from)
    .where('held', 'is', null)
    .executeTakeFirst()
  assert(numUpdatedRows === 1n, `Delivery ${id} of route ${route} should be ${from} and is not.`)
}

/** How many unfinished deliveries one query returns; the others follow once these are done. */
const MAX_UNFINISHED = 10_000

/** Condition on `deliveries`: work is left that needs no person. The partial index has the first half of it. */
export const IS_UNFINISHED = sql<boolean>`state not in ('acknowledged', 'done') and held is null`

async function selectDeliveries(db: Db, condition: RawBuilder<unknown>): Promise<DeliveryEntry[]> {
  const { rows } = await sql<Row<'deliveries'>>`select * from deliveries where ${condition}`.execute(db)
  return rows.map(toDeliveryEntry)
}

async function findDelivery(db: Db, id: string): Promise<DeliveryEntry | undefined> {
  const row = await db.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toDeliveryEntry(row)
}

function isOfRoute(route: string | undefined): RawBuilder<unknown> {
  return route === undefined ? sql`true` : sql`route = ${route}`
}

export function toDeliveryEntry(row: Row<'deliveries'>): DeliveryEntry {
  return {
    id: row.id,
    route: row.route,
    sequence: row.sequence,
    folder: row.folder,
    name: row.name,
    sha256: row.sha256,
    rows: row.rows,
    records: row.records,
    state: row.state,
    composedAt: row.composed_at,
    ...omitNull({
      deliveredAt: row.delivered_at,
      place: row.place,
      confirmedAt: row.confirmed_at,
      confirmedBy: row.confirmed_by,
      acknowledgedAt: row.acknowledged_at,
      held: row.held,
      prunedAt: row.pruned_at,
      version: row.version,
    }),
  }
}

// Deliveries that wait for a person to say whether they were delivered.

async function getDelivery({ db, route }: RouteTx, id: string): Promise<DeliveryEntry> {
  const delivery = await findDelivery(db, id)
  assert(delivery?.route === route, `Delivery ${id} is not one of route ${route}.`)
  return delivery
}

async function resolveHeldDelivery(tx: RouteTx, id: string, answer: NewDeliveryResolution) {
  const { db, now } = tx
  const { held, records } = await getDelivery(tx, id)
  if (held === undefined) return undefined
  const { action, by, why, via, place } = answer
  const decisionId = await insertDecision(db, now, { delivery_id: id, action, by, why, via, records })
  await db.updateTable('deliveries').set({ held: null }).where('id', '=', id).execute()
  await removeNamings(db, id)
  if (action === 'resolve-delivered') await markDelivered(tx, id, place)
  const decision = await selectDecisionDetail(db, decisionId)
  await appendDeliveryEvent(db, now, { id, kind: 'decision-made', more: { decision } })
  return getDelivery(tx, id)
}

// Redeliveries: the bytes of a finished delivery once more, under a name of their own.

export function createRedeliveryJournal({ reads, leased }: BoundStore): RedeliveryJournal {
  return {
    startRedelivery: leased(async (tx, { id, delivery, folder, nameFor, decided }) => {
      const { db, now, route } = tx
      const name = await findFreeName(db, route, nameFor)
      const row = { id, delivery_id: delivery, route, folder, name, state: 'begun', began_at: now } as const
      await db.insertInto('redeliveries').values(row).execute()
      const noted = decided && (await insertRedeliveryDecision(tx, delivery, decided))
      const more = noted && { decision: noted }
      const event = { id: delivery, kind: 'redelivery-begun', more } as const
      await appendDeliveryEvent(db, now, omitUndefined(event))
      return omitUndefined({ ...toRedeliveryEntry({ ...row, ended_at: null }), decision: noted?.id })
    }),
    noteRedeliveryDecision: leased(async (tx, delivery, decided) => {
      const decision = await insertRedeliveryDecision(tx, delivery, decided)
      await appendDeliveryEvent(tx.db, tx.now, { id: delivery, kind: 'decision-made', more: { decision } })
      return decision.id
    }),
    renameRedelivery: leased(async (tx, id, nameFor) => {
      const name = await findFreeName(tx.db, tx.route, nameFor)
      await updateRedelivery(tx, id, { name }, 'redelivery-renamed')
      return name
    }),
    finishRedelivery: leased(async (tx, id, state) => {
      await updateRedelivery(tx, id, { state, ended_at: tx.now }, 'redelivery-ended')
      await removeNamings(tx.db, id)
    }),
    listOpenRedeliveries: reads(async (db, route) => {
      const open = db.selectFrom('redeliveries').selectAll().where('state', '=', 'begun')
      const rows = await open.where('route', '=', route).orderBy('began_at').execute()
      return rows.map(toRedeliveryEntry)
    }),
    listRedeliveries: reads(async (db, deliveryId) => {
      const own = db.selectFrom('redeliveries').selectAll().where('delivery_id', '=', deliveryId)
      return (await own.orderBy('began_at').execute()).map(toRedeliveryEntry)
    }),
    listRedeliveryDecisions: reads(async (db, deliveryId) => {
      // Those of files have no delivery; the index begins with the file.
      const { rows } = await sql<RedeliveryDecision>`
        select id, decided_by as by, why, decided_at as at from decisions
        where file_id is null and delivery_id = ${deliveryId} and action = 'redeliver' order by id`.execute(
        db,
      )
      return rows
    }),
  }
}

async function insertRedeliveryDecision(tx: RouteTx, delivery: string, { by, why, via }: Decider) {
  const { records } = await getDelivery(tx, delivery)
  const decided = { delivery_id: delivery, action: 'redeliver', by, why, via, records } as const
  return selectDecisionDetail(tx.db, await insertDecision(tx.db, tx.now, decided))
}

async function updateRedelivery(
  { db, now, route }: RouteTx,
  id: string,
  changes: Partial<Pick<Row<'redeliveries'>, 'name' | 'state' | 'ended_at'>>,
  kind: 'redelivery-renamed' | 'redelivery-ended',
): Promise<void> {
  const updating = db.updateTable('redeliveries').set(changes).where('id', '=', id)
  const [row] = await updating
    .where('route', '=', route)
    .where('state', '=', 'begun')
    .returning('delivery_id')
    .execute()
  assert(row, `Redelivery ${id} of route ${route} should be begun and is not.`)
  await appendDeliveryEvent(db, now, { id: row.delivery_id, kind })
}

function toRedeliveryEntry(row: Row<'redeliveries'>): RedeliveryEntry {
  const { id, delivery_id: delivery, route, folder, name, state, began_at: beganAt, ended_at } = row
  return { id, delivery, route, folder, name, state, beganAt, ...omitNull({ endedAt: ended_at }) }
}
