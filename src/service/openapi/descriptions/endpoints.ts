/** Summaries and descriptions of the endpoints, and the tags that group them. */
import type { Endpoint, EndpointName } from '../../../contract/endpoints.ts'
import type { AdminEndpointName } from '../../endpoints.ts'

export type EndpointDescription = readonly [summary: string, description: string]

const POLLING = 'Ask with `is_acknowledged=0` for what is new, process it, then acknowledge each.'

const AGAIN = 'Acknowledging once more is fine and keeps the first time.'

const RECEIVED = `The retailer received it and processed it. ${AGAIN}`

const ACCOUNT = {
  token: ['Obtain a token', 'OAuth 2.0 client credentials for a bearer token, which every other call needs.'],
  listRetailers: ['List the retailers of the account', 'The retailer ids that the account may use in paths.'],
  listBrands: ['List the brands of the account', 'The brand ids that the account may use in paths.'],
  listCarriers: ['List carriers', 'Carriers with their shipping methods.'],
  getCarrier: ['Read a carrier', 'One carrier with its shipping methods.'],
} as const

const RETAILER_RECEIPTS = {
  listCancels: ['List cancels', `The cancels of the retailer's orders. ${POLLING}`],
  getCancel: ['Read a cancel', 'One cancel.'],
  acknowledgeCancel: ['Acknowledge a cancel', RECEIVED],
  listShipments: ['List shipments', `The shipments of the retailer's orders. ${POLLING}`],
  getShipment: ['Read a shipment', 'One shipment, with its tracking number and what the carrier reports.'],
  acknowledgeShipment: ['Acknowledge a shipment', RECEIVED],
  listRetailerInvoices: [
    'List invoices (retailer)',
    `The invoices the retailer is expected to pay. ${POLLING}`,
  ],
  getRetailerInvoice: ['Read an invoice (retailer)', 'One invoice.'],
  acknowledgeInvoice: ['Acknowledge an invoice', RECEIVED],
  listCredits: ['List credits', `The credit memos for the retailer. ${POLLING}`],
  getCredit: ['Read a credit', 'One credit memo.'],
  acknowledgeCredit: ['Acknowledge a credit', RECEIVED],
  listRmas: ['List returns', `The returns of the retailer's orders. ${POLLING}`],
  getRma: ['Read a return', 'One return, with the original order lines.'],
  acknowledgeRma: ['Acknowledge a return', RECEIVED],
} as const

const RETAILER = {
  createOrder: [
    'Submit an order',
    'A consumer order for one supplier to fulfill. The answer is the full order, open, with the times by which it is expected to be acknowledged and fulfilled.',
  ],
  listRetailerOrders: ['List orders (retailer)', 'The orders the retailer submitted.'],
  getRetailerOrder: [
    'Read an order (retailer)',
    'One order with its lines and what was made for it: shipments, cancels, invoices, returns and credits.',
  ],
  createCancel: [
    'Request a cancellation',
    'Cancels an order or some of its units; only before the supplier acknowledges the order.',
  ],
  listRetailerVariants: [
    'List variants (retailer)',
    `The approved items of the connected suppliers. ${POLLING}`,
  ],
  getRetailerVariant: ['Read a variant (retailer)', 'One item with its stock, images and attributes.'],
  updateRetailerVariant: [
    'Change a variant (retailer)',
    "Sets the retailer's own attributes of an item, such as `retailer_sku`, or takes them away.",
  ],
  acknowledgeVariant: [
    'Acknowledge a variant',
    `The retailer has received the item and pulled all needed attributes. ${AGAIN}`,
  ],
  listConnections: [
    'List connections',
    'The suppliers the retailer trades with, and the shipping methods allowed for each.',
  ],
  getConnection: ['Read a connection', 'One connection with its shipping methods.'],
} as const

const BRAND = {
  listBrandOrders: ['List orders (brand)', `The orders the supplier must fulfill. ${POLLING}`],
  getBrandOrder: ['Read an order (brand)', 'One order with its lines and the shipping accounts for it.'],
  acknowledgeOrder: [
    'Acknowledge an order',
    `The supplier received the order and intends to fulfill it. ${AGAIN}`,
  ],
  closeOrder: [
    'Close an order',
    'The supplier is done with the order. Closing a closed order changes nothing.',
  ],
  reopenOrder: [
    'Reopen an order',
    'Takes the closing of an order back. On an order that is not closed it changes nothing.',
  ],
  createShipment: [
    'Create a shipment',
    'Reports what was shipped with a label that exists, or lets the service make the label.',
  ],
  getPackingSlip: ['Get a packing slip', 'Generates and returns the packing slip of a shipment, as PDF.'],
  getShippingLabel: [
    'Get a shipping label',
    'Generates and returns the label of a shipment that was created with `ship_weight`, `ship_width`, `ship_height` and `ship_length`; `valid_shipping_label` shows eligibility.',
  ],
  createInvoice: [
    'Submit an invoice',
    'One invoice per purchase order, after the order is completely fulfilled and closed. The answer is the full invoice.',
  ],
  listBrandInvoices: ['List invoices (brand)', 'The invoices the supplier submitted.'],
  getBrandInvoice: ['Read an invoice (brand)', 'One invoice.'],
  createVariant: ['Create a variant', 'A new item out of attributes, of which the identifier is mandatory.'],
  listBrandVariants: ['List variants (brand)', "The supplier's items."],
  getBrandVariant: ['Read a variant (brand)', 'One item with its stock, images and attributes.'],
  updateBrandVariant: [
    'Change a variant (brand)',
    'Sets attributes of an item, or takes them away. The identifier cannot be changed.',
  ],
} as const

