/** How an order is placed. Spec: "Order create". Runs in the write queue. */
import { isAbsent } from '../absent.ts'
import type { OrderCreate } from '../../contract/order.ts'
import type { Clock } from '../../support/clock.ts'
import { addDecimals, type Decimal, formatDecimal } from '../../support/decimal.ts'
import { toAddressText } from '../addresses.ts'
import { amountOf, fitsDigits } from '../amounts.ts'
import { type Answer, answered } from '../http/answer.ts'
import type { Connection } from '../connections.ts'
import type { Directory } from '../directory.ts'
import { createFieldErrors, type FieldErrors } from '../http/field-errors.ts'
import { type CatalogItem, createItemCatalog, describeItem, type ItemCatalog } from '../items/catalog.ts'
import type { OrderReader } from './views.ts'
import type { Store } from '../store/store.ts'

export type PlaceOrder = (retailerId: number, body: OrderCreate) => Answer

export interface PlacingParts {
  readonly store: Store
  readonly directory: Directory
  readonly clock: Clock
  readonly orders: OrderReader
}

export function createOrderPlacing({ store, directory, clock, orders }: PlacingParts): PlaceOrder {
  const catalog = createItemCatalog(store)
  const isKnown = prepareIsKnown(store)
  const insert = createOrderInserter(store, directory)
  return (retailerId, body) => {
    const errors = createFieldErrors()
    if (isKnown(retailerId, body.purchase_order_number)) {
      errors.add(['purchase_order_number'], 'An order with this purchase_order_number already exists.')
    }
    const items = findItems({ retailerId, body, errors, catalog, directory })
    const connection = connectionOf(items, directory.connectionsOf(retailerId), errors)
    const methodId = findMethod(body, { directory, connection, errors })
    const subtotals = subtotalsOf(body, errors)
    if (errors.any() || connection === undefined || methodId === undefined) return errors.answer()
    const id = insert({ body, connection, methodId, items, subtotals, now: clock.now() })
    return answered(orders.retailer([id])[0], 201)
  }
}

function prepareIsKnown({ build, prepare }: Store): (retailer: number, number: string) => boolean {
  const find = prepare((p: { retailer: number; number: string }) =>
    build
      .selectFrom('orders')
      .select('id')
      .where('retailer_id', '=', p.retailer)
      .where('purchase_order_number', '=', p.number),
  )
  return (retailer, number) => find.first({ retailer, number }) !== undefined
}

interface Finding {
  readonly retailerId: number
  readonly body: OrderCreate
  readonly errors: FieldErrors
  readonly catalog: ItemCatalog
  readonly directory: Directory
}

/** The item of every line that names one the retailer may order; the others are among the errors. */
function findItems({ retailerId, body, errors, catalog, directory }: Finding): (CatalogItem | undefined)[] {
  const lineOfItem = new Map<number, number>()
  return body.order_lines.map(({ variant }, index) => {
    const refuse = (message: string) => errors.add(['order_lines', index, 'variant'], message)
    const candidates = catalog.find(retailerId, variant)
    const orderable = candidates.filter(({ brand_id }) => directory.connection(retailerId, brand_id)?.isOpen)
    const [item, another] = orderable
    const name = describeItem(variant)
    if (item === undefined) {
      if (candidates.length === 0) refuse(`No item has the ${name}.`)
      else refuse(`The item with the ${name} is of a brand without an active connection.`)
      return undefined
    }
    if (another !== undefined) {
      refuse(`Several items have the ${name}; name it by its id.`)
      return undefined
    }
    const earlier = lineOfItem.get(item.id)
    if (earlier !== undefined)
      refuse(`Line ${earlier + 1} names the same item. There is one line per unique item.`)
    else lineOfItem.set(item.id, index)
    return item
  })
}

/** Spec: an order has one brand, "the supplier that must fulfill the order". */
function connectionOf(
  items: readonly (CatalogItem | undefined)[],
  connections: readonly Connection[],
  errors: FieldErrors,
): Connection | undefined {
  const first = items.find((item) => item !== undefined)
  for (const [index, item] of items.entries()) {
    if (item === undefined || item.brand_id === first?.brand_id) continue
    errors.add(
      ['order_lines', index, 'variant'],
      'The item is of another brand than the lines before. An order is for one brand.',
    )
  }
  return connections.find((connection) => connection.brandId === first?.brand_id)
}

