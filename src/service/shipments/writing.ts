/** The rows of a new shipment, and what it changes at its order's lines. */
import { isAbsent } from '../absent.ts'
import { sql } from 'kysely'
import type { ShipmentCreate } from '../../contract/shipment.ts'
import { toAddressText } from '../addresses.ts'
import { girthOf, volumeOf } from '../amounts.ts'
import type { Carriage, ShippedOrder } from './carriage.ts'
import type { Store } from '../store/store.ts'

export interface NewShipment {
  readonly body: ShipmentCreate
  readonly order: ShippedOrder
  readonly carriage: Carriage
  readonly lines: readonly ShippedLine[]
  readonly now: number
}

/** A line of the order and how much of it a shipment holds. */
export interface ShippedLine {
  readonly orderLineId: number
  readonly quantity: number
}

/** Inserts and gives the id of the shipment. */
export function createShipmentInserter(store: Store): (shipment: NewShipment) => number {
  const { build, prepare, inserter } = store
  const insertAddress = inserter('addresses')
  const insertShipment = inserter('shipments')
  const insertLine = inserter('shipment_lines')
  const label = prepare((p: { id: number; tracking: string }) =>
    build.updateTable('shipments').set({ tracking_number: p.tracking }).where('id', '=', p.id),
  )
  const addShipped = prepareAddShipped(store)
  return (shipment) => {
    const { body, carriage, lines } = shipment
    const id = insertShipment(toRow(shipment, insertAddress({ body: originText(body) })))
    if (isAbsent(body.tracking_number)) label.run({ id, tracking: madeTrackingNumber(carriage, id) })
    for (const { orderLineId, quantity } of lines) {
      insertLine({ shipment_id: id, order_line_id: orderLineId, part: 1, quantity })
      addShipped.run({ id: orderLineId, quantity })
    }
    return id
  }
}

function prepareAddShipped({ build, prepare }: Store) {
  return prepare((p: { id: number; quantity: number }) =>
    build
      .updateTable('order_lines')
      .set({
        quantity_shipped: sql<number>`quantity_shipped + ${p.quantity}`,
        status: sql<
          'open' | 'closed'
        >`iif(quantity_shipped + ${p.quantity} + quantity_canceled < quantity, 'open', 'closed')`,
      })
      .where('id', '=', p.id),
  )
}

/**
 * Every shipment has a tracking number, its own or the one made with the label, so it is shipped and closed.
 * Spec: shipped_at is "when the tracking number was captured or generated"; of the two statements about the status
 * the one taken is "closed when a tracking number is present".
 */
function toRow({ body, order, carriage, now }: NewShipment, shipFromId: number) {
  return {
    order_id: order.id,
    retailer_id: order.retailer_id,
    brand_id: order.brand_id,
    carrier_id: carriage.carrierId,
    shipping_account_id: carriage.accountId,
    shipping_method_id: carriage.methodId,
    ship_from_id: shipFromId,
    ship_weight: body.ship_weight ?? null,
    ship_width: body.ship_width ?? null,
    ship_length: body.ship_length ?? null,
    ship_height: body.ship_height ?? null,
    ...boxOf(body),
    tracking_number: body.tracking_number ?? null,
    shipped_at: isAbsent(body.shipped_at) ? now : Date.parse(body.shipped_at),
    picked_up_at: null,
    delivered_at: null,
    acknowledged_at: null,
    status: 'closed',
  } as const
}

function boxOf({ ship_width, ship_length, ship_height }: ShipmentCreate) {
  if (isAbsent(ship_width) || isAbsent(ship_length) || isAbsent(ship_height)) {
    return { ship_girth: null, ship_volume: null }
  }
  const dimensions = [ship_width, ship_length, ship_height] as const
  return { ship_girth: girthOf(dimensions), ship_volume: volumeOf(dimensions) }
}

function originText(body: ShipmentCreate): string {
  return toAddressText({
    name1: body.ship_from_name1,
    name2: body.ship_from_name2,
    street1: body.ship_from_street1,
    street2: body.ship_from_street2,
    city: body.ship_from_city,
    province: body.ship_from_province,
    postal_code: body.ship_from_postal_code,
    country: body.ship_from_country,
    phone1: body.ship_from_phone,
  })
}

/** A carrier would give the number; here it is the shipment's own. */
function madeTrackingNumber({ carrierCode }: Carriage, shipmentId: number): string {
  return `${carrierCode}${String(shipmentId).padStart(12, '0')}`
}
