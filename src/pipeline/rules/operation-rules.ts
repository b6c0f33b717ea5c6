/** The business rules of each operation, in the words of the spec. */
import type { InboundOperationName } from '../../contract/operations.ts'
import type { FoundResource, KnownResource, ResourceFacts } from '../../domain/resource.ts'
import { formatAccount } from '../../domain/route.ts'
import type { RequestBody } from '../../operations/operation.ts'
import {
  findLineOfItem,
  type OrderLine,
  readItems,
  readLines,
  readUnits,
} from '../../operations/order-lines.ts'
import {
  addDecimals,
  compareDecimals,
  formatDecimal,
  multiplyDecimals,
  parseDecimal,
} from '../../support/decimal.ts'
import { quoteForShell } from '../../support/text.ts'
import type { InboundContext } from '../context.ts'
import { readAccounts, type ResolvedDraft } from '../references/resolver.ts'
import type { ResourceKind } from '../references/resource-cache.ts'
import { type Carrier, listNames, type NamedItem } from '../references/shipping-methods.ts'
import {
  checkLines,
  checkNotBefore,
  checkNotInFuture,
  checkNotLongAgo,
  checkNotPassed,
  checkPostalCode,
  countOpenUnits,
  type OperationRules,
  type Policies,
  type RuleViolation,
} from './rule.ts'

export const BUSINESS_RULES: Readonly<Partial<Record<InboundOperationName, OperationRules>>> = {
  'create-order': {
    onBody: ({ body, now }) => [
      ...checkNotInFuture(body, 'ordered_at', now),
      ...checkNotLongAgo(body, 'ordered_at', now),
      ...checkPostalCode(body, 'ship_to'),
      ...checkPrices(body, 'order_lines', (line) => line),
    ],
  },
  'create-shipment': {
    onOrder: (about) => [
      ...checkUnfinished(about.order, 'nothing of it can be shipped'),
      ...checkShippingAccount(about.body, about.order),
      ...checkLines({ list: 'shipment_lines', left: countOpenUnits, use: 'to be shipped' }, about),
    ],
    onBody: ({ body, order, now }) => [
      ...checkNotInFuture(body, 'shipped_at', now),
      ...checkNotBefore(body, 'shipped_at', { order, earlier: 'ordered_at' }),
    ],
  },
  'create-cancel': {
    onOrder: (about) => [
      ...checkUnfinished(about.order, 'nothing of it can be canceled'),
      ...checkNotAcknowledged(about.order),
      ...checkLines({ list: 'cancel_lines', left: countOpenUnits, use: 'to be canceled' }, about),
    ],
  },
  'close-order': { onOrder: ({ order }) => checkShipped(order) },
  'create-invoice': {
    onOrder(about) {
      const early = [...checkClosed(about.order), ...checkNotInvoiced(about.order)]
      // What is left to be invoiced changes until the order is closed: it must not seem that the invoice is wrong.
      if (early.length > 0) return early
      const left = (line: OrderLine) => readUnits(line, 'quantity_shipped')
      const use = 'to be invoiced, which is what was shipped'
      return checkLines({ list: 'invoice_lines', left, use }, { ...about, earlier: [] })
    },
    onBody: ({ body, order, now }) => [
      ...checkTotals(body),
      ...checkNotPassed(body, 'terms_date_due', now),
      ...checkPrices(body, 'invoice_lines', (line) => findOrdered(order, line)),
    ],
  },
}

function readStatus(order: ResourceFacts): string {
  return String(order['status']).toLowerCase()
}

function checkUnfinished(order: ResourceFacts, effect: string): RuleViolation[] {
  const status = readStatus(order)
  if (status !== 'canceled' && status !== 'closed') return []
  const at = order[`${status}_at`]
  const since = typeof at === 'string' ? ` since ${at}` : ''
  const fix = status === 'canceled' ? { fix: 'Remove its rows, or correct the order number.' } : {}
  const message = `the order is ${status}${since}: ${effect}`
  return [{ code: 'order-finished', field: 'order_id', message, ...fix }]
}

/** An order whose units are not shown breaks no rule. */
function checkShipped(order: ResourceFacts): RuleViolation[] {
  const status = readStatus(order)
  const lines = readLines(order)
  if (lines.length === 0 || (status !== 'open' && status !== 'partial')) return []
  const count = (field: string) => lines.reduce((sum, line) => sum + (readUnits(line, field) ?? NaN), 0)
  const used = count('quantity_shipped') + count('quantity_canceled')
  if (used !== 0) return []
  const number = order['purchase_order_number']
  const undo = typeof number === 'string' ? `dropbridge undo ${quoteForShell(number)}` : 'dropbridge undo'
  const message = `nothing of the order is shipped: 0 of ${count('quantity')} units`
  const sent = `Closed all the same. If that is wrong: \`${undo}\` says how to reopen it. `
  return [{ code: 'order-unshipped', field: 'order_id', message, policy: 'closings', sent }]
}

