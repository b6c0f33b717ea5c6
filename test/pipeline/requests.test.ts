/** How often the bridge calls the API: in proportion to its lists, and never once for each row of a file. */
import { beforeEach, expect, test } from 'vitest'
import type { Call } from '../../src/domain/api.ts'
import { addRoute, callsOf, resultsOf } from '../fixtures/own-route.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

/** The same arithmetic as for ten thousand: set `ROWS` to try. */
const ROWS = Number(process.env['ROWS'] ?? 300)

const FROM = `
  ship_from_name1: { const: Northlight Goods }
  ship_from_street1: { const: 2100 Vassar St }
  ship_from_city: { const: Reno }
  ship_from_province: { const: NV }
  ship_from_postal_code: { const: '89502' }
  ship_from_country: { const: US }
  shipment_lines:
    - variant: { brand_identifier: SKU }
      quantity: Qty
`

const PARCELS = `
group: [PO, Tracking]
body:
  order_id: { from: PO, find: order }
  carrier_id: { const: UPSN, find: carrier }
  shipping_method_id: { const: UPS_GROUND, find: shipping-method }
  tracking_number: Tracking${FROM}`

const TO_LABEL = `
group: PO
body:
  order_id: { from: PO, find: order }
  shipping_account_id: { const: any, find: shipping-account }
  shipping_method_id: { const: FEDEX_GROUND, find: shipping-method }
  ship_weight: { const: '2.5' }
  ship_width: { const: '4' }
  ship_length: { const: '5' }
  ship_height: { const: '6' }${FROM}`

let world: World
let orders: ReturnType<typeof sampleOrders>

beforeEach(async () => {
  world = await aWorld({ routes: ['orders', 'orders-out'] })
  await addRoute(world, { name: 'parcels', operation: 'create-shipment', mapping: PARCELS })
  await addRoute(world, { name: 'labels', operation: 'create-shipment', mapping: TO_LABEL })
})

async function place(count: number): Promise<void> {
  orders = sampleOrders({ seed: 12, orders: count, damageEvery: 0 })
  for (const order of orders) {
    order.rows.length = 1
    Object.assign(order.rows[0] ?? {}, { SKU: 'NL-0001', UPC: '', Qty: '2', 'Gift Message': '' })
  }
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  expect((await world.run('orders')).exit).toBe(0)
}

function counted(calls: readonly Call[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { endpoint } of calls) counts[endpoint] = (counts[endpoint] ?? 0) + 1
  return counts
}

const lines = (head: string, row: (po: string, index: number) => string) =>
  `${[head, ...orders.map(({ po }, index) => row(po, index))].join('\n')}\n`

async function acceptedIn(file: string): Promise<number> {
  return (await resultsOf(world, file)).filter((row) => row['_status'] === 'accepted').length
}

test('a file of parcels for known orders costs one request for each parcel and one for the carriers', async () => {
  await place(ROWS)
  await world.run('orders-out')
  await world.drop(
    'inbox/parcels',
    'a.csv',
    lines('PO,Tracking,SKU,Qty', (po, index) => `${po},T${index},NL-0001,1`),
  )

  const calls = await callsOf(world, 'parcels')

  expect(counted(calls)).toEqual({ createShipment: ROWS, listCarriers: 1 })
  expect(await acceptedIn('a.csv')).toBe(ROWS)
})

test('parcels for orders that are not known cost one more read of the list', async () => {
  await place(120)
  await world.drop(
    'inbox/parcels',
    'a.csv',
    lines('PO,Tracking,SKU,Qty', (po, index) => `${po},T${index},NL-0001,1`),
  )

  expect(counted(await callsOf(world, 'parcels'))).toEqual({
    createShipment: 120,
    listCarriers: 1,
    listBrandOrders: 1,
  })
})

test('labels to be made, whose orders must be known as they are, cost one read of the list where they are many', async () => {
  await place(120)
  await world.run('orders-out')
  await world.drop(
    'inbox/labels',
    'many.csv',
    lines('PO,SKU,Qty', (po) => `${po},NL-0001,1`),
  )

  expect(counted(await callsOf(world, 'labels'))).toEqual({
    createShipment: 120,
    listBrandOrders: 1,
    listCarriers: 1,
  })
  expect(await acceptedIn('many.csv')).toBe(120)
})

test('a few labels have their orders read one by one, and a second label of an order always has', async () => {
  await place(60)
  await world.run('orders-out')
  const [first, second] = orders
  await world.drop('inbox/labels', 'few.csv', `PO,SKU,Qty\n${first?.po},NL-0001,1\n${second?.po},NL-0001,1\n`)
  expect(counted(await callsOf(world, 'labels'))).toEqual({
    createShipment: 2,
    getBrandOrder: 2,
    listCarriers: 1,
  })

  const rows = orders.slice(2).map(({ po }) => `${po},NL-0001,1`)
  const again = orders.slice(2, 5).map(({ po }) => `${po},NL-0001,2`)
  await world.drop('inbox/labels', 'twice.csv', `PO,SKU,Qty\n${rows.join('\n')}\n${again.join('\n')}\n`)
  const calls = counted(await callsOf(world, 'labels'))

  // Two units were ordered of each: the second label asks for more than is left, which a read of the order confirms.
  expect(await acceptedIn('twice.csv')).toBe(58)
  expect(calls).toEqual({ createShipment: 58, getBrandOrder: 3, listBrandOrders: 1, listCarriers: 1 })
})

test('before it refuses because of an order, the bridge reads it: a file of wrong rows costs a bounded number of reads', async () => {
  await place(250)
  await world.run('orders-out')
  await world.drop(
    'inbox/parcels',
    'few.csv',
    lines('PO,Tracking,SKU,Qty', (po, index) =>
      index < 90 ? `${po},T${index},NL-0009,1` : `${po},T${index},NL-0001,1`,
    ),
  )
  const few = counted(await callsOf(world, 'parcels'))
  await world.drop(
    'inbox/parcels',
    'many.csv',
    lines('PO,Tracking,SKU,Qty', (po, index) => `${po},U${index},NL-0009,1`),
  )
  const many = counted(await callsOf(world, 'parcels'))

  expect(few).toEqual({ createShipment: 160, getBrandOrder: 90, listCarriers: 1 })
  expect(many['getBrandOrder'] ?? 0).toBeLessThanOrEqual(200)
  expect(many['createShipment']).toBeUndefined()
  expect((await resultsOf(world, 'many.csv')).map((row) => row['_code'])).toEqual(
    Array.from({ length: 250 }, () => 'item-not-ordered'),
  )
})
