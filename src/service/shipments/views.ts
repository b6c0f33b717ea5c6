/** Shipments as the retailer and the brand see them, with their tracking. Spec: "Shipment". */
import { BrandShipment, RetailerShipment } from '../../contract/shipment.ts'
import { addressFromJson, createRowView, flattenAddress, isoTimeOrNull } from '../values.ts'
import type { ServiceContext } from '../endpoints.ts'
import { summarizeForBrand, summarizeForRetailer, type Summarize } from '../items/summaries.ts'
import { readLinesOf } from '../orders/rows.ts'
import { build, idsFromJson, type IdsParameter, idsParameter } from '../store/store.ts'
import { type Answer, answerWith, refuseNotFound, refuseState } from '../http/answers.ts'

const showForRetailer = createRowView(RetailerShipment)
const showForBrand = createRowView(BrandShipment)

export function readRetailerShipments(context: ServiceContext, ids: readonly number[]): RetailerShipment[] {
  const shipments = readShipments(context, ids, summarizeForRetailer)
  return shipments.map(({ row, origin, commonFields }) =>
    showForRetailer(row, { ...commonFields, ship_from: origin }),
  )
}

export function readBrandShipments(context: ServiceContext, ids: readonly number[]): BrandShipment[] {
  return readShipments(context, ids, summarizeForBrand).map(({ row, origin, commonFields }) => {
    const carrier = context.directory.getCarrier(row.carrier_id)
    return showForBrand(row, { ...commonFields, carrier, ...flattenAddress('ship_from', origin) })
  })
}

function readShipments<Item>(context: ServiceContext, ids: readonly number[], summarize: Summarize<Item>) {
  const { store, directory } = context
  const linesOf = readLinesOf(context, ['shipment_lines', 'shipment_id'], ids, summarize)
  return store.rows(shipmentsByIds, idsParameter(ids)).map((row) => {
    const connection = directory.findConnection(row.retailer_id, row.brand_id)
    const account = connection?.accounts.find(({ id }) => id === row.shipping_account_id)
    const commonFields = {
      brand: directory.getParty('brand', row.brand_id),
      shipping_account:
        account === undefined
          ? null
          : { id: account.id, nickname: account.nickname, carrier: account.carrier },
      shipping_method: directory.getMethod(row.shipping_method_id),
      tracking: {
        picked_up_at: isoTimeOrNull(row.picked_up_at),
        delivered_at: isoTimeOrNull(row.delivered_at),
      },
      valid_packing_slip: connection?.packing_slips === 1,
      // Spec: a label is made only for a shipment created with weight, width, height and length.
      valid_shipping_label: row.ship_weight !== null && row.ship_volume !== null,
      shipment_lines: linesOf(row.id).map(({ id, orderLine, part, variant, quantity }) => ({
        id,
        order_line_number: String(orderLine.number),
        part,
        variant,
        quantity,
      })),
    }
    return { row, commonFields, origin: addressFromJson(row.ship_from_id, row.ship_from) }
  })
}

const shipmentsByIds = (p: IdsParameter) =>
  build
    .selectFrom('shipments')
    .innerJoin('orders', 'orders.id', 'shipments.order_id')
    .innerJoin('addresses', 'addresses.id', 'shipments.ship_from_id')
    .selectAll('shipments')
    .select(['addresses.body as ship_from', 'orders.purchase_order_number'])
    .select(['orders.customer_order_number', 'orders.ordered_at'])
    .where('shipments.id', 'in', idsFromJson(p.ids))
    .orderBy('shipments.id')

// Gives a shipment its tracking number, and records pick-up and delivery. Runs in the write queue.

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
