/** How an invoice is submitted. Spec: "Invoice create". Runs in the write queue. */
import type { InvoiceCreate } from '../../contract/invoice.ts'
import type { Clock } from '../../support/clock.ts'
import { addDecimals, type Decimal, formatDecimal } from '../../support/decimal.ts'
import { amountOf, fitsDigits } from '../amounts.ts'
import { type Answer, answered } from '../http/answer.ts'
import { createFieldErrors, type FieldErrors } from '../http/field-errors.ts'
import { findLine } from '../items/catalog.ts'
import type { InvoiceReader } from './views.ts'
import { type OrderLineRow, prepareOrderLines } from '../orders/rows.ts'
import type { Prepared, Store } from '../store/store.ts'

export type SubmitInvoice = (brandId: number, body: InvoiceCreate) => Answer

export interface InvoicingParts {
  readonly store: Store
  readonly clock: Clock
  readonly invoices: InvoiceReader
}

export function createInvoicing({ store, clock, invoices }: InvoicingParts): SubmitInvoice {
  const findOrders = prepareFindOrders(store)
  const orderLines = prepareOrderLines(store)
  const insert = createInvoiceInserter(store)
  return (brand, body) => {
    const errors = createFieldErrors()
    const order = theOrder(findOrders.all({ brand, number: body.purchase_order_number }), errors)
    if (order === undefined) return errors.answer()
    const candidates = orderLines.all({ ids: JSON.stringify([order.id]) })
    checkFulfilled(order, candidates, errors)
    const lines = invoicedLines(body, candidates, errors)
    const subtotal = subtotalOf(body)
    if (!fitsDigits(subtotal, LARGEST_WHOLE_DIGITS)) {
      errors.add(['invoice_lines', 'non_field_errors'], 'The lines add up to more than 999999.99.')
    }
    if (errors.any()) return errors.answer()
    const id = insert({ body, order, lines, subtotal: formatDecimal(subtotal), now: clock.now() })
    return answered(invoices.brand([id])[0], 201)
  }
}

/** Spec: decimal (8,2). */
const LARGEST_WHOLE_DIGITS = 6

interface InvoicedOrder {
  readonly id: number
  readonly retailer_id: number
  readonly brand_id: number
  readonly status: string
  readonly invoice_id: number | null
}

function prepareFindOrders({
  build,
  prepare,
}: Store): Prepared<{ brand: number; number: string }, InvoicedOrder> {
  return prepare((p) =>
    build
      .selectFrom('orders')
      .leftJoin('invoices', 'invoices.order_id', 'orders.id')
      .select(['orders.id', 'orders.retailer_id', 'orders.brand_id', 'orders.status'])
      .select('invoices.id as invoice_id')
      .where('orders.brand_id', '=', p.brand)
      .where('orders.purchase_order_number', '=', p.number),
  )
}

/**
 * The order behind the number. Two retailers can use one number; then the orders that have an invoice do not count,
 * and among the others only one may be left. Spec: not shown.
 */
function theOrder(orders: readonly InvoicedOrder[], errors: FieldErrors): InvoicedOrder | undefined {
  const refuse = (message: string) => errors.add(['purchase_order_number'], message)
  const [order, another] = orders.filter(({ invoice_id }) => invoice_id === null)
  if (orders.length === 0) refuse('No order has this purchase_order_number.')
  else if (order === undefined) refuse('An invoice for this purchase_order_number already exists.')
  else if (another !== undefined) refuse('Orders of several retailers have this purchase_order_number.')
  return another === undefined ? order : undefined
}

/** Spec: an invoice is submitted "after the order is completely fulfilled and closed". */
function checkFulfilled(order: InvoicedOrder, lines: readonly OrderLineRow[], errors: FieldErrors): void {
  if (order.status !== 'closed') {
    errors.add(
      ['purchase_order_number'],
      `The order is ${order.status}; only a closed order can be invoiced.`,
    )
    return
  }
  const isFulfilled = (line: OrderLineRow) => line.quantity_shipped + line.quantity_canceled === line.quantity
  if (!lines.every(isFulfilled)) {
    errors.add(['purchase_order_number'], 'The order is not completely fulfilled.')
  }
}

interface InvoicedLine {
  readonly orderLineId: number
  readonly quantity: number
  readonly netPrice: string
}

function invoicedLines(
  body: InvoiceCreate,
  orderLines: readonly OrderLineRow[],
  errors: FieldErrors,
): InvoicedLine[] {
  const taken = new Set<number>()
  return body.invoice_lines.flatMap(({ variant, quantity, net_price }, index) => {
    const line = findLine(orderLines, variant, 'brand')
    if (line === undefined) {
      errors.add(['invoice_lines', index, 'variant'], 'The order has no line with this item.')
      return []
    }
    if (taken.has(line.id)) {
      errors.add(
        ['invoice_lines', index, 'variant'],
        'Another line names the same item. There is one line per unique item.',
      )
    }
    taken.add(line.id)
    if (quantity > line.quantity_shipped) {
      errors.add(['invoice_lines', index, 'quantity'], `Only ${line.quantity_shipped} were shipped.`)
    }
    return [{ orderLineId: line.id, quantity, netPrice: net_price }]
  })
}

function subtotalOf(body: InvoiceCreate): Decimal {
  return body.invoice_lines
    .map(({ quantity, net_price }) => amountOf(quantity, net_price))
    .reduce(addDecimals)
}

interface NewInvoice {
  readonly body: InvoiceCreate
  readonly order: InvoicedOrder
  readonly lines: readonly InvoicedLine[]
  readonly subtotal: string
  readonly now: number
}

function createInvoiceInserter({ inserter }: Store): (invoice: NewInvoice) => number {
  const insertInvoice = inserter('invoices')
  const insertLine = inserter('invoice_lines')
  return ({ body, order, lines, subtotal, now }) => {
    const invoiceId = insertInvoice({
      order_id: order.id,
      retailer_id: order.retailer_id,
      brand_id: order.brand_id,
      purchase_order_number: body.purchase_order_number,
      invoice_number: body.invoice_number,
      terms_net_days_due: body.terms_net_days_due,
      terms_date_due: body.terms_date_due,
      terms_discount_percent: null,
      terms_discount_days: null,
      terms_discount_date_due: null,
      remit_to_id: null,
      subtotal,
      charges: '[]',
      allowances: '[]',
      due_amount: body.due_amount,
      invoiced_at: now,
      acknowledged_at: null,
    })
    for (const [index, { orderLineId, quantity, netPrice }] of lines.entries()) {
      insertLine({
        invoice_id: invoiceId,
        order_line_id: orderLineId,
        number: index + 1,
        quantity,
        net_price: netPrice,
      })
    }
    return invoiceId
  }
}
