/** Creating shipments: a brand has no list of them, so the order tells: its shipments and its shipped quantities. */
import type { Api, Resource } from '../../domain/api.ts'
import type { Party } from '../../domain/route.ts'
import { type Body, type Finding, idOf, type InboundRules, partyParams } from './operation.ts'
import { itemsOf, linesOf, unitsIn } from './order-lines.ts'
import { addedSince, attachedTo, compareQuantities, noteOf } from './quantities.ts'

const SHIPPED = {
  counter: 'quantity_shipped',
  list: 'shipments',
  items: 'shipment_lines',
  word: 'shipped',
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
    return byTracking(body, order) ?? byQuantities(body, order, record.note)
  },
}

function readOrder(api: Api, party: Party, body: Body): Promise<Resource | undefined> {
  return api.get({
    endpoint: 'getBrandOrder',
    params: { ...partyParams(party), id: String(body['order_id']) },
  })
}

/** A shipment with a tracking number is there where one of the order's shows it, and not where nothing is shipped. */
function byTracking(body: Body, order: Resource): Finding | undefined {
  const tracking = trackingOf(body)
  if (tracking === undefined) return undefined
  const tracked = attachedTo(order, SHIPPED.list).find((each) => trackingOf(each) === tracking)
  if (tracked !== undefined) {
    const apiId = idOf(tracked)
    return { found: 'accepted', ...(apiId === undefined ? {} : { apiId }) }
  }
  return isUnshipped(order) ? { found: 'absent' } : undefined
}

/**
 * A list of shipments may lag behind or be cut, and may show a number late or otherwise: that none shows ours proves
 * nothing, but where those that were added show other numbers, and as many units as are shipped more.
 */
function byQuantities(body: Body, order: Resource, noteText: string | undefined): Finding {
  const compared = compareQuantities(order, { watched: SHIPPED, noteText, body })
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

/** The units in these shipments; undefined where one does not show them. */
function unitsOf(shipments: readonly unknown[]): number | undefined {
  let sum = 0
  for (const shipment of shipments) {
    const items = itemsOf(shipment as Body, SHIPPED.items).map((item) => unitsIn(item, 'quantity'))
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
