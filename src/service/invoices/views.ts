/** Invoices as both parties see them. Spec: "Invoice". */
import type { Invoice } from '../../contract/invoice.ts'
import { isoTime } from '../../support/clock.ts'
import type { Directory } from '../directory.ts'
import { groupRows } from '../grouping.ts'
import { ITEM_COLUMNS, type ItemRow, toVariantSummary } from '../items.ts'
import { isoTimeOrNull } from '../orders/views.ts'
import { idsIn, type Prepared, type Store } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'

/** Invoices by their ids, in the order of the ids, with the same few queries for any number of them. */
export type ReadInvoices = (ids: readonly number[]) => Invoice[]

export function createInvoiceReader(store: Store, directory: Directory): ReadInvoices {
  const invoices = prepareInvoices(store)
  const invoiceLines = prepareLines(store)
  return (ids) => {
    const named = { ids: JSON.stringify(ids) }
    const lines = groupRows(invoiceLines.all(named), (line) => line.invoice_id)
    return invoices.all(named).map((row) => toInvoice(row, lines.get(row.id) ?? [], directory))
  }
}

type InvoiceRow = Omit<Tables['invoices'], 'id' | 'is_acknowledged'> & { readonly id: number }

interface LineRow extends ItemRow {
  readonly invoice_id: number
  readonly number: number
  readonly quantity: number
  readonly net_price: string
}

/** The ids of the wanted invoices as JSON text. */
interface Wanted {
  readonly ids: string
}

function prepareInvoices({ build, prepare }: Store): Prepared<Wanted, InvoiceRow> {
  return prepare((p) =>
    build.selectFrom('invoices').selectAll().where('id', 'in', idsIn(p.ids)).orderBy('id'),
  )
}

function prepareLines({ build, prepare }: Store): Prepared<Wanted, LineRow> {
  return prepare((p) =>
    build
      .selectFrom('invoice_lines')
      .innerJoin('invoices', 'invoices.id', 'invoice_lines.invoice_id')
      .innerJoin('order_lines', 'order_lines.id', 'invoice_lines.order_line_id')
      .innerJoin('variants', 'variants.id', 'order_lines.variant_id')
      .leftJoin('retailer_items', (join) =>
        join
          .onRef('retailer_items.variant_id', '=', 'variants.id')
          .onRef('retailer_items.retailer_id', '=', 'invoices.retailer_id'),
      )
      .select(['invoice_lines.invoice_id', 'invoice_lines.number', 'invoice_lines.quantity'])
      .select('invoice_lines.net_price')
      .select(ITEM_COLUMNS)
      .where('invoice_lines.invoice_id', 'in', idsIn(p.ids))
      .orderBy('invoice_lines.id'),
  )
}

/** Discounts, charges and allowances cannot be given on create, so none are shown; nor is there an address to pay to. */
function toInvoice(row: InvoiceRow, lines: readonly LineRow[], directory: Directory): Invoice {
  const brand = directory.party('brand', row.brand_id)
  return {
    id: row.id,
    retailer: directory.party('retailer', row.retailer_id),
    brand,
    currency: 'USD',
    purchase_order_number: row.purchase_order_number,
    invoice_number: row.invoice_number,
    terms_net_days_due: row.terms_net_days_due,
    terms_date_due: row.terms_date_due,
    terms_discount_percent: null,
    terms_discount_days: null,
    terms_discount_date_due: null,
    remit_to: null,
    subtotal: row.subtotal,
    charges: [],
    allowances: [],
    due_amount: row.due_amount,
    is_acknowledged: row.acknowledged_at !== null,
    invoiced_at: isoTime(row.invoiced_at),
    acknowledged_at: isoTimeOrNull(row.acknowledged_at),
    invoice_lines: lines.map((line) => ({
      invoice_line_number: line.number,
      variant: toVariantSummary(line, brand.name),
      quantity: line.quantity,
      price: line.net_price,
    })),
  }
}
