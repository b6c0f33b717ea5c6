/** Held deliveries: they stay where they are, others continue, and a person decides about them. */
import { expect, test } from 'vitest'
import { BridgeError } from '../../src/support/errors.ts'
import { delivered } from '../fixtures/delivered.ts'
import { commandsOf } from '../fixtures/office.ts'
import { worldThatWaits } from '../fixtures/partner.ts'
import type { World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 81, orders: 3, damageEvery: 0 })
const LATER = sampleOrders({ seed: 82, orders: 2, damageEvery: 0, firstNumber: 20_001 })
const WHO = ['--by', 'Ada', '--why', 'asked the warehouse']
const REASON = 'nobody can prove that it was not delivered before.'

/** The file of the first orders is composed and held; then more orders come. */
async function aHeldFile(): Promise<{ readonly world: World; readonly id: string }> {
  const world = await worldThatWaits({ acknowledge: 'delivered' }, ORDERS)
  const stage = () => Promise.reject(new BridgeError('cannot-write', 'the disk is full'))
  const bridge = await world.open({ mailbox: (mailbox) => ({ ...mailbox, stage }) })
  await bridge.run(['orders-out'], new AbortController().signal)
  const { journal } = bridge
  const lease = await journal.acquireLease('orders-out', 'test', 60_000, () => false)
  const [delivery] = await journal.listUnfinishedDeliveries('orders-out')
  await journal.holdDelivery(lease, delivery!.id, REASON)
  await journal.releaseLease(lease)
  await bridge.close()
  await world.drop('inbox/orders', 'later.csv', ordersFile(LATER).text)
  await world.run('orders')
  return { world, id: delivery!.id }
}

const acknowledged = (world: World) => world.service.counts().acknowledgedOrders
const numbers = (orders: typeof ORDERS) => orders.map(({ po }) => po)

test('a held file is not delivered, later ones are, and the run ends with 2', async () => {
  const { world, id } = await aHeldFile()
  const run = await commandsOf(world)

  const { exit, err } = await run('run', 'orders-out')

  expect(exit).toBe(2)
  expect(err).toContain('1 file waits for a person to say whether it was delivered')
  expect(err).toContain(`(${id}): ${REASON}`)
  expect(await delivered(world)).toEqual({ 'orders-2.csv': numbers(LATER) })
  expect(acknowledged(world)).toBe(2)
})

test('status shows a held file and its fix', async () => {
  const { world, id } = await aHeldFile()
  const run = await commandsOf(world)

  const { out } = await run('status')

  expect(out).toContain(`orders-1.csv with 3 records is not delivered. ${REASON} (delivery-held`)
  expect(out).toContain(`dropbridge resolve ${id} --delivered`)
  expect(out).not.toContain('not finished:')
})

test('a held file that a person resolves as delivered is acknowledged, and not delivered', async () => {
  const { world, id } = await aHeldFile()
  const run = await commandsOf(world)

  const { exit, err } = await run('resolve', id, '--delivered', ...WHO)

  expect(exit).toBe(0)
  expect(err).toContain('orders-out: orders-1.csv: resolved as delivered')
  expect(await delivered(world)).toEqual({})
  expect(acknowledged(world)).toBe(3)
  expect((await run('status')).out).not.toContain('delivery-held')
})

test('a held file that a person resolves as not delivered is delivered and acknowledged', async () => {
  const { world } = await aHeldFile()
  const run = await commandsOf(world)

  const { exit } = await run('resolve', 'orders-1.csv', '--again', ...WHO)

  expect(exit).toBe(0)
  expect(await delivered(world)).toEqual({ 'orders-1.csv': numbers(ORDERS) })
  expect(acknowledged(world)).toBe(3)
})

test('release and discard refuse a file that waits to be delivered, and name the command for it', async () => {
  const { world, id } = await aHeldFile()
  const run = await commandsOf(world)

  for (const command of ['release', 'discard']) {
    const { exit, err } = await run(command, id, ...WHO)
    expect(exit, command).toBe(64)
    expect(err, command).toContain(`dropbridge resolve ${id}`)
  }
})

test('a file that is not held cannot be resolved, nor in two ways at once', async () => {
  const { world, id } = await aHeldFile()
  const run = await commandsOf(world)

  const unknown = await run('resolve', 'orders-7.csv', '--again', ...WHO)
  const both = await run('resolve', id, '--again', '--delivered', ...WHO)

  expect([unknown.exit, both.exit]).toEqual([2, 64])
  expect(unknown.err + unknown.out).toContain('no delivery "orders-7.csv" is held')
})
