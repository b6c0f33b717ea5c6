/** Creating invoices: one per purchase order. The brand's list has no filter for it, so it is swept by time. */
import { idOf, type InboundRules, partyParams, sweptSince } from './operation.ts'

const purchaseOrderNumber = (body: Readonly<Record<string, unknown>>) => String(body['purchase_order_number'])

export const createInvoice: InboundRules = {
  naturalKey: purchaseOrderNumber,
  lane: purchaseOrderNumber,

  async lookUp(api, party, record) {
    const sent = JSON.parse(record.body) as Record<string, unknown>
    const call = {
      endpoint: 'listBrandInvoices',
      params: partyParams(party),
      query: { invoiced_at_gte: sweptSince(api, record) },
    }
    for await (const page of api.list(call)) {
      const invoice = page.find(
        (candidate) =>
          candidate['purchase_order_number'] === sent['purchase_order_number'] &&
          candidate['invoice_number'] === sent['invoice_number'],
      )
      if (invoice) {
        const apiId = idOf(invoice)
        return { found: 'accepted', ...(apiId === undefined ? {} : { apiId }) }
      }
    }
    return { found: 'absent' }
  },
}
