/** A delivered file counts as picked up only when two listings and a stat of its name agree that it is gone. */
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Mailbox } from '../../src/domain/mailbox.ts'
import { BridgeError } from '../../src/support/errors.ts'
import { partnerOf, PICKED_UP, worldThatWaits } from '../fixtures/partner.ts'
import type { World } from '../fixtures/world.ts'
import { sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 83, orders: 3, damageEvery: 0 })
const NAME = 'orders-1.csv'

async function worldWithDelivery(): Promise<World> {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  await world.run('orders-out')
  return world
}

async function exitWith(world: World, change: (mailbox: Mailbox) => Partial<Mailbox>): Promise<number> {
  const bridge = await world.open({ mailbox: (mailbox) => ({ ...mailbox, ...change(mailbox) }) })
  const { exit } = await bridge.run(['orders-out'], new AbortController().signal)
  await bridge.close()
  return exit
}

/** Listings that do not show the file; the `which`-th alone, or all of them. */
const missing = (mailbox: Mailbox, which?: number) => {
  let listings = 0
  return async (folder: string) => {
    const names = new Set(await mailbox.listNames(folder))
    listings += 1
    if (which === undefined || which === listings) names.delete(NAME)
    return names
  }
}

const acknowledged = (world: World) => world.service.counts().acknowledgedOrders

test('a file that one listing misses and that is still there is not picked up', async () => {
  const world = await worldWithDelivery()
  expect(await exitWith(world, (mailbox) => ({ listNames: missing(mailbox, 1) }))).toBe(0)
  expect(acknowledged(world)).toBe(0)

  await partnerOf(world).takes(NAME)
  await world.run('orders-out')
  expect(acknowledged(world)).toBe(3)
})

test('a file that no listing shows and that is still there is not picked up', async () => {
  const world = await worldWithDelivery()
  expect(await exitWith(world, (mailbox) => ({ listNames: missing(mailbox) }))).toBe(0)
  expect(acknowledged(world)).toBe(0)
})

test('a file that only the second listing shows is not picked up, whatever a stat of its name says', async () => {
  const world = await worldWithDelivery()
  const exit = await exitWith(world, (mailbox) => ({
    listNames: missing(mailbox, 1),
    hasEntry: () => Promise.resolve(false),
  }))
  expect(exit).toBe(0)
  expect(acknowledged(world)).toBe(0)
})

test('a share that goes away right after the first listing takes no file with it', async () => {
  const world = await worldWithDelivery()
  const outbox = join(world.folder, 'exchange/outbox')
  const exit = await exitWith(world, (mailbox) => {
    const names = missing(mailbox, 1)
    let isAway = false
    return {
      listNames: async (folder) => {
        const shown = await names(folder)
        if (!isAway) {
          await rename(outbox, join(world.folder, 'away'))
          await mkdir(outbox)
        }
        isAway = true
        return shown
      },
    }
  })
  expect(exit).toBe(69)
  expect(acknowledged(world)).toBe(0)

  await rm(outbox, { recursive: true })
  await rename(join(world.folder, 'away'), outbox)
  expect((await world.run('orders-out')).exit).toBe(0)
  expect(acknowledged(world)).toBe(0)
})

test('a name whose stat fails is not picked up, and the route reports it', async () => {
  const world = await worldWithDelivery()
  await partnerOf(world).takes(NAME)
  const refused = () => Promise.reject(new BridgeError('mailbox-unreachable', 'it cannot be inspected'))
  expect(await exitWith(world, () => ({ hasEntry: refused }))).toBe(69)
  expect(acknowledged(world)).toBe(0)
})
