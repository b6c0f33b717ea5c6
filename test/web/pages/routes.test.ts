/** The page of a route: pausing it until a time, and letting it go on, once each and with a reason. */
import { DateTime } from 'luxon'
import { expect, test } from 'vitest'
import { crashAt } from '../../fixtures/crash-after.ts'
import { smallOrders } from '../../fixtures/small-orders.ts'
import { aWorld } from '../../fixtures/world.ts'
import { aDesk } from '../desk.ts'

const WHY = { why: 'the shop sends again' }

/** A file of two orders waits in the inbox of the route. */
async function aRoute() {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  await world.drop('inbox/orders', 'orders.csv', smallOrders(40_001, 2))
  const desk = await aDesk(world)
  const inMinutes = (minutes: number) =>
    DateTime.fromMillis(world.clock.now() + minutes * 60_000, { zone: 'UTC' }).toFormat("yyyy-MM-dd'T'HH:mm")
  const pause = async (minutes = 60) => {
    const { form } = await desk.look('/routes/orders/pause')
    return desk.send('/routes/orders/pause', { ...form, ...WHY, until: inMinutes(minutes) })
  }
  return { world, ...desk, inMinutes, pause }
}

test('the page of a route shows where it stands, and buttons to those who may use them', async () => {
  const { look } = await aRoute()
  const { text } = await look('/routes/orders')
  expect(text).toContain('create-order as retailer/1000, from exchange: inbox/orders')
  expect(text).toContain('Pause …')
  expect((await look('/routes/orders', 'viewer')).text).not.toContain('Pause')
  expect((await look('/routes/none')).status).toBe(404)
  expect((await look('/routes/none/pause')).status).toBe(404)
})

test('a route whose reader took nothing yet says what it waits for, and that nothing is to do', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  for (const route of world.configuration.routes)
    if (route.direction === 'outbound') Object.assign(route, { acknowledge: 'picked-up' })
  await world.drop('inbox/orders', 'orders.csv', smallOrders(40_001, 2))
  await world.run('orders', 'orders-out')
  const { look } = await aDesk(world)
  const wait = /waits: its reader has not taken orders-1\.csv yet, or not confirmed it\. Nothing to do here/
  expect((await look('/routes', 'viewer')).text).toMatch(wait)
  const { text } = await look('/routes/orders-out')
  expect(text).toMatch(wait)
  expect(text).not.toContain('unfinished')
})

test('a route whose file a stop left open says what goes on with it', async () => {
  const { world, look } = await aRoute()
  const plan = crashAt(1, 'after', 'journal.markFileReceived')
  const dying = await world.open(plan.wrap)
  await dying.run(['orders'], new AbortController().signal).catch(() => undefined)
  await dying.close()
  world.clock.skip(60_000)
  expect((await look('/routes', 'viewer')).text).toContain(
    'unfinished: the next run, or “Run now …” on its page goes on with orders.csv',
  )
})

test('a pause keeps a run from the route until it ends, and the decision stands with its reason', async () => {
  const { world, look, pause, journal } = await aRoute()
  // Shorter than the session lasts.
  const { status, to = '' } = await pause(20)
  expect(status).toBe(303)
  const decided = await look(to, 'viewer')
  expect(decided.text).toContain('operator paused orders')
  expect(decided.text).toContain('Why: the shop sends again')
  expect(decided.text).toContain('It ends by itself at ')
  expect(await journal.listAllDecisions(undefined, 9)).toMatchObject([
    { ...WHY, by: 'operator', via: 'console', action: 'pause', route: 'orders' },
  ])
  expect((await look('/routes', 'viewer')).text).toMatch(
    /‖ paused: by operator until .*: the shop sends again/,
  )
  await world.run('orders')
  expect(await world.orders()).toEqual([])
  world.clock.skip(20 * 60_000)
  await world.run('orders')
  expect(await world.orders()).toHaveLength(2)
  expect((await look(to)).text).toContain('It ended by itself at ')
})

test('a person resumes it before its time', async () => {
  const { world, look, send, pause, journal } = await aRoute()
  const { to: paused = '' } = await pause()
  const { text, form } = await look('/routes/orders/resume')
  expect(text).toMatch(/It is paused by operator until .*: the shop sends again/)
  const { to = '' } = await send('/routes/orders/resume', { ...form, why: 'it came' }, 'operator')
  expect((await look(to)).text).toContain('operator resumed orders')
  expect((await look(paused)).text).toContain('A person ended it, or gave it another end, at ')
  await world.run('orders')
  expect(await world.orders()).toHaveLength(2)
  expect((await journal.verifyChain({})).findings).toEqual([])
})

test.each([
  ['without a reason', { why: '' }, 422, 'A reason is needed'],
  ['without an end', { until: '' }, 422, 'A pause needs an end'],
  ['with an end that is no time', { until: 'tomorrow' }, 422, 'A pause needs an end'],
  ['with an end that is over', { until: '2020-01-01T00:00' }, 409, 'a pause ends later than now'],
  ['for longer than a week', { until: '2030-01-01T00:00' }, 409, 'a pause ends within 7 days'],
  ['of no page', { once: '' }, 403, 'not from this session'],
])('a pause %s is refused, and what was typed stays', async (_, changes, status, message) => {
  const { look, send, inMinutes, journal } = await aRoute()
  const { form } = await look('/routes/orders/pause')
  const answer = await send('/routes/orders/pause', { ...form, ...WHY, until: inMinutes(60), ...changes })
  expect(answer).toMatchObject({ status, text: expect.stringContaining(message) as string })
  expect(await journal.listPauses()).toEqual([])
})

test('a form that is sent twice at once pauses once', async () => {
  const { look, send, inMinutes, journal } = await aRoute()
  const { form } = await look('/routes/orders/pause')
  const asked = { ...form, ...WHY, until: inMinutes(60) }
  const [one, other] = await Promise.all([1, 2].map(() => send('/routes/orders/pause', asked)))
  expect(other).toEqual(one)
  expect(await journal.countAllDecisions()).toBe(1)
})

test('of two people who resume it, the second one is shown that it goes on', async () => {
  const { look, send, pause, journal } = await aRoute()
  await pause()
  const { form } = await look('/routes/orders/resume', 'admin')
  const own = await look('/routes/orders/resume')
  await send('/routes/orders/resume', { ...form, ...WHY }, 'admin')
  const answer = await send('/routes/orders/resume', { ...own.form, ...WHY })
  expect(answer).toMatchObject({ status: 409, text: expect.stringContaining('not paused') as string })
  expect(await journal.countAllDecisions()).toBe(2)
})

test('viewers are refused', async () => {
  const { look, send, inMinutes, journal } = await aRoute()
  expect((await look('/routes/orders/pause', 'viewer')).status).toBe(403)
  const { form } = await look('/routes/orders/pause')
  const asked = { ...form, ...WHY, until: inMinutes(60) }
  expect((await send('/routes/orders/pause', asked, 'viewer')).status).toBe(403)
  expect((await send('/routes/orders/resume', asked, 'viewer')).status).toBe(403)
  expect(await journal.listPauses()).toEqual([])
})
