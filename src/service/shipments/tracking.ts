/** Gives a shipment its tracking number, and records pick-up and delivery. Runs in the write queue. */
import type { ServiceContext } from '../context.ts'
import { type Answer, answerWith, refuseNotFound, refuseState } from '../http/answers.ts'
import { readRetailerShipments } from './views.ts'

/** Assigns a tracking number in place of a carrier. Spec: then it is shipped; a switch decides the status. */
export function labelShipment(context: ServiceContext, id: number, shipped_at: number): void {
  const { store, directory, switches } = context
  const shipment = store.find('shipments', { id, tracking_number: null })
  if (shipment === undefined) return
  const tracking_number = directory.getCarrier(shipment.carrier_id).code + String(id).padStart(12, '0')
  const status = switches.shipmentCloses === 'tracking' ? 'closed' : 'open'
  store.update('shipments', { id }, { tracking_number, shipped_at, status })
}

/**
 * Picks up or delivers a shipment for the carrier; the API has no call for it. A second call keeps the first times and
 * succeeds; a delivery implies a pick-up. Spec: two statements about the status differ; both close a shipment with a
 * tracking number that is picked up.
 */
export function moveShipment(context: ServiceContext, id: number, isDelivered: boolean): Answer {
  const { store } = context
  const shipment = store.find('shipments', { id })
  if (shipment === undefined) return refuseNotFound()
  if (shipment.tracking_number === null) {
    return refuseState('A shipment without a tracking number cannot be with the carrier.')
  }
  const now = context.clock.now()
  store.update('shipments', { id, picked_up_at: null }, { picked_up_at: now, status: 'closed' })
  if (isDelivered) store.update('shipments', { id, delivered_at: null }, { delivered_at: now })
  return answerWith(readRetailerShipments(context, [id])[0])
}
