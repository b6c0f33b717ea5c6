/** Orders with only the required fields, one that is canceled whole, and a shipment whose label is not made yet. */
import { invoiceBody, shipmentBody } from '../../service/market.ts'
import { cancelBody, done, LABEL, ordered, RETURN, shipped, setSwitches, type World } from '../world.ts'
import {
  BARE_ADDRESS,
  FEDEX,
  FEDEX_METHODS,
  hoursAfter,
  inBoth,
  type Sample,
  summaryOf,
  tick,
  type Expected,
} from './expected.ts'

/** One order that was shipped, invoiced, returned and credited, one untouched, and one that asks for a service level. */
export async function makeBareOrders(world: World): Promise<Sample[]> {
  const received = tick(world)
  const untouched = await ordered(world)
  const requested = await ordered(world)
  await done(world.admin.patch(`orders/${requested.id}/`, { requested_shipping_method_id: 3 }))
  return [
    ...inBoth('order', `orders/${untouched.id}/`, expectedUntouched(untouched.id, received)),
    ...inBoth('order', `orders/${requested.id}/`, {
      shipping_method: null,
      requested_shipping_method: REQUESTED,
    }),
    ...(await makeBareTrade(world)),
  ]
}

const REQUESTED = { id: 3, name: 'Ground', description: 'Arrives within 3-7 days after processing' }

function expectedUntouched(id: number, received: string): Expected {
  return {
    id,
    customer_order_number: null,
    retailer_order_number: null,
    sold_to: null,
    ship_to: BARE_ADDRESS,
    bill_to: null,
    ship_from: null,
    requested_shipping_method: null,
    shipment_count: 0,
    gift_message: [],
    subtotal_charged: '56.93',
    status: 'open',
    is_acknowledged: false,
    received_at: received,
    acknowledge_by: hoursAfter(received, 24),
    fulfill_by: hoursAfter(received, 72),
    acknowledged_at: null,
    pickup_on: null,
    closed_at: null,
    canceled_at: null,
    updated_at: received,
    order_lines: [
      { variant: summaryOf('NL-0001'), quantity: 2, quantity_shipped: 0, status: 'open', canceled_at: null },
      { variant: summaryOf('NL-0002'), quantity: 1, quantity_shipped: 0, status: 'open', canceled_at: null },
    ],
    shipments: [],
    cancels: [],
    invoices: [],
    rmas: [],
    credits: [],
    attachments: [],
    ship_to_name2: null,
    ship_to_street2: null,
    ship_to_phone: null,
  }
}

const SHIPPED_AT = '2026-11-18T08:00:00.000Z'

async function makeBareTrade(world: World): Promise<Sample[]> {
  const { brand, admin } = world
  const { id: order, purchase_order_number: number } = await ordered(world)
  const answer = await brand.post('shipments/', shipmentBody(order, { shipped_at: SHIPPED_AT }))
  const { rma_number: _, ...bareReturn } = RETURN
  const returned = tick(world)
  const { id: rma } = await done(admin.post(`orders/${order}/rmas/`, bareReturn))
  const { id: pending } = await done(admin.post(`orders/${order}/rmas/`, bareReturn))
  await done(admin.put(`rmas/${rma}/accept/`))
  const credited = tick(world)
  const { id: credit } = await done(admin.post(`rmas/${rma}/credits/`, { credit_number: 'CM-2' }))
  const invoiced = tick(world)
  const { id: invoice } = await done(brand.post('invoices/', invoiceBody(number)))
  const shipment = expectedShipment(answer.body.id, order)
  return [
    { view: 'retailer', kind: 'shipment', path: `shipments/${answer.body.id}/`, expected: shipment },
    { view: 'brand', kind: 'shipment', answer, expected: shipment },
    ...inBoth('invoice', `invoices/${invoice}/`, { ...EXPECTED_INVOICE, id: invoice, invoiced_at: invoiced }),
    {
      view: 'retailer',
      kind: 'rma',
      path: `rmas/${pending}/`,
      expected: { ...expectedRma(returned), status: 'Pending' },
    },
    {
      view: 'retailer',
      kind: 'rma',
      path: `rmas/${rma}/`,
      expected: { ...expectedRma(returned), status: 'Accepted' },
    },
    { view: 'retailer', kind: 'credit', path: `credits/${credit}/`, expected: expectedCredit(credited) },
  ]
}

