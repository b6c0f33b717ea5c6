/** What a route can do, in terms of the endpoints. */
import { INBOUND, type InboundOperation } from './inbound-operations.ts'
import { type OutboundOperation, RECEIVED, REPORTED } from './outbound-operations.ts'
import type { PartyKind } from './party.ts'

export const OPERATIONS = { ...INBOUND, ...RECEIVED, ...REPORTED } as const

export type OperationName = keyof typeof OPERATIONS
export type InboundOperationName = keyof typeof INBOUND
export type OutboundOperationName = keyof typeof RECEIVED | keyof typeof REPORTED
/** Those whose records are acknowledged. */
export type ReceivedOperationName = keyof typeof RECEIVED

/** The parties that may do it. */
export function partiesOf(name: OperationName): readonly PartyKind[] {
  const operation: InboundOperation | OutboundOperation = OPERATIONS[name]
  return operation.direction === 'outbound'
    ? operation.parties
    : (['retailer', 'brand'] as const).filter((party) => operation.endpoints[party] !== undefined)
}

export function isReceived(name: OperationName): name is ReceivedOperationName {
  return Object.hasOwn(RECEIVED, name)
}
