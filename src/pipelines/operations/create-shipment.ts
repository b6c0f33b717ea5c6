/** Creating shipments: a brand has no list of them, so the order tells: its shipments and its shipped quantities. */
import type { Api, Resource } from '../../domain/api.ts'
import type { Party } from '../../domain/route.ts'
import { type Body, type Finding, idOf, type InboundRules, partyParams } from './operation.ts'
import { attachedTo, compareQuantities, noteOf } from './quantities.ts'

const SHIPPED = {
  counter: 'quantity_shipped',
  list: 'shipments',
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

  async lookUp(api, party, record) {
    const body = JSON.parse(record.body) as Body
    const order = await readOrder(api, party, body)
    if (order === undefined)
      return { found: 'unclear', why: `order ${String(body['order_id'])} is not there any more` }
    return compare(body, order, record.note)
  },
}

function readOrder(api: Api, party: Party, body: Body): Promise<Resource | undefined> {
  return api.get({
    endpoint: 'getBrandOrder',
    params: { ...partyParams(party), id: String(body['order_id']) },
  })
}

/** The tracking number proves the shipment; without one, the quantities before and after tell. */
function compare(body: Body, order: Resource, noteText: string | undefined): Finding {
  const tracked = attachedTo(order, SHIPPED.list).find((each) => hasTracking(each, body['tracking_number']))
  if (tracked) {
    const apiId = idOf(tracked)
    return { found: 'accepted', ...(apiId === undefined ? {} : { apiId }) }
  }
  return compareQuantities(order, { watched: SHIPPED, noteText, lines: body['shipment_lines'] })
}

function hasTracking(shipment: unknown, trackingNumber: unknown): boolean {
  return (
    typeof trackingNumber === 'string' &&
    typeof shipment === 'object' &&
    shipment !== null &&
    'tracking_number' in shipment &&
    shipment.tracking_number === trackingNumber
  )
}
