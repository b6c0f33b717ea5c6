/** What the API says of an order now, beside what the journal knows. */
import { expect, onTestFinished, test } from 'vitest'
import type { LiveOrders } from '../../src/app/live-orders.ts'
import { createClient } from '../../src/client/client.ts'
import type { RetailerOrder } from '../../src/contract/order.ts'
import type { RetailerShipment } from '../../src/contract/shipment.ts'
import type { Api } from '../../src/domain/api.ts'
import { commandsOf } from '../fixtures/office.ts'
import { aWorld, BRAND, RETAILER, type World } from '../fixtures/world.ts'
import { sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 5, orders: 3, damageEvery: 0 })
const [PO = ''] = ORDERS.map(({ po }) => po)
const ROUTES = ['orders', 'orders-out', 'shipments']

async function anOrder(): Promise<World> {
  const world = await aWorld({ routes: ROUTES })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders', 'orders-out')
  return world
}

/** Another program of a party. */
function anotherProgram(world: World, party: 'retailer' | 'brand'): Api {
  const { baseUrl } = world.configuration.api
  const client = createClient({
    baseUrl,
    ...world.credentials[party],
    clock: world.clock,
    random: Math.random,
  })
  onTestFinished(() => client.close())
  return client
}

const live = (out: string) => (JSON.parse(out) as { live: LiveOrders }).live

test('the order, its lines and what belongs to it are shown as each party sees them, beside the journal', async () => {
  const world = await anOrder()
  await world.drop(
    'inbox/shipments',
    'parcels.csv',
    shipmentsFile(sampleShipments(ORDERS, { seed: 1, damageEvery: 0 })),
  )
  await world.run('shipments')
  const run = await commandsOf(world)

  const { exit, out } = await run('trace', PO, '--live')
  const { orders } = live((await run('trace', PO, '--live', '--json')).out)

  expect(exit).toBe(0)
  expect(out).toContain(`create-order ${PO}: accepted as 1`)
  expect(out).toMatch(/\nat the API on \S+, asked as retailer\/1000 and brand\/2000: 2 orders\n/)
  expect(out).toMatch(
    new RegExp(`order 1 \\(${PO}\\) as brand/2000 sees it: \\w+, received .*, acknowledged `),
  )
  expect(out).toMatch(/shipment 1 \(\d+\)/)
  expect(orders.map(({ account, id }) => [account, id])).toEqual([
    ['retailer/1000', '1'],
    ['brand/2000', '1'],
  ])
  for (const { lines } of orders)
    for (const { ordered, shipped, canceled, invoiced } of lines)
      expect({ shipped, canceled, invoiced }).toEqual({ shipped: ordered, canceled: 0, invoiced: 0 })
})

test('an order that another program changed since is named with what changed', async () => {
  const world = await anOrder()
  await anotherProgram(world, 'brand').send({ endpoint: 'closeOrder', params: { brand_id: BRAND, id: 1 } })
  const run = await commandsOf(world)

  const { out } = await run('trace', PO, '--live', '--party', 'brand/2000')

  expect(out).toContain('asked as brand/2000: 1 order')
  expect(out).toMatch(/differs: status is closed; it was open when the bridge last saw it, on \S+Z/)
})

