/** Exports as interchanges while the bridge dies before and after each effect: no control number twice, none left out. */
import { expect, test } from 'vitest'
import { atEachEffect, crashAt } from '../fixtures/crash-after.ts'
import {
  anExportsWorld,
  type ExportsWorld,
  numbered,
  numbersOf,
  order,
  ordersOf,
  passOver,
} from '../fixtures/edi-exports.ts'

async function dieAt(own: ExportsWorld, effect: number, moment: 'before' | 'after') {
  const plan = crashAt(effect, moment)
  await passOver(own, 'orders-out', plan.wrap).catch((error: unknown) => {
    if (plan.diedAt() === undefined) throw error
  })
  own.world.clock.skip(60_000) // the lease of the dead bridge expires
  return plan.diedAt()
}

test.each(['before', 'after'] as const)(
  'a bridge that dies right %s any effect of a pass leaves no number out and gives none twice',
  async (moment) => {
    const ordered = await anExportsWorld({ recordsPerFile: 2 })
    await order(ordered, 10_001, 4)
    const effects = await atEachEffect(moment, async (effect) => {
      const own = { ...ordered, world: await ordered.world.fork() }
      const died = await dieAt(own, effect, moment)
      const { exit } = await passOver(own)

      const context = `${died ?? 'nothing'} (effect ${effect})`
      expect(exit, context).toBe(0)
      expect(await numbersOf(own.world), context).toEqual(numbered(2))
      expect(new Set(await ordersOf(own.world)).size, context).toBe(4)
      return died
    })
    expect(effects).toBeGreaterThan(20)
  },
  240_000,
)
