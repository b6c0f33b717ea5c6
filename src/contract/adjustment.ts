/** Amounts on top of or off a subtotal. Spec: the shape of charges, allowances and adjustments is not shown. */
import { z } from 'zod'
import { money, text } from './fields.ts'

/** `amount` in US dollars, not negative; what it does to the total follows from the list it stands in. */
export const Adjustment = z.object({ type: text(64), description: text(255).nullable(), amount: money(6) })
export type Adjustment = z.infer<typeof Adjustment>
