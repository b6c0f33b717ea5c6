/** The clocks of the orders: their board on Today, and the lists behind its numbers. */
import { expect, onTestFinished, test } from 'vitest'
import { classifyDeadline, readClocks } from '../../../src/app/console/clocks.ts'
import { openConsole } from '../../../src/app/console/context.ts'
import { readToday } from '../../../src/app/console/today.ts'
import { orderPage } from '../../../src/web/pages/records.ts'
import { todayPage } from '../../../src/web/pages/today.ts'
import { lookAt, visit } from '../../fixtures/console.ts'
import { change } from '../../fixtures/partner.ts'
import { aWorld } from '../../fixtures/world.ts'
import { sampleShipments, shipmentsFile } from '../../samples/fulfilment.ts'
import { ordersFile, sampleOrders } from '../../samples/orders.ts'
import { aConsole } from '../harness.ts'

const ORDERS = sampleOrders({ seed: 61, orders: 3, damageEvery: 0 })
const HOUR_MS = 3_600_000

test('an order moves from board column to board column as its time passes, and leaves it when it is shipped', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out', 'shipments'] })
  change(world, { acknowledge: 'never', verifyBeforeAck: false })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders', 'orders-out')
  const opened = openConsole({ configuration: world.configuration, clock: world.clock })
  onTestFinished(() => opened.close())
  const context = await opened.getContext()
  const count = async (what: 'acknowledge' | 'ship') => {
    const { clocks } = await readToday(context, { isMasked: true })
    const counts = Object.entries(clocks?.counts[what] ?? {})
    return Object.fromEntries(counts.filter(([, orders]) => orders > 0))
  }
  const countAcknowledge = () => count('acknowledge')

  // The retailer gives a day. The world's clock begins at noon.
  expect(await countAcknowledge()).toEqual({ tomorrow: 3 })
  world.clock.skip(19 * HOUR_MS)
  expect(await countAcknowledge()).toEqual({ today: 3 })
  world.clock.skip(3 * HOUR_MS)
  expect(await countAcknowledge()).toEqual({ '4 h': 3 })
  world.clock.skip(HOUR_MS + 60_000)
  expect(await countAcknowledge()).toEqual({ '1 h': 3 })
  world.clock.skip(HOUR_MS)
  expect(await countAcknowledge()).toEqual({ late: 3 })

  const listed = await readClocks(context, { what: 'acknowledge', when: 'late' })
  expect(listed.deadlines.map(({ purchaseOrder }) => purchaseOrder).toSorted()).toEqual(
    ORDERS.map(({ po }) => po).toSorted(),
  )
  const console = await aConsole({ configuration: world.configuration, clock: world.clock })
  const { body } = await console.get('/', 'viewer')
  expect(body).not.toContain('No open order that the bridge has seen is due')
  expect(body).toContain('href="/clocks?what=acknowledge&amp;when=late"')
  expect((await console.get('/clocks?when=tomorrow&what=acknowledge', 'viewer')).body).toContain(
    'No order matches.',
  )

  world.clock.skip(60 * HOUR_MS)
  // Items give three days or five.
  await expect.poll(() => count('ship'), { timeout: 25_000 }).toEqual({ late: 1, tomorrow: 2 })
  const { deadlines } = await readClocks(context, { what: 'ship', when: 'late' })
  const late = deadlines.map(({ purchaseOrder }) => purchaseOrder)
  const parcels = sampleShipments(ORDERS, { seed: 1, damageEvery: 0 })
  await world.drop(
    'inbox/shipments',
    'parcels.csv',
    shipmentsFile(parcels.filter(({ po }) => late.includes(po))),
  )
  await world.run('shipments')
  await expect.poll(() => count('ship'), { timeout: 25_000 }).toEqual({ tomorrow: 2 })
})

test('today and tomorrow are days of the zone, also where the clocks change', () => {
  const zone = 'America/New_York'
  // Sunday 1 November 2026 has 25 hours there.
  const now = Date.parse('2026-11-01T04:30:00Z')
  const at = (time: string) => classifyDeadline(Date.parse(time), now, zone)
  expect(at('2026-11-01T04:29:59Z')).toBe('late')
  expect(at('2026-11-01T05:29:59Z')).toBe('1 h')
  expect(at('2026-11-01T08:29:59Z')).toBe('4 h')
  expect(at('2026-11-02T04:59:59Z')).toBe('today')
  expect(at('2026-11-02T05:00:00Z')).toBe('tomorrow')
  expect(at('2026-11-03T05:00:00Z')).toBeUndefined()
})

