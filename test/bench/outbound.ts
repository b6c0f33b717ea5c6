/** A whole outbound pass against the service itself: list, write, deliver, acknowledge, beside a loop by hand. */
import { join } from 'node:path'
import { startChild } from './children.ts'
import { exportByHand, postWithUndici, type Target, tokenOf } from './floors.ts'
import { interleave, WrongCount } from './measure.ts'
import { bodiesOf, orderTranslator, purchaseOrderNumbers, writeOrders } from './order-file.ts'
import { startPasses } from './passes.ts'
import type { Scale } from './scale.ts'
import type { ServiceGreeting } from './service-child.ts'
import { BRAND_LOGIN, inFolder, RETAILER_LOGIN } from './setting.ts'
import { compare, type Row } from './table.ts'

const CONNECTIONS = 32

export async function outboundRows({ outbound }: Scale): Promise<Row[]> {
  const { orders, rounds, verifiedRounds } = outbound
  const [market, passes] = await Promise.all([openMarket(), startPasses()])
  try {
    const measure = async (route: string, verified: boolean, rounds: number) =>
      interleave(
        { rounds, count: orders },
        {
          bare: async () => {
            await market.placeOrders(orders)
            return exportByHand(market.supplier, { verified })
          },
          ours: async () => {
            await market.placeOrders(orders)
            return inFolder((folder) => passes.in(folder, market.supplier, route))
          },
        },
      )
    const once = await measure('orders-out', false, rounds)
    const twice = await measure('orders-out-verified', true, verifiedRounds)
    return [
      {
        what: `outbound whole, ${orders} orders, 32 connections`,
        beside: 'listed, written, flushed and acknowledged by hand',
        ...compare(once.bare, once.ours),
        reach: { atLeast: 0.8 },
      },
      {
        what: 'the same, each order read again before',
        beside: 'by hand, reading each again too',
        ...compare(twice.bare, twice.ours),
        reach: { atLeast: 0.8 },
      },
    ]
  } finally {
    await Promise.all([market.close(), passes.stop()])
  }
}

export interface Market {
  readonly supplier: Target
  /** Orders that the supplier has not acknowledged yet. */
  placeOrders(count: number): Promise<void>
  close(): Promise<void>
}

/** The service in a process of its own, with a retailer that orders. */
export async function openMarket(): Promise<Market> {
  const service = await startChild<ServiceGreeting>('./service-child.ts')
  const { baseUrl } = service.greeting
  const retailer = { baseUrl, connections: CONNECTIONS, token: await tokenOf(baseUrl, RETAILER_LOGIN) }
  const supplier = { baseUrl, connections: CONNECTIONS, token: await tokenOf(baseUrl, BRAND_LOGIN) }
  const translator = await orderTranslator()
  const numbers = purchaseOrderNumbers()
  return {
    supplier,
    placeOrders: (count) =>
      inFolder(async (folder) => {
        const { path } = await writeOrders(join(folder, 'orders.csv'), { orders: count }, numbers)
        const bodies: string[] = []
        for await (const body of bodiesOf(path, translator)) bodies.push(body)
        const posted = await postWithUndici(retailer, bodies)
        if (posted.count !== count)
          throw new WrongCount(`the service took ${posted.count} of ${count} orders`)
      }),
    close: () => service.stop(),
  }
}
