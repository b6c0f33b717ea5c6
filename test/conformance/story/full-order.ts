/** An order with every field: canceled in part, shipped, invoiced, returned and credited. */
import { done, type World } from '../world.ts'
import {
  BRAND,
  FEDEX,
  FEDEX_METHODS,
  hoursAfter,
  inBoth,
  REMIT_TO,
  RETAILER,
  type Sample,
  SHIP_TO,
  SOLD_TO,
  summaryOf,
  tick,
  type Expected,
} from './expected.ts'

const ITEMS = { one: summaryOf('NL-0003'), two: summaryOf('NL-0010') }
const NUMBERS = { purchase_order_number: 'PO-FULL', customer_order_number: 'C-1' }
const ORDERED_AT = '2026-11-19T18:30:00.000Z'
const RMAD_AT = '2026-11-18T09:00:00.000Z'
const PARTIES = { retailer: RETAILER, brand: BRAND }

/** Five of the first item, of which one is canceled and two come back; three of the second. */
const LINES = [
  { variant: { id: 9003 }, quantity: 5, net_price: '7.87', price: '16.73' },
  { variant: { id: 9010 }, quantity: 3, net_price: '9.01', price: '20.02' },
]

/** The ids of what happened, and the times. */
interface Course {
  readonly ids: Readonly<Record<'order' | 'cancel' | 'shipment' | 'invoice' | 'rma' | 'credit', number>>
  readonly at: Readonly<Record<Event, string>>
}

type Event =
  | 'placed'
  | 'canceled'
  | 'cancelSeen'
  | 'acknowledged'
  | 'shipped'
  | 'shipmentSeen'
  | 'pickedUp'
  | 'delivered'
  | 'invoiced'
  | 'invoiceSeen'
  | 'returned'
  | 'returnSeen'
  | 'credited'
  | 'creditSeen'

export async function makeFullOrder(world: World): Promise<Sample[]> {
  const opening = await place(world)
  const carriage = await ship(world, opening.order)
  const billing = await bill(world, opening.order)
  const { answer } = carriage
  const course: Course = {
    ids: { ...opening.ids, ...billing.ids, shipment: answer.body.id },
    at: { ...opening.at, ...carriage.at, ...billing.at },
  }
  const { ids } = course
  const unseen = { is_acknowledged: false, acknowledged_at: null, ...parcel(null, null) }
  return [
    ...inBoth('order', `orders/${ids.order}/`, expectedOrder(course)),
    { view: 'retailer', kind: 'cancel', path: `cancels/${ids.cancel}/`, expected: expectedCancel(course) },
    {
      view: 'retailer',
      kind: 'shipment',
      path: `shipments/${ids.shipment}/`,
      expected: expectedShipment(course),
    },
    { view: 'brand', kind: 'shipment', answer, expected: { ...expectedShipment(course), ...unseen } },
    ...inBoth('invoice', `invoices/${ids.invoice}/`, expectedInvoice(course)),
    { view: 'retailer', kind: 'rma', path: `rmas/${ids.rma}/`, expected: expectedRma(course) },
    { view: 'retailer', kind: 'credit', path: `credits/${ids.credit}/`, expected: expectedCredit(course) },
  ]
}

const ORDER = {
  ...NUMBERS,
  ordered_at: ORDERED_AT,
  sold_to: SOLD_TO,
  ship_to: SHIP_TO,
  gift_message: ['Enjoy', '', 'Ann'],
  shipping_method: { code: 'FEDEX_GROUND', carrier: { code: 'FDEG' } },
  order_lines: LINES,
}

async function place(world: World) {
  const { retailer, brand, admin } = world
  const placed = tick(world)
  const { id: order } = await done(retailer.post('orders/', ORDER))
  const canceled = tick(world)
  const cancel_lines = [{ variant: { id: 9003 }, quantity: 1 }]
  const wish = { order_id: order, reason_id: 3, cancel_lines }
  const { id: cancel } = await done(retailer.post('cancels/', wish))
  const cancelSeen = tick(world)
  await done(retailer.put(`cancels/${cancel}/acknowledge/`))
  const acknowledged = tick(world)
  await done(brand.put(`orders/${order}/acknowledge/`))
  tick(world)
  await done(admin.patch(`orders/${order}/`, { retailer_order_number: 'R-1', pickup_on: PICKUP_ON }))
  return { order, ids: { order, cancel }, at: { placed, canceled, cancelSeen, acknowledged } }
}

