/** A retailer's day, from its own configuration and its own files: every file, state and acknowledgement is checked. */
import { expect, test } from 'vitest'
import { aDay, type Day } from '../fixtures/day.ts'

const INBOUND = (route: string, operation: string, mapping: string) => `
  ${route}:
    retailer: 1000
    operation: ${operation}
    mapping: MAPPINGS/${mapping}.yaml
    from: { mailbox: erp, folder: inbox/${route}, stableFor: 0ms }
    results: { mailbox: erp }
`

const OUTBOUND = (route: string, operation: string, mapping: string, more = '') => `
  ${route}:
    retailer: 1000
    operation: ${operation}
    mapping: MAPPINGS/${mapping}.yaml
    to: { mailbox: erp, folder: outbox, name: "${route}-{seq}.csv" }
${more}`

const NEVER = '    acknowledge: never\n'

const select = (text: string) => `    select: ${text}\n    empty: write\n`

const ROUTES = [
  INBOUND('orders', 'create-order', 'retailer-orders'),
  INBOUND('cancels', 'create-cancel', 'retailer-cancels'),
  INBOUND('item-numbers', 'update-variant', 'retailer-item-numbers'),
  OUTBOUND('shipments', 'export-shipments', 'shipments-export'),
  OUTBOUND('invoices', 'export-invoices', 'invoices-export'),
  OUTBOUND('returns', 'export-returns', 'returns-export'),
  OUTBOUND('credits', 'export-credits', 'credits-export'),
  OUTBOUND('canceled', 'export-cancels', 'cancels-export'),
  OUTBOUND('items', 'export-variants', 'variants-export'),
  OUTBOUND(
    'done-today',
    'export-retailer-orders',
    'retailer-orders-report',
    select('{ status: [closed, canceled], received_at: { since: 2026-11-21 } }'),
  ),
  OUTBOUND(
    'done-yesterday',
    'export-retailer-orders',
    'retailer-orders-report',
    select('{ status: [closed, canceled], received_at: { since: 48h, until: 2026-11-21 } }'),
  ),
  OUTBOUND(
    'asked-for',
    'export-retailer-orders',
    'retailer-orders-report',
    select('{ purchase_order_number: [HV-3, HV-404, HV-1] }'),
  ),
  OUTBOUND('waiting', 'export-shipments', 'shipments-export', select('{ is_picked_up: false }')),
  OUTBOUND('carriers', 'export-carriers', 'carriers-reference'),
  OUTBOUND('connections', 'export-connections', 'connections-reference'),
].join('')

/** For a system that sends files of its own about what it has booked. */
const ROUTES_OF_ERP = [
  INBOUND('orders', 'create-order', 'retailer-orders'),
  OUTBOUND('shipments', 'export-shipments', 'shipments-export', NEVER),
  OUTBOUND('invoices', 'export-invoices', 'invoices-export', NEVER),
  OUTBOUND('returns', 'export-returns', 'returns-export', NEVER),
  OUTBOUND('credits', 'export-credits', 'credits-export', NEVER),
  OUTBOUND('canceled', 'export-cancels', 'cancels-export', NEVER),
  OUTBOUND('items', 'export-variants', 'variants-export', NEVER),
  INBOUND('shipment-receipts', 'acknowledge-shipment', 'retailer-shipment-receipts'),
  INBOUND('invoice-receipts', 'acknowledge-invoice', 'retailer-invoice-receipts'),
  INBOUND('return-receipts', 'acknowledge-return', 'retailer-return-receipts'),
  INBOUND('credit-receipts', 'acknowledge-credit', 'retailer-credit-receipts'),
  INBOUND('cancel-receipts', 'acknowledge-cancel', 'retailer-cancel-receipts'),
  INBOUND('item-receipts', 'acknowledge-variant', 'retailer-variant-receipts'),
].join('')

const NEW_ORDERS_HEADER =
  'PO Number,Order Date,Customer Order,Ship To Name,Address 1,Address 2,City,State,Zip,Country,Phone,Ship Via,SKU,UPC,Description,Qty,Cost,Retail,Gift Message'

