/** Creating invoices: one per purchase order. The brand's list has no filter for it, so it is swept by time. */
import type { Resource } from '../../domain/api.ts'
import { type InboundRules, partyParams } from './operation.ts'
import { sweepFor } from './sweep.ts'

const purchaseOrderNumber = (body: Resource) => String(body['purchase_order_number'])

export const createInvoice: InboundRules = {
  naturalKey: purchaseOrderNumber,
  lane: purchaseOrderNumber,

  lookUpAll: (api, party, records) =>
    sweepFor(api, records, {
      list: { endpoint: 'listBrandInvoices', params: partyParams(party) },
      since: 'invoiced_at_gte',
      nameOfRecord: ({ body }) => nameOf(JSON.parse(body) as Resource),
      nameOf,
    }),
}

function nameOf({ purchase_order_number: order, invoice_number: invoice }: Resource): string {
  return JSON.stringify([order, invoice])
}
