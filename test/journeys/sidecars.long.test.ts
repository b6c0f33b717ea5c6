/** Dying at every effect of a pass over a file with a sidecar: both move together, and the next pair is not touched. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { atEachEffect, crashAt } from '../fixtures/crash-after.ts'
import { runInbox } from '../fixtures/own-inbox.ts'
import { smallOrders } from '../fixtures/small-orders.ts'
import { aWorld } from '../fixtures/world.ts'

const INBOX = 'inbox/orders'

const ONE = smallOrders(100)
const TWO = smallOrders(200)

test.each([
  ['marker', 'before'],
  ['marker', 'after'],
  ['manifest', 'before'],
  ['manifest', 'after'],
] as const)(
  'the %s of the next file of a name stays for it when the bridge dies right %s any effect',
  async (when, moment) => {
    const rules = { ready: { when, sidecar: '{name}.done' } } as const
    const effects = await atEachEffect(moment, async (effect) => {
      const world = await aWorld({ routes: ['orders'] })
      await world.drop(INBOX, 'a.csv', ONE)
      await world.drop(INBOX, 'a.csv.done', rowsOf(ONE))
      const plan = crashAt(effect, moment)
      await runInbox(world, rules, plan.wrap).catch((error: unknown) => {
        if (plan.diedAt() === undefined) throw error
      })
      if (plan.diedAt() === undefined) return undefined
      const context = `${plan.diedAt()} (effect ${effect})`
      const isTaken = !(await world.list(INBOX)).includes('a.csv')
      const wasMarkerTaken = !(await world.list(INBOX)).includes('a.csv.done')
      if (isTaken && wasMarkerTaken) {
        await world.drop(INBOX, 'a.csv', TWO)
        await world.drop(INBOX, 'a.csv.done', rowsOf(TWO))
      }
      for (let start = 0; start < 4; start++) {
        world.clock.skip(60_000)
        await runInbox(world, rules)
      }
      const numbers = (await world.orders()).map((order) => order.purchase_order_number)
      expect(new Set(numbers).size, context).toBe(isTaken && wasMarkerTaken ? 2 : 1)
      expect(numbers.length, context).toBe(new Set(numbers).size)
      expect(await world.list(INBOX), context).toEqual([])
      expect(await readdir(join(world.folder, 'exchange', INBOX, '.claimed')), context).toEqual([])
      return plan.diedAt()
    })
    expect(effects).toBeGreaterThan(15)
  },
  240_000,
)

function rowsOf(file: string): string {
  return `rows: ${file.trim().split('\n').length - 1}`
}