function checkNotAcknowledged(order: ResourceFacts): RuleViolation[] {
  if (order['is_acknowledged'] !== true) return []
  const at = order['acknowledged_at']
  const since = typeof at === 'string' ? ` at ${at}` : ''
  const message = `the brand acknowledged the order${since}; a cancel may be requested only before that`
  return [{ code: 'order-acknowledged', field: 'order_id', message }]
}

/** Nothing of a canceled order can be shipped, so that it never gets ready for an invoice. */
function checkClosed(order: ResourceFacts): RuleViolation[] {
  const status = readStatus(order)
  if (status === 'canceled') {
    const [violation] = checkUnfinished(order, 'nothing of it can be invoiced')
    return violation ? [{ ...violation, field: 'purchase_order_number' }] : []
  }
  if (!['open', 'partial'].includes(status)) return []
  const message = `the order is ${status}; an invoice is submitted after it is completely fulfilled and closed`
  return [{ code: 'order-not-closed', field: 'purchase_order_number', message }]
}

function checkNotInvoiced(order: ResourceFacts): RuleViolation[] {
  const [first] = readItems(order, 'invoices')
  if (first === undefined) return []
  const number = first['invoice_number']
  const as = typeof number === 'string' ? ` as ${number}` : ''
  const message = `the order is invoiced already${as}; one invoice is submitted per purchase order`
  return [{ code: 'order-invoiced', field: 'purchase_order_number', message }]
}

/** Charges and allowances have no field, so a total may differ for a good reason. */
function checkTotals(body: RequestBody): RuleViolation[] {
  const due = readDecimal(body, 'due_amount')
  const parts = readItems(body, 'invoice_lines').map((line) => {
    const price = readDecimal(line, 'net_price')
    const quantity = line['quantity']
    return price && typeof quantity === 'number'
      ? multiplyDecimals(price, { units: BigInt(quantity), scale: 0 })
      : undefined
  })
  const sum = parts.reduce((total, part) => total && part && addDecimals(total, part), parseDecimal('0.00'))
  if (due === undefined || sum === undefined || compareDecimals(due, sum) === 0) return []
  const message = `due_amount is ${formatDecimal(due)}, but the lines add up to ${formatDecimal(sum)}`
  return [{ code: 'totals-disagree', field: 'due_amount', message, policy: 'totals' }]
}

/** The line of the order, which has the price of the consumer; undefined where the order is not known or unclear. */
function findOrdered(order: ResourceFacts | undefined, line: RequestBody): RequestBody | undefined {
  const found = order === undefined ? 'none' : findLineOfItem(readLines(order), line)
  return typeof found === 'string' ? undefined : found
}

const ZERO = { units: 0n, scale: 0 }

/** `sold` gives the line with the price of the consumer; a price of 0 says that it is not known. */
function checkPrices(
  body: RequestBody,
  list: string,
  sold: (line: RequestBody) => RequestBody | undefined,
): RuleViolation[] {
  return readItems(body, list).flatMap((line, index): RuleViolation[] => {
    const net = readDecimal(line, 'net_price')
    if (net === undefined) return []
    const price = readDecimal(sold(line) ?? {}, 'price') ?? ZERO
    const isAbove = price.units > 0n && compareDecimals(net, price) > 0
    if (!isAbove && net.units !== 0n) return []
    const why = isAbove ? `above the price of the consumer, ${formatDecimal(price)}` : 'which is nothing'
    // An order has both from the file; an invoice is compared with what the API knows.
    const guess = isAbove && list === 'order_lines' ? '; perhaps the mapping swaps their columns' : ''
    const message = `the net price is ${formatDecimal(net)}, ${why}${guess}`
    return [{ code: 'price-implausible', field: `${list}[${index}].net_price`, message, policy: 'prices' }]
  })
}

function readDecimal(body: RequestBody, field: string) {
  const value = body[field]
  return typeof value === 'string' ? parseDecimal(value) : undefined
}

// The shipping account belongs to the order, and the method to the account or carrier.

/** Spec: "must be an id from the order's shipping_accounts", and the method "an id from that account's". */
function checkShippingAccount(body: RequestBody, order: ResourceFacts): RuleViolation[] {
  const id = body['shipping_account_id']
  if (typeof id !== 'number' || !Array.isArray(order['shipping_accounts'])) return []
  const accounts = readAccounts(order)
  const account = accounts.find((each) => each.id === String(id))
  if (account === undefined) {
    const message = `shipping account ${id} is not one of the order's${formatAvailable(accounts)}`
    return [{ code: 'account-not-of-order', field: 'shipping_account_id', message }]
  }
  return checkMethod(body, { word: 'shipping account', ...account })
}

