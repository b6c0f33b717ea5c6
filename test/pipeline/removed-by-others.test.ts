/** Folders and claimed files that other programs remove behind the bridge's back. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Mailbox } from '../../src/domain/mailbox.ts'
import { BridgeError } from '../../src/support/errors.ts'
import { commandsOf } from '../fixtures/office.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 4, orders: 4, damageEvery: 0 })
const WHO = ['--by', 'Ada', '--why', 'the file is known']
const fileOf = (from: number) => ordersFile(ORDERS.slice(from, from + 2)).text
const exchange = ({ folder }: World, ...path: string[]) => join(folder, 'exchange', ...path)

test('a results folder that went away is not made anew, but named until a person makes it', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  await world.drop('inbox/orders', 'orders.csv', fileOf(0))
  expect((await run('run')).exit).toBe(0)
  await rm(exchange(world, 'results'), { recursive: true })

  expect((await run('status')).out).toMatch(
    /The results folder of route orders is gone.*\(mailbox-away, since/,
  )
  await world.drop('inbox/orders', 'later.csv', fileOf(2))
  const { exit, err } = await run('run')

  expect({ exit, err }).toEqual({
    exit: 69,
    err: expect.stringContaining('The results folder of route orders is gone'),
  })
  expect(await readdir(exchange(world))).not.toContain('results')
  await world.drop('results', 'made by a person', '')
  expect((await run('run')).exit).toBe(0)
  expect(await world.list('results')).toContain('later.csv.results.csv')
  expect(world.service.counts().orders).toBe(4)
})

/** One pass that cannot archive, and then the claimed file is removed. */
async function aRemovedClaim() {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  await world.drop('inbox/orders', 'orders.csv', fileOf(0))
  const away = (mailbox: Mailbox): Mailbox => ({
    ...mailbox,
    archive: () => Promise.reject(new BridgeError('mailbox-unreachable', 'away')),
  })
  const bridge = await world.open({ mailbox: away })
  await bridge.run([], new AbortController().signal)
  await bridge.close()
  const claimed = exchange(world, 'inbox/orders/.claimed')
  for (const name of await readdir(claimed)) await rm(join(claimed, name))
  return { world, run }
}

test('a claimed file that another program removed is finished, shown, and dismissed by a person', async () => {
  const { world, run } = await aRemovedClaim()

  const again = await run('run')

  expect(again.exit).toBe(0)
  expect(world.service.counts().orders).toBe(2)
  expect((await run('status')).out).toMatch(
    /orders: orders\.csv was removed from \.claimed before it was archived \(source-removed, since/,
  )
  expect((await run('trace', 'orders.csv')).out).toMatch(/was removed before it was archived/)
  expect((await run('dismiss', 'orders.csv', ...WHO)).exit).toBe(0)
  expect((await run('status')).out).not.toContain('source-removed')
  expect((await run('audit', 'verify')).exit).toBe(0)
})

test('a file that was removed before it was read is an alert until it comes again or a person dismisses it', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  await world.drop('inbox/orders', 'orders.csv', fileOf(0))
  const bridge = await world.open({
    mailbox: (mailbox) => ({
      ...mailbox,
      claim: async (claim) => {
        await rm(exchange(world, 'inbox/orders/orders.csv'))
        return mailbox.claim(claim)
      },
    }),
  })
  await bridge.run([], new AbortController().signal)
  await bridge.close()

  expect((await run('status')).out).toMatch(
    /orders: orders\.csv was removed before it was read \(file-vanished, since/,
  )
  await world.drop('inbox/orders', 'orders.csv', fileOf(0))
  expect((await run('run')).exit).toBe(0)
  expect((await run('status')).out).not.toContain('file-vanished')
})
