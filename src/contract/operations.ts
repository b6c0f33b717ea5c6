/** The operations of a route: inbound ones send records of a file, outbound ones list records for a file. */
import { z } from 'zod'
import { CancelCreate } from './cancel.ts'
import {
  type DocumentName,
  type Endpoint,
  type EndpointName,
  ENDPOINTS,
  type PartyKind,
} from './endpoints.ts'
import { id, reference, type ReferenceKind } from './fields.ts'
import type { Filters } from './filters.ts'
import { InvoiceCreate } from './invoice.ts'
import { objectSchema } from './object-schema.ts'
import { BrandOrder, OrderCreate, PartySummary } from './order.ts'
import { ShipmentCreate } from './shipment.ts'
import { VariantChanges, VariantFields } from './variant-fields.ts'

const createOperation = <Body extends z.ZodType>(
  endpoints: InboundOperation['endpoints'],
  body: Body,
  looksUp: readonly EndpointName[],
  summary: string,
) => ({ direction: 'inbound', endpoints, body, looksUp, repeatable: false, summary }) as const

interface Target<Body extends z.ZodType> {
  readonly body: Body
  readonly target: keyof z.infer<Body> & string
}

const changeOperation = <Body extends z.ZodType>(
  endpoints: InboundOperation['endpoints'],
  { body, target }: Target<Body>,
  looksUp: readonly EndpointName[],
  summary: string,
) => ({ direction: 'inbound', endpoints, body, target, looksUp, repeatable: true, summary }) as const

/** A retailer acknowledges what it received. */
const acknowledgement = <Body extends z.ZodType>(
  resources: string,
  [acknowledge, get]: readonly [EndpointName, EndpointName],
  target: Target<Body>,
) =>
  changeOperation(
    { retailer: acknowledge },
    target,
    [get],
    `A retailer says which ${resources} it has processed.`,
  )

// Acknowledge, close and reopen take no body at the API; a mapping only names the resource.

const namedTarget = <Kind extends ReferenceKind>(kind: Kind) => {
  const target = `${kind}_id` as const
  const shape = { [target]: reference(kind) } as Record<typeof target, ReturnType<typeof reference>>
  return { body: objectSchema(shape), target }
}

/** A cancel has no number of its own: files name it by the id they got it with. */
const cancelTarget = { body: objectSchema({ cancel_id: id() }), target: 'cancel_id' } as const

/** Operations that post a body, or change the resource that a file names. */
const INBOUND = {
  'create-order': createOperation(
    { retailer: 'createOrder' },
    OrderCreate,
    ['listRetailerOrders'],
    'A retailer sends consumer orders.',
  ),
  'create-cancel': createOperation(
    { retailer: 'createCancel' },
    CancelCreate,
    ['getRetailerOrder'],
    'A retailer cancels orders, or lines of them, that the supplier has not acknowledged.',
  ),
  'acknowledge-order': changeOperation(
    { brand: 'acknowledgeOrder' },
    namedTarget('order'),
    ['getBrandOrder'],
    'A supplier says which orders it will fulfil.',
  ),
  'create-shipment': {
    ...createOperation(
      { brand: 'createShipment' },
      ShipmentCreate,
      ['getBrandOrder'],
      'A supplier reports what it shipped, or has labels made.',
    ),
    documents: ['getPackingSlip', 'getShippingLabel'],
  },
  'close-order': changeOperation(
    { brand: 'closeOrder' },
    namedTarget('order'),
    ['getBrandOrder'],
    'A supplier closes orders that are fulfilled.',
  ),
  'reopen-order': changeOperation(
    { brand: 'reopenOrder' },
    namedTarget('order'),
    ['getBrandOrder'],
    'A supplier reopens closed orders.',
  ),
  'create-invoice': createOperation(
    { brand: 'createInvoice' },
    InvoiceCreate,
    ['listBrandInvoices'],
    'A supplier invoices closed orders.',
  ),
  'create-variant': createOperation(
    { brand: 'createVariant' },
    VariantFields,
    ['listBrandVariants'],
    'A supplier offers new items.',
  ),
  'update-variant': changeOperation(
    { brand: 'updateBrandVariant', retailer: 'updateRetailerVariant' },
    { body: VariantChanges, target: 'variant_id' },
    ['getBrandVariant', 'getRetailerVariant'],
    'A supplier changes items, or their stock alone; a retailer changes what it says of them.',
  ),
  'acknowledge-shipment': acknowledgement(
    'shipments',
    ['acknowledgeShipment', 'getShipment'],
    namedTarget('shipment'),
  ),
  'acknowledge-invoice': acknowledgement(
    'invoices',
    ['acknowledgeInvoice', 'getRetailerInvoice'],
    namedTarget('invoice'),
  ),
  'acknowledge-cancel': acknowledgement('cancels', ['acknowledgeCancel', 'getCancel'], cancelTarget),
  'acknowledge-credit': acknowledgement('credits', ['acknowledgeCredit', 'getCredit'], namedTarget('credit')),
  'acknowledge-return': acknowledgement('returns', ['acknowledgeRma', 'getRma'], namedTarget('return')),
  'acknowledge-variant': changeOperation(
    { retailer: 'acknowledgeVariant' },
    namedTarget('variant'),
    ['getRetailerVariant'],
    'A retailer says which items it has taken into its catalogue.',
  ),
} as const satisfies Record<string, InboundOperation>