interface MethodFinding {
  readonly directory: Directory
  readonly connection: Connection | undefined
  readonly errors: FieldErrors
}

/** Spec: allowed methods come from the connection. */
function findMethod(body: OrderCreate, { directory, connection, errors }: MethodFinding): number | undefined {
  const { code, carrier } = body.shipping_method
  const method = directory.findMethodByCode(carrier.code, code)
  if (method === undefined) {
    errors.add(['shipping_method', 'code'], `Carrier "${carrier.code}" has no shipping method "${code}".`)
  } else if (connection !== undefined && !connection.methods.has(method.id)) {
    errors.add(
      ['shipping_method', 'code'],
      `"${code}" of "${carrier.code}" is not allowed by the connection.`,
    )
  }
  return method?.id
}

interface Subtotals {
  readonly lines: readonly string[]
  readonly whole: string
}

function subtotalsOf(body: OrderCreate, errors: FieldErrors): Subtotals {
  let whole: Decimal = { units: 0n, scale: 2 }
  const lines = body.order_lines.map(({ quantity, price }, index) => {
    const subtotal = amountOf(quantity, price)
    whole = addDecimals(whole, subtotal)
    if (!fitsDigits(subtotal, LARGEST_WHOLE_DIGITS)) {
      errors.add(['order_lines', index, 'quantity'], `Quantity times price is more than ${LARGEST_SUBTOTAL}.`)
    }
    return formatDecimal(subtotal)
  })
  if (!errors.any() && !fitsDigits(whole, LARGEST_WHOLE_DIGITS)) {
    errors.add(['order_lines', 'non_field_errors'], `The lines add up to more than ${LARGEST_SUBTOTAL}.`)
  }
  return { lines, whole: formatDecimal(whole) }
}

/** What an order can show as a subtotal. Spec: not shown for orders. */
const LARGEST_WHOLE_DIGITS = 8
const LARGEST_SUBTOTAL = '99999999.99'

const DAY_MS = 86_400_000

interface NewOrder {
  readonly body: OrderCreate
  readonly connection: Connection
  readonly methodId: number
  readonly items: readonly (CatalogItem | undefined)[]
  readonly subtotals: Subtotals
  readonly now: number
}

function createOrderInserter({ inserter }: Store, directory: Directory): (order: NewOrder) => number {
  const insertAddress = inserter('addresses')
  const insertOrder = inserter('orders')
  const insertLine = inserter('order_lines')
  return ({ body, connection, methodId, items, subtotals, now }) => {
    // Spec: fulfill_by comes from the lead times of the items and the connection's SLA.
    const fulfillBy = items.map(
      (item) => now + connection.fulfillWithinMs + (item?.lead_time_days ?? 0) * DAY_MS,
    )
    const orderId = insertOrder({
      retailer_id: connection.retailerId,
      brand_id: connection.brandId,
      purchase_order_number: body.purchase_order_number,
      customer_order_number: body.customer_order_number ?? null,
      retailer_order_number: null,
      ship_to_id: insertAddress({ body: toAddressText(body.ship_to) }),
      sold_to_id: isAbsent(body.sold_to) ? null : insertAddress({ body: toAddressText(body.sold_to) }),
      shipping_method_id: methodId,
      requested_shipping_method_id: null,
      gift_message: JSON.stringify(body.gift_message ?? []),
      subtotal_charged: subtotals.whole,
      status: 'open',
      acknowledge_by: now + directory.acknowledgeWithinMs(connection.retailerId),
      fulfill_by: fulfillBy.reduce((latest, time) => Math.max(latest, time), now),
      received_at: now,
      ordered_at: Date.parse(body.ordered_at),
      acknowledged_at: null,
      pickup_on: null,
      closed_at: null,
      canceled_at: null,
      updated_at: now,
    })
    for (const [index, line] of body.order_lines.entries()) {
      insertLine({
        order_id: orderId,
        number: index + 1,
        variant_id: items[index]?.id ?? 0,
        quantity: line.quantity,
        quantity_shipped: 0,
        quantity_returned: 0,
        quantity_canceled: 0,
        net_price: line.net_price,
        price: line.price,
        subtotal: subtotals.lines[index] ?? '0.00',
        fulfill_by: fulfillBy[index] ?? now,
        status: 'open',
        canceled_at: null,
      })
    }
    return orderId
  }
}
