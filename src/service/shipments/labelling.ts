/** How a shipment gets the tracking number of a label that the service makes. Runs in the write queue. */
import { sql } from 'kysely'
import type { Switches } from '../http/switches.ts'
import type { Store } from '../store/store.ts'

/** Gives the shipment a tracking number if it has none. Spec: with it the shipment is shipped. */
export type LabelShipment = (shipmentId: number, shippedAt: number) => void

/** Spec: of two statements about the status, which one holds is a switch. A carrier would give the number. */
export function createLabelling({ build, prepare }: Store, switches: Switches): LabelShipment {
  const label = prepare((p: { id: number; number: string; shipped_at: number; status: 'open' | 'closed' }) =>
    build
      .updateTable('shipments')
      .set({
        tracking_number: sql<string>`(select code from carriers where id = carrier_id) || ${p.number}`,
        shipped_at: p.shipped_at,
        status: p.status,
      })
      .where('id', '=', p.id)
      .where('tracking_number', 'is', null),
  )
  return (id, shippedAt) => {
    const status = switches.shipmentCloses === 'tracking' ? 'closed' : 'open'
    label.run({ id, number: String(id).padStart(12, '0'), shipped_at: shippedAt, status })
  }
}
