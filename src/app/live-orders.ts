/** Reads what the API says of an order now, and compares it with what the journal knows. Reads only. */
import type { Resource } from '../domain/api.ts'
import type { Journal } from '../domain/journal.ts'
import type { ResourceFacts } from '../domain/resource.ts'
import type { TracedRecord } from '../domain/trace.ts'
import { createPartyParams, readId } from '../operations/operation.ts'
import {
  findLineOfItem,
  formatScalar,
  readItems,
  readLines,
  readUnits,
  readVariant,
} from '../operations/order-lines.ts'
import { readSelected } from '../pipeline/outbound/listing.ts'
import { isoTime } from '../support/clock.ts'
import type { PartyApi } from './party-apis.ts'

export interface LiveOrder {
  /** The party whose view it is: `retailer/1000`. */
  readonly account: string
  readonly id: string
  /** In the API's own names: status, times and numbers of the order. */
  readonly facts: Readonly<Record<string, unknown>>
  readonly lines: readonly LiveLine[]
  /** What belongs to the order, as `shipment 65 (7946…)`. */
  readonly attached: readonly string[]
  /** What the journal and the API say differently. */
  readonly differences: readonly string[]
}

export interface LiveLine {
  readonly number: string
  readonly item: string
  readonly status: string
  readonly ordered?: number
  readonly shipped?: number
  readonly canceled?: number
  readonly returned?: number
  /** By the lines of the invoices of the order. */
  readonly invoiced: number
}

export interface LiveOrders {
  readonly at: number
  /** The parties that were asked. */
  readonly accounts: readonly string[]
  readonly orders: readonly LiveOrder[]
  /** Accepted records whose order no party sees. */
  readonly differences: readonly string[]
}

/** What the journal knows of the orders of a key. */
export interface KnownOrders {
  readonly records: readonly TracedRecord[]
  readonly ids: ReadonlySet<string>
  readonly numbers: ReadonlySet<string>
  /** By account and id. */
  readonly seen: ReadonlyMap<string, { readonly facts: ResourceFacts; readonly seenAt: number }>
}

/** How many records and resources of one key are compared. */
const RECORDS_MAX = 200

/** Finds orders that the bridge never touched too: by their purchase order number, or their id. */
export async function readLiveOrders(
  apis: readonly PartyApi[],
  journal: Journal | undefined,
  key: string,
  now: number,
): Promise<LiveOrders> {
  const known = await findKnownOrders(journal, key)
  const orders: LiveOrder[] = []
  for (const one of apis)
    for (const order of await findOrders(one, known, key)) orders.push(await describeOrder(one, order, known))
  const accounts = apis.map(({ account }) => account)
  const shown = new Set(orders.map(({ id }) => id))
  const lost = known.records.filter(
    ({ operation, state, apiId, account }) =>
      operation === 'create-order' &&
      state === 'accepted' &&
      accounts.includes(account) &&
      !shown.has(apiId ?? ''),
  )
  const differences = lost.map((record) => `${describeRecord(record)}, and the API shows no such order`)
  return { at: now, accounts, orders, differences }
}

/** By the links of the journal; without one, by the key alone. */
export async function findKnownOrders(journal: Journal | undefined, key: string): Promise<KnownOrders> {
  const found = await journal?.traceKey(key, { limit: RECORDS_MAX })
  const { records = [], resources = [] } = found ?? {}
  const orders = resources.filter(({ kind }) => kind === 'order')
  const ids = new Set(orders.map(({ id }) => id))
  const numbers = new Set([key])
  const seen = new Map<string, { facts: ResourceFacts; seenAt: number }>()
  for (const { account, id, facts, seenAt } of orders) {
    if (facts === undefined) continue
    seen.set(`${account} ${id}`, { facts, seenAt })
    const number = facts['purchase_order_number']
    if (typeof number === 'string') numbers.add(number)
  }
  for (const { operation, apiId, naturalKey } of records) {
    if ((operation === 'create-order' || operation === 'export-orders') && apiId !== undefined) ids.add(apiId)
    if (operation === 'create-order' && naturalKey !== undefined) numbers.add(naturalKey)
  }
  return { records, ids, numbers, seen }
}