const UNSEEN = { is_acknowledged: false, acknowledged_at: null }

function expectedShipment(id: number, order_id: number): Expected {
  return {
    id,
    order_id,
    customer_order_number: null,
    carrier: FEDEX,
    shipping_account: null,
    shipping_method: FEDEX_METHODS[3],
    ship_from_name2: null,
    ship_from_street2: null,
    ship_from_phone: null,
    signature: null,
    ship_weight: null,
    ship_width: null,
    ship_length: null,
    ship_height: null,
    ship_girth: null,
    ship_volume: null,
    label_reference: null,
    tracking_number: 'TRACK-1',
    tracking: { picked_up_at: null, delivered_at: null },
    valid_packing_slip: true,
    valid_shipping_label: false,
    shipped_at: SHIPPED_AT,
    status: 'closed',
    ...UNSEEN,
  }
}

const EXPECTED_INVOICE = {
  terms_discount_percent: null,
  terms_discount_days: null,
  terms_discount_date_due: null,
  remit_to: null,
  subtotal: '26.98',
  charges: [],
  allowances: [],
  due_amount: '26.98',
  ...UNSEEN,
}

/** Issued when it was received, because the request says nothing else. */
function expectedRma(returned: string): Expected {
  return {
    created_by: 'retailer',
    received_at: returned,
    rmad_at: returned,
    rma_number: null,
    reason: 'Item was damaged or defective',
    total_amount: '7.87',
    acknowledged_at: null,
  }
}

/** A credit for the whole return; there was no invoice yet. */
function expectedCredit(credited: string): Expected {
  return {
    invoice: null,
    credit_number: 'CM-2',
    subtotal: '7.87',
    adjustments: [],
    credit_amount: '7.87',
    credited_at: credited,
    credit_lines: [{ variant: summaryOf('NL-0001'), quantity: 1, price: '7.87' }],
    ...UNSEEN,
  }
}

export async function makeCanceledOrder(world: World): Promise<Sample[]> {
  const { id } = await ordered(world)
  const canceled = tick(world)
  const cancel_lines = [
    { variant: { id: 9001 }, quantity: 2 },
    { variant: { id: 9002 }, quantity: 1 },
  ]
  const cancel = await done(world.retailer.post('cancels/', cancelBody(id, { cancel_lines })))
  const line = { quantity_shipped: 0, quantity_returned: 0, status: 'closed', canceled_at: canceled }
  return [
    ...inBoth('order', `orders/${id}/`, {
      status: 'canceled',
      canceled_at: canceled,
      closed_at: null,
      updated_at: canceled,
      order_lines: [
        { ...line, quantity: 2, quantity_canceled: 2 },
        { ...line, quantity: 1, quantity_canceled: 1 },
      ],
    }),
    {
      view: 'retailer',
      kind: 'cancel',
      path: `cancels/${cancel.id}/`,
      expected: {
        order_id: id,
        reason: 'Retailer Requested Cancellation',
        canceled_at: canceled,
        acknowledged_at: null,
        cancel_lines: [
          { variant: summaryOf('NL-0001'), quantity: 2 },
          { variant: summaryOf('NL-0002'), quantity: 1 },
        ],
      },
    },
  ]
}

export async function makeUnlabelled(world: World): Promise<Sample[]> {
  setSwitches(world, { labelMade: 'fetch' })
  const shipment = await shipped(world, LABEL)
  setSwitches(world, { labelMade: 'create' })
  return [
    {
      view: 'retailer',
      kind: 'shipment',
      path: `shipments/${shipment.id}/`,
      expected: { tracking_number: null, shipped_at: null, status: 'open', valid_shipping_label: true },
    },
  ]
}
