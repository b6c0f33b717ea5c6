/** Delivering a finished file once more: the same bytes under a second name, once for each command, and nothing acknowledged. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openJournal } from '../../src/journal/open.ts'
import { atEachEffect, crashAt } from '../fixtures/crash-after.ts'
import { delivered } from '../fixtures/delivered.ts'
import { commandsOf } from '../fixtures/office.ts'
import { PICKED_UP, worldThatWaits } from '../fixtures/partner.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 41, orders: 3, damageEvery: 0 })
const POS = ORDERS.map(({ po }) => po)

/** Three orders in one delivered and acknowledged file. */
async function aDelivery(): Promise<World> {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders', 'orders-out')
  return world
}

test('where no file was delivered yet, that is said of an unknown one', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  const run = await commandsOf(world)

  const { exit, err } = await run('redeliver', 'orders-1.csv')

  expect(exit).toBe(2)
  expect(err).toContain('fix: Nothing can be delivered once more: no file was delivered yet.')
})

test('each command delivers the same bytes once more, under the next name, and acknowledges nothing', async () => {
  const world = await aDelivery()
  const run = await commandsOf(world)
  const calls = world.service.counts()

  const second = await run('redeliver', 'orders-1.csv')
  const third = await run('redeliver', 'orders-1.csv', '--json')

  expect(second).toMatchObject({ exit: 0, out: '' })
  expect(second.err).toBe(
    `orders-out: ${join(world.folder, 'exchange/outbox/orders-1~2.csv')}: the bytes of orders-1.csv once more, 3 records; nothing was acknowledged`,
  )
  expect(JSON.parse(third.out)).toMatchObject({
    exit: 0,
    redelivery: { name: 'orders-1~3.csv', state: 'delivered' },
  })
  const first = await world.read('outbox/orders-1.csv')
  expect(await world.list('outbox')).toEqual(['orders-1.csv', 'orders-1~2.csv', 'orders-1~3.csv'])
  expect(await world.read('outbox/orders-1~2.csv')).toBe(first)
  expect(await world.read('outbox/orders-1~3.csv')).toBe(first)
  expect(world.service.counts()).toEqual(calls)
  expect((await run('trace', 'orders-1.csv')).out).toMatch(
    /again +outbox\/orders-1~2\.csv, delivered, asked for on /,
  )
  expect((await run('audit', 'verify')).exit).toBe(0)
})

test('the file is delivered once more when its reader has taken the first one, and names that are taken are passed over', async () => {
  const world = await aDelivery()
  const run = await commandsOf(world)
  await rm(join(world.folder, 'exchange/outbox/orders-1.csv'))
  await writeFile(join(world.folder, 'exchange/outbox/orders-1~2.csv'), 'of another program')

  expect((await run('redeliver', 'orders-1.csv')).exit).toBe(0)
  expect(await world.list('outbox')).toEqual(['orders-1~2.csv', 'orders-1~3.csv'])
  expect(await world.read('outbox/orders-1~2.csv')).toBe('of another program')
  await rm(join(world.folder, 'exchange/outbox/orders-1~2.csv'))
  expect(await delivered(world)).toEqual({ 'orders-1~3.csv': POS.toSorted() })
})

test('the next file of the route keeps its number', async () => {
  const world = await aDelivery()
  const run = await commandsOf(world)
  await run('redeliver', 'orders-1.csv')
  const later = sampleOrders({ seed: 42, orders: 1, damageEvery: 0, firstNumber: 20_001 })
  await world.drop('inbox/orders', 'later.csv', ordersFile(later).text)

  expect((await world.run('orders', 'orders-out')).exit).toBe(0)
  expect(await world.list('outbox')).toEqual(['orders-1.csv', 'orders-1~2.csv', 'orders-2.csv'])
})

