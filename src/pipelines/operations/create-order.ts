/** Creating orders: known by their purchase order number, which the API can be asked for. */
import type { Resource } from '../../domain/api.ts'
import { type ComparedValue, likenessFinding } from './likeness.ts'
import { CLOCK_MARGIN_MS, madeBefore, timeIn } from './made-at.ts'
import { type Body, type Finding, type InboundRules, partyParams } from './operation.ts'

const purchaseOrderNumber = (body: Body) => String(body['purchase_order_number'])

export const createOrder: InboundRules = {
  naturalKey: purchaseOrderNumber,
  lane: purchaseOrderNumber,

  async lookUp(api, party, record) {
    const wanted = record.naturalKey
    const body = JSON.parse(record.body) as Body
    const lines = { list: 'order_lines', body }
    const call = {
      endpoint: 'listRetailerOrders',
      params: partyParams(party),
      query: { purchase_order_number: wanted },
    }
    let finding: Finding = { found: 'absent' }
    for await (const page of api.list(call)) {
      for (const order of page) {
        // An API that ignores the filter would show other orders too.
        const names = [[order['purchase_order_number'], wanted]] as const
        const isOlder = madeBefore(api, record, order, ['received_at', 'created_at'])
        const values = comparedValues(order, body)
        finding = likenessFinding(order, { what: 'order', names, lines, values, isOlder }) ?? finding
        if (finding.found === 'accepted') return finding
      }
    }
    return finding
  },
}

/** Two systems of one retailer may count their orders alike, and sell one of the same item. */
function comparedValues(order: Resource, body: Body): ComparedValue[] {
  const [theirs, ours] = [order['ship_to'], body['ship_to']].map((address) => (address ?? {}) as Body)
  return [
    {
      name: 'customer order number',
      shown: order['customer_order_number'],
      ours: body['customer_order_number'],
    },
    { name: 'recipient', shown: theirs?.['name1'], ours: ours?.['name1'] },
    {
      name: 'postal code',
      shown: theirs?.['postal_code'],
      ours: ours?.['postal_code'],
      isSame: isPostalCode,
    },
    { name: 'order date', shown: order['ordered_at'], ours: body['ordered_at'], isSame: isNear },
  ]
}

/** With or without blanks, dashes, leading zeros and what may be added to a ZIP code. */
function isPostalCode(shown: string, ours: string): boolean {
  const [one = '', other = ''] = [shown, ours].map((code) =>
    code
      .replaceAll(/[^\p{L}\p{N}]/gu, '')
      .replace(/^0+/u, '')
      .toLowerCase(),
  )
  return one.startsWith(other) || other.startsWith(one)
}

/** In whatever time zone, and with or without its hours. */
function isNear(shown: string, ours: string): boolean {
  const [one, other] = [timeIn(shown), timeIn(ours)]
  return one === undefined || other === undefined || Math.abs(one - other) <= CLOCK_MARGIN_MS
}
