/** Pausing a route: no pass over it begins until the time that was given, and nothing is lost by it. */
import { expect, test } from 'vitest'
import { openJournal } from '../../src/journal/open.ts'
import { openDatabase } from '../../src/support/sqlite.ts'
import { commandsOf } from '../fixtures/office.ts'
import { smallOrders } from '../fixtures/small-orders.ts'
import { aStoppedFile } from '../fixtures/stopped-route.ts'
import { watchWorld } from '../fixtures/watching.ts'
import { aWorld } from '../fixtures/world.ts'

/** An hour after the world begins. */
const UNTIL = '2026-11-21T13:00:00.000Z'

const WHO = ['--by', 'Ada', '--why', 'the shop sends again']

/** A file of two orders waits in the inbox of `orders`, which is paused for an hour. */
async function aPausedRoute() {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  const run = await commandsOf(world)
  await world.drop('inbox/orders', 'orders.csv', smallOrders(40_001, 2))
  const paused = await run('pause', 'orders', '--until', '2026-11-21T13:00Z', ...WHO)
  expect(paused.exit, paused.err).toBe(0)
  return { world, run, paused }
}

test.each([[[]], [['--due']], [['orders']]])(
  'run %s does nothing on a paused route, and says who, until when and why',
  async (options) => {
    const { world, run, paused } = await aPausedRoute()
    expect(paused.err).toBe(`orders: paused by Ada until ${UNTIL}: the shop sends again`)

    const { exit, err } = await run('run', ...options)

    expect(exit).toBe(0)
    expect(err).toContain(`orders: not run: paused by Ada until ${UNTIL}: the shop sends again`)
    expect(await world.list('inbox/orders')).toEqual(['orders.csv'])
    expect(await world.orders()).toEqual([])
  },
)

test('other routes run meanwhile, and programs can read it', async () => {
  const { run } = await aPausedRoute()
  const { routes } = JSON.parse((await run('run', '--json')).out) as { routes: unknown[] }
  expect(routes).toEqual([
    { route: 'orders', paused: { by: 'Ada', why: 'the shop sends again', until: UNTIL } },
    expect.objectContaining({ route: 'orders-out', deliveries: [] }),
  ])
})

test('why-not names the pause', async () => {
  const { world, run } = await aPausedRoute()
  const { out } = await run('why-not', `${world.folder}/exchange/inbox/orders/orders.csv`)
  expect(out).toContain(`Ada paused route orders until ${UNTIL}: the shop sends again`)
  expect(out).toContain('dropbridge resume orders --by NAME --why TEXT')
})

test('a pause ends by itself, and the route goes on where it was', async () => {
  const { world, run } = await aPausedRoute()
  await run('run')
  world.clock.skip(3_600_000)
  expect((await run('run')).exit).toBe(0)
  expect(await world.orders()).toHaveLength(2)
  expect((await run('resume', 'orders', ...WHO)).err).toContain('fix: Nothing to do: runs take its files.')
})

test('an alert and the status show it, until a person resumes the route', async () => {
  const { world, run } = await aPausedRoute()
  const { exit, out } = await run('status')
  expect(exit).toBe(2)
  expect(out).toContain(`orders: Ada paused it until ${UNTIL}: the shop sends again (route-paused, since`)
  expect(out).toMatch(new RegExp(`^orders +no records +no records +paused by Ada until ${UNTIL}`, 'm'))

  const resumed = await run('resume', 'orders', '--by', 'Bob', '--why', 'all is there')
  expect(resumed.err).toBe(`orders: resumed; it was paused by Ada until ${UNTIL}: the shop sends again`)
  expect((await run('status')).out).not.toContain('paused')
  expect((await run('run')).exit).toBe(0)
  expect(await world.orders()).toHaveLength(2)
})

test.each([
  ['longer than a week', ['orders', '--until', '2030-01-01T00:00Z'], 'a pause ends within 7 days'],
  ['over already', ['orders', '--until', '2020-01-01T00:00Z'], 'a pause ends later than now'],
  ['of no route', ['order', '--until', '1h'], 'there is no route "order"'],
  ['without an end', ['orders'], 'until'],
])('a pause that is %s is refused', async (_, options, message) => {
  const run = await commandsOf(await aWorld({ routes: ['orders'] }))
  const { exit, err } = await run('pause', ...options, ...WHO)
  expect(exit).toBe(64)
  expect(err).toContain(message)
})

test('what a person decides meanwhile is carried out', async () => {
  const world = await aStoppedFile(4)
  const run = await commandsOf(world)
  await run('pause', 'orders', '--until', '1h', ...WHO)
  const released = await run('release', 'orders.csv', ...WHO)
  expect(released.exit, released.err).toBe(0)
  expect(await world.orders()).toHaveLength(2)
})

test('a later pause takes the place of an earlier one; each is a decision, and the chain agrees', async () => {
  const { world, run } = await aPausedRoute()
  await run('pause', 'orders', '--until', '2h', ...WHO)
  await run('resume', 'orders', ...WHO)
  const { path } = world.configuration.journal
  const journal = await openJournal({ path, clock: world.clock })
  expect(await journal.listPauses()).toEqual([])
  expect(await journal.listAllDecisions(undefined, 9)).toMatchObject([
    { action: 'resume', route: 'orders', by: 'Ada', why: 'the shop sends again' },
    { action: 'pause', route: 'orders', pause: { endedAt: expect.any(Number) as number } },
    { action: 'pause', route: 'orders', pause: { endedAt: expect.any(Number) as number } },
  ])
  await journal.close()
  expect((await run('audit', 'verify')).exit).toBe(0)

  const database = openDatabase(path)
  database.exec('update pauses set ended_at = null where decision_id = 2')
  database.close()
  const changed = await run('audit', 'verify')
  expect(changed.exit).toBe(65)
  expect(changed.out + changed.err).toContain('pause 2 has another route or end than was noted')
})

test.each([
  ['until it ends', (world: { clock: { skip: (ms: number) => void } }) => world.clock.skip(3_600_000)],
  [
    'until a person resumes it',
    async (_: unknown, run: Awaited<ReturnType<typeof commandsOf>>) =>
      void (await run('resume', 'orders', ...WHO)),
  ],
])('a watch leaves it alone %s, and then takes its file', async (_, end) => {
  const { world, run } = await aPausedRoute()
  const watching = await watchWorld(world, { routes: ['orders'], speed: 20 })
  await watching.until(() =>
    watching.events.some((event) => event.kind === 'pass-ended' && event.idle === true),
  )
  expect(await world.orders()).toEqual([])
  expect(await world.list('inbox/orders')).toEqual(['orders.csv'])
  await end(world, run)
  await watching.untilClosed(1)
  expect(await world.orders()).toHaveLength(2)
  await watching.stop()
  expect(watching.events.filter(({ kind }) => kind === 'pass-ended').length).toBeLessThan(60)
})
