/** Creates an order. Spec: "Order create". Runs in the write queue. */
import type { OrderCreate } from '../../contract/order.ts'
import { addDecimals, type Decimal, formatDecimal } from '../../support/decimal.ts'
import type { ServiceContext } from '../endpoints.ts'
import { type Answer, answerWith, gatherErrors, type FieldErrors } from '../http/answers.ts'
import { type CatalogItem, describeItem, findItems } from '../items/matching.ts'
import type { Connection, TradeDirectory } from '../trade/directory.ts'
import { DAY_MS } from '../../support/clock.ts'
import { addressToJson, fitsWholeDigits, isAbsent, multiplyPrice, PRICE_DIGITS } from '../values.ts'
import { readRetailerOrders } from './views.ts'

export function placeOrder(context: ServiceContext, retailerId: number, body: OrderCreate): Answer {
  const { store, directory } = context
  const errors = gatherErrors()
  const { purchase_order_number } = body
  if (store.find('orders', { retailer_id: retailerId, purchase_order_number }) !== undefined) {
    errors.add(['purchase_order_number'], 'An order with this purchase_order_number already exists.')
  }
  const items = findOrderedItems(context, retailerId, body, errors)
  const connection = findSharedConnection(items, directory.listConnections(retailerId), errors)
  const methodId = findMethod(body, directory, connection, errors)
  const subtotals = computeSubtotals(body, errors)
  if (errors.hasErrors() || connection === undefined || methodId === undefined) return errors.toAnswer()
  const id = insertOrder(context, body, { connection, methodId, items, subtotals })
  return answerWith(readRetailerOrders(context, [id])[0], 201)
}

/** Finds the item of every line; adds errors for items that the retailer may not order. */
function findOrderedItems(
  { store, directory }: ServiceContext,
  retailerId: number,
  { order_lines }: OrderCreate,
  errors: FieldErrors,
): (CatalogItem | undefined)[] {
  const lineOfItem = new Map<number, number>()
  return order_lines.map(({ variant }, index) => {
    const refuse = (message: string) => errors.add(['order_lines', index, 'variant'], message)
    const candidates = findItems(store, retailerId, variant)
    const isOrderable = ({ brand_id }: CatalogItem) => directory.findConnection(retailerId, brand_id)?.isOpen
    const [item, another] = candidates.filter(isOrderable)
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
    if (earlier === undefined) lineOfItem.set(item.id, index)
    else refuse(`Line ${earlier + 1} names the same item. There is one line per unique item.`)
    return item
  })
}

/** Spec: an order has one brand, "the supplier that must fulfill the order". */
function findSharedConnection(
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
  return connections.find((connection) => connection.brand_id === first?.brand_id)
}

/** Spec: allowed methods come from the connection. */
function findMethod(
  body: OrderCreate,
  directory: TradeDirectory,
  connection: Connection | undefined,
  errors: FieldErrors,
): number | undefined {
  const { code, carrier } = body.shipping_method
  const method = directory.findMethodByCode(carrier.code, code)
  if (method === undefined) {
    errors.add(['shipping_method', 'code'], `Carrier "${carrier.code}" has no shipping method "${code}".`)
  } else if (connection !== undefined && !connection.methods.has(method.id)) {
    const message = `"${code}" of "${carrier.code}" is not allowed by the connection.`
    errors.add(['shipping_method', 'code'], message)
  }
  return method?.id
}

/** The largest subtotal of an order. Spec: not shown for orders. */
const MAX_SUBTOTAL = '99999999.99'

function computeSubtotals(body: OrderCreate, errors: FieldErrors) {
  let whole: Decimal = { units: 0n, scale: 2 }
  const lines = body.order_lines.map(({ quantity, price }, index) => {
    const subtotal = multiplyPrice(quantity, price)
    whole = addDecimals(whole, subtotal)
    if (!fitsWholeDigits(subtotal, PRICE_DIGITS)) {
      errors.add(['order_lines', index, 'quantity'], `Quantity times price is more than ${MAX_SUBTOTAL}.`)
    }
    return formatDecimal(subtotal)
  })
  if (!errors.hasErrors() && !fitsWholeDigits(whole, PRICE_DIGITS)) {
    errors.add(['order_lines', 'non_field_errors'], `The lines add up to more than ${MAX_SUBTOTAL}.`)
  }
  return { lines, whole: formatDecimal(whole) }
}

interface CheckedOrder {
  readonly connection: Connection
  readonly methodId: number
  readonly items: readonly (CatalogItem | undefined)[]
  readonly subtotals: ReturnType<typeof computeSubtotals>
}

function insertOrder(
  { store, directory, clock }: ServiceContext,
  body: OrderCreate,
  { connection, methodId, items, subtotals }: CheckedOrder,
): number {
  const now = clock.now()
  // Spec: fulfill_by comes from the lead times of the items and the connection's SLA.
  const fulfillBy = items.map(
    (item) => now + connection.fulfill_within_ms + (item?.lead_time_days ?? 0) * DAY_MS,
  )
  const insertAddress = (address: OrderCreate['ship_to']) =>
    store.insert('addresses', { body: addressToJson(address) })
  const orderId = store.insert('orders', {
    retailer_id: connection.retailer_id,
    brand_id: connection.brand_id,
    purchase_order_number: body.purchase_order_number,
    customer_order_number: body.customer_order_number ?? null,
    ship_to_id: insertAddress(body.ship_to),
    sold_to_id: isAbsent(body.sold_to) ? null : insertAddress(body.sold_to),
    shipping_method_id: methodId,
    gift_message: JSON.stringify(body.gift_message ?? []),
    subtotal_charged: subtotals.whole,
    status: 'open',
    acknowledge_by: now + directory.acknowledgeWithinMs(connection.retailer_id),
    fulfill_by: Math.max(now, ...fulfillBy),
    received_at: now,
    ordered_at: Date.parse(body.ordered_at),
    updated_at: now,
  })
  for (const [index, line] of body.order_lines.entries()) {
    store.insert('order_lines', {
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
    })
  }
  return orderId
}
