/** Stores which delivered files the consumer fetched, and the receipts that confirm them. */
import { sql } from 'kysely'
import type {
  UnconfirmedDelivery,
  NewReceipt,
  ReceiptResult,
  ReceiptEntry,
  ConfirmationJournal,
} from '../domain/delivery.ts'
import { assert } from '../support/errors.ts'
import { toDeliveryEntry } from './deliveries.ts'
import { appendDeliveryEvent } from './events.ts'
import { changeRows, exists, selectFirst } from './rows.ts'
import type { Db, Row } from './schema.ts'
import type { BoundStore, RouteTx } from './store.ts'

export function createConfirmationJournal({ reads, leased }: BoundStore): ConfirmationJournal {
  return {
    markDeliveryPickedUp: leased((tx, id) => saveConfirmation(tx, id, 'picked-up')),
    startReceipt: leased(insertReceipt),
    finishReceipt: leased(finishReceipt),
    markReceiptArchived: leased(async (tx, id, archivedAs) => {
      const { db, now } = tx
      const { delivery_id: delivery } = await findReceipt(tx, id)
      await db.updateTable('receipts').set({ archived_as: archivedAs }).where('id', '=', id).execute()
      await appendDeliveryEvent(db, now, { id: delivery, kind: 'receipt-archived' })
    }),
    listOpenReceipts: reads(selectOpenReceipts),
    listUnconfirmedDeliveries: reads(selectUnconfirmed),
    savePlace: leased(async ({ db, now }, place) => {
      const saving = sql`insert into known_places (place, marked_at) values (${place}, ${now}) on conflict do nothing`
      await saving.execute(db)
    }),
    isPlaceKnown: reads((db, place) => exists(db, sql`known_places where place = ${place}`)),
    hasTakenFrom: reads((db, route, folder) =>
      exists(db, sql`files where route = ${route} and folder = ${folder} and part_of is null`),
    ),
    hasDeliveredTo: reads((db, route, place) =>
      exists(db, sql`deliveries where route = ${route} and place = ${place}`),
    ),
  }
}

/** Changes nothing if the delivery is confirmed already, or waits for no confirmation any more. */
async function saveConfirmation({ db, now, route }: RouteTx, id: string, by: string): Promise<void> {
  const confirming = sql`
    update deliveries set confirmed_at = ${now}, confirmed_by = ${by}
    where id = ${id} and route = ${route} and state = 'delivered' and confirmed_at is null`
  if ((await changeRows(db, confirming)) === 1)
    await appendDeliveryEvent(db, now, { id, kind: 'delivery-confirmed' })
}

async function insertReceipt({ db, now, route }: RouteTx, receipt: NewReceipt): Promise<void> {
  const { id, delivery, folder, name } = receipt
  const found = await exists(db, sql`deliveries where id = ${delivery} and route = ${route}`)
  assert(found, `Delivery ${delivery} is not one of route ${route}.`)
  await sql`
    insert into receipts (id, delivery_id, folder, name, state, began_at)
    values (${id}, ${delivery}, ${folder}, ${name}, 'claiming', ${now})`.execute(db)
  await appendDeliveryEvent(db, now, { id: delivery, kind: 'receipt-claiming' })
}

async function finishReceipt(tx: RouteTx, id: string, end: ReceiptResult): Promise<void> {
  const { db, now } = tx
  const { delivery_id: delivery, name, state } = await findReceipt(tx, id)
  assert(state === 'claiming', `Receipt ${id} should be on its way and is ${state}.`)
  await db.updateTable('receipts').set({ state: end, ended_at: now }).where('id', '=', id).execute()
  await appendDeliveryEvent(db, now, { id: delivery, kind: `receipt-${end}` })
  if (end === 'accepted') await saveConfirmation(tx, delivery, name)
}

async function findReceipt({ db, route }: RouteTx, id: string) {
  const query = sql<Pick<Row<'receipts'>, 'delivery_id' | 'name' | 'state'>>`
    select delivery_id, receipts.name, receipts.state
    from receipts join deliveries on deliveries.id = receipts.delivery_id
    where receipts.id = ${id} and deliveries.route = ${route}`
  const found = await selectFirst(db, query)
  assert(found, `Receipt ${id} is not one of route ${route}.`)
  return found
}

async function selectOpenReceipts(db: Db, route: string, limit: number): Promise<ReceiptEntry[]> {
  const { rows } = await sql<ReceiptEntry>`
    select receipts.id, delivery_id as delivery, receipts.folder, receipts.name, receipts.state
    from receipts join deliveries on deliveries.id = receipts.delivery_id
    where archived_as is null and receipts.state <> 'gone' and deliveries.route = ${route}
    order by began_at, receipts.id limit ${limit}`.execute(db)
  return rows
}

/** The conditions begin with those of the partial index on unfinished deliveries. */
async function selectUnconfirmed(db: Db, limit: number, route?: string): Promise<UnconfirmedDelivery[]> {
  const own = route === undefined ? sql`true` : sql`deliveries.route = ${route}`
  const { rows } = await sql<Row<'deliveries'> & { refused: string | null; refused_at: number | null }>`
    with awaited as (
      select * from deliveries
      where state not in ('acknowledged', 'done') and state = 'delivered' and confirmed_at is null and ${own}
      order by delivered_at, sequence limit ${limit}
    )
    select awaited.*,
      (select name from receipts where delivery_id = awaited.id and state = 'refused'
        order by began_at desc, id desc limit 1) as refused,
      (select max(ended_at) from receipts where delivery_id = awaited.id and state = 'refused') as refused_at
    from awaited order by delivered_at, sequence`.execute(db)
  return rows.map(({ refused, refused_at: at, ...row }) => ({
    ...toDeliveryEntry(row),
    ...(row.acknowledge_by === null ? {} : { acknowledgeBy: row.acknowledge_by }),
    ...(refused === null || at === null ? {} : { refusedReceipt: { name: refused, at } }),
  }))
}
