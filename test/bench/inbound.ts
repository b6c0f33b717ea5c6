/** A whole inbound pass of the built program, with its journal on the disk and its results written, beside programs by hand. */
import { join } from 'node:path'
import { type Child, startChild } from './children.ts'
import { postWithFetch, postWithUndici, tokenOf } from './floors.ts'
import { interleave, type Round } from './measure.ts'
import {
  bodiesOf,
  type Numbers,
  ORDERS_MAPPING,
  orderTranslator,
  type OrderFile,
  purchaseOrderNumbers,
  writeOrders,
} from './order-file.ts'
import { type Passes, startPasses } from './passes.ts'
import type { Scale } from './scale.ts'
import type { ServiceGreeting } from './service-child.ts'
import { inFolder, RETAILER_LOGIN } from './setting.ts'
import type { StubGreeting } from './stub-server.ts'
import { compare, type Row } from './table.ts'

const BARE = 'bare undici loop, prebuilt bodies'
const BY_HAND = 'planned, journaled and reported by hand'

export async function inboundRows(scale: Scale): Promise<Row[]> {
  const [stub, passes, byHand] = await Promise.all([
    startChild<StubGreeting>('./stub-server.ts'),
    startPasses(),
    startChild('./journaled-by-hand.mjs', [ORDERS_MAPPING]),
  ])
  try {
    const { atOnce, after20 } = stub.greeting
    return [
      ...(await againstAnswersAtOnce(atOnce, scale, { passes, byHand })),
      await againstSlowAnswers(after20, scale, passes),
    ]
  } finally {
    await Promise.all([stub.stop(), passes.stop(), byHand.stop()])
  }
}

interface Contenders {
  readonly passes: Passes
  readonly byHand: Child<unknown>
}

async function againstAnswersAtOnce(
  baseUrl: string,
  { inbound }: Scale,
  { passes, byHand }: Contenders,
): Promise<Row[]> {
  const target = { baseUrl, connections: 32, token: 'stub' }
  const { orders, rounds } = inbound
  const paces = await withFile(orders, (file, bodies) =>
    interleave(
      { rounds, count: orders },
      {
        journaled: () => inFolder((folder) => byHand.ask<Round>({ file: file.path, folder, target })),
        ours: () => passes.over(file.path, target),
        bare: () => postWithUndici(target, bodies),
        fetch: () => postWithFetch(target, bodies),
      },
    ),
  )
  return [
    {
      what: `inbound whole, ${orders} orders, 0 ms, 32 connections`,
      beside: BY_HAND,
      ...compare(paces.journaled, paces.ours),
      reach: { atLeast: 0.85, alsoCpu: true },
    },
    { what: 'the same', beside: BARE, ...compare(paces.bare, paces.ours) },
    { what: BY_HAND, beside: BARE, ...compare(paces.bare, paces.journaled) },
    {
      what: 'inbound whole',
      beside: 'plain fetch loop, no journal',
      ...compare(paces.fetch, paces.ours),
      reach: { atLeast: 2.5 },
    },
  ]
}

async function againstSlowAnswers(baseUrl: string, { inbound }: Scale, passes: Passes): Promise<Row> {
  const target = { baseUrl, connections: 64, token: 'stub' }
  const { slowOrders: orders, slowRounds: rounds } = inbound
  const paces = await withFile(orders, (file, bodies) =>
    interleave(
      { rounds, count: orders },
      { bare: () => postWithUndici(target, bodies), ours: () => passes.over(file.path, target) },
    ),
  )
  return {
    what: `inbound whole, ${orders} orders, 20 ms, 64 connections`,
    beside: BARE,
    ...compare(paces.bare, paces.ours),
    reach: { atLeast: 0.95 },
  }
}

/** The service keeps every order it accepted, so each round brings purchase orders of its own. */
export async function inboundServiceRow({ inbound }: Scale): Promise<Row> {
  const [service, passes] = await Promise.all([
    startChild<ServiceGreeting>('./service-child.ts'),
    startPasses(),
  ])
  try {
    const { baseUrl } = service.greeting
    const target = { baseUrl, connections: 32, token: await tokenOf(baseUrl, RETAILER_LOGIN) }
    const { serviceOrders: orders, rounds } = inbound
    const numbers = purchaseOrderNumbers()
    const paces = await interleave(
      { rounds, count: orders },
      {
        bare: () => withFile(orders, (_, bodies) => postWithUndici(target, bodies), numbers),
        ours: () => withFile(orders, (file) => passes.over(file.path, target), numbers),
      },
    )
    return {
      what: `inbound whole, ${orders} orders, to the service itself`,
      beside: BARE,
      ...compare(paces.bare, paces.ours),
    }
  } finally {
    await Promise.all([service.stop(), passes.stop()])
  }
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
