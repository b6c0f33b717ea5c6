/** Saying from the page what came of a lost answer: the words and the rules of the command line. */
import { expect, test } from 'vitest'
import { runUnheard } from '../../fixtures/office.ts'
import { aWorld, type World } from '../../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../../samples/orders.ts'
import { aDesk } from '../desk.ts'

const WHY = { why: 'the API has it on its screen' }

/** One order was sent, and neither its answer nor a lookup came. */
async function aLostAnswer(arrives: boolean): Promise<World> {
  const world = await aWorld({ routes: ['orders'], connections: 1 })
  const orders = sampleOrders({ seed: 4, orders: 2, damageEvery: 0 })
  const [first = orders[0]!, second = orders[1]!] = orders
  await world.drop('inbox/orders', 'known.csv', ordersFile([first]).text)
  await world.run('orders')
  await world.drop('inbox/orders', 'lost.csv', ordersFile([second]).text)
  await runUnheard(world, 'orders', { arrives, canLookUp: false })
  return world
}

async function aResolution(arrives: boolean) {
  const world = await aLostAnswer(arrives)
  const desk = await aDesk(world)
  const [record] = await desk.journal.listUnresolvedRecords(9, {})
  const page = `/records/${record?.id}/resolve`
  return { world, ...desk, record, page }
}

test('within the time of a late answer only an id can be noted, and the page says how long', async () => {
  const { world, look, send, page, record, journal } = await aResolution(false)
  expect((await look(`/records/${record?.id}`)).text).toContain('Say what came of it')
  const { text, form } = await look(page)
  expect(text).toMatch(/For [1-5] more seconds only an id of the API can be noted/)
  const answer = await send(page, { ...form, ...WHY, outcome: 'resolve-absent', looked: 'yes' })
  expect(answer.status).toBe(409)
  expect(answer.text).toMatch(
    /Its answer may still come. Resolve it in [1-5] seconds, or let a run look it up; an id that the API gave it can be noted now/,
  )
  expect(await journal.countAllDecisions()).toBe(0)

  world.clock.skip(6000)
  const later = await look(page)
  expect(later.text).not.toContain('more seconds')
  const { to = '' } = await send(page, { ...later.form, ...WHY, outcome: 'resolve-absent', looked: 'yes' })
  const { text: done } = await look(to)
  expect(done).toContain('operator resolved as absent 1 record')
  expect(done).toContain('✓ 1 accepted')
  expect(await world.orders()).toHaveLength(2)
})

test('the id of another record is refused with the words of the command line', async () => {
  const { world, look, send, page, journal } = await aResolution(true)
  const [known] = await world.orders()
  const { form } = await look(page)
  const wrong = { ...form, ...WHY, outcome: 'resolve-accepted', apiId: String(known?.id) }
  const answer = await send(page, wrong)
  expect(answer.status).toBe(409)
  expect(answer.text).toContain('is not resolved: ')
  expect(answer.text).toContain(`${known?.id} is the id of `)
  expect(await journal.countAllDecisions()).toBe(0)
  const own = (await world.orders()).find(({ id }) => id !== known?.id)
  const right = { ...answer.form, ...WHY, outcome: 'resolve-accepted', apiId: String(own?.id) }
  const { to = '' } = await send(page, right)
  expect((await look(to)).text).toContain(`✓ accepted as ${own?.id}`)
  expect(await world.orders()).toHaveLength(2)
  expect(await world.list('results')).toContain('lost.csv.results.csv')
})

test.each([
  ['says nothing', {}, 'Say what came of it'],
  ['has no id', { outcome: 'resolve-accepted' }, 'Give the id that the API has'],
  ['does not say that the person looked', { outcome: 'resolve-discard' }, 'Check the API first'],
  ['has no reason', { outcome: 'resolve-discard', looked: 'yes', why: '' }, 'A reason is needed'],
])('a form that %s is refused', async (_, changes, message) => {
  const { world, look, send, page, journal } = await aResolution(false)
  world.clock.skip(6000)
  const { form } = await look(page)
  const answer = await send(page, { ...form, ...WHY, ...changes })
  expect(answer).toMatchObject({ status: 422, text: expect.stringContaining(message) as string })
  expect(await journal.countAllDecisions()).toBe(0)
})

test('a record that is known by now has no form', async () => {
  const { look, journal } = await aResolution(false)
  const { records } = await journal.traceKey('#1', { limit: 1 })
  const { text, form } = await look(`/records/${records[0]?.id}/resolve`)
  expect(text).toContain('is accepted')
  expect(form).toEqual({})
})
