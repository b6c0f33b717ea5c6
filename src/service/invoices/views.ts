/** Invoices as both parties see them. Spec: "Invoice". */
import { type Adjustment, BrandInvoice, RetailerInvoice } from '../../contract/invoice.ts'
import type { ServiceContext } from '../context.ts'
import { summarizeForBrand, summarizeForRetailer, type Summarize } from '../items/summaries.ts'
import { readLinesOf } from '../orders/rows.ts'
import { build, idsFromJson, type IdsParameter, idsParameter } from '../store/store.ts'
import { addressFromJsonOrNull, createRowView } from '../values.ts'

const showForRetailer = createRowView(RetailerInvoice)
const showForBrand = createRowView(BrandInvoice)

export function readRetailerInvoices(context: ServiceContext, ids: readonly number[]): RetailerInvoice[] {
  const invoices = readInvoices(context, ids, summarizeForRetailer)
  return invoices.map(({ row, commonFields }) => showForRetailer(row, commonFields))
}

export function readBrandInvoices(context: ServiceContext, ids: readonly number[]): BrandInvoice[] {
  return readInvoices(context, ids, summarizeForBrand).map(({ row, commonFields }) =>
    showForBrand(row, commonFields),
  )
}

function readInvoices<Item>(context: ServiceContext, ids: readonly number[], summarize: Summarize<Item>) {
  const { store, directory } = context
  const linesOf = readLinesOf(context, ['invoice_lines', 'invoice_id'], ids, summarize)
  return store.rows(invoicesByIds, idsParameter(ids)).map((row) => {
    const commonFields = {
      retailer: directory.getParty('retailer', row.retailer_id),
      brand: directory.getParty('brand', row.brand_id),
      currency: 'USD',
      remit_to: addressFromJsonOrNull(row.remit_to_id, row.remit_to),
      charges: JSON.parse(row.charges) as Adjustment[],
      allowances: JSON.parse(row.allowances) as Adjustment[],
      invoice_lines: linesOf(row.id).map(({ number, variant, quantity, net_price }) => ({
        invoice_line_number: number,
        variant,
        quantity,
        price: net_price,
      })),
    }
    return { row, commonFields }
  })
}

const invoicesByIds = (p: IdsParameter) =>
  build
    .selectFrom('invoices')
    .leftJoin('addresses', 'addresses.id', 'invoices.remit_to_id')
    .selectAll('invoices')
    .select('addresses.body as remit_to')
    .where('invoices.id', 'in', idsFromJson(p.ids))
    .orderBy('invoices.id')