const unacknowledged = { is_acknowledged: 0 } as const

type ListName = {
  [Name in EndpointName]: (typeof ENDPOINTS)[Name]['kind'] extends 'list' ? Name : never
}[EndpointName]

const reported = <List extends ListName, Get extends EndpointName>(
  parties: readonly PartyKind[],
  [list, get]: readonly [List, Get],
  summary: string,
) => {
  const record: (typeof ENDPOINTS)[List]['response'] = ENDPOINTS[list].response
  return { direction: 'outbound', parties, list, get, record, query: {}, summary } as const
}

const received = <List extends ListName, Get extends EndpointName, Acknowledge extends EndpointName>(
  [list, get, acknowledge]: readonly [List, Get, Acknowledge],
  summary: string,
) => ({ ...reported(['retailer'], [list, get], summary), acknowledge, query: unacknowledged }) as const

/** Operations that list unacknowledged records, write them to a file and acknowledge them. */
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
  'export-shipments': received(
    ['listShipments', 'getShipment', 'acknowledgeShipment'],
    'A retailer receives shipments.',
  ),
  'export-invoices': received(
    ['listRetailerInvoices', 'getRetailerInvoice', 'acknowledgeInvoice'],
    'A retailer receives invoices.',
  ),
  'export-cancels': received(
    ['listCancels', 'getCancel', 'acknowledgeCancel'],
    'A retailer receives the cancels of its orders.',
  ),
  'export-credits': received(
    ['listCredits', 'getCredit', 'acknowledgeCredit'],
    'A retailer receives credit memos.',
  ),
  'export-returns': received(['listRmas', 'getRma', 'acknowledgeRma'], 'A retailer receives returns.'),
  'export-variants': received(
    ['listRetailerVariants', 'getRetailerVariant', 'acknowledgeVariant'],
    'A retailer receives new and changed items.',
  ),
} as const satisfies Record<string, OutboundOperation>

