/** How items, shipments and the like are found by their names in files, and which lists are read for that. */
import { beforeEach, expect, test } from 'vitest'
import { addRoute, callsOf, resultsOf, runFile } from '../fixtures/own-route.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

let world: World

beforeEach(async () => {
  world = await aWorld({ routes: ['orders', 'orders-out'] })
})

test('an item is found by the number of its supplier, of a retailer, or by its UPC, in the short list first', async () => {
  await addRoute(world, {
    name: 'stock',
    operation: 'update-variant',
    mapping:
      'group: Item\nbody:\n  variant_id: { from: Item, find: variant }\n  attributes: { inventory: Units }\n',
  })
  const drop = (name: string, rows: string) => world.drop('inbox/stock', name, `Item,Units\n${rows}`)
  await drop('short.csv', 'NL-0001,5\n086000100025,6\n')
  const short = await callsOf(world, 'stock')
  await drop('whole.csv', 'HV-10002,7\nNL-0001,8\nNL-7777,9\n')
  const whole = await callsOf(world, 'stock')

  const listed = (calls: typeof short) =>
    calls.filter(({ endpoint }) => endpoint === 'listBrandVariants').map(({ query }) => query)
  expect(listed(short)).toEqual([{ short: 1 }])
  expect(listed(whole)).toEqual([{ short: 1 }, undefined])
  expect((await resultsOf(world, 'short.csv')).map((row) => row['_id'])).toEqual(['9001', '9002'])
  expect((await resultsOf(world, 'whole.csv')).map((row) => [row['_id'], row['_code']])).toEqual([
    ['9004', ''],
    ['9001', ''],
    ['', 'reference-unknown'],
  ])
})

test('a shipment is found by its tracking number among unacknowledged ones, and only then among all', async () => {
  await addRoute(world, {
    name: 'ship',
    operation: 'create-shipment',
    mapping: `group: PO
body:
  order_id: { from: PO, find: order }
  ship_from_name1: { const: Northlight Goods }
  ship_from_street1: { const: 2100 Vassar St }
  ship_from_city: { const: Reno }
  ship_from_province: { const: NV }
  ship_from_postal_code: { const: '89502' }
  ship_from_country: { const: US }
  carrier_id: { const: UPS, find: carrier }
  shipping_method_id: { const: UPS Ground, find: shipping-method }
  tracking_number: Tracking
  shipment_lines: { order: order_lines }
`,
  })
  await addRoute(world, {
    name: 'seen',
    operation: 'acknowledge-shipment',
    party: 'retailer',
    mapping: 'group: Tracking\nbody: { shipment_id: { from: Tracking, find: shipment } }\n',
  })
  const orders = sampleOrders({ seed: 8, orders: 2, damageEvery: 0 })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  await world.run('orders')
  const parcels = orders.map(({ po }, index) => [po, `T${index}`])
  await runFile(world, 'ship', { rows: [['PO', 'Tracking'], ...parcels], file: 'ship.csv' })
  await world.drop('inbox/seen', 'seen.csv', 'Tracking\nT0\nT1\nT9\n')

  const calls = await callsOf(world, 'seen')

  expect(calls.filter(({ endpoint }) => endpoint === 'listShipments').map(({ query }) => query)).toEqual([
    { is_acknowledged: 0 },
    undefined,
  ])
  expect((await resultsOf(world, 'seen.csv')).map((row) => [row['_status'], row['_message']])).toEqual([
    ['accepted', ''],
    ['accepted', ''],
    ['rejected', 'line 4, column "Tracking": no shipment "T9" is known to this account'],
  ])
})
