/** Invoices, returns and credits. Amounts are text with two decimals; adjustments are JSON text. */
import type { Generated, GeneratedAlways } from 'kysely'

export interface MoneyTables {
  invoices: InvoiceTable
  invoice_lines: {
    id: Generated<number>
    invoice_id: number
    order_line_id: number
    number: number
    quantity: number
    net_price: string
  }
  rmas: RmaTable
  rma_lines: { id: Generated<number>; rma_id: number; order_line_id: number; quantity: number }
  credits: CreditTable
  credit_lines: {
    id: Generated<number>
    credit_id: number
    order_line_id: number
    quantity: number
    price: string
  }
}

interface InvoiceTable {
  id: Generated<number>
  order_id: number
  retailer_id: number
  brand_id: number
  purchase_order_number: string
  invoice_number: string
  terms_net_days_due: number
  terms_date_due: string
  terms_discount_percent: number | null
  terms_discount_days: number | null
  terms_discount_date_due: string | null
  remit_to_id: number | null
  subtotal: string
  charges: string
  allowances: string
  due_amount: string
  invoiced_at: number
  acknowledged_at: number | null
  is_acknowledged: GeneratedAlways<number>
}

interface RmaTable {
  id: Generated<number>
  order_id: number
  retailer_id: number
  brand_id: number
  created_by: 'brand' | 'retailer'
  rma_number: string | null
  reason: string
  status: 'Pending' | 'Accepted'
  total_amount: string
  received_at: number
  rmad_at: number
  acknowledged_at: number | null
  is_acknowledged: GeneratedAlways<number>
}

interface CreditTable {
  id: Generated<number>
  rma_id: number
  order_id: number
  retailer_id: number
  brand_id: number
  invoice_id: number | null
  credit_number: string
  subtotal: string
  adjustments: string
  credit_amount: string
  credited_at: number
  acknowledged_at: number | null
  is_acknowledged: GeneratedAlways<number>
}
