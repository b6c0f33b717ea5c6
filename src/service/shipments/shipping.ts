/** How a shipment is made. Spec: "Shipment create". Runs in the write queue. */
import type { ShipmentCreate } from '../../contract/shipment.ts'
import type { Clock } from '../../support/clock.ts'
import { type Answer, answered } from '../http/answer.ts'
import type { Directory } from '../directory.ts'
import { createFieldErrors, type FieldErrors } from '../http/field-errors.ts'
import { linesShipped, matchLines } from '../items/lines.ts'
import { type OrderLineRow, prepareOrderLines } from '../orders/rows.ts'
import type { OrderProgress } from '../orders/progress.ts'
import type { Switches } from '../http/switches.ts'
import { findCarriage, type ShippedOrder } from './carriage.ts'
import { createShipmentInserter, type ShippedLine } from './writing.ts'
import type { ShipmentReader } from './views.ts'
import type { Prepared, Store } from '../store/store.ts'

export type Ship = (brandId: number, body: ShipmentCreate) => Answer

export interface ShippingParts {
  readonly store: Store
  readonly directory: Directory
  readonly clock: Clock
  readonly shipments: ShipmentReader
  readonly progress: OrderProgress
  readonly switches: Switches
}

export function createShipping(parts: ShippingParts): Ship {
  const { store, directory, clock, shipments, progress, switches } = parts
  const findOrder = prepareFindOrder(store)
  const orderLines = prepareOrderLines(store)
  const insert = createShipmentInserter(store, switches)
  return (brand, body) => {
    const errors = createFieldErrors()
    const order = findOrder.first({ brand, id: body.order_id })
    if (order === undefined) {
      errors.add(['order_id'], `Order ${body.order_id} does not exist.`)
      return errors.answer()
    }
    if (order.status === 'canceled') errors.add(['order_id'], `Order ${order.id} is canceled.`)
    const carriage = findCarriage(body, { order, directory, errors })
    const lines = shippedLines(body, orderLines.all({ ids: JSON.stringify([order.id]) }), errors)
    if (errors.any() || carriage === undefined) return errors.answer()
    const now = clock.now()
    const connection = directory.connection(order.retailer_id, order.brand_id)
    const signature = connection?.signatureRequired === true ? 'required' : null
    const id = insert({ body, order, carriage, signature, lines, now })
    progress.update(order.id, now)
    return answered(shipments.brand([id])[0], 201)
  }
}

function prepareFindOrder({ build, prepare }: Store): Prepared<{ brand: number; id: number }, ShippedOrder> {
  return prepare((p) =>
    build
      .selectFrom('orders')
      .select(['id', 'retailer_id', 'brand_id', 'status'])
      .where('id', '=', p.id)
      .where('brand_id', '=', p.brand),
  )
}

/** The lines that can be shipped; the others are among the errors. */
function shippedLines(
  body: ShipmentCreate,
  orderLines: readonly OrderLineRow[],
  errors: FieldErrors,
): ShippedLine[] {
  const left = (line: OrderLineRow) => line.quantity - line.quantity_shipped - line.quantity_canceled
  const matched = matchLines({
    field: 'shipment_lines',
    inputs: body.shipment_lines,
    lines: orderLines,
    owner: 'order',
    find: linesShipped,
    left,
    tooMany: (line) => `Only ${left(line)} of ${line.quantity} are left to be shipped.`,
    errors,
  })
  return matched.map(({ line, input }) => ({
    orderLineId: line.id,
    quantity: input.quantity,
    cartons: line.cartons,
  }))
}
