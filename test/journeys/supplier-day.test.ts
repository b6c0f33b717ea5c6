/** A supplier's day, from its own configuration and its own files: every file, state and acknowledgement is checked. */
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aDay, type Day, type Json } from '../fixtures/day.ts'

const INBOUND = (route: string, operation: string, mapping: string, more = '') => `
  ${route}:
    brand: 2000
    operation: ${operation}
    mapping: ${mapping}
    from: { mailbox: erp, folder: inbox/${route}, stableFor: 0ms }
    results: { mailbox: erp }
${more}`

const DOCUMENTS = `    documents: { mailbox: warehouse, folder: papers }\n`

const THEN = `    steps:
      - { operation: close-order, when: shipped }
      - { operation: create-invoice, mapping: of-parcels.yaml, waitFor: 30m }
`

const ROUTES = `
  new-orders:
    brand: 2000
    operation: export-orders
    mapping: MAPPINGS/orders-export.yaml
    to: { mailbox: erp, folder: outbox, name: "orders-{seq}.csv" }
${INBOUND('parcels', 'create-shipment', 'MAPPINGS/supplier-shipments.yaml', DOCUMENTS)}
${INBOUND('to-label', 'create-shipment', 'to-label.yaml', DOCUMENTS)}
${INBOUND('late-invoices', 'create-invoice', 'MAPPINGS/supplier-invoices.yaml', '    waitFor: 2h\n')}
${INBOUND('late-closings', 'close-order', 'MAPPINGS/supplier-closings.yaml', '    when: shipped\n    waitFor: 2h\n')}
${INBOUND('fulfil', 'create-shipment', 'MAPPINGS/supplier-shipments.yaml', DOCUMENTS + THEN)}
${INBOUND('closings', 'close-order', 'MAPPINGS/supplier-closings.yaml')}
${INBOUND('invoices', 'create-invoice', 'MAPPINGS/supplier-invoices.yaml', '    rules: { totals: refuse }\n')}
${INBOUND('short-invoices', 'create-invoice', 'MAPPINGS/three-column-invoices.yaml')}
${INBOUND('reopenings', 'reopen-order', 'MAPPINGS/supplier-reopenings.yaml')}
${INBOUND('stock', 'update-variant', 'MAPPINGS/supplier-inventory.yaml')}
${INBOUND('items', 'create-variant', 'MAPPINGS/supplier-items.yaml')}
${INBOUND('item-changes', 'update-variant', 'MAPPINGS/supplier-item-changes.yaml')}
`

/** Another system decides which orders to acknowledge. */
const ROUTES_OF_PLANNING = `
  orders-to-decide:
    brand: 2000
    operation: export-orders
    mapping: MAPPINGS/orders-export.yaml
    acknowledge: never
    to: { mailbox: erp, folder: outbox, name: "to-decide-{seq}.csv" }
${INBOUND('decisions', 'acknowledge-order', 'decisions.yaml')}
`

/** A parcel whose label the service makes. */
const TO_LABEL = `
operation: create-shipment
group: [PO Number, Carton]
body:
  order_id: { from: PO Number, find: order }
  ship_from_name1: { const: Northlight Goods }
  ship_from_street1: { const: 2100 Vassar St }
  ship_from_city: { const: Reno }
  ship_from_province: { const: NV }
  ship_from_postal_code: { const: '89502' }
  ship_from_country: { const: US }
  shipping_account_id: { const: any, find: shipping-account }
  shipping_method_id: { from: Service, find: shipping-method }
  ship_weight: Pounds
  ship_width: W
  ship_length: L
  ship_height: H
  shipment_lines:
    - variant: { brand_identifier: SKU }
      quantity: Qty
`

/** Orders that planning refuses are for a person: the API has no call for them. */
const DECISIONS = `
extends: MAPPINGS/supplier-acknowledgements.yaml
operation: acknowledge-order
hold:
  - { when: { Decision: REJECT }, say: Tell the retailer that this order is not taken on. }
`

