/** Clocks that are set forward and back by hours at any moment: nothing twice, nothing lost, and no endless wait. */
import { expect, test } from 'vitest'
import { parseCsv } from '../fixtures/csv.ts'
import { strikeAt } from '../fixtures/strike-at.ts'
import { aWorld } from '../fixtures/world.ts'
import { sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const HOURS = 3_600_000
const EFFECTS_MAX = 600
const ORDERS = sampleOrders({ seed: 9, orders: 6, damageEvery: 0 })
const PARCELS = sampleShipments(ORDERS, { seed: 1, damageEvery: 0 })

test.each([
  ['forward', 5 * HOURS],
  ['back', -5 * HOURS],
])('with the clock set %s at any moment, and answers lost, every parcel is shipped once', async (_, jump) => {
  const ordered = await aWorld({ routes: ['orders', 'shipments'], connections: 2 })
  await ordered.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await ordered.run('orders')
  await ordered.drop('inbox/shipments', 'shipments.csv', shipmentsFile(PARCELS))
  let effects = 0
  for (let effect = 1; effect < EFFECTS_MAX; effect += 3) {
    const world = await ordered.fork()
    Object.assign(world.service.switches, { loseAnswer: 0.3, resetBefore: 0.1, faultSeed: effect })

    const plan = strikeAt(effect, () => Promise.resolve(world.clock.skip(jump)))
    const bridge = await world.open(plan.wrap)
    await bridge.run(['shipments'], new AbortController().signal)
    await bridge.close()
    Object.assign(world.service.switches, { loseAnswer: 0, resetBefore: 0 })
    let exit = 75
    for (let passes = 0; passes < 3 && exit !== 0; passes++) exit = (await world.run('shipments')).exit

    const context = `${plan.struckAt()} (effect ${effect})`
    expect(exit, context).toBe(0)
    expect(world.service.counts().shipments, context).toBe(PARCELS.length)
    const rows = parseCsv(await world.read('results/shipments.csv.results.csv'))
    expect(new Set(rows.map((row) => row['_status'])), context).toEqual(new Set(['accepted']))
    if (plan.struckAt() === undefined) break
    effects++
  }
  expect(effects).toBeGreaterThan(10)
})

test('a bridge continues when the clock is set back, and keeps its lease against another one all the while', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  const exits: number[] = []
  const plan = strikeAt(32, async () => {
    world.clock.skip(-5 * HOURS)
    exits.push((await world.run('orders')).exit)
  })
  const bridge = await world.open(plan.wrap)
  const { exit } = await bridge.run(['orders'], new AbortController().signal)
  await bridge.close()

  // The bridge has the lease, and nothing is claimed yet.
  expect(plan.struckAt()).toBe('journal.startClaims')
  expect({ exits, exit }).toEqual({ exits: [75], exit: 0 })
  expect(world.service.counts().orders).toBe(ORDERS.length)
})
