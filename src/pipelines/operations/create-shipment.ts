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
      byTracking(body, order) ??
      byQuantities(body, order, compareQuantities(order, { watched: SHIPPED, noteText: record.note, body }))
    )
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
 * A list of shipments may lag behind or be cut, and may show a number late: only quantities that are as before prove
 * one absent. Where each shipment shows another number, as many units more are those of somebody else.
 */
function byQuantities(body: Body, order: Resource, compared: Finding): Finding {
  const shipments = attachedTo(order, SHIPPED.list)
  const areOthers = shipments.length > 0 && shipments.every((each) => trackingOf(each) !== undefined)
  if (compared.found !== 'accepted' || trackingOf(body) === undefined || !areOthers) return compared
  return {
    found: 'unclear',
    why: 'the order has more units shipped, and its shipments show other tracking numbers',
  }
}

/** The same number may be shown as one, in capitals or with blanks around it. Undefined where none is shown. */
function trackingOf(shown: unknown): string | undefined {
  if (typeof shown !== 'object' || shown === null || !('tracking_number' in shown)) return undefined
  const { tracking_number: number } = shown
  if (typeof number !== 'string' && typeof number !== 'number') return undefined
  const text = String(number).trim().toLowerCase()
  return text === '' ? undefined : text
}

function isUnshipped(order: Resource): boolean {
  const lines = linesOf(order)
  const hasNone = attachedTo(order, SHIPPED.list).length === 0
  return hasNone && lines.length > 0 && lines.every((line) => unitsIn(line, SHIPPED.counter) === 0)
}
