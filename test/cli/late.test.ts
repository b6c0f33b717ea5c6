/** Orders by the hours that are left to acknowledge and ship them: from the journal, from the API, and as alerts. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandsOf } from '../fixtures/office.ts'
import { caller, type Json } from '../fixtures/day.ts'
import { change } from '../fixtures/partner.ts'
import { aWorld, BRAND, type World } from '../fixtures/world.ts'
import { createClient } from '../../src/client/client.ts'
import { sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 61, orders: 3, damageEvery: 0 })
const [PO = ''] = ORDERS.map(({ po }) => po)
const HOUR_MS = 3_600_000

interface Row {
  readonly purchaseOrder: string
  readonly what: string
  readonly account: string
  readonly hoursLeft: number
  readonly units?: number
}

/** Three orders that the brand saw, and that no route acknowledges. The retailer has 24 hours, items have 72 and more. */
async function seenOrders(): Promise<World> {
  const world = await aWorld({ routes: ['orders', 'orders-out', 'shipments'] })
  change(world, { acknowledge: 'never', verifyBeforeAck: false })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders', 'orders-out')
  return world
}

/** A cancel and an acknowledgement by other programs. */
async function othersAct(world: World): Promise<void> {
  const ask = caller(world)
  const { order_lines: lines } = await ask('retailer', 'GET', '/v1/retailers/1000/orders/1/')
  const canceled = (lines as Json[]).map(({ variant, quantity }) => {
    return { variant: { id: (variant as Json)['id'] }, quantity }
  })
  const body = { order_id: 1, reason_id: 1, cancel_lines: canceled }
  await ask('retailer', 'POST', '/v1/retailers/1000/cancels/', body)
  await ask('brand', 'PUT', '/v1/brands/2000/orders/2/acknowledge/')
}

const rows = (out: string) => JSON.parse(out) as Row[]

test('lists what is to be acknowledged and shipped by the hours that are left, past deadlines first', async () => {
  const world = await seenOrders()
  const run = await commandsOf(world)

  const early = await run('late', '--within', '4h', '--party', '2000')
  world.clock.skip(22 * HOUR_MS)
  const soon = rows((await run('late', '--within', '4h', '--party', 'brand/2000', '--json')).out)
  world.clock.skip(3 * HOUR_MS)
  const past = await run('late', '--within', '30d', '--party', 'brand/2000')

  expect(early).toMatchObject({ exit: 0, out: 'Nothing is to be acknowledged or shipped within 4h.' })
  expect(soon.map(({ purchaseOrder, what }) => [purchaseOrder, what])).toEqual(
    ORDERS.map(({ po }) => [po, 'acknowledge']),
  )
  for (const { hoursLeft } of soon) expect(hoursLeft).toBeCloseTo(2, 0)
  expect(past.out.split('\n')[2]).toMatch(/^-1\.0 h +acknowledge +HV-\d+ +\d +brand\/2000/)
  expect(past.out.match(/ ship /g)).toHaveLength(3)
  expect(past.err).toBe('As the bridge last saw the orders; --live asks the API.')
  expect((await run('late', '--within', 'soon')).exit).toBe(64)
  expect((await run('late', '--party', '7')).exit).toBe(64)
})

test('units that the bridge shipped since it saw an order are not late any more', async () => {
  const world = await seenOrders()
  const parcels = sampleShipments(ORDERS, { seed: 1, damageEvery: 0 })
  await world.drop('inbox/shipments', 'parcels.csv', shipmentsFile(parcels.filter(({ po }) => po === PO)))
  await world.run('shipments')
  const run = await commandsOf(world)

  const late = rows((await run('late', '--within', '30d', '--party', '2000', '--json')).out)

  expect(late.filter(({ what }) => what === 'ship').map(({ purchaseOrder }) => purchaseOrder)).toEqual(
    expect.not.arrayContaining([PO]),
  )
  expect(late.filter(({ what }) => what === 'ship')).toHaveLength(2)
})

test('an order of which the bridge shipped a part stays late with the units that are left; refused shipments count for nothing', async () => {
  const world = await seenOrders()
  const run = await commandsOf(world)
  const shipBy = async () => {
    const { out } = await run('late', '--within', '30d', '--party', '2000', '--json')
    const late = rows(out).filter(({ what }) => what === 'ship')
    return Object.fromEntries(late.map(({ purchaseOrder, units }) => [purchaseOrder, units]))
  }
  const before = await shipBy()
  const large = ORDERS.find(({ po }) => (before[po] ?? 0) > 1)?.po ?? ''
  const parcels = sampleShipments(ORDERS, { seed: 1, damageEvery: 0 })
  const [parcel] = parcels.filter(({ po, rows: lines }) => po === large && Number(lines[0]?.Qty) > 0)
  const [line] = parcel?.rows ?? []
  const ship = async (name: string, quantity: string) => {
    const shown = line === undefined ? [] : [{ ...line, Qty: quantity, 'Tracking Number': `T${quantity}` }]
    await world.drop('inbox/shipments', name, shipmentsFile([{ po: large, rows: shown, damage: [] }]))
    await world.run('shipments')
    return shipBy()
  }

  const refused = await ship('too-many.csv', '500')
  const partly = await ship('one.csv', '1')

  expect(before[large]).toBeGreaterThan(1)
  expect(refused).toEqual(before)
  expect(partly).toEqual({ ...before, [large]: (before[large] ?? 0) - 1 })
})

