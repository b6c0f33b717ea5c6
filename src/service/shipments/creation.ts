/** Creates a shipment. Spec: "Shipment create". Runs in the write queue. */
import type { Selectable } from 'kysely'
import type { ShipmentCreate } from '../../contract/shipment.ts'
import { isoTime } from '../../support/clock.ts'
import type { ServiceContext } from '../endpoints.ts'
import { type Answer, answerWith, gatherErrors, type FieldErrors, refuseField } from '../http/answers.ts'
import { findLinesByShippedVariant, matchLines } from '../items/matching.ts'
import { type OrderLineRow, readLinesOfOrders, updateOrderStatus } from '../orders/rows.ts'
import type { Tables } from '../store/tables.ts'
import type { TradeDirectory } from '../trade/directory.ts'
import { addressToJson, computeGirth, computeVolume, isAbsent, readOrigin } from '../values.ts'
import { labelShipment, readBrandShipments } from './views.ts'

export function createShipment(context: ServiceContext, brandId: number, body: ShipmentCreate): Answer {
  const { store, directory, clock } = context
  const order = store.find('orders', { id: body.order_id, brand_id: brandId })
  if (order === undefined) return refuseField(['order_id'], `Order ${body.order_id} does not exist.`)
  const errors = gatherErrors()
  if (order.status === 'canceled') errors.add(['order_id'], `Order ${order.id} is canceled.`)
  const carriage = findCarriage(body, { order, directory, errors })
  const left = (line: OrderLineRow) => line.quantity - line.quantity_shipped - line.quantity_canceled
  const lines = matchLines({
    field: 'shipment_lines',
    inputs: body.shipment_lines,
    lines: readLinesOfOrders(store, [order.id]),
    find: findLinesByShippedVariant,
    left,
    tooMany: (line) => `Only ${left(line)} of ${line.quantity} are left to be shipped.`,
    errors,
  })
  if (errors.hasErrors() || carriage === undefined) return errors.toAnswer()
  const now = clock.now()
  const id = insertShipment(context, body, { order, carriage, now })
  for (const { line, input } of lines) {
    const { quantity } = input
    store.insert('shipment_lines', { shipment_id: id, order_line_id: line.id, part: 1, quantity })
    // Spec: further packages are lines with part above 1 "and still quantity 1"
    for (let part = 2; part <= line.cartons; part += 1) {
      store.insert('shipment_lines', { shipment_id: id, order_line_id: line.id, part, quantity: 1 })
    }
    const quantity_shipped = line.quantity_shipped + quantity
    const isOpen = quantity_shipped + line.quantity_canceled < line.quantity
    store.update('order_lines', { id: line.id }, { quantity_shipped, status: isOpen ? 'open' : 'closed' })
  }
  updateOrderStatus(context, order.id, now)
  return answerWith(readBrandShipments(context, [id])[0], 201)
}

// The carrier, method and account of a shipment. Spec: "Shipment create", modes A and B.

type Order = Selectable<Tables['orders']>

interface Carriage {
  readonly carrierId: number
  readonly methodId: number
  /** The account on which the service makes the label; null when the label exists already. */
  readonly accountId: number | null
}

/**
 * Undefined after adding errors. Mode A, the label exists: the method must be one of the carrier's. Mode B: the account
 * must be one of the order's, the method one of the account's.
 */
function findCarriage(
  { carrier_id, shipping_account_id: accountId, shipping_method_id: methodId }: ShipmentCreate,
  { order, directory, errors }: { order: Order; directory: TradeDirectory; errors: FieldErrors },
): Carriage | undefined {
  if (isAbsent(accountId)) {
    const carrier = directory.findCarrier(carrier_id ?? 0)
    if (carrier === undefined) {
      errors.add(['carrier_id'], `Carrier ${carrier_id} does not exist.`)
      return undefined
    }
    if (directory.findMethod(methodId)?.carrier.id !== carrier.id) {
      errors.add(['shipping_method_id'], `Carrier ${carrier.id} has no shipping method ${methodId}.`)
    }
    return { carrierId: carrier.id, methodId, accountId: null }
  }
  const accounts = directory.findConnection(order.retailer_id, order.brand_id)?.accounts ?? []
  const account = accounts.find(({ id }) => id === accountId)
  if (account === undefined) {
    errors.add(['shipping_account_id'], `Shipping account ${accountId} is not one of the order's.`)
    return undefined
  }
  if (!account.shipping_methods.some(({ id }) => id === methodId)) {
    errors.add(['shipping_method_id'], `Shipping account ${accountId} has no shipping method ${methodId}.`)
  }
  return { carrierId: account.carrier.id, methodId, accountId }
}

/**
 * Spec: shipped_at is "when the tracking number was captured or generated; null until then". Batches are the
 * shipments made on one day in UTC, such as 20261121; the spec does not define a batch.
 */
function insertShipment(
  context: ServiceContext,
  body: ShipmentCreate,
  { order, carriage, now }: { order: Order; carriage: Carriage; now: number },
): number {
  const { store, directory, switches } = context
  const isLabelled = !isAbsent(body.tracking_number)
  const connection = directory.findConnection(order.retailer_id, order.brand_id)
  const id = store.insert('shipments', {
    order_id: order.id,
    retailer_id: order.retailer_id,
    brand_id: order.brand_id,
    carrier_id: carriage.carrierId,
    shipping_account_id: carriage.accountId,
    shipping_method_id: carriage.methodId,
    ship_from_id: store.insert('addresses', { body: addressToJson(readOrigin(body)) }),
    signature: connection?.signature_required === 1 ? 'required' : null,
    ship_weight: body.ship_weight ?? null,
    ship_width: body.ship_width ?? null,
    ship_length: body.ship_length ?? null,
    ship_height: body.ship_height ?? null,
    ...measureBox(body),
    batch_number: Number(isoTime(now).slice(0, 10).replaceAll('-', '')),
    label_reference: body.label_reference ?? null,
    tracking_number: body.tracking_number ?? null,
    shipped_at: isLabelled ? readShippedAt(body, now) : null,
    status: isLabelled && switches.shipmentCloses === 'tracking' ? 'closed' : 'open',
  })
  if (!isLabelled && switches.labelMade === 'create') labelShipment(context, id, readShippedAt(body, now))
  return id
}

function readShippedAt(body: ShipmentCreate, now: number): number {
  return isAbsent(body.shipped_at) ? now : Date.parse(body.shipped_at)
}

function measureBox({ ship_width, ship_length, ship_height }: ShipmentCreate) {
  if (isAbsent(ship_width) || isAbsent(ship_length) || isAbsent(ship_height)) {
    return { ship_girth: null, ship_volume: null }
  }
  const dimensions = [ship_width, ship_length, ship_height] as const
  return { ship_girth: computeGirth(dimensions), ship_volume: computeVolume(dimensions) }
}
