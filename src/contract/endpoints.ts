/** The table of API endpoints. The service serves exactly these, and the client calls exactly these. */
import { z } from 'zod'
import { Cancel, CancelCreate } from './cancel.ts'
import { CarrierWithMethods, Connection } from './carrier.ts'
import * as filters from './filters.ts'
import { BrandInvoice, InvoiceCreate, RetailerInvoice } from './invoice.ts'
import { BrandOrder, OrderCreate, PartySummary, RetailerOrder } from './order.ts'
import { Credit, Rma } from './return.ts'
import { BrandShipment, RetailerShipment, ShipmentCreate } from './shipment.ts'
import { BrandVariant, RetailerVariant, VariantCreate, VariantUpdate } from './variant.ts'

/** Spec: "Authentication". The body is form-encoded. */
export const TokenRequest = z.object({
  grant_type: z.literal('client_credentials'),
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
  /** `read`, `write` or both; everything the client may have when left out. Spec: not shown. */
  scope: z.string().optional(),
})

/** `expires_in`. Spec: unit not shown; seconds, as OAuth 2.0 has it. */
export const TokenAnswer = z.object({
  access_token: z.string().min(1),
  token_type: z.string(),
  expires_in: z.int().positive(),
  scope: z.string(),
})

/**
 * `one` answers a resource, `list` a page of them, `create` takes a body and answers the new resource, `update` takes
 * a body and answers the changed resource, `act` changes a resource without a body and answers it, `document` answers
 * a file.
 */
type EndpointKind = 'token' | 'one' | 'list' | 'create' | 'update' | 'act' | 'document'

export interface Endpoint {
  readonly kind: EndpointKind
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** Placeholders in braces; always with the trailing slash. */
  readonly path: string
  /** Whose id is in the path: it must belong to the caller's account. `admin` is for accounts of administrators. */
  readonly context: 'none' | 'account' | 'retailer' | 'brand' | 'admin'
  /** The status of success. Spec: not shown but for 201 on some creates; 200 and 201 are our choice. */
  readonly success: 200 | 201
  readonly request?: z.ZodType
  /** Of one resource; a document has none. */
  readonly response?: z.ZodType
  readonly filters?: filters.Filters
}

/** Makes the endpoints of one context, whose paths all begin alike. */
export function endpointsUnder<Context extends Endpoint['context']>(prefix: string, context: Context) {
  const at = (path: string) => ({ path: prefix + path, context, success: 200 }) as const
  return {
    one: <Out extends z.ZodType>(path: string, response: Out) =>
      ({ kind: 'one', method: 'GET', ...at(path), response }) as const,
    list: <Out extends z.ZodType>(path: string, response: Out, asked: filters.Filters = {}) =>
      ({ kind: 'list', method: 'GET', ...at(path), response, filters: asked }) as const,
    create: <In extends z.ZodType, Out extends z.ZodType>(path: string, request: In, response: Out) =>
      ({ kind: 'create', method: 'POST', ...at(path), success: 201, request, response }) as const,
    update: <In extends z.ZodType, Out extends z.ZodType>(path: string, request: In, response: Out) =>
      ({ kind: 'update', method: 'PATCH', ...at(path), request, response }) as const,
    act: <Out extends z.ZodType>(path: string, response: Out) =>
      ({ kind: 'act', method: 'PUT', ...at(path), response }) as const,
    /** Spec: "Generates and returns"; the format is not shown. */
    document: (path: string) => ({ kind: 'document', method: 'GET', ...at(path) }) as const,
  }
}

const account = endpointsUnder('/v1', 'account')
const retailer = endpointsUnder('/v1/retailers/{retailer_id}', 'retailer')
const brand = endpointsUnder('/v1/brands/{brand_id}', 'brand')