test('a delivery that is not finished, whose bytes were pruned or that is not known is refused with the reason', async () => {
  const waiting = await worldThatWaits(PICKED_UP, ORDERS)
  await waiting.run('orders-out')
  const early = await (await commandsOf(waiting))('redeliver', 'orders-1.csv')
  const world = await aDelivery()
  const run = await commandsOf(world)
  const bridge = await world.open()
  await bridge.journal.prune({ before: world.clock.now() + 1, signal: new AbortController().signal })
  await bridge.close()
  const pruned = await run('redeliver', 'orders-1.csv')
  const unknown = await run('redeliver', 'orders-7.csv')

  expect([early.exit, pruned.exit, unknown.exit]).toEqual([2, 2, 2])
  expect(early.err).toContain('orders-1.csv is not delivered once more: it is in place and not finished')
  expect(pruned.err).toContain('orders-1.csv is not delivered once more: its contents were pruned on ')
  expect(pruned.err).toContain('dropbridge export orders-out --out FILE')
  expect(unknown.err).toContain('no delivery "orders-7.csv" is known. Did you mean "orders-1.csv"?')
  expect(await world.list('outbox')).toEqual(['orders-1.csv'])
})

test('a mapping that makes other bytes now is refused, and nothing is noted', async () => {
  const world = await aDelivery()
  const mapping = join(world.folder, 'other.yaml')
  await writeFile(mapping, 'operation: export-orders\ncolumns: { PO Number: purchase_order_number }\n')
  Object.assign(world.configuration.routes[1] ?? {}, { mappingPath: mapping })
  const run = await commandsOf(world)

  const { exit, err } = await run('redeliver', 'orders-1.csv')

  expect(exit).toBe(2)
  expect(err).toContain('The bytes of orders-1.csv cannot be made again')
  expect(await world.list('outbox')).toEqual(['orders-1.csv'])
  const journal = await openJournal({ path: world.configuration.journal.path, clock: world.clock })
  expect(await journal.listOpenRedeliveries('orders-out')).toEqual([])
  await journal.close()
})

test.each(['before', 'after'] as const)(
  'a command that dies right %s any effect delivers the file once more at most once, and the next run finishes it',
  async (moment) => {
    const effects = await atEachEffect(moment, async (effect) => {
      const world = await aDelivery()
      const acknowledged = world.service.counts()
      const plan = crashAt(effect, moment)
      const dying = await world.open(plan.wrap)
      await dying.redeliver('orders-1.csv', new AbortController().signal).catch((error: unknown) => {
        if (plan.diedAt() === undefined) throw error
      })
      await dying.close()
      const context = `${plan.diedAt()} (effect ${effect})`
      world.clock.skip(60_000)

      const journal = await openJournal({ path: world.configuration.journal.path, clock: world.clock })
      const isNoted = (await journal.listUnfinishedRoutes()).includes('orders-out')
      await journal.close()
      const exit = (await world.run('orders-out')).exit
      const copies = (await world.list('outbox')).filter((name) => name !== 'orders-1.csv')

      expect(exit, context).toBe(0)
      expect(copies.length, context).toBeLessThanOrEqual(1)
      expect(isNoted ? copies : ['orders-1~2.csv'], context).toEqual(['orders-1~2.csv'])
      for (const name of copies)
        expect(await world.read(`outbox/${name}`), context).toBe(await world.read('outbox/orders-1.csv'))
      expect(world.service.counts(), context).toEqual(acknowledged)
      return plan.diedAt()
    })
    expect(effects).toBeGreaterThan(8)
  },
  120_000,
)

test('a command that finds a file left open by a stopped one continues that file', async () => {
  const world = await aDelivery()
  const plan = crashAt(1, 'before', 'mailbox.giveName')
  const dying = await world.open(plan.wrap)
  await expect(dying.redeliver('orders-1.csv', new AbortController().signal)).rejects.toThrow(/unexpected/)
  await dying.close()
  world.clock.skip(60_000)
  const run = await commandsOf(world)

  expect((await run('redeliver', 'orders-1.csv')).exit).toBe(0)
  expect(await world.list('outbox')).toEqual(['orders-1.csv', 'orders-1~2.csv'])
})

test('the next run says that it delivered the file that a stopped command left open', async () => {
  const world = await aDelivery()
  const plan = crashAt(1, 'after', 'journal.startRedelivery')
  const dying = await world.open(plan.wrap)
  await expect(dying.redeliver('orders-1.csv', new AbortController().signal)).rejects.toThrow(/unexpected/)
  await dying.close()
  world.clock.skip(60_000)
  const run = await commandsOf(world)

  const { exit, err } = await run('run', 'orders-out')

  expect(exit).toBe(0)
  expect(err).toContain('orders-1~2.csv: the bytes of orders-1.csv once more, 3 records')
})
