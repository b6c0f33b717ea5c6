import { describe, expect, it } from 'vitest'
import {
  type Answered,
  answerOf,
  BRAND_ORDERS,
  type Market,
  NOW,
  openMarket,
  orderBody,
  ORDERS,
  placeOrder,
  SHIPMENTS,
  shipmentBody,
} from './market.ts'

/** Past the contract's check, which knows one form only. */
async function call(
  market: Market,
  who: 'retailer' | 'brand',
  path: string,
  body?: unknown,
): Promise<Answered> {
  const headers = { authorization: `Bearer ${market[who].token}`, 'content-type': 'application/json' }
  const init =
    body === undefined ? { method: 'GET' } : { method: 'POST', body: JSON.stringify(body) as string | null }
  return answerOf(await fetch(market.service.baseUrl + path, { ...init, headers, redirect: 'manual' }))
}

const put = async (market: Market, path: string) =>
  answerOf(
    await fetch(market.service.baseUrl + path, {
      method: 'PUT',
      headers: { authorization: `Bearer ${market.brand.token}` },
    }),
  )

const numbersOf = (orders: readonly { purchase_order_number: string }[]) =>
  orders.map((order) => order.purchase_order_number)

describe('a list', () => {
  async function openWithThree(envelope: 'array' | 'data' | 'link') {
    const market = await openMarket()
    for (const number of ['PO-1', 'PO-2', 'PO-3']) await placeOrder(market, number)
    const plain = (await call(market, 'retailer', `${ORDERS}?limit=1`)).body
    market.service.switches.envelope = envelope
    return { market, plain }
  }

  it('can come as a bare array, whether it is long or short', async () => {
    const { market } = await openWithThree('array')
    const { body } = await call(market, 'retailer', `${ORDERS}?limit=2`)
    expect(numbersOf(body)).toEqual(['PO-1', 'PO-2'])
    expect((await call(market, 'retailer', '/v1/retailers/')).body).toEqual([
      { id: 1000, name: 'Harbor & Vine', code: 'HARBORVINE' },
    ])
  })

  it('can come with data, links and a count', async () => {
    const { market, plain } = await openWithThree('data')
    const { body } = await call(market, 'retailer', `${ORDERS}?limit=1`)
    expect(Object.keys(body)).toEqual(['data', 'links', 'meta'])
    expect(numbersOf(body.data)).toEqual(['PO-1'])
    expect(body.links).toEqual({ next: plain.next, prev: null })
    expect(body.meta).toEqual({ count: 3 })
  })

  it('can come as a bare array with its links in a header', async () => {
    const { market, plain } = await openWithThree('link')
    const first = await call(market, 'retailer', `${ORDERS}?limit=1`)
    expect(numbersOf(first.body)).toEqual(['PO-1'])
    expect(first.headers.get('link')).toBe(`<${plain.next}>; rel="next"`)
    const second = await call(market, 'retailer', plain.next.slice(market.service.baseUrl.length))
    expect(numbersOf(second.body)).toEqual(['PO-2'])
    expect(second.headers.get('link')).toMatch(/^<http[^>]+>; rel="next", <http[^>]+>; rel="prev"$/)
    const whole = await call(market, 'retailer', ORDERS)
    expect([numbersOf(whole.body), whole.headers.get('link')]).toEqual([['PO-1', 'PO-2', 'PO-3'], null])
  })

  it('that is refused is refused as ever', async () => {
    const { market } = await openWithThree('data')
    const { status, body } = await call(market, 'retailer', `${ORDERS}?limit=0`)
    expect([status, body]).toEqual([400, { limit: ['"0" is not a number from 1 to 250.'] }])
  })
})

describe('success', () => {
  it('of a create can be 200', async () => {
    const market = await openMarket({ switches: { createAnswer: 200 } })
    const { status, body } = await call(market, 'retailer', ORDERS, orderBody('PO-1'))
    expect([status, body.purchase_order_number]).toEqual([200, 'PO-1'])
    expect((await call(market, 'retailer', ORDERS, orderBody('PO-1'))).status).toBe(400)
  })

  it('of an acknowledge can come without a body', async () => {
    const market = await openMarket({ switches: { actAnswer: 204 } })
    const id = await placeOrder(market, 'PO-1')
    const { status, body } = await put(market, `${BRAND_ORDERS}${id}/acknowledge/`)
    expect([status, body]).toEqual([204, ''])
    expect((await market.brand.get(`${BRAND_ORDERS}${id}/`)).body.is_acknowledged).toBe(true)
    expect((await put(market, `${BRAND_ORDERS}99/acknowledge/`)).status).toBe(404)
  })
})

