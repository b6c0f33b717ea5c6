/** A file whose writer pauses for longer than `stableFor`, and continues after the file was taken. */
import { appendFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Mailbox } from '../../src/domain/mailbox.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 61, orders: 6, damageEvery: 0 })
const WHOLE = ordersFile(ORDERS).text
const BEGINNING = ordersFile(ORDERS.slice(0, 4)).text

/** The writer still has the file open: its text goes to the file, wherever that is by now. */
const writerGoesOn = (world: World, failing?: 'releaseClaim') => {
  let isWritten = false
  return (mailbox: Mailbox): Mailbox => ({
    ...mailbox,
    stage: async (...staging) => {
      const claimed = join(world.folder, 'exchange/inbox/orders/.claimed')
      const [name = ''] = isWritten ? [] : await readdir(claimed)
      if (name !== '') await appendFile(join(claimed, name), WHOLE.slice(BEGINNING.length))
      isWritten = true
      return mailbox.stage(...staging)
    },
    ...(failing === undefined ? {} : { releaseClaim: () => Promise.reject(new Error('the machine died')) }),
  })
}

async function runOnce(world: World, wrap?: (mailbox: Mailbox) => Mailbox) {
  const bridge = await world.open(wrap === undefined ? {} : { mailbox: wrap })
  try {
    const { routes } = await bridge.run(['orders'], new AbortController().signal)
    return routes[0]?.kind === 'inbound' ? routes[0].pass.summaries.map(({ records }) => records) : []
  } finally {
    await bridge.close()
  }
}

test.each([undefined, 'releaseClaim'] as const)(
  'rows that are written after a file was taken are sent with the next pass, and nothing twice (dies at %s)',
  async (dies) => {
    const world = await aWorld({ routes: ['orders'] })
    await world.drop('inbox/orders', 'slow.csv', BEGINNING)

    const first = await runOnce(world, writerGoesOn(world, dies))
    const second = [...(await runOnce(world)), ...(await runOnce(world))]

    expect(first).toMatchObject(dies === undefined ? [{ accepted: 4 }] : [])
    expect(second).toMatchObject([{ total: 6, accepted: 2, duplicate: 4 }])
    expect(await world.list('inbox/orders')).toEqual([])
    expect((await world.orders()).length).toBe(6)
  },
)
