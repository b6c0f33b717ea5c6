/** Resources as the service shows them, full and bare, taken apart into all their objects. */
import { invoiceBody, orderBody, shipmentBody } from '../service/market.ts'
import type { View } from './rows/row.ts'
import {
  attributesBody,
  canceled,
  cancelBody,
  done,
  LABEL,
  openWorld,
  ordered,
  RETURN,
  shipped,
  turn,
  type World,
} from './world.ts'

type Shown = Readonly<Record<string, unknown>>

export interface Samples {
  /** Every object of the kind that was seen in the view. */
  of(resource: string, view: View): readonly Shown[]
}

export async function collectSamples(): Promise<Samples> {
  const world = await openWorld()
  try {
    return await collect(world)
  } finally {
    await world.close()
  }
}

async function collect(world: World): Promise<Samples> {
  const found = new Map<string, Shown[]>()
  const keep = (resource: string, view: View, shown: unknown) => {
    const key = `${view} ${resource}`
    if (shown !== null && shown !== undefined) found.set(key, [...(found.get(key) ?? []), shown as Shown])
  }
  const keepWith = (view: View, kind: keyof typeof PARTS, resource: Shown) => {
    keep(kind, view, resource)
    for (const [key, part] of Object.entries(PARTS[kind])) {
      for (const one of partsIn(resource[key], part)) keepPart(view, part, one)
    }
  }
  const keepPart = (view: View, part: string, shown: unknown) => {
    if (part in PARTS && shown !== null && shown !== undefined) {
      keepWith(view, part as keyof typeof PARTS, shown as Shown)
    } else keep(part, view, shown)
  }
  for (const { view, kind, path } of await make(world)) {
    const shown = await world[view].get(path)
    if (shown.status === 200) keepWith(view, kind, shown.body)
  }
  for (const created of await makeShipments(world)) keepWith('brand', 'shipment', created)
  return { of: (resource, view) => found.get(`${view} ${resource}`) ?? [] }
}

/** One object, the items of an array, or the attributes that stand under their codes. */
function partsIn(value: unknown, part: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  return part === 'attribute' ? Object.values(value ?? {}) : [value]
}

/** Where the objects inside a resource are, and what they are. */
const PARTS = {
  order: {
    sold_to: 'address',
    ship_to: 'address',
    shipping_method: 'shipping_method',
    requested_shipping_method: 'requested_shipping_method',
    shipping_accounts: 'shipping_account',
    order_lines: 'order_line',
  },
  order_line: { variant: 'variant_summary' },
  shipment: { shipping_method: 'shipping_method', ship_from: 'address', shipment_lines: 'shipment_line' },
  shipment_line: { variant: 'variant_summary' },
  invoice: { remit_to: 'address', invoice_lines: 'invoice_line' },
  invoice_line: { variant: 'variant_summary' },
  cancel: { cancel_lines: 'cancel_line' },
  cancel_line: { variant: 'variant_summary' },
  credit: { credit_lines: 'credit_line' },
  credit_line: { variant: 'variant_summary' },
  rma: { rma_lines: 'rma_line' },
  rma_line: { variant: 'variant_summary', order_line: 'order_line' },
  connection: { shipping_methods: 'shipping_method' },
  carrier: {},
  variant: { inventory: 'inventory', media: 'media', attributes: 'attribute' },
} as const satisfies Record<string, Readonly<Record<string, string>>>

interface Sample {
  readonly view: View
  readonly kind: keyof typeof PARTS
  readonly path: string
}

const inBoth = (kind: Sample['kind'], path: string): Sample[] => [
  { view: 'retailer', kind, path },
  { view: 'brand', kind, path },
]

const { ship_to } = orderBody('')

const FULL_ADDRESS = {
  ...ship_to,
  type: 'residential',
  name2: 'Lee & Co',
  street2: 'Apt 3',
  phone1: '518 555 0100',
  phone2: '518 555 0101',
  fax: '518 555 0102',
  email: 'ann@example.com',
}