const SHIPMENTS_HEADER =
  'PO Number,Shipment Id,Supplier,Ship Date,Carrier,Service,Tracking Number,SKU,UPC,Qty'

const ORDERS_HEADER =
  'PO Number,Customer Order,Supplier,Status,Acknowledged,Ordered,Ship By,SKU,Ordered Qty,Shipped,Canceled,Returned,Line Status'

const THROW = 'NL-0001,086000100018,"Birch Linen Pillow, Charcoal"'

/** A row of the retailer's order export: so many throws for a customer in Portland. */
const orderRow = (po: string, quantity: number, state = 'ME') =>
  `${po},11/21/2026 06:30,W-${po},Ada Whitfield,12 Mill Lane,,Portland,${state},04101,US,,FedEx Ground,${THROW},${quantity},7.87,16.73,`

const RETAILER = '/v1/retailers/1000/'

const throws = (quantity: number) => [{ variant: { identifier: 'NL-0001' }, quantity }]

const accepted = (line: number, id: number) => ({
  line: String(line),
  status: 'accepted',
  id: String(id),
  code: '',
})

test('a retailer sends and cancels orders, receives their results, and asks for reports', async () => {
  const day = await aDay({ party: 'retailer', routes: ROUTES, items: 3 })

  await ordersAreSent(day)
  await ordersAreCanceled(day)
  await supplierWorks(day, { po: 'HV-1', canceled: 'HV-4', number: 1 })
  await everythingIsReceived(day)
  await reportsAreMade(day)
  await listsAreKept(day)
  await anItemGetsANumber(day)

  expect(day.world.service.counts()).toMatchObject({
    orders: 4,
    acknowledgedOrders: 2,
    shipments: 1,
    acknowledgedShipments: 1,
    invoices: 1,
    acknowledgedInvoices: 1,
  })
})

test('a retailer whose system acknowledges by files of its own has nothing acknowledged before them', async () => {
  const day = await aDay({ party: 'retailer', routes: ROUTES_OF_ERP, items: 3 })
  await day.send('orders', 'orders.csv', [NEW_ORDERS_HEADER, orderRow('HV-6', 3), orderRow('HV-7', 2)])
  await supplierWorks(day, { po: 'HV-6', canceled: 'HV-7', number: 2 })

  await everythingIsHandedOver(day)
  expect(day.acknowledgements).toEqual([])

  await everythingIsAcknowledgedByFiles(day)
})

async function ordersAreSent(day: Day): Promise<void> {
  const rows = [
    orderRow('HV-1', 3),
    orderRow('HV-2', 1),
    orderRow('HV-3', 1),
    orderRow('HV-4', 2),
    orderRow('HV-5', 1, 'ZZ'),
  ]
  const results = await day.send('orders', 'orders.csv', [NEW_ORDERS_HEADER, ...rows])

  expect(results).toEqual([
    ...[1, 2, 3, 4].map((id) => accepted(id + 1, id)),
    { line: '6', status: 'rejected', id: '', code: 'province-unknown' },
  ])
  expect(await day.world.read('results/orders.csv.rejects.csv')).toBe(
    `${NEW_ORDERS_HEADER}\n${orderRow('HV-5', 1, 'ZZ')}\n`,
  )
  const shown = await day.listed('retailer', `${RETAILER}orders/`)
  expect(
    shown.map((each) => [each['purchase_order_number'], each['status'], each['is_acknowledged']]),
  ).toEqual([
    ['HV-1', 'open', false],
    ['HV-2', 'open', false],
    ['HV-3', 'open', false],
    ['HV-4', 'open', false],
  ])
}

