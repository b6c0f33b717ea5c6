/** Deliveries: each is composed with its records in one step, and each change of state is one guarded statement. */
import { type Kysely, sql } from 'kysely'
import type {
  DeliveryEntry,
  DeliveryState,
  Journal,
  Lease,
  NewDelivery,
  NewReport,
} from '../domain/journal.ts'
import type { RecordResult } from '../domain/record.ts'
import { assert, BridgeError } from '../support/errors.ts'
import { batchOf } from './batch.ts'
import { deliveryEntry, recentDeliveries, unfinishedDeliveries } from './delivery-rows.ts'
import { idsWhere } from './ids.ts'
import { endNamings } from './namings.ts'
import { holdRecords } from './outgoing.ts'
import { holdIfDoubtful, lastSequence } from './restored-routes.ts'
import { tieToTurn } from './route-turns.ts'
import type { DeliveryTable, Tables } from './schema.ts'
import { type Store, read, writeHolding } from './store.ts'
import { chainDelivery } from './work-events.ts'
import { NOT_FINAL } from './work.ts'

type DeliveryCalls = Pick<
  Journal,
  | 'deliveryComposed'
  | 'reportComposed'
  | 'renameDelivery'
  | 'deliveryDelivered'
  | 'deliveryDone'
  | 'deliveryAcknowledged'
  | 'delivery'
  | 'unfinishedDeliveries'
  | 'recentDeliveries'
>

export function deliveryCalls(store: Store): DeliveryCalls {
  return {
    deliveryComposed: (lease, delivery) =>
      writeHolding(store, lease, (tables, now) => compose(tables, lease, { delivery, now })),
    reportComposed: (lease, report) =>
      writeHolding(store, lease, async (tables, now) => {
        const entry = await insertDelivery(tables, lease, { delivery: report, now })
        const { id, turn } = report
        const more =
          turn === undefined ? {} : { turns: await tieToTurn(tables, lease, { turn, delivery: id }) }
        await chainDelivery(tables, now, { id, more })
        return { ...entry, ...(await holdIfDoubtful(tables, lease, { id, now })) }
      }),
    renameDelivery: (lease, id, name) =>
      writeHolding(store, lease, async (tables, now) => {
        await moveDelivery(tables, { id, route: lease.route, from: 'composed' }, { name })
        await chainDelivery(tables, now, { id, kind: 'delivery-renamed' })
      }),
    deliveryDelivered: (lease, id, place) =>
      writeHolding(store, lease, async (tables, now) => {
        await placeDelivery(tables, lease, { id, place, now })
        await endNamings(tables, id)
        await chainDelivery(tables, now, { id })
      }),
    deliveryDone: (lease, id, place) =>
      writeHolding(store, lease, (tables, now) => finish(tables, lease, { id, place: place ?? null, now })),
    deliveryAcknowledged: (lease, id) =>
      writeHolding(store, lease, (tables, now) => acknowledge(tables, lease, { id, now })),
    delivery: (id) => read(store, (tables) => deliveryEntry(tables, id)),
    unfinishedDeliveries: (route) => read(store, (tables) => unfinishedDeliveries(tables, route)),
    recentDeliveries: (limit, route) => read(store, (tables) => recentDeliveries(tables, limit, route)),
  }
}

async function compose(
  tables: Kysely<Tables>,
  lease: Lease,
  { delivery, now }: { delivery: NewDelivery; now: number },
): Promise<DeliveryEntry> {
  const { route } = lease
  const { id, upToRecord, held } = delivery
  const entry = await insertDelivery(tables, lease, { delivery: { ...delivery, records: 0 }, now })
  await holdRecords(tables, lease, { held, now })
  const records = await attachRecords(tables, { id, route, upToRecord, held, now })
  assert(records > 0, `Delivery ${id} of route ${route} has no records.`)
  await moveDelivery(tables, { id, route, from: 'composed' }, { records })
  const attached = await idsWhere(tables, sql`delivery_id = ${id}`)
  const more = { attached, records: [{ state: 'collected', ids: attached }] }
  await chainDelivery(tables, now, { id, more })
  return { ...entry, records, ...(await holdIfDoubtful(tables, lease, { id, now })) }
}

/** The sequence is taken in the transaction that uses it, so that a failure leaves no gap. */
async function insertDelivery(
  tables: Kysely<Tables>,
  { route }: Lease,
  { delivery, now }: { delivery: NewReport; now: number },
): Promise<DeliveryEntry> {
  const { id, folder, sha256, rows, records } = delivery
  const sequence = (await lastSequence(tables, route)) + 1
  const name = await freeName(tables, route, (turn) => delivery.nameFor(sequence, turn))
  const row = { id, route, sequence, folder, name, sha256, rows, records }
  await tables
    .insertInto('deliveries')
    .values({ ...row, state: 'composed', composed_at: now })
    .execute()
  return { ...row, state: 'composed', composedAt: now }
}

