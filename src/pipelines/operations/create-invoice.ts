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
      nameOf: (invoice) => invoice['purchase_order_number'],
      nameOfRecord: (record) => record.naturalKey,
      madeAt: ['invoiced_at', 'created_at'],
      /** Spec: charges and allowances may change what is due; the lines stay as they are. */
      likeness(invoice, record) {
        const body = JSON.parse(record.body) as Resource
        return {
          what: 'invoice',
          names: ['purchase_order_number', 'invoice_number'].map((name) => [
            invoice[name],
            String(body[name]),
          ]),
          lines: { list: 'invoice_lines', body },
        }
      },
    }),
}