/** By the ids that the journal knows; else by number, which reads the whole list of a brand; else the key is an id. */
export async function findOrders({ api, party }: PartyApi, { ids, numbers }: KnownOrders, key: string) {
  const operation = party.kind === 'brand' ? 'export-orders' : 'export-retailer-orders'
  const read = async (by: 'id' | 'purchase_order_number', values: readonly string[]) => {
    const found: Resource[] = []
    if (values.length === 0) return found
    const { pages } = readSelected(api, { operation, party }, { query: {}, named: { by, values } })
    for await (const page of pages) found.push(...page)
    return found
  }
  const byId = await read('id', [...ids])
  if (byId.length > 0) return byId
  const byNumber = await read('purchase_order_number', [...numbers])
  return byNumber.length > 0 || !/^\d{1,11}$/.test(key) ? byNumber : read('id', [key])
}

const SHOWN_FACTS = [
  'purchase_order_number',
  'status',
  'is_acknowledged',
  'received_at',
  'acknowledge_by',
  'acknowledged_at',
  'fulfill_by',
  'closed_at',
  'canceled_at',
] as const

async function describeOrder(one: PartyApi, order: Resource, known: KnownOrders): Promise<LiveOrder> {
  const { account } = one
  const id = readId(order) ?? ''
  const facts = Object.fromEntries(SHOWN_FACTS.map((name) => [name, order[name] ?? null]))
  return {
    account,
    id,
    facts,
    lines: await describeLines(one, order),
    attached: ATTACHED.flatMap(({ list, noun, name }) =>
      readItems(order, list).map((each) => formatAttached(noun, each, name)),
    ),
    differences: [
      ...compareFacts(order, known.seen.get(`${account} ${id}`)),
      ...compareRecords(account, id, order, known.records),
    ],
  }
}

const ATTACHED = [
  { list: 'shipments', noun: 'shipment', name: 'tracking_number', operation: 'create-shipment' },
  { list: 'cancels', noun: 'cancel', name: 'reason', operation: 'create-cancel' },
  { list: 'invoices', noun: 'invoice', name: 'invoice_number', operation: 'create-invoice' },
  { list: 'rmas', noun: 'return', name: 'rma_number', operation: undefined },
  { list: 'credits', noun: 'credit', name: 'credit_number', operation: undefined },
] as const

function formatAttached(noun: string, each: Resource, name: string): string {
  const called = each[name]
  return `${noun} ${readId(each) ?? '?'}${typeof called === 'string' ? ` (${called})` : ''}`
}

/** An order does not show how much of a line is invoiced; its invoices do. */
async function describeLines({ api, party }: PartyApi, order: Resource): Promise<LiveLine[]> {
  const lines = readLines(order)
  const invoiced = new Map<unknown, number>()
  for (const invoice of readItems(order, 'invoices')) {
    const endpoint = party.kind === 'brand' ? 'getBrandInvoice' : 'getRetailerInvoice'
    const id = readId(invoice)
    const whole =
      id === undefined ? undefined : await api.get({ endpoint, params: { ...createPartyParams(party), id } })
    for (const item of readItems(whole ?? {}, 'invoice_lines')) {
      const line = findLineOfItem(lines, item)
      if (typeof line === 'object')
        invoiced.set(line, (invoiced.get(line) ?? 0) + (readUnits(item, 'quantity') ?? 0))
    }
  }
  return lines.map((line) => {
    const { identifier, brand_identifier: sku, upc, id } = readVariant(line)
    const units = { ordered: readUnits(line, 'quantity'), shipped: readUnits(line, 'quantity_shipped') }
    const undone = {
      canceled: readUnits(line, 'quantity_canceled'),
      returned: readUnits(line, 'quantity_returned'),
    }
    const shown = Object.entries({ ...units, ...undone }).filter(([, value]) => value !== undefined)
    return {
      number: formatScalar(line['order_line_number'] ?? line['id']),
      item: formatScalar(identifier ?? sku ?? upc ?? id),
      status: formatScalar(line['status']),
      ...Object.fromEntries(shown),
      invoiced: invoiced.get(line) ?? 0,
    }
  })
}

