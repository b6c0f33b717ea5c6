/** What the endpoints of the API do, in a few words and in a sentence or two. */
import type { EndpointName } from '../../../contract/endpoints.ts'

export interface EndpointWords {
  readonly summary: string
  readonly description: string
}

export function says(summary: string, description: string): EndpointWords {
  return { summary, description }
}

const POLLING = 'Ask with `is_acknowledged=0` for what is new, process it, then acknowledge each.'
const AGAIN = 'Acknowledging once more is fine and keeps the first time.'

const ACCOUNT = {
  token: says(
    'Obtain a token',
    'OAuth 2.0 client credentials for a bearer token, which every other call needs.',
  ),
  listRetailers: says(
    'List the retailers of the account',
    'The retailer ids that the account may use in paths.',
  ),
  listBrands: says('List the brands of the account', 'The brand ids that the account may use in paths.'),
  listCarriers: says('List carriers', 'Carriers with their shipping methods.'),
  getCarrier: says('Read a carrier', 'One carrier with its shipping methods.'),
}

const RETAILER_RECEIPTS = {
  listCancels: says('List cancels', `The cancels of the retailer's orders. ${POLLING}`),
  getCancel: says('Read a cancel', 'One cancel.'),
  acknowledgeCancel: says('Acknowledge a cancel', `The retailer received it and processed it. ${AGAIN}`),
  listShipments: says('List shipments', `The shipments of the retailer's orders. ${POLLING}`),
  getShipment: says(
    'Read a shipment',
    'One shipment, with its tracking number and what the carrier reports.',
  ),
  acknowledgeShipment: says('Acknowledge a shipment', `The retailer received it and processed it. ${AGAIN}`),
  listRetailerInvoices: says(
    'List invoices (retailer)',
    `The invoices the retailer is expected to pay. ${POLLING}`,
  ),
  getRetailerInvoice: says('Read an invoice (retailer)', 'One invoice.'),
  acknowledgeInvoice: says('Acknowledge an invoice', `The retailer received it and processed it. ${AGAIN}`),
  listCredits: says('List credits', `The credit memos for the retailer. ${POLLING}`),
  getCredit: says('Read a credit', 'One credit memo.'),
  acknowledgeCredit: says('Acknowledge a credit', `The retailer received it and processed it. ${AGAIN}`),
  listRmas: says('List returns', `The returns of the retailer's orders. ${POLLING}`),
  getRma: says('Read a return', 'One return, with the original order lines.'),
  acknowledgeRma: says('Acknowledge a return', `The retailer received it and processed it. ${AGAIN}`),
}

const RETAILER = {
  createOrder: says(
    'Submit an order',
    'A consumer order for one supplier to fulfill. The answer is the full order, open, with the times by which it is expected to be acknowledged and fulfilled.',
  ),
  listRetailerOrders: says('List orders (retailer)', 'The orders the retailer submitted.'),
  getRetailerOrder: says(
    'Read an order (retailer)',
    'One order with its lines and what was made for it: shipments, cancels, invoices, returns and credits.',
  ),
  createCancel: says(
    'Request a cancellation',
    'Cancels an order or some of its units; only before the supplier acknowledges the order.',
  ),
  listRetailerVariants: says(
    'List variants (retailer)',
    `The approved items of the connected suppliers. ${POLLING}`,
  ),
  getRetailerVariant: says('Read a variant (retailer)', 'One item with its stock, images and attributes.'),
  updateRetailerVariant: says(
    'Change a variant (retailer)',
    "Sets the retailer's own attributes of an item, such as `retailer_sku`, or takes them away.",
  ),
  acknowledgeVariant: says(
    'Acknowledge a variant',
    `The retailer has received the item and pulled all needed attributes. ${AGAIN}`,
  ),
  listConnections: says(
    'List connections',
    'The suppliers the retailer trades with, and the shipping methods allowed for each.',
  ),
  getConnection: says('Read a connection', 'One connection with its shipping methods.'),
}

const BRAND = {
  listBrandOrders: says('List orders (brand)', `The orders the supplier must fulfill. ${POLLING}`),
  getBrandOrder: says('Read an order (brand)', 'One order with its lines and the shipping accounts for it.'),
  acknowledgeOrder: says(
    'Acknowledge an order',
    `The supplier received the order and intends to fulfill it. ${AGAIN}`,
  ),
  closeOrder: says(
    'Close an order',
    'The supplier is done with the order. Closing a closed order changes nothing.',
  ),
  reopenOrder: says(
    'Reopen an order',
    'Takes the closing of an order back. On an order that is not closed it changes nothing.',
  ),
  createShipment: says(
    'Create a shipment',
    'Reports what was shipped with a label that exists, or lets the service make the label.',
  ),
  getPackingSlip: says('Get a packing slip', 'Generates and returns the packing slip of a shipment, as PDF.'),
  getShippingLabel: says(
    'Get a shipping label',
    'Generates and returns the label of a shipment that was created with `ship_weight`, `ship_width`, `ship_height` and `ship_length`; `valid_shipping_label` tells eligibility.',
  ),
  createInvoice: says(
    'Submit an invoice',
    'One invoice per purchase order, after the order is completely fulfilled and closed. The answer is the full invoice.',
  ),
  listBrandInvoices: says('List invoices (brand)', 'The invoices the supplier submitted.'),
  getBrandInvoice: says('Read an invoice (brand)', 'One invoice.'),
  createVariant: says(
    'Create a variant',
    'A new item out of attributes, of which the identifier is mandatory.',
  ),
  listBrandVariants: says('List variants (brand)', "The supplier's items."),
  getBrandVariant: says('Read a variant (brand)', 'One item with its stock, images and attributes.'),
  updateBrandVariant: says(
    'Change a variant (brand)',
    'Sets attributes of an item, or takes them away. The identifier cannot be changed.',
  ),
}

export const ENDPOINT_WORDS = {
  ...ACCOUNT,
  ...RETAILER,
  ...RETAILER_RECEIPTS,
  ...BRAND,
} satisfies Record<EndpointName, EndpointWords>
