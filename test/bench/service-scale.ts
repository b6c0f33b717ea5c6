/** The service with a million orders beside the same service with ten thousand: what grows with the table, and what does not. */
import { Pool } from 'undici'
import { createService } from '../../src/service/service.ts'
import { systemClock } from '../../src/support/clock.ts'
import { type Child, startChild } from './children.ts'
import { postWithUndici, tokenOf } from './floors.ts'
import { interleave, type Pace, timed, type Round } from './measure.ts'
import type { Scale } from './scale.ts'
import type { ServiceGreeting } from './service-child.ts'
import { benchSeed, type Filled, fillService, numberOf } from './service-fill.ts'
import { BRAND, BRAND_LOGIN, inFolder, RETAILER, RETAILER_LOGIN } from './setting.ts'
import { type Row, speed } from './table.ts'

const CONNECTIONS = 32
const PAGE = 250

export function serviceScaleRows({ service }: Scale): Promise<Row[]> {
  const { fewOrders, manyOrders } = service
  return inFolder((fewFolder) =>
    inFolder((manyFolder) =>
      inFolder(async (emptyFolder) => {
        const fewFilled = fillService(fewFolder, fewOrders)
        const manyFilled = fillService(manyFolder, manyOrders)
        const starting = await startRow(fewFolder, manyFolder, service)
        const few = await openMarket(fewFolder, { orders: fewOrders, filled: fewFilled })
        const many = await openMarket(manyFolder, { orders: manyOrders, filled: manyFilled })
        const empty = await openMarket(emptyFolder, { orders: 0, filled: manyFilled })
        try {
          const lists = await listRows(few, many, service)
          return [...lists, ...(await writeRows(empty, many, service)), starting]
        } finally {
          await Promise.all([few, many, empty].map((market) => market.close()))
        }
      }),
    ),
  )
}

/** A service in a process of its own on a data folder, and callers of both sides. */
interface Market {
  readonly orders: number
  readonly filled: Filled
  readonly retailer: Reader
  readonly brand: Reader
  readonly target: { readonly baseUrl: string; readonly connections: number; readonly token: string }
  close(): Promise<void>
}

type Reader = (
  method: 'GET' | 'PUT',
  path: string,
) => Promise<{ readonly status: number; readonly body: unknown }>

async function openMarket(folder: string, held: Pick<Market, 'orders' | 'filled'>): Promise<Market> {
  const service: Child<ServiceGreeting> = await startChild<ServiceGreeting>('./service-child.ts', [folder])
  const { baseUrl } = service.greeting
  const pool = new Pool(baseUrl, { connections: CONNECTIONS, pipelining: 1 })
  const reader =
    (token: string): Reader =>
    async (method, path) => {
      const answer = await pool.request({ method, path, headers: { authorization: `Bearer ${token}` } })
      return { status: answer.statusCode, body: await answer.body.json() }
    }
  const token = await tokenOf(baseUrl, RETAILER_LOGIN)
  return {
    ...held,
    retailer: reader(token),
    brand: reader(await tokenOf(baseUrl, BRAND_LOGIN)),
    target: { baseUrl, connections: CONNECTIONS, token },
    close: async () => {
      await pool.close()
      await service.stop()
    },
  }
}

const ORDERS = `/v1/retailers/${RETAILER}/orders/`
const BRAND_ORDERS = `/v1/brands/${BRAND}/orders/`

/** The path of the n-th request of a run. */
interface Question {
  readonly what: string
  readonly pathOf: (market: Market, pages: number, request: number) => string
  readonly by?: 'brand'
  /** How many orders every answer must contain; a whole page by default. */
  readonly results?: number
  /** No figure to reach, because the answer itself grows. */
  readonly isForInformation?: true
}

const UNACKNOWLEDGED = `${ORDERS}?is_acknowledged=0&limit=${PAGE}`

const QUESTIONS: readonly Question[] = [
  { what: 'first page', pathOf: () => UNACKNOWLEDGED },
  {
    what: 'page in the middle, by number',
    pathOf: (_, pages, request) => `${UNACKNOWLEDGED}&page=${Math.floor(pages / 2) + request}`,
  },
  {
    what: 'last whole page, by number',
    pathOf: (_, pages, request) => `${UNACKNOWLEDGED}&page=${pages - (request % 3)}`,
  },
  {
    what: 'page after an order in the middle',
    pathOf: ({ orders }, pages, request) =>
      `${UNACKNOWLEDGED}&page=${Math.floor(pages / 2)}&after=${Math.floor(orders / 2) + request}`,
  },
  {
    what: 'brand, open and partial, unacknowledged',
    by: 'brand',
    pathOf: () => `${BRAND_ORDERS}?is_acknowledged=0&status=open&status=partial&limit=${PAGE}`,
  },
  {
    what: 'one purchase_order_number',
    results: 1,
    pathOf: ({ orders }, _, request) =>
      `${ORDERS}?purchase_order_number=${numberOf(Math.floor((orders * (request + 1)) / 10))}`,
  },
  {
    what: 'received in the last minute',
    results: 100,
    pathOf: ({ filled }) => `${ORDERS}?received_at_gte=${filled.lastMinute}&limit=${PAGE}`,
  },
  {
    what: 'received in the last year, which are as many as there are',
    isForInformation: true,
    pathOf: ({ filled }) => `${UNACKNOWLEDGED}&received_at_gte=${filled.lastYear}`,
  },
]

