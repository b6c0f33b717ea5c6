/** Exports that are acknowledged once the consumer picked up or confirmed the file, and never before. */
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RunResult } from '../../src/app/outcome.ts'
import type { Mailbox } from '../../src/domain/mailbox.ts'
import { BridgeError } from '../../src/support/errors.ts'
import {
  openWithCanceledOrder,
  change,
  partnerOf,
  PICKED_UP,
  RECEIPT,
  worldThatWaits,
} from '../fixtures/partner.ts'
import { addReport } from '../fixtures/reports.ts'
import type { World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'
import { openDatabase } from '../../src/support/sqlite.ts'

const ORDERS = sampleOrders({ seed: 81, orders: 3, damageEvery: 0 })
const LATER = sampleOrders({ seed: 82, orders: 2, damageEvery: 0, firstNumber: 20_001 })
const HOUR_MS = 3_600_000

const acknowledged = (world: World) => world.service.counts().acknowledgedOrders

/** The states of the confirmed deliveries of the pass, and how many files still wait. */
function outcomeOf({ exit, routes }: RunResult) {
  const [result] = routes
  if (result?.kind !== 'outbound') throw new Error(JSON.stringify(result))
  const { deliveries, awaited } = result.pass
  return {
    exit,
    states: deliveries.map(({ delivery }) => delivery.state),
    waits: awaited?.count ?? 0,
    overdue: awaited?.overdue ?? 0,
  }
}

function failureOf({ exit, routes }: RunResult) {
  const [result] = routes
  return { exit, message: result?.kind === 'failed' ? result.failure.message : '' }
}

test('a delivered file is acknowledged once it was taken away, and not before', async () => {
  const world = await worldThatWaits(PICKED_UP, ORDERS)

  const first = outcomeOf(await world.run('orders-out'))
  const second = outcomeOf(await world.run('orders-out'))
  const before = acknowledged(world)
  await partnerOf(world).takes('orders-1.csv')
  const third = outcomeOf(await world.run('orders-out'))
  const fourth = outcomeOf(await world.run('orders-out'))

  expect(first).toEqual({ exit: 0, states: ['delivered'], waits: 1, overdue: 0 })
  expect(second).toEqual({ exit: 0, states: [], waits: 1, overdue: 0 })
  expect(before).toBe(0)
  expect(third).toEqual({ exit: 0, states: ['acknowledged'], waits: 0, overdue: 0 })
  expect(fourth).toEqual({ exit: 0, states: [], waits: 0, overdue: 0 })
  expect(acknowledged(world)).toBe(3)
})

test('a file that its reader renamed within the folder counts as picked up', async () => {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  await world.run('orders-out')
  await partnerOf(world).renames('orders-1.csv', 'orders-1.csv.done')

  expect(outcomeOf(await world.run('orders-out'))).toMatchObject({ exit: 0, states: ['acknowledged'] })
  expect(acknowledged(world)).toBe(3)
})

test('each file waits for itself: a confirmed one is acknowledged, an unconfirmed one waits', async () => {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  await world.run('orders-out')
  await world.drop('inbox/orders', 'later.csv', ordersFile(LATER).text)
  await world.run('orders')
  const both = outcomeOf(await world.run('orders-out'))
  await partnerOf(world).takes('orders-2.csv')
  const one = outcomeOf(await world.run('orders-out'))

  expect(both).toEqual({ exit: 0, states: ['delivered'], waits: 2, overdue: 0 })
  expect(one).toEqual({ exit: 0, states: ['acknowledged'], waits: 1, overdue: 0 })
  expect(acknowledged(world)).toBe(2)
  expect(await world.list('outbox')).toEqual(['orders-1.csv'])
})

test('an empty folder where a share should be mounted is no pick-up: nothing is acknowledged, and the run reports it', async () => {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  await world.run('orders-out')
  const mountAgain = await partnerOf(world).unmounts()

  const away = failureOf(await world.run('orders-out'))
  const inHole = await world.list('outbox')
  await mountAgain()
  const back = outcomeOf(await world.run('orders-out'))

  expect(away).toEqual({
    exit: 69,
    message: `The folder of route orders-out has changed: its mark ${join(world.folder, 'exchange/outbox/.dropbridge')} is missing.`,
  })
  expect(inHole).toEqual([])
  expect(back).toEqual({ exit: 0, states: [], waits: 1, overdue: 0 })
  expect(acknowledged(world)).toBe(0)
})

test('no file is delivered into another folder of the same name', async () => {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  await world.run('orders-out')
  await partnerOf(world).takes('orders-1.csv')
  await world.run('orders-out')
  await world.drop('inbox/orders', 'later.csv', ordersFile(LATER).text)
  await world.run('orders')
  const mountAgain = await partnerOf(world).unmounts()

  const away = failureOf(await world.run('orders-out'))
  const inHole = await world.list('outbox')
  await mountAgain()
  const back = outcomeOf(await world.run('orders-out'))

  expect(away.exit).toBe(69)
  expect(inHole).toEqual([])
  expect(back).toMatchObject({ exit: 0, states: ['delivered'], waits: 1 })
  expect(await world.list('outbox')).toEqual(['orders-2.csv'])
})

test('a folder that is gone altogether is no pick-up, and is not made anew', async () => {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  await world.run('orders-out')
  await rm(join(world.folder, 'exchange/outbox'), { recursive: true })

  const away = failureOf(await world.run('orders-out'))

  expect(away.exit).toBe(69)
  expect(await world.list('')).not.toContain('outbox')
  expect(acknowledged(world)).toBe(0)
})

/** The whole share: an empty folder is in its place. */
async function shareGoes(world: World): Promise<void> {
  const exchange = join(world.folder, 'exchange')
  await rename(exchange, join(world.folder, 'share'))
  await mkdir(exchange)
}

test.each(['outbox', 'receipts'])(
  'the search for receipts in %s makes nothing in the place of a share that is away, and delivers nothing there',
  async (folder) => {
    const world = await worldThatWaits({ ...RECEIPT, receipt: { ...RECEIPT.receipt, folder } }, ORDERS)
    await world.run('orders-out')
    await world.drop('inbox/orders', 'later.csv', ordersFile(LATER).text)
    await world.run('orders')
    await shareGoes(world)

    const away = failureOf(await world.run('orders-out'))

    expect(away).toMatchObject({
      exit: 69,
      message: expect.stringContaining('The folder of route orders-out is gone'),
    })
    expect(await world.list('')).toEqual([])
    expect(acknowledged(world)).toBe(0)
  },
)

test('the search for receipts makes no inbox that is gone', async () => {
  const receipt = { ...RECEIPT.receipt, folder: 'inbox/orders' }
  const world = await worldThatWaits({ ...RECEIPT, receipt }, ORDERS)
  await world.run('orders-out')
  await rm(join(world.folder, 'exchange/inbox'), { recursive: true })

  const away = failureOf(await world.run('orders-out'))

  expect(away).toMatchObject({
    exit: 69,
    message: expect.stringContaining('The inbox of route orders is gone'),
  })
  expect(await world.list('')).not.toContain('inbox')
})

test('a folder for receipts that is not there yet is made beside the deliveries', async () => {
  const world = await worldThatWaits(RECEIPT, ORDERS)
  await world.run('orders-out')
  expect((await world.run('orders-out')).exit).toBe(0)
  expect(await world.list('')).toContain('receipts')
})

test('a reader that removes the mark as well is tolerated while a file of the bridge is still there', async () => {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  await world.run('orders-out')
  await rm(join(world.folder, 'exchange/outbox/.dropbridge'), { recursive: true })

  const stillThere = outcomeOf(await world.run('orders-out'))
  await partnerOf(world).takes('orders-1.csv')
  const taken = outcomeOf(await world.run('orders-out'))

  expect(stillThere).toEqual({ exit: 0, states: [], waits: 1, overdue: 0 })
  expect(taken).toMatchObject({ exit: 0, states: ['acknowledged'] })
})

test('an order that the retailer cancels between the delivery and the pick-up is reported and not acknowledged', async () => {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  await world.run('orders-out')
  const bridge = await openWithCanceledOrder(world)
  await partnerOf(world).takes('orders-1.csv')
  const result = await bridge.run(['orders-out'], new AbortController().signal)
  await bridge.close()

  expect(outcomeOf(result)).toMatchObject({ exit: 2, states: ['acknowledged'] })
  expect(result.routes).toMatchObject([
    {
      pass: {
        deliveries: [
          {
            records: { accepted: 2, held: 1 },
            troubled: [{ problems: [{ code: 'changed-since-delivery' }] }],
          },
        ],
      },
    },
  ])
  expect(acknowledged(world)).toBe(2)
})

test('a file that is not picked up within its time makes the run end with 2 until it is taken', async () => {
  const world = await worldThatWaits(
    { ...PICKED_UP, overdue: { withinMs: 4 * HOUR_MS, beforeMs: 0 } },
    ORDERS,
  )
  await world.run('orders-out')
  world.clock.skip(3 * HOUR_MS)
  const early = outcomeOf(await world.run('orders-out'))
  world.clock.skip(2 * HOUR_MS)
  const late = outcomeOf(await world.run('orders-out'))
  await partnerOf(world).takes('orders-1.csv')
  const taken = outcomeOf(await world.run('orders-out'))

  expect(early).toEqual({ exit: 0, states: [], waits: 1, overdue: 0 })
  expect(late).toEqual({ exit: 2, states: [], waits: 1, overdue: 1 })
  expect(taken).toEqual({ exit: 0, states: ['acknowledged'], waits: 0, overdue: 0 })
})

test('a file is overdue when its orders are nearly due, however long it may wait by itself', async () => {
  const world = await worldThatWaits(
    { ...PICKED_UP, overdue: { withinMs: 1000 * HOUR_MS, beforeMs: 2 * HOUR_MS } },
    ORDERS,
  )
  const by = Math.min(...(await world.orders()).map((order) => Date.parse(order.acknowledge_by ?? '')))
  await world.run('orders-out')
  world.clock.skip(by - 3 * HOUR_MS - world.clock.now())
  const early = outcomeOf(await world.run('orders-out'))
  world.clock.skip(by - 2 * HOUR_MS - world.clock.now())
  const near = outcomeOf(await world.run('orders-out'))

  expect(early).toMatchObject({ exit: 0, overdue: 0 })
  expect(near).toMatchObject({ exit: 2, overdue: 1 })
})

test('a route that changes from picked-up to delivered acknowledges the files that were waiting', async () => {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  await world.run('orders-out')
  change(world, { acknowledge: 'delivered' })

  expect(outcomeOf(await world.run('orders-out'))).toMatchObject({ exit: 0, states: ['acknowledged'] })
  expect(acknowledged(world)).toBe(3)
})

test('files that wait in a former folder are acknowledged when they are picked up from there', async () => {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  await world.run('orders-out')
  change(world, { to: { mailbox: 'exchange', folder: 'elsewhere', name: 'orders-{seq}.csv' } })

  const before = outcomeOf(await world.run('orders-out'))
  await partnerOf(world).takes('orders-1.csv')
  const taken = outcomeOf(await world.run('orders-out'))

  expect(before).toMatchObject({ exit: 0, waits: 1 })
  expect(taken).toMatchObject({ exit: 0, states: ['acknowledged'], waits: 0 })
})

test('files in a former place of the mailbox are not missing in the new one', async () => {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  await world.run('orders-out')
  await mkdir(join(world.folder, 'moved'))
  Object.assign(world.configuration, {
    mailboxes: { exchange: { type: 'directory', path: join(world.folder, 'moved') } },
  })

  const first = outcomeOf(await world.run('orders-out'))
  const second = outcomeOf(await world.run('orders-out'))

  expect(first).toEqual({ exit: 0, states: [], waits: 1, overdue: 0 })
  expect(second).toEqual(first)
  expect(acknowledged(world)).toBe(0)
})

test('a delivered file is acknowledged once its receipt came, and the receipt goes to the archive', async () => {
  const world = await worldThatWaits(RECEIPT, ORDERS)
  const first = outcomeOf(await world.run('orders-out'))
  await partnerOf(world).takes('orders-1.csv')
  const taken = outcomeOf(await world.run('orders-out'))
  const before = acknowledged(world)
  await partnerOf(world).confirms('orders-1.csv')
  const confirmed = outcomeOf(await world.run('orders-out'))

  expect(first).toMatchObject({ exit: 0, states: ['delivered'], waits: 1 })
  expect(taken).toMatchObject({ exit: 0, states: [], waits: 1 })
  expect(before).toBe(0)
  expect(confirmed).toEqual({ exit: 0, states: ['acknowledged'], waits: 0, overdue: 0 })
  expect(acknowledged(world)).toBe(3)
  expect(await world.list('receipts')).toEqual([])
  expect(await world.list('archive/receipts')).toEqual([expect.stringMatching(/^orders-1\.csv~\w+\.ok$/)])
})

test('a receipt may have the name without its extension, in capitals, and must hold the required text', async () => {
  const receipt = { ...RECEIPT.receipt, match: '{stem}.ack', contains: 'LOADED {name}' }
  const world = await worldThatWaits({ ...RECEIPT, receipt }, ORDERS)
  await world.run('orders-out')
  await partnerOf(world).confirms('orders-1.csv', { match: 'ORDERS-1.ACK', text: 'REJECTED orders-1.csv' })
  const refused = outcomeOf(await world.run('orders-out'))
  const before = acknowledged(world)
  await partnerOf(world).confirms('orders-1.csv', {
    match: '{stem}.ack',
    text: 'x\nLOADED orders-1.csv, 3 rows',
  })
  const confirmed = outcomeOf(await world.run('orders-out'))

  expect(refused).toMatchObject({ exit: 0, states: [], waits: 1 })
  expect(before).toBe(0)
  expect(confirmed).toMatchObject({ exit: 0, states: ['acknowledged'], waits: 0 })
  expect(await world.list('archive/receipts')).toHaveLength(2)
})

test('a receipt that is still being written is not read, and one for an unknown file is not either', async () => {
  const world = await worldThatWaits(RECEIPT, ORDERS)
  await world.run('orders-out')
  await partnerOf(world).confirms('orders-7.csv')
  await partnerOf(world).confirms('orders-1.csv', { text: 'a' })
  let listings = 0
  const bridge = await world.open({
    mailbox: (mailbox) => ({
      ...mailbox,
      list: async (folder) => {
        // it grows between the two scans of a pass
        if (folder === 'receipts' && ++listings === 2) {
          await writeFile(join(world.folder, 'exchange/receipts/orders-1.csv.ok'), 'ab')
        }
        return mailbox.list(folder)
      },
    }),
  })
  const growing = outcomeOf(await bridge.run(['orders-out'], new AbortController().signal))
  await bridge.close()
  const still = outcomeOf(await world.run('orders-out'))

  expect(growing).toMatchObject({ states: [], waits: 1 })
  expect(still).toMatchObject({ states: ['acknowledged'], waits: 0 })
  expect(await world.list('receipts')).toEqual(['orders-7.csv.ok'])
})

test('a mailbox that only receipts come to delays no delivery, and is reported as away', async () => {
  const world = await worldThatWaits({ ...RECEIPT, receipt: { ...RECEIPT.receipt, mailbox: 'back' } }, ORDERS)
  const { mailboxes } = world.configuration
  const back = { type: 'directory', path: join(world.folder, 'back') } as const
  Object.assign(world.configuration, { mailboxes: { ...mailboxes, back } })

  await world.run('orders-out')
  await world.drop('inbox/orders', 'later.csv', ordersFile(LATER).text)
  await world.run('orders')
  const { exit, message } = failureOf(await world.run('orders-out'))

  expect(exit).toBe(69)
  expect(message).toContain(join(world.folder, 'back'))
  expect(await world.list('outbox')).toEqual(['orders-1.csv', 'orders-2.csv'])
  expect(acknowledged(world)).toBe(0)
})

/** A first receipt that is accepted and claimed, and a second file that waits. */
async function withClaimedReceipt(): Promise<World> {
  const world = await worldThatWaits(RECEIPT, ORDERS)
  await world.run('orders-out')
  await world.drop('inbox/orders', 'later.csv', ordersFile(LATER).text)
  await world.run('orders')
  await world.run('orders-out')
  await partnerOf(world).confirms('orders-1.csv')
  await runWith(world, { archive: () => Promise.reject(new Error('the power went')) })
  return world
}

async function runWith(world: World, changes: Partial<Mailbox>): Promise<RunResult> {
  const bridge = await world.open({ mailbox: (mailbox) => ({ ...mailbox, ...changes }) })
  const result = await bridge.run(['orders-out'], new AbortController().signal)
  await bridge.close()
  return result
}

const NOT_INTO_ARCHIVE: Partial<Mailbox> = {
  archive: () => Promise.reject(new BridgeError('cannot-write', 'nobody may write into the archive')),
}

test('a claimed receipt that is removed delays no other, and is not asked for again', async () => {
  const world = await withClaimedReceipt()
  const claimed = join(world.folder, 'exchange/receipts/.claimed')
  for (const name of await readdir(claimed)) await rm(join(claimed, name))
  await partnerOf(world).confirms('orders-2.csv')

  const first = outcomeOf(await world.run('orders-out'))
  const second = outcomeOf(await world.run('orders-out'))

  expect([first.exit, second.exit]).toEqual([0, 0])
  expect(acknowledged(world)).toBe(5)
})

test('a receipt that cannot be archived delays no other and no delivery, and is reported', async () => {
  const world = await withClaimedReceipt()
  await partnerOf(world).confirms('orders-2.csv')
  await world.drop(
    'inbox/orders',
    'last.csv',
    ordersFile(sampleOrders({ seed: 84, orders: 1, damageEvery: 0, firstNumber: 30_001 })).text,
  )
  await world.run('orders')

  const failure = failureOf(await runWith(world, NOT_INTO_ARCHIVE))
  const before = acknowledged(world)
  const mended = outcomeOf(await world.run('orders-out'))

  expect(failure).toEqual({ exit: 74, message: 'nobody may write into the archive' })
  expect(before).toBe(5)
  expect(await world.list('outbox')).toEqual(['orders-1.csv', 'orders-2.csv', 'orders-3.csv'])
  expect(mended).toMatchObject({ exit: 0, waits: 1 })
  expect(await world.list('archive/receipts')).toHaveLength(2)
})

test('a refused receipt that cannot be moved is refused once, and counts when it holds what it should', async () => {
  const world = await worldThatWaits({ ...RECEIPT, receipt: { ...RECEIPT.receipt, contains: 'OK' } }, ORDERS)
  await world.run('orders-out')
  await partnerOf(world).confirms('orders-1.csv', { text: 'REJECTED' })
  const path = join(world.folder, 'exchange/receipts/orders-1.csv.ok')
  // as on a server with `claim: leave`
  const left: Partial<Mailbox> = {
    claimsInPlace: true,
    claim: () => Promise.resolve('claimed'),
    read: () => createReadStream(path),
    listClaims: () => Promise.resolve([]),
    archive: (claim) => Promise.resolve(`${claim.folder}/${claim.name}`),
  }
  for (let pass = 0; pass < 3; pass++) await runWith(world, left)
  const refused = receiptsIn(world)
  await partnerOf(world).confirms('orders-1.csv', { text: 'OK' })
  await runWith(world, left)

  expect(refused).toEqual(['refused'])
  expect(receiptsIn(world)).toEqual(['refused', 'accepted'])
  expect(acknowledged(world)).toBe(3)
})

function receiptsIn({ configuration }: World): unknown[] {
  const database = openDatabase(configuration.journal.path, { readonly: true })
  const states = database.prepare('select state from receipts order by began_at').pluck().all()
  database.close()
  return states
}

test('one listing of the folder is enough for many files that wait', async () => {
  const orders = sampleOrders({ seed: 83, orders: 20, damageEvery: 0 })
  const world = await worldThatWaits(PICKED_UP, orders)
  const mapping = join(world.folder, 'one.yaml')
  await writeFile(
    mapping,
    'operation: export-orders\nfile: { records: 1 }\ncolumns: { PO Number: purchase_order_number }\n',
  )
  change(world, { mappingPath: mapping })
  await world.run('orders-out')
  for (let number = 1; number <= 20; number += 2) await partnerOf(world).takes(`orders-${number}.csv`)
  const asked: string[] = []
  const bridge = await world.open({
    mailbox: (mailbox) =>
      new Proxy(mailbox, {
        get: (target, name: keyof typeof mailbox) => {
          if (name !== 'describe' && name !== 'close') asked.push(name)
          return target[name]
        },
      }),
  })
  const { waits, states } = outcomeOf(await bridge.run(['orders-out'], new AbortController().signal))
  await bridge.close()

  expect([waits, states.length]).toEqual([10, 10])
  // At its start a bridge reads every mailbox once for files that its journal does not know, several at a time.
  const reads = ['listClaims', 'claimsInPlace', 'listNames', 'hasFolder', 'list']
  expect(asked.slice(0, reads.length).toSorted()).toEqual(reads.toSorted())
  const later = ['listNames', ...Array.from({ length: 10 }, () => 'hasEntry'), 'listNames']
  expect(asked.slice(reads.length)).toEqual(later)
  expect(acknowledged(world)).toBe(10)
})

test('a report waits for no confirmation', async () => {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  await addReport(world, {
    operation: 'export-retailer-orders',
    mapping: 'columns: { PO Number: purchase_order_number }\n',
  })

  expect(outcomeOf(await world.run('report'))).toEqual({ exit: 0, states: ['done'], waits: 0, overdue: 0 })
})