describe('fields', () => {
  it('that are ids can be text, at every depth and in every kind of answer', async () => {
    const market = await openMarket({ switches: { ids: 'text' } })
    const created = await call(market, 'retailer', ORDERS, orderBody('PO-1'))
    expect(created.body).toMatchObject({
      id: '1',
      retailer: { id: '1000' },
      shipping_method: { id: '3', carrier: { id: '1' } },
      shipment_count: 0,
      order_lines: [
        { id: '1', quantity: 2, variant: { id: '9001' } },
        { id: '2', quantity: 1 },
      ],
    })
    const shipped = await call(market, 'brand', SHIPMENTS, shipmentBody(1))
    expect(shipped.body).toMatchObject({ id: '1', order_id: '1' })
    expect((await call(market, 'retailer', ORDERS)).body).toMatchObject({ count: 1, results: [{ id: '1' }] })
  })

  it('that are UPCs can be numbers, without their zeros', async () => {
    const market = await openMarket({ switches: { upc: 'number' } })
    const { body } = await call(market, 'retailer', ORDERS, orderBody('PO-1'))
    expect(body.order_lines.map((line: { variant: { upc: unknown } }) => line.variant.upc)).toEqual([
      86_000_100_018, 86_000_100_025,
    ])
  })

  it('that are words of a list can be written in capitals or small letters, and no others', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'po-1')
    market.service.switches.enumCase = 'upper'
    const order = (await call(market, 'brand', `${BRAND_ORDERS}${id}/`)).body
    expect(order).toMatchObject({
      status: 'OPEN',
      purchase_order_number: 'po-1',
      brand: { name: 'Northlight Goods' },
      shipping_method: { type: 'SMALL_PARCEL' },
      shipping_accounts: [{ owner_type: 'RETAILER' }],
      order_lines: [{ status: 'OPEN' }, { status: 'OPEN' }],
    })
    market.service.switches.enumCase = 'lower'
    expect((await call(market, 'brand', `${BRAND_ORDERS}${id}/`)).body.status).toBe('open')
  })

  it('are back in the usual form as soon as the switches are reset', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    const before = (await call(market, 'brand', `${BRAND_ORDERS}${id}/`)).body
    Object.assign(market.service.switches, { ids: 'text', upc: 'number', enumCase: 'upper' })
    expect((await call(market, 'brand', `${BRAND_ORDERS}${id}/`)).body).not.toEqual(before)
    Object.assign(market.service.switches, { ids: 'number', upc: 'text', enumCase: 'as-is' })
    expect((await call(market, 'brand', `${BRAND_ORDERS}${id}/`)).body).toEqual(before)
  })
})

describe('an address without its last slash', () => {
  it('is not found, or is sent to the one with it, whatever the method', async () => {
    const market = await openMarket()
    expect((await call(market, 'retailer', '/v1/retailers?limit=1')).status).toBe(404)
    market.service.switches.trailingSlash = 'redirect'
    const read = await call(market, 'retailer', '/v1/retailers?limit=1')
    expect([read.status, read.headers.get('location'), read.body]).toEqual([
      301,
      '/v1/retailers/?limit=1',
      '',
    ])
    const write = await call(market, 'retailer', '/v1/retailers/1000/orders', orderBody('PO-1'))
    expect([write.status, write.headers.get('location')]).toEqual([301, ORDERS])
    expect(market.service.counts().orders).toBe(0)
  })

  it('is not found when there is none with it either', async () => {
    const market = await openMarket({ switches: { trailingSlash: 'redirect' } })
    for (const path of ['/', '//example.com', '/v1/nothing', '/v1/retailers/1000/orders/1/acknowledge']) {
      const { status, headers, body } = await call(market, 'retailer', path)
      expect([path, status, headers.get('location'), body]).toEqual([
        path,
        404,
        null,
        { detail: 'Not found.' },
      ])
    }
  })
})

it("the service's clock can be wrong, in its headers and in the times it stores", async () => {
  const market = await openMarket({ switches: { clockSkewMs: 3_600_000 } })
  const { headers, body } = await call(market, 'retailer', ORDERS, orderBody('PO-1'))
  expect(headers.get('date')).toBe('Sat, 21 Nov 2026 03:15:00 GMT')
  expect(Date.parse(body.received_at)).toBe(NOW + 3_600_000)
  market.service.switches.clockSkewMs = -60_000
  expect((await call(market, 'retailer', ORDERS)).headers.get('date')).toBe('Sat, 21 Nov 2026 02:14:00 GMT')
})