/** One cancel in time, one after the supplier has acknowledged the order. */
async function ordersAreCanceled(day: Day): Promise<void> {
  await day.ask('brand', 'PUT', '/v1/brands/2000/orders/3/acknowledge/')
  const rows = ['HV-2', 'HV-3'].map((po) => `${po},2026-11-21,Customer changed mind,NL-0001,,1`)

  const results = await day.send('cancels', 'cancels.csv', ['PO Number,Date,Reason,SKU,UPC,Qty', ...rows])

  expect(results).toEqual([
    { line: '2', status: 'accepted', id: '1', code: '' },
    { line: '3', status: 'rejected', id: '', code: 'order-acknowledged' },
  ])
  expect(await day.world.read('results/cancels.csv.results.csv')).toContain(
    'The order is acknowledged; it can be canceled only before the supplier acknowledges it.',
  )
  expect(await day.world.read('results/cancels.csv.rejects.csv')).toBe(
    `PO Number,Date,Reason,SKU,UPC,Qty\n${rows[1] ?? ''}\n`,
  )
  const shown = await day.listed('retailer', `${RETAILER}orders/`)
  expect(shown.map((each) => each['status'])).toEqual(['open', 'canceled', 'open', 'open'])
}

interface Work {
  /** The order that is shipped, invoiced, returned and credited. */
  readonly po: string
  /** The order that the supplier cancels. */
  readonly canceled: string
  /** Distinguishes the new records from those of an earlier call. */
  readonly number: number
}

async function supplierWorks({ ask, listed }: Day, { po, canceled, number }: Work): Promise<void> {
  const orders = await listed('brand', '/v1/brands/2000/orders/')
  const idOf = (name: string) => String(orders.find((each) => each['purchase_order_number'] === name)?.['id'])
  const id = idOf(po)
  await ask('brand', 'PUT', `/v1/brands/2000/orders/${id}/acknowledge/`)
  await ask('brand', 'POST', '/v1/brands/2000/shipments/', {
    order_id: Number(id),
    ship_from_name1: 'Northlight Goods',
    ship_from_street1: '2100 Vassar St',
    ship_from_city: 'Reno',
    ship_from_province: 'NV',
    ship_from_postal_code: '89502',
    ship_from_country: 'US',
    shipped_at: '2026-11-21T11:45:00Z',
    carrier_id: 1,
    shipping_method_id: 3,
    tracking_number: `79460000000${number}`,
    shipment_lines: [{ variant: { brand_identifier: 'NL-0001' }, quantity: 3 }],
  })
  await ask('brand', 'POST', '/v1/brands/2000/invoices/', {
    purchase_order_number: po,
    invoice_number: `NL-700${number}`,
    terms_net_days_due: 30,
    terms_date_due: '2026-12-21',
    due_amount: '23.61',
    invoice_lines: [{ variant: { identifier: 'NL-0001' }, quantity: 3, net_price: '7.87' }],
  })
  const { id: rma } = await ask('operator', 'POST', `/admin/orders/${id}/rmas/`, {
    created_by: 'retailer',
    reason: 'Item was damaged or defective',
    rma_number: `RMA-${number}`,
    rma_lines: throws(1),
  })
  await ask('operator', 'PUT', `/admin/rmas/${String(rma)}/accept/`)
  await ask('operator', 'POST', `/admin/rmas/${String(rma)}/credits/`, { credit_number: `CM-${number}` })
  const cancel = { reason_id: 2, cancel_lines: throws(2) }
  await ask('operator', 'POST', `/admin/orders/${idOf(canceled)}/cancels/`, cancel)
  const values = { identifier: `NL-03${number}0`, name: `Tidal Throw ${number}`, upc: `08600013${number}000` }
  const attributes = Object.entries(values).map(([code, value]) => ({ attribute: { code }, value }))
  await ask('brand', 'POST', '/v1/brands/2000/variants/', { attributes })
}

const ITEMS_AT_FIRST = [
  '9001,Northlight Goods,,NL-0001,086000100018,"Birch Linen Pillow, Charcoal",,Charcoal,,7,https://images.example.com/9001/front.jpg',
  '9002,Northlight Goods,HV-10001,NL-0002,086000100025,"Cove Floor Lamp, Slate Blue",,Slate Blue,,14,https://images.example.com/9002/front.jpg',
  '9003,Northlight Goods,,NL-0003,086000100032,"Dune Oak Stool, Rust",,Rust,S,21,https://images.example.com/9003/front.jpg',
]

