/** What a route can do, in terms of the endpoints. */
import type { z } from 'zod'
import { OnCancel, OnCredit, OnInvoice, OnOrder, OnReturn, OnShipment, OnVariant } from './acts.ts'
import { Cancel, CancelCreate } from './cancel.ts'
import { CarrierWithMethods } from './carrier.ts'
import { BrandVariant, RetailerVariant } from './catalog.ts'
import { Connection } from './connection.ts'
import { Credit } from './credit.ts'
import type { DocumentName, EndpointName } from './endpoints.ts'
import { BrandInvoice, InvoiceCreate, RetailerInvoice } from './invoice.ts'
import { BrandOrder, OrderCreate, PartySummary, RetailerOrder } from './order.ts'
import { Rma } from './rma.ts'
import { RetailerShipment, ShipmentCreate } from './shipment.ts'
import { VariantChanges, VariantFields } from './variant-fields.ts'

export type PartyKind = 'retailer' | 'brand'

/** One call per record of a file. */
export interface InboundOperation {
  readonly direction: 'inbound'
  /** The endpoint that is called, for each party that may do it. */
  readonly endpoints: Readonly<Partial<Record<PartyKind, EndpointName>>>
  /** What a mapping's `body` mirrors. */
  readonly body: z.ZodType
  /** The field of the body that names the resource to be changed; it goes into the path and is not sent. */
  readonly target?: string
  /** The endpoints that are read to settle a lost answer. */
  readonly looksUp: readonly EndpointName[]
  /** The endpoints that answer files about what was made. */
  readonly documents?: readonly DocumentName[]
  /** Doing it twice is the same as doing it once, so that the same file may come again. */
  readonly repeatable: boolean
  /** One line for people. */
  readonly summary: string
}

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

const creates = <Body extends z.ZodType>(
  endpoints: InboundOperation['endpoints'],
  body: Body,
  looksUp: readonly EndpointName[],
  summary: string,
) => ({ direction: 'inbound', endpoints, body, looksUp, repeatable: false, summary }) as const

const changes = <Body extends z.ZodType>(
  endpoints: InboundOperation['endpoints'],
  { body, target }: { readonly body: Body; readonly target: keyof z.infer<Body> & string },
  looksUp: readonly EndpointName[],
  summary: string,
) => ({ direction: 'inbound', endpoints, body, target, looksUp, repeatable: true, summary }) as const

/** Posts a body, or changes what a file names. */
const INBOUND = {
  'create-order': creates(
    { retailer: 'createOrder' },
    OrderCreate,
    ['listRetailerOrders'],
    'A retailer sends consumer orders.',
  ),
  'create-cancel': creates(
    { retailer: 'createCancel' },
    CancelCreate,
    ['getRetailerOrder'],
    'A retailer cancels orders, or lines of them, that the supplier has not acknowledged.',
  ),
  'acknowledge-order': changes(
    { brand: 'acknowledgeOrder' },
    { body: OnOrder, target: 'order_id' },
    ['getBrandOrder'],
    'A supplier says which orders it will fulfil.',
  ),
  'create-shipment': {
    ...creates(
      { brand: 'createShipment' },
      ShipmentCreate,
      ['getBrandOrder'],
      'A supplier reports what it shipped, or has labels made.',
    ),
    documents: ['getPackingSlip', 'getShippingLabel'],
  },
  'close-order': changes(
    { brand: 'closeOrder' },
    { body: OnOrder, target: 'order_id' },
    ['getBrandOrder'],
    'A supplier closes orders that are fulfilled.',
  ),
  'reopen-order': changes(
    { brand: 'reopenOrder' },
    { body: OnOrder, target: 'order_id' },
    ['getBrandOrder'],
    'A supplier reopens closed orders.',
  ),
  'create-invoice': creates(
    { brand: 'createInvoice' },
    InvoiceCreate,
    ['listBrandInvoices'],
    'A supplier invoices closed orders.',
  ),
  'create-variant': creates(
    { brand: 'createVariant' },
    VariantFields,
    ['listBrandVariants'],
    'A supplier offers new items.',
  ),
  'update-variant': changes(
    { brand: 'updateBrandVariant', retailer: 'updateRetailerVariant' },
    { body: VariantChanges, target: 'variant_id' },
    ['getBrandVariant', 'getRetailerVariant'],
    'A supplier changes items, or their stock alone; a retailer changes what it says of them.',
  ),
  'acknowledge-shipment': changes(
    { retailer: 'acknowledgeShipment' },
    { body: OnShipment, target: 'shipment_id' },
    ['getShipment'],
    'A retailer says which shipments it has processed.',
  ),
  'acknowledge-invoice': changes(
    { retailer: 'acknowledgeInvoice' },
    { body: OnInvoice, target: 'invoice_id' },
    ['getRetailerInvoice'],
    'A retailer says which invoices it has processed.',
  ),
  'acknowledge-cancel': changes(
    { retailer: 'acknowledgeCancel' },
    { body: OnCancel, target: 'cancel_id' },
    ['getCancel'],
    'A retailer says which cancels it has processed.',
  ),
  'acknowledge-credit': changes(
    { retailer: 'acknowledgeCredit' },
    { body: OnCredit, target: 'credit_id' },
    ['getCredit'],
    'A retailer says which credits it has processed.',
  ),
  'acknowledge-return': changes(
    { retailer: 'acknowledgeRma' },
    { body: OnReturn, target: 'return_id' },
    ['getRma'],
    'A retailer says which returns it has processed.',
  ),
  'acknowledge-variant': changes(
    { retailer: 'acknowledgeVariant' },
    { body: OnVariant, target: 'variant_id' },
    ['getRetailerVariant'],
    'A retailer says which items it has taken into its catalogue.',
  ),
} as const satisfies Record<string, InboundOperation>

const unacknowledged = { is_acknowledged: 0 } as const

/** What a party receives: listed while unacknowledged, written to a file, acknowledged. */
const RECEIVED = {
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
const REPORTED = {
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
