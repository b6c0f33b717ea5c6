/** An example body for each endpoint that takes one. */
import type { ENDPOINTS } from '../../contract/endpoints.ts'
import type { ADMIN_ENDPOINTS } from '../endpoints.ts'
import type { Example, ExamplesOf } from './json-schema.ts'

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

// Endpoints of the administration.

const ONE_OF_ONE = { variant: { identifier: 'NL-0001' }, quantity: 1 }

const ADMIN_EXAMPLES = {
  cancelForBrand: {
    cancel: { summary: 'Not enough inventory', value: { reason_id: 2, cancel_lines: [ONE_OF_ONE] } },
  },
  changeOrder: { pickup: { summary: 'A pickup is scheduled', value: { pickup_on: '2026-11-24T14:00:00Z' } } },
  createRma: {
    rma: {
      summary: 'One unit comes back',
      value: {
        created_by: 'brand',
        reason: 'Item was damaged or defective',
        rma_number: 'RMA-17',
        rma_lines: [ONE_OF_ONE],
      },
    },
  },
  createCredit: {
    credit: {
      summary: 'All of the return, less a fee',
      value: {
        credit_number: 'CR-17',
        adjustments: [{ type: 'Restocking Fee', description: null, amount: '-2.00' }],
      },
    },
  },
  changeInvoice: {
    charges: {
      summary: 'A fee on top',
      value: {
        charges: [{ type: 'Service Fee', description: 'Rush handling', amount: '4.50' }],
        terms_discount_percent: 2,
        terms_discount_days: 10,
      },
    },
  },
  changeStock: {
    stock: {
      summary: 'Stock of two warehouses',
      value: {
        locations: [
          { code: 'EAST', inventory: 25 },
          { code: 'WEST', inventory: 15 },
        ],
      },
    },
  },
  createParty: {
    retailer: {
      summary: 'A retailer',
      value: { kind: 'retailer', name: 'Maple Home', code: 'MAPLE', acknowledge_within_hours: 24 },
    },
  },
  createClient: { client: { summary: 'A client that may only read', value: { scope: 'read' } } },
  createCarrier: {
    carrier: {
      summary: 'A carrier with one method',
      value: {
        name: 'Harbor Freight Lines',
        code: 'HBFL',
        shipping_methods: [{ name: 'Harbor LTL', code: 'HARBOR_LTL', type: 'ltl' }],
      },
    },
  },
  createConnection: {
    connection: {
      summary: 'Open for orders at once',
      value: {
        retailer_id: 1000,
        brand_id: 2000,
        level: 'Full',
        status: 'Active',
        fulfill_within_hours: 48,
        shipping_method_ids: [3],
      },
    },
  },
  changeConnection: { hold: { summary: 'On hold', value: { status: 'Suspended' } } },
  createShippingAccount: {
    account: {
      summary: "The retailer's account with a carrier",
      value: { carrier_id: 1, nickname: 'Main account', owner_type: 'retailer', shipping_method_ids: [3] },
    },
  },
  turnSwitches: {
    faults: { summary: 'Every tenth answer is lost', value: { loseAnswer: 0.1, faultSeed: 7 } },
  },
} satisfies ExamplesOf<typeof ADMIN_ENDPOINTS>

/** By the name of the endpoint. */
export const REQUEST_EXAMPLES: ReadonlyMap<string, Readonly<Record<string, Example>>> = new Map(
  Object.entries({ ...API_EXAMPLES, ...ADMIN_EXAMPLES }),
)
