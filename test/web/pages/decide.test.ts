/** Deciding from the page: the preview is what is sent, once, with a reason; and looking changes nothing. */
import { createHash } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../src/support/sqlite.ts'
import { toText } from '../../fixtures/console.ts'
import { whileTimePasses } from '../../fixtures/skipping-clock.ts'
import { aStoppedFile } from '../../fixtures/stopped-route.ts'
import { aDesk } from '../desk.ts'

const WHY = { why: 'the item is offered now' }

test('the preview shows what will be sent and why it waits, and its button says how many', async () => {
  const { file, look } = await aDesk(await aStoppedFile(5))
  const { text } = await look(`${file}/release`)
  expect(text).toContain('3 records will be sent to the API.')
  expect(text).toContain('3 records: The API refused')
  expect(text).toContain('Send 3 records')
  expect((await look(`${file}/discard`)).text).toContain('Give up 3 records')
})

test('looking changes nothing: the journal is byte for byte as it was', async () => {
  const world = await aStoppedFile(4)
  const { file, look, journal } = await aDesk(world)
  const [record] = await journal.listHeldRecords(1)
  const digest = () => {
    const database = openDatabase(world.configuration.journal.path, { readonly: true })
    const tables = ['events', 'records', 'decisions', 'files', 'attempts', 'leases']
    const rows = tables.map((name) => database.prepare(`select * from ${name}`).all())
    database.close()
    return createHash('sha256').update(JSON.stringify(rows)).digest('hex')
  }
  const before = digest()
  const pages = ['release', 'discard'].flatMap((action) => [
    `${file}/${action}`,
    `/records/${record?.id}/${action}`,
  ])
  for (const page of [...pages, `/records/${record?.id}/resolve`]) expect((await look(page)).status).toBe(200)
  expect(digest()).toBe(before)
})

test('a release sends exactly what was shown, with the name, the reason and the place', async () => {
  const world = await aStoppedFile(5)
  const { file, look, send, journal } = await aDesk(world)
  const { form } = await look(`${file}/release`)
  const { status, to = '' } = await send(`${file}/release`, { ...form, ...WHY })
  expect(status).toBe(303)
  expect(await world.orders()).toHaveLength(3)
  const [decision] = await journal.listAllDecisions(undefined, 9)
  expect(decision).toMatchObject({ ...WHY, by: 'operator', via: 'console', action: 'release', records: 3 })
  const { text } = await look(to, 'viewer')
  expect(text).toContain('operator released 3 records')
  expect(text).toContain('✓ 3 accepted')
  expect(text.match(/✓ accepted as /g)).toHaveLength(3)
  expect((await look('/decisions', 'viewer')).text).toContain('the item is offered now console')
  expect((await look(file)).text).not.toContain('Send 3 records')
  expect((await journal.verifyChain({})).findings).toEqual([])
})

test('a form that is sent twice at once is carried out once, and both get the same answer', async () => {
  const world = await aStoppedFile(4)
  const { file, look, send, journal } = await aDesk(world)
  const { form } = await look(`${file}/release`)
  const [one, other] = await Promise.all([1, 2].map(() => send(`${file}/release`, { ...form, ...WHY })))
  expect(one?.to).toMatch(/^\/decisions\/\d+$/)
  expect(other).toEqual(one)
  expect(await send(`${file}/release`, { ...form, ...WHY })).toEqual(one)
  expect(await journal.countAllDecisions()).toBe(1)
  expect(await world.orders()).toHaveLength(2)
})

test.each([
  ['without a reason', { why: '  ' }, 422, 'A reason is needed'],
  ['with a reason beyond measure', { why: 'x'.repeat(1001) }, 422, 'longer than 1000'],
  ['that shows other records', { ...WHY, seen: 'others' }, 409, 'changed after this page was shown'],
  ['of no page', { ...WHY, once: '' }, 403, 'not from this session'],
])('a form %s sends nothing, and keeps what was typed', async (_, changes, status, message) => {
  const world = await aStoppedFile(4)
  const { file, look, send } = await aDesk(world)
  const { form } = await look(`${file}/release`)
  const answer = await send(`${file}/release`, { ...form, ...changes })
  expect(answer).toMatchObject({ status, text: expect.stringContaining(message) as string })
  expect(await world.orders()).toEqual([])
})

