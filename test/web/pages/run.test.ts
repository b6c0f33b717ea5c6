/** Running a route from its page: once, after another process that has it, with a page that says what came of it. */
import { expect, onTestFinished, test } from 'vitest'
import { toText } from '../../fixtures/console.ts'
import { whileTimePasses } from '../../fixtures/skipping-clock.ts'
import { smallOrders } from '../../fixtures/small-orders.ts'
import { aWorld } from '../../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../../samples/orders.ts'
import { aDesk } from '../desk.ts'

const PAGE = '/routes/orders/run'

/** A file waits in the inbox of the route. */
async function aRoute(text = smallOrders(40_001, 2)) {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  await world.drop('inbox/orders', 'orders.csv', text)
  return { world, ...(await aDesk(world)) }
}

test('a run takes what waits, and its page says in words what came of it', async () => {
  const { world, look, send } = await aRoute()
  expect((await look('/routes/orders')).text).toContain('Run now …')
  const { form } = await look(PAGE)
  expect(await world.orders()).toEqual([])
  const { status, to = '' } = await send(PAGE, form)
  expect(status).toBe(303)
  expect(await world.orders()).toHaveLength(2)
  const { text } = await look(to)
  expect(text).toContain('Started by operator')
  expect(text).toContain('orders.csv : processed, ✓ 2 accepted')
  expect(text).toContain('The run is over: all is well.')
})

test('problems are shown with their title and fix, and the file is linked', async () => {
  const orders = sampleOrders({ seed: 7, orders: 4, damageEvery: 2 })
  const { console, journal, look, send } = await aRoute(ordersFile(orders).text)
  const { to = '' } = await send(PAGE, (await look(PAGE)).form)
  const [file] = await journal.listFiles({}, undefined, 1)
  const { body } = await console.get(to, 'operator')
  expect(body).toContain(`href="/files/${file?.id}"`)
  const problems = await journal.countProblems(file?.id ?? '', 9)
  for (const { code } of problems) expect(body).toContain(`<code>${code}</code>`)
  expect(problems.length).toBeGreaterThan(0)
  expect(toText(body)).toContain('The run is over: finished; something was refused')
})

test('an outgoing route says what was delivered, and a second run that there was nothing to do', async () => {
  const { world, look, send } = await aRoute()
  await world.run('orders')
  const page = '/routes/orders-out/run'
  const first = await send(page, (await look(page)).form)
  expect((await look(first.to ?? '')).text).toContain('Delivered: orders-1.csv , 2 records.')
  const second = await send(page, (await look(page)).form)
  expect((await look(second.to ?? '')).text).toContain('There was nothing to do.')
})

test('a double click runs once, and both clicks lead to the same page', async () => {
  const { world, look, send } = await aRoute()
  const { form } = await look(PAGE)
  const [one, other] = await Promise.all([1, 2].map(() => send(PAGE, form)))
  expect(one?.to).toMatch(/^\/routes\/orders\/runs\/\w+$/)
  expect(other).toEqual(one)
  expect(await world.orders()).toHaveLength(2)
  expect((await look(one?.to ?? '')).text).toContain('✓ 2 accepted')
})

test('while another process has the route, the run waits for it, and then begins', async () => {
  const { world, look, send } = await aRoute()
  const bridge = await world.open()
  onTestFinished(() => bridge.close())
  const lease = await bridge.journal.acquireLease('orders', `edi1/${process.pid}/x`, 3_600_000, () => true)
  const page = await look(PAGE)
  expect(page.text).toContain(`process ${process.pid} on edi1 is working on it now: the run waits for it`)
  const busy = await whileTimePasses(world.clock, () => send(PAGE, page.form))
  const { text } = await look(busy.to ?? '')
  expect(text).toContain(`being worked on by process ${process.pid} on edi1`)
  expect(await world.orders()).toEqual([])

  await bridge.journal.releaseLease(lease)
  const { to = '' } = await send(PAGE, (await look(PAGE)).form)
  expect((await look(to)).text).toContain('✓ 2 accepted')
})

test('a paused route is not run', async () => {
  const { world, look, send, journal } = await aRoute()
  const { form } = await look(PAGE)
  const bridge = await world.open()
  const until = world.clock.now() + 600_000
  await bridge.pause({ route: 'orders', until, by: 'Ada', why: 'the shop sends again' })
  await bridge.close()
  expect((await look(PAGE)).text).toContain('the shop sends again. Resume it first.')
  const { to = '' } = await send(PAGE, form)
  expect((await look(to)).text).toMatch(
    /Nothing was done: the route is paused by Ada until .*: the shop sends again/,
  )
  expect(await world.orders()).toEqual([])
  expect(await journal.listPauses()).toHaveLength(1)
})

test('viewers are refused, and a run that the console does not know says so', async () => {
  const { world, look, send } = await aRoute()
  expect((await look('/routes/orders', 'viewer')).text).not.toContain('Run now')
  expect((await look(PAGE, 'viewer')).status).toBe(403)
  const { form } = await look(PAGE)
  expect((await send(PAGE, form, 'viewer')).status).toBe(403)
  expect((await send(PAGE, { ...form, once: '' })).status).toBe(403)
  expect(await world.orders()).toEqual([])
  expect((await look('/routes/orders/runs/none')).text).toContain('The console knows nothing of this run')
  expect((await look('/routes/none/runs/none')).status).toBe(404)
})
