/** Bodies of calls that have none on the wire: they only name the resource that is acted on. */
import { id, reference } from './fields.ts'
import { model } from './model.ts'

/** Acknowledging, closing and reopening an order (brand context). */
export const OnOrder = model({ order_id: reference('order') })

// Acknowledging what a retailer receives.
export const OnShipment = model({ shipment_id: reference('shipment') })
export const OnInvoice = model({ invoice_id: reference('invoice') })
export const OnCredit = model({ credit_id: reference('credit') })
export const OnReturn = model({ return_id: reference('return') })
export const OnVariant = model({ variant_id: reference('variant') })

/** A cancel has no number of its own: files name it by the id they got it with. */
export const OnCancel = model({ cancel_id: id() })
