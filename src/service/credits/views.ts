/** Credit memos as retailers see them. Spec: "Credit (credit memo)". */
import { Credit, type CreditAdjustment, CreditLine } from '../../contract/return.ts'
import { isoTime } from '../../support/clock.ts'
import type { ServiceContext } from '../context.ts'
import { summarizeForRetailer } from '../items/summaries.ts'
import { readLinesOf } from '../orders/rows.ts'
import { build, idsFromJson, type IdsParameter, idsParameter, type RowOf } from '../store/store.ts'
import { createRowView } from '../values.ts'

const showCredit = createRowView(Credit)
const showLine = createRowView(CreditLine)

export function readCredits(context: ServiceContext, ids: readonly number[]): Credit[] {
  const { store, directory } = context
  const linesOf = readLinesOf(context, ['credit_lines', 'credit_id'], ids, summarizeForRetailer)
  return store.rows(creditsByIds, idsParameter(ids)).map((row) => {
    const { order_id, purchase_order_number, rma_id, rma_number } = row
    return showCredit(row, {
      retailer: directory.getParty('retailer', row.retailer_id),
      brand: directory.getParty('brand', row.brand_id),
      currency: 'USD',
      order: { id: order_id, purchase_order_number, ordered_at: isoTime(row.ordered_at) },
      rma: { id: rma_id, rma_number, rmad_at: isoTime(row.rmad_at) },
      invoice: toInvoice(row),
      adjustments: JSON.parse(row.adjustments) as CreditAdjustment[],
      credit_lines: linesOf(row.id).map((line) => showLine(line, {})),
    })
  })
}

const creditsByIds = (p: IdsParameter) =>
  build
    .selectFrom('credits')
    .innerJoin('orders', 'orders.id', 'credits.order_id')
    .innerJoin('rmas', 'rmas.id', 'credits.rma_id')
    .leftJoin('invoices', 'invoices.id', 'credits.invoice_id')
    .selectAll('credits')
    .select(['orders.purchase_order_number', 'orders.ordered_at', 'rmas.rma_number', 'rmas.rmad_at'])
    .select(['invoices.invoice_number', 'invoices.invoiced_at'])
    .where('credits.id', 'in', idsFromJson(p.ids))
    .orderBy('credits.id')

/** Spec: "Not guaranteed to be tied to the credit." */
function toInvoice(row: RowOf<typeof creditsByIds>): Credit['invoice'] {
  const { invoice_id, invoice_number, invoiced_at } = row
  if (invoice_id === null || invoice_number === null || invoiced_at === null) return null
  return { id: invoice_id, invoice_number, invoiced_at: isoTime(invoiced_at) }
}