/** The invoice of an order is beside its parcels. */
const OF_PARCELS = `
operation: create-invoice
group: [PO Number, Invoice]
only: { Invoice: filled }
body:
  purchase_order_number: PO Number
  invoice_number: Invoice
  terms_net_days_due: { const: 30 }
  terms_date_due: { const: 2026-12-21 }
  due_amount: Total
  invoice_lines:
    - variant: { upc: UPC }
      quantity: Qty
      net_price: Cost
lines: { same: add }
`

const FILES = { 'to-label.yaml': TO_LABEL, 'of-parcels.yaml': OF_PARCELS }

const THROW = { variant: { identifier: 'NL-0001' }, quantity: 3, net_price: '7.87', price: '16.73' }
const LAMP = { variant: { identifier: 'HV-10001' }, quantity: 1, net_price: '11.24', price: '23.47' }
const STOOL = { variant: { identifier: 'HV-10002' }, quantity: 2, net_price: '17.98', price: '36.95' }

const ORDERS = '/v1/brands/2000/orders/'
const ITEMS = '/v1/brands/2000/variants/'

/** The retailer orders. */
async function order({ ask }: Day, number: string, lines: readonly Json[]): Promise<number> {
  const { id } = await ask('retailer', 'POST', '/v1/retailers/1000/orders/', {
    purchase_order_number: number,
    ordered_at: '2026-11-21T11:30:00Z',
    ship_to: {
      name1: 'Ada Park',
      street1: '12 Mill Road',
      city: 'Albany',
      province: 'NY',
      postal_code: '12207',
      country: 'US',
    },
    shipping_method: { code: 'FEDEX_GROUND', carrier: { code: 'FDEG' } },
    order_lines: lines,
  })
  return Number(id)
}

/** The shipped quantity of each line of an order, and the order's status. */
async function progressOf({ ask }: Day, id: number) {
  const { status, order_lines } = await ask('brand', 'GET', `${ORDERS}${id}/`)
  return { status, shipped: (order_lines as Json[]).map((line) => line['quantity_shipped']) }
}

const ORDERS_HEADER =
  'PO Number,Order Id,Order Date,Ship By,Customer Order,Ship To Name,Address 1,Address 2,City,State,Zip,Country,Phone,Carrier,Service,Line,SKU,UPC,Description,Qty,Gift Message'

const orderLine = (order: string, line: string) =>
  `${order},2026-11-21 06:30,2026-11-24,,Ada Park,12 Mill Road,,Albany,NY,12207,US,,FDEG,FedEx Ground,${line}`

const REGISTER_HEADER = 'PO Number,Invoice Number,Net Days,Due Date,Invoice Total,Item,UPC,Qty,Unit Cost'

const REGISTER = [
  REGISTER_HEADER,
  'HV-1,NL-7001,30,12/21/2026,$34.85,NL-0001,086000100018,3,$7.87',
  'HV-1,NL-7001,30,12/21/2026,$34.85,HV-10001,086000100025,1,$11.24',
]

const SECOND = [REGISTER_HEADER, 'HV-2,NL-7002,30,12/21/2026,$35.96,HV-10002,086000100049,2,$17.98']

const THIRD = [REGISTER_HEADER, 'HV-3,NL-7003,30,12/21/2026,$11.24,HV-10001,086000100025,1,$11.24']

/** The invoices that the retailer sees. */
const invoices = async (day: Day) =>
  (await day.listed('retailer', '/v1/retailers/1000/invoices/')).map(invoiceInShort)

const papers = async ({ world }: Day) => (await readdir(join(world.folder, 'warehouse', 'papers'))).toSorted()

const methodOf = (shipment: Json) => (shipment['shipping_method'] as Json)['code']

