/** Files of many rows about known orders: counted at the service, the bridge never sends a request for each row. */
import { expect, test } from 'vitest'
import { aDay, type Day } from '../fixtures/day.ts'

const INBOUND = (route: string, operation: string, mapping: string) => `
  ${route}:
    brand: 2000
    operation: ${operation}
    mapping: ${mapping}
    from: { mailbox: erp, folder: inbox/${route}, stableFor: 0ms }
    results: { mailbox: erp }
`

const ROUTES = [
  `
  new-orders:
    brand: 2000
    operation: export-orders
    mapping: MAPPINGS/orders-export.yaml
    acknowledge: never
    to: { mailbox: erp, folder: outbox, name: "orders-{seq}.csv" }
`,
  INBOUND('decisions', 'acknowledge-order', 'MAPPINGS/supplier-acknowledgements.yaml'),
  INBOUND('parcels', 'create-shipment', 'MAPPINGS/supplier-shipments.yaml'),
  INBOUND('to-label', 'create-shipment', 'to-label.yaml'),
  INBOUND('closings', 'close-order', 'MAPPINGS/supplier-closings.yaml'),
  INBOUND('invoices', 'create-invoice', 'MAPPINGS/supplier-invoices.yaml'),
  INBOUND('stock', 'update-variant', 'MAPPINGS/supplier-inventory.yaml'),
].join('')

/** A parcel whose label the service makes. */
const TO_LABEL = `
operation: create-shipment
group: PO Number
body:
  order_id: { from: PO Number, find: order }
  ship_from_name1: { const: Northlight Goods }
  ship_from_street1: { const: 2100 Vassar St }
  ship_from_city: { const: Reno }
  ship_from_province: { const: NV }
  ship_from_postal_code: { const: '89502' }
  ship_from_country: { const: US }
  shipping_account_id: { const: any, find: shipping-account }
  shipping_method_id: { const: FEDEX_GROUND, find: shipping-method }
  ship_weight: Pounds
  ship_width: { const: '10' }
  ship_length: { const: '12' }
  ship_height: { const: '4' }
  shipment_lines:
    - variant: { brand_identifier: SKU }
      quantity: Qty
`

/** More orders than the bridge reads one by one where an order must be known as it is now. */
const ORDERS = 60
const ITEMS = 100

const numbers = Array.from({ length: ORDERS }, (_, index) => `HV-${index + 1}`)

/** The requests at the service since this call, by method and path without ids, and without those for tokens. */
function countRequests({ world }: Day): () => Record<string, number> {
  const counts: Record<string, number> = {}
  const { server } = world.service.app
  const count = ({ method = '', url = '' }: { method?: string; url?: string }) => {
    const path = url.split('?')[0]?.replace(/^\/v1\/(?:brands\/2000\/)?/, '') ?? ''
    if (path === '/auth/token/') return
    const name = `${method} ${path.replace(/\d+/g, 'ID')}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  server.on('request', count)
  return () => {
    server.off('request', count)
    return counts
  }
}

/** Sends a file, all of whose rows must be accepted, and returns the number of its requests. */
async function costOf(day: Day, route: string, lines: readonly string[]): Promise<Record<string, number>> {
  const counted = countRequests(day)
  const results = await day.send(route, `${route}.csv`, lines)
  const counts = counted()
  expect(results.filter(({ status }) => status !== 'accepted')).toEqual([])
  expect(results).toHaveLength(lines.length - 1)
  return counts
}

async function placeOrders({ ask }: Day): Promise<void> {
  const body = {
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
    order_lines: [{ variant: { identifier: 'NL-0001' }, quantity: 2, net_price: '7.87', price: '16.73' }],
  }
  const place = (number: string) =>
    ask('retailer', 'POST', '/v1/retailers/1000/orders/', { ...body, purchase_order_number: number })
  await Promise.all(numbers.map(place))
}

test('many rows about known orders cost one call each, and at most one read of a whole list for the file', async () => {
  const day = await aDay({
    party: 'brand',
    routes: ROUTES,
    files: { 'to-label.yaml': TO_LABEL },
    items: 8,
    connections: 16,
  })
  day.world.service.switches.fulfilledOrderCloses = false
  await placeOrders(day)
  await day.run('new-orders')
  const rows = (row: (po: string, index: number) => string) => numbers.map(row)

  const costs = {
    decisions: await costOf(day, 'decisions', ['PO Number', ...rows((po) => po)]),
    parcels: await costOf(day, 'parcels', [
      'PO Number,Ship Date,Service,Tracking Number,SKU,UPC,Qty',
      ...rows((po, index) => `${po},11/21/2026 4:15,UPS Ground,1Z${index},NL-0001,086000100018,1`),
    ]),
    labels: await costOf(day, 'to-label', [
      'PO Number,Pounds,SKU,Qty',
      ...rows((po) => `${po},2.5,NL-0001,1`),
    ]),
    closings: await costOf(day, 'closings', ['PO Number', ...rows((po) => po)]),
    invoices: await costOf(day, 'invoices', [
      'PO Number,Invoice Number,Net Days,Due Date,Invoice Total,Item,UPC,Qty,Unit Cost',
      ...rows((po, index) => `${po},NL-${index},30,12/21/2026,15.74,NL-0001,086000100018,2,7.87`),
    ]),
  }

  expect(costs).toEqual({
    decisions: { 'PUT orders/ID/acknowledge/': ORDERS },
    parcels: { 'POST shipments/': ORDERS, 'GET carriers/': 1 },
    // Without a tracking number only the present order can later prove the outcome of a lost answer.
    labels: { 'POST shipments/': ORDERS, 'GET carriers/': 1, 'GET orders/': 1 },
    closings: { 'PUT orders/ID/close/': ORDERS },
    invoices: { 'POST invoices/': ORDERS },
  })
})

test('stock of many items costs one call for each, and the list of items is read once and for all', async () => {
  const day = await aDay({
    party: 'brand',
    routes: ROUTES,
    files: { 'to-label.yaml': TO_LABEL },
    items: ITEMS,
    connections: 16,
  })
  const stock = (units: number) => [
    'SKU,On Hand',
    ...Array.from({ length: ITEMS }, (_, index) => `NL-${String(index + 1).padStart(4, '0')},${units}`),
  ]

  expect(await costOf(day, 'stock', stock(5))).toEqual({
    'PATCH variants/ID/': ITEMS,
    'GET variants/': 1,
  })
  expect(await costOf(day, 'stock', stock(6))).toEqual({ 'PATCH variants/ID/': ITEMS })
})