/** Spec: mode A; the label exists, and the method belongs to the carrier. */
export function checkCarrier(body: RequestBody, carriers: readonly Carrier[]): RuleViolation[] {
  const id = body['carrier_id']
  const carrier = carriers.find((each) => each.id === String(id))
  if (typeof id !== 'number' || carrier === undefined) return []
  return checkMethod(body, { word: 'carrier', ...carrier })
}

interface MethodOwner extends NamedItem {
  readonly word: string
  readonly methods: readonly NamedItem[]
}

function checkMethod(body: RequestBody, { word, names, id, methods }: MethodOwner): RuleViolation[] {
  const method = String(body['shipping_method_id'])
  if (methods.length === 0 || methods.some((each) => each.id === method)) return []
  const message = `${word} ${names[0] ?? id} has no shipping method ${method}${formatAvailable(methods)}`
  return [{ code: 'method-not-allowed', field: 'shipping_method_id', message }]
}

function formatAvailable(items: readonly NamedItem[]): string {
  const names = items.map((item) => `${item.id} (${listNames([item])[0] ?? ''})`)
  return names.length === 0 ? '' : `; there are ${names.join(', ')}`
}

// Warns of tracking numbers and invoice numbers that another order has, as far as the API has shown them.

/** A record that would be sent, with its order where it is known. */
export interface CheckedRecord {
  readonly draft: ResolvedDraft
  readonly body: RequestBody
  readonly lane: string
  readonly order: KnownResource | undefined
}

/** `records` are those of the bodies. */
export type BodyCheck = (
  bodies: readonly RequestBody[],
  records: readonly CheckedRecord[],
) => Promise<readonly RuleViolation[][]>

interface NumberRule {
  readonly kind: ResourceKind
  /** The field of the number, and the one that names the order, in bodies and in resources. */
  readonly field: string
  readonly order: string
  readonly word: string
}

const NUMBER_RULES: Readonly<Partial<Record<InboundOperationName, NumberRule>>> = {
  'create-shipment': {
    kind: 'shipment',
    field: 'tracking_number',
    order: 'order_id',
    word: 'tracking number',
  },
  'create-invoice': {
    kind: 'invoice',
    field: 'invoice_number',
    order: 'purchase_order_number',
    word: 'invoice number',
  },
}

/** So many numbers of the file itself are remembered; a number that is typed twice stands near its first row. */
const REMEMBERED_MAX = 20_000

/** Makes the check of one file: one query for each batch of records, and no call of the API. */
export function createNumberCheck(
  { journal, route }: Pick<InboundContext, 'journal' | 'route'>,
  { numbers }: Policies,
): BodyCheck {
  const rule = NUMBER_RULES[route.operation]
  if (rule === undefined || numbers === 'off') return (bodies) => Promise.resolve(bodies.map(() => []))
  const seen = new Map<string, { readonly order: string; readonly where: string }>()
  return async (bodies, records) => {
    const wanted = bodies.flatMap((body) => readText(body, rule.field) ?? [])
    const known = await journal.findResourcesByKey(formatAccount(route.party), rule.kind, wanted)
    return bodies.map((body, index): RuleViolation[] => {
      const number = readText(body, rule.field)
      const order = readText(body, rule.order)
      if (number === undefined || order === undefined) return []
      const other = known.find((each) => each.key === number && isOfAnotherOrder(each, rule, order))
      const earlier = seen.get(number)
      if (seen.size < REMEMBERED_MAX && earlier === undefined)
        seen.set(number, { order, where: describeRecord(records[index], order) })
      const isTwice = earlier !== undefined && earlier.order !== order
      if (other === undefined && !isTwice) return []
      const where = other === undefined ? (earlier?.where ?? '') : describeResource(other, rule)
      const message = `the ${rule.word} ${number} is also that of ${where}`
      return [{ code: 'number-in-use', field: rule.field, message, policy: 'numbers' }]
    })
  }
}

/** `line 2 of the file, for order HV-10001`; `id` names an order that the bridge does not know. */
function describeRecord(record: CheckedRecord | undefined, id: string): string {
  const line = record?.draft.lines[0]?.[0]
  const order = readText(record?.order?.facts, 'purchase_order_number') ?? record?.order?.keys?.[0] ?? id
  return `${line === undefined ? 'an earlier record' : `line ${line}`} of the file, for order ${order}`
}

/** Ids are numbers. */
function readText(from: RequestBody | undefined, field: string): string | undefined {
  const value = from?.[field]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

function isOfAnotherOrder({ facts }: FoundResource, rule: NumberRule, order: string): boolean {
  const own = readText(facts, rule.order)
  return own !== undefined && own !== order
}

/** `shipment 31 of order HV-10001` */
function describeResource({ id, facts }: FoundResource, { kind, order }: NumberRule): string {
  return `${kind} ${id} of order ${readText(facts, 'purchase_order_number') ?? readText(facts, order) ?? ''}`
}
