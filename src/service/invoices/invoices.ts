/** Invoices: a brand submits one, an administrator changes it, both in the write queue, and both parties see it. Spec: "Invoice". */
import { type Adjustment, BrandInvoice, type InvoiceCreate, RetailerInvoice } from '../../contract/invoice.ts'
import { addDecimals, formatDecimal } from '../../support/decimal.ts'
import type { ServiceContext } from '../endpoints.ts'
import { type Answer, answerWith, type FieldErrors, gatherErrors, refuseNotFound } from '../http/answers.ts'
import { findLinesByVariant, matchLines } from '../items/matching.ts'
import { type OrderLineRow, readLinesOf, readLinesOfOrders, touchOrder } from '../orders/rows.ts'
import { build, idsFromJson, type IdsParameter, idsParameter, type RowOf } from '../store/store.ts'
import {
  addressFromJsonOrNull,
  addressToJson,
  createRowView,
  fitsWholeDigits,
  isAbsent,
  MONEY_DIGITS,
  multiplyPrice,
  sumAmounts,
  toAdjustment,
} from '../values.ts'
import type { Selectable } from 'kysely'
import type { InvoiceChange } from '../admin/schemas.ts'
import type { Tables } from '../store/tables.ts'
import { summarizeForBrand, summarizeForRetailer, type Summarize } from '../items/summaries.ts'

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

// Lets an administrator change an invoice. Runs in the write queue.

/** Fields that are absent from the body stay unchanged; the amount due moves with charges and allowances. */
export function changeInvoice(context: ServiceContext, id: number, body: InvoiceChange): Answer {
  const { store } = context
  const invoice = store.find('invoices', { id })
  if (invoice === undefined) return refuseNotFound()
  const errors = gatherErrors()
  const adjusted = adjustAmounts(invoice, body, errors)
  if (errors.hasErrors()) return errors.toAnswer()
  const { charges: _charges, allowances: _allowances, remit_to, ...terms } = body
  const remit_to_id = isAbsent(remit_to)
    ? remit_to
    : store.insert('addresses', { body: addressToJson(remit_to) })
  store.update('invoices', { id }, { ...terms, ...adjusted, remit_to_id })
  return answerWith(readRetailerInvoices(context, [id])[0])
}

/** Spec: charges increase the amount due, allowances decrease it. */
function adjustAmounts(invoice: Selectable<Tables['invoices']>, body: InvoiceChange, errors: FieldErrors) {
  if (body.charges === undefined && body.allowances === undefined) return {}
  const before = {
    charges: JSON.parse(invoice.charges) as Adjustment[],
    allowances: JSON.parse(invoice.allowances) as Adjustment[],
  }
  const after = {
    charges: body.charges?.map(toAdjustment) ?? before.charges,
    allowances: body.allowances?.map(toAdjustment) ?? before.allowances,
  }
  const due = addDecimals(
    sumAmounts([invoice.due_amount, ...amountsOf(after.charges)], amountsOf(after.allowances)),
    sumAmounts(amountsOf(before.allowances), amountsOf(before.charges)),
  )
  if (due.units < 0n) {
    const message = `The amount due would be ${formatDecimal(due)}, which is below zero.`
    errors.add(['allowances', 'non_field_errors'], message)
  }
  if (!fitsWholeDigits(due, MONEY_DIGITS)) {
    errors.add(['charges', 'non_field_errors'], 'The amount due would be more than 999999.99.')
  }
  return {
    charges: JSON.stringify(after.charges),
    allowances: JSON.stringify(after.allowances),
    due_amount: formatDecimal(due),
  }
}

function amountsOf(adjustments: readonly Adjustment[]): string[] {
  return adjustments.map(({ amount }) => amount)
}

// Invoices as both parties see them. Spec: "Invoice".

const showForRetailer = createRowView(RetailerInvoice)
const showForBrand = createRowView(BrandInvoice)

export function readRetailerInvoices(context: ServiceContext, ids: readonly number[]): RetailerInvoice[] {
  const invoices = readInvoices(context, ids, summarizeForRetailer)
  return invoices.map(({ row, commonFields }) => showForRetailer(row, commonFields))
}

export function readBrandInvoices(context: ServiceContext, ids: readonly number[]): BrandInvoice[] {
  return readInvoices(context, ids, summarizeForBrand).map(({ row, commonFields }) =>
    showForBrand(row, commonFields),
  )
}

function readInvoices<Item>(context: ServiceContext, ids: readonly number[], summarize: Summarize<Item>) {
  const { store, directory } = context
  const linesOf = readLinesOf(context, ['invoice_lines', 'invoice_id'], ids, summarize)
  return store.rows(invoicesByIds, idsParameter(ids)).map((row) => {
    const commonFields = {
      retailer: directory.getParty('retailer', row.retailer_id),
      brand: directory.getParty('brand', row.brand_id),
      currency: 'USD',
      remit_to: addressFromJsonOrNull(row.remit_to_id, row.remit_to),
      charges: JSON.parse(row.charges) as Adjustment[],
      allowances: JSON.parse(row.allowances) as Adjustment[],
      invoice_lines: linesOf(row.id).map(({ number, variant, quantity, net_price }) => ({
        invoice_line_number: number,
        variant,
        quantity,
        price: net_price,
      })),
    }
    return { row, commonFields }
  })
}

const invoicesByIds = (p: IdsParameter) =>
  build
    .selectFrom('invoices')
    .leftJoin('addresses', 'addresses.id', 'invoices.remit_to_id')
    .selectAll('invoices')
    .select('addresses.body as remit_to')
    .where('invoices.id', 'in', idsFromJson(p.ids))
    .orderBy('invoices.id')