/** The first file of a route; its first line is the header of the mapping. */
const left = async (day: Day, route: string) => (await day.lines(`outbox/${route}-1.csv`)).slice(1)

/** Each list is exported once, and each record is acknowledged while its file is in the outbox. */
async function everythingIsReceived(day: Day): Promise<void> {
  const routes = ['shipments', 'invoices', 'returns', 'credits', 'canceled', 'items']

  expect((await day.run(...routes)).exit).toBe(0)

  expect(await day.lines('outbox/shipments-1.csv')).toEqual([
    SHIPMENTS_HEADER,
    'HV-1,1,Northlight Goods,11/21/2026,FedEx,FedEx Ground,794600000001,NL-0001,086000100018,3',
  ])
  expect(await day.lines('outbox/invoices-1.csv')).toEqual([
    'Invoice Number,PO Number,Supplier,Received,Due Date,Net Days,Amount Due,Line,SKU,UPC,Qty,Price',
    'NL-7001,HV-1,Northlight Goods,2026-11-21,2026-12-21,30,23.61,1,NL-0001,086000100018,3,7.87',
  ])
  expect(await day.lines('outbox/returns-1.csv')).toEqual([
    'Return Id,RMA Number,PO Number,Supplier,Created By,Reason,Status,Returned On,Order Line,SKU,UPC,Qty,Total',
    '1,RMA-1,HV-1,Northlight Goods,retailer,Item was damaged or defective,Accepted,11/21/2026,1,NL-0001,086000100018,1,7.87',
  ])
  expect(await day.lines('outbox/credits-1.csv')).toEqual([
    'Credit Number,Credit Id,PO Number,RMA Number,Invoice Number,Supplier,Credited On,Item,Qty,Price,Credit Total',
    'CM-1,1,HV-1,RMA-1,NL-7001,Northlight Goods,11/21/2026,NL-0001,1,7.87,7.87',
  ])
  expect(await day.lines('outbox/canceled-1.csv')).toEqual([
    'Cancel Id,Order Id,Canceled At,Reason,SKU,UPC,Qty',
    '1,2,2026-11-21 07:00,Retailer Requested Cancellation,NL-0001,086000100018,1',
    '2,4,2026-11-21 07:00,Not Enough Inventory,NL-0001,086000100018,2',
  ])
  expect(await day.lines('outbox/items-1.csv')).toEqual([
    'Variant Id,Supplier,Our SKU,Supplier SKU,UPC,Name,Parent SKU,Color,Size,On Hand,Image',
    ...ITEMS_AT_FIRST,
    '9004,Northlight Goods,,NL-0310,086000131000,Tidal Throw 1,,,,0,',
  ])
  await expectAcknowledged(day, {
    shipments: [1],
    invoices: [1],
    rmas: [1],
    credits: [1],
    cancels: [1, 2],
    variants: [9001, 9002, 9003, 9004],
  })

  const files = await day.world.list('outbox')
  expect((await day.run(...routes)).exit).toBe(0)
  expect(await day.world.list('outbox')).toEqual(files)
}

/** When a record is acknowledged, its file was in the outbox before. */
const FILE_OF: Readonly<Record<string, string>> = {
  shipments: 'shipments-1.csv',
  invoices: 'invoices-1.csv',
  rmas: 'returns-1.csv',
  credits: 'credits-1.csv',
  cancels: 'canceled-1.csv',
  variants: 'items-1.csv',
}

async function expectAcknowledged(
  { acknowledgements, listed, world }: Day,
  wanted: Readonly<Record<string, readonly number[]>>,
): Promise<void> {
  const ids = Object.entries(wanted).flatMap(([list, each]) => each.map((id) => `${list}/${id}`))
  expect(acknowledgements.map(({ of }) => of).toSorted()).toEqual(ids.toSorted())
  for (const { of, outbox } of acknowledgements) {
    const name = FILE_OF[of.split('/')[0] ?? ''] ?? ''
    expect([of, outbox[name]]).toEqual([of, await world.read(`outbox/${name}`)])
  }
  for (const list of Object.keys(wanted))
    expect([list, await listed('retailer', `${RETAILER}${list}/?is_acknowledged=0`)]).toEqual([list, []])
}

