/** Returns. Spec: "Return (RMA)". */
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
export type RmaLine = z.infer<typeof RmaLine>

/**
 * Retailer context. `total_amount` is US dollars at the prices the supplier is paid. `is_acknowledged`: the fields
 * leave it out, the acknowledgement pattern has it.
 */
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
