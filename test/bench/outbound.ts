/** A whole outbound pass against the service itself: list, write, deliver, acknowledge, beside a loop that only calls the API. */
import { join } from 'node:path'
import { startChild } from './children.ts'
import { listAndAcknowledge, postWithUndici, type Target, tokenOf } from './floors.ts'
import { interleave, timed, type Round, WrongCount } from './measure.ts'
import { bodiesOf, orderTranslator, purchaseOrderNumbers, writeOrders } from './order-file.ts'
import type { Scale } from './scale.ts'
import type { ServiceGreeting } from './service-child.ts'
import { BRAND_LOGIN, inFolder, openBridgeIn, passOf, RETAILER_LOGIN } from './setting.ts'
import { type Row, speed } from './table.ts'

const CONNECTIONS = 32

export async function outboundRows({ outbound }: Scale): Promise<Row[]> {
  const { orders, rounds, verifiedRounds } = outbound
  const market = await openMarket()
  try {
    const compare = async (route: string, verified: boolean, rounds: number) =>
      interleave(
        { rounds, count: orders },
        {
          bare: async () => {
            await market.placeOrders(orders)
            return listAndAcknowledge(market.supplier, { verified })
          },
          ours: async () => {
            await market.placeOrders(orders)
            return passOut(market.supplier, route)
          },
        },
      )
    const once = await compare('orders-out', false, rounds)
    const twice = await compare('orders-out-verified', true, verifiedRounds)
    return [
      {
        what: `outbound whole, ${orders} orders, 32 connections`,
        beside: 'bare list-and-acknowledge loop',
        floor: speed(once.bare.perSecond),
        ours: speed(once.ours.perSecond),
        ratio: once.bare.ms / once.ours.ms,
        reach: { atLeast: 0.8 },
      },
      {
        what: 'the same, each order read again before',
        beside: 'the loop, reading each again too',
        floor: speed(twice.bare.perSecond),
        ours: speed(twice.ours.perSecond),
        ratio: twice.bare.ms / twice.ours.ms,
      },
    ]
  } finally {
    await market.close()
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

function passOut({ baseUrl, connections }: Target, route: string): Promise<Round> {
  return inFolder(async (folder) => {
    const bridge = await openBridgeIn(folder, { baseUrl, connections })
    try {
      return await timed(() => passOf(bridge, route))
    } finally {
      await bridge.close()
    }
  })
}
