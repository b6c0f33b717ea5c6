/** Deliveries that wait for a person to say whether they were delivered. */
import type { Kysely } from 'kysely'
import type { DeliveryEntry, DeliveryJournal, NewDeliveryAnswer } from '../domain/delivery.ts'
import type { Lease } from '../domain/lease.ts'
import { assert } from '../support/errors.ts'
import { placeDelivery } from './deliveries.ts'
import { deliveryEntry, heldDeliveries } from './delivery-rows.ts'
import { endNamings } from './namings.ts'
import type { Tables } from './schema.ts'
import { read, type Store, writeHolding, writeWhatIsThere } from './store.ts'
import { chainDelivery, chainDeliveryDecision } from './work-events.ts'

type HeldDeliveryCalls = Pick<DeliveryJournal, 'holdDelivery' | 'answerHeldDelivery' | 'heldDeliveries'>

export function heldDeliveryCalls(store: Store): HeldDeliveryCalls {
  return {
    holdDelivery: (lease, id, reason) =>
      writeWhatIsThere(store, lease, async (tables, now) => {
        const { state, held } = await deliveryOf(tables, lease, id)
        assert(state === 'composed', `Delivery ${id} is ${state} and cannot be held.`)
        if (held !== undefined) return false
        await tables.updateTable('deliveries').set({ held: reason }).where('id', '=', id).execute()
        await chainDelivery(tables, now, { id, kind: 'delivery-held' })
        return true
      }),
    answerHeldDelivery: (lease, id, answer) =>
      writeHolding(store, lease, (tables, now) => answerHeld(tables, lease, { id, answer, now })),
    heldDeliveries: (limit, route) => read(store, (tables) => heldDeliveries(tables, limit, route)),
  }
}

async function deliveryOf(tables: Kysely<Tables>, { route }: Lease, id: string): Promise<DeliveryEntry> {
  const delivery = await deliveryEntry(tables, id)
  assert(delivery?.route === route, `Delivery ${id} is not one of route ${route}.`)
  return delivery
}

async function answerHeld(
  tables: Kysely<Tables>,
  lease: Lease,
  { id, answer, now }: { readonly id: string; readonly answer: NewDeliveryAnswer; readonly now: number },
): Promise<DeliveryEntry | undefined> {
  const { held, records } = await deliveryOf(tables, lease, id)
  if (held === undefined) return undefined
  const { action, by, why, place } = answer
  const row = { delivery_id: id, action, decided_by: by, why, decided_at: now, records }
  const decision = await tables.insertInto('decisions').values(row).returning('id').executeTakeFirstOrThrow()
  await tables.updateTable('deliveries').set({ held: null }).where('id', '=', id).execute()
  await endNamings(tables, id)
  if (action === 'settle-delivered') await placeDelivery(tables, lease, { id, place, now })
  await chainDeliveryDecision(tables, now, { id: decision.id, delivery: id })
  return deliveryOf(tables, lease, id)
}
