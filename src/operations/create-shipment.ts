/** Creates shipments. A brand has no list of them, so the lookup reads the shipments and shipped quantities of the order. */
import type { Resource } from '../domain/api.ts'
import { describeIfOlder } from './match-existing.ts'
import { type InboundRules, type LookupResult, readId, type RequestBody } from './operation.ts'
import { readItems, readLines, readUnits } from './order-lines.ts'
import {
  compareQuantities,
  defineOrderRules,
  findAdded,
  findStaleOrder,
  isInSnapshot,
  parseSnapshot,
  readAttached,
  type StoredSnapshot,
} from './order-quantities.ts'

export const SHIPPED = {
  get: 'getBrandOrder',
  counter: 'quantity_shipped',
  list: 'shipments',
  items: 'shipment_lines',
  word: 'shipped',
  thing: 'shipment',
  call: 'this shipment',
} as const

const rules = defineOrderRules(SHIPPED, (order, { api, record, body }) => {
  const isOlder = (shipment: Resource) => describeIfOlder(api, record, shipment, ['created_at'])
  const sent = { body, note: record.note, isOlder }
  return lookUpByTracking(sent, order) ?? lookUpByQuantities(sent, order)
})

export const createShipment: InboundRules = {
  naturalKey(body, keyValues) {
    const tracking = body['tracking_number']
    // Two boxes of one order may hold the same: what the file calls them tells them apart.
    const box = () => `${keyValues.join(' ')} ${JSON.stringify(body['shipment_lines'])}`
    const parcel = typeof tracking === 'string' ? tracking : box()
    return `${String(body['order_id'])} ${parcel}`
  },

  ...rules,

  /** A tracking number tells more than quantities, which are only the last resort then and may be old ones. */
  snapshotFromKnownOrder: (order, body) =>
    typeof body['tracking_number'] === 'string' ? rules.snapshotFromList(order, true) : undefined,
}

interface SentShipment {
  readonly body: RequestBody
  readonly note: string | undefined
  /** In words, that a shipment was made before the record was sent. */
  readonly isOlder: (shipment: Resource) => string | undefined
}

/** A shipment with a tracking number is there where one of the order's shows it, and not where nothing is shipped. */
function lookUpByTracking(sent: SentShipment, order: Resource): LookupResult | undefined {
  const tracking = readTracking(sent.body)
  if (tracking === undefined) return undefined
  const before = parseSnapshot(sent.note)
  const tracked = readAttached(order, SHIPPED.list).filter((each) => readTracking(each) === tracking)
  const made = tracked.find((each) => !isInSnapshot(before, each)) ?? tracked[0]
  if (made === undefined) {
    return findStaleOrder(order, SHIPPED, before) ?? (isUnshipped(order) ? { found: 'absent' } : undefined)
  }
  const apiId = readId(made)
  const difference = describeDifference(made as Resource, sent, before)
  if (difference !== undefined) {
    const named = apiId === undefined ? 'a shipment' : `shipment ${apiId}`
    return { found: 'unclear', why: `${named} has its tracking number, but ${difference}` }
  }
  return { found: 'accepted', ...(apiId === undefined ? {} : { apiId }) }
}

function describeDifference(shipment: Resource, { body, isOlder }: SentShipment, before: StoredSnapshot) {
  if (isInSnapshot(before, shipment)) return 'was there before it was sent'
  const [there, here] = [sumUnits([shipment]), sumUnits([body])]
  if (there !== undefined && here !== undefined && there !== here) {
    return `holds ${there} units, and the record ${here}`
  }
  return isOlder(shipment)
}

/**
 * A list of shipments may lag behind or be cut, and may show a number late or otherwise: that none shows ours proves
 * nothing, but where those that were added show other numbers, and as many units as are shipped more.
 */
function lookUpByQuantities({ body, note, isOlder }: SentShipment, order: Resource): LookupResult {
  const describeMismatch = (shipment: Resource) =>
    isOlder(shipment) ?? describeTrackingMismatch(shipment, body)
  const compared = compareQuantities(order, { watched: SHIPPED, snapshotText: note, body, describeMismatch })
  const tracking = readTracking(body)
  const added = findAdded(order, SHIPPED, note)
  if (tracking === undefined || added === undefined || compared.found === 'absent') return compared
  const areOthers = (some: readonly unknown[]) =>
    some.length > 0 && some.every((each) => isOtherTracking(readTracking(each), tracking))
  if (areOthers(added.attached) && sumUnits(added.attached) === added.units) return { found: 'absent' }
  const told = added.attached.length > 0 ? added.attached : readAttached(order, SHIPPED.list)
  if (compared.found !== 'accepted' || !areOthers(told)) return compared
  return { found: 'unclear', why: 'more of the order is shipped, but under other tracking numbers than this' }
}

/** A shipment gets a number by itself only where the API makes its label. */
function describeTrackingMismatch(shipment: Resource, body: RequestBody): string | undefined {
  const isLabelled = body['shipping_account_id'] !== undefined && body['shipping_account_id'] !== null
  if (isLabelled || readTracking(body) !== undefined || readTracking(shipment) === undefined) return undefined
  return `has the tracking number ${String(shipment['tracking_number'])}, and the record none`
}

/** Spec: a number is text; shown as a number it has lost its last digits where it is long, and tells nothing then. */
function readTracking(shown: unknown): string | undefined {
  if (typeof shown !== 'object' || shown === null || !('tracking_number' in shown)) return undefined
  const { tracking_number: number } = shown
  if (typeof number !== 'string' && !Number.isSafeInteger(number)) return undefined
  const text = String(number).trim().toLowerCase()
  return text === '' ? undefined : text
}

/** Without dashes, leading zeros, or what a carrier puts before or behind it, the one may be the other. */
function isOtherTracking(shown: string | undefined, ours: string): boolean {
  if (shown === undefined) return false
  const [one, other] = [normalizeTracking(shown), normalizeTracking(ours)]
  return !one.includes(other) && !other.includes(one)
}

function normalizeTracking(tracking: string): string {
  return tracking.replaceAll(/[^a-z0-9]/gu, '').replace(/^0+/u, '')
}

/** The units in these shipments; undefined where one does not show them. Spec: parts beyond the first do not count. */
function sumUnits(shipments: readonly unknown[]): number | undefined {
  let sum = 0
  for (const shipment of shipments) {
    const items = readItems(shipment as RequestBody, SHIPPED.items)
      .filter((item) => (readUnits(item, 'part') ?? 1) <= 1)
      .map((item) => readUnits(item, 'quantity'))
    if (items.length === 0) return undefined
    for (const units of items) {
      if (units === undefined) return undefined
      sum += units
    }
  }
  return sum
}

function isUnshipped(order: Resource): boolean {
  const lines = readLines(order)
  const hasNone = readAttached(order, SHIPPED.list).length === 0
  return hasNone && lines.length > 0 && lines.every((line) => readUnits(line, SHIPPED.counter) === 0)
}
