/** The rules of every inbound operation. The compiler asks for a row when the contract gets a new operation. */
import type { InboundOperationName } from '../../contract/operations.ts'
import { createInvoice } from './create-invoice.ts'
import { createOrder } from './create-order.ts'
import { createShipment } from './create-shipment.ts'
import type { InboundRules } from './operation.ts'

export const INBOUND_RULES = {
  'create-order': createOrder,
  'create-shipment': createShipment,
  'create-invoice': createInvoice,
} as const satisfies Record<InboundOperationName, InboundRules>
