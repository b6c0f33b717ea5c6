/** Deliveries that fail: each stays by itself, and the others continue. */
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RunResult } from '../../src/app/outcome.ts'
import type { Mailbox } from '../../src/domain/mailbox.ts'
import { BridgeError } from '../../src/support/errors.ts'
import { delivered } from '../fixtures/delivered.ts'
import { change, worldThatWaits } from '../fixtures/partner.ts'
import type { World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 81, orders: 3, damageEvery: 0 })
const LATER = sampleOrders({ seed: 82, orders: 2, damageEvery: 0, firstNumber: 20_001 })

type Stage = Mailbox['stage']

async function runWith(world: World, stage: (given: Stage) => Stage): Promise<RunResult> {
  const bridge = await world.open({
    mailbox: (mailbox) => ({ ...mailbox, stage: stage(mailbox.stage) }),
  })
  const result = await bridge.run(['orders-out'], new AbortController().signal)
  await bridge.close()
  return result
}

/** The first file is composed and its delivery fails; then more orders come. */
async function undelivered(): Promise<World> {
  const world = await worldThatWaits({ acknowledge: 'delivered' }, ORDERS)
  await runWith(world, () => () => Promise.reject(new BridgeError('cannot-write', 'the disk is full')))
  await world.drop('inbox/orders', 'later.csv', ordersFile(LATER).text)
  await world.run('orders')
  return world
}

function failureOf({ exit, routes }: RunResult) {
  const [result] = routes
  if (result?.kind !== 'failed') return { exit, message: '', details: [] }
  return { exit, message: result.failure.message, details: result.failure.details }
}

const acknowledged = (world: World) => world.service.counts().acknowledgedOrders
const numbers = (orders: typeof ORDERS) => orders.map(({ po }) => po)

const refusingFirst =
  (given: Stage): Stage =>
  (...args) =>
    args[2].name === 'orders-1.csv'
      ? Promise.reject(new BridgeError('cannot-write', 'orders-1.csv cannot be written: refused'))
      : given(...args)

test('a file that the target refuses delays no later one, and is reported at the end', async () => {
  const world = await undelivered()

  const failure = failureOf(await runWith(world, refusingFirst))
  const between = [await delivered(world), acknowledged(world)]
  const { exit } = await world.run('orders-out')

  expect(failure).toMatchObject({ exit: 74, message: 'orders-1.csv cannot be written: refused' })
  expect(between).toEqual([{ 'orders-2.csv': numbers(LATER) }, 2])
  expect(exit).toBe(0)
  expect(await delivered(world)).toEqual({ 'orders-1.csv': numbers(ORDERS), 'orders-2.csv': numbers(LATER) })
  expect(acknowledged(world)).toBe(5)
})

test('while the mailbox is away nothing new is composed', async () => {
  const world = await undelivered()
  const away = () => () => Promise.reject(new BridgeError('mailbox-unreachable', 'the share is not mounted'))
  const spooled = () => readdir(join(world.folder, 'state/spool/orders-out'))

  const failure = failureOf(await runWith(world, away))

  expect(failure).toMatchObject({ exit: 69, message: 'the share is not mounted' })
  expect(await spooled()).toHaveLength(1)
  expect((await world.run('orders-out')).exit).toBe(0)
  expect(Object.keys(await delivered(world))).toEqual(['orders-1.csv', 'orders-2.csv'])
})

test('where file after file cannot be delivered, no more are composed than prove that the place is at fault', async () => {
  const orders = sampleOrders({ seed: 83, orders: 20, damageEvery: 0 })
  const world = await worldThatWaits({ acknowledge: 'delivered' }, orders)
  const mapping = join(world.folder, 'one.yaml')
  await writeFile(
    mapping,
    'operation: export-orders\nfile: { records: 1 }\ncolumns: { PO Number: purchase_order_number, Order: purchase_order_number }\n',
  )
  change(world, { mappingPath: mapping })
  const full = () => () => Promise.reject(new BridgeError('cannot-write', 'the disk is full'))

  for (let pass = 0; pass < 3; pass++) await runWith(world, full)

  expect(await readdir(join(world.folder, 'state/spool/orders-out'))).toHaveLength(10)
  expect((await world.run('orders-out')).exit).toBe(0)
  expect(Object.keys(await delivered(world))).toHaveLength(20)
})

test('a file that was lost from the spool is made again from its records, under its name', async () => {
  const world = await undelivered()
  await rm(join(world.folder, 'state/spool/orders-out'), { recursive: true })

  const { exit } = await world.run('orders-out')

  expect(exit).toBe(0)
  expect(await delivered(world)).toEqual({ 'orders-1.csv': numbers(ORDERS), 'orders-2.csv': numbers(LATER) })
  expect(acknowledged(world)).toBe(5)
})

test('a lost file that cannot be made again as it was is reported with a fix, and is delivered in no other form', async () => {
  const world = await undelivered()
  await rm(join(world.folder, 'state/spool/orders-out'), { recursive: true })
  const before = world.configuration.routes.find(({ name }) => name === 'orders-out')?.mappingPath ?? ''
  const mapping = join(world.folder, 'other.yaml')
  await writeFile(
    mapping,
    'operation: export-orders\ncolumns: { PO Number: purchase_order_number, Order: purchase_order_number }\n',
  )
  change(world, { mappingPath: mapping })

  const failure = failureOf(await world.run('orders-out'))
  const between = [await delivered(world), acknowledged(world)]
  change(world, { mappingPath: before })
  const { exit } = await world.run('orders-out')

  expect(failure.exit).toBe(74)
  expect(failure.message).toMatch(
    /^The file orders-1\.csv of route orders-out was composed but not delivered, and its spool file .* is missing\.$/,
  )
  expect(failure.details.join(' ')).toContain('Put the file back from a backup')
  expect(between).toEqual([{ 'orders-2.csv': numbers(LATER) }, 2])
  expect(exit).toBe(0)
  expect((await delivered(world))['orders-1.csv']).toEqual(numbers(ORDERS))
  expect(acknowledged(world)).toBe(5)
})
