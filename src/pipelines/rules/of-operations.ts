/** The business rules of each operation, in the words of the spec. */
import type { InboundOperationName } from '../../contract/operations.ts'
import {
  addDecimals,
  compareDecimals,
  formatDecimal,
  multiplyDecimals,
  parseDecimal,
} from '../../support/decimal.ts'
import type { Facts } from '../../domain/journal.ts'
import type { Body } from '../operations/operation.ts'
import { itemsOf } from '../operations/order-lines.ts'
import { accountRules } from './accounts.ts'
import { before, inTheFuture, longAgo, passed } from './dates.ts'
import { checkLines, openUnits, shippedUnits } from './quantities.ts'
import type { Broken, RulesOfOperation } from './rule.ts'

export const BUSINESS_RULES: Readonly<Partial<Record<InboundOperationName, RulesOfOperation>>> = {
  'create-order': {
    onBody: ({ body, now }) => [...inTheFuture(body, 'ordered_at', now), ...longAgo(body, 'ordered_at', now)],
  },
  'create-shipment': {
    onOrder: (about) => [
      ...stateIs(about.order, ['canceled', 'closed'], 'order_id', 'nothing of it can be shipped'),
      ...accountRules(about.body, about.order),
      ...checkLines({ list: 'shipment_lines', left: openUnits, use: 'to be shipped' }, about),
    ],
    onBody: ({ body, order, now }) => [
      ...inTheFuture(body, 'shipped_at', now),
      ...before(body, 'shipped_at', { order, earlier: 'ordered_at' }),
    ],
  },
  'create-cancel': {
    onOrder: (about) => [
      ...stateIs(about.order, ['canceled', 'closed'], 'order_id', 'nothing of it can be canceled'),
      ...acknowledged(about.order),
      ...checkLines({ list: 'cancel_lines', left: openUnits, use: 'to be canceled' }, about),
    ],
  },
  'create-invoice': {
    onOrder: (about) => [
      ...notClosed(about.order),
      ...invoiced(about.order),
      ...checkLines(
        { list: 'invoice_lines', left: shippedUnits, use: 'to be invoiced, which is what was shipped' },
        { ...about, earlier: [] },
      ),
    ],
    onBody: ({ body, now }) => [...totalsDisagree(body), ...passed(body, 'terms_date_due', now)],
  },
}

function statusOf(order: Facts): string {
  return String(order['status']).toLowerCase()
}

function stateIs(order: Facts, states: readonly string[], field: string, so: string): Broken[] {
  const status = statusOf(order)
  if (!states.includes(status)) return []
  const at = order[`${status}_at`]
  const since = typeof at === 'string' ? ` since ${at}` : ''
  return [{ code: 'order-finished', field, message: `the order is ${status}${since}: ${so}` }]
}

function acknowledged(order: Facts): Broken[] {
  if (order['is_acknowledged'] !== true) return []
  const at = order['acknowledged_at']
  const since = typeof at === 'string' ? ` at ${at}` : ''
  const message = `the supplier acknowledged the order${since}; a cancel may be requested only before that`
  return [{ code: 'order-acknowledged', field: 'order_id', message }]
}

function notClosed(order: Facts): Broken[] {
  const status = statusOf(order)
  if (!['open', 'partial', 'canceled'].includes(status)) return []
  const message = `the order is ${status}; an invoice is submitted after it is completely fulfilled and closed`
  return [{ code: 'order-not-closed', field: 'purchase_order_number', message }]
}

function invoiced(order: Facts): Broken[] {
  const [first] = itemsOf(order, 'invoices')
  if (first === undefined) return []
  const number = first['invoice_number']
  const as = typeof number === 'string' ? ` as ${number}` : ''
  const message = `the order is invoiced already${as}; one invoice is submitted per purchase order`
  return [{ code: 'order-invoiced', field: 'purchase_order_number', message }]
}

/** Charges and allowances have no field, so a total may rightly be another. */
function totalsDisagree(body: Body): Broken[] {
  const due = decimalIn(body, 'due_amount')
  const parts = itemsOf(body, 'invoice_lines').map((line) => {
    const price = decimalIn(line, 'net_price')
    const quantity = line['quantity']
    return price && typeof quantity === 'number'
      ? multiplyDecimals(price, { units: BigInt(quantity), scale: 0 })
      : undefined
  })
  const sum = parts.reduce((total, part) => total && part && addDecimals(total, part), parseDecimal('0.00'))
  if (due === undefined || sum === undefined || compareDecimals(due, sum) === 0) return []
  const message = `due_amount is ${formatDecimal(due)}, and the lines add up to ${formatDecimal(sum)}`
  return [{ code: 'totals-disagree', field: 'due_amount', message, policy: 'totals' }]
}

function decimalIn(body: Body, field: string) {
  const value = body[field]
  return typeof value === 'string' ? parseDecimal(value) : undefined
}