test('without any order the page says what would stand here', async () => {
  const console = await aConsole()
  expect((await console.get('/clocks', 'viewer')).body).toContain(
    'has seen no open order with a deadline up to tomorrow',
  )
  expect((await console.get('/', 'viewer')).body).toContain('<section id="clocks" data-live hidden>')
})

test('where open orders were seen and none is due soon, Today says so', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders', 'orders-out')
  const console = await aConsole({ configuration: world.configuration, clock: world.clock })
  expect((await console.get('/', 'viewer')).body).toContain(
    'No open order that the bridge has seen is due up to the end of tomorrow.',
  )
})

/** Three orders that are exported, and raise alerts so long before their time. */
async function alertingWorld(hours: number, acknowledge: 'delivered' | 'never' = 'never') {
  const world = await aWorld({ routes: ['orders', 'orders-out', 'shipments'] })
  const lead = hours * HOUR_MS
  change(world, { acknowledge, verifyBeforeAck: false, alertIfLate: { acknowledgeMs: lead, shipMs: lead } })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders', 'orders-out')
  return world
}

async function seeToday({ configuration, clock }: Awaited<ReturnType<typeof alertingWorld>>) {
  const opened = openConsole({ configuration: { ...configuration, zone: 'America/New_York' }, clock })
  onTestFinished(() => opened.close())
  const context = await opened.getContext()
  await expect.poll(async () => (await context.lookout?.read())?.checkedAt, { timeout: 20_000 }).toBeDefined()
  return {
    context,
    today: await readToday(context, { isMasked: false }),
    page: await visit(context, todayPage),
  }
}

test('late orders are one card on Today with the most urgent of them, their times, and a link to the list', async () => {
  const world = await alertingWorld(25)
  const { today, page } = await seeToday(world)
  expect(today.alerts.map(({ code, message, fix }) => [code, message, fix])).toEqual([
    ['order-late', '3 orders are due soon.', 'Acknowledge them or ship them.'],
  ])
  expect(page?.title).toBe('1 thing needs a person')
  expect(page?.text).toContain('first due')
  expect(page?.html).toContain('href="/clocks">Orders by their deadlines')
  for (const { po } of ORDERS) expect(page?.html).toContain(`href="/orders/${po}">${po}</a>`)
  expect(page?.text).not.toMatch(/\d{4}-\d\d-\d\dT/)

  world.clock.skip(25 * HOUR_MS)
  const after = await seeToday(world)
  const [alert] = after.today.alerts
  expect(alert).toMatchObject({ message: '3 orders are late.', late: { total: 3, late: 3 } })
  // Since the first of the deadlines is over.
  expect(alert?.since).toBe(alert?.late?.orders[0]?.by)
  expect(after.page?.html).toContain('href="/clocks?when=late">Orders by their deadlines')
  expect(after.page?.text).toMatch(/: acknowledge by [^,]+, ✕ late/)
})

test('of an acknowledged order Today says to ship it, and an alert is no older than its order', async () => {
  const world = await alertingWorld(24 * 30, 'delivered')
  const bridge = await world.open()
  const { alerts } = await bridge.takeSnapshotAndPublishAlerts()
  await bridge.close()
  for (const { since, fix } of alerts) {
    expect(fix).toBe('Ship it. What the API says now: `dropbridge late --live`.')
    expect(since).toBeGreaterThan(world.clock.now() - HOUR_MS)
  }
  const { today } = await seeToday(world)
  expect(today.alerts.map(({ fix }) => fix)).toEqual(['Ship them.'])
})

test('the page of an order says by when to acknowledge and to ship it, and how many units are open', async () => {
  const world = await alertingWorld(1)
  const [first] = ORDERS
  const ask = async () =>
    visit(await lookAt(world), orderPage, { params: { key: first?.po ?? '' }, role: 'viewer' })
  const units = first?.rows.reduce((sum, { Qty }) => sum + Number(Qty), 0)
  const before = await ask()
  expect(before?.text).toMatch(/Acknowledge by [^,]+, in 23 h \d\d\./)
  expect(before?.text).toMatch(new RegExp(`Ship by [^,]+, in \\d d; ${units} units? (is|are) open\\.`))
  world.clock.skip(25 * HOUR_MS)
  expect((await ask())?.text).toMatch(/Acknowledge by [^,]+, ✕ late 1 h/)
  const parcels = sampleShipments(ORDERS, { seed: 1, damageEvery: 0 })
  await world.drop('inbox/shipments', 'parcels.csv', shipmentsFile(parcels))
  await world.run('shipments')
  expect((await ask())?.text).not.toContain('Ship by')
})
