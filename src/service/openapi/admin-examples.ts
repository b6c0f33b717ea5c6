/** A body for each endpoint of the administration that takes one. */
import type { ADMIN_ENDPOINTS } from '../admin/endpoints.ts'
import type { ExamplesOf } from './shape.ts'

const ONE_OF_ONE = { variant: { identifier: 'NL-0001' }, quantity: 1 }

export const ADMIN_EXAMPLES = {
  cancelForBrand: {
    cancel: { summary: 'Not enough inventory', value: { reason_id: 2, cancel_lines: [ONE_OF_ONE] } },
  },
  changeOrder: {
    pickup: { summary: 'A pickup is scheduled', value: { pickup_on: '2026-11-24T14:00:00Z' } },
  },
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
