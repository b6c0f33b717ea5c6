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
    // Two boxes of one order may have the same contents: the key values of the file distinguish them.
    const box = () => `${keyValues.join(' ')} ${JSON.stringify(body['shipment_lines'])}`
    const parcel = typeof tracking === 'string' ? tracking : box()
    return `${String(body['order_id'])} ${parcel}`
  },

  ...rules,

  /** A tracking number proves more than quantities, which then are the last resort and may be out of date. */
  snapshotFromKnownOrder: (order, body) =>
    typeof body['tracking_number'] === 'string' ? rules.snapshotFromList(order, true) : undefined,
}

interface SentShipment {
  readonly body: RequestBody
  readonly note: string | undefined
  /** Returns the reason why a shipment is older than the record; undefined if it is not. */
  readonly isOlder: (shipment: Resource) => string | undefined
}

/** Finds the shipment by its tracking number. Absent where no shipment has it and nothing is shipped. */
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
  const [shown, sent] = [sumUnits([shipment]), sumUnits([body])]
  if (shown !== undefined && sent !== undefined && shown !== sent) {
    return `holds ${shown} units, and the record ${sent}`
  }
  return isOlder(shipment)
}

/**
 * A list of shipments may lag behind or be cut, and may show a number late or changed. So a missing tracking number
 * proves nothing, unless the added shipments have other numbers and account for all units shipped since.
 */
function lookUpByQuantities({ body, note, isOlder }: SentShipment, order: Resource): LookupResult {
  const describeMismatch = (shipment: Resource) =>
    isOlder(shipment) ?? describeTrackingMismatch(shipment, body)
  const compared = compareQuantities(order, { watched: SHIPPED, snapshotText: note, body, describeMismatch })
  const tracking = readTracking(body)
  const added = findAdded(order, SHIPPED, note)
  if (tracking === undefined || added === undefined || compared.found === 'absent') return compared
  const haveOthers = (shipments: readonly unknown[]) =>
    shipments.length > 0 && shipments.every((each) => isOtherTracking(readTracking(each), tracking))
  if (haveOthers(added.attached) && sumUnits(added.attached) === added.units) return { found: 'absent' }
  const listed = added.attached.length > 0 ? added.attached : readAttached(order, SHIPPED.list)
  if (compared.found !== 'accepted' || !haveOthers(listed)) return compared
  return { found: 'unclear', why: 'more of the order is shipped, but under other tracking numbers than this' }
}

/** The API itself gives a shipment a number only where it makes the label. */
function describeTrackingMismatch(shipment: Resource, body: RequestBody): string | undefined {
  const isLabelled = body['shipping_account_id'] !== undefined && body['shipping_account_id'] !== null
  if (isLabelled || readTracking(body) !== undefined || readTracking(shipment) === undefined) return undefined
  return `has the tracking number ${String(shipment['tracking_number'])}, and the record none`
}

/** Spec: a number is text. A long number that is shown as a JSON number has lost digits, so it is ignored. */
function readTracking(shown: unknown): string | undefined {
  if (typeof shown !== 'object' || shown === null || !('tracking_number' in shown)) return undefined
  const { tracking_number: number } = shown
  if (typeof number !== 'string' && !Number.isSafeInteger(number)) return undefined
  const text = String(number).trim().toLowerCase()
  return text === '' ? undefined : text
}

/** Ignores dashes and leading zeros; numbers that contain each other may be the same, as carriers add prefixes and suffixes. */
function isOtherTracking(shown: string | undefined, sent: string): boolean {
  if (shown === undefined) return false
  const [one, other] = [normalizeTracking(shown), normalizeTracking(sent)]
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