const FULL_ORDER = {
  customer_order_number: 'C-1',
  sold_to: FULL_ADDRESS,
  ship_to: FULL_ADDRESS,
  gift_message: ['Enjoy', '', 'Ann'],
}

const FULL_VARIANT = {
  name: 'Throw',
  description: 'Warm.',
  upc: '086000999999',
  parent_identifier: 'THROWS',
  parent_name: 'Throws',
  color: 'Rust',
  size: 'L',
  inventory: '5',
  cost: '12.50',
  image_1: 'https://images.example.com/throw.jpg',
}

/** Makes the resources and says where they are read. */
async function make(world: World): Promise<Sample[]> {
  const full = await ordered(world, FULL_ORDER)
  await done(world.brand.put(`orders/${full.id}/acknowledge/`))
  const known = { retailer_order_number: 'R-1', pickup_on: '2026-11-22T12:00:00Z' }
  await done(world.admin.patch(`orders/${full.id}/`, known))
  await done(world.admin.patch('connections/100/', { signature_required: true }))
  const shipment = await done(world.brand.post('shipments/', shipmentBody(full.id, FULL_SHIPMENT)))
  await done(world.retailer.put(`shipments/${shipment.id}/acknowledge/`))
  await done(world.admin.put(`shipments/${shipment.id}/pick-up/`))
  await done(world.admin.put(`shipments/${shipment.id}/deliver/`))
  await done(world.admin.patch('connections/100/', { signature_required: false }))
  const bareShipment = await shipped(world)
  const invoice = await done(world.brand.post('invoices/', invoiceBody(full.purchase_order_number)))
  await done(world.retailer.put(`invoices/${invoice.id}/acknowledge/`))
  await done(world.admin.patch(`invoices/${invoice.id}/`, FULL_INVOICE))
  const { purchase_order_number } = bareShipment
  const bareInvoice = await done(world.brand.post('invoices/', invoiceBody(purchase_order_number)))
  const bare = await ordered(world)
  const requested = await ordered(world)
  await done(world.admin.patch(`orders/${requested.id}/`, { requested_shipping_method_id: 3 }))
  return [
    ...(await makeReturns(world, full.id)),
    ...inBoth('order', `orders/${requested.id}/`),
    ...inBoth('order', `orders/${full.id}/`),
    ...inBoth('order', `orders/${bare.id}/`),
    { view: 'retailer', kind: 'shipment', path: `shipments/${shipment.id}/` },
    { view: 'retailer', kind: 'shipment', path: `shipments/${bareShipment.id}/` },
    ...inBoth('invoice', `invoices/${invoice.id}/`),
    ...inBoth('invoice', `invoices/${bareInvoice.id}/`),
    ...(await makeCancels(world)),
    ...(await makeVariants(world)),
    ...(await makeCarriers(world)),
  ]
}

const FULL_INVOICE = {
  terms_discount_percent: 2,
  terms_discount_days: 10,
  terms_discount_date_due: '2026-12-01',
  remit_to: FULL_ADDRESS,
  charges: [{ type: 'Service Fee', description: 'Gift wrap', amount: '5.00' }],
  allowances: [{ type: 'Promotion Allowance', amount: '1.00' }],
}

const FULL_SHIPMENT = {
  ...LABEL,
  ship_from_name2: 'Dock 4',
  ship_from_street2: 'Gate B',
  ship_from_phone: '973 555 0100',
  label_reference: 'Handle with care',
}

/** As answers to their creation: a brand has no other way to see a shipment. The last one has no label yet. */
async function makeShipments(world: World): Promise<Shown[]> {
  const made = [await shipped(world, FULL_SHIPMENT, FULL_ORDER), await shipped(world)]
  turn(world, { labelMade: 'fetch' })
  return [...made, await shipped(world, FULL_SHIPMENT)]
}