function invoiceInShort(invoice: Json): unknown[] {
  const lines = invoice['invoice_lines'] as (Json & { variant: Json })[]
  const inShort = lines.map(
    (each) => `${String(each.variant['identifier'])} ${String(each['quantity'])} ${String(each['price'])}`,
  )
  const fields = ['purchase_order_number', 'invoice_number', 'terms_date_due', 'due_amount']
  return [...fields.map((name) => invoice[name]), inShort]
}

async function unitsOf({ listed }: Day, identifier: string): Promise<unknown> {
  const item = (await listed('brand', ITEMS)).find((each) => each['identifier'] === identifier)
  return (item?.['inventory'] as Json | undefined)?.['inventory']
}

/** Values of an item by attribute code. */
async function itemOf({ listed }: Day, identifier: string, codes: readonly string[]) {
  const item = (await listed('brand', ITEMS)).find((each) => each['identifier'] === identifier)
  const attributes = item?.['attributes'] as Record<string, { values: { value: unknown }[] }> | undefined
  return Object.fromEntries(codes.map((code) => [code, attributes?.[code]?.values[0]?.value]))
}

const accepted = (line: number, id: number) => ({
  line: String(line),
  status: 'accepted',
  id: String(id),
  code: '',
})

const ITEM_HEADER =
  'SKU,Style,Title,Long Description,UPC,Colour,Size,Department,Material,Cost,MSRP,On Hand,Lead Days,L,W,H,Weight,Image'

test('a supplier acknowledges, ships, closes, invoices and reopens orders, all by files', async () => {
  const day = await aDay({ party: 'brand', routes: ROUTES, files: FILES, items: 8 })
  // The service does not close orders by itself here, so that the file closes them.
  day.world.service.switches.fulfilledOrderCloses = false

  await newOrdersComeOut(day)
  await threeParcelsAreShipped(day)
  await whatIsNotClosedIsNotInvoiced(day)
  await closedOrdersAreInvoiced(day)
  await anOrderIsReopened(day)

  expect(day.world.service.counts()).toMatchObject({ acknowledgedOrders: 2, shipments: 4, invoices: 2 })
})

async function newOrdersComeOut(day: Day): Promise<void> {
  await order(day, 'HV-1', [THROW, LAMP])
  await order(day, 'HV-2', [STOOL])

  expect((await day.run('new-orders')).exit).toBe(0)

  expect(await day.lines('outbox/orders-1.csv')).toEqual([
    ORDERS_HEADER,
    orderLine('HV-1,1', '1,NL-0001,086000100018,"Birch Linen Pillow, Charcoal",3,'),
    orderLine('HV-1,1', '2,NL-0002,086000100025,"Cove Floor Lamp, Slate Blue",1,'),
    orderLine('HV-2,2', '1,NL-0004,086000100049,Ember Ceramic Vase,2,'),
  ])
  expect(day.acknowledgements.map(({ of }) => of).toSorted()).toEqual(['orders/1', 'orders/2'])
  // At each of the two calls the file was there whole.
  for (const { outbox } of day.acknowledgements) {
    expect(outbox).toEqual({ 'orders-1.csv': await day.world.read('outbox/orders-1.csv') })
  }
  const shown = await day.listed('brand', ORDERS)
  expect(shown.map((each) => [each['purchase_order_number'], each['is_acknowledged']])).toEqual([
    ['HV-1', true],
    ['HV-2', true],
  ])

  await day.run('new-orders')
  expect(await day.world.list('outbox')).toEqual(['orders-1.csv'])
}

