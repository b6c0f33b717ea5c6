/** Creates invoices, one per purchase order. The brand's list has no filter for it, so the lookup reads the list by time. */
import type { Resource } from '../domain/api.ts'
import { type InboundRules, createPartyParams } from './operation.ts'
import { searchList } from './match-existing.ts'

const purchaseOrderNumber = (body: Resource) => String(body['purchase_order_number'])

export const createInvoice: InboundRules = {
  naturalKey: purchaseOrderNumber,
  lane: purchaseOrderNumber,

  lookUpAll: (api, party, records) =>
    searchList(api, records, {
      list: { endpoint: 'listBrandInvoices', params: createPartyParams(party) },
      since: 'invoiced_at_gte',
      readName: (invoice) => invoice['purchase_order_number'],
      readRecordName: (record) => record.naturalKey,
      creationTimeFields: ['invoiced_at', 'created_at'],
      /** Spec: charges and allowances may change the amount due, but not the lines. */
      criteriaFor(invoice, record) {
        const body = JSON.parse(record.body) as Resource
        return {
          what: 'invoice',
          names: ['purchase_order_number', 'invoice_number'].map((at) => [invoice[at], String(body[at])]),
          lines: { list: 'invoice_lines', body },
        }
      },
    }),
}
