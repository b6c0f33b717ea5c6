/** Delivering a file again from its page: the same bytes once more, once, with a reason, and nothing acknowledged. */
import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { toText } from '../../fixtures/console.ts'
import { crashAt } from '../../fixtures/crash-after.ts'
import { whileTimePasses } from '../../fixtures/skipping-clock.ts'
import { smallOrders } from '../../fixtures/small-orders.ts'
import { aWorld } from '../../fixtures/world.ts'
import { aDesk } from '../desk.ts'

const WHY = { why: 'the reader deleted it' }

/** Two orders in one delivered and acknowledged file, and the form to deliver it again. */
async function aDeliveredFile() {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  await world.drop('inbox/orders', 'orders.csv', smallOrders(40_001, 2))
  await world.run('orders', 'orders-out')
  const desk = await aDesk(world)
  const [delivery] = await desk.journal.listDeliveries({}, undefined, 1)
  const own = `/deliveries/${delivery?.id}`
  return { world, ...desk, delivery, own, page: `${own}/redeliver` }
}

test('the page says what the file is, where it goes, and that a reader of both has each record twice', async () => {
  const { own, page, look, journal } = await aDeliveredFile()
  const before = await journal.getHead()
  expect((await look(own)).text).toContain('Deliver again …')
  const { text } = await look(page)
  expect(text).toContain('orders-1.csv of orders-out: 2 records in 5 rows')
  expect(text).toContain('The same bytes as orders-1~2.csv, or the next free name, in exchange: outbox.')
  expect(text).toContain('A reader that takes both files has each record twice.')
  expect(text).toContain('Deliver 2 records again')
  // Looking changes nothing.
  expect(await journal.getHead()).toEqual(before)
})

test('the second file has the same SHA-256, nothing is acknowledged again, and the decision stands', async () => {
  const { world, own, page, look, send, journal, delivery } = await aDeliveredFile()
  const calls = world.service.counts()
  const { form } = await look(page)
  const { status, to = '' } = await send(page, { ...form, ...WHY })
  expect(status).toBe(303)
  expect(await world.list('outbox')).toEqual(['orders-1.csv', 'orders-1~2.csv'])
  const bytes = await world.read('outbox/orders-1~2.csv')
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(delivery?.sha256)
  expect(world.service.counts()).toEqual(calls)
  expect(await journal.listAllDecisions(undefined, 9)).toMatchObject([
    {
      ...WHY,
      by: 'operator',
      via: 'console',
      action: 'redeliver',
      records: 2,
      delivery: { id: delivery?.id },
    },
  ])
  const { text } = await look(to, 'viewer')
  expect(text).toContain('operator delivered again 2 records')
  // It is a part of the life of each of its records.
  const [record] = await journal.listRecords({ delivery: delivery?.id ?? '' }, {}, 1)
  const life = (await look(`/records/${record?.id}`, 'viewer')).text
  expect(life).toContain('delivered again as orders-1~2.csv, the same bytes as orders-1.csv')
  expect(text).toContain('The second file: outbox/orders-1~2.csv, delivered')
  expect((await look('/decisions', 'viewer')).text).toContain('the reader deleted it console')
  expect((await look(own, 'viewer')).text).toMatch(
    /The same bytes once more: outbox\/orders-1~2\.csv, delivered, [\d:]+ ?\. operator wanted it ?: the reader deleted it/,
  )
  // A report counts what was delivered first, and says so.
  const report = await look('/reports', 'viewer')
  expect(report.text).toContain('the same bytes delivered again do not count')
  expect(report.text).toMatch(/orders-out ?export-orders brand\/2000 1 \(0\) 2 \(0\)/)
  expect((await look('/deliveries', 'viewer')).text).toMatch(/in outbox, delivered again once/)
  expect((await journal.verifyChain({})).findings).toEqual([])
})

test('a form that is sent twice at once delivers one file, and both get the same answer', async () => {
  const { world, page, look, send } = await aDeliveredFile()
  const { form } = await look(page)
  const [one, other] = await Promise.all([1, 2].map(() => send(page, { ...form, ...WHY })))
  expect(one?.to).toMatch(/^\/decisions\/\d+$/)
  expect(other).toEqual(one)
  expect(await world.list('outbox')).toHaveLength(2)
})

