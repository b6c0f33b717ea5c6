/** What people do on pages as `dismiss`, `resolve` of a held delivery, and `run --again` do it on the command line. */
import { expect, test } from 'vitest'
import { aCalendar } from '../../fixtures/calendar.ts'
import {
  holdDelivery,
  openWithCanceledOrder,
  partnerOf,
  PICKED_UP,
  worldThatWaits,
} from '../../fixtures/partner.ts'
import {
  aRefusedFile,
  countOrders,
  damagedOrders,
  openFile,
  send as sendRows,
  toRequest,
} from '../../fixtures/corrections.ts'
import { aWorld } from '../../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../../samples/orders.ts'
import { aDesk } from '../desk.ts'

const WHY = { why: 'agreed by phone' }

test('what is refused of a file is dismissed with a reason, and its alert ends', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop(
    'inbox/orders',
    'day.csv',
    ordersFile(sampleOrders({ seed: 7, orders: 4, damageEvery: 2 })).text,
  )
  await world.run('orders')
  const { journal, look, send } = await aDesk(world)
  const [file] = await journal.listFiles({}, undefined, 1)
  const own = `/files/${file?.id}`
  const { rejected = 0 } = await journal.countRecords({ file: file?.id ?? '' })
  expect(rejected).toBeGreaterThan(0)
  expect((await look(own, 'viewer')).text).not.toContain('Dismiss')
  expect((await look(own)).text).toContain('Dismiss what is refused …')
  const { text, form } = await look(`${own}/dismiss`)
  expect(text).toContain(`${rejected} records: rejected, and not corrected`)
  expect((await send(`${own}/dismiss`, { ...form, why: ' ' })).status).toBe(422)
  expect((await send(`${own}/dismiss`, { ...form, ...WHY, seen: '1 other' })).status).toBe(409)
  expect((await send(`${own}/dismiss`, { ...form, ...WHY }, 'viewer')).status).toBe(403)
  expect(await journal.countAllDecisions()).toBe(0)
  const { to = '' } = await send(`${own}/dismiss`, { ...form, ...WHY })
  expect((await look(to, 'viewer')).text).toContain(`operator dismissed ${rejected} records`)
  expect(await journal.listAllDecisions(undefined, 9)).toMatchObject([
    { by: 'operator', via: 'console', ...WHY },
  ])
  expect(await journal.listRejectedFiles(9)).toEqual([])
  expect((await look(own)).text).not.toContain('Dismiss what is refused')
  expect((await look(`${own}/dismiss`)).text).toContain('Nothing else of day.csv waits')
})

test('one refused record is dismissed from its own page, and the others wait as before', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const orders = sampleOrders({ seed: 7, orders: 8, damageEvery: 2 })
  await world.drop('inbox/orders', 'day.csv', ordersFile(orders).text)
  await world.run('orders')
  const { journal, look, send } = await aDesk(world)
  const [file] = await journal.listFiles({}, undefined, 1)
  const refused = await journal.listRecords({ file: file?.id ?? '' }, { state: 'rejected' }, 9)
  expect(refused.length).toBeGreaterThan(1)
  const [first, ...others] = refused.map(({ id, keyValues }) => ({ id, key: keyValues[0] ?? '' }))
  const own = `/records/${first?.id}`
  expect((await look(own, 'viewer')).text).not.toContain('Dismiss')
  expect((await look(own)).text).toContain('Dismiss this record …')
  const { text, form } = await look(`${own}/dismiss`)
  expect(text).toContain(first?.key ?? '')
  for (const { key } of others) expect(text).not.toContain(key)
  const { to = '' } = await send(`${own}/dismiss`, { ...form, ...WHY })
  expect((await look(to)).text).toContain('operator dismissed 1 record')
  expect(await journal.countRefused(file?.id ?? '')).toMatchObject({ dismissed: 1, open: others.length })
  const dismissed = (await look(own)).text
  expect(dismissed).not.toContain('Dismiss this record')
  expect(dismissed).toContain('rejected , given up')
  // Of the file, it stands behind what waits, and says what became of it.
  const records = await journal.listRecords({ file: file?.id ?? '' }, {}, 9)
  expect(records.slice(0, others.length).map(({ id }) => id)).toEqual(others.map(({ id }) => id))
  const rows = (await look(`/files/${file?.id}`)).text
  expect(rows.match(/rejected , given up/g)).toHaveLength(1)
  expect(rows.indexOf('rejected , given up')).toBeGreaterThan(rows.indexOf(others.at(-1)?.key ?? ''))
  expect((await look(`${own}/dismiss`)).text).toContain('Nothing else of day.csv waits')
  // The page of the file names the others.
  const whole = await look(`/files/${file?.id}/dismiss`)
  expect(whole.text).not.toContain(first?.key)
  for (const { key } of others) expect(whole.text).toContain(key)
})

