/** Creates orders. Their purchase order number identifies them, and the API has a filter for it. */
import type { Resource } from '../domain/api.ts'
import {
  CLOCK_MARGIN_MS,
  type ComparedValue,
  describeIfOlder,
  matchExisting,
  parseTime,
} from './match-existing.ts'
import { type RequestBody, type LookupResult, type InboundRules, createPartyParams } from './operation.ts'

const purchaseOrderNumber = (body: RequestBody) => String(body['purchase_order_number'])

export const createOrder: InboundRules = {
  naturalKey: purchaseOrderNumber,
  lane: purchaseOrderNumber,
  keyField: 'purchase_order_number',

  async lookUp(api, party, record) {
    const wanted = record.naturalKey
    const body = JSON.parse(record.body) as RequestBody
    const lines = { list: 'order_lines', body }
    const call = {
      endpoint: 'listRetailerOrders',
      params: createPartyParams(party),
      query: { purchase_order_number: wanted },
    }
    let lookup: LookupResult = { found: 'absent' }
    for await (const page of api.list(call)) {
      for (const order of page) {
        // An API that ignores the filter would show other orders too.
        const names = [[order['purchase_order_number'], wanted]] as const
        const olderReason = describeIfOlder(api, record, order, ['received_at', 'created_at'])
        const values = listComparedValues(order, body)
        lookup = matchExisting(order, { what: 'order', names, lines, values, olderReason }) ?? lookup
        if (lookup.found === 'accepted') return lookup
      }
    }
    return lookup
  },
}

/** Two systems of one retailer may use the same order numbers, and sell one unit of the same item. */
function listComparedValues(order: Resource, body: RequestBody): ComparedValue[] {
  const shownAddress = (order['ship_to'] ?? {}) as RequestBody
  const sentAddress = (body['ship_to'] ?? {}) as RequestBody
  const compare = (name: string, field: string, one: RequestBody, other: RequestBody) => {
    return { name, shown: one[field], sent: other[field] }
  }
  return [
    compare('customer order number', 'customer_order_number', order, body),
    compare('recipient', 'name1', shownAddress, sentAddress),
    { ...compare('postal code', 'postal_code', shownAddress, sentAddress), isSame: isSamePostalCode },
    { ...compare('order date', 'ordered_at', order, body), isSame: isCloseInTime },
  ]
}

/** Ignores blanks, dashes, leading zeros and the extension of a ZIP code. */
function isSamePostalCode(shown: string, sent: string): boolean {
  const [one = '', other = ''] = [shown, sent].map((code) => {
    const plain = code.replaceAll(/[^\p{L}\p{N}]/gu, '')
    return plain.replace(/^0+/u, '').toLowerCase()
  })
  return one.startsWith(other) || other.startsWith(one)
}

/** The two may be in different time zones, and one may lack the hours. */
function isCloseInTime(shown: string, sent: string): boolean {
  const [one, other] = [parseTime(shown), parseTime(sent)]
  return one === undefined || other === undefined || Math.abs(one - other) <= CLOCK_MARGIN_MS
}
