/** A mailbox at another path: what came along is known again, and what did not is waited for. */
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { change, partnerOf, PICKED_UP, worldThatWaits } from '../fixtures/partner.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 83, orders: 3, damageEvery: 0 })
const HOUR_MS = 3_600_000

const acknowledged = (world: World) => world.service.counts().acknowledgedOrders

/** From now on the mailbox is this folder of the world. */
function point(world: World, name: string): void {
  const mailboxes = { exchange: { type: 'directory', path: join(world.folder, name) } }
  Object.assign(world.configuration, { mailboxes })
}

async function alertsOf(world: World) {
  const bridge = await world.open()
  const { alerts } = await bridge.snapshot()
  await bridge.close()
  return alerts
}

async function movedWorld(): Promise<World> {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  await world.run('orders-out')
  await rename(join(world.folder, 'exchange'), join(world.folder, 'moved'))
  point(world, 'moved')
  return world
}

test('a file that waits and moved along with its mailbox is acknowledged when it is picked up there', async () => {
  const world = await movedWorld()

  expect((await world.run()).exit).toBe(0)
  expect(acknowledged(world)).toBe(0)
  await rm(join(world.folder, 'moved/outbox/orders-1.csv'))
  expect((await world.run()).exit).toBe(0)

  expect(acknowledged(world)).toBe(3)
  expect(await alertsOf(world)).toEqual([])
  const bridge = await world.open()
  expect((await bridge.journal.verifyChain({})).findings).toEqual([])
  await bridge.close()
})

test('an empty folder in the place of a moved one picks nothing up', async () => {
  const world = await movedWorld()
  await world.run()
  const outbox = join(world.folder, 'moved/outbox')
  await rename(outbox, join(world.folder, 'away'))
  await mkdir(outbox)

  expect((await world.run('orders-out')).exit).toBe(69)
  expect(acknowledged(world)).toBe(0)
})

test('another file under the name of one that waits is not that one', async () => {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  await world.run('orders-out')
  const other = join(world.folder, 'other/outbox')
  await mkdir(other, { recursive: true })
  const text = await readFile(join(world.folder, 'exchange/outbox/orders-1.csv'), 'utf8')
  await writeFile(join(other, 'orders-1.csv'), text.replace('HV', 'XX'))
  point(world, 'other')

  await world.run('orders-out')
  await rm(join(other, 'orders-1.csv'))
  await world.run('orders-out')

  expect(acknowledged(world)).toBe(0)
})

test('a copy of a mailbox counts as the mailbox that the route delivers to now', async () => {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  await world.run('orders-out')
  await cp(join(world.folder, 'exchange'), join(world.folder, 'copy'), { recursive: true })
  point(world, 'copy')
  await world.run('orders-out')

  await partnerOf(world).takes('orders-1.csv')
  await world.run('orders-out')
  expect(acknowledged(world)).toBe(0)
  await rm(join(world.folder, 'copy/outbox/orders-1.csv'))
  await world.run('orders-out')
  expect(acknowledged(world)).toBe(3)
})

test('a file that did not come along is overdue, with where it was left and what to do', async () => {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  await world.run('orders-out')
  await mkdir(join(world.folder, 'new'))
  point(world, 'new')
  await world.run('orders-out')
  world.clock.skip(25 * HOUR_MS)

  const [alert] = await alertsOf(world)

  expect(alert).toMatchObject({
    code: 'pick-up-overdue',
    fix: 'Move it there. If its reader has it, let the route run once with `acknowledge: delivered`.',
  })
  expect(alert?.message).toContain(
    `not picked up: ${join(world.folder, 'exchange/outbox')}/orders-1.csv, which did not move to ${join(world.folder, 'new/outbox')} with its mailbox, delivered at`,
  )
  change(world, { acknowledge: 'delivered' })
  await world.run('orders-out')
  expect(acknowledged(world)).toBe(3)
})

test('an inbox that had files is made again at another path of its mailbox, and not at the same', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run()
  await mkdir(join(world.folder, 'new'))

  await rm(join(world.folder, 'exchange/inbox'), { recursive: true })
  expect((await world.run()).exit).toBe(69)
  expect(await alertsOf(world)).toMatchObject([{ code: 'mailbox-away' }])
  point(world, 'new')
  expect((await world.run()).exit).toBe(0)
  expect(await alertsOf(world)).toEqual([])
})

test('what an installation waits for stays the same when all of it is moved', async () => {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  await world.run('orders-out')
  const moved = await world.fork()

  expect((await moved.run()).exit).toBe(0)
  await partnerOf(moved).takes('orders-1.csv')
  expect((await moved.run()).exit).toBe(0)

  expect(acknowledged(moved)).toBe(3)
  expect(await alertsOf(moved)).toEqual([])
})