const PICKUP_ON = '2026-11-22T12:00:00.000Z'

const ORIGIN = {
  ship_from_name1: 'Northlight Warehouse',
  ship_from_name2: 'Dock 4',
  ship_from_street1: '1 Dock Rd',
  ship_from_street2: 'Gate B',
  ship_from_city: 'Newark',
  ship_from_province: 'NJ',
  ship_from_postal_code: '07101',
  ship_from_country: 'US',
  ship_from_phone: '973 555 0400',
}

const CARTON = { ship_weight: '5.5', ship_width: '4', ship_length: '12', ship_height: '6' }

async function ship(world: World, order: number) {
  const { retailer, brand, admin } = world
  await done(admin.patch('connections/100/', { signature_required: true }))
  const shipped = tick(world)
  const answer = await brand.post('shipments/', {
    order_id: order,
    ...ORIGIN,
    ...CARTON,
    shipping_account_id: 500,
    shipping_method_id: 4,
    label_reference: 'Handle with care',
    shipment_lines: [
      { variant: { brand_identifier: 'NL-0003' }, quantity: 4 },
      { variant: { brand_identifier: 'NL-0010' }, quantity: 3 },
    ],
  })
  await done(admin.patch('connections/100/', { signature_required: false }))
  const path = `shipments/${answer.body.id}/`
  const shipmentSeen = tick(world)
  await done(retailer.put(`${path}acknowledge/`))
  const pickedUp = tick(world)
  await done(admin.put(`${path}pick-up/`))
  const delivered = tick(world)
  await done(admin.put(`${path}deliver/`))
  return { answer, at: { shipped, shipmentSeen, pickedUp, delivered } }
}

const TERMS = { terms_net_days_due: 30, terms_date_due: '2026-12-21' }
const DISCOUNT = {
  terms_discount_percent: 2,
  terms_discount_days: 10,
  terms_discount_date_due: '2026-12-01',
}
const CHARGES = [{ type: 'Service Fee', description: 'Gift wrap', amount: '5.00' }]
const ALLOWANCES = [{ type: 'Promotion Allowance', description: 'Autumn', amount: '1.00' }]
const ADJUSTMENTS = [{ type: 'Restocking Fee', description: 'Box torn', amount: '-1.00' }]

async function bill(world: World, order: number) {
  const { retailer, brand, admin } = world
  const invoiced = tick(world)
  const { id: invoice } = await done(
    brand.post('invoices/', {
      purchase_order_number: 'PO-FULL',
      invoice_number: 'INV-1',
      ...TERMS,
      due_amount: '58.51',
      invoice_lines: [
        { variant: { id: 9003 }, quantity: 4, net_price: '7.87' },
        { variant: { id: 9010 }, quantity: 3, net_price: '9.01' },
      ],
    }),
  )
  const invoiceSeen = tick(world)
  await done(retailer.put(`invoices/${invoice}/acknowledge/`))
  const adjusted = { ...DISCOUNT, remit_to: REMIT_TO, charges: CHARGES, allowances: ALLOWANCES }
  await done(admin.patch(`invoices/${invoice}/`, adjusted))
  const returned = tick(world)
  const { id: rma } = await done(
    admin.post(`orders/${order}/rmas/`, {
      created_by: 'brand',
      reason: 'Customer Disposition',
      rma_number: 'RMA-1',
      rmad_at: RMAD_AT,
      rma_lines: [{ variant: { id: 9003 }, quantity: 2 }],
    }),
  )
  const returnSeen = tick(world)
  await done(retailer.put(`rmas/${rma}/acknowledge/`))
  tick(world)
  await done(admin.put(`rmas/${rma}/accept/`))
  const credited = tick(world)
  const { id: credit } = await done(
    admin.post(`rmas/${rma}/credits/`, {
      credit_number: 'CM-1',
      credit_lines: [{ variant: { id: 9003 }, quantity: 1, price: '7.50' }],
      adjustments: ADJUSTMENTS,
    }),
  )
  const creditSeen = tick(world)
  await done(retailer.put(`credits/${credit}/acknowledge/`))
  return {
    ids: { invoice, rma, credit },
    at: { invoiced, invoiceSeen, returned, returnSeen, credited, creditSeen },
  }
}

