import { describe, expect, it } from 'vitest'
import {
  BRAND_ORDERS,
  type Caller,
  type Market,
  NOW,
  openMarket,
  ORDERS,
  placeAndShip,
  placeOrder,
  SHIPMENTS,
  shipmentBody,
} from './market.ts'

async function openMarketWithOrders(count: number): Promise<Market> {
  const market = await openMarket()
  for (let number = 1; number <= count; number += 1) await placeOrder(market, `PO-${number}`)
  return market
}

const numbersOf = (body: { results: { purchase_order_number: string }[] }) =>
  body.results.map((order) => order.purchase_order_number)

describe('paging', () => {
  it('links the pages absolutely and keeps the filters', async () => {
    const { service, retailer } = await openMarketWithOrders(5)
    const first = await retailer.get(`${ORDERS}?limit=2&status=open&status=partial`)
    expect(first.body.count).toBe(5)
    expect(first.body.previous).toBeNull()
    const query = 'limit=2&status=open&status=partial'
    expect(first.body.next).toBe(`${service.baseUrl}${ORDERS}?${query}&page=2&after=2`)
    const second = await retailer.get(first.body.next.slice(service.baseUrl.length))
    expect(numbersOf(second.body)).toEqual(['PO-3', 'PO-4'])
    expect(second.body.previous).toBe(`${service.baseUrl}${ORDERS}?${query}&page=1&before=3`)
    const third = await retailer.get(second.body.next.slice(service.baseUrl.length))
    expect(numbersOf(third.body)).toEqual(['PO-5'])
    expect(third.body.next).toBeNull()
    const back = await retailer.get(third.body.previous.slice(service.baseUrl.length))
    expect(numbersOf(back.body)).toEqual(['PO-3', 'PO-4'])
  })

  it('links pages by their number alone when switched to', async () => {
    const { service, retailer } = await openMarketWithOrders(3)
    service.switches.paging = 'page'
    const first = await retailer.get(`${ORDERS}?limit=2`)
    expect(first.body.next).toBe(`${service.baseUrl}${ORDERS}?limit=2&page=2`)
    const second = await retailer.get(`${ORDERS}?limit=2&page=2`)
    expect(numbersOf(second.body)).toEqual(['PO-3'])
    expect(second.body.previous).toBe(`${service.baseUrl}${ORDERS}?limit=2`)
  })

  it('by following the links while acknowledging everything reaches every order exactly once', async () => {
    const { service, brand } = await openMarketWithOrders(7)
    const seen: string[] = []
    let next: string | null = `${service.baseUrl}${BRAND_ORDERS}?is_acknowledged=0&limit=2`
    while (next !== null) {
      const { body } = await brand.get(next.slice(service.baseUrl.length))
      seen.push(...numbersOf(body))
      for (const { id } of body.results) await brand.put(`${BRAND_ORDERS}${id}/acknowledge/`)
      next = body.next
    }
    expect(seen).toEqual(['PO-1', 'PO-2', 'PO-3', 'PO-4', 'PO-5', 'PO-6', 'PO-7'])
  })

  it('gives 50 unless asked, and at most 250', async () => {
    const { retailer } = await openMarketWithOrders(51)
    expect((await retailer.get(ORDERS)).body.results).toHaveLength(50)
    expect((await retailer.get(`${ORDERS}?limit=1000`)).body.results).toHaveLength(51)
    expect((await retailer.get(`${ORDERS}?limit=1000`)).body.next).toBeNull()
  })

  it('has a first page when there is nothing, and no page after the last', async () => {
    const { retailer } = await openMarket()
    const empty = await retailer.get(ORDERS)
    expect(empty.body).toEqual({ count: 0, next: null, previous: null, results: [] })
    for (const page of ['2', '0', '-1', 'x']) {
      const { status, body } = await retailer.get(`${ORDERS}?page=${page}`)
      expect([status, body]).toEqual([404, { detail: 'Invalid page.' }])
    }
  })

  it('by draining the first page while acknowledging reaches every order exactly once', async () => {
    const { brand } = await openMarketWithOrders(7)
    const seen: string[] = []
    for (let index = 0; index < 5; index += 1) {
      const { body } = await brand.get(`${BRAND_ORDERS}?is_acknowledged=0&limit=3`)
      seen.push(...numbersOf(body))
      for (const { id } of body.results) await brand.put(`${BRAND_ORDERS}${id}/acknowledge/`)
    }
    expect(seen).toEqual(['PO-1', 'PO-2', 'PO-3', 'PO-4', 'PO-5', 'PO-6', 'PO-7'])
  })

  it('moves on when an acknowledged order leaves the list, as page numbers do', async () => {
    const { brand } = await openMarketWithOrders(4)
    const first = await brand.get(`${BRAND_ORDERS}?is_acknowledged=0&limit=2`)
    await brand.put(`${BRAND_ORDERS}${first.body.results[0].id}/acknowledge/`)
    const second = await brand.get(`${BRAND_ORDERS}?is_acknowledged=0&limit=2&page=2`)
    expect(numbersOf(second.body)).toEqual(['PO-4'])
  })
})

