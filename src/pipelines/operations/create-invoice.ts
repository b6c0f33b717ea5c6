/** Creating invoices: one per purchase order. The brand's list has no filter for it, so it is swept by time. */
import { idOf, type InboundRules, partyParams } from './operation.ts'

/**
 * How far the sweep reaches back before the attempt. Our clock may have been wrong then and right now, and how far the
 * API's differs is not known before its first answer; a day costs a few pages more and no invoice twice.
 */
const CLOCK_MARGIN_MS = 24 * 60 * 60 * 1000

const purchaseOrderNumber = (body: Readonly<Record<string, unknown>>) => String(body['purchase_order_number'])

export const createInvoice: InboundRules = {
  naturalKey: purchaseOrderNumber,
  lane: purchaseOrderNumber,

  async lookUp(api, party, record) {
    const sent = JSON.parse(record.body) as Record<string, unknown>
    const since = Math.floor((record.sentAt + api.clockOffsetMs() - CLOCK_MARGIN_MS) / 1000)
    const call = {
      endpoint: 'listBrandInvoices',
      params: partyParams(party),
      query: { invoiced_at_gte: since },
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
