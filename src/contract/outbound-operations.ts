/** From the API to files: what is listed. */
import type { z } from 'zod'
import { Cancel } from './cancel.ts'
import { CarrierWithMethods } from './carrier.ts'
import { BrandVariant, RetailerVariant } from './catalog.ts'
import { Connection } from './connection.ts'
import { Credit } from './credit.ts'
import type { EndpointName } from './endpoints.ts'
import { BrandInvoice, RetailerInvoice } from './invoice.ts'
import { BrandOrder, PartySummary, RetailerOrder } from './order.ts'
import type { PartyKind } from './party.ts'
import { Rma } from './rma.ts'
import { RetailerShipment } from './shipment.ts'

/** Records of a list become rows of a file. */
export interface OutboundOperation {
  readonly direction: 'outbound'
  readonly parties: readonly PartyKind[]
  readonly list: EndpointName
  readonly get?: EndpointName
  /** What is received is acknowledged once its file is in place; other lists can only be reported. */
  readonly acknowledge?: EndpointName
  /** What the paths of a mapping's `columns` point into. */
  readonly record: z.ZodType
  /** What makes a record one that waits: an order that was cancelled or closed meanwhile is nothing to fulfil. */
  readonly query: Readonly<Record<string, string | number | readonly string[]>>
  readonly summary: string
}

const unacknowledged = { is_acknowledged: 0 } as const

/** What a party receives: listed while unacknowledged, written to a file, acknowledged. */
export const RECEIVED = {
  'export-orders': {
    direction: 'outbound',
    parties: ['brand'],
    list: 'listBrandOrders',
    get: 'getBrandOrder',
    acknowledge: 'acknowledgeOrder',
    record: BrandOrder,
    query: { ...unacknowledged, status: ['open', 'partial'] },
    summary: 'A supplier receives new orders.',
  },
  'export-shipments': {
    direction: 'outbound',
    parties: ['retailer'],
    list: 'listShipments',
    get: 'getShipment',
    acknowledge: 'acknowledgeShipment',
    record: RetailerShipment,
    query: unacknowledged,
    summary: 'A retailer receives shipments.',
  },
  'export-invoices': {
    direction: 'outbound',
    parties: ['retailer'],
    list: 'listRetailerInvoices',
    get: 'getRetailerInvoice',
    acknowledge: 'acknowledgeInvoice',
    record: RetailerInvoice,
    query: unacknowledged,
    summary: 'A retailer receives invoices.',
  },
  'export-cancels': {
    direction: 'outbound',
    parties: ['retailer'],
    list: 'listCancels',
    get: 'getCancel',
    acknowledge: 'acknowledgeCancel',
    record: Cancel,
    query: unacknowledged,
    summary: 'A retailer receives the cancels of its orders.',
  },
  'export-credits': {
    direction: 'outbound',
    parties: ['retailer'],
    list: 'listCredits',
    get: 'getCredit',
    acknowledge: 'acknowledgeCredit',
    record: Credit,
    query: unacknowledged,
    summary: 'A retailer receives credit memos.',
  },
  'export-returns': {
    direction: 'outbound',
    parties: ['retailer'],
    list: 'listRmas',
    get: 'getRma',
    acknowledge: 'acknowledgeRma',
    record: Rma,
    query: unacknowledged,
    summary: 'A retailer receives returns.',
  },
  'export-variants': {
    direction: 'outbound',
    parties: ['retailer'],
    list: 'listRetailerVariants',
    get: 'getRetailerVariant',
    acknowledge: 'acknowledgeVariant',
    record: RetailerVariant,
    query: unacknowledged,
    summary: 'A retailer receives new and changed items.',
  },
} as const satisfies Record<string, OutboundOperation>

/** What nobody acknowledges: it can be reported as often as one likes. */
export const REPORTED = {
  'export-retailer-orders': {
    direction: 'outbound',
    parties: ['retailer'],
    list: 'listRetailerOrders',
    get: 'getRetailerOrder',
    record: RetailerOrder,
    query: {},
    summary: 'A retailer looks at the orders it sent.',
  },
  'export-brand-invoices': {
    direction: 'outbound',
    parties: ['brand'],
    list: 'listBrandInvoices',
    get: 'getBrandInvoice',
    record: BrandInvoice,
    query: {},
    summary: 'A supplier looks at the invoices it sent.',
  },
  'export-brand-variants': {
    direction: 'outbound',
    parties: ['brand'],
    list: 'listBrandVariants',
    get: 'getBrandVariant',
    record: BrandVariant,
    query: {},
    summary: 'A supplier looks at its items.',
  },
  'export-carriers': {
    direction: 'outbound',
    parties: ['retailer', 'brand'],
    list: 'listCarriers',
    get: 'getCarrier',
    record: CarrierWithMethods,
    query: {},
    summary: 'Carriers and their shipping methods, for reference.',
  },
  'export-connections': {
    direction: 'outbound',
    parties: ['retailer'],
    list: 'listConnections',
    get: 'getConnection',
    record: Connection,
    query: {},
    summary: 'The suppliers a retailer trades with, and the methods each may ship by.',
  },
  'export-retailers': {
    direction: 'outbound',
    parties: ['retailer', 'brand'],
    list: 'listRetailers',
    record: PartySummary,
    query: {},
    summary: 'The retailers of the account.',
  },
  'export-brands': {
    direction: 'outbound',
    parties: ['retailer', 'brand'],
    list: 'listBrands',
    record: PartySummary,
    query: {},
    summary: 'The suppliers of the account.',
  },
} as const satisfies Record<string, OutboundOperation>