async function reportsAreMade(day: Day): Promise<void> {
  const before = day.acknowledgements.length
  expect((await day.run('done-today', 'done-yesterday', 'waiting')).exit).toBe(0)
  // No item has one of the numbers: the other items are exported, and a person is notified.
  const asked = await day.run('asked-for')
  expect(asked.exit).toBe(2)
  expect(asked.routes).toMatchObject([{ pass: { missing: 1, firstMissing: ['HV-404'] } }])

  expect(await day.lines('outbox/done-today-1.csv')).toEqual([
    ORDERS_HEADER,
    'HV-1,W-HV-1,Northlight Goods,closed,Y,2026-11-21,2026-11-24,NL-0001,3,3,0,1,closed',
    'HV-2,W-HV-2,Northlight Goods,canceled,N,2026-11-21,2026-11-24,NL-0001,1,0,1,0,closed',
    'HV-4,W-HV-4,Northlight Goods,canceled,N,2026-11-21,2026-11-24,NL-0001,2,0,2,0,closed',
  ])
  expect(await day.lines('outbox/done-yesterday-1.csv')).toEqual([ORDERS_HEADER])
  expect(await day.lines('outbox/asked-for-1.csv')).toEqual([
    ORDERS_HEADER,
    'HV-3,W-HV-3,Northlight Goods,open,Y,2026-11-21,2026-11-24,NL-0001,1,0,0,0,open',
    'HV-1,W-HV-1,Northlight Goods,closed,Y,2026-11-21,2026-11-24,NL-0001,3,3,0,1,closed',
  ])
  expect(await left(day, 'waiting')).toEqual(await left(day, 'shipments'))

  // The carrier is added, and the same report is made anew.
  await day.ask('operator', 'PUT', '/admin/shipments/1/pick-up/')
  await day.run('waiting')
  expect(await day.lines('outbox/waiting-2.csv')).toEqual([SHIPMENTS_HEADER])
  expect(day.acknowledgements).toHaveLength(before)
}

async function listsAreKept(day: Day): Promise<void> {
  expect((await day.run('carriers', 'connections')).exit).toBe(0)

  expect(await day.lines('outbox/carriers-1.csv')).toEqual([
    'Carrier Id,Carrier,SCAC,Method Id,Method,Method Code',
    '1,FedEx,FDEG,3,FedEx Ground,FEDEX_GROUND',
    '1,FedEx,FDEG,4,FedEx 2Day,FEDEX_2_DAY',
    '1,FedEx,FDEG,5,FedEx Standard Overnight,FEDEX_STANDARD_OVERNIGHT',
    '2,UPS,UPSN,10,UPS Ground,UPS_GROUND',
    '2,UPS,UPSN,11,UPS 2nd Day Air,UPS_2ND_DAY_AIR',
    '3,USPS,USPS,20,USPS Priority Mail,USPS_PRIORITY',
  ])
  const methods = [
    'Full,Active,FDEG,FEDEX_GROUND,FedEx Ground',
    'Full,Active,FDEG,FEDEX_2_DAY,FedEx 2Day',
    'Full,Active,FDEG,FEDEX_STANDARD_OVERNIGHT,FedEx Standard Overnight',
    'Full,Active,UPSN,UPS_GROUND,UPS Ground',
    'Full,Active,UPSN,UPS_2ND_DAY_AIR,UPS 2nd Day Air',
    'Full,Active,USPS,USPS_PRIORITY,USPS Priority Mail',
  ]
  expect(await day.lines('outbox/connections-1.csv')).toEqual([
    'Connection Id,Supplier Id,Supplier,Level,Status,Carrier,Method,Method Name',
    ...methods.map((method) => `100,2000,Northlight Goods,${method}`),
    ...methods.map((method) => `101,2001,Copperfield Supply,${method}`),
  ])
}

