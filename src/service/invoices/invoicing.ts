/** How an invoice is submitted. Spec: "Invoice create". Runs in the write queue. */
import type { InvoiceCreate } from '../../contract/invoice.ts'
import type { Clock } from '../../support/clock.ts'
import { addDecimals, type Decimal, formatDecimal } from '../../support/decimal.ts'
import { amountOf, fitsDigits } from '../amounts.ts'
import { type Answer, answered } from '../http/answer.ts'
import { createFieldErrors, type FieldErrors } from '../http/field-errors.ts'
import { linesNamed, matchLines } from '../items/lines.ts'
import { createTouch } from '../orders/progress.ts'
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
  const touch = createTouch(store)
  const linesOf = (orderId: number) => orderLines.all({ ids: JSON.stringify([orderId]) })
  return (brand, body) => {
    const errors = createFieldErrors()
    const named = findOrders.all({ brand, number: body.purchase_order_number })
    const hasItems = (order: InvoicedOrder) => namesItemsOf(body, linesOf(order.id))
    const order = theOrder(named, hasItems, errors)
    if (order === undefined) return errors.answer()
    const candidates = linesOf(order.id)
    checkFulfilled(order, candidates, errors)
    const lines = invoicedLines(body, candidates, errors)
    const subtotal = subtotalOf(body)
    if (!fitsDigits(subtotal, LARGEST_WHOLE_DIGITS)) {
      errors.add(['invoice_lines', 'non_field_errors'], 'The lines add up to more than 999999.99.')
    }
    if (errors.any()) return errors.answer()
    const now = clock.now()
    const id = insert({ body, order, lines, subtotal: formatDecimal(subtotal), now })
    touch(order.id, now)
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
      .where('orders.purchase_order_number', '=', p.number)
      .orderBy('orders.id'),
  )
}

/**
 * The order behind the number. Two retailers can use one number: then it is the one that can be invoiced and has all
 * the items, and of several the oldest. Spec: not shown.
 */
function theOrder(
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
  const matched = matchLines({
    field: 'invoice_lines',
    inputs: body.invoice_lines,
    lines: orderLines,
    owner: 'order',
    find: (lines, variant) => linesNamed(lines, variant, 'brand'),
    left: (line) => line.quantity_shipped,
    tooMany: (line) => `Only ${line.quantity_shipped} were shipped.`,
    errors,
  })
  return matched.map(({ line, input }) => ({
    orderLineId: line.id,
    quantity: input.quantity,
    netPrice: input.net_price,
  }))
}

/** Whether the order has every item of the invoice. */
function namesItemsOf({ invoice_lines }: InvoiceCreate, lines: readonly OrderLineRow[]): boolean {
  return invoice_lines.every(({ variant }) => linesNamed(lines, variant, 'brand').length > 0)
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
