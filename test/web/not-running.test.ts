/** What the head of each page says while no bridge works: when one worked last, and when the next run is due. */
import { expect, test } from 'vitest'
import type { Schedule } from '../../src/config/schedule.ts'
import { toText } from '../fixtures/console.ts'
import { smallOrders } from '../fixtures/small-orders.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { aConsole } from './harness.ts'

const MINUTE_MS = 60_000

/** Each night, as `run --due` carries it out. */
const NIGHTLY: Schedule = { kind: 'cron', expression: '15 2 * * *', zone: 'America/New_York' }

async function aScheduledWorld(): Promise<World> {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  const [orders, out] = world.configuration.routes
  Object.assign(orders ?? {}, { schedule: NIGHTLY })
  Object.assign(out ?? {}, { schedule: { kind: 'every', everyMs: 24 * 60 * MINUTE_MS } satisfies Schedule })
  Object.assign(world.configuration, { zone: 'America/New_York' })
  return world
}

async function runDue(world: World): Promise<void> {
  const bridge = await world.open()
  await bridge.run([], new AbortController().signal, { scheduleMode: 'due' })
  await bridge.close()
}

test('the head of each page has the last work and the next run of all routes, by the zone of the configuration', async () => {
  const world = await aScheduledWorld()
  const { readHead } = await look(world)
  expect(await readHead('/')).toMatch(/^○ Not running\. Last work [\d:]+ ; \S+ is due now$/)
  await world.drop('inbox/orders', 'day.csv', smallOrders(1, 3))
  await runDue(world)
  // It is 07:00 there. The list of the other route comes at midnight of UTC, which is 19:00.
  expect(await readHead('/')).toMatch(
    /^○ Not running\. Last work 07:00:\d\d ; next due 19:00:00 \(orders-out\)$/,
  )
  expect(await readHead('/files')).toBe(await readHead('/settings'))
})

test('a run that was not started is due now, and the next one after it has its date', async () => {
  const world = await aScheduledWorld()
  await runDue(world)
  world.clock.skip(Date.parse('2026-11-22T00:30:00Z') - world.clock.now())
  const { console, readHead } = await look(world)
  expect(await readHead('/')).toMatch(/; orders-out is due now$/)
  await runDue(world)
  // It found nothing to do, which is no work.
  expect(await readHead('/')).toMatch(/Last work 07:00:\d\d ; next due 22 Nov 2026 02:15 \(orders\)$/)
  const { body } = await console.get('/', 'viewer')
  expect(body).toContain(
    '<time datetime="2026-11-22T07:15:00.000Z" title="2026-11-22 02:15:00 America/New_York">',
  )
})

test('a paused route is due when its pause ends, and the other one before it', async () => {
  const world = await aScheduledWorld()
  const { readHead } = await look(world)
  await runDue(world)
  const bridge = await world.open()
  const until = Date.parse('2026-11-23T15:00:00Z')
  await bridge.pause({ route: 'orders-out', by: 'nadia', why: 'stock', until })
  expect(await readHead('/')).toMatch(/; next due 22 Nov 2026 02:15 \(orders\)$/)
  await bridge.pause({ route: 'orders', by: 'nadia', why: 'stock', until: until + MINUTE_MS })
  await bridge.close()
  expect(await readHead('/')).toMatch(/; next due 23 Nov 2026 10:00 \(orders-out\)$/)
})

test('without any schedule it says so', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const { readHead } = await look(world)
  expect(await readHead('/')).toMatch(/^○ Not running\. Last work 12:00:\d\d ; no route has a schedule$/)
})

async function look(world: World) {
  await (await world.open()).close()
  const console = await aConsole(world)
  return {
    console,
    readHead: async (address: string) => {
      const { body } = await console.get(address, 'viewer')
      return toText(/<p id="activity"[^>]*>([^]*?)<\/p>/.exec(body)?.[1] ?? '')
    },
  }
}