async function anItemGetsANumber(day: Day): Promise<void> {
  const rows = ['Variant Id,Supplier SKU,Our SKU,Our Style,Our Name', '9003,NL-0003,HV-30003,,Dune stool']

  expect(await day.send('item-numbers', 'numbers.csv', rows)).toEqual([accepted(2, 9003)])

  const item = await day.ask('retailer', 'GET', `${RETAILER}variants/9003/`)
  const values = (item['attributes'] as { code: string; values: { value: string }[] }[]).map(
    ({ code, values: [first] }) => `${code}: ${first?.value ?? ''}`,
  )
  expect(values).toContain('retailer_sku: HV-30003')
  expect(values).toContain('retailer_item_name: Dune stool')
}

async function everythingIsHandedOver(day: Day): Promise<void> {
  const routes = ['shipments', 'invoices', 'returns', 'credits', 'canceled', 'items']

  expect((await day.run(...routes)).exit).toBe(0)
  // Each is exported once, although none is acknowledged yet.
  expect((await day.run(...routes)).exit).toBe(0)

  expect(await day.world.list('outbox')).toEqual(routes.map((route) => `${route}-1.csv`).toSorted())
  const out = await Promise.all(routes.map((route) => left(day, route)))
  expect(out).toEqual([
    ['HV-6,1,Northlight Goods,11/21/2026,FedEx,FedEx Ground,794600000002,NL-0001,086000100018,3'],
    ['NL-7002,HV-6,Northlight Goods,2026-11-21,2026-12-21,30,23.61,1,NL-0001,086000100018,3,7.87'],
    [
      '1,RMA-2,HV-6,Northlight Goods,retailer,Item was damaged or defective,Accepted,11/21/2026,1,NL-0001,086000100018,1,7.87',
    ],
    ['CM-2,1,HV-6,RMA-2,NL-7002,Northlight Goods,11/21/2026,NL-0001,1,7.87,7.87'],
    ['1,2,2026-11-21 07:00,Not Enough Inventory,NL-0001,086000100018,2'],
    [...ITEMS_AT_FIRST, '9004,Northlight Goods,,NL-0320,086000132000,Tidal Throw 2,,,,0,'],
  ])
}

async function everythingIsAcknowledgedByFiles(day: Day): Promise<void> {
  const results = [
    await day.send('shipment-receipts', 'a.csv', ['Tracking Number,Booked', '794600000002,Y', '1Z404,Y']),
    await day.send('invoice-receipts', 'b.csv', ['Invoice Number,Voucher', 'NL-7002,V-1']),
    await day.send('return-receipts', 'c.csv', ['Return Id,Dock', '1,4']),
    await day.send('credit-receipts', 'd.csv', ['Credit Number,Voucher', 'CM-2,V-2']),
    await day.send('cancel-receipts', 'e.csv', ['Cancel Id,Order Id', '1,2']),
    await day.send('item-receipts', 'f.csv', ['SKU,Listed', 'NL-0320,Y']),
  ]

  expect(results).toEqual([
    [accepted(2, 1), { line: '3', status: 'rejected', id: '', code: 'reference-unknown' }],
    [accepted(2, 1)],
    [accepted(2, 1)],
    [accepted(2, 1)],
    [accepted(2, 1)],
    [accepted(2, 9004)],
  ])
  expect(await day.world.read('results/a.csv.rejects.csv')).toBe('Tracking Number,Booked\n1Z404,Y\n')
  const lists = ['shipments', 'invoices', 'rmas', 'credits', 'cancels', 'variants']
  expect(day.acknowledgements.map(({ of }) => of)).toEqual([
    ...lists.slice(0, 5).map((list) => `${list}/1`),
    'variants/9004',
  ])
  const open = await Promise.all(
    lists.map((list) => day.listed('retailer', `${RETAILER}${list}/?is_acknowledged=0`)),
  )
  // The items that no file has named still wait for their acknowledgement.
  expect(open.map((list) => list.map((each) => each['id']))).toEqual([[], [], [], [], [], [9001, 9002, 9003]])
}
