/** Submits an invoice. Spec: "Invoice create". Runs in the write queue. */
import type { InvoiceCreate } from '../../contract/invoice.ts'
import { addDecimals, formatDecimal } from '../../support/decimal.ts'
import type { ServiceContext } from '../context.ts'
import { type Answer, answerWith, gatherErrors, type FieldErrors } from '../http/answers.ts'
import { findLinesByVariant, matchLines } from '../items/matching.ts'
import { touchOrder } from '../orders/progress.ts'
import { type OrderLineRow, readLinesOfOrders } from '../orders/rows.ts'
import { build, type RowOf } from '../store/store.ts'
import { fitsWholeDigits, MONEY_DIGITS, multiplyPrice } from '../values.ts'
import { readBrandInvoices } from './views.ts'

export function submitInvoice(context: ServiceContext, brand: number, body: InvoiceCreate): Answer {
  const { store } = context
  const errors = gatherErrors()
  const named = store.rows(ordersByNumber, { brand, number: body.purchase_order_number })
  const hasItems = ({ id }: InvoicedOrder) => hasAllItems(body, readLinesOfOrders(store, [id]))
  const order = chooseOrder(named, hasItems, errors)
  if (order === undefined) return errors.toAnswer()
  const candidates = readLinesOfOrders(store, [order.id])
  checkFulfilled(order, candidates, errors)
  const lines = matchLines({
    field: 'invoice_lines',
    inputs: body.invoice_lines,
    lines: candidates,
    find: (some, variant) => findLinesByVariant(some, variant, 'brand'),
    left: (line) => line.quantity_shipped,
    tooMany: (line) => `Only ${line.quantity_shipped} were shipped.`,
    errors,
  })
  const subtotal = body.invoice_lines
    .map(({ quantity, net_price }) => multiplyPrice(quantity, net_price))
    .reduce(addDecimals)
  if (!fitsWholeDigits(subtotal, MONEY_DIGITS)) {
    errors.add(['invoice_lines', 'non_field_errors'], 'The lines add up to more than 999999.99.')
  }
  if (errors.hasErrors()) return errors.toAnswer()
  const now = context.clock.now()
  const id = store.insert('invoices', {
    order_id: order.id,
    retailer_id: order.retailer_id,
    brand_id: order.brand_id,
    purchase_order_number: body.purchase_order_number,
    invoice_number: body.invoice_number,
    terms_net_days_due: body.terms_net_days_due,
    terms_date_due: body.terms_date_due,
    subtotal: formatDecimal(subtotal),
    charges: '[]',
    allowances: '[]',
    due_amount: body.due_amount,
    invoiced_at: now,
  })
  for (const [index, { line, input }] of lines.entries()) {
    const { quantity, net_price } = input
    store.insert('invoice_lines', {
      invoice_id: id,
      order_line_id: line.id,
      number: index + 1,
      quantity,
      net_price,
    })
  }
  touchOrder(store, order.id, now)
  return answerWith(readBrandInvoices(context, [id])[0], 201)
}

const ordersByNumber = (p: { brand: number; number: string }) =>
  build
    .selectFrom('orders')
    .leftJoin('invoices', 'invoices.order_id', 'orders.id')
    .select(['orders.id', 'orders.retailer_id', 'orders.brand_id', 'orders.status'])
    .select('invoices.id as invoice_id')
    .where('orders.brand_id', '=', p.brand)
    .where('orders.purchase_order_number', '=', p.number)
    .orderBy('orders.id')

type InvoicedOrder = RowOf<typeof ordersByNumber>

/** Of orders with one number, the one that can be invoiced and has all the items; then the oldest. Spec: not shown. */
function chooseOrder(
  orders: readonly InvoicedOrder[],
  hasItems: (order: InvoicedOrder) => boolean,
  errors: FieldErrors,
): InvoicedOrder | undefined {
  const open = orders.filter(({ invoice_id }) => invoice_id === null)
  const [only, another] = open
  if (orders.length === 0) errors.add(['purchase_order_number'], 'No order has this purchase_order_number.')
  else if (only === undefined) {
    errors.add(['purchase_order_number'], 'An invoice for this purchase_order_number already exists.')
  }
  if (another === undefined) return only
  const closed = open.filter(({ status }) => status === 'closed')
  return closed.find(hasItems) ?? closed[0] ?? only
}

/** Spec: an invoice is submitted "after the order is completely fulfilled and closed". */
function checkFulfilled(order: InvoicedOrder, lines: readonly OrderLineRow[], errors: FieldErrors): void {
  if (order.status !== 'closed') {
    const message = `The order is ${order.status}; only a closed order can be invoiced.`
    errors.add(['purchase_order_number'], message)
    return
  }
  const isFulfilled = (line: OrderLineRow) => line.quantity_shipped + line.quantity_canceled === line.quantity
  if (!lines.every(isFulfilled)) {
    errors.add(['purchase_order_number'], 'The order is not completely fulfilled.')
  }
}

function hasAllItems({ invoice_lines }: InvoiceCreate, lines: readonly OrderLineRow[]): boolean {
  return invoice_lines.every(({ variant }) => findLinesByVariant(lines, variant, 'brand').length > 0)
}