/** A return with everything and one with nothing, each with its credit; the second order has no invoice. */
async function makeReturns(world: World, orderId: number): Promise<Sample[]> {
  const { admin, retailer } = world
  const full = await done(admin.post(`orders/${orderId}/rmas/`, RETURN))
  const { rma_number: _, ...bareReturn } = RETURN
  const shipment = await shipped(world)
  const bare = await done(admin.post(`orders/${shipment.order_id}/rmas/`, bareReturn))
  for (const { id } of [full, bare]) await done(admin.put(`rmas/${id}/accept/`))
  await done(retailer.put(`rmas/${full.id}/acknowledge/`))
  const adjustments = [{ type: 'Restocking Fee', description: null, amount: '-1.00' }]
  const credit = await done(admin.post(`rmas/${full.id}/credits/`, { credit_number: 'CM-1', adjustments }))
  await done(retailer.put(`credits/${credit.id}/acknowledge/`))
  const bareCredit = await done(admin.post(`rmas/${bare.id}/credits/`, { credit_number: 'CM-2' }))
  return [
    { view: 'retailer', kind: 'rma', path: `rmas/${full.id}/` },
    { view: 'retailer', kind: 'rma', path: `rmas/${bare.id}/` },
    { view: 'retailer', kind: 'credit', path: `credits/${credit.id}/` },
    { view: 'retailer', kind: 'credit', path: `credits/${bareCredit.id}/` },
  ]
}

/** A carrier with a method that is nothing but its name and code joins those of the market. */
async function makeCarriers({ admin }: World): Promise<Sample[]> {
  const plain = { name: 'Bicycle', code: 'BIKE' }
  const { id, shipping_methods } = await done(
    admin.post('carriers/', { name: 'Messenger', code: 'MSGR', shipping_methods: [plain] }),
  )
  await done(admin.patch('connections/101/', { shipping_method_ids: [10, shipping_methods[0].id] }))
  return [
    ...[1, id].map((one) => ({ view: 'retailer', kind: 'carrier', path: `/v1/carriers/${one}/` }) as const),
    ...[100, 101].map(
      (one) => ({ view: 'retailer', kind: 'connection', path: `connections/${one}/` }) as const,
    ),
  ]
}

async function makeCancels(world: World): Promise<Sample[]> {
  const seen = await canceled(world)
  await done(world.retailer.put(`cancels/${seen.id}/acknowledge/`))
  const unseen = await canceled(world)
  const whole = await ordered(world)
  const cancel_lines = [
    { variant: { id: 9001 }, quantity: 2 },
    { variant: { id: 9002 }, quantity: 1 },
  ]
  await done(world.retailer.post('cancels/', cancelBody(whole.id, { cancel_lines })))
  return [
    { view: 'retailer', kind: 'cancel', path: `cancels/${seen.id}/` },
    { view: 'retailer', kind: 'cancel', path: `cancels/${unseen.id}/` },
    ...inBoth('order', `orders/${whole.id}/`),
  ]
}

/** Items, and an order of them: lines show of an item what it had when the order is read. */
async function makeVariants(world: World): Promise<Sample[]> {
  const { brand, retailer } = world
  const bare = await done(brand.post('variants/', attributesBody({ identifier: 'BARE' })))
  await done(brand.patch('variants/9001/', attributesBody(FULL_VARIANT)))
  const locations = [{ code: 'NEWARK', inventory: 5 }]
  await done(world.admin.patch('variants/9001/stock/', { locations }))
  await done(retailer.put('variants/9001/acknowledge/'))
  const line = { quantity: 1, net_price: '7.87', price: '16.73' }
  const order_lines = [9001, bare.id].map((id) => ({ ...line, variant: { id } }))
  const { id } = await ordered(world, { order_lines })
  return [
    ...inBoth('order', `orders/${id}/`),
    ...inBoth('variant', 'variants/9001/'),
    ...inBoth('variant', 'variants/9002/'),
    { view: 'brand', kind: 'variant', path: `variants/${bare.id}/` },
  ]
}