test('two people at once: one file is delivered, and the second one sees it, with the reason kept', async () => {
  const { world, console, page, look, journal } = await aDeliveredFile()
  const forms = [(await look(page)).form, (await look(page, 'admin')).form]
  const answers = await Promise.all(
    (['operator', 'admin'] as const).map((role, at) =>
      console.post(page, { ...forms[at], ...WHY }, { role }),
    ),
  )
  const [second] = answers.filter(({ statusCode }) => statusCode === 409)
  expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([303, 409])
  expect(toText(second?.body ?? '')).toContain('orders-1.csv was delivered once more meanwhile')
  expect(toText(second?.body ?? '')).toContain('Delivered again before outbox/orders-1~2.csv, delivered')
  expect(second?.body).toContain('value="the reader deleted it"')
  expect(await world.list('outbox')).toHaveLength(2)
  expect(await journal.countAllDecisions()).toBe(1)
})

test.each([
  ['without a reason', { why: ' ' }, 422, 'A reason is needed'],
  ['of no page', { ...WHY, once: '' }, 403, 'not from this session'],
])('a form %s delivers nothing', async (_, changes, status, message) => {
  const { world, page, look, send } = await aDeliveredFile()
  const { form } = await look(page)
  const answer = await send(page, { ...form, ...changes })
  expect(answer).toMatchObject({ status, text: expect.stringContaining(message) as string })
  expect(await world.list('outbox')).toEqual(['orders-1.csv'])
})

test('viewers have no button, and are refused', async () => {
  const { world, own, page, look, send } = await aDeliveredFile()
  expect((await look(own, 'viewer')).text).not.toContain('Deliver again')
  expect((await look(page, 'viewer')).status).toBe(403)
  const { form } = await look(page)
  expect((await send(page, { ...form, ...WHY }, 'viewer')).status).toBe(403)
  expect(await world.list('outbox')).toEqual(['orders-1.csv'])
})

test('a file whose contents were pruned is refused with the reason, before and after the form', async () => {
  const { world, own, page, look, send } = await aDeliveredFile()
  const { form } = await look(page)
  const bridge = await world.open()
  await bridge.journal.prune({ before: world.clock.now() + 1, signal: new AbortController().signal })
  await bridge.close()
  const { status, text } = await send(page, { ...form, ...WHY })
  expect(status).toBe(409)
  expect(text).toContain('orders-1.csv is not delivered once more: its contents were pruned on')
  expect((await look(page)).text).toContain('dropbridge export orders-out --out FILE')
  expect((await look(own)).text).not.toContain('Deliver again')
  expect(await world.list('outbox')).toEqual(['orders-1.csv'])
})

test('a busy route is named with its owner, and the reason stays in the form', async () => {
  const { world, console, page, look } = await aDeliveredFile()
  const bridge = await world.open()
  onTestFinished(() => bridge.close())
  await bridge.journal.acquireLease('orders-out', `edi1/${process.pid}/x`, 3_600_000, () => true)
  const { form } = await look(page)
  const { statusCode, body } = await whileTimePasses(world.clock, () =>
    console.post(page, { ...form, ...WHY }, { role: 'operator' }),
  )
  expect(statusCode).toBe(409)
  expect(toText(body)).toContain(`being worked on by process ${process.pid} on edi1`)
  expect(body).toContain('value="the reader deleted it"')
})

test.each([
  ['after the intent', 'after', 'journal.startRedelivery'],
  ['before the name', 'before', 'mailbox.giveName'],
  ['after the name', 'after', 'mailbox.giveName'],
] as const)(
  'work that is killed %s is finished by the next form or run, and no third file is made',
  async (_, moment, effect) => {
    for (const isRun of [true, false]) {
      const { world, page, look, send, journal, delivery } = await aDeliveredFile()
      const plan = crashAt(1, moment, effect)
      const dying = await world.open(plan.wrap)
      const decided = { by: 'operator', via: 'console', ...WHY } as const
      const asked = { decided, expected: '' }
      const work = dying.redeliver(delivery?.id ?? '', new AbortController().signal, asked)
      await expect(work).rejects.toThrow(/unexpected/)
      await dying.close()
      world.clock.skip(60_000)

      const { text, form } = await look(page)
      expect(text).toContain('orders-1~2.csv was begun and is not finished')
      const answer = isRun ? world.run('orders-out') : send(page, { ...form, ...WHY })
      expect(await answer).toMatchObject(isRun ? { exit: 0 } : { to: '/decisions/2' })
      expect(await world.list('outbox')).toEqual(['orders-1.csv', 'orders-1~2.csv'])
      expect(await journal.listRedeliveries(delivery?.id ?? '')).toMatchObject([{ state: 'delivered' }])
      expect((await look('/decisions/1')).text).toContain('orders-1~2.csv, delivered')
      expect((await journal.verifyChain({})).findings).toEqual([])
      await rm(join(world.folder, 'exchange/outbox/orders-1~2.csv'))
    }
  },
  60_000,
)