/** Operations on lists without acknowledgement: they can be reported any number of times. */
const REPORTED = {
  'export-retailer-orders': reported(
    ['retailer'],
    ['listRetailerOrders', 'getRetailerOrder'],
    'A retailer reads the orders it sent.',
  ),
  'export-brand-invoices': reported(
    ['brand'],
    ['listBrandInvoices', 'getBrandInvoice'],
    'A supplier reads the invoices it sent.',
  ),
  'export-brand-variants': reported(
    ['brand'],
    ['listBrandVariants', 'getBrandVariant'],
    'A supplier reads its items.',
  ),
  'export-carriers': reported(
    ['retailer', 'brand'],
    ['listCarriers', 'getCarrier'],
    'Carriers and their shipping methods, for reference.',
  ),
  'export-connections': reported(
    ['retailer'],
    ['listConnections', 'getConnection'],
    'The suppliers a retailer trades with, and the methods each may ship by.',
  ),
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

export const INBOUND_OPERATIONS = Object.keys(INBOUND) as readonly InboundOperationName[]

export function isOperation(name: string | undefined): name is OperationName {
  return name !== undefined && Object.hasOwn(OPERATIONS, name)
}

export function isInbound(name: string): name is InboundOperationName {
  return Object.hasOwn(INBOUND, name)
}

/** The operations that create a resource; the others change one, which a field of the body names. */
export type CreateOperationName = {
  [Name in InboundOperationName]: (typeof INBOUND)[Name]['repeatable'] extends false ? Name : never
}[InboundOperationName]

/** The field of the body that names the resource to be changed; undefined for an operation that creates one. */
export function findTargetField(name: string): string | undefined {
  const operation: InboundOperation | undefined = isInbound(name) ? INBOUND[name] : undefined
  return operation?.target
}

export function hasBodyField(name: InboundOperationName, field: string): boolean {
  return field in INBOUND[name].body.shape
}

export type OutboundOperationName = keyof typeof RECEIVED | keyof typeof REPORTED

export const OUTBOUND_OPERATIONS = Object.keys({
  ...RECEIVED,
  ...REPORTED,
}) as readonly OutboundOperationName[]

export function partiesOf(name: OperationName): readonly PartyKind[] {
  const operation: InboundOperation | OutboundOperation = OPERATIONS[name]
  return operation.direction === 'outbound'
    ? operation.parties
    : (['retailer', 'brand'] as const).filter((party) => operation.endpoints[party] !== undefined)
}

export function isReceived(name: OperationName): name is keyof typeof RECEIVED {
  return Object.hasOwn(RECEIVED, name)
}

/** One call per record of a file. */
export interface InboundOperation {
  readonly direction: 'inbound'
  readonly endpoints: Readonly<Partial<Record<PartyKind, EndpointName>>>
  /** The schema that a mapping's `body` mirrors. */
  readonly body: z.ZodType
  /** The field of the body that names the resource to be changed; it goes into the path and is not sent. */
  readonly target?: string
  /** The endpoints that are read to reconcile a lost answer. */
  readonly looksUp: readonly EndpointName[]
  /** The endpoints for documents of the created resource. */
  readonly documents?: readonly DocumentName[]
  /** Whether repeating it has no further effect, so that the same file may come again. */
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
  /** The endpoint that acknowledges records once their file is in place; absent for lists that can only be reported. */
  readonly acknowledge?: EndpointName
  /** The schema that the paths of a mapping's `columns` point into. */
  readonly record: z.ZodType
  /** The filter for waiting records: an order that was cancelled or closed meanwhile needs no fulfilment. */
  readonly query: Readonly<Record<string, string | number | readonly string[]>>
  readonly summary: string
}

// The filters and the record fields of the list behind an outbound operation.

export function filtersOf(name: OutboundOperationName): Filters {
  const endpoint: Endpoint = ENDPOINTS[OPERATIONS[name].list]
  return endpoint.filters ?? {}
}

/** Whether a record of the list can be read by its id alone. */
export function canReadById(name: OutboundOperationName): boolean {
  const operation: OutboundOperation = OPERATIONS[name]
  return operation.get !== undefined
}

/** Finds the placeholder of the resource in a path: `{id}`, or `{carrier_id}` for carriers. */
export function findIdParameter(name: EndpointName): string | undefined {
  const { path, context } = ENDPOINTS[name]
  const names = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, placeholder]) => placeholder)
  return names.find((placeholder) => placeholder !== `${context}_id`)
}

/** Finds the path of a record's purchase order number; undefined for cancels and for records outside of trade. */
function findPurchaseOrderPath(name: OutboundOperationName): readonly string[] | undefined {
  const { shape } = OPERATIONS[name].record
  if ('purchase_order_number' in shape) return ['purchase_order_number']
  const order = 'order' in shape ? shape.order : undefined
  const isThere = order instanceof z.ZodObject && 'purchase_order_number' in order.shape
  return isThere ? ['order', 'purchase_order_number'] : undefined
}

/** Reads the purchase order number of a list's records; undefined when they have none. */
export function createPurchaseOrderReader(
  name: OutboundOperationName,
): ((record: Readonly<Record<string, unknown>>) => string | undefined) | undefined {
  const path = findPurchaseOrderPath(name)
  if (path === undefined) return undefined
  return (record) => {
    const found = path.reduce<unknown>(
      (value, step) =>
        typeof value === 'object' && value !== null
          ? (value as Readonly<Record<string, unknown>>)[step]
          : undefined,
      record,
    )
    return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined
  }
}

// What the bodies of an operation say of units and money.

export interface Measure {
  /** The list with the quantities. */
  readonly lines?: string
  /** The amount of the whole record. */
  readonly amount?: string
  /** The prices of the lines; the first that a line has counts. */
  readonly prices?: readonly string[]
}

const ORDER: Measure = { lines: 'order_lines', prices: ['net_price', 'price'] }
const SHIPMENT: Measure = { lines: 'shipment_lines' }
const CANCEL: Measure = { lines: 'cancel_lines' }
const INVOICE: Measure = { lines: 'invoice_lines', amount: 'due_amount' }

/** Operations that are not here have neither: they change a state, or say something of an item. */
export const MEASURES: Readonly<Partial<Record<OperationName, Measure>>> = {
  'create-order': ORDER,
  'export-orders': ORDER,
  'export-retailer-orders': ORDER,
  'create-shipment': SHIPMENT,
  'export-shipments': SHIPMENT,
  'create-cancel': CANCEL,
  'export-cancels': CANCEL,
  'create-invoice': INVOICE,
  'export-invoices': INVOICE,
  'export-brand-invoices': INVOICE,
  'export-credits': { lines: 'credit_lines', amount: 'credit_amount' },
  'export-returns': { lines: 'rma_lines', amount: 'total_amount' },
}
