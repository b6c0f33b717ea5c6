/** Every endpoint of the service: those of the contract, and its administration, for which the spec has no call. */
import { Cancel } from '../contract/cancel.ts'
import { CarrierWithMethods, ShippingAccount } from '../contract/carrier.ts'
import { type Endpoint, type EndpointName, ENDPOINTS, endpointsUnder } from '../contract/endpoints.ts'
import { RetailerInvoice } from '../contract/invoice.ts'
import { RetailerOrder } from '../contract/order.ts'
import { Credit, Rma } from '../contract/return.ts'
import { RetailerShipment } from '../contract/shipment.ts'
import { BrandVariant } from '../contract/variant.ts'
import * as bodies from './admin/schemas.ts'
import type { Clock } from '../support/clock.ts'
import type { Store } from './store/store.ts'
import type { Switches } from './switches.ts'
import type { TradeDirectory } from './trade/directory.ts'

const admin = endpointsUnder('/admin', 'admin')

/** `{id}` in a path is a number, `{name}` any text. */
export const ADMIN_ENDPOINTS = {
  // actions of suppliers, carriers and consumers outside the API
  cancelForBrand: admin.create('/orders/{id}/cancels/', bodies.SupplierCancel, Cancel),
  changeOrder: admin.update('/orders/{id}/', bodies.OrderChange, RetailerOrder),
  pickUpShipment: admin.act('/shipments/{id}/pick-up/', RetailerShipment),
  deliverShipment: admin.act('/shipments/{id}/deliver/', RetailerShipment),
  createRma: admin.create('/orders/{id}/rmas/', bodies.RmaCreate, Rma),
  acceptRma: admin.act('/rmas/{id}/accept/', Rma),
  createCredit: admin.create('/rmas/{id}/credits/', bodies.CreditCreate, Credit),
  changeInvoice: admin.update('/invoices/{id}/', bodies.InvoiceChange, RetailerInvoice),
  changeStock: admin.update('/variants/{id}/stock/', bodies.StockChange, BrandVariant),

  // connections and clients
  listParties: admin.list('/parties/', bodies.Party),
  createParty: admin.create('/parties/', bodies.PartyCreate, bodies.NewParty),
  createClient: admin.create('/accounts/{id}/clients/', bodies.ClientCreate, bodies.NewClient),
  revokeClient: admin.act('/clients/{name}/revoke/', bodies.Client),
  createCarrier: admin.create('/carriers/', bodies.CarrierCreate, CarrierWithMethods),
  listConnectionTerms: admin.list('/connections/', bodies.ConnectionTerms),
  createConnection: admin.create('/connections/', bodies.ConnectionCreate, bodies.ConnectionTerms),
  changeConnection: admin.update('/connections/{id}/', bodies.ConnectionChange, bodies.ConnectionTerms),
  createShippingAccount: admin.create(
    '/connections/{id}/shipping-accounts/',
    bodies.ShippingAccountCreate,
    ShippingAccount,
  ),

  // the service itself
  getSwitches: admin.one('/switches/', bodies.SwitchPositions),
  turnSwitches: admin.update('/switches/', bodies.SwitchPositions.partial(), bodies.SwitchPositions),
  getCounts: admin.one('/counts/', bodies.Counts),
} as const satisfies Record<string, Endpoint>

export type AdminEndpointName = keyof typeof ADMIN_ENDPOINTS

export type ServedEndpointName = EndpointName | AdminEndpointName

export const SERVED_ENDPOINTS: Readonly<Record<ServedEndpointName, Endpoint>> = {
  ...ENDPOINTS,
  ...ADMIN_ENDPOINTS,
}

export const SERVED_ENDPOINT_NAMES = Object.keys(SERVED_ENDPOINTS) as readonly ServedEndpointName[]

const ENDPOINT_PATTERNS: readonly { readonly endpoint: Endpoint; readonly pattern: RegExp }[] =
  SERVED_ENDPOINT_NAMES.map((name) => ({
    endpoint: SERVED_ENDPOINTS[name],
    pattern: new RegExp(`^${SERVED_ENDPOINTS[name].path.replace(/\{\w+\}/g, '[^/]+')}$`),
  }))

/** Finds the endpoints of a path without its query, for all methods; none for an unknown path. */
export function findEndpointsByPath(path: string): readonly Endpoint[] {
  return ENDPOINT_PATTERNS.filter(({ pattern }) => pattern.test(path)).map(({ endpoint }) => endpoint)
}

// The dependencies of the rules of every resource.

export interface ServiceContext {
  readonly store: Store
  readonly directory: TradeDirectory
  /** Skewed where a switch says so. */
  readonly clock: Clock
  readonly switches: Switches
}
