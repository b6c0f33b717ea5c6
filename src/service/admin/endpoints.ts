/**
 * The administration path: what a running service needs and the spec has no call for. Only callers whose account is
 * an administrator's get in.
 */
import type { z } from 'zod'
import { Cancel } from '../../contract/cancel.ts'
import { CarrierWithMethods, ShippingAccount } from '../../contract/carrier.ts'
import { BrandVariant } from '../../contract/catalog.ts'
import { Credit } from '../../contract/credit.ts'
import type { Endpoint } from '../../contract/endpoints.ts'
import { RetailerInvoice } from '../../contract/invoice.ts'
import { RetailerOrder } from '../../contract/order.ts'
import { Rma } from '../../contract/rma.ts'
import { RetailerShipment } from '../../contract/shipment.ts'
import {
  CarrierCreate,
  ClientCreate,
  ConnectionChange,
  ConnectionCreate,
  CreditCreate,
  InvoiceChange,
  OrderChange,
  PartyCreate,
  RmaCreate,
  ShippingAccountCreate,
  StockChange,
  SupplierCancel,
} from './bodies.ts'
import { Client, ConnectionTerms, Counts, NewClient, NewParty, Party, SwitchPositions } from './shown.ts'

/** `{id}` in a path is a number, `{name}` any text. */
export interface AdminEndpoint extends Omit<Endpoint, 'context'> {
  readonly context: 'admin'
}

interface Exchange<Request extends z.ZodType, Response extends z.ZodType> {
  readonly request: Request
  readonly response: Response
}

const one = <Response extends z.ZodType>(path: string, response: Response) =>
  ({ kind: 'one', method: 'GET', path, context: 'admin', success: 200, response }) as const

const list = <Response extends z.ZodType>(path: string, response: Response) =>
  ({ kind: 'list', method: 'GET', path, context: 'admin', success: 200, response, filters: {} }) as const

const create = <Request extends z.ZodType, Response extends z.ZodType>(
  path: string,
  { request, response }: Exchange<Request, Response>,
) => ({ kind: 'create', method: 'POST', path, context: 'admin', success: 201, request, response }) as const

const update = <Request extends z.ZodType, Response extends z.ZodType>(
  path: string,
  { request, response }: Exchange<Request, Response>,
) => ({ kind: 'update', method: 'PATCH', path, context: 'admin', success: 200, request, response }) as const

const act = <Response extends z.ZodType>(path: string, response: Response) =>
  ({ kind: 'act', method: 'PUT', path, context: 'admin', success: 200, response }) as const

/** What suppliers, carriers and consumers do outside the API. */
const RESOURCE_ENDPOINTS = {
  cancelForBrand: create('/admin/orders/{id}/cancels/', { request: SupplierCancel, response: Cancel }),
  changeOrder: update('/admin/orders/{id}/', { request: OrderChange, response: RetailerOrder }),
  pickUpShipment: act('/admin/shipments/{id}/pick-up/', RetailerShipment),
  deliverShipment: act('/admin/shipments/{id}/deliver/', RetailerShipment),
  createRma: create('/admin/orders/{id}/rmas/', { request: RmaCreate, response: Rma }),
  acceptRma: act('/admin/rmas/{id}/accept/', Rma),
  createCredit: create('/admin/rmas/{id}/credits/', { request: CreditCreate, response: Credit }),
  changeInvoice: update('/admin/invoices/{id}/', { request: InvoiceChange, response: RetailerInvoice }),
  changeStock: update('/admin/variants/{id}/stock/', { request: StockChange, response: BrandVariant }),
} as const satisfies Record<string, AdminEndpoint>

/** Who trades with whom, and who may log in. */
const TRADE_ENDPOINTS = {
  listParties: list('/admin/parties/', Party),
  createParty: create('/admin/parties/', { request: PartyCreate, response: NewParty }),
  createClient: create('/admin/accounts/{id}/clients/', { request: ClientCreate, response: NewClient }),
  revokeClient: act('/admin/clients/{name}/revoke/', Client),
  createCarrier: create('/admin/carriers/', { request: CarrierCreate, response: CarrierWithMethods }),
  listConnectionTerms: list('/admin/connections/', ConnectionTerms),
  createConnection: create('/admin/connections/', { request: ConnectionCreate, response: ConnectionTerms }),
  changeConnection: update('/admin/connections/{id}/', {
    request: ConnectionChange,
    response: ConnectionTerms,
  }),
  createShippingAccount: create('/admin/connections/{id}/shipping-accounts/', {
    request: ShippingAccountCreate,
    response: ShippingAccount,
  }),
} as const satisfies Record<string, AdminEndpoint>

/** The service itself. */
const SERVICE_ENDPOINTS = {
  getSwitches: one('/admin/switches/', SwitchPositions),
  turnSwitches: update('/admin/switches/', { request: SwitchPositions.partial(), response: SwitchPositions }),
  getCounts: one('/admin/counts/', Counts),
} as const satisfies Record<string, AdminEndpoint>

export const ADMIN_ENDPOINTS = {
  ...RESOURCE_ENDPOINTS,
  ...TRADE_ENDPOINTS,
  ...SERVICE_ENDPOINTS,
} as const satisfies Record<string, AdminEndpoint>

export type AdminEndpointName = keyof typeof ADMIN_ENDPOINTS