export const ENDPOINTS = {
  token: {
    kind: 'token',
    method: 'POST',
    path: '/auth/token/',
    context: 'none',
    success: 200,
    request: TokenRequest,
    response: TokenAnswer,
  },
  listRetailers: account.list('/retailers/', PartySummary),
  listBrands: account.list('/brands/', PartySummary),
  listCarriers: account.list('/carriers/', CarrierWithMethods),
  getCarrier: account.one('/carriers/{carrier_id}/', CarrierWithMethods),

  createOrder: retailer.create('/orders/', OrderCreate, RetailerOrder),
  listRetailerOrders: retailer.list('/orders/', RetailerOrder, filters.RETAILER_ORDER_FILTERS),
  getRetailerOrder: retailer.one('/orders/{id}/', RetailerOrder),
  createCancel: retailer.create('/cancels/', CancelCreate, Cancel),
  // what a retailer receives: it lists, reads and acknowledges
  listCancels: retailer.list('/cancels/', Cancel, filters.CANCEL_FILTERS),
  getCancel: retailer.one('/cancels/{id}/', Cancel),
  acknowledgeCancel: retailer.act('/cancels/{id}/acknowledge/', Cancel),
  listShipments: retailer.list('/shipments/', RetailerShipment, filters.SHIPMENT_FILTERS),
  getShipment: retailer.one('/shipments/{id}/', RetailerShipment),
  acknowledgeShipment: retailer.act('/shipments/{id}/acknowledge/', RetailerShipment),
  listRetailerInvoices: retailer.list('/invoices/', RetailerInvoice, filters.INVOICE_FILTERS),
  getRetailerInvoice: retailer.one('/invoices/{id}/', RetailerInvoice),
  acknowledgeInvoice: retailer.act('/invoices/{id}/acknowledge/', RetailerInvoice),
  listCredits: retailer.list('/credits/', Credit, filters.CREDIT_FILTERS),
  getCredit: retailer.one('/credits/{id}/', Credit),
  acknowledgeCredit: retailer.act('/credits/{id}/acknowledge/', Credit),
  listRmas: retailer.list('/rmas/', Rma, filters.RMA_FILTERS),
  getRma: retailer.one('/rmas/{id}/', Rma),
  acknowledgeRma: retailer.act('/rmas/{id}/acknowledge/', Rma),
  listRetailerVariants: retailer.list('/variants/', RetailerVariant, filters.RETAILER_VARIANT_FILTERS),
  getRetailerVariant: retailer.one('/variants/{id}/', RetailerVariant),
  updateRetailerVariant: retailer.update('/variants/{id}/', VariantUpdate, RetailerVariant),
  acknowledgeVariant: retailer.act('/variants/{id}/acknowledge/', RetailerVariant),
  listConnections: retailer.list('/connections/', Connection),
  getConnection: retailer.one('/connections/{id}/', Connection),

  listBrandOrders: brand.list('/orders/', BrandOrder, filters.BRAND_ORDER_FILTERS),
  getBrandOrder: brand.one('/orders/{id}/', BrandOrder),
  acknowledgeOrder: brand.act('/orders/{id}/acknowledge/', BrandOrder),
  closeOrder: brand.act('/orders/{id}/close/', BrandOrder),
  reopenOrder: brand.act('/orders/{id}/reopen/', BrandOrder),
  createShipment: brand.create('/shipments/', ShipmentCreate, BrandShipment),
  getPackingSlip: brand.document('/shipments/{id}/packing_slip/'),
  getShippingLabel: brand.document('/shipments/{id}/shipping_label/'),
  createInvoice: brand.create('/invoices/', InvoiceCreate, BrandInvoice),
  listBrandInvoices: brand.list('/invoices/', BrandInvoice, filters.INVOICE_FILTERS),
  getBrandInvoice: brand.one('/invoices/{id}/', BrandInvoice),
  createVariant: brand.create('/variants/', VariantCreate, BrandVariant),
  listBrandVariants: brand.list('/variants/', BrandVariant, filters.BRAND_VARIANT_FILTERS),
  getBrandVariant: brand.one('/variants/{id}/', BrandVariant),
  updateBrandVariant: brand.update('/variants/{id}/', VariantUpdate, BrandVariant),
} as const satisfies Record<string, Endpoint>

export type EndpointName = keyof typeof ENDPOINTS

export type DocumentName = {
  [Name in EndpointName]: (typeof ENDPOINTS)[Name]['kind'] extends 'document' ? Name : never
}[EndpointName]

/** The kinds of party that an account may act for. Spec: the two contexts. */
export type PartyKind = 'retailer' | 'brand'
