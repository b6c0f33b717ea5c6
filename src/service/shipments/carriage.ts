/** Who carries a shipment, by which method, on whose account. Spec: "Shipment create", modes A and B. */
import { isAbsent } from '../absent.ts'
import type { ShipmentCreate } from '../../contract/shipment.ts'
import type { Directory } from '../directory.ts'
import type { FieldErrors } from '../http/field-errors.ts'

export interface ShippedOrder {
  readonly id: number
  readonly retailer_id: number
  readonly brand_id: number
  readonly status: string
}

export interface Carriage {
  readonly carrierId: number
  readonly methodId: number
  /** The account on which the service makes the label; null when the label exists already. */
  readonly accountId: number | null
}

export interface CarriageFinding {
  readonly order: ShippedOrder
  readonly directory: Directory
  readonly errors: FieldErrors
}

/** Undefined when something is wrong; the errors say what. */
export function findCarriage(body: ShipmentCreate, finding: CarriageFinding): Carriage | undefined {
  return isAbsent(body.shipping_account_id)
    ? carriageOfLabel(body, finding)
    : carriageOfAccount(body, body.shipping_account_id, finding)
}

/** Mode A: the label exists; the method must be one of the carrier's. */
function carriageOfLabel(body: ShipmentCreate, { directory, errors }: CarriageFinding): Carriage | undefined {
  const carrier = directory.findCarrier(body.carrier_id ?? 0)
  if (carrier === undefined) {
    errors.add(['carrier_id'], `Carrier ${body.carrier_id} does not exist.`)
    return undefined
  }
  const method = directory.findMethod(body.shipping_method_id)
  if (method?.carrier.id !== carrier.id) {
    errors.add(
      ['shipping_method_id'],
      `Carrier ${carrier.id} has no shipping method ${body.shipping_method_id}.`,
    )
  }
  return {
    carrierId: carrier.id,
    methodId: body.shipping_method_id,
    accountId: null,
  }
}

/** Mode B: the account must be one of the order's, the method one of the account's. */
function carriageOfAccount(
  body: ShipmentCreate,
  accountId: number,
  { order, directory, errors }: CarriageFinding,
): Carriage | undefined {
  const accounts = directory.connection(order.retailer_id, order.brand_id)?.accounts ?? []
  const account = accounts.find(({ id }) => id === accountId)
  if (account === undefined) {
    errors.add(['shipping_account_id'], `Shipping account ${accountId} is not one of the order's.`)
    return undefined
  }
  if (!account.shipping_methods.some(({ id }) => id === body.shipping_method_id)) {
    errors.add(
      ['shipping_method_id'],
      `Shipping account ${accountId} has no shipping method ${body.shipping_method_id}.`,
    )
  }
  return { carrierId: account.carrier.id, methodId: body.shipping_method_id, accountId }
}