async function threeParcelsAreShipped(day: Day): Promise<void> {
  const labelled = await day.send('parcels', 'parcels.csv', [
    'PO Number,Ship Date,Carrier,Service,Tracking Number,SKU,UPC,Qty',
    'HV-1,11/21/2026 4:15,FedEx,FedEx Ground,794600000001,NL-0001,086000100018,2',
    'HV-1,11/21/2026 4:15,FedEx,FedEx 2Day,794600000002,NL-0002,086000100025,1',
    'HV-2,11/21/2026 4:15,UPS,UPS Ground,1Z0000000000000001,NL-0004,086000100049,2',
  ])

  expect(labelled).toEqual([accepted(2, 1), accepted(3, 2), accepted(4, 3)])
  expect(await progressOf(day, 1)).toEqual({ status: 'partial', shipped: [2, 1] })
  // A parcel with a label of its own gets only a packing slip.
  expect(await papers(day)).toEqual([
    'HV-1-794600000001-packing-slip.pdf',
    'HV-1-794600000002-packing-slip.pdf',
    'HV-2-1Z0000000000000001-packing-slip.pdf',
  ])

  const toLabel = await day.send('to-label', 'to-label.csv', [
    'PO Number,Carton,Service,Pounds,W,L,H,SKU,Qty',
    'HV-1,3,FedEx Ground,2.5,10,12,4,NL-0001,1',
  ])

  expect(toLabel).toEqual([accepted(2, 4)])
  expect(await progressOf(day, 1)).toEqual({ status: 'partial', shipped: [3, 1] })
  const parcels = await day.listed('retailer', '/v1/retailers/1000/shipments/')
  expect(parcels.map((each) => [each['tracking_number'], methodOf(each)])).toEqual([
    ['794600000001', 'FEDEX_GROUND'],
    ['794600000002', 'FEDEX_2_DAY'],
    ['1Z0000000000000001', 'UPS_GROUND'],
    ['FDEG000000000004', 'FEDEX_GROUND'],
  ])
  const made = (await papers(day)).filter((name) => name.includes('FDEG'))
  expect(made).toEqual(['HV-1-FDEG000000000004-label.pdf', 'HV-1-FDEG000000000004-packing-slip.pdf'])
  for (const name of made) {
    const bytes = await readFile(join(day.world.folder, 'warehouse', 'papers', name))
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-')
  }
}

async function whatIsNotClosedIsNotInvoiced(day: Day): Promise<void> {
  const early = await day.send('invoices', 'register.csv', REGISTER)

  expect(early).toEqual([{ line: '2', status: 'rejected', id: '', code: 'order-not-closed' }])
  expect(await day.world.read('results/register.csv.rejects.csv')).toBe(`${REGISTER.join('\n')}\n`)
  expect(await invoices(day)).toEqual([])
}

async function closedOrdersAreInvoiced(day: Day): Promise<void> {
  const closed = await day.send('closings', 'closings.csv', [
    'PO Number,Shipped Complete',
    'HV-1,2026-11-21',
    'HV-2,2026-11-21',
  ])
  expect(closed).toEqual([accepted(2, 1), accepted(3, 2)])
  expect(await progressOf(day, 1)).toEqual({ status: 'closed', shipped: [3, 1] })
  expect(await progressOf(day, 2)).toEqual({ status: 'closed', shipped: [2] })

  const wrong = await day.send(
    'invoices',
    'wrong.csv',
    REGISTER.map((line) => line.replace('$34.85', '$43.85')),
  )
  expect(wrong).toEqual([{ line: '2', status: 'rejected', id: '', code: 'totals-disagree' }])
  expect(await invoices(day)).toEqual([])

  // The refused rows come back as they were, now that their order is closed.
  const rejects = (await day.world.read('results/register.csv.rejects.csv')).split('\n').slice(0, -1)
  expect(await day.send('invoices', 'register.rejects.csv', rejects)).toEqual([accepted(2, 1)])
  const short = await day.send('short-invoices', 'short.csv', [
    'PO Number,Date,Invoice,Total',
    'HV-2,11/21/2026,NL-7002,$35.96',
  ])
  expect(short).toEqual([accepted(2, 2)])

  expect(await invoices(day)).toEqual([
    ['HV-1', 'NL-7001', '2026-12-21', '34.85', ['NL-0001 3 7.87', 'HV-10001 1 11.24']],
    ['HV-2', 'NL-7002', '2026-12-21', '35.96', ['HV-10002 2 17.98']],
  ])
}