test('--live asks the API, so that orders count which the bridge never saw, and others which are done do not', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders')
  const { baseUrl } = world.configuration.api
  const brand = createClient({ baseUrl, ...world.credentials.brand, clock: world.clock, random: Math.random })
  await brand.send({ endpoint: 'acknowledgeOrder', params: { brand_id: BRAND, id: 1 } })
  await brand.close()
  const run = await commandsOf(world)
  const before = world.service.counts()

  const seen = rows((await run('late', '--within', '2d', '--party', 'brand/2000', '--json')).out)
  const live = rows((await run('late', '--within', '2d', '--party', 'brand/2000', '--live', '--json')).out)

  expect(seen).toEqual([])
  expect(live.map(({ purchaseOrder, what }) => [purchaseOrder, what])).toEqual(
    ORDERS.slice(1).map(({ po }) => [po, 'acknowledge']),
  )
  expect(world.service.counts()).toEqual(before)
})

test('a route with alertIfLate raises an alert for each order, once, without asking the API; none without it', async () => {
  const world = await seenOrders()
  const raised = async () => {
    const before = world.events.length
    const bridge = await world.open()
    const { alerts } = await bridge.takeSnapshotAndPublishAlerts()
    await bridge.close()
    const reported = world.events.slice(before).filter((event) => event.kind === 'alert-raised')
    return { reported, late: alerts.filter(({ code }) => code === 'order-late') }
  }
  world.clock.skip(22 * HOUR_MS)
  await world.service.close()
  const none = await raised()
  change(world, { alertIfLate: { acknowledgeMs: HOUR_MS } })
  const early = await raised()
  world.clock.skip(HOUR_MS * 1.5)
  const soon = await raised()
  const again = await raised()

  expect([none.late, early.late]).toEqual([[], []])
  expect(soon.late).toHaveLength(3)
  expect(soon.late[0]).toMatchObject({
    route: 'orders-out',
    subject: `${PO} (1), acknowledge`,
    message: expect.stringMatching(
      new RegExp(`^order ${PO} \\(id 1\\) must be acknowledged by \\S+Z, as seen on `),
    ),
  })
  expect(soon.reported).toHaveLength(3)
  expect(again.reported).toEqual([])
})

test('orders that others acknowledged or canceled raise no alert, and end the one that stands', async () => {
  const world = await seenOrders()
  change(world, { alertIfLate: { acknowledgeMs: HOUR_MS } })
  const late = async () => {
    const bridge = await world.open()
    await bridge.run(['orders-out'], new AbortController().signal)
    const { alerts } = await bridge.takeSnapshotAndPublishAlerts()
    await bridge.close()
    return alerts.flatMap(({ code, subject }) => (code === 'order-late' ? [subject.split(' ')[0]] : []))
  }
  const [first, second, third] = ORDERS.map(({ po }) => po)
  world.clock.skip(23.5 * HOUR_MS)
  const all = await late()
  await othersAct(world)
  world.clock.skip(HOUR_MS / 3)
  const left = await late()

  expect(all).toEqual([first, second, third])
  expect(left).toEqual([third])
})

test('an order that the bridge acknowledged is not to be acknowledged, although the answer showed no order', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  world.service.switches.actAnswer = 204
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders', 'orders-out')
  const run = await commandsOf(world)

  const late = rows((await run('late', '--within', '30d', '--party', '2000', '--json')).out)

  expect(late.map(({ what }) => what)).toEqual(['ship', 'ship', 'ship'])
})

test('an order that a file of the bridge acknowledged, or that its other party acknowledged, is not to be acknowledged', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out', 'shipments'] })
  change(world, { acknowledge: 'never', verifyBeforeAck: false })
  const [orders = {}, , decisions = {}] = world.configuration.routes
  Object.assign(orders, { alertIfLate: { shipMs: HOUR_MS } })
  const mappingPath = join(process.cwd(), 'mappings/supplier-acknowledgements.yaml')
  Object.assign(decisions, { operation: 'acknowledge-order', mappingPath })
  world.service.switches.actAnswer = 204
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders', 'orders-out')
  const run = await commandsOf(world)
  const list = async () => rows((await run('late', '--within', '30d', '--json')).out)
  const count = async () =>
    (await list()).filter(({ what }) => what === 'acknowledge').map(({ account }) => account)

  const before = await count()
  await world.drop('inbox/shipments', 'acks.csv', `PO Number\n${PO}\n`)
  await world.run('shipments')

  expect(before.toSorted()).toEqual([...Array(3).fill('brand/2000'), ...Array(3).fill('retailer/1000')])
  expect(await count()).toHaveLength(4)
})

test('a retailer that only sends orders is named as not seen, and is seen once a route of it has alertIfLate', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders')
  const unseen = await run('late', '--within', '30d')
  Object.assign(world.configuration.routes[0] ?? {}, { alertIfLate: { shipMs: HOUR_MS } })
  const later = sampleOrders({ seed: 62, orders: 2, damageEvery: 0, firstNumber: 20_001 })
  await world.drop('inbox/orders', 'later.csv', ordersFile(later).text)
  await world.run('orders')
  const seen = rows((await run('late', '--within', '30d', '--json')).out)

  expect(unseen.err).toContain('It has seen no open orders of retailer/1000.')
  expect(seen.filter(({ what }) => what === 'ship')).toHaveLength(2)
})