test('records that changed meanwhile are shown anew, and the reason is kept', async () => {
  const world = await aStoppedFile(5)
  const { console, file, look, send, journal } = await aDesk(world)
  const { form } = await look(`${file}/release`)
  const bridge = await world.open()
  const record = (await journal.listHeldRecords(1))[0]?.id ?? 0
  const own = { action: 'discard', by: 'Ada', why: 'withdrawn' } as const
  await bridge.decide({ ...own, what: `orders/#${record}` }, new AbortController().signal)
  await bridge.close()
  const answer = await send(`${file}/release`, { ...form, ...WHY })
  expect(answer).toMatchObject({ status: 409, text: expect.stringContaining('Send 2 records') as string })
  const { body } = await console.post(`${file}/release`, { ...form, ...WHY }, { role: 'operator' })
  expect(body).toContain('value="the item is offered now"')
  expect(await world.orders()).toEqual([])
  expect((await send(`${file}/release`, { ...answer.form, ...WHY })).status).toBe(303)
  expect(await world.orders()).toHaveLength(2)
})

test('what was sent in another file meanwhile becomes a duplicate, and the button does not count it', async () => {
  const world = await aStoppedFile(5)
  const { file, look } = await aDesk(world)
  const exceptions = await world.read('results/orders.csv.exceptions.csv')
  await world.drop('inbox/orders', 'again.csv', exceptions.split('\r\n').slice(0, 2).join('\r\n') + '\r\n')
  await world.run('orders')
  const { text } = await look(`${file}/release`)
  expect(text).toContain('1 record came again meanwhile')
  expect(text).toContain('Send 2 records')
})

test('one record is released or given up by itself', async () => {
  const world = await aStoppedFile(5)
  const { look, send, journal } = await aDesk(world)
  const [first, second] = await journal.listHeldRecords(9)
  const page = `/records/${first?.id}/release`
  expect((await look(`/records/${first?.id}`)).text).toContain('Send this record')
  await send(page, { ...(await look(page)).form, ...WHY })
  expect(await world.orders()).toHaveLength(1)
  const other = `/records/${second?.id}/discard`
  const { to = '' } = await send(other, { ...(await look(other)).form, ...WHY })
  expect((await look(to)).text).toContain('operator discarded 1 record')
  expect(await world.orders()).toHaveLength(1)
})

test('giving up a hundred needs their number', async () => {
  const world = await aStoppedFile(102)
  const { file, look, send, journal } = await aDesk(world)
  const { text, form } = await look(`${file}/discard`)
  expect(text).toContain('How many records are given up: 100')
  const refused = await send(`${file}/discard`, { ...form, ...WHY, number: '10' })
  expect(refused).toMatchObject({ status: 422, text: expect.stringContaining('Type the number') as string })
  expect(await journal.countAllDecisions()).toBe(0)
  const { to = '' } = await send(`${file}/discard`, { ...refused.form, ...WHY, number: '100' })
  expect((await look(to)).text).toContain('operator discarded 100 records')
})

test('a busy route is named with its owner, and the reason stays in the form', async () => {
  const world = await aStoppedFile(4)
  const { console, file, look } = await aDesk(world)
  const bridge = await world.open()
  onTestFinished(() => bridge.close())
  await bridge.journal.acquireLease('orders', `edi1/${process.pid}/x`, 3_600_000, () => true)
  const { form } = await look(`${file}/release`)
  const { statusCode, body } = await whileTimePasses(world.clock, () =>
    console.post(`${file}/release`, { ...form, ...WHY }, { role: 'operator' }),
  )
  expect(statusCode).toBe(409)
  expect(toText(body)).toContain(`being worked on by process ${process.pid} on edi1`)
  expect(body).toContain('value="the item is offered now"')
})

test('viewers have no buttons, and are refused', async () => {
  const world = await aStoppedFile(4)
  const { file, look, send, journal } = await aDesk(world)
  const [record] = await journal.listHeldRecords(1)
  expect((await look(file)).text).toContain('Send 2 records')
  expect((await look(file, 'viewer')).text).not.toContain('Send 2 records')
  expect((await look(`/records/${record?.id}`, 'viewer')).text).not.toContain('Send this record')
  expect((await look(`${file}/release`, 'viewer')).status).toBe(403)
  const { form } = await look(`${file}/release`)
  expect((await send(`${file}/release`, { ...form, ...WHY }, 'viewer')).status).toBe(403)
  expect(await world.orders()).toEqual([])
})

test('a held record is found by its number', async () => {
  const world = await aStoppedFile(4)
  const { console, journal } = await aDesk(world)
  const [record] = await journal.listHeldRecords(1)
  const { headers } = await console.get(`/search?q=${record?.keyValues[0]}`, 'viewer')
  expect(headers.location).toBe(`/records/${record?.id}`)
})