async function anOrderIsReopened(day: Day): Promise<void> {
  const lines = ['PO Number,Why', 'HV-2,One carton came back']

  expect(await day.send('reopenings', 'reopen.csv', lines)).toEqual([accepted(2, 2)])
  expect(await progressOf(day, 2)).toEqual({ status: 'partial', shipped: [2] })
  expect(await progressOf(day, 1)).toEqual({ status: 'closed', shipped: [3, 1] })
}

test('a supplier whose planning decides has an order acknowledged by its file, and not before', async () => {
  const files = { 'decisions.yaml': DECISIONS }
  const day = await aDay({ party: 'brand', routes: ROUTES_OF_PLANNING, files, items: 8 })
  await order(day, 'HV-3', [LAMP])
  await order(day, 'HV-4', [STOOL])

  await day.run('orders-to-decide')
  await day.run('orders-to-decide')

  expect(await day.world.list('outbox')).toEqual(['to-decide-1.csv'])
  expect(await day.lines('outbox/to-decide-1.csv')).toEqual([
    ORDERS_HEADER,
    orderLine('HV-3,1', '1,NL-0002,086000100025,"Cove Floor Lamp, Slate Blue",1,'),
    orderLine('HV-4,2', '1,NL-0004,086000100049,Ember Ceramic Vase,2,'),
  ])
  expect(day.acknowledgements).toEqual([])

  const results = await day.send('decisions', 'decided.csv', [
    'PO Number,Decided By,Decision',
    'HV-3,planner,TAKE',
    'HV-4,planner,REJECT',
  ])

  expect(results).toEqual([accepted(2, 1), { line: '3', status: 'held', id: '', code: 'held-by-mapping' }])
  expect(await day.world.read('results/decided.csv.exceptions.csv')).toBe(
    'PO Number,Decided By,Decision\nHV-4,planner,REJECT\n',
  )
  expect(day.acknowledgements.map(({ of }) => of)).toEqual(['orders/1'])
  const open = await day.listed('brand', `${ORDERS}?is_acknowledged=0`)
  expect(open.map((each) => each['purchase_order_number'])).toEqual(['HV-4'])
})

test('a supplier keeps its items up to date: stock twice over with the same bytes, new items, changes', async () => {
  const day = await aDay({ party: 'brand', routes: ROUTES, files: FILES, items: 8 })

  await stockGoesUpAndDown(day)
  await newItemsAreOffered(day)
  await itemsAreChanged(day)

  expect(await day.listed('brand', ITEMS)).toHaveLength(10)
})

async function stockGoesUpAndDown(day: Day): Promise<void> {
  const stock = async () => [await unitsOf(day, 'NL-0001'), await unitsOf(day, 'NL-0002')]
  const count = ['SKU,On Hand', 'NL-0001,12', 'NL-0002,0']
  expect(await stock()).toEqual([7, 14])

  expect(await day.send('stock', 'stock-08.csv', count)).toEqual([accepted(2, 9001), accepted(3, 9002)])
  expect(await stock()).toEqual([12, 0])

  expect(await day.send('stock', 'stock-09.csv', ['SKU,On Hand', 'NL-0001,5'])).toEqual([accepted(2, 9001)])
  expect(await stock()).toEqual([5, 0])

  // The same bytes again are the stock again, and no duplicate of the file of eight o'clock.
  expect(await day.send('stock', 'stock-10.csv', count)).toEqual([accepted(2, 9001), accepted(3, 9002)])
  expect(await stock()).toEqual([12, 0])

  // Three counts of a night without a bridge: the last one counts, although the first had the same bytes.
  for (const [file, units] of [
    ['stock-21', 3],
    ['stock-22', 4],
    ['stock-23', 3],
  ] as const) {
    await day.world.drop('inbox/stock', `${file}.csv`, `SKU,On Hand\nNL-0001,${units}\n`)
  }
  expect((await day.run('stock')).exit).toBe(0)
  expect(await stock()).toEqual([3, 0])
}

