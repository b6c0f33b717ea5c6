/** Returns and the credit memos issued for them. Spec: "Return (RMA)", "Credit (credit memo)". */
import { z } from 'zod'
import { boolean, choice, dateTime, id, integer, money, text } from './fields.ts'
import { PartySummary, RetailerOrderLine } from './order.ts'
import { RetailerVariantSummary } from './variant.ts'

export const RMA_REASONS = [
  'Delivery problem (customer refused or undeliverable)',
  'Item was damaged or defective',
  'Item did not meet customer expectations',
  'Customer Disposition',
] as const

/** `order_line` is the original line with its pricing. */
export const RmaLine = z.object({
  id: id(),
  variant: RetailerVariantSummary,
  quantity: integer(),
  order_line: RetailerOrderLine,
})

/** Retailer context. `total_amount`: at the prices the supplier is paid. The fields leave `is_acknowledged` out. */
export const Rma = z.object({
  id: id(),
  retailer: PartySummary,
  brand: PartySummary,
  created_by: choice('brand', 'retailer'),
  purchase_order_number: text(32),
  ordered_at: dateTime(),
  received_at: dateTime(),
  rmad_at: dateTime(),
  is_acknowledged: boolean(),
  acknowledged_at: dateTime().nullable(),
  rma_number: text(32).nullable(),
  reason: choice(...RMA_REASONS),
  status: choice('Pending', 'Accepted'),
  total_amount: money(8),
  rma_lines: z.array(RmaLine),
  attachments: z.array(z.unknown()),
  memos: z.array(z.unknown()),
})
export type Rma = z.infer<typeof Rma>

/** An amount that modifies a credit; below zero when less is paid back. Spec: the shape is not shown. */
export const CreditAdjustment = z.object({
  type: text(64),
  description: text(255).nullable(),
  amount: z.string().regex(/^-?\d{1,6}\.\d{2}$/, 'must be a decimal with two decimals, such as -12.50'),
})
export type CreditAdjustment = z.infer<typeof CreditAdjustment>

export const CreditLine = z.object({
  id: id(),
  variant: RetailerVariantSummary,
  quantity: integer(),
  price: money(8),
})

/** Retailer context. */
export const Credit = z.object({
  id: id(),
  retailer: PartySummary,
  brand: PartySummary,
  currency: text(3),
  order: z.object({ id: id(), purchase_order_number: text(32), ordered_at: dateTime() }),
  rma: z.object({ id: id(), rma_number: text(32).nullable(), rmad_at: dateTime() }),
  invoice: z.object({ id: id(), invoice_number: text(32), invoiced_at: dateTime() }).nullable(),
  credit_number: text(32),
  subtotal: money(6),
  adjustments: z.array(CreditAdjustment),
  credit_amount: money(6),
  is_acknowledged: boolean(),
  credited_at: dateTime(),
  acknowledged_at: dateTime().nullable(),
  credit_lines: z.array(CreditLine),
})
export type Credit = z.infer<typeof Credit>
