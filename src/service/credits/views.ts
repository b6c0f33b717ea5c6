/** Credit memos as retailers see them. Spec: "Credit (credit memo)". */
import type { Credit, CreditAdjustment } from '../../contract/credit.ts'
import { isoTime } from '../../support/clock.ts'
import type { Directory } from '../directory.ts'
import { groupRows } from '../grouping.ts'
import { ITEM_COLUMNS, type ItemSummaries } from '../items/summaries.ts'
import { idsIn, type Store } from '../store/store.ts'
import { isoTimeOrNull } from '../times.ts'

/** Credits by their ids, in the order of the ids, with the same few queries for any number of them. */
export type CreditReader = (ids: readonly number[]) => Credit[]

export interface CreditReaderParts {
  readonly store: Store
  readonly directory: Directory
  readonly summaries: ItemSummaries
}

export function createCreditReader({ store, directory, summaries }: CreditReaderParts): CreditReader {
  const credits = prepareCredits(store)
  const creditLines = prepareLines(store)
  return (ids) => {
    const wanted = { ids: JSON.stringify(ids) }
    const lines = creditLines.all(wanted)
    const variantOf = summaries.retailer(lines)
    const linesOf = groupRows(lines, (line) => line.credit_id)
    return credits.all(wanted).map((row) => ({
      ...toCredit(row, directory),
      credit_lines: (linesOf.get(row.id) ?? []).map((line) => ({
        id: line.id,
        variant: variantOf(line),
        quantity: line.quantity,
        price: line.price,
      })),
    }))
  }
}

type CreditRow = ReturnType<ReturnType<typeof prepareCredits>['all']>[number]

function toCredit(row: CreditRow, directory: Directory) {
  return {
    id: row.id,
    retailer: directory.party('retailer', row.retailer_id),
    brand: directory.party('brand', row.brand_id),
    currency: 'USD',
    order: {
      id: row.order_id,
      purchase_order_number: row.purchase_order_number,
      ordered_at: isoTime(row.ordered_at),
    },
    rma: { id: row.rma_id, rma_number: row.rma_number, rmad_at: isoTime(row.rmad_at) },
    invoice: toInvoice(row),
    credit_number: row.credit_number,
    subtotal: row.subtotal,
    adjustments: JSON.parse(row.adjustments) as CreditAdjustment[],
    credit_amount: row.credit_amount,
    is_acknowledged: row.acknowledged_at !== null,
    credited_at: isoTime(row.credited_at),
    acknowledged_at: isoTimeOrNull(row.acknowledged_at),
  }
}

/** Spec: "Not guaranteed to be tied to the credit." */
function toInvoice({ invoice_id, invoice_number, invoiced_at }: CreditRow): Credit['invoice'] {
  if (invoice_id === null || invoice_number === null || invoiced_at === null) return null
  return { id: invoice_id, invoice_number, invoiced_at: isoTime(invoiced_at) }
}

function prepareCredits({ build, prepare }: Store) {
  return prepare((p: { ids: string }) =>
    build
      .selectFrom('credits')
      .innerJoin('orders', 'orders.id', 'credits.order_id')
      .innerJoin('rmas', 'rmas.id', 'credits.rma_id')
      .leftJoin('invoices', 'invoices.id', 'credits.invoice_id')
      .selectAll('credits')
      .select(['orders.purchase_order_number', 'orders.ordered_at', 'rmas.rma_number', 'rmas.rmad_at'])
      .select(['invoices.invoice_number', 'invoices.invoiced_at'])
      .where('credits.id', 'in', idsIn(p.ids))
      .orderBy('credits.id'),
  )
}

function prepareLines({ build, prepare }: Store) {
  return prepare((p: { ids: string }) =>
    build
      .selectFrom('credit_lines')
      .innerJoin('credits', 'credits.id', 'credit_lines.credit_id')
      .innerJoin('order_lines', 'order_lines.id', 'credit_lines.order_line_id')
      .innerJoin('variants', 'variants.id', 'order_lines.variant_id')
      .leftJoin('retailer_variants', (join) =>
        join
          .onRef('retailer_variants.variant_id', '=', 'variants.id')
          .onRef('retailer_variants.retailer_id', '=', 'credits.retailer_id'),
      )
      .select(['credit_lines.id', 'credit_lines.credit_id', 'credit_lines.quantity', 'credit_lines.price'])
      .select(ITEM_COLUMNS)
      .where('credit_lines.credit_id', 'in', idsIn(p.ids))
      .orderBy('credit_lines.id'),
  )
}
