/** Cancels. Spec: "Cancel", "Cancel create". */
import { z } from 'zod'
import { boolean, dateTime, id, integer, reference, text } from './fields.ts'
import { objectSchema } from './object-schema.ts'
import { oneLinePerItem, RetailerVariantSummary, VariantInput } from './variant.ts'

/** Spec: "Reason ids". */
export const CANCEL_REASONS = {
  1: 'Retailer Requested Cancellation',
  2: 'Not Enough Inventory',
  3: "Can't Meet Fulfillment Deadline",
  4: 'Product Listing and/or Pricing Error',
  5: 'Unfulfillable Address',
} as const

export const CancelLineInput = objectSchema({ variant: VariantInput, quantity: integer(1) })

/** Cancels an order or a part of it (retailer). Spec: before the supplier acknowledges it; one line per unique item. */
export const CancelCreate = objectSchema(
  { order_id: reference('order'), reason_id: integer(1, 5), cancel_lines: z.array(CancelLineInput).min(1) },
  oneLinePerItem('cancel_lines', 'id', 'identifier', 'upc'),
)
export type CancelCreate = z.infer<typeof CancelCreate>

export const CancelLine = z.object({ id: id(), variant: RetailerVariantSummary, quantity: integer() })

/** Retailer context. `is_acknowledged`: the fields leave it out, the acknowledgement pattern has it. */
export const Cancel = z.object({
  id: id(),
  order_id: id(),
  reason: text(256),
  canceled_at: dateTime(),
  is_acknowledged: boolean(),
  acknowledged_at: dateTime().nullable(),
  cancel_lines: z.array(CancelLine),
})
export type Cancel = z.infer<typeof Cancel>
