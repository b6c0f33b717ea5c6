/** Delivered files that were taken, and the receipts that confirm them. */
import { type Kysely, sql } from 'kysely'
import type { Lease } from '../domain/lease.ts'
import type {
  AwaitedDelivery,
  NewReceipt,
  ReceiptEnd,
  ReceiptEntry,
  TakingJournal,
} from '../domain/taking.ts'
import { assert } from '../support/errors.ts'
import { entryOf } from './delivery-rows.ts'
import { chainDelivery } from './work-events.ts'
import type { DeliveryTable, Tables } from './schema.ts'
import { type Store, read, writeHolding } from './store.ts'

export function takingCalls(store: Store): TakingJournal {
  return {
    deliveryPickedUp: (lease, id) =>
      writeHolding(store, lease, (tables, now) => noteTaken(tables, lease, { id, by: 'picked-up', now })),
    beginReceipt: (lease, receipt) =>
      writeHolding(store, lease, (tables, now) => beginReceipt(tables, lease, { receipt, now })),
    endReceipt: (lease, id, end) =>
      writeHolding(store, lease, (tables, now) => endReceipt(tables, lease, { id, end, now })),
    receiptArchived: (lease, id, archivedAs) =>
      writeHolding(store, lease, async (tables, now) => {
        const { delivery_id: delivery } = await receiptOf(tables, lease, id)
        await tables.updateTable('receipts').set({ archived_as: archivedAs }).where('id', '=', id).execute()
        await chainDelivery(tables, now, { id: delivery, kind: 'receipt-archived' })
      }),
    openReceipts: (route, limit) => read(store, (tables) => openReceipts(tables, route, limit)),
    awaitedDeliveries: (limit, route) => read(store, (tables) => awaitedDeliveries(tables, limit, route)),
    notePlace: (lease, place) =>
      writeHolding(store, lease, async (tables, now) => {
        await tables
          .insertInto('known_places')
          .values({ place, marked_at: now })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      }),
    isPlaceKnown: (place) =>
      read(store, async (tables) => {
        const query = tables.selectFrom('known_places').select('place').where('place', '=', place)
        return (await query.executeTakeFirst()) !== undefined
      }),
    wasTakenFrom: (route, folder) =>
      read(store, async (tables) => {
        const ofRoute = tables.selectFrom('files').select('id').where('route', '=', route)
        return (await ofRoute.where('folder', '=', folder).limit(1).executeTakeFirst()) !== undefined
      }),
    wasLeftIn: (route, place) =>
      read(store, async (tables) => {
        const ofRoute = tables.selectFrom('deliveries').select('id').where('route', '=', route)
        return (await ofRoute.where('left_in', '=', place).limit(1).executeTakeFirst()) !== undefined
      }),
  }
}

/** One that is known to be taken stays as it is, and so does one that waits for nobody any more. */
async function noteTaken(
  tables: Kysely<Tables>,
  { route }: Lease,
  { id, by, now }: { readonly id: string; readonly by: string; readonly now: number },
): Promise<void> {
  const { numUpdatedRows } = await tables
    .updateTable('deliveries')
    .set({ taken_at: now, taken_by: by })
    .where('id', '=', id)
    .where('route', '=', route)
    .where('state', '=', 'delivered')
    .where('taken_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 1n) await chainDelivery(tables, now, { id, kind: 'delivery-taken' })
}

async function beginReceipt(
  tables: Kysely<Tables>,
  { route }: Lease,
  { receipt, now }: { readonly receipt: NewReceipt; readonly now: number },
): Promise<void> {
  const { id, delivery, folder, name } = receipt
  const found = await tables
    .selectFrom('deliveries')
    .select('id')
    .where('id', '=', delivery)
    .where('route', '=', route)
    .executeTakeFirst()
  assert(found, `Delivery ${delivery} is not one of route ${route}.`)
  await tables
    .insertInto('receipts')
    .values({ id, delivery_id: delivery, folder, name, state: 'claiming', began_at: now })
    .execute()
  await chainDelivery(tables, now, { id: delivery, kind: 'receipt-claiming' })
}

async function endReceipt(
  tables: Kysely<Tables>,
  lease: Lease,
  { id, end, now }: { readonly id: string; readonly end: ReceiptEnd; readonly now: number },
): Promise<void> {
  const { delivery_id: delivery, name, state } = await receiptOf(tables, lease, id)
  assert(state === 'claiming', `Receipt ${id} should be on its way and is ${state}.`)
  await tables.updateTable('receipts').set({ state: end, ended_at: now }).where('id', '=', id).execute()
  await chainDelivery(tables, now, { id: delivery, kind: `receipt-${end}` })
  if (end === 'accepted') await noteTaken(tables, lease, { id: delivery, by: name, now })
}

async function receiptOf(tables: Kysely<Tables>, { route }: Lease, id: string) {
  const found = await tables
    .selectFrom('receipts')
    .innerJoin('deliveries', 'deliveries.id', 'receipts.delivery_id')
    .select(['receipts.delivery_id', 'receipts.name', 'receipts.state'])
    .where('receipts.id', '=', id)
    .where('deliveries.route', '=', route)
    .executeTakeFirst()
  assert(found, `Receipt ${id} is not one of route ${route}.`)
  return found
}

async function openReceipts(tables: Kysely<Tables>, route: string, limit: number): Promise<ReceiptEntry[]> {
  const { rows } = await sql<ReceiptEntry>`
    select receipts.id, delivery_id as delivery, receipts.folder, receipts.name, receipts.state
    from receipts join deliveries on deliveries.id = receipts.delivery_id
    where archived_as is null and receipts.state <> 'gone' and deliveries.route = ${route}
    order by began_at, receipts.id limit ${limit}`.execute(tables)
  return rows
}

interface RefusedReceipt {
  readonly refused: string | null
  readonly refused_at: number | null
}

/** The conditions begin with those of the index that holds nothing but what is unfinished. */
async function awaitedDeliveries(
  tables: Kysely<Tables>,
  limit: number,
  route?: string,
): Promise<AwaitedDelivery[]> {
  const own = route === undefined ? sql`true` : sql`deliveries.route = ${route}`
  const { rows } = await sql<DeliveryTable & RefusedReceipt>`
    with awaited as (
      select * from deliveries
      where state not in ('acknowledged', 'done') and state = 'delivered' and taken_at is null and ${own}
      order by delivered_at, sequence limit ${limit}
    )
    select awaited.*,
      (select name from receipts where delivery_id = awaited.id and state = 'refused'
        order by began_at desc, id desc limit 1) as refused,
      (select max(ended_at) from receipts where delivery_id = awaited.id and state = 'refused') as refused_at
    from awaited order by delivered_at, sequence`.execute(tables)
  return rows.map(({ refused, refused_at: at, ...row }) => ({
    ...entryOf(row),
    ...(row.acknowledge_by === null ? {} : { acknowledgeBy: row.acknowledge_by }),
    ...(refused === null || at === null ? {} : { refusedReceipt: { name: refused, at } }),
  }))
}
