/** Creating shipments: a brand has no list of them, so the order tells: its shipments and its shipped quantities. */
import type { Api, Resource } from '../../domain/api.ts'
import type { Party } from '../../domain/route.ts'
import { madeBefore } from './made-at.ts'
import { type Body, type Finding, idOf, type InboundRules, partyParams } from './operation.ts'
import { itemsOf, linesOf, unitsIn } from './order-lines.ts'
import {
  addedSince,
  attachedTo,
  compareQuantities,
  isNoted,
  type Noted,
  noteOf,
  olderThanNote,
  readNote,
} from './quantities.ts'

const SHIPPED = {
  counter: 'quantity_shipped',
  list: 'shipments',
  items: 'shipment_lines',
  word: 'shipped',
  thing: 'shipment',
  call: 'this shipment',
} as const

export const createShipment: InboundRules = {
  naturalKey(body, keyValues) {
    const tracking = body['tracking_number']
    // Two boxes of one order may hold the same: what the file calls them tells them apart.
    const box = () => `${keyValues.join(' ')} ${JSON.stringify(body['shipment_lines'])}`
    const parcel = typeof tracking === 'string' ? tracking : box()
    return `${String(body['order_id'])} ${parcel}`
  },

  lane: (body) => String(body['order_id']),

  async note(api, party, body) {
    const order = await readOrder(api, party, body)
    return JSON.stringify(order === undefined ? {} : noteOf(order, SHIPPED))
  },

  noteOf: (order, isOld) => JSON.stringify({ ...noteOf(order, SHIPPED), ...(isOld ? { isOld } : {}) }),

  /** A tracking number tells more than quantities, which are only the last resort then and may be old ones. */
  oldNoteOf: (order, body) =>
    typeof body['tracking_number'] === 'string'
      ? JSON.stringify({ ...noteOf(order, SHIPPED), isOld: true })
      : undefined,

  async lookUp(api, party, record) {
    const body = JSON.parse(record.body) as Body
    const order = await readOrder(api, party, body)
    if (order === undefined)
      return { found: 'unclear', why: `order ${String(body['order_id'])} is not there any more` }
    const isOlder = (shipment: Resource) => madeBefore(api, record, shipment, ['created_at'])
    const sent = { body, note: record.note, isOlder }
    return byTracking(sent, order) ?? byQuantities(sent, order)
  },
}

interface Sent {
  readonly body: Body
  readonly note: string | undefined
  /** In words, that a shipment was made before the record was sent. */
  readonly isOlder: (shipment: Resource) => string | undefined
}

function readOrder(api: Api, party: Party, body: Body): Promise<Resource | undefined> {
  return api.get({
    endpoint: 'getBrandOrder',
    params: { ...partyParams(party), id: String(body['order_id']) },
  })
}

/** A shipment with a tracking number is there where one of the order's shows it, and not where nothing is shipped. */
function byTracking(sent: Sent, order: Resource): Finding | undefined {
  const tracking = trackingOf(sent.body)
  if (tracking === undefined) return undefined
  const before = readNote(sent.note)
  const tracked = attachedTo(order, SHIPPED.list).filter((each) => trackingOf(each) === tracking)
  const made = tracked.find((each) => !isNoted(before, each)) ?? tracked[0]
  if (made === undefined) {
    return olderThanNote(order, SHIPPED, before) ?? (isUnshipped(order) ? { found: 'absent' } : undefined)
  }
  const apiId = idOf(made)
  const difference = differenceOf(made as Resource, sent, before)
  if (difference !== undefined) {
    const named = apiId === undefined ? 'a shipment' : `shipment ${apiId}`
    return { found: 'unclear', why: `${named} has its tracking number, but ${difference}` }
  }
  return { found: 'accepted', ...(apiId === undefined ? {} : { apiId }) }
}

function differenceOf(shipment: Resource, { body, isOlder }: Sent, before: Noted): string | undefined {
  if (isNoted(before, shipment)) return 'was there before it was sent'
  const [there, here] = [unitsOf([shipment]), unitsOf([body])]
  if (there !== undefined && here !== undefined && there !== here) {
    return `holds ${there} units, and the record ${here}`
  }
  return isOlder(shipment)
}

/**
 * A list of shipments may lag behind or be cut, and may show a number late or otherwise: that none shows ours proves
 * nothing, but where those that were added show other numbers, and as many units as are shipped more.
 */
function byQuantities({ body, note: noteText, isOlder }: Sent, order: Resource): Finding {
  const contrary = (shipment: Resource) => isOlder(shipment) ?? otherTracking(shipment, body)
  const compared = compareQuantities(order, { watched: SHIPPED, noteText, body, contrary })
  const tracking = trackingOf(body)
  const added = addedSince(order, SHIPPED, noteText)
  if (tracking === undefined || added === undefined || compared.found === 'absent') return compared
  const areOthers = (some: readonly unknown[]) =>
    some.length > 0 && some.every((each) => isOther(trackingOf(each), tracking))
  if (areOthers(added.attached) && unitsOf(added.attached) === added.units) return { found: 'absent' }
  const told = added.attached.length > 0 ? added.attached : attachedTo(order, SHIPPED.list)
  if (compared.found !== 'accepted' || !areOthers(told)) return compared
  return { found: 'unclear', why: 'more of the order is shipped, but under other tracking numbers than this' }
}

/** A shipment gets a number by itself only where the API makes its label. */
function otherTracking(shipment: Resource, body: Body): string | undefined {
  const isLabelled = body['shipping_account_id'] !== undefined && body['shipping_account_id'] !== null
  if (isLabelled || trackingOf(body) !== undefined || trackingOf(shipment) === undefined) return undefined
  return `has the tracking number ${String(shipment['tracking_number'])}, and the record none`
}

/** Spec: a number is text; shown as a number it has lost its last digits where it is long, and tells nothing then. */
function trackingOf(shown: unknown): string | undefined {
  if (typeof shown !== 'object' || shown === null || !('tracking_number' in shown)) return undefined
  const { tracking_number: number } = shown
  if (typeof number !== 'string' && !Number.isSafeInteger(number)) return undefined
  const text = String(number).trim().toLowerCase()
  return text === '' ? undefined : text
}

/** Without dashes, leading zeros, or what a carrier puts before or behind it, the one may be the other. */
function isOther(shown: string | undefined, ours: string): boolean {
  if (shown === undefined) return false
  const [one, other] = [bare(shown), bare(ours)]
  return !one.includes(other) && !other.includes(one)
}

function bare(tracking: string): string {
  return tracking.replaceAll(/[^a-z0-9]/gu, '').replace(/^0+/u, '')
}

/** The units in these shipments; undefined where one does not show them. Spec: parts beyond the first do not count. */
function unitsOf(shipments: readonly unknown[]): number | undefined {
  let sum = 0
  for (const shipment of shipments) {
    const items = itemsOf(shipment as Body, SHIPPED.items)
      .filter((item) => (unitsIn(item, 'part') ?? 1) <= 1)
      .map((item) => unitsIn(item, 'quantity'))
    if (items.length === 0) return undefined
    for (const units of items) {
      if (units === undefined) return undefined
      sum += units
    }
  }
  return sum
}

function isUnshipped(order: Resource): boolean {
  const lines = linesOf(order)
  const hasNone = attachedTo(order, SHIPPED.list).length === 0
  return hasNone && lines.length > 0 && lines.every((line) => unitsIn(line, SHIPPED.counter) === 0)
}
