/** The rows of a new shipment, and what it changes at its order's lines. */
import { isAbsent } from '../absent.ts'
import { sql } from 'kysely'
import type { ShipmentCreate } from '../../contract/shipment.ts'
import { toAddressText } from '../addresses.ts'
import { girthOf, volumeOf } from '../amounts.ts'
import { isoTime } from '../../support/clock.ts'
import type { Switches } from '../http/switches.ts'
import type { Carriage, ShippedOrder } from './carriage.ts'
import { createLabelling } from './labelling.ts'
import type { Store } from '../store/store.ts'

export interface NewShipment {
  readonly body: ShipmentCreate
  readonly order: ShippedOrder
  readonly carriage: Carriage
  readonly signature: 'required' | null
  readonly lines: readonly ShippedLine[]
  readonly now: number
}

/** A line of the order and how much of it a shipment holds. */
export interface ShippedLine {
  readonly orderLineId: number
  readonly quantity: number
  /** Packages that one of the item is shipped in. */
  readonly cartons: number
}

/** Inserts and gives the id of the shipment. */
export function createShipmentInserter(store: Store, switches: Switches): (shipment: NewShipment) => number {
  const insertAddress = store.inserter('addresses')
  const insertShipment = store.inserter('shipments')
  const insertLine = store.inserter('shipment_lines')
  const label = createLabelling(store, switches)
  const addShipped = prepareAddShipped(store)
  return (shipment) => {
    const { body, lines, now } = shipment
    const id = insertShipment(toRow(shipment, insertAddress({ body: originText(body) }), switches))
    if (isAbsent(body.tracking_number) && switches.labelMade === 'create') label(id, shippedAt(body, now))
    for (const { orderLineId, quantity, cartons } of lines) {
      insertLine({ shipment_id: id, order_line_id: orderLineId, part: 1, quantity })
      // Spec: further packages are lines with part above 1 "and still quantity 1"
      for (let part = 2; part <= cartons; part += 1) {
        insertLine({ shipment_id: id, order_line_id: orderLineId, part, quantity: 1 })
      }
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
 * Spec: shipped_at is "when the tracking number was captured or generated; null until then". Batches are the
 * shipments made on one day in UTC, such as 20261121; the spec does not show what makes one.
 */
function toRow(
  { body, order, carriage, signature, now }: NewShipment,
  shipFromId: number,
  switches: Switches,
) {
  const isLabelled = !isAbsent(body.tracking_number)
  return {
    order_id: order.id,
    retailer_id: order.retailer_id,
    brand_id: order.brand_id,
    carrier_id: carriage.carrierId,
    shipping_account_id: carriage.accountId,
    shipping_method_id: carriage.methodId,
    ship_from_id: shipFromId,
    signature,
    ship_weight: body.ship_weight ?? null,
    ship_width: body.ship_width ?? null,
    ship_length: body.ship_length ?? null,
    ship_height: body.ship_height ?? null,
    ...boxOf(body),
    batch_number: Number(isoTime(now).slice(0, 10).replaceAll('-', '')),
    label_reference: body.label_reference ?? null,
    tracking_number: body.tracking_number ?? null,
    shipped_at: isLabelled ? shippedAt(body, now) : null,
    picked_up_at: null,
    delivered_at: null,
    acknowledged_at: null,
    status: isLabelled && switches.shipmentCloses === 'tracking' ? 'closed' : 'open',
  } as const
}

function shippedAt(body: ShipmentCreate, now: number): number {
  return isAbsent(body.shipped_at) ? now : Date.parse(body.shipped_at)
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
