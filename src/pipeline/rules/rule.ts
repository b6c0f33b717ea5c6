/** Defines business rules, with the pure rules about dates and line quantities. */
import type { InboundOperationName } from '../../contract/operations.ts'
import type { ProblemCode } from '../../domain/problem.ts'
import type { ResourceFacts } from '../../domain/resource.ts'
import type { RequestBody } from '../../operations/operation.ts'
import {
  describeItem,
  findItemField,
  findLineOfItem,
  type LineMatch,
  type OrderLine,
  readItems,
  readLines,
  readUnits,
} from '../../operations/order-lines.ts'
import { DAY_MS } from '../../support/clock.ts'
import { getAtPath } from '../../support/object-paths.ts'
import { quoteNames } from '../../support/text.ts'

/** A route's decision about a plausibility rule: a warning does not stop a record. */
type Policy = 'warn' | 'refuse' | 'off'

export interface Policies {
  /** Amounts that do not add up. */
  readonly totals: Policy
  /** Dates that make no sense. */
  readonly dates: Policy
  /** Net prices of 0, or above the price of the consumer. */
  readonly prices: Policy
  /** More units ordered than the brand had when its stock was last read. */
  readonly stock: Policy
  /** Postal codes that no address of the country has. */
  readonly addresses: Policy
  /** Tracking numbers and invoice numbers that another order has. */
  readonly numbers: Policy
  /** Orders that are closed although nothing of them was shipped. */
  readonly closings: Policy
}

export const DEFAULT_POLICIES: Policies = {
  totals: 'warn',
  dates: 'warn',
  prices: 'warn',
  stock: 'off',
  addresses: 'warn',
  numbers: 'warn',
  closings: 'warn',
}

export interface RuleViolation {
  readonly code: ProblemCode
  /** The field, from the top of the body. */
  readonly field: string
  readonly message: string
  /** The policy of the route that decides about it; without one it refuses the record. */
  readonly policy?: keyof Policies
  /** Left out for the fix of its code. */
  readonly fix?: string
  /** What a person can still do about a record that is sent all the same; left out for what the operation says. */
  readonly sent?: string
  /** The fix is one of the mapping, and not of the file. */
  readonly isOfMapping?: boolean
}

/** A body, its order, and the earlier bodies of the same order. */
interface OrderedBody {
  readonly body: RequestBody
  readonly order: ResourceFacts
  readonly earlier: readonly RequestBody[]
}

/** Pure functions. Values that an order does not show break no rule: the API decides. */
export interface OperationRules {
  /** Rules about the state of the order, less what earlier records of the same file use up. */
  readonly onOrder?: (about: OrderedBody) => RuleViolation[]
  /** Rules that do not depend on the state of the order: reading it again cannot change their verdict. */
  readonly onBody?: (about: {
    readonly body: RequestBody
    readonly order: ResourceFacts | undefined
    readonly now: number
  }) => RuleViolation[]
}

// Implausible dates are warnings unless the route says otherwise.

/** Clocks differ, and a warehouse may enter the planned time of the pickup. */
const AHEAD_MS = DAY_MS

export function checkNotInFuture(body: RequestBody, field: string, now: number): RuleViolation[] {
  const at = parseTimeField(body, field)
  if (at === undefined || at <= now + AHEAD_MS) return []
  return [createImplausible(body, field, 'which is in the future')]
}

export function checkNotLongAgo(body: RequestBody, field: string, now: number): RuleViolation[] {
  const at = parseTimeField(body, field)
  if (at === undefined || at >= now - 366 * DAY_MS) return []
  return [createImplausible(body, field, 'which is more than a year ago')]
}

/** A date without a time counts until its end in every time zone. */
export function checkNotPassed(body: RequestBody, field: string, now: number): RuleViolation[] {
  const at = parseTimeField(body, field)
  if (at === undefined || at + 1.5 * DAY_MS >= now) return []
  return [createImplausible(body, field, 'which has passed')]
}

export function checkNotBefore(
  body: RequestBody,
  field: string,
  { order, earlier }: { order: RequestBody | undefined; earlier: string },
): RuleViolation[] {
  const at = parseTimeField(body, field)
  const since = order === undefined ? undefined : parseTimeField(order, earlier)
  if (at === undefined || since === undefined || at + AHEAD_MS >= since) return []
  return [createImplausible(body, field, `before the order's ${earlier}, ${String(order?.[earlier])}`)]
}

function createImplausible(body: RequestBody, field: string, why: string): RuleViolation {
  const message = `${field} is ${String(body[field])}, ${why}`
  return { code: 'date-implausible', field, message, policy: 'dates' }
}

