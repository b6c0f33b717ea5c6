/** The table of endpoints. What is not in it does not exist: the service serves it, the client calls it. */
import { z } from 'zod'
import { Cancel, CancelCreate } from './cancel.ts'
import { CarrierWithMethods } from './carrier.ts'
import { BrandVariant, RetailerVariant, VariantCreate, VariantUpdate } from './catalog.ts'
import { Connection } from './connection.ts'
import { Credit } from './credit.ts'
import {
  BRAND_ORDER_FILTERS,
  BRAND_VARIANT_FILTERS,
  CANCEL_FILTERS,
  CREDIT_FILTERS,
  type Filters,
  INVOICE_FILTERS,
  RETAILER_ORDER_FILTERS,
  RETAILER_VARIANT_FILTERS,
  RMA_FILTERS,
  SHIPMENT_FILTERS,
} from './filters.ts'
import { BrandInvoice, InvoiceCreate, RetailerInvoice } from './invoice.ts'
import { BrandOrder, OrderCreate, PartySummary, RetailerOrder } from './order.ts'
import { Rma } from './rma.ts'
import { BrandShipment, RetailerShipment, ShipmentCreate } from './shipment.ts'

/** Spec: "Authentication". The body is form-encoded. */
export const TokenRequest = z.object({
  grant_type: z.literal('client_credentials'),
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
  /** `read`, `write` or both; all that the client may have when it is left out. Spec: not shown. */
  scope: z.string().optional(),
})
export type TokenRequest = z.infer<typeof TokenRequest>

/** `expires_in`. Spec: unit not shown; seconds, as OAuth 2.0 has it. */
export const TokenAnswer = z.object({
  access_token: z.string().min(1),
  token_type: z.string(),
  expires_in: z.int().positive(),
  scope: z.string(),
})
export type TokenAnswer = z.infer<typeof TokenAnswer>

/**
 * `one` answers a resource, `list` a page of them, `create` takes a body and answers the new resource, `update` takes
 * a body and answers the changed resource, `act` changes a resource without a body and answers it, `document` answers
 * a file.
 */
export type EndpointKind = 'token' | 'one' | 'list' | 'create' | 'update' | 'act' | 'document'

export interface Endpoint {
  readonly kind: EndpointKind
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** Placeholders in braces; always with the trailing slash. */
  readonly path: string
  /** Whose id is in the path; the id must belong to the caller's account. */
  readonly context: 'none' | 'account' | 'retailer' | 'brand'
  /** The status of success. Spec: not shown but for 201 on some creates; 200 and 201 are our choice. */
  readonly success: 200 | 201
  readonly request?: z.ZodType
  /** Of one resource; a document has none. */
  readonly response?: z.ZodType
  readonly filters?: Filters
}

type Owner = Endpoint['context']

const one = <Response extends z.ZodType>(path: string, context: Owner, response: Response) =>
  ({ kind: 'one', method: 'GET', path, context, success: 200, response }) as const

const list = <Response extends z.ZodType, Known extends Filters>(
  path: string,
  context: Owner,
  { response, filters }: { response: Response; filters: Known },
) => ({ kind: 'list', method: 'GET', path, context, success: 200, response, filters }) as const

interface Exchange<Request extends z.ZodType, Response extends z.ZodType> {
  readonly request: Request
  readonly response: Response
}

const create = <Request extends z.ZodType, Response extends z.ZodType>(
  path: string,
  context: Owner,
  { request, response }: Exchange<Request, Response>,
) => ({ kind: 'create', method: 'POST', path, context, success: 201, request, response }) as const

const update = <Request extends z.ZodType, Response extends z.ZodType>(
  path: string,
  context: Owner,
  { request, response }: Exchange<Request, Response>,
) => ({ kind: 'update', method: 'PATCH', path, context, success: 200, request, response }) as const

const act = <Response extends z.ZodType>(path: string, context: Owner, response: Response) =>
  ({ kind: 'act', method: 'PUT', path, context, success: 200, response }) as const

/** Spec: "Generates and returns"; the format is not shown. */
const document = (path: string, context: Owner) =>
  ({ kind: 'document', method: 'GET', path, context, success: 200 }) as const

const retailer = '/v1/retailers/{retailer_id}'
const brand = '/v1/brands/{brand_id}'

const ACCOUNT_ENDPOINTS = {
  token: {
    kind: 'token',
    method: 'POST',
    path: '/auth/token/',
    context: 'none',
    success: 200,
    request: TokenRequest,
    response: TokenAnswer,
  },
  listRetailers: list('/v1/retailers/', 'account', { response: PartySummary, filters: {} }),
  listBrands: list('/v1/brands/', 'account', { response: PartySummary, filters: {} }),
  listCarriers: list('/v1/carriers/', 'account', { response: CarrierWithMethods, filters: {} }),
  getCarrier: one('/v1/carriers/{carrier_id}/', 'account', CarrierWithMethods),
} as const satisfies Record<string, Endpoint>

