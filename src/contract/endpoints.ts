/** The table of endpoints. What is not in it does not exist: the service serves it, the client calls it. */
import { z } from 'zod'
import {
  BRAND_ORDER_FILTERS,
  type Filters,
  INVOICE_FILTERS,
  RETAILER_ORDER_FILTERS,
  SHIPMENT_FILTERS,
} from './filters.ts'
import { Invoice, InvoiceCreate } from './invoice.ts'
import { Order, OrderCreate, PartySummary } from './order.ts'
import { Shipment, ShipmentCreate } from './shipment.ts'

/** Spec: "Authentication". The body is form-encoded. */
export const TokenRequest = z.object({
  grant_type: z.literal('client_credentials'),
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
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
 * `one` answers a resource, `list` a page of them, `create` takes a body and answers the new resource, `act` changes
 * a resource without a body and answers it.
 */
export type EndpointKind = 'token' | 'one' | 'list' | 'create' | 'act'

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
  readonly response: z.ZodType
  readonly filters?: Filters
}

const retailer = '/v1/retailers/{retailer_id}'
const brand = '/v1/brands/{brand_id}'

type Answers = { readonly response: z.ZodType }

const one = (path: string, context: Endpoint['context'], { response }: Answers) =>
  ({ kind: 'one', method: 'GET', path, context, success: 200, response }) as const satisfies Endpoint

const list = (
  path: string,
  context: Endpoint['context'],
  { response, filters }: Answers & { filters: Filters },
) =>
  ({
    kind: 'list',
    method: 'GET',
    path,
    context,
    success: 200,
    response,
    filters,
  }) as const satisfies Endpoint

const create = (
  path: string,
  context: Endpoint['context'],
  { request, response }: Answers & { request: z.ZodType },
) =>
  ({
    kind: 'create',
    method: 'POST',
    path,
    context,
    success: 201,
    request,
    response,
  }) as const satisfies Endpoint

const act = (path: string, context: Endpoint['context'], { response }: Answers) =>
  ({ kind: 'act', method: 'PUT', path, context, success: 200, response }) as const satisfies Endpoint

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

  listRetailers: list('/v1/retailers/', 'account', { response: PartySummary, filters: {} }),
  createOrder: create(`${retailer}/orders/`, 'retailer', { request: OrderCreate, response: Order }),
  listRetailerOrders: list(`${retailer}/orders/`, 'retailer', {
    response: Order,
    filters: RETAILER_ORDER_FILTERS,
  }),
  getRetailerOrder: one(`${retailer}/orders/{id}/`, 'retailer', { response: Order }),
  listShipments: list(`${retailer}/shipments/`, 'retailer', {
    response: Shipment,
    filters: SHIPMENT_FILTERS,
  }),
  getShipment: one(`${retailer}/shipments/{id}/`, 'retailer', { response: Shipment }),
  acknowledgeShipment: act(`${retailer}/shipments/{id}/acknowledge/`, 'retailer', { response: Shipment }),
  listRetailerInvoices: list(`${retailer}/invoices/`, 'retailer', {
    response: Invoice,
    filters: INVOICE_FILTERS,
  }),
  getRetailerInvoice: one(`${retailer}/invoices/{id}/`, 'retailer', { response: Invoice }),
  acknowledgeInvoice: act(`${retailer}/invoices/{id}/acknowledge/`, 'retailer', { response: Invoice }),

  listBrands: list('/v1/brands/', 'account', { response: PartySummary, filters: {} }),
  listBrandOrders: list(`${brand}/orders/`, 'brand', { response: Order, filters: BRAND_ORDER_FILTERS }),
  getBrandOrder: one(`${brand}/orders/{id}/`, 'brand', { response: Order }),
  acknowledgeOrder: act(`${brand}/orders/{id}/acknowledge/`, 'brand', { response: Order }),
  closeOrder: act(`${brand}/orders/{id}/close/`, 'brand', { response: Order }),
  reopenOrder: act(`${brand}/orders/{id}/reopen/`, 'brand', { response: Order }),
  createShipment: create(`${brand}/shipments/`, 'brand', { request: ShipmentCreate, response: Shipment }),
  createInvoice: create(`${brand}/invoices/`, 'brand', { request: InvoiceCreate, response: Invoice }),
  listBrandInvoices: list(`${brand}/invoices/`, 'brand', { response: Invoice, filters: INVOICE_FILTERS }),
  getBrandInvoice: one(`${brand}/invoices/{id}/`, 'brand', { response: Invoice }),
} as const satisfies Record<string, Endpoint>

export type EndpointName = keyof typeof ENDPOINTS
