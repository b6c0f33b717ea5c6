import { describe, expect, it } from 'vitest'
import { answerOf, type Market, openMarket, orderBody, ORDERS } from './market.ts'

async function send(market: Market, path: string, init: RequestInit & { type?: string }) {
  const headers: Record<string, string> = { authorization: `Bearer ${market.retailer.token}` }
  if (init.type !== undefined) headers['content-type'] = init.type
  return answerOf(await fetch(market.service.baseUrl + path, { ...init, headers }))
}

describe('addresses', () => {
  it('that are no endpoint are not found, with or without a body', async () => {
    const market = await openMarket()
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/v1/retailers'],
      ['POST', '/v1/retailers/1000/orders'],
      ['GET', '/v1/retailers/1000/orders/abc/'],
      ['GET', '/v1/retailers/me/orders/'],
      ['GET', '/v1/retailers/1000/orders/%zz/'],
    ] as const) {
      const body = method === 'POST' ? { body: '{broken', type: 'application/json' } : {}
      const answer = await send(market, path, { method, ...body })
      expect([path, answer.status, answer.body]).toEqual([path, 404, { detail: 'Not found.' }])
    }
  })

  it('with another method say which methods they take', async () => {
    const market = await openMarket()
    const { status, headers, body } = await send(market, ORDERS, { method: 'DELETE' })
    expect([status, body]).toEqual([405, { detail: 'Method "DELETE" not allowed.' }])
    expect(headers.get('allow')).toBe('POST, GET, HEAD')
    const slip = await fetch(`${market.service.baseUrl}/v1/brands/2000/shipments/1/packing_slip/`, {
      method: 'HEAD',
    })
    expect([slip.status, slip.headers.get('allow')]).toEqual([405, 'GET'])
    const acknowledge = await send(market, '/v1/retailers/1000/shipments/1/acknowledge/', { method: 'GET' })
    expect([acknowledge.status, acknowledge.headers.get('allow')]).toEqual([405, 'PUT'])
  })
})

describe('bodies', () => {
  it('that are no JSON are refused', async () => {
    const market = await openMarket()
    const { status, body } = await send(market, ORDERS, {
      method: 'POST',
      type: 'application/json',
      body: '{"purchase_order_number": ',
    })
    expect(status).toBe(400)
    expect(body.detail).toMatch(/^JSON parse error - /)
  })

  it('of another content type are refused', async () => {
    const market = await openMarket()
    const { status, body } = await send(market, ORDERS, { method: 'POST', type: 'text/csv', body: 'a,b' })
    expect([status, body]).toEqual([415, { detail: 'Unsupported media type "text/csv" in request.' }])
  })

  it('above one mebibyte are refused', async () => {
    const market = await openMarket()
    const { status, body } = await send(market, ORDERS, {
      method: 'POST',
      type: 'application/json',
      body: JSON.stringify(orderBody('PO-1', { gift_message: ['x'.repeat(1024 * 1024)] })),
    })
    expect([status, body]).toEqual([413, { detail: 'Request body is too large.' }])
  })

  it('that are missing lack every required field', async () => {
    const market = await openMarket()
    const { status, body } = await send(market, ORDERS, { method: 'POST' })
    expect(status).toBe(400)
    expect(body).toEqual({
      purchase_order_number: ['This field is required.'],
      ordered_at: ['This field is required.'],
      ship_to: ['This field is required.'],
      shipping_method: ['This field is required.'],
      order_lines: ['This field is required.'],
    })
  })

  it('that are no object are refused', async () => {
    const { retailer } = await openMarket()
    const { status, body } = await retailer.post(ORDERS, ['a'])
    expect([status, body]).toEqual([
      400,
      { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] },
    ])
  })

  it('with an endless list are refused before the service checks its items', async () => {
    const { retailer } = await openMarket()
    const { status, body } = await retailer.post(
      ORDERS,
      orderBody('PO-1', { order_lines: Array(200_000).fill(1) }),
    )
    expect([status, body]).toEqual([400, { order_lines: ['Ensure this list has no more than 1000 items.'] }])
  })
})