function expectedOrder({ ids, at }: Course): Expected {
  return {
    id: ids.order,
    ...PARTIES,
    brands: [BRAND],
    ...NUMBERS,
    retailer_order_number: 'R-1',
    sold_to: SOLD_TO,
    ship_to: SHIP_TO,
    bill_to: SOLD_TO,
    ship_from: originAddress(),
    shipping_method: FEDEX_METHODS[3],
    requested_shipping_method: null,
    shipment_count: 1,
    gift_message: ['Enjoy', '', 'Ann'],
    subtotal_charged: '143.71',
    status: 'closed',
    is_acknowledged: true,
    acknowledge_by: hoursAfter(at.placed, 24),
    fulfill_by: hoursAfter(at.placed, 120),
    received_at: at.placed,
    ordered_at: ORDERED_AT,
    acknowledged_at: at.acknowledged,
    pickup_on: PICKUP_ON,
    closed_at: at.shipped,
    canceled_at: null,
    updated_at: at.credited,
    shipping_accounts: [ACCOUNT],
    order_lines: [firstLine(at.placed), secondLine(at.placed)],
    ...expectedAttached({ ids, at }),
    ...flatDestination(),
  }
}

const ACCOUNT = {
  id: 500,
  nickname: 'Harbor & Vine FedEx',
  owner_type: 'retailer',
  carrier: FEDEX,
  shipping_methods: Object.values(FEDEX_METHODS).map(({ id, name, code }) => ({ id, name, code })),
}

function firstLine(placed: string): Expected {
  return {
    order_line_number: '1',
    variant: ITEMS.one,
    quantity: 5,
    quantity_shipped: 4,
    quantity_returned: 2,
    quantity_canceled: 1,
    net_price: '7.87',
    price: '16.73',
    subtotal: '83.65',
    shipping_charged: '0.00',
    subtotal_charged: '83.65',
    tax_charged: '0.00',
    fulfill_by: hoursAfter(placed, 72),
    status: 'closed',
    canceled_at: null,
  }
}

/** The item has a lead time of two days. */
function secondLine(placed: string): Expected {
  return {
    order_line_number: '2',
    variant: ITEMS.two,
    quantity: 3,
    quantity_shipped: 3,
    quantity_returned: 0,
    quantity_canceled: 0,
    net_price: '9.01',
    price: '20.02',
    subtotal: '60.06',
    fulfill_by: hoursAfter(placed, 120),
    status: 'closed',
  }
}

function expectedAttached({ ids, at }: Course): Expected {
  return {
    shipments: [
      {
        id: ids.shipment,
        shipped_at: at.shipped,
        status: 'closed',
        shipment_lines: [
          { order_line_number: '1', part: 1, quantity: 4 },
          { order_line_number: '2', part: 1, quantity: 3 },
        ],
      },
    ],
    cancels: [
      {
        id: ids.cancel,
        reason: "Can't Meet Fulfillment Deadline",
        canceled_at: at.canceled,
        cancel_lines: [{ order_line_number: '1', quantity: 1 }],
      },
    ],
    invoices: [{ id: ids.invoice, invoice_number: 'INV-1', due_amount: '62.51', invoiced_at: at.invoiced }],
    rmas: [{ id: ids.rma, rma_number: 'RMA-1', status: 'Accepted', rmad_at: RMAD_AT }],
    credits: [{ id: ids.credit, credit_number: 'CM-1', credit_amount: '6.50', credited_at: at.credited }],
  }
}

function flatDestination(): Expected {
  return {
    ship_to_name1: SHIP_TO.name1,
    ship_to_name2: SHIP_TO.name2,
    ship_to_street1: SHIP_TO.street1,
    ship_to_street2: SHIP_TO.street2,
    ship_to_city: SHIP_TO.city,
    ship_to_province: SHIP_TO.province,
    ship_to_postal_code: SHIP_TO.postal_code,
    ship_to_country: SHIP_TO.country,
    ship_to_phone: SHIP_TO.phone1,
  }
}