export const API_ENDPOINT_DESCRIPTIONS = {
  ...ACCOUNT,
  ...RETAILER,
  ...RETAILER_RECEIPTS,
  ...BRAND,
} as const satisfies Record<EndpointName, EndpointDescription>

// Endpoints of the administration.

export const ADMIN_ENDPOINT_DESCRIPTIONS = {
  cancelForBrand: [
    'Cancel for the supplier',
    'What a supplier cannot ship is canceled, also after the order was acknowledged.',
  ],
  changeOrder: [
    'Change an order',
    "Sets the retailer's own number, the pickup or the generic shipping method; what is left out stays.",
  ],
  pickUpShipment: ['Pick up a shipment', 'The carrier takes the package.'],
  deliverShipment: ['Deliver a shipment', 'The carrier hands the package over.'],
  createRma: ['Create a return', 'Either side returns units of an order that were shipped.'],
  acceptRma: ['Accept a return', 'The supplier has received and inspected the items, and all is well.'],
  createCredit: [
    'Issue a credit',
    'Credits an accepted return; without lines, all of it that is not credited yet.',
  ],
  changeInvoice: [
    'Change an invoice',
    'Sets the discount, the address to pay to, charges and allowances; what is left out stays.',
  ],
  changeStock: [
    'Set the stock of a variant',
    'The stock by warehouse; a warehouse that is not named has none.',
  ],
  listParties: ['List parties', 'All retailers and brands, with their accounts and clients.'],
  createParty: [
    'Create a party',
    'A retailer or a brand; without an account it gets one of its own, and a client.',
  ],
  createClient: ['Create a client', 'Credentials for an account; the secret is shown this once.'],
  revokeClient: ['Revoke a client', 'Ends a client and its tokens at once.'],
  createCarrier: ['Create a carrier', 'A carrier with its shipping methods.'],
  listConnectionTerms: ['List connections with their terms', 'Every connection, and what was agreed for it.'],
  createConnection: [
    'Connect a retailer and a brand',
    'From then on they may trade, if it is Full and Active.',
  ],
  changeConnection: ['Change a connection', 'Level, status and terms; what is left out stays.'],
  createShippingAccount: [
    'Create a shipping account',
    'An account with a carrier, for the orders of a connection.',
  ],
  getSwitches: ['Read the switches', 'Every switch of the service, and its present value.'],
  turnSwitches: ['Turn switches', 'Takes effect with the next request.'],
  getCounts: ['Count', 'How much the service holds, and how many faults have struck.'],
} as const satisfies Record<AdminEndpointName, EndpointDescription>

// One tag for each resource.

/** In the order of the page. */
export const TAGS = {
  Authentication: 'OAuth 2.0 over HTTPS, with one set of client credentials per environment.',
  Accounts: 'The retailers and brands that an account may act for.',
  Orders: 'Consumer orders: submitted by a retailer, acknowledged, closed and reopened by a supplier.',
  Cancels: 'Orders or units of them that are no longer wanted.',
  Shipments: 'What a supplier shipped for an order, with tracking numbers, packing slips and labels.',
  Invoices: 'What a supplier asks a retailer to pay: one invoice per purchase order.',
  Credits: 'Credit memos, issued by suppliers after accepting returns.',
  Returns: 'RMAs; either party may initiate a return.',
  Variants: 'The sellable items of suppliers. These endpoints are in beta.',
  Connections: 'Who trades with whom, and the shipping methods allowed for it.',
  Carriers: 'Carriers and their shipping methods.',
  Administration:
    "What suppliers, carriers and the operator do outside the API. Of this service only, and for an administrator's clients.",
} as const

type Tag = keyof typeof TAGS

const TAG_BY_SEGMENT: Readonly<Record<string, Tag>> = {
  orders: 'Orders',
  cancels: 'Cancels',
  shipments: 'Shipments',
  invoices: 'Invoices',
  credits: 'Credits',
  rmas: 'Returns',
  variants: 'Variants',
  connections: 'Connections',
  carriers: 'Carriers',
}

/** The resource follows from the path. */
export function findTag({ kind, context, path }: Pick<Endpoint, 'kind' | 'context' | 'path'>): Tag {
  if (kind === 'token') return 'Authentication'
  if (context === 'admin') return 'Administration'
  const segments = path.split('/')
  return segments.map((segment) => TAG_BY_SEGMENT[segment]).find((tag) => tag !== undefined) ?? 'Accounts'
}
