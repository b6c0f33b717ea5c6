/** What a route can do, in terms of the endpoints. */
import type { z } from 'zod'
import type { EndpointName } from './endpoints.ts'
import { InvoiceCreate, RetailerInvoice } from './invoice.ts'
import { BrandOrder, OrderCreate } from './order.ts'
import { RetailerShipment, ShipmentCreate } from './shipment.ts'

/** Posts one body per record. */
export interface InboundOperation {
  readonly direction: 'inbound'
  readonly party: 'retailer' | 'brand'
  readonly endpoint: EndpointName
  /** What a mapping's `body` mirrors. */
  readonly body: z.ZodType
  /** One line for people. */
  readonly summary: string
}

/** Lists what nobody has acknowledged, writes it to a file, acknowledges each. */
export interface OutboundOperation {
  readonly direction: 'outbound'
  readonly party: 'retailer' | 'brand'
  readonly list: EndpointName
  readonly get: EndpointName
  readonly acknowledge: EndpointName
  /** What the paths of a mapping's `columns` point into. */
  readonly record: z.ZodType
  /** A list is asked for each of these; an order that was cancelled or closed meanwhile is nothing to fulfil. */
  readonly query: Readonly<Record<string, string | number | readonly string[]>>
  readonly summary: string
}

export const OPERATIONS = {
  'create-order': {
    direction: 'inbound',
    party: 'retailer',
    endpoint: 'createOrder',
    body: OrderCreate,
    summary: 'A retailer sends consumer orders.',
  },
  'create-shipment': {
    direction: 'inbound',
    party: 'brand',
    endpoint: 'createShipment',
    body: ShipmentCreate,
    summary: 'A supplier reports what it shipped.',
  },
  'create-invoice': {
    direction: 'inbound',
    party: 'brand',
    endpoint: 'createInvoice',
    body: InvoiceCreate,
    summary: 'A supplier invoices closed orders.',
  },
  'export-orders': {
    direction: 'outbound',
    party: 'brand',
    list: 'listBrandOrders',
    get: 'getBrandOrder',
    acknowledge: 'acknowledgeOrder',
    record: BrandOrder,
    query: { is_acknowledged: 0, status: ['open', 'partial'] },
    summary: 'A supplier receives new orders.',
  },
  'export-shipments': {
    direction: 'outbound',
    party: 'retailer',
    list: 'listShipments',
    get: 'getShipment',
    acknowledge: 'acknowledgeShipment',
    record: RetailerShipment,
    query: { is_acknowledged: 0 },
    summary: 'A retailer receives shipments.',
  },
  'export-invoices': {
    direction: 'outbound',
    party: 'retailer',
    list: 'listRetailerInvoices',
    get: 'getRetailerInvoice',
    acknowledge: 'acknowledgeInvoice',
    record: RetailerInvoice,
    query: { is_acknowledged: 0 },
    summary: 'A retailer receives invoices.',
  },
} as const satisfies Record<string, InboundOperation | OutboundOperation>

export type OperationName = keyof typeof OPERATIONS
export type InboundOperationName = {
  [Name in OperationName]: (typeof OPERATIONS)[Name]['direction'] extends 'inbound' ? Name : never
}[OperationName]
export type OutboundOperationName = Exclude<OperationName, InboundOperationName>