test('an order that the bridge never touched is found by its number as retailer and as brand, and by its id', async () => {
  const world = await anOrder()
  const retailer = anotherProgram(world, 'retailer')
  const sent = await retailer.get({ endpoint: 'getRetailerOrder', params: { retailer_id: RETAILER, id: 1 } })
  const { ship_to, order_lines: lines, shipping_method: method } = sent as unknown as RetailerOrder
  const body = JSON.stringify({
    purchase_order_number: 'ELSE-1',
    ordered_at: new Date(world.clock.now()).toISOString(),
    ship_to: Object.fromEntries(
      Object.entries(ship_to).filter(([name, value]) => name !== 'id' && value !== null),
    ),
    shipping_method: { code: method?.code, carrier: { code: method?.carrier?.code } },
    order_lines: lines.map(({ variant, quantity, net_price, price }) => ({
      variant: { id: variant.id },
      quantity,
      net_price,
      price,
    })),
  })
  const made = await retailer.send({ endpoint: 'createOrder', params: { retailer_id: RETAILER }, body })
  expect(made).toMatchObject({ certainty: 'answered', status: 201 })
  const run = await commandsOf(world)

  const unknown = await run('trace', 'ELSE-1')
  const found = await run('trace', 'ELSE-1', '--live')
  const byId = await run('trace', '4', '--live', '--party', '2000')
  const nowhere = await run('trace', 'ELSE-2', '--live')

  expect([unknown.exit, found.exit, byId.exit, nowhere.exit]).toEqual([2, 0, 0, 2])
  expect(found.out).toContain('order 4 (ELSE-1) as retailer/1000 sees it: open')
  expect(found.out).toContain('order 4 (ELSE-1) as brand/2000 sees it: open')
  expect(byId.out).toContain('order 4 (ELSE-1) as brand/2000 sees it: open')
  expect(nowhere.out).toContain('asked as retailer/1000 and brand/2000: 0 orders')
})

test('a shipment that another program posted is named', async () => {
  const world = await anOrder()
  const parcels = sampleShipments(ORDERS, { seed: 1, damageEvery: 0 })
  const parcel = parcels.find(({ rows }) => rows.some((row) => Number(row['Qty']) > 1))
  const row = parcel?.rows.find((each) => Number(each['Qty']) > 1)
  const [po = '', upc = ''] = [parcel?.po, row?.UPC]
  if (parcel === undefined || row === undefined) throw new Error('the sample has no such order')
  await world.drop(
    'inbox/shipments',
    'parcel.csv',
    shipmentsFile([{ ...parcel, rows: [{ ...row, Qty: '1' }] }]),
  )
  await world.run('shipments')
  const brand = anotherProgram(world, 'brand')
  const id = ORDERS.findIndex((each) => each.po === po) + 1
  const { shipping_method: method } = await findShipment(world, id)
  const body = JSON.stringify({
    order_id: id,
    ship_from_name1: 'Dock 2',
    ship_from_street1: '1 Pier',
    ship_from_city: 'Albany',
    ship_from_province: 'NY',
    ship_from_postal_code: '12207',
    ship_from_country: 'US',
    carrier_id: method?.carrier?.id,
    shipping_method_id: method?.id,
    tracking_number: 'ELSEWHERE',
    shipment_lines: [{ variant: { upc }, quantity: 1 }],
  })
  expect(await brand.send({ endpoint: 'createShipment', params: { brand_id: BRAND }, body })).toMatchObject({
    status: 201,
  })
  const run = await commandsOf(world)

  const { out } = await run('trace', po, '--live', '--party', 'brand/2000')

  expect(out).toContain('differs: shipment 2 (ELSEWHERE): the journal has no accepted record of it')
})

/** The first shipment of the order, as the retailer sees it. */
async function findShipment(world: World, orderId: number): Promise<RetailerShipment> {
  const call = { endpoint: 'listShipments', params: { retailer_id: RETAILER } }
  for await (const page of anotherProgram(world, 'retailer').list(call))
    for (const shipment of page)
      if (shipment['order_id'] === orderId) return shipment as unknown as RetailerShipment
  throw new Error('no shipment')
}

test('it only reads, says what the journal knows when the API is away, and refuses a party without a route', async () => {
  const world = await anOrder()
  const run = await commandsOf(world)
  const before = world.service.counts()
  await run('trace', PO, '--live')
  const other = await run('trace', PO, '--live', '--party', 'brand/7')
  const alone = await run('trace', PO, '--party', 'brand/2000')
  expect(world.service.counts()).toEqual(before)
  await world.service.close()

  const away = await run('trace', PO, '--live')

  expect([other.exit, alone.exit, away.exit]).toEqual([64, 64, 69])
  expect(other.err).toContain('no route acts for "brand/7"')
  expect(away.out).toContain(`create-order ${PO}: accepted as 1`)
})
