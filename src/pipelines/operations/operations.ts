/** The rules of every inbound operation. The compiler asks for a row when the contract gets a new operation. */
import type { InboundOperationName } from '../../contract/operations.ts'
import { acknowledging, closeOrder, reopenOrder } from './acts.ts'
import { createCancel } from './create-cancel.ts'
import { createInvoice } from './create-invoice.ts'
import { createOrder } from './create-order.ts'
import { createShipment } from './create-shipment.ts'
import type { InboundRules } from './operation.ts'
import { createVariant, updateVariant } from './variants.ts'

export const INBOUND_RULES: Readonly<Record<InboundOperationName, InboundRules>> = {
  'create-order': createOrder,
  'create-cancel': createCancel,
  'acknowledge-order': acknowledging('order_id', 'getBrandOrder'),
  'create-shipment': createShipment,
  'close-order': closeOrder,
  'reopen-order': reopenOrder,
  'create-invoice': createInvoice,
  'create-variant': createVariant,
  'update-variant': updateVariant,
  'acknowledge-shipment': acknowledging('shipment_id', 'getShipment'),
  'acknowledge-invoice': acknowledging('invoice_id', 'getRetailerInvoice'),
  'acknowledge-cancel': acknowledging('cancel_id', 'getCancel'),
  'acknowledge-credit': acknowledging('credit_id', 'getCredit'),
  'acknowledge-return': acknowledging('return_id', 'getRma'),
  'acknowledge-variant': acknowledging('variant_id', 'getRetailerVariant'),
}
