/** A bridge that stops at any effect for longer than its lease, while another one takes its work over. */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { RunResult } from '../../src/app/outcome.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { pauseAt } from '../fixtures/pause-at.ts'
import { playSteps } from '../fixtures/scenario.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

/** Far more effects than a pass has. */
const EFFECTS_MAX = 400
const STARTS_MAX = 6
const LEASE_MS = 150

const ORDERS = sampleOrders({ seed: 7, orders: 4, damageEvery: 4 })
const GOOD = ORDERS.filter((order) => order.damage.length === 0).map((order) => order.po)

type Moment = 'before' | 'after'
/** Whether the stopped bridge wakes up when its successor has started, or when it is done. */
type Waking = 'beside its successor' | 'when all is done'

interface Stopped {
  /** The effect at which the bridge stopped; undefined when it finished before. */
  readonly at: string | undefined
  readonly result: RunResult
}

async function pausedRun(
  world: World,
  route: string,
  { effect, moment, waking }: { effect: number; moment: Moment; waking: Waking },
): Promise<Stopped> {
  const plan = pauseAt(effect, moment)
  const bridge = await world.open(plan.wrap, { leaseMs: LEASE_MS })
  try {
    const running = bridge.run([route], new AbortController().signal)
    const at = await Promise.race([plan.stopped, running.then(() => undefined)])
    if (at !== undefined) {
      await wait(LEASE_MS * 1.1)
      const successor = runUntilQuiet(world, route)
      if (waking === 'when all is done') await successor
      else await wait(20)
      plan.wake()
      await successor
    }
    return { at, result: await running }
  } finally {
    await bridge.close()
  }
}

async function runUntilQuiet(world: World, route: string): Promise<void> {
  for (let start = 0; start < STARTS_MAX; start++) {
    const { routes, exit } = await world.run(route)
    if (exit === 0 || exit === 2) return
    const failures = routes.flatMap((each) => (each.kind === 'failed' ? [each.failure] : []))
    const unexpected = failures.filter(({ code }) => code !== 'lease-held')
    expect(unexpected.map(({ message }) => message)).toEqual([])
    await wait(LEASE_MS)
  }
  throw new Error('the bridge did not come to rest')
}

/** The stopped bridge reports that it lost its lease, or had nothing left to do; never anything else. */
function expectCalm({ at, result }: Stopped): void {
  for (const each of result.routes) {
    if (each.kind !== 'failed') continue
    expect({ code: each.failure.code, exit: result.exit, at }, String(each.failure.cause)).toEqual({
      code: expect.stringMatching(/^lease-(lost|held)$/),
      exit: 75,
      at,
    })
  }
}

/** Right after one effect is nearly right before the next one, so each effect is in one of the cases. */
const CASES = [
  { moment: 'before', waking: 'when all is done', first: 1 },
  { moment: 'after', waking: 'beside its successor', first: 2 },
] as const satisfies { moment: Moment; waking: Waking; first: number }[]

const STRIDE = CASES.length

test.each(CASES)(
  'orders: stopped right $moment any effect and woken $waking, a bridge posts nothing twice and loses nothing',
  async ({ moment, waking, first }) => {
    const effects = await playSteps({ first, stride: STRIDE, max: EFFECTS_MAX }, async (effect) => {
      const world = await aWorld({ routes: ['orders'] })
      await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)

      const stopped = await pausedRun(world, 'orders', { effect, moment, waking })

      const context = `${stopped.at} (effect ${effect})`
      expectCalm(stopped)
      await runUntilQuiet(world, 'orders')
      expect((await world.orders()).map((order) => order.purchase_order_number).toSorted(), context).toEqual(
        GOOD.toSorted(),
      )
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
      expect(await world.list('inbox/orders'), context).toEqual([])
      expect(await world.list('inbox/orders/.claimed'), context).toEqual([])
      return stopped.at
    })
    expect(effects).toBeGreaterThan(20 / STRIDE)
  },
  240_000,
)

test.each(CASES)(
  'shipments: stopped right $moment any effect and woken $waking, a bridge ships every parcel exactly once',
  async ({ moment, waking, first }) => {
    const orders = sampleOrders({ seed: 9, orders: 3, damageEvery: 0 })
    const parcels = sampleShipments(orders, { seed: 1, damageEvery: 0 })
    const ordered = await aWorld({ routes: ['orders', 'shipments'], connections: 2 })
    await ordered.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
    await ordered.run('orders')
    await ordered.drop('inbox/shipments', 'shipments.csv', shipmentsFile(parcels))
    const effects = await playSteps({ first, stride: STRIDE, max: EFFECTS_MAX }, async (effect) => {
      const world = await ordered.fork()

      const stopped = await pausedRun(world, 'shipments', { effect, moment, waking })

      const context = `${stopped.at} (effect ${effect})`
      expectCalm(stopped)
      await runUntilQuiet(world, 'shipments')
      expect(world.service.counts().shipments, context).toBe(parcels.length)
      const results = parseCsv(await world.read('results/shipments.csv.results.csv'))
      expect(new Set(results.map((row) => row['_status'])), context).toEqual(new Set(['accepted']))
      return stopped.at
    })
    expect(effects).toBeGreaterThan(20 / STRIDE)
  },
  240_000,
)

test.each(CASES)(
  'an export: stopped right $moment any effect and woken $waking, a bridge delivers every order in exactly one file',
  async ({ moment, waking, first }) => {
    const ordered = await aWorld({ routes: ['orders', 'orders-out'] })
    await ordered.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
    await ordered.run('orders')
    const effects = await playSteps({ first, stride: STRIDE, max: EFFECTS_MAX }, async (effect) => {
      const world = await ordered.fork()

      const stopped = await pausedRun(world, 'orders-out', { effect, moment, waking })

      const context = `${stopped.at} (effect ${effect})`
      expectCalm(stopped)
      await runUntilQuiet(world, 'orders-out')
      expect(await deliveredOrders(world), context).toEqual(GOOD.toSorted())
      expect(world.service.counts().acknowledgedOrders, context).toBe(GOOD.length)
      return stopped.at
    })
    expect(effects).toBeGreaterThan(10 / STRIDE)
  },
  240_000,
)

/** The purchase order numbers in every delivered file, each once per file. */
async function deliveredOrders(world: World): Promise<string[]> {
  const found: string[] = []
  for (const name of await world.list('outbox')) {
    const rows = parseCsv(await world.read(join('outbox', name)))
    found.push(...new Set(rows.map((row) => row['PO Number'] ?? '')))
  }
  return found.toSorted()
}
