/** A whole inbound pass with its journal on the disk and its results written, beside loops that only post. */
import { copyFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { startChild } from './children.ts'
import { postWithFetch, postWithUndici, type Target, tokenOf } from './floors.ts'
import { postJournaledByHand } from './journaled-by-hand.ts'
import { interleave, type Pace, timed, type Round } from './measure.ts'
import {
  bodiesOf,
  type Numbers,
  orderTranslator,
  type OrderFile,
  purchaseOrderNumbers,
  writeOrders,
} from './order-file.ts'
import type { Scale } from './scale.ts'
import type { ServiceGreeting } from './service-child.ts'
import { inboxOf, inFolder, openBridgeIn, passOf, RETAILER_LOGIN } from './setting.ts'
import type { StubGreeting } from './stub-server.ts'
import { type Row, speed } from './table.ts'

export async function inboundRows(scale: Scale): Promise<Row[]> {
  const stub = await startChild<StubGreeting>('./stub-server.ts')
  try {
    const { atOnce, after20 } = stub.greeting
    return [...(await againstAnswersAtOnce(atOnce, scale)), await againstSlowAnswers(after20, scale)]
  } finally {
    await stub.stop()
  }
}

async function againstAnswersAtOnce(baseUrl: string, { inbound }: Scale): Promise<Row[]> {
  const target = { baseUrl, connections: 32, token: 'stub' }
  const { orders, rounds } = inbound
  const paces = await withFile(orders, (file, bodies) =>
    interleave(
      { rounds, count: orders },
      {
        bare: () => postWithUndici(target, bodies),
        ours: () => passOver(file.path, target),
        journaled: () => postJournaledByHand(file.path, target),
        fetch: () => postWithFetch(target, bodies),
      },
    ),
  )
  return [
    {
      ...besides(`inbound whole, ${orders} orders, 0 ms, 32 connections`, paces.bare, paces.ours),
      beside: 'bare undici loop, prebuilt bodies',
      reach: { atLeast: 0.6 },
    },
    {
      ...besides('the same', paces.journaled, paces.ours),
      beside: 'planned, journaled and reported by hand',
    },
    {
      ...besides('planned, journaled and reported by hand', paces.bare, paces.journaled),
      beside: 'bare undici loop, prebuilt bodies',
    },
    {
      ...besides('inbound whole', paces.fetch, paces.ours),
      beside: 'plain fetch loop, no journal',
      reach: { atLeast: 2.5 },
    },
  ]
}

async function againstSlowAnswers(baseUrl: string, { inbound }: Scale): Promise<Row> {
  const target = { baseUrl, connections: 64, token: 'stub' }
  const { slowOrders: orders, slowRounds: rounds } = inbound
  const paces = await withFile(orders, (file, bodies) =>
    interleave(
      { rounds, count: orders },
      { bare: () => postWithUndici(target, bodies), ours: () => passOver(file.path, target) },
    ),
  )
  return {
    ...besides(`inbound whole, ${orders} orders, 20 ms, 64 connections`, paces.bare, paces.ours),
    beside: 'bare undici loop, prebuilt bodies',
    reach: { atLeast: 0.95 },
  }
}

/** The service keeps every order it accepted, so each round brings purchase orders of its own. */
export async function inboundServiceRow({ inbound }: Scale): Promise<Row> {
  const service = await startChild<ServiceGreeting>('./service-child.ts')
  try {
    const { baseUrl } = service.greeting
    const target = { baseUrl, connections: 32, token: await tokenOf(baseUrl, RETAILER_LOGIN) }
    const { serviceOrders: orders, rounds } = inbound
    const numbers = purchaseOrderNumbers()
    const paces = await interleave(
      { rounds, count: orders },
      {
        bare: () => withFile(orders, (_, bodies) => postWithUndici(target, bodies), numbers),
        ours: () => withFile(orders, (file) => passOver(file.path, target), numbers),
      },
    )
    return {
      ...besides(`inbound whole, ${orders} orders, to the service itself`, paces.bare, paces.ours),
      beside: 'bare undici loop, prebuilt bodies',
    }
  } finally {
    await service.stop()
  }
}

/** One pass of a new bridge with an empty journal: from scanning the inbox to the source in the archive. */
export function passOver(
  file: string,
  { baseUrl, connections }: Omit<Target, 'token'>,
  route = 'orders',
): Promise<Round> {
  return inFolder(async (folder) => {
    await copyFile(file, join(inboxOf(folder), basename(file)))
    const bridge = await openBridgeIn(folder, { baseUrl, connections })
    try {
      return await timed(() => passOf(bridge, route))
    } finally {
      await bridge.close()
    }
  })
}

function withFile<Result>(
  orders: number,
  work: (file: OrderFile, bodies: readonly string[]) => Promise<Result>,
  numbers: Numbers = purchaseOrderNumbers(),
): Promise<Result> {
  return inFolder(async (folder) => {
    const file = await writeOrders(join(folder, 'orders.csv'), { orders }, numbers)
    const bodies: string[] = []
    for await (const body of bodiesOf(file.path, await orderTranslator())) bodies.push(body)
    return work(file, bodies)
  })
}

function besides(what: string, floor: Pace, ours: Pace): Pick<Row, 'what' | 'floor' | 'ours' | 'ratio'> {
  return { what, floor: speed(floor.perSecond), ours: speed(ours.perSecond), ratio: floor.ms / ours.ms }
}
