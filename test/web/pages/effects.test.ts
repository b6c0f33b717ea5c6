/** The one effect that a page claims is counted at the service, from its requests and its orders. */
import { expect, test } from 'vitest'
import { proofPage } from '../../../src/web/pages/proof.ts'
import { recordPage } from '../../../src/web/pages/records.ts'
import { lookAt, visit } from '../../fixtures/console.ts'
import { runUnheard } from '../../fixtures/office.ts'
import { smallOrders } from '../../fixtures/small-orders.ts'
import { aWorld, type World } from '../../fixtures/world.ts'

/** The answers of the service to orders that were placed, as they leave it. */
function watchPlaced({ service }: World): number[] {
  const statuses: number[] = []
  service.app.server.prependListener(
    'request',
    (
      request: { readonly method?: string; readonly url?: string },
      answer: { readonly statusCode: number; once(event: 'finish', listener: () => void): void },
    ) => {
      if (request.method === 'POST' && (request.url ?? '').endsWith('/orders/'))
        answer.once('finish', () => statuses.push(answer.statusCode))
    },
  )
  return statuses
}

test.each([
  ['before it arrived', false, 2],
  ['after it took effect', true, 1],
] as const)(
  'an order whose request was lost %s took effect once, as the service counts it',
  async (_, arrives, timesSent) => {
    const world = await aWorld({ routes: ['orders'] })
    const placed = watchPlaced(world)
    await world.drop('inbox/orders', 'lost.csv', smallOrders(30_001, 3))
    await runUnheard(world, 'orders', { arrives, canLookUp: false })
    expect(placed).toHaveLength(arrives ? 3 : 0)
    world.clock.skip(60 * 60_000)
    await world.run('orders')
    world.clock.skip(60 * 60_000)
    // Another run has nothing to send.
    await world.run('orders')
    const context = await lookAt(world)
    const orders = await world.orders()
    expect(placed).toEqual([201, 201, 201])
    expect(orders).toHaveLength(3)
    for (const n of ['1', '2', '3']) {
      const proof = (await visit(context, proofPage, { params: { n } }))!
      const [record] = (await context.journal.listTracedRecords([Number(n)])) ?? []
      const own = orders.filter(({ purchase_order_number: po }) => po === record?.keyValues?.[0])
      expect(own).toHaveLength(1)
      expect(proof.data).toMatchObject({
        timesSent,
        timesEffective: own.length,
        record: { apiId: String(own[0]?.id) },
      })
      const page = (await visit(context, recordPage, { params: { n } }))!
      expect(page.data.record).toMatchObject({ timesSent, timesEffective: own.length })
    }
  },
)