/** What a retailer receives: to be listed, read and acknowledged. */
const RETAILER_RECEIPTS = {
  listCancels: list(`${retailer}/cancels/`, 'retailer', { response: Cancel, filters: CANCEL_FILTERS }),
  getCancel: one(`${retailer}/cancels/{id}/`, 'retailer', Cancel),
  acknowledgeCancel: act(`${retailer}/cancels/{id}/acknowledge/`, 'retailer', Cancel),
  listShipments: list(`${retailer}/shipments/`, 'retailer', {
    response: RetailerShipment,
    filters: SHIPMENT_FILTERS,
  }),
  getShipment: one(`${retailer}/shipments/{id}/`, 'retailer', RetailerShipment),
  acknowledgeShipment: act(`${retailer}/shipments/{id}/acknowledge/`, 'retailer', RetailerShipment),
  listRetailerInvoices: list(`${retailer}/invoices/`, 'retailer', {
    response: RetailerInvoice,
    filters: INVOICE_FILTERS,
  }),
  getRetailerInvoice: one(`${retailer}/invoices/{id}/`, 'retailer', RetailerInvoice),
  acknowledgeInvoice: act(`${retailer}/invoices/{id}/acknowledge/`, 'retailer', RetailerInvoice),
  listCredits: list(`${retailer}/credits/`, 'retailer', { response: Credit, filters: CREDIT_FILTERS }),
  getCredit: one(`${retailer}/credits/{id}/`, 'retailer', Credit),
  acknowledgeCredit: act(`${retailer}/credits/{id}/acknowledge/`, 'retailer', Credit),
  listRmas: list(`${retailer}/rmas/`, 'retailer', { response: Rma, filters: RMA_FILTERS }),
  getRma: one(`${retailer}/rmas/{id}/`, 'retailer', Rma),
  acknowledgeRma: act(`${retailer}/rmas/{id}/acknowledge/`, 'retailer', Rma),
} as const satisfies Record<string, Endpoint>

const RETAILER_ENDPOINTS = {
  createOrder: create(`${retailer}/orders/`, 'retailer', { request: OrderCreate, response: RetailerOrder }),
  listRetailerOrders: list(`${retailer}/orders/`, 'retailer', {
    response: RetailerOrder,
    filters: RETAILER_ORDER_FILTERS,
  }),
  getRetailerOrder: one(`${retailer}/orders/{id}/`, 'retailer', RetailerOrder),
  createCancel: create(`${retailer}/cancels/`, 'retailer', { request: CancelCreate, response: Cancel }),
  ...RETAILER_RECEIPTS,
  listRetailerVariants: list(`${retailer}/variants/`, 'retailer', {
    response: RetailerVariant,
    filters: RETAILER_VARIANT_FILTERS,
  }),
  getRetailerVariant: one(`${retailer}/variants/{id}/`, 'retailer', RetailerVariant),
  updateRetailerVariant: update(`${retailer}/variants/{id}/`, 'retailer', {
    request: VariantUpdate,
    response: RetailerVariant,
  }),
  acknowledgeVariant: act(`${retailer}/variants/{id}/acknowledge/`, 'retailer', RetailerVariant),
  listConnections: list(`${retailer}/connections/`, 'retailer', { response: Connection, filters: {} }),
  getConnection: one(`${retailer}/connections/{id}/`, 'retailer', Connection),
} as const satisfies Record<string, Endpoint>

const BRAND_ENDPOINTS = {
  listBrandOrders: list(`${brand}/orders/`, 'brand', { response: BrandOrder, filters: BRAND_ORDER_FILTERS }),
  getBrandOrder: one(`${brand}/orders/{id}/`, 'brand', BrandOrder),
  acknowledgeOrder: act(`${brand}/orders/{id}/acknowledge/`, 'brand', BrandOrder),
  closeOrder: act(`${brand}/orders/{id}/close/`, 'brand', BrandOrder),
  reopenOrder: act(`${brand}/orders/{id}/reopen/`, 'brand', BrandOrder),
  createShipment: create(`${brand}/shipments/`, 'brand', {
    request: ShipmentCreate,
    response: BrandShipment,
  }),
  getPackingSlip: document(`${brand}/shipments/{id}/packing_slip/`, 'brand'),
  getShippingLabel: document(`${brand}/shipments/{id}/shipping_label/`, 'brand'),
  createInvoice: create(`${brand}/invoices/`, 'brand', { request: InvoiceCreate, response: BrandInvoice }),
  listBrandInvoices: list(`${brand}/invoices/`, 'brand', {
    response: BrandInvoice,
    filters: INVOICE_FILTERS,
  }),
  getBrandInvoice: one(`${brand}/invoices/{id}/`, 'brand', BrandInvoice),
  createVariant: create(`${brand}/variants/`, 'brand', { request: VariantCreate, response: BrandVariant }),
  listBrandVariants: list(`${brand}/variants/`, 'brand', {
    response: BrandVariant,
    filters: BRAND_VARIANT_FILTERS,
  }),
  getBrandVariant: one(`${brand}/variants/{id}/`, 'brand', BrandVariant),
  updateBrandVariant: update(`${brand}/variants/{id}/`, 'brand', {
    request: VariantUpdate,
    response: BrandVariant,
  }),
} as const satisfies Record<string, Endpoint>

export const ENDPOINTS = {
  ...ACCOUNT_ENDPOINTS,
  ...RETAILER_ENDPOINTS,
  ...BRAND_ENDPOINTS,
} as const satisfies Record<string, Endpoint>

export type EndpointName = keyof typeof ENDPOINTS

/** Those that answer a file. */
export type DocumentName = {
  [Name in EndpointName]: (typeof ENDPOINTS)[Name]['kind'] extends 'document' ? Name : never
}[EndpointName]
