/** A run prunes finished work that is older than the configured retention. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { Configuration } from '../../src/config/configuration.ts'
import { aWorld } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const DAY_MS = 86_400_000

test('a run prunes what was finished longer ago than it is kept, and knows the file again', async () => {
  const world = await aWorld({ routes: ['orders'] })
  Object.assign(world.configuration, { keepContentsMs: 90 * DAY_MS } satisfies Partial<Configuration>)
  const orders = sampleOrders({ seed: 5, orders: 3, damageEvery: 0 })
  const { text } = ordersFile(orders)
  const name = String(orders[0]?.rows[0]?.['Ship To Name'])
  const isThere = async () => {
    const { path } = world.configuration.journal
    const bytes = await Promise.all([path, `${path}-wal`].map((file) => readFile(file).catch(() => '')))
    return bytes.some((each) => each.includes(name))
  }
  await world.drop('inbox/orders', 'orders.csv', text)
  const first = await world.run()
  expect(first.retention).toMatchObject({ kind: 'pruned', pruned: { files: 0 } })
  expect(await isThere()).toBe(true)

  world.clock.skip(91 * DAY_MS)
  const later = await world.run()

  expect(later.retention).toMatchObject({
    kind: 'pruned',
    pruned: { files: 1, records: 3, isGone: true },
  })
  expect(later.exit).toBe(0)
  expect(await isThere()).toBe(false)
  await world.drop('inbox/orders', 'again.csv', text)
  const [again] = (await world.run()).routes
  expect(again).toMatchObject({
    pass: { summaries: [{ outcome: 'duplicate', duplicateOf: { file: 'orders.csv' } }] },
  })
  expect(await world.orders()).toHaveLength(3)
})