// Differences between the journal and the API.

/** What changed since the API last showed the order to the bridge. */
function compareFacts(order: Resource, seen: { facts: ResourceFacts; seenAt: number } | undefined): string[] {
  if (seen === undefined) return []
  const { facts, seenAt } = seen
  const changes: string[] = []
  const compare = (what: string, before: unknown, now: unknown) => {
    if (before !== undefined && now !== undefined && before !== now)
      changes.push(
        `${what} is ${formatScalar(now)}; it was ${formatScalar(before)} when the bridge last saw it, on ${isoTime(seenAt)}`,
      )
  }
  for (const name of ['status', 'is_acknowledged', 'acknowledge_by', 'fulfill_by'])
    compare(name, facts[name], order[name])
  const before = new Map(readLines(facts).map((line) => [String(line['id']), line]))
  for (const line of readLines(order)) {
    const known = before.get(String(line['id']))
    const called = `line ${String(line['order_line_number'] ?? line['id'])}`
    if (known === undefined) continue
    for (const name of ['quantity', 'quantity_shipped', 'quantity_canceled'])
      compare(`${called}: ${name}`, known[name], line[name])
  }
  return changes
}

/** What the bridge did, as the journal has it, and the API does not show; and what the API has from elsewhere. */
function compareRecords(
  account: string,
  id: string,
  order: Resource,
  records: readonly TracedRecord[],
): string[] {
  const own = records.filter((record) => record.account === account)
  const accepted = own.filter(({ state }) => state === 'accepted')
  const differences: string[] = []
  for (const { list, noun, name, operation } of ATTACHED) {
    if (operation === undefined || !Array.isArray(order[list])) continue
    const shown = new Map(readItems(order, list).map((each) => [readId(each), each]))
    const posted = accepted.filter((record) => record.operation === operation)
    for (const record of posted)
      if (!shown.has(record.apiId))
        differences.push(`${describeRecord(record)}, and the order does not show it`)
    const ids = new Set(posted.map(({ apiId }) => apiId))
    // Only a party whose records of this sort are in the journal can miss one.
    if (own.every((record) => record.operation !== operation)) continue
    for (const [shownId, each] of shown)
      if (!ids.has(shownId))
        differences.push(`${formatAttached(noun, each, name)}: the journal has no accepted record of it`)
  }
  const exported = own.find(({ operation, apiId }) => operation === 'export-orders' && apiId === id)
  const isAcknowledged = order['is_acknowledged']
  if (exported?.state === 'accepted' && isAcknowledged === false)
    differences.push(`${describeRecord(exported)}, and the API shows it as not acknowledged`)
  if (exported !== undefined && exported.state !== 'accepted' && isAcknowledged === true)
    differences.push(`${describeRecord(exported)}, and the API shows it as acknowledged`)
  for (const record of own.filter(
    ({ state }) => state === 'uncertain' || state === 'held' || state === 'sending',
  ))
    differences.push(`${describeRecord(record)}: the journal does not know whether the API has it`)
  return differences
}

function describeRecord({ operation, route, keyValues, naturalKey, state, apiId }: TracedRecord): string {
  const key = keyValues.filter((value) => value !== '').join(', ') || naturalKey || ''
  return `${operation} ${key} of ${route} is ${state}${apiId === undefined ? '' : ` as ${apiId}`}`
}
