/** Invoices. Spec: "Invoice", "Invoice create". */
import { z } from 'zod'
import { Address } from './address.ts'
import { boolean, date, dateTime, id, integer, money, numberText, text } from './fields.ts'
import { objectSchema } from './object-schema.ts'
import { PartySummary } from './order.ts'
import { BrandVariantSummary, oneLinePerItem, RetailerVariantSummary, VariantInput } from './variant.ts'

export const InvoiceLineInput = objectSchema({
  variant: VariantInput,
  quantity: integer(1),
  /** Price per unit, US dollars. Spec: the example shows a currency sign, accepted forms are not shown; none is sent. */
  net_price: money(8),
})

/**
 * The body that creates an invoice (brand context). Spec: one invoice per purchase order, after the order is
 * completely fulfilled and closed; terms_date_due is YYYY-MM-DD; one line per unique item.
 */
export const InvoiceCreate = objectSchema(
  {
    purchase_order_number: numberText(32),
    invoice_number: numberText(32),
    terms_net_days_due: integer(0),
    terms_date_due: date(),
    /** Spec: decimal (8,2), US dollars. */
    due_amount: money(6),
    invoice_lines: z.array(InvoiceLineInput).min(1),
  },
  oneLinePerItem('invoice_lines', 'id', 'identifier', 'upc'),
)
export type InvoiceCreate = z.infer<typeof InvoiceCreate>

const lineFields = { invoice_line_number: integer(1), quantity: integer(), price: money(8) }

// Spec: the shape of charges, allowances and adjustments is not shown.

/** `amount` in US dollars, not negative; its list decides whether it raises or lowers the total. */
export const Adjustment = z.object({ type: text(64), description: text(255).nullable(), amount: money(6) })

const invoiceFields = {
  id: id(),
  retailer: PartySummary,
  brand: PartySummary,
  currency: text(3),
  purchase_order_number: text(32),
  invoice_number: text(32),
  terms_net_days_due: integer().nullable(),
  terms_date_due: date().nullable(),
  terms_discount_percent: integer().nullable(),
  terms_discount_days: integer().nullable(),
  terms_discount_date_due: date().nullable(),
  remit_to: Address.nullable(),
  subtotal: money(6),
  charges: z.array(Adjustment),
  allowances: z.array(Adjustment),
  due_amount: money(6),
  is_acknowledged: boolean(),
  invoiced_at: dateTime(),
  acknowledged_at: dateTime().nullable(),
}

export const RetailerInvoice = z.object({
  ...invoiceFields,
  invoice_lines: z.array(z.object({ ...lineFields, variant: RetailerVariantSummary })),
})
export type RetailerInvoice = z.infer<typeof RetailerInvoice>

export const BrandInvoice = z.object({
  ...invoiceFields,
  invoice_lines: z.array(z.object({ ...lineFields, variant: BrandVariantSummary })),
})
export type BrandInvoice = z.infer<typeof BrandInvoice>

export type Adjustment = z.infer<typeof Adjustment>