async function newItemsAreOffered(day: Day): Promise<void> {
  const results = await day.send('items', 'items.csv', [
    ITEM_HEADER,
    'NL-0301,NL-030,"Tidal Throw, Mist",,86000130015,Mist,,Bedding,Wool,31.50,79.00,140,2,16,12,4,3.2,https://images.example.com/nl-0301/front.jpg',
    'NL-0302,NL-030,"Tidal Throw, Ink",,086000130022,Ink,,Bedding,Wool,"$1,204.00",79.00,,,16,12,4,3.2,',
  ])

  expect(results).toEqual([accepted(2, 9009), accepted(3, 9010)])
  const codes = ['name', 'upc', 'cost', 'lead_time', 'color']
  expect(await itemOf(day, 'NL-0301', codes)).toEqual({
    name: 'Tidal Throw, Mist',
    upc: '086000130015',
    cost: '31.50',
    lead_time: '2',
    color: 'Mist',
  })
  expect(await unitsOf(day, 'NL-0301')).toBe(140)
  expect(await unitsOf(day, 'NL-0302')).toBe(0)
  const offered = await day.listed('retailer', '/v1/retailers/1000/variants/?is_acknowledged=0')
  expect(offered.slice(8).map((each) => each['identifier'])).toEqual(['NL-0301', 'NL-0302'])
}

async function itemsAreChanged(day: Day): Promise<void> {
  const results = await day.send('item-changes', 'changes.csv', [
    'SKU,Title,Cost,MSRP,Lead Days',
    'NL-0301,,33.00,,4',
    'NL-9999,,1.00,,',
  ])

  expect(results).toEqual([
    accepted(2, 9009),
    { line: '3', status: 'rejected', id: '', code: 'reference-unknown' },
  ])
  expect(await itemOf(day, 'NL-0301', ['name', 'cost', 'msrp', 'lead_time'])).toEqual({
    name: 'Tidal Throw, Mist',
    cost: '33.00',
    msrp: '79.00',
    lead_time: '4',
  })
}

test('a supplier sends one file for all of an order, or three in any order, and each call waits for the one before it', async () => {
  const day = await aDay({ party: 'brand', routes: ROUTES, files: FILES, items: 8 })
  day.world.service.switches.fulfilledOrderCloses = false
  await order(day, 'HV-1', [THROW, LAMP])
  await order(day, 'HV-2', [STOOL])
  await order(day, 'HV-3', [LAMP])

  await oneFileDoesItAll(day)
  await aPartlyShippedOrderWaits(day)
  await threeFilesComeInTheWrongOrder(day)

  expect(day.world.service.counts()).toMatchObject({ orders: 3, shipments: 6, invoices: 3 })
})

const FULFIL_HEADER = 'PO Number,Ship Date,Service,Tracking Number,SKU,UPC,Qty,Cost,Invoice,Total'

async function oneFileDoesItAll(day: Day): Promise<void> {
  const results = await day.send('fulfil', 'morning.csv', [
    FULFIL_HEADER,
    'HV-1,11/21/2026 4:15,FedEx Ground,794600000001,NL-0001,086000100018,2,7.87,NL-7001,34.85',
    'HV-1,11/21/2026 4:15,FedEx Ground,794600000002,NL-0001,086000100018,1,7.87,NL-7001,34.85',
    'HV-1,11/21/2026 4:15,FedEx 2Day,794600000003,NL-0002,086000100025,1,11.24,NL-7001,34.85',
    'HV-2,11/21/2026 4:15,UPS Ground,1Z0000000000000001,NL-0004,086000100049,1,17.98,,',
  ])

  expect(results).toEqual([
    { operation: 'create-shipment', ...accepted(2, 1) },
    { operation: 'create-shipment', ...accepted(3, 2) },
    { operation: 'create-shipment', ...accepted(4, 3) },
    { operation: 'create-shipment', ...accepted(5, 4) },
    { operation: 'close-order', ...accepted(2, 1) },
    { operation: 'close-order', line: '5', status: 'skipped', id: '', code: 'order-not-shipped' },
    { operation: 'create-invoice', ...accepted(2, 1) },
    { operation: 'create-invoice', line: '5', status: 'skipped', id: '', code: 'left-out' },
  ])
  expect(await progressOf(day, 1)).toEqual({ status: 'closed', shipped: [3, 1] })
  expect(await progressOf(day, 2)).toEqual({ status: 'open', shipped: [1] })
  expect(await invoices(day)).toEqual([
    ['HV-1', 'NL-7001', '2026-12-21', '34.85', ['NL-0001 3 7.87', 'HV-10001 1 11.24']],
  ])
  expect(await papers(day)).toEqual([
    'HV-1-794600000001-packing-slip.pdf',
    'HV-1-794600000002-packing-slip.pdf',
    'HV-1-794600000003-packing-slip.pdf',
    'HV-2-1Z0000000000000001-packing-slip.pdf',
  ])
}