test('records that are corrected and wait to be taken stay when the rest of their file is dismissed', async () => {
  const { world, id } = await aRefusedFile(damagedOrders(20, 4))
  const { page } = await openFile(world)
  const [group] = (await page()).groups
  const typed = await page({ apply: { group: group?.number ?? 0, text: 'NY' } })
  const checked = await page({ changes: typed.changes, isCheck: true })
  expect(checked.check?.ready).toBe(2)
  await sendRows(world, toRequest(checked))
  const { journal, look, send } = await aDesk(world)
  const own = `/files/${id}/dismiss`
  const { text, form } = await look(own)
  expect(text).toContain('2 records: rejected, and not corrected')
  expect(text).toContain('2 records are corrected and on the way: not dismissed here.')
  const { to = '' } = await send(own, { ...form, ...WHY })
  expect((await look(to)).text).toContain('operator dismissed 2 records')
  expect(await journal.countRefused(id)).toMatchObject({ dismissed: 2, underWay: 2, open: 0 })
  expect((await look(own)).text).toContain('Nothing else of orders-16.csv waits')
  const bridge = await world.open()
  const error = await bridge
    .dismiss({ what: 'orders-16.csv', by: 'nadia', ...WHY })
    .catch((thrown: unknown) => thrown)
  await bridge.close()
  expect(error).toMatchObject({ code: 'not-known', fix: expect.stringContaining('dropbridge run orders') })
  await world.run('orders')
  expect(await journal.countRefused(id)).toMatchObject({ dismissed: 2, corrected: 2, open: 0 })
  expect(await countOrders(world)).toEqual({ orders: 18, doubled: 0 })
})

test('what was dismissed is found by its key, and Today knows of it within seconds', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const orders = sampleOrders({ seed: 7, orders: 4, damageEvery: 2 })
  await world.drop('inbox/orders', 'day.csv', ordersFile(orders).text)
  await world.run('orders')
  const accepted = new Set((await world.orders()).map((order) => order['purchase_order_number']))
  const refused = orders.find(({ po }) => !accepted.has(po))?.po ?? ''
  const { journal, look, send } = await aDesk(world)
  const [file] = await journal.listFiles({}, undefined, 1)
  await expect.poll(async () => (await look('/')).text, WITHIN).toContain('Mailboxes were listed at')
  expect((await look('/')).text).toContain('1 thing needs a person')
  const own = `/files/${file?.id}/dismiss`
  const before = await look(`/search?q=${refused}`)
  await send(own, { ...(await look(own)).form, ...WHY })
  await expect.poll(async () => (await look('/')).text, WITHIN).toContain('Nothing needs a person')
  const after = await look(`/search?q=${refused}`)
  expect([before.status, after.status]).toEqual([303, 303])
})

/** Seconds, where mailboxes are listed once a minute. */
const WITHIN = { timeout: 20_000, interval: 250 }

