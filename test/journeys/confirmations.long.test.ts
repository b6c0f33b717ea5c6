/** Dying, and being overtaken, at every effect of passes that wait for confirmations: nothing is acknowledged early or twice. */
import { expect, test } from 'vitest'
import { atEachEffect, crashAt } from '../fixtures/crash-after.ts'
import { partnerOf, PICKED_UP, RECEIPT, worldThatWaits } from '../fixtures/partner.ts'
import { strikeAt } from '../fixtures/strike-at.ts'
import type { World } from '../fixtures/world.ts'
import { sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 7, orders: 2, damageEvery: 0 })

/** Far more effects than a pass has; the loop ends at the first effect that no pass reaches. */
const EFFECTS_MAX = 400

const POLICIES = [
  {
    policy: 'picked-up',
    waiting: PICKED_UP,
    isTaken: async (world: World) => {
      await partnerOf(world).takes('orders-1.csv')
    },
    left: { outbox: [] as string[], receipts: 0 },
  },
  {
    policy: 'receipt',
    waiting: { ...RECEIPT, receipt: { ...RECEIPT.receipt, contains: 'OK {name}' } },
    isTaken: async (world: World) => {
      await partnerOf(world).confirms('orders-1.csv', { text: 'OK orders-1.csv' })
    },
    left: { outbox: ['orders-1.csv'], receipts: 1 },
  },
]

const noSignal = new AbortController().signal

/** One pass that dies at the n-th effect; undefined when it finished before. */
async function dieAt(world: World, effect: number, moment: 'before' | 'after'): Promise<string | undefined> {
  const plan = crashAt(effect, moment)
  const bridge = await world.open(plan.wrap)
  try {
    await bridge.run(['orders-out'], noSignal)
  } catch (error) {
    if (plan.diedAt() === undefined) throw error
  } finally {
    await bridge.close()
  }
  world.clock.skip(60_000) // the lease of the dead bridge expires
  return plan.diedAt()
}

async function runToTheEnd(world: World, context: string): Promise<void> {
  for (let start = 0; start < 4; start++) expect((await world.run('orders-out')).exit, context).toBe(0)
}

for (const [place, { policy, waiting, isTaken, left }] of POLICIES.entries()) {
  /** The policies share most effects, so each is overtaken at every other one. */
  const first = place + 1

  for (const moment of ['before', 'after'] as const) {
    test(`a bridge that dies right ${moment} any effect while files wait (${policy}) acknowledges each order once, and none before`, async () => {
      const ordered = await worldThatWaits(waiting, ORDERS)
      const effects = await atEachEffect(moment, async (effect) => {
        const world = await ordered.fork()

        const first = await dieAt(world, effect, moment)
        await runToTheEnd(world, `delivering: ${first ?? 'nothing'} (effect ${effect})`)
        const early = world.service.counts().acknowledgedOrders
        const placed = await world.list('outbox')
        await isTaken(world)
        const second = await dieAt(world, effect, moment)
        await runToTheEnd(world, `taken: ${second ?? 'nothing'} (effect ${effect})`)

        const context = `${first ?? 'nothing'}, ${second ?? 'nothing'} (effect ${effect})`
        expect([early, placed], context).toEqual([0, ['orders-1.csv']])
        expect(world.service.counts().acknowledgedOrders, context).toBe(2)
        expect(await world.list('outbox'), context).toEqual(left.outbox)
        expect(await world.list('receipts'), context).toEqual([])
        expect(await world.list('archive/receipts'), context).toHaveLength(left.receipts)
        return first ?? second
      })
      expect(effects).toBeGreaterThan(10)
    })
  }

  test(`a bridge that is overtaken at any effect while files wait (${policy}) leaves the same state as an undisturbed one`, async () => {
    let effects = 0
    const ordered = await worldThatWaits(waiting, ORDERS)
    for (let effect = first; effect < EFFECTS_MAX; effect += POLICIES.length) {
      const world = await ordered.fork()
      await world.run('orders-out')
      await isTaken(world)
      const plan = strikeAt(effect, async () => {
        world.clock.skip(60_000)
        const other = await world.open()
        await other.run(['orders-out'], noSignal)
        await other.close()
      })
      const bridge = await world.open(plan.wrap)
      const { routes } = await bridge.run(['orders-out'], noSignal)
      await bridge.close()
      await runToTheEnd(world, plan.struckAt() ?? '')

      const context = `${plan.struckAt() ?? 'nothing'} (effect ${effect})`
      expect(world.service.counts().acknowledgedOrders, context).toBe(2)
      expect(await world.list('archive/receipts'), context).toHaveLength(left.receipts)
      expect(await world.list('outbox'), context).toEqual(left.outbox)
      if (plan.struckAt() === undefined) break
      const failures = routes.flatMap((route) => (route.kind === 'failed' ? [route.failure.code] : []))
      expect(
        failures.filter((code) => code !== 'lease-lost' && code !== 'lease-held'),
        context,
      ).toEqual([])
      effects++
    }
    expect(effects).toBeGreaterThan(5)
  })
}