describe('filters', () => {
  const counts = async (caller: Caller, path: string, queries: string[]) =>
    Promise.all(queries.map(async (query) => (await caller.get(`${path}?${query}`)).body.count))

  it('of a retailer find orders by number, state and time', async () => {
    const market = await openMarket()
    await placeOrder(market, 'PO-1')
    market.clock.time += 100_000
    await placeOrder(market, 'PO-2', { ordered_at: '2026-11-21T00:00:00Z' })
    market.clock.time += 100_000
    await market.brand.put(`${BRAND_ORDERS}1/acknowledge/`)
    await market.brand.put(`${BRAND_ORDERS}1/close/`)
    const received = NOW / 1000
    expect(
      await counts(market.retailer, ORDERS, [
        'purchase_order_number=PO-2',
        'purchase_order_number=PO-',
        'status=open',
        'status=closed',
        'status=open&status=closed',
        'status=canceled',
        'is_acknowledged=1',
        'is_acknowledged=true',
        'is_acknowledged=0',
        'is_acknowledged=False',
        `received_at_gt=${received}`,
        `received_at_gte=${received}`,
        `received_at_lt=${received + 100}`,
        `received_at_lte=${received + 100}`,
        `ordered_at_gte=${Date.UTC(2026, 10, 21) / 1000}`,
        `fulfill_by_lt=${received}`,
        `acknowledged_at_gte=${received + 200}`,
        `closed_at_lt=${received + 200}`,
      ]),
    ).toEqual([1, 0, 1, 1, 2, 0, 1, 1, 1, 1, 1, 2, 1, 2, 1, 0, 1, 0])
  })

  it('of a brand do not know the purchase order number', async () => {
    const market = await openMarketWithOrders(2)
    const { status } = await market.brand.get(`${BRAND_ORDERS}?purchase_order_number=PO-2`)

    expect(status).toBe(400)
    expect(await counts(market.brand, BRAND_ORDERS, ['status=partial', 'ordered_at_lt=1'])).toEqual([0, 0])
  })

  it('find shipments by acknowledgement, pickup and time', async () => {
    const market = await openMarket()
    await placeAndShip(market, 'PO-1')
    await market.brand.post(
      SHIPMENTS,
      shipmentBody(await placeOrder(market, 'PO-2'), { shipped_at: '2026-11-19T00:00:00Z' }),
    )
    await market.retailer.put('/v1/retailers/1000/shipments/1/acknowledge/')
    expect(
      await counts(market.retailer, '/v1/retailers/1000/shipments/', [
        'is_acknowledged=0',
        'is_picked_up=0',
        'is_picked_up=1',
        `shipped_at_lt=${Date.UTC(2026, 10, 20) / 1000}`,
      ]),
    ).toEqual([1, 2, 0, 1])
  })

  it('with wrong values are all named', async () => {
    const { retailer } = await openMarket()
    const { status, body } = await retailer.get(
      `${ORDERS}?status=gone&is_acknowledged=maybe&ordered_at_gt=2026-11-21&limit=0`,
    )
    expect(status).toBe(400)
    expect(body).toEqual({
      status: ['"gone" is not one of open, partial, closed, canceled.'],
      is_acknowledged: ['"maybe" is not one of 1, 0, true, false.'],
      ordered_at_gt: ['"2026-11-21" is not an epoch timestamp in seconds, such as 1763683200.'],
      limit: ['"0" is not a number from 1 to 250.'],
    })
  })
})

it('a list shows each order with its own lines and shipments', async () => {
  const market = await openMarket()
  await placeAndShip(market, 'PO-1')
  await placeOrder(market, 'PO-2')
  const { body } = await market.retailer.get(ORDERS)
  const summary = body.results.map((order: { order_lines: unknown[]; shipments: { id: number }[] }) => [
    order.order_lines.length,
    order.shipments.map(({ id }) => id),
  ])
  expect(summary).toEqual([
    [2, [1]],
    [2, []],
  ])
})