async function aPartlyShippedOrderWaits(day: Day): Promise<void> {
  await day.world.drop('inbox/late-invoices', 'register.csv', `${SECOND.join('\n')}\n`)

  const early = await day.run('late-invoices')

  // No person is needed, nothing is reported yet, and nothing was sent.
  expect(early.exit).toBe(0)
  expect(early.routes).toMatchObject([{ pass: { waiting: [{ name: 'register.csv', records: 1 }] } }])
  expect(await day.world.list('results')).not.toContain('register.csv.results.csv')
  expect(await invoices(day)).toHaveLength(1)

  const rest = await day.send('fulfil', 'afternoon.csv', [
    FULFIL_HEADER,
    'HV-2,11/21/2026 4:45,UPS Ground,1Z0000000000000002,NL-0004,086000100049,1,17.98,,',
  ])
  expect(rest.map(({ operation, status }) => `${operation ?? ''} ${status}`)).toEqual([
    'create-shipment accepted',
    'close-order accepted',
    'create-invoice skipped',
  ])

  expect((await day.run('late-invoices')).exit).toBe(0)
  expect(await day.results('register.csv')).toEqual([accepted(2, 2)])
  expect((await invoices(day))[1]).toEqual(['HV-2', 'NL-7002', '2026-12-21', '35.96', ['HV-10002 2 17.98']])
}

/** The bookkeeper is the quickest, and the warehouse comes last. */
async function threeFilesComeInTheWrongOrder(day: Day): Promise<void> {
  const { world } = day
  await world.drop('inbox/late-invoices', 'three.csv', `${THIRD.join('\n')}\n`)
  await world.drop('inbox/late-closings', 'closings.csv', 'PO Number\nHV-3\n')
  expect((await day.run('late-invoices', 'late-closings')).exit).toBe(0)
  expect(await progressOf(day, 3)).toEqual({ status: 'open', shipped: [0] })

  const shipped = await day.send('parcels', 'parcels.csv', [
    'PO Number,Ship Date,Carrier,Service,Tracking Number,SKU,UPC,Qty',
    'HV-3,11/21/2026 5:15,FedEx,FedEx Ground,794600000009,NL-0002,086000100025,1',
  ])
  expect(shipped).toEqual([accepted(2, 6)])
  expect(await progressOf(day, 3)).toEqual({ status: 'partial', shipped: [1] })

  await day.run('late-invoices', 'late-closings')
  expect(await day.results('closings.csv')).toEqual([accepted(2, 3)])
  expect(await progressOf(day, 3)).toEqual({ status: 'closed', shipped: [1] })
  expect(await invoices(day)).toHaveLength(2)

  await day.run('late-invoices', 'late-closings')
  expect(await day.results('three.csv')).toEqual([accepted(2, 3)])
  expect((await invoices(day))[2]).toEqual(['HV-3', 'NL-7003', '2026-12-21', '11.24', ['HV-10001 1 11.24']])
}