function originAddress(): Expected {
  return {
    type: null,
    name1: ORIGIN.ship_from_name1,
    name2: ORIGIN.ship_from_name2,
    street1: ORIGIN.ship_from_street1,
    street2: ORIGIN.ship_from_street2,
    city: ORIGIN.ship_from_city,
    province: ORIGIN.ship_from_province,
    postal_code: ORIGIN.ship_from_postal_code,
    country: ORIGIN.ship_from_country,
    phone1: ORIGIN.ship_from_phone,
    phone2: null,
    fax: null,
    email: null,
  }
}

function expectedCancel({ ids, at }: Course): Expected {
  return {
    id: ids.cancel,
    order_id: ids.order,
    reason: "Can't Meet Fulfillment Deadline",
    canceled_at: at.canceled,
    acknowledged_at: at.cancelSeen,
    cancel_lines: [{ variant: ITEMS.one, quantity: 1 }],
  }
}

function expectedShipment({ ids, at }: Course): Expected {
  return {
    id: ids.shipment,
    order_id: ids.order,
    brand: BRAND,
    ...NUMBERS,
    ordered_at: ORDERED_AT,
    carrier: FEDEX,
    shipping_account: { id: 500, nickname: 'Harbor & Vine FedEx', carrier: FEDEX },
    shipping_method: FEDEX_METHODS[4],
    ship_from: originAddress(),
    ...ORIGIN,
    signature: 'required',
    ...CARTON,
    ship_girth: '32',
    ship_volume: '288',
    batch_number: 20_261_121,
    label_reference: 'Handle with care',
    ...parcel(at.pickedUp, at.delivered),
    valid_packing_slip: true,
    valid_shipping_label: true,
    shipped_at: at.shipped,
    acknowledged_at: at.shipmentSeen,
    status: 'closed',
    is_acknowledged: true,
    shipment_lines: [
      { order_line_number: '1', part: 1, variant: ITEMS.one, quantity: 4 },
      { order_line_number: '2', part: 1, variant: ITEMS.two, quantity: 3 },
    ],
  }
}

function parcel(picked_up_at: string | null, delivered_at: string | null): Expected {
  return { tracking: { picked_up_at, delivered_at }, picked_up_at, delivered_at }
}

function expectedInvoice({ ids, at }: Course): Expected {
  return {
    id: ids.invoice,
    ...PARTIES,
    currency: 'USD',
    purchase_order_number: 'PO-FULL',
    invoice_number: 'INV-1',
    ...TERMS,
    ...DISCOUNT,
    remit_to: REMIT_TO,
    subtotal: '58.51',
    charges: CHARGES,
    allowances: ALLOWANCES,
    due_amount: '62.51',
    is_acknowledged: true,
    invoiced_at: at.invoiced,
    acknowledged_at: at.invoiceSeen,
    invoice_lines: [
      { invoice_line_number: 1, variant: ITEMS.one, quantity: 4, price: '7.87' },
      { invoice_line_number: 2, variant: ITEMS.two, quantity: 3, price: '9.01' },
    ],
  }
}

function expectedRma({ ids, at }: Course): Expected {
  return {
    id: ids.rma,
    ...PARTIES,
    created_by: 'brand',
    purchase_order_number: 'PO-FULL',
    ordered_at: ORDERED_AT,
    received_at: at.returned,
    rmad_at: RMAD_AT,
    acknowledged_at: at.returnSeen,
    rma_number: 'RMA-1',
    reason: 'Customer Disposition',
    status: 'Accepted',
    total_amount: '15.74',
    rma_lines: [{ variant: ITEMS.one, quantity: 2, order_line: firstLine(at.placed) }],
    attachments: [],
    memos: [],
  }
}

function expectedCredit({ ids, at }: Course): Expected {
  return {
    id: ids.credit,
    ...PARTIES,
    currency: 'USD',
    order: { id: ids.order, purchase_order_number: 'PO-FULL', ordered_at: ORDERED_AT },
    rma: { id: ids.rma, rma_number: 'RMA-1', rmad_at: RMAD_AT },
    invoice: { id: ids.invoice, invoice_number: 'INV-1', invoiced_at: at.invoiced },
    credit_number: 'CM-1',
    subtotal: '7.50',
    adjustments: ADJUSTMENTS,
    credit_amount: '6.50',
    is_acknowledged: true,
    credited_at: at.credited,
    acknowledged_at: at.creditSeen,
    credit_lines: [{ variant: ITEMS.one, quantity: 1, price: '7.50' }],
  }
}
