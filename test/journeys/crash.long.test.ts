/** Dying at every effect: whatever the moment, nothing is lost, nothing is posted twice, nothing is delivered twice. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { atEachEffect, crashAt } from '../fixtures/crash-after.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { invoicesFile, sampleInvoices, sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { ordersFile, type SampleOrder, sampleOrders } from '../samples/orders.ts'

/** Three good orders and a damaged one; few, because every effect needs a run from the start. */
const ORDERS = sampleOrders({ seed: 7, orders: 4, damageEvery: 4 })
const ROUTES = ['orders', 'orders-out', 'shipments', 'invoices']
const GOOD = ORDERS.filter((order) => order.damage.length === 0).map((order) => order.po)

/** An export with a file for every order. */
const ONE_PER_FILE = `operation: export-orders
file: { records: 1 }
columns: { PO Number: purchase_order_number, Order Id: id }
`

/** How many starts a bridge may need until it has nothing left to do. */
const STARTS_MAX = 6

async function runUntilQuiet(world: World, route: string): Promise<void> {
  for (let start = 0; start < STARTS_MAX; start++) {
    world.clock.skip(60_000) // the lease of the dead bridge expires
    const { routes, exit } = await world.run(route)
    expect(routes.flatMap((each) => (each.kind === 'failed' ? [each.failure.message] : []))).toEqual([])
    if (exit === 0 || exit === 2) return
  }
  throw new Error('the bridge did not come to rest')
}

/** Starts a bridge that dies at the n-th effect; returns undefined when it finished before. */
async function dieAt(
  world: World,
  route: string,
  effect: number,
  moment: 'before' | 'after',
): Promise<string | undefined> {
  const plan = crashAt(effect, moment)
  const bridge = await world.open(plan.wrap)
  try {
    await bridge.run([route], new AbortController().signal)
  } catch (error) {
    if (plan.diedAt() === undefined) throw error
  } finally {
    await bridge.close()
  }
  return plan.diedAt()
}

for (const moment of ['before', 'after'] as const) {
  test(`a bridge that dies right ${moment} any effect of an inbound pass posts every order exactly once and reports it`, async () => {
    const file = ordersFile(ORDERS)
    const effects = await atEachEffect(moment, async (effect) => {
      const world = await aWorld({ routes: ROUTES })
      await world.drop('inbox/orders', 'orders.csv', file.text)

      const died = await dieAt(world, 'orders', effect, moment)
      await runUntilQuiet(world, 'orders')

      const context = `${died ?? 'nothing'} (effect ${effect})`
      expect(await ordersAtService(world), context).toEqual(GOOD.toSorted())
      expect(await world.list('inbox/orders'), context).toEqual([])
      expect(await world.list('results'), context).toEqual([
        'orders.csv.rejects.csv',
        'orders.csv.results.csv',
        'orders.csv.summary.json',
      ])
      const results = parseCsv(await world.read('results/orders.csv.results.csv'))
      expect(
        results.map((row) => [row['PO Number'], row['_status']]),
        context,
      ).toEqual(ORDERS.map((order) => [order.po, order.damage.length === 0 ? 'accepted' : 'rejected']))
      const second = await world.run('orders')
      expect(second.exit, context).toBe(0)
      return died
    })
    expect(effects).toBeGreaterThan(20)
  })

  test(`a bridge that dies right ${moment} any effect of an outbound pass delivers every order in exactly one file and acknowledges it`, async () => {
    const ordered = await aWorld({ routes: ROUTES })
    await ordered.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
    await ordered.run('orders')
    expect(ordered.service.counts().orders).toBe(GOOD.length)
    const effects = await atEachEffect(moment, async (effect) => {
      const world = await ordered.fork()

      const died = await dieAt(world, 'orders-out', effect, moment)
      await runUntilQuiet(world, 'orders-out')

      const context = `${died ?? 'nothing'} (effect ${effect})`
      const delivered = await deliveredOrders(world)
      expect(delivered, context).toEqual(GOOD.toSorted())
      expect(world.service.counts().acknowledgedOrders, context).toBe(GOOD.length)
      return died
    })
    expect(effects).toBeGreaterThan(10)
  })
}

