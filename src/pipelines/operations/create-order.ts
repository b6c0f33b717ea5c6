/** Creating orders: known by their purchase order number, which the API can be asked for. */
import { likenessFinding } from './likeness.ts'
import { type Body, type Finding, type InboundRules, partyParams } from './operation.ts'

const purchaseOrderNumber = (body: Body) => String(body['purchase_order_number'])

export const createOrder: InboundRules = {
  naturalKey: purchaseOrderNumber,
  lane: purchaseOrderNumber,

  async lookUp(api, party, record) {
    const wanted = record.naturalKey
    const lines = { list: 'order_lines', body: JSON.parse(record.body) as Body }
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
        finding = likenessFinding(order, { what: 'order', names, lines }) ?? finding
        if (finding.found === 'accepted') return finding
      }
    }
    return finding
  },
}
