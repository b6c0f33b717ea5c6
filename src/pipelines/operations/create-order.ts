/** Creating orders: known by their purchase order number, which the API can be asked for. */
import { idOf, type InboundRules, partyParams } from './operation.ts'

const purchaseOrderNumber = (body: Readonly<Record<string, unknown>>) => String(body['purchase_order_number'])

export const createOrder: InboundRules = {
  naturalKey: purchaseOrderNumber,
  lane: purchaseOrderNumber,

  async lookUp(api, party, record) {
    const wanted = record.naturalKey
    const call = {
      endpoint: 'listRetailerOrders',
      params: partyParams(party),
      query: { purchase_order_number: wanted },
    }
    for await (const page of api.list(call)) {
      // An API that ignores the filter would show other orders too.
      const order = page.find((candidate) => candidate['purchase_order_number'] === wanted)
      if (order) {
        const apiId = idOf(order)
        return { found: 'accepted', ...(apiId === undefined ? {} : { apiId }) }
      }
    }
    return { found: 'absent' }
  },
}
