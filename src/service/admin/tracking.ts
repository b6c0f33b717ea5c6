/** What the carrier does with a shipment: picked up, then delivered. The API has no call for it. Runs in the write queue. */
import { sql } from 'kysely'
import { type Answer, answered, notFound, wrongState } from '../http/answer.ts'
import type { Resources } from '../resources.ts'
import type { Store } from '../store/store.ts'

export type MoveParcel = (shipmentId: number) => Answer

export interface ParcelMoves {
  readonly pickUp: MoveParcel
  readonly deliver: MoveParcel
}

/** A second time keeps the first time's times and is fine. What is delivered was picked up. */
export function createParcelMoves({ store, clock, shipments }: Resources): ParcelMoves {
  const { find, pickUp, deliver } = prepareStatements(store)
  function move(isDelivered: boolean): MoveParcel {
    return (id) => {
      const shipment = find.first({ id })
      if (shipment === undefined) return notFound()
      if (shipment.tracking_number === null) {
        return wrongState('A shipment without a tracking number cannot be with the carrier.')
      }
      const now = clock.now()
      pickUp.run({ id, now })
      if (isDelivered) deliver.run({ id, now })
      return answered(shipments.retailer([id])[0])
    }
  }
  return { pickUp: move(false), deliver: move(true) }
}

/** Spec: of two statements about the status, both close a shipment that has a tracking number and is picked up. */
function prepareStatements({ build, prepare }: Store) {
  return {
    find: prepare((p: { id: number }) =>
      build.selectFrom('shipments').select('tracking_number').where('id', '=', p.id),
    ),
    pickUp: prepare((p: { id: number; now: number }) =>
      build
        .updateTable('shipments')
        .set({ picked_up_at: p.now, status: 'closed' })
        .where('id', '=', p.id)
        .where('picked_up_at', 'is', null),
    ),
    deliver: prepare((p: { id: number; now: number }) =>
      build
        .updateTable('shipments')
        .set({ delivered_at: sql<number>`coalesce(delivered_at, ${p.now})` })
        .where('id', '=', p.id),
    ),
  }
}
