/** Bounded runs: at most so many records, until a time, beside another bridge. */
import { expect, test } from 'vitest'
import type { RunResult } from '../../src/app/outcome.ts'
import type { RunOptions } from '../../src/app/run.ts'
import { createOwnerId } from '../../src/journal/heartbeat.ts'
import { instantClock } from '../fixtures/instant-clock.ts'
import { smallOrders } from '../fixtures/small-orders.ts'
import { aWorld, type World } from '../fixtures/world.ts'

async function runWith(
  world: World,
  options: RunOptions,
  routes: readonly string[] = [],
): Promise<RunResult> {
  const bridge = await world.open()
  try {
    return await bridge.run(routes, new AbortController().signal, options)
  } finally {
    await bridge.close()
  }
}

test('a run sends at most the number of records it may send, and the next runs send the rest, each once', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'one.csv', smallOrders(20_001, 5))
  await world.drop('inbox/orders', 'two.csv', smallOrders(30_001, 3))

  const first = await runWith(world, { maxRecords: 4 })
  expect(world.service.counts().orders).toBe(4)
  expect(first).toMatchObject({ exit: 75, limit: { records: 4, isReached: true } })

  const second = await runWith(world, { maxRecords: 4 })
  expect(world.service.counts().orders).toBe(8)
  expect(second).toMatchObject({ exit: 0, limit: { records: 4, isReached: false } })
  expect(await world.list('results')).toHaveLength(4)

  const third = await runWith(world, { maxRecords: 1 })
  expect(third).toMatchObject({ exit: 0, limit: { isReached: false } })
})

test('after its time a run starts nothing, says that its time is over, and the next run continues', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  await world.drop('inbox/orders', 'one.csv', smallOrders(20_001, 5))

  const late = await runWith(world, { until: world.clock.now() - 1 })
  expect(late.exit).toBe(75)
  expect(late.routes.map((each) => each.kind === 'failed' && each.failure.code)).toEqual([
    'time-over',
    'time-over',
  ])
  expect(world.service.counts().orders).toBe(0)

  const inTime = await world.run()
  expect(inTime.exit).toBe(0)
  expect(world.service.counts().orders).toBe(5)
})

test('when its time is over a run ends the work in flight cleanly', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'one.csv', smallOrders(20_001, 6))
  const time = new AbortController()
  const clock = { ...world.clock, sleep: sleepUntil(time.signal, world) }
  let sent = 0
  const bridge = await world.open(
    {
      api: (api) => ({
        ...api,
        send: async (call, permit) => {
          if (++sent === 3) time.abort()
          return api.send(call, permit)
        },
      }),
    },
    { clock },
  )
  const result = await bridge.run([], new AbortController().signal, { until: world.clock.now() + 3_600_000 })
  await bridge.close()

  expect(result.routes).toMatchObject([{ kind: 'failed', failure: { code: 'time-over', exit: 75 } }])
  expect(world.service.counts().orders).toBeLessThanOrEqual(6)
  expect((await world.run()).exit).toBe(0)
  expect(world.service.counts().orders).toBe(6)
})

test('the result of a stopped run has what it did before', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  await world.drop('inbox/orders', 'one.csv', smallOrders(20_001, 2))
  await world.drop('inbox/orders', 'two.csv', `${smallOrders(20_101, 3)}\n`)
  const stop = new AbortController()
  const bridge = await world.open({
    api: (api) => ({
      ...api,
      send: async (call, permit) => {
        if (JSON.stringify(call).includes('20101')) stop.abort()
        return api.send(call, permit)
      },
    }),
  })
  const { routes } = await bridge.run(['orders'], stop.signal)
  await bridge.close()

  expect(routes).toMatchObject([
    {
      kind: 'failed',
      failure: { code: 'interrupted' },
      done: { kind: 'inbound', pass: { summaries: [{ file: 'one.csv', records: { accepted: 2 } }] } },
    },
  ])
})

/** Ends the wait of an hour when `over` fires; all other waits run on the clock of the world. */
function sleepUntil(over: AbortSignal, world: World) {
  return (ms: number, signal?: AbortSignal): Promise<void> => {
    if (ms < 3_000_000) return world.clock.sleep(ms, signal)
    return new Promise((resolve) => {
      for (const each of [over, ...(signal ? [signal] : [])]) each.addEventListener('abort', () => resolve())
    })
  }
}

/** Another bridge has the lease of the route for the first `checks` attempts to get it. */
async function busyWorld(checks: number) {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'one.csv', smallOrders(20_001, 2))
  const clock = instantClock(world.clock.now())
  const bridge = await world.open(undefined, { clock, leaseMs: 3_600_000 })
  const lease = await bridge.journal.acquireLease('orders', createOwnerId('other'), 3_600_000, () => true)
  let left = checks
  const journal = bridge.journal
  const waiting = {
    ...clock,
    sleep: async (ms: number, signal?: AbortSignal) => {
      if (ms > 3_000_000) return sleepUntil(new AbortController().signal, world)(ms, signal)
      if (--left === 0) await journal.releaseLease(lease)
      return clock.sleep(ms, signal)
    },
  }
  const run = async (options: RunOptions) => {
    const other = await world.open(undefined, { clock: waiting })
    try {
      return await other.run([], new AbortController().signal, options)
    } finally {
      await other.close()
      await bridge.close()
    }
  }
  return { world, run }
}

test('a run tries a route that another bridge works on later, leaves it to that bridge, or waits for it', async () => {
  const failing = await busyWorld(Infinity)
  expect(await failing.run({})).toMatchObject({ exit: 75, routes: [{ failure: { code: 'lease-held' } }] })

  const skipping = await busyWorld(Infinity)
  expect(await skipping.run({ ifBusy: 'skip' })).toMatchObject({
    exit: 0,
    routes: [{ kind: 'busy', why: expect.stringContaining('Route orders is being worked on by') }],
  })

  const inTime = await busyWorld(Infinity)
  expect(await inTime.run({ ifBusy: 'skip', until: inTime.world.clock.now() + 3_600_000 })).toMatchObject({
    exit: 0,
    routes: [{ kind: 'busy' }],
  })

  const waiting = await busyWorld(5)
  expect(await waiting.run({ ifBusy: { waitAtMostMs: 60_000 } })).toMatchObject({ exit: 0 })
  expect(waiting.world.service.counts().orders).toBe(2)

  const timedOut = await busyWorld(Infinity)
  expect(await timedOut.run({ ifBusy: { waitAtMostMs: 3000 } })).toMatchObject({
    exit: 75,
    routes: [{ failure: { code: 'lease-held' } }],
  })
  expect(timedOut.world.service.counts().orders).toBe(0)
})
