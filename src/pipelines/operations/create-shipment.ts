/** Creating shipments: a brand has no list of them, so the order tells: its shipments and its shipped quantities. */
import type { Api, Resource } from '../../domain/api.ts'
import type { Party } from '../../domain/route.ts'
import { type Body, type Finding, idOf, type InboundRules, partyParams } from './operation.ts'

/** What an order said before the shipment was sent. */
interface OrderNote {
  /** Units; left out when the order does not show them for every line. */
  readonly shipped?: number
  readonly shipmentIds: readonly string[]
}

export const createShipment: InboundRules = {
  naturalKey(body) {
    const tracking = body['tracking_number']
    const parcel = typeof tracking === 'string' ? tracking : JSON.stringify(body['shipment_lines'])
    return `${String(body['order_id'])} ${parcel}`
  },

  lane: (body) => String(body['order_id']),

  async note(api, party, body) {
    const order = await readOrder(api, party, body)
    return JSON.stringify(order === undefined ? {} : noteOf(order))
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
  const tracked = shipmentsOf(order).find((shipment) => hasTracking(shipment, body['tracking_number']))
  if (tracked) {
    const apiId = idOf(tracked)
    return { found: 'accepted', ...(apiId === undefined ? {} : { apiId }) }
  }
  const before = noteText === undefined ? undefined : (JSON.parse(noteText) as Partial<OrderNote>)
  if (before?.shipped === undefined) {
    return { found: 'unclear', why: 'the quantities shipped before it was sent are not known' }
  }
  const after = noteOf(order)
  if (after.shipped === undefined) {
    return { found: 'unclear', why: 'the order does not show the quantities shipped' }
  }
  const added = after.shipmentIds.filter((id) => before.shipmentIds?.includes(id) === false)
  if (after.shipped === before.shipped && added.length === 0) return { found: 'absent' }
  const [apiId] = added
  if (after.shipped === before.shipped + unitsOf(body['shipment_lines']) && added.length <= 1) {
    return { found: 'accepted', ...(apiId === undefined ? {} : { apiId }) }
  }
  return {
    found: 'unclear',
    why: `the order had ${before.shipped} units shipped before and has ${after.shipped} now, which this shipment alone does not explain`,
  }
}

function noteOf(order: Resource): OrderNote {
  const shipped = shippedUnits(order['order_lines'])
  const shipmentIds = shipmentsOf(order).flatMap((shipment) => idOf(shipment) ?? [])
  return { shipmentIds, ...(shipped === undefined ? {} : { shipped }) }
}

/** A quantity that is not shown must not be taken for none: that would prove a shipment absent. */
function shippedUnits(lines: unknown): number | undefined {
  if (!Array.isArray(lines) || lines.length === 0) return undefined
  const quantities = (lines as (Body | null)[]).map((line) => line?.['quantity_shipped'])
  if (!quantities.every((quantity) => typeof quantity === 'number')) return undefined
  return quantities.reduce((sum, quantity) => sum + quantity, 0)
}

/** Spec: the item shape inside `shipments` is not shown, so nothing is taken for granted. */
function shipmentsOf(order: Resource): unknown[] {
  return Array.isArray(order['shipments']) ? order['shipments'] : []
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

function unitsOf(lines: unknown): number {
  if (!Array.isArray(lines)) return 0
  return (lines as Body[]).reduce((sum, line) => sum + Number(line['quantity'] ?? 0), 0)
}
