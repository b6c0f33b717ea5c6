/** A journal that was deleted, while the folder of the state shows that it was there. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandsOf } from '../fixtures/office.ts'
import { aWorld } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

test('a journal that was deleted with its mark is refused while the state shows it, until a person says that it is lost', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  const run = await commandsOf(world)
  await world.drop(
    'inbox/orders',
    'orders.csv',
    ordersFile(sampleOrders({ seed: 2, orders: 2, damageEvery: 0 })).text,
  )
  expect((await run('run')).exit).toBe(0)
  const state = join(world.folder, 'state')
  for (const name of await readdir(state)) if (name.startsWith('journal.db')) await rm(join(state, name))
  for (const folder of ['archive', 'inbox'])
    await rm(join(world.folder, 'exchange', folder), { recursive: true })

  for (let times = 0; times < 2; times++) {
    const refused = await run('run')
    expect({ exit: refused.exit, err: refused.err }).toEqual({
      exit: 78,
      err: expect.stringMatching(/is new, but work was done with another one.*journal-missing/s),
    })
  }
  expect((await run('status')).out).toContain('journal-missing')
  expect((await run('restored', '--by', 'Ada', '--why', 'the disk was lost')).exit).toBe(0)
  expect((await run('run')).exit).toBe(0)
  expect((await run('run')).exit).toBe(0)
})

test('a bridge whose journal is deleted while it is open sends nothing more', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const [first, second] = [1, 2].map((seed) =>
    ordersFile(sampleOrders({ seed, orders: 2, damageEvery: 0, firstNumber: seed * 100 })),
  )
  await world.drop('inbox/orders', 'first.csv', first?.text ?? '')
  const bridge = await world.open()
  const run = () => bridge.run(['orders'], new AbortController().signal)
  expect((await run()).exit).toBe(0)
  await rm(join(world.folder, 'state'), { recursive: true })
  await world.drop('inbox/orders', 'second.csv', second?.text ?? '')

  const { exit, routes } = await run()

  expect({ exit, routes }).toEqual({
    exit: 78,
    routes: [
      expect.objectContaining({
        kind: 'failed',
        failure: expect.objectContaining({ code: 'journal-missing' }),
      }),
    ],
  })
  expect(await world.orders()).toHaveLength(2)
  expect(await world.list('inbox/orders')).toEqual(['second.csv'])
  await bridge.close()
})
