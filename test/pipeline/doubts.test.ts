/** Records about which too little is known are reported neither as done nor as refused. */
import { expect, test } from 'vitest'
import type { Call } from '../../src/domain/api.ts'
import { BridgeError } from '../../src/support/errors.ts'
import { crashAt } from '../fixtures/crash-after.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { aShippingWorld } from '../fixtures/shipping.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const never = new AbortController().signal

async function withOrders(count: number, ...routes: string[]): Promise<World> {
  const world = await aWorld({ routes })
  const orders = sampleOrders({ seed: 9, orders: count, damageEvery: 0 })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  return world
}

const statuses = async (world: World, file: string) =>
  parseCsv(await world.read(`results/${file}.results.csv`)).map((row) => row['_status'])

test.each([
  ['{}', {}],
  ['null', null],
  ['{"status":"maintenance"}', { status: 'maintenance' }],
])('a success with only %s is no proof that an order was made', async (text, body) => {
  const world = await withOrders(1, 'orders')
  let sends = 0
  const bridge = await world.open({
    api: (api) => ({
      ...api,
      send: (call, permit) =>
        ++sends === 1
          ? Promise.resolve({ certainty: 'answered', status: 200, body, text })
          : api.send(call, permit),
    }),
  })
  await bridge.run(['orders'], never)
  await bridge.close()

  expect(await statuses(world, 'orders.csv')).toEqual(['accepted'])
  expect(await world.orders()).toHaveLength(1)
})

test('orders that were started and never sent are not refused because the bridge died six times', async () => {
  const world = await withOrders(3, 'orders')
  for (let death = 0; death < 6; death++) {
    const plan = crashAt(1, 'after', 'journal.startAttempts')
    const bridge = await world.open(plan.wrap)
    await bridge.run(['orders'], never).catch(() => undefined)
    await bridge.close()
    expect(plan.diedAt()).toBe('after journal.startAttempts')
    await world.clock.sleep(60_000)
  }
  expect(await world.orders()).toEqual([])

  expect((await world.run('orders')).exit).toBe(0)
  expect(await statuses(world, 'orders.csv')).toEqual(['accepted', 'accepted', 'accepted'])
})

test('a parcel that took effect after its lookup, and is refused when it is posted again, is not reported as refused', async () => {
  const { world, purchaseOrders, fileOf } = await aShippingWorld({ orders: 1, documents: null })
  await world.drop('inbox/shipments', 's.csv', fileOf(purchaseOrders.map((po) => ({ po }))))
  let first: Call | undefined
  let reads = 0
  const bridge = await world.open({
    api: (api) => ({
      ...api,
      send: (call, permit) => {
        if (first !== undefined) return api.send(call, permit)
        first = call
        return Promise.resolve({ certainty: 'unknown', detail: 'no answer in time' })
      },
      get: async (call) => {
        // looked up: absent; then it takes effect, right before the snapshot of the order is taken anew
        if (first !== undefined && ++reads === 2) await api.send(first)
        return api.get(call)
      },
    }),
  })
  await bridge.run(['shipments'], never)
  await bridge.close()

  expect(world.service.counts().shipments).toBe(1)
  expect(await statuses(world, 's.csv')).not.toContain('rejected')
})

test('an order whose acknowledging is refused as done, and that cannot be read just then, is not reported as refused', async () => {
  const world = await withOrders(1, 'orders', 'orders-out')
  await world.run('orders')
  Object.assign(world.configuration.routes.find(({ name }) => name === 'orders-out') ?? {}, {
    verifyBeforeAck: false,
  })
  let sends = 0
  const bridge = await world.open({
    api: (api) => ({
      ...api,
      send: async (call, permit) => {
        await api.send(call, permit)
        if (++sends === 1) return { certainty: 'unknown', detail: 'the connection broke' }
        return { certainty: 'answered', status: 409, body: { detail: 'already acknowledged' }, text: '{}' }
      },
      get: (call) =>
        sends > 0 ? Promise.reject(new BridgeError('api-unreachable', 'it is away')) : api.get(call),
    }),
  })
  await bridge.run(['orders-out'], never)
  await bridge.close()
  expect(world.service.counts().acknowledgedOrders).toBe(1)

  expect((await world.run('orders-out')).exit).toBe(0)
  const reopened = await world.open()
  const overview = await reopened.journal.summarizeRoutes()
  expect(overview.find(({ route }) => route === 'orders-out')?.outgoing).toEqual({ accepted: 1 })
  await reopened.close()
})
