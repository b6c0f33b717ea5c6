/** Invoices as both parties see them. Spec: "Invoice". */
import type { Adjustment } from '../../contract/adjustment.ts'
import type { BrandInvoice, RetailerInvoice } from '../../contract/invoice.ts'
import { isoTime } from '../../support/clock.ts'
import { toAddressOrNull } from '../addresses.ts'
import type { Directory } from '../directory.ts'
import { groupRows } from '../grouping.ts'
import { ITEM_COLUMNS, type ItemRow, type ItemSummaries } from '../items/summaries.ts'
import { idsIn, type Prepared, type Store } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'
import { isoTimeOrNull } from '../times.ts'

/** Invoices by their ids, in the order of the ids, with the same few queries for any number of them. */
export interface InvoiceReader {
  readonly retailer: (ids: readonly number[]) => RetailerInvoice[]
  readonly brand: (ids: readonly number[]) => BrandInvoice[]
}

export interface InvoiceReaderParts {
  readonly store: Store
  readonly directory: Directory
  readonly summaries: ItemSummaries
}

export function createInvoiceReader({ store, directory, summaries }: InvoiceReaderParts): InvoiceReader {
  const invoices = prepareInvoices(store)
  const invoiceLines = prepareLines(store)

  function read<Variant>(
    ids: readonly number[],
    summarise: (rows: readonly ItemRow[]) => (row: ItemRow) => Variant,
  ) {
    const wanted = { ids: JSON.stringify(ids) }
    const lines = invoiceLines.all(wanted)
    const variantOf = summarise(lines)
    const linesOf = groupRows(lines, (line) => line.invoice_id)
    return invoices.all(wanted).map((row) => ({
      ...toInvoice(row, directory),
      invoice_lines: (linesOf.get(row.id) ?? []).map((line) => ({
        invoice_line_number: line.number,
        variant: variantOf(line),
        quantity: line.quantity,
        price: line.net_price,
      })),
    }))
  }

  return {
    retailer: (ids) => read(ids, summaries.retailer),
    brand: (ids) => read(ids, summaries.brand),
  }
}

type InvoiceRow = Omit<Tables['invoices'], 'id' | 'is_acknowledged'> & {
  readonly id: number
  readonly remit_to: string | null
}

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
    build
      .selectFrom('invoices')
      .leftJoin('addresses', 'addresses.id', 'invoices.remit_to_id')
      .selectAll('invoices')
      .select('addresses.body as remit_to')
      .where('invoices.id', 'in', idsIn(p.ids))
      .orderBy('invoices.id'),
  )
}

function prepareLines({ build, prepare }: Store): Prepared<Wanted, LineRow> {
  return prepare((p) =>
    build
      .selectFrom('invoice_lines')
      .innerJoin('invoices', 'invoices.id', 'invoice_lines.invoice_id')
      .innerJoin('order_lines', 'order_lines.id', 'invoice_lines.order_line_id')
      .innerJoin('variants', 'variants.id', 'order_lines.variant_id')
      .leftJoin('retailer_variants', (join) =>
        join
          .onRef('retailer_variants.variant_id', '=', 'variants.id')
          .onRef('retailer_variants.retailer_id', '=', 'invoices.retailer_id'),
      )
      .select(['invoice_lines.invoice_id', 'invoice_lines.number', 'invoice_lines.quantity'])
      .select('invoice_lines.net_price')
      .select(ITEM_COLUMNS)
      .where('invoice_lines.invoice_id', 'in', idsIn(p.ids))
      .orderBy('invoice_lines.id'),
  )
}

function toInvoice(row: InvoiceRow, directory: Directory) {
  return {
    id: row.id,
    retailer: directory.party('retailer', row.retailer_id),
    brand: directory.party('brand', row.brand_id),
    currency: 'USD',
    purchase_order_number: row.purchase_order_number,
    invoice_number: row.invoice_number,
    terms_net_days_due: row.terms_net_days_due,
    terms_date_due: row.terms_date_due,
    terms_discount_percent: row.terms_discount_percent,
    terms_discount_days: row.terms_discount_days,
    terms_discount_date_due: row.terms_discount_date_due,
    remit_to: toAddressOrNull(row.remit_to_id, row.remit_to),
    subtotal: row.subtotal,
    charges: JSON.parse(row.charges) as Adjustment[],
    allowances: JSON.parse(row.allowances) as Adjustment[],
    due_amount: row.due_amount,
    is_acknowledged: row.acknowledged_at !== null,
    invoiced_at: isoTime(row.invoiced_at),
    acknowledged_at: isoTimeOrNull(row.acknowledged_at),
  }
}
