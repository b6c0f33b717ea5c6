/** Creating shipments: a brand has no list of them, so the order tells: its shipments and its shipped quantities. */
import type { Api, Resource } from '../../domain/api.ts'
import type { Party } from '../../domain/route.ts'
import { type Body, type Finding, idOf, type InboundRules, partyParams } from './operation.ts'
import { linesOf, unitsIn } from './order-lines.ts'
import { attachedTo, compareQuantities, noteOf } from './quantities.ts'

const SHIPPED = {
  counter: 'quantity_shipped',
  list: 'shipments',
  items: 'shipment_lines',
  word: 'shipped',
  call: 'this shipment',
} as const

export const createShipment: InboundRules = {
  naturalKey(body) {
    const tracking = body['tracking_number']
    const parcel = typeof tracking === 'string' ? tracking : JSON.stringify(body['shipment_lines'])
    return `${String(body['order_id'])} ${parcel}`
  },

  lane: (body) => String(body['order_id']),

  async note(api, party, body) {
    const order = await readOrder(api, party, body)
    return JSON.stringify(order === undefined ? {} : noteOf(order, SHIPPED))
  },

  noteOf: (order) => JSON.stringify(noteOf(order, SHIPPED)),

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
    return (
      byTracking(body, order) ?? compareQuantities(order, { watched: SHIPPED, noteText: record.note, body })
    )
  },
}

function readOrder(api: Api, party: Party, body: Body): Promise<Resource | undefined> {
  return api.get({
    endpoint: 'getBrandOrder',
    params: { ...partyParams(party), id: String(body['order_id']) },
  })
}

/**
 * What the order's shipments prove of a shipment with a tracking number: that it is there, or, where each of them shows
 * its own, that it is not. An order that shows no shipments and none of whose units are shipped has none.
 */
function byTracking(body: Body, order: Resource): Finding | undefined {
  const tracking = body['tracking_number']
  if (typeof tracking !== 'string') return undefined
  const shipments = attachedTo(order, SHIPPED.list)
  const tracked = shipments.find((each) => trackingOf(each) === tracking)
  if (tracked !== undefined) {
    const apiId = idOf(tracked)
    return { found: 'accepted', ...(apiId === undefined ? {} : { apiId }) }
  }
  const showsAll = shipments.length > 0 && shipments.every((each) => trackingOf(each) !== undefined)
  return showsAll || isUnshipped(order) ? { found: 'absent' } : undefined
}

/** Null where the shipment says that it has none. */
function trackingOf(shipment: unknown): unknown {
  if (typeof shipment !== 'object' || shipment === null || !('tracking_number' in shipment)) return undefined
  return shipment.tracking_number
}

function isUnshipped(order: Resource): boolean {
  const lines = linesOf(order)
  const hasNone = attachedTo(order, SHIPPED.list).length === 0
  return hasNone && lines.length > 0 && lines.every((line) => unitsIn(line, SHIPPED.counter) === 0)
}