async function listRows(
  few: Market,
  many: Market,
  { fewOrders, manyOrders, requests, rounds }: Scale['service'],
): Promise<Row[]> {
  const fewPages = await pagesOf(few)
  const manyPages = await pagesOf(many)
  const rows: Row[] = []
  for (const question of QUESTIONS) {
    const paces = await interleave(
      { rounds, count: requests },
      {
        few: () => ask(few, question, { pages: fewPages, requests }),
        many: () => ask(many, question, { pages: manyPages, requests }),
      },
    )
    rows.push({
      what: `${question.what}, ${manyOrders} orders`,
      beside: `the same, ${fewOrders} orders`,
      floor: perRequest(paces.few),
      ours: perRequest(paces.many),
      ratio: paces.many.ms / paces.few.ms,
      ...(question.isForInformation === true ? {} : { reach: { atMost: 1.5 } }),
    })
  }
  return rows
}

/** Reads whole pages of unacknowledged orders. */
async function pagesOf({ retailer }: Market): Promise<number> {
  const { body } = await retailer('GET', UNACKNOWLEDGED)
  return Math.floor((body as { readonly count: number }).count / PAGE)
}

function ask(
  market: Market,
  { pathOf, by, results = PAGE }: Question,
  { pages, requests }: { readonly pages: number; readonly requests: number },
): Promise<Round> {
  const read = by === 'brand' ? market.brand : market.retailer
  return timed(async () => {
    let good = 0
    for (let request = 0; request < requests; request++) {
      const { body } = await read('GET', pathOf(market, pages, request))
      if ((body as { readonly results?: readonly unknown[] }).results?.length === results) good++
    }
    return good
  })
}

function perRequest({ ms, count }: Pace): string {
  return `${(ms / count).toFixed(2)} ms`
}

/** Makes orders, and then acknowledges them. */
async function writeRows(
  empty: Market,
  many: Market,
  { manyOrders, rounds, writes }: Scale['service'],
): Promise<Row[]> {
  let sent = 0
  const create = (market: Market) => () => postWithUndici(market.target, bodiesOf(writes, `TURN-${sent++}`))
  const compare = (measureIn: (market: Market) => () => Promise<Round>) =>
    interleave({ rounds, count: writes }, { empty: measureIn(empty), many: measureIn(many) })
  const row = (what: string, paces: Awaited<ReturnType<typeof compare>>): Row => ({
    what: `${what}, ${manyOrders} orders`,
    beside: 'the same, no orders before',
    floor: speed(paces.empty.perSecond),
    ours: speed(paces.many.perSecond),
    ratio: paces.many.ms / paces.empty.ms,
    reach: { atMost: 1.5 },
  })
  const made = await compare(create)
  const acknowledged = await compare((market) => acknowledger(market, writes))
  return [
    row(`orders made, ${CONNECTIONS} connections`, made),
    row(`orders acknowledged, ${CONNECTIONS} connections`, acknowledged),
  ]
}

function bodiesOf(count: number, name: string): string[] {
  return Array.from({ length: count }, (_, index) => JSON.stringify(bodyOf(`${name}-${index}`)))
}

function bodyOf(number: string) {
  return {
    purchase_order_number: number,
    ordered_at: '2026-11-20T18:30:00Z',
    ship_to: {
      name1: 'Ann Lee',
      street1: '12 Main St',
      city: 'Albany',
      province: 'NY',
      postal_code: '12207',
      country: 'US',
    },
    shipping_method: { code: 'FEDEX_GROUND', carrier: { code: 'FDEG' } },
    order_lines: [
      { variant: { id: 9001 }, quantity: 1, net_price: '7.87', price: '16.73' },
      { variant: { id: 9002 }, quantity: 1, net_price: '11.24', price: '23.47' },
    ],
  }
}

/** Every round acknowledges orders that an earlier round made. */
function acknowledger(market: Market, writes: number): () => Promise<Round> {
  let left: number[] | undefined
  return async () => {
    left ??= await newestOf(market)
    const queue = left.splice(0, writes).values()
    return timed(async () => {
      let good = 0
      const worker = async () => {
        for (const id of queue) {
          const { status } = await market.brand('PUT', `${BRAND_ORDERS}${id}/acknowledge/`)
          if (status === 200) good++
        }
      }
      await Promise.all(Array.from({ length: CONNECTIONS }, worker))
      return good
    })
  }
}

/** The ids of the orders that the bench made, which come after those it filled in. */
async function newestOf({ retailer, orders }: Market): Promise<number[]> {
  const ids: number[] = []
  for (let after = orders; ; after = ids.at(-1) ?? orders) {
    const { body } = await retailer('GET', `${UNACKNOWLEDGED}&after=${after}`)
    const { results } = body as { results: { id: number }[] }
    if (results.length === 0) return ids
    for (const { id } of results) ids.push(id)
  }
}

/** Measures the time from a closed database to a listening service, in a process that runs already. */
async function startRow(
  fewFolder: string,
  manyFolder: string,
  { fewOrders, manyOrders, rounds }: Scale['service'],
): Promise<Row> {
  const start = (data: string) => async () => {
    let service: Awaited<ReturnType<typeof createService>> | undefined
    const measurement = await timed(async () => {
      service = await createService({ data, clock: systemClock, seed: benchSeed() })
      await service.listen()
      return 1
    })
    await service?.close()
    return measurement
  }
  const paces = await interleave({ rounds, count: 1 }, { few: start(fewFolder), many: start(manyFolder) })
  return {
    what: `service started, ${manyOrders} orders`,
    beside: `the same, ${fewOrders} orders`,
    floor: perRequest(paces.few),
    ours: perRequest(paces.many),
    ratio: paces.many.ms / paces.few.ms,
    reach: { atMost: 1.5 },
  }
}
