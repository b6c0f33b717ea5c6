/** Dying while several files are in progress at once, one being sent and others being reported: none is lost or sent twice. */
import { expect, test } from 'vitest'
import { crashAt } from '../fixtures/crash-after.ts'
import { playSteps } from '../fixtures/scenario.ts'
import { smallOrders } from '../fixtures/small-orders.ts'
import { aWorld } from '../fixtures/world.ts'

const FILES = ['a.csv', 'b.csv', 'c.csv', 'd.csv']

/** Far more effects than a pass has. */
const EFFECTS_MAX = 600

/** Right after one effect is right before the next one, so every other one at both moments is enough. */
const STRIDE = 2

test.each(['before', 'after'] as const)(
  'a bridge that dies right %s any effect of a pass over several files sends each order once and reports each file',
  async (moment) => {
    const dropped = await aWorld({ routes: ['orders'] })
    for (const [index, name] of FILES.entries()) {
      await dropped.drop('inbox/orders', name, smallOrders(100 * (index + 1), 2))
    }
    const effects = await playSteps({ first: 1, stride: STRIDE, max: EFFECTS_MAX }, async (effect) => {
      const world = await dropped.fork()
      const plan = crashAt(effect, moment)
      const bridge = await world.open(plan.wrap)
      await bridge.run([], new AbortController().signal).catch((error: unknown) => {
        if (plan.diedAt() === undefined) throw error
      })
      await bridge.close()
      if (plan.diedAt() === undefined) return undefined
      const context = `${plan.diedAt()} (effect ${effect})`
      for (let start = 0; start < 3; start++) {
        world.clock.skip(60_000) // the lease of the dead bridge expires
        await world.run()
      }
      const numbers = (await world.orders()).map((order) => order.purchase_order_number)
      expect(new Set(numbers).size, context).toBe(2 * FILES.length)
      expect(numbers.length, context).toBe(2 * FILES.length)
      expect(await world.list('inbox/orders'), context).toEqual([])
      expect(await world.list('results'), context).toEqual(
        FILES.flatMap((name) => [`${name}.results.csv`, `${name}.summary.json`]),
      )
      return plan.diedAt()
    })
    expect(effects).toBeGreaterThan(20)
  },
  300_000,
)