test.each(['before', 'after'] as const)(
  'a bridge that dies right %s any effect of an outbound pass of several files delivers every order in exactly one of them',
  async (moment) => {
    const orders = sampleOrders({ seed: 7, orders: 2, damageEvery: 0 })
    const ordered = await aWorld({ routes: ROUTES })
    const mapping = join(ordered.folder, 'orders-export.yaml')
    await writeFile(mapping, ONE_PER_FILE)
    const route = ordered.configuration.routes.find((each) => each.name === 'orders-out')
    Object.assign(route ?? {}, { mappingPath: mapping })
    await ordered.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
    await ordered.run('orders')
    const effects = await atEachEffect(moment, async (effect) => {
      const world = await ordered.fork()

      const died = await dieAt(world, 'orders-out', effect, moment)
      const acknowledgedEarly = world.service.counts().acknowledgedOrders
      const inPlace = await world.list('outbox')
      await runUntilQuiet(world, 'orders-out')

      const context = `${died ?? 'nothing'} (effect ${effect})`
      expect(acknowledgedEarly, context).toBeLessThanOrEqual(inPlace.length)
      expect(await deliveredOrders(world), context).toEqual(orders.map(({ po }) => po).toSorted())
      expect(await world.list('outbox'), context).toHaveLength(orders.length)
      expect(world.service.counts().acknowledgedOrders, context).toBe(orders.length)
      return died
    })
    expect(effects).toBeGreaterThan(20)
  },
  240_000,
)

test.each(['before', 'after'] as const)(
  'a bridge that dies right %s any effect of a shipments pass ships every parcel exactly once',
  async (moment) => {
    const orders = sampleOrders({ seed: 9, orders: 3, damageEvery: 0 })
    // Half of the ordered quantity: the service refuses a second parcel only when the order is full.
    const parcels = orders.map((order, index) => ({
      po: order.po,
      rows: [shipmentRow(order, `TRACK-${index}`)],
      damage: [],
    }))
    const ordered = await aWorld({ routes: ROUTES, connections: 2 })
    await ordered.drop('inbox/orders', 'orders.csv', ordersFile(doubled(orders)).text)
    await ordered.run('orders')
    await ordered.drop('inbox/shipments', 'shipments.csv', shipmentsFile(parcels))
    const effects = await atEachEffect(moment, async (effect) => {
      const world = await ordered.fork()

      const died = await dieAt(world, 'shipments', effect, moment)
      await runUntilQuiet(world, 'shipments')

      const context = `${died ?? 'nothing'} (effect ${effect})`
      expect(world.service.counts().shipments, context).toBe(parcels.length)
      const shipped = (await world.orders()).map((order) =>
        order.shipments.map((each) => each.tracking_number),
      )
      expect(shipped.flat().toSorted(), context).toEqual(['TRACK-0', 'TRACK-1', 'TRACK-2'])
      const results = parseCsv(await world.read('results/shipments.csv.results.csv'))
      expect(
        results.map((row) => row['_status']),
        context,
      ).toEqual(['accepted', 'accepted', 'accepted'])
      return died
    })
    expect(effects).toBeGreaterThan(20)
  },
  240_000,
)

test.each(['before', 'after'] as const)(
  'a bridge that dies right %s any effect of an invoices pass invoices every order exactly once',
  async (moment) => {
    const orders = sampleOrders({ seed: 9, orders: 3, damageEvery: 0 })
    const shipments = sampleShipments(orders, { seed: 1, damageEvery: 0 })
    const invoices = sampleInvoices(orders, { firstNumber: 1, damageEvery: 0 })
    const shipped = await aWorld({ routes: ROUTES, connections: 2 })
    await shipped.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
    await shipped.drop('inbox/shipments', 'shipments.csv', shipmentsFile(shipments))
    await shipped.run('orders', 'shipments')
    await shipped.drop('inbox/invoices', 'invoices.csv', invoicesFile(invoices))
    const effects = await atEachEffect(moment, async (effect) => {
      const world = await shipped.fork()

      const died = await dieAt(world, 'invoices', effect, moment)
      await runUntilQuiet(world, 'invoices')

      const context = `${died ?? 'nothing'} (effect ${effect})`
      expect(world.service.counts().invoices, context).toBe(invoices.length)
      const results = parseCsv(await world.read('results/invoices.csv.results.csv'))
      expect(
        results.map((row) => row['_status']),
        context,
      ).toEqual(['accepted', 'accepted', 'accepted'])
      return died
    })
    expect(effects).toBeGreaterThan(20)
  },
  240_000,
)

/** Twice as many of everything. */
function doubled(orders: readonly SampleOrder[]): SampleOrder[] {
  return orders.map((order) => ({
    ...order,
    rows: order.rows.map((row) => ({ ...row, Qty: String(Number(row.Qty) * 2) })),
  }))
}

function shipmentRow(order: SampleOrder, tracking: string) {
  const [first] = sampleShipments([order], { seed: 1, damageEvery: 0 })
  const row = first?.rows[0]
  if (!row) throw new Error('an order without a parcel')
  return { ...row, 'Tracking Number': tracking }
}

/** The purchase order numbers in every delivered file, each once per file. */
async function deliveredOrders(world: World): Promise<string[]> {
  const found: string[] = []
  for (const name of await world.list('outbox')) {
    const rows = parseCsv(await world.read(join('outbox', name)))
    found.push(...new Set(rows.map((row) => row['PO Number'] ?? '')))
  }
  return found.toSorted()
}

async function ordersAtService(world: World): Promise<string[]> {
  return (await world.orders()).map((order) => order.purchase_order_number).toSorted()
}