/** How many names of one delivery are tried; a template that gives so many equal ones says nothing of the delivery. */
const NAMES_MAX = 10_000

/** Two deliveries of a route never share a name: the same bytes at it must mean this delivery and no earlier one. */
async function freeName(
  tables: Kysely<Tables>,
  route: string,
  nameFor: (turn: number) => string,
): Promise<string> {
  for (let turn = 1; turn <= NAMES_MAX; turn += 1) {
    const name = nameFor(turn)
    const taken = await tables
      .selectFrom('deliveries')
      .select('id')
      .where('route', '=', route)
      .where('name', '=', name)
      .executeTakeFirst()
    if (taken === undefined) return name
  }
  throw new BridgeError(
    'cannot-write',
    `Route ${route} has used ${NAMES_MAX} names like ${nameFor(1)} already.`,
  )
}

interface Attachment {
  readonly id: string
  readonly route: string
  readonly upToRecord: number
  readonly held: readonly RecordResult[]
  readonly now: number
}

async function attachRecords(tables: Kysely<Tables>, attachment: Attachment): Promise<number> {
  const { id, route, upToRecord, held, now } = attachment
  const { numAffectedRows = 0n } = await sql`
    update records set delivery_id = ${id}, number = numbered.number, state = 'collected', problems = '[]',
      changed_at = ${now}
    from (
      select id, row_number() over (order by id) as number from records
      where route = ${route} and id <= ${upToRecord} and direction = 'outgoing' and delivery_id is null
        and id not in (select batch.id from ${batchOf(held, { id: (record) => record.id })})
    ) as numbered
    where records.id = numbered.id`.execute(tables)
  return Number(numAffectedRows)
}

/** composed → delivered; the event is the caller's. */
export async function placeDelivery(
  tables: Kysely<Tables>,
  { route }: Lease,
  { id, place, now }: { readonly id: string; readonly place: string | undefined; readonly now: number },
): Promise<void> {
  const changes = {
    state: 'delivered',
    delivered_at: now,
    left_in: place ?? null,
    acknowledge_by: await firstAcknowledgeBy(tables, id),
  } as const
  await moveDelivery(tables, { id, route, from: 'composed' }, changes)
}

/** Noted once, because it is asked for as long as the file waits to be taken. */
async function firstAcknowledgeBy(tables: Kysely<Tables>, id: string): Promise<number | null> {
  const { rows } = await sql<{ by: number | null }>`
    select 1000 * min(unixepoch(bodies.body ->> '$.acknowledge_by')) as by
    from records join bodies on bodies.record_id = records.id
    where records.delivery_id = ${id}`.execute(tables)
  return rows[0]?.by ?? null
}

async function acknowledge(
  tables: Kysely<Tables>,
  { route }: Lease,
  { id, now }: { id: string; now: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update deliveries set state = 'acknowledged', acknowledged_at = ${now}
    where id = ${id} and route = ${route} and state = 'delivered'
      and not exists (select 1 from records where records.delivery_id = deliveries.id and ${NOT_FINAL})`.execute(
    tables,
  )
  if (numAffectedRows === 1n) {
    await chainDelivery(tables, now, { id })
    return true
  }
  // Stays as it is, or stops the program when it is not a delivered one at all.
  await moveDelivery(tables, { id, route, from: 'delivered' }, { state: 'delivered' })
  return false
}

/** What is acknowledged already stays so; of the rest nothing is expected any more. */
async function finish(
  tables: Kysely<Tables>,
  { route }: Lease,
  { id, place, now }: { id: string; place: string | null; now: number },
): Promise<void> {
  const { numAffectedRows } = await sql`
    update deliveries set state = 'done', delivered_at = coalesce(delivered_at, ${now}),
      left_in = coalesce(left_in, ${place})
    where id = ${id} and route = ${route} and state in ('composed', 'delivered') and held is null`.execute(
    tables,
  )
  assert(numAffectedRows === 1n, `Delivery ${id} of route ${route} should be on its way and is not.`)
  await endNamings(tables, id)
  const isLeft = sql`delivery_id = ${id} and ${NOT_FINAL}`
  const ids = await idsWhere(tables, isLeft)
  await sql`update records set state = 'exported', changed_at = ${now} where ${isLeft}`.execute(tables)
  await chainDelivery(tables, now, { id, more: { records: [{ state: 'exported', ids }] } })
}

async function moveDelivery(
  tables: Kysely<Tables>,
  { id, route, from }: { id: string; route: string; from: DeliveryState },
  changes: Partial<DeliveryTable>,
): Promise<void> {
  const { numUpdatedRows } = await tables
    .updateTable('deliveries')
    .set(changes)
    .where('id', '=', id)
    .where('route', '=', route)
    .where('state', '=', from)
    .where('held', 'is', null)
    .executeTakeFirst()
  assert(numUpdatedRows === 1n, `Delivery ${id} of route ${route} should be ${from} and is not.`)
}