function parseTimeField(body: RequestBody, field: string): number | undefined {
  const value = body[field]
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

// Postal codes of the countries whose form everyone knows.

const POSTAL_CODES: Readonly<Record<string, { form: RegExp; what: string }>> = {
  US: { form: /^\d{5}(?:-?\d{4})?$/, what: '5 digits, or 5 and 4' },
  CA: { form: /^[A-Z]\d[A-Z][ -]?\d[A-Z]\d$/i, what: 'a form like K1A 0B1' },
}

/** `address` is the field of the address: `ship_to`. */
export function checkPostalCode(body: RequestBody, address: string): RuleViolation[] {
  const code = getAtPath(body, `${address}.postal_code`)
  const country = getAtPath(body, `${address}.country`)
  const known = typeof country === 'string' ? POSTAL_CODES[country] : undefined
  if (known === undefined || typeof code !== 'string' || known.form.test(code)) return []
  const field = `${address}.postal_code`
  const message = `the postal code is ${JSON.stringify(code)}; one of ${String(country)} has ${known.what}`
  const isCut = country === 'US' && /^\d{3,4}$/.test(code)
  const fix = isCut
    ? `A spreadsheet cut its zeros: write \`digits: 5\` at ${field} in the mapping.`
    : 'Correct it in the file. To switch the rule off: `rules: { addresses: off }` of the route.'
  return [{ code: 'postal-code-odd', field, message, policy: 'addresses', fix, isOfMapping: isCut }]
}

// The item is on the order, and enough units of it are left.

interface LineRule {
  /** The list of the body: `shipment_lines`. */
  readonly list: string
  /** How many units of the line are left for records like this; undefined where the order does not show it. */
  readonly left: (line: OrderLine) => number | undefined
  /** `to be shipped` */
  readonly use: string
}

/** So many items of an order stand in a message. */
const ITEMS_SHOWN = 3

export function checkLines({ list, left, use }: LineRule, { body, order, earlier }: OrderedBody) {
  const lines = readLines(order)
  const taken = new Map<OrderLine, number>()
  for (const record of earlier) {
    for (const item of readItems(record, list))
      addTaken(taken, findLineOfItem(lines, item), readUnits(item, 'quantity'))
  }
  return readItems(body, list).flatMap((item, index): RuleViolation[] => {
    const line = findLineOfItem(lines, item)
    if (line === 'unclear') return []
    if (line === 'none') {
      const field = findItemField(item, `${list}[${index}]`)
      const name = field.slice(field.lastIndexOf('.') + 1)
      const names = lines.flatMap((each) => getAtPath(each, `variant.${name}`) ?? []).map(String)
      const others =
        names.length === 0 ? '' : `; its lines have the ${name} ${quoteNames(names, ITEMS_SHOWN)}`
      const message = `the order has no line with this item (${describeItem(item)})${others}`
      return [{ code: 'item-not-ordered', field, message }]
    }
    const wanted = readUnits(item, 'quantity') ?? 0
    const available = left(line)
    const before = taken.get(line) ?? 0
    addTaken(taken, line, wanted)
    if (available === undefined || wanted + before <= available) return []
    const ordered = readUnits(line, 'quantity')
    const of = ordered === undefined ? '' : ` of ${ordered}`
    const used = before === 0 ? '' : `, and earlier records of the file take ${before}`
    const message = `the record has ${wanted}; only ${Math.max(0, available)}${of} are left ${use}${used}`
    return [{ code: 'quantity-exceeded', field: `${list}[${index}].quantity`, message }]
  })
}

function addTaken(taken: Map<OrderLine, number>, line: LineMatch, units = 0): void {
  if (typeof line !== 'string') taken.set(line, (taken.get(line) ?? 0) + units)
}

/** Units that are neither shipped nor canceled. */
export function countOpenUnits(line: OrderLine): number | undefined {
  const units = (field: string) => readUnits(line, field) ?? NaN
  const left = units('quantity') - units('quantity_shipped') - units('quantity_canceled')
  return Number.isNaN(left) ? undefined : left
}

/** How the user makes the route refuse such. */
export function formatRefuse(policy: keyof Policies | undefined, route: string): string {
  return `To refuse such: \`rules: { ${policy}: refuse }\` under \`routes.${route}\` in dropbridge.yaml.`
}

export const SENT_AS_IT_IS = 'It is sent as it is. '

/** What a person can still do about a record that was sent. */
export const SENT: Readonly<Partial<Record<InboundOperationName, string>>> = {
  'create-order':
    'Sent as it is. If wrong, `dropbridge undo KEY` says how to cancel it; then send it under a new number. ',
  // The API has no call that changes a shipment or an invoice, or takes it back.
  'create-shipment': 'Sent as it is, and the API cannot change a shipment: if wrong, call the retailer. ',
  'create-invoice': 'Sent as it is, and the API cannot change an invoice: if wrong, call the retailer. ',
}
