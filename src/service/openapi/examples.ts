/** A body for each endpoint that takes one, as a caller would send it. */
import type { ENDPOINTS } from '../../contract/endpoints.ts'
import { ADMIN_EXAMPLES } from './admin-examples.ts'
import type { Example, ExamplesOf } from './shape.ts'

const SHIP_TO = {
  type: 'residential',
  name1: 'Ann Lee',
  street1: '12 Main St',
  street2: 'Apt 4',
  city: 'Albany',
  province: 'NY',
  postal_code: '12207',
  country: 'US',
  phone1: '518-555-0143',
}

const SHIP_FROM = {
  ship_from_name1: 'Northlight Warehouse',
  ship_from_street1: '1 Dock Rd',
  ship_from_city: 'Newark',
  ship_from_province: 'NJ',
  ship_from_postal_code: '07101',
  ship_from_country: 'US',
  ship_from_phone: '973-555-0188',
}

const TWO_OF_ONE = { variant: { identifier: 'NL-0001' }, quantity: 2 }

const API_EXAMPLES = {
  token: {
    credentials: {
      summary: 'Client credentials',
      value: { grant_type: 'client_credentials', client_id: '<CLIENT_ID>', client_secret: '<CLIENT_SECRET>' },
    },
  },
  createOrder: {
    order: {
      summary: 'Two lines to a home',
      value: {
        purchase_order_number: 'PO-1001',
        customer_order_number: 'WEB-77120',
        ordered_at: '2026-11-20T18:30:00Z',
        ship_to: SHIP_TO,
        gift_message: ['Happy birthday!', '', 'Yours, Max'],
        shipping_method: { code: 'FEDEX_GROUND', carrier: { code: 'FDEG' } },
        order_lines: [
          { ...TWO_OF_ONE, net_price: '7.87', price: '16.73' },
          { variant: { identifier: 'NL-0003' }, quantity: 1, net_price: '11.24', price: '23.47' },
        ],
      },
    },
  },
  createCancel: {
    cancel: { summary: 'Two units', value: { order_id: 5001, reason_id: 1, cancel_lines: [TWO_OF_ONE] } },
  },
  createShipment: {
    labelled: {
      summary: 'The label exists',
      value: {
        order_id: 5001,
        ...SHIP_FROM,
        shipped_at: '2026-11-21T02:15:00Z',
        carrier_id: 1,
        shipping_method_id: 3,
        tracking_number: '794600000012',
        shipment_lines: [{ variant: { brand_identifier: 'NL-0001' }, quantity: 2 }],
      },
    },
    'to-be-labelled': {
      summary: 'The service makes the label',
      value: {
        order_id: 5001,
        ...SHIP_FROM,
        shipping_account_id: 6001,
        shipping_method_id: 3,
        label_reference: 'Bin 12',
        ship_weight: '2.5',
        ship_width: '8',
        ship_length: '12',
        ship_height: '4.5',
        shipment_lines: [{ variant: { brand_identifier: 'NL-0001' }, quantity: 2 }],
      },
    },
  },
  createInvoice: {
    invoice: {
      summary: 'Two lines, due in thirty days',
      value: {
        purchase_order_number: 'PO-1001',
        invoice_number: 'INV-1001',
        terms_net_days_due: 30,
        terms_date_due: '2026-12-21',
        due_amount: '26.98',
        invoice_lines: [
          { ...TWO_OF_ONE, net_price: '7.87' },
          { variant: { identifier: 'NL-0003' }, quantity: 1, net_price: '11.24' },
        ],
      },
    },
  },
  createVariant: {
    variant: {
      summary: 'An item with a price, stock and an image',
      value: {
        attributes: [
          { attribute: { code: 'identifier' }, value: 'NL-2001' },
          { attribute: { code: 'name' }, value: 'Desk lamp' },
          { attribute: { code: 'upc' }, value: '086000200118' },
          { attribute: { code: 'color' }, value: 'Brass' },
          { attribute: { code: 'cost' }, value: '31.50' },
          { attribute: { code: 'inventory' }, value: 40 },
          { attribute: { code: 'image_1' }, value: 'https://media.example.com/nl-2001.jpg' },
        ],
      },
    },
  },
  updateBrandVariant: {
    stock: {
      summary: 'Other stock, and no color',
      value: {
        attributes: [
          { attribute: { code: 'inventory' }, value: 12 },
          { attribute: { code: 'color' }, value: null },
        ],
      },
    },
  },
  updateRetailerVariant: {
    sku: {
      summary: "The retailer's own SKU",
      value: {
        attributes: [{ attribute: { code: 'retailer_sku' }, value: 'HM-88001', retailer: { id: 1000 } }],
      },
    },
  },
} satisfies ExamplesOf<typeof ENDPOINTS>

/** By the name of the endpoint. */
export const REQUEST_EXAMPLES: ReadonlyMap<string, Readonly<Record<string, Example>>> = new Map(
  Object.entries({ ...API_EXAMPLES, ...ADMIN_EXAMPLES }),
)
