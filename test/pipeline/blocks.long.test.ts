/** Dying at every effect of a file that is planned in blocks while it is sent. */
import { expect, test } from 'vitest'
import { atEachEffect, crashAt } from '../fixtures/crash-after.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { aWorld } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

/** Four blocks, and a damaged order in the second one. */
const ORDERS = sampleOrders({ seed: 21, orders: 8, damageEvery: 5 })
const GOOD = ORDERS.filter((order) => order.damage.length === 0).map((order) => order.po)
const FILE = ordersFile(ORDERS)

/** How many starts a bridge may need until it has nothing left to do. */
const STARTS_MAX = 6

for (const moment of ['before', 'after'] as const) {
  // With a lost answer the recovery has a record to look up between blocks.
  for (const loseAnswer of [0, 0.3]) {
    test(`a bridge that dies right ${moment} any effect posts each order once and reports all (answers lost: ${loseAnswer})`, async () => {
      const ground = await aWorld({ routes: ['orders'], blocks: { fromBytes: 0, records: 2 } })
      await ground.drop('inbox/orders', 'orders.csv', FILE.text)
      const effects = await atEachEffect(moment, async (effect) => {
        const world = await ground.fork()
        Object.assign(world.service.switches, { loseAnswer, faultSeed: effect })
        const plan = crashAt(effect, moment)
        const bridge = await world.open(plan.wrap)
        try {
          await bridge.run(['orders'], new AbortController().signal)
        } catch (error) {
          if (plan.diedAt() === undefined) throw error
        } finally {
          await bridge.close()
        }
        const context = `${plan.diedAt() ?? 'nothing'} (effect ${effect})`
        Object.assign(world.service.switches, { loseAnswer: 0 })
        let exit = 1
        for (let start = 0; start < STARTS_MAX && exit !== 0 && exit !== 2; start++) {
          world.clock.skip(60_000) // the lease of the dead bridge expires
          ;({ exit } = await world.run('orders'))
        }

        const orders = (await world.orders()).map((order) => order.purchase_order_number)
        expect(orders.toSorted(), context).toEqual(GOOD.toSorted())
        const results = parseCsv(await world.read('results/orders.csv.results.csv'))
        expect(
          results.map((row) => [row['PO Number'], row['_status']]),
          context,
        ).toEqual(ORDERS.map((order) => [order.po, order.damage.length === 0 ? 'accepted' : 'rejected']))
        const audited = await world.open()
        expect((await audited.journal.verifyChain({})).findings, context).toEqual([])
        await audited.close()
        return plan.diedAt()
      })
      expect(effects).toBeGreaterThan(40)
    })
  }
}