test('what was canceled after its delivery is dismissed from the page of the delivery', async () => {
  const world = await worldThatWaits(PICKED_UP, sampleOrders({ seed: 81, orders: 3, damageEvery: 0 }))
  await world.run('orders-out')
  const bridge = await openWithCanceledOrder(world)
  await partnerOf(world).takes('orders-1.csv')
  await bridge.run(['orders-out'], new AbortController().signal)
  await bridge.close()
  const { journal, look, send } = await aDesk(world)
  const [delivery] = await journal.listDeliveries({}, undefined, 1)
  const own = `/deliveries/${delivery?.id}`
  expect((await look(own)).text).toContain('Dismiss what is refused …')
  const { text, form } = await look(`${own}/dismiss`)
  expect(text).toContain('1 record: changed before it was acknowledged')
  await send(`${own}/dismiss`, { ...form, ...WHY })
  expect(await journal.listUnacknowledgedRecords(9)).toEqual([])
  expect(await journal.listAllDecisions(undefined, 9)).toMatchObject([{ via: 'console', ...WHY }])
  expect((await look(own)).text).not.toContain('Dismiss what is refused')
})

const ORDERS = sampleOrders({ seed: 81, orders: 3, damageEvery: 0 })

/** The file is composed, and nothing proves whether it was delivered. */
async function aHeldDelivery() {
  const world = await worldThatWaits({ acknowledge: 'delivered' }, ORDERS)
  const own = `/deliveries/${await holdDelivery(world)}`
  return { world, own, page: `${own}/resolve`, ...(await aDesk(world)) }
}

test.each([
  ['resolve-delivered', 0],
  ['resolve-again', 1],
] as const)('a held delivery is answered with %s, and goes on', async (outcome, files) => {
  const { world, own, page, look, send, journal } = await aHeldDelivery()
  expect((await look(own, 'viewer')).text).not.toContain('Say whether')
  expect((await look(own)).text).toContain('Say whether it was delivered …')
  const { text, form } = await look(page)
  expect(text).toContain('held: it cannot be proved')
  expect((await send(page, { ...form, ...WHY })).text).toContain('Say whether it was delivered.')
  expect((await send(page, { ...form, outcome, why: '' })).status).toBe(422)
  const { status, to } = await send(page, { ...form, ...WHY, outcome })
  expect({ status, to }).toEqual({ status: 303, to: own })
  expect(await world.list('outbox')).toHaveLength(files)
  expect((await look(own)).text).toContain('acknowledged')
  expect(await journal.listAllDecisions(undefined, 9)).toMatchObject([
    { by: 'operator', via: 'console', action: outcome, ...WHY },
  ])
  expect((await look(page)).text).toContain('It is not held')
})

test('the missed date of a report is run from its route, once, and then may be made again', async () => {
  const schedule = 'daily: { after: "06:30", zone: America/New_York }'
  const report = `${schedule}\nselect: { received_at: { since: previous, until: now } }\nempty: write`
  const { setTime, runDue, files, day } = await aCalendar({ report })
  setTime('2026-12-01T12:00Z')
  await runDue()
  setTime('2026-12-02T12:00Z')
  const { look, send, journal } = await aDesk(day.world)
  expect((await look('/routes/report', 'viewer')).text).not.toContain('Run the missed date')
  expect((await look('/routes/report')).text).toContain('Run the missed date 2026-12-02 …')
  const page = '/routes/report/again'
  const before = await journal.getHead()
  const { form } = await look(page)
  expect(await journal.getHead()).toEqual(before)
  expect((await send(page, { ...form, date: '2026-12-01' })).status).toBe(409)
  const { to = '' } = await send(page, form)
  expect((await look(to)).text).toContain('The run is over: all is well.')
  expect(await files('report')).toEqual(['2026-12-01.csv', '2026-12-02.csv'])
  await send(page, form)
  expect(await files('report')).toHaveLength(2)

  const again = await look(page)
  expect(again.text).toContain('There is a report of this date.')
  await send(page, again.form)
  expect(await files('report')).toEqual(['2026-12-01.csv', '2026-12-02.csv', '2026-12-02~2.csv'])
  expect((await look('/routes/orders/again')).status).toBe(404)
})
