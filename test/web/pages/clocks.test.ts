/** The clocks of the orders: their board on Today, and the lists behind its numbers. */
import { expect, onTestFinished, test } from 'vitest'
import { classifyDeadline, readClocks } from '../../../src/app/console/clocks.ts'
import { openConsole } from '../../../src/app/console/context.ts'
import { readToday } from '../../../src/app/console/today.ts'
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
  expect(body).toContain('href="/clocks?what=acknowledge&amp;when=late"')
  expect((await console.get('/clocks?when=tomorrow&what=acknowledge', 'viewer')).body).toContain(
    'No order matches.',
  )

  world.clock.skip(60 * HOUR_MS)
  // Items give three days or five.
  await expect.poll(() => count('ship'), { timeout: 10_000 }).toEqual({ late: 1, tomorrow: 2 })
  const { deadlines } = await readClocks(context, { what: 'ship', when: 'late' })
  const late = deadlines.map(({ purchaseOrder }) => purchaseOrder)
  const parcels = sampleShipments(ORDERS, { seed: 1, damageEvery: 0 })
  await world.drop(
    'inbox/shipments',
    'parcels.csv',
    shipmentsFile(parcels.filter(({ po }) => late.includes(po))),
  )
  await world.run('shipments')
  await expect.poll(() => count('ship'), { timeout: 10_000 }).toEqual({ tomorrow: 2 })
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
