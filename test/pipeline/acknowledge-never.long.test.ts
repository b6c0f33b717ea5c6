/** Exports that acknowledge nothing, for systems that acknowledge by a file of their own: still each record once. */
import { expect, test } from 'vitest'
import type { OutboundRoute } from '../../src/config/routes.ts'
import type { Api } from '../../src/domain/api.ts'
import { delivered } from '../fixtures/delivered.ts'
import { atEachEffect, crashAt } from '../fixtures/crash-after.ts'
import { addReport } from '../fixtures/reports.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 71, orders: 3, damageEvery: 0 })
const LATER = sampleOrders({ seed: 72, orders: 2, damageEvery: 0, firstNumber: 20_001 })
const numbersOf = (orders: readonly { readonly po: string }[]) => orders.map(({ po }) => po)

async function aWorldThatNeverAcknowledges(): Promise<World> {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  Object.assign(exportRoute(world), { acknowledge: 'never', verifyBeforeAck: false })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders')
  return world
}

function exportRoute(world: World): OutboundRoute {
  const route = world.configuration.routes.find((each) => each.name === 'orders-out')
  if (route?.direction !== 'outbound') throw new Error('no such route')
  return route
}

test('a route that never acknowledges delivers every record in one file, once, and calls nothing', async () => {
  const world = await aWorldThatNeverAcknowledges()
  const sent: string[] = []
  const listening = (api: Api): Api => ({
    ...api,
    send: (call) => {
      sent.push(call.endpoint)
      return api.send(call)
    },
  })
  const bridge = await world.open({ api: listening })
  const first = await bridge.run(['orders-out'], new AbortController().signal)
  await bridge.close()
  const second = await world.run('orders-out')
  await world.drop('inbox/orders', 'later.csv', ordersFile(LATER).text)
  await world.run('orders')
  const third = await world.run('orders-out')

  expect(sent).toEqual([])
  expect([first.exit, second.exit, third.exit]).toEqual([0, 0, 0])
  expect(first.routes).toMatchObject([
    { pass: { deliveries: [{ delivery: { state: 'done', records: 3 }, records: { exported: 3 } }] } },
  ])
  expect(second.routes).toMatchObject([{ pass: { deliveries: [] } }])
  expect(await delivered(world)).toEqual({
    'orders-1.csv': numbersOf(ORDERS),
    'orders-2.csv': numbersOf(LATER),
  })
  expect(world.service.counts().acknowledgedOrders).toBe(0)
})

test('a route that stops acknowledging leaves the rest of a delivery as it is and continues', async () => {
  const world = await aWorldThatNeverAcknowledges()
  Object.assign(exportRoute(world), { acknowledge: 'delivered' })
  const bridge = await world.open({
    api: (api) => ({
      ...api,
      send: () => Promise.resolve({ certainty: 'not-applied', detail: 'HTTP 503' }),
    }),
  })
  const unavailable = await bridge.run(['orders-out'], new AbortController().signal)
  await bridge.close()

  Object.assign(exportRoute(world), { acknowledge: 'never' })
  const never = await world.run('orders-out')

  expect(unavailable.exit).toBe(69)
  expect(never.exit).toBe(0)
  expect(never.routes).toMatchObject([{ pass: { deliveries: [{ delivery: { state: 'done' } }] } }])
  expect((await world.run('orders-out')).routes).toMatchObject([{ pass: { deliveries: [] } }])
  expect(await delivered(world)).toEqual({ 'orders-1.csv': numbersOf(ORDERS) })
  expect(world.service.counts().acknowledgedOrders).toBe(0)
})

/** Dies at the n-th effect of a pass; undefined when it finished before. */
async function dieAt(
  world: World,
  route: string,
  { effect, moment }: { readonly effect: number; readonly moment: 'before' | 'after' },
): Promise<string | undefined> {
  const plan = crashAt(effect, moment)
  const bridge = await world.open(plan.wrap)
  await bridge.run([route], new AbortController().signal).catch((error: unknown) => {
    if (plan.diedAt() === undefined) throw error
  })
  await bridge.close()
  world.clock.skip(60_000) // the lease of the dead bridge expires
  return plan.diedAt()
}

test.each(['before', 'after'] as const)(
  'a bridge that dies right %s any effect of a pass without acknowledging delivers every order in exactly one file',
  async (moment) => {
    const ordered = await aWorldThatNeverAcknowledges()
    const effects = await atEachEffect(moment, async (effect) => {
      const world = await ordered.fork()
      const died = await dieAt(world, 'orders-out', { effect, moment })
      const { exit } = await world.run('orders-out')

      const context = `${died ?? 'nothing'} (effect ${effect})`
      expect(exit, context).toBe(0)
      expect(await delivered(world), context).toEqual({ 'orders-1.csv': numbersOf(ORDERS) })
      return died
    })
    expect(effects).toBeGreaterThan(5)
  },
  120_000,
)

test.each(['before', 'after'] as const)(
  'a bridge that dies right %s any effect of a report leaves whole files only, numbered without gaps, and none that it composed is lost',
  async (moment) => {
    const composedAt: string[] = []
    await atEachEffect(moment, async (effect) => {
      const world = await aWorld({ routes: [] })
      await addReport(world, {
        operation: 'export-carriers',
        mapping: 'write: { format: csv, newline: "\\n" }\ncolumns: { Id: id, Code: code }\n',
      })
      const died = await dieAt(world, 'report', { effect, moment })
      const composed = (await recentDeliveries(world)).length
      const { exit } = await world.run('report')

      const context = `${died ?? 'nothing'} (effect ${effect})`
      expect(exit, context).toBe(0)
      const names = await world.list('outbox')
      expect(names, context).toEqual(['report-1.csv', 'report-2.csv'].slice(0, composed + 1))
      for (const name of names) {
        expect(await world.read(`outbox/${name}`), context).toBe('Id,Code\n1,FDEG\n2,UPSN\n3,USPS\n')
      }
      if (composed > 0) composedAt.push(context)
      return died
    })
    expect(composedAt.length).toBeGreaterThan(1)
  },
  120_000,
)

async function recentDeliveries(world: World) {
  const bridge = await world.open()
  const found = await bridge.journal.listRecentDeliveries(10)
  await bridge.close()
  return found
}
