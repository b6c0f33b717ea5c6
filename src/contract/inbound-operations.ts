/** From files to the API: what is done with each record of a file. */
import type { z } from 'zod'
import { OnCancel, OnCredit, OnInvoice, OnOrder, OnReturn, OnShipment, OnVariant } from './acts.ts'
import { CancelCreate } from './cancel.ts'
import type { DocumentName, EndpointName } from './endpoints.ts'
import { InvoiceCreate } from './invoice.ts'
import { OrderCreate } from './order.ts'
import type { PartyKind } from './party.ts'
import { ShipmentCreate } from './shipment.ts'
import { VariantChanges, VariantFields } from './variant-fields.ts'

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
export const INBOUND = {
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
