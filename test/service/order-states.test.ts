import { describe, expect, it } from 'vitest'
import {
  BRAND_ORDERS,
  CANCELS,
  openMarket,
  orderBody,
  placeOrder,
  shipmentBody,
  SHIPMENTS,
} from './market.ts'

describe('acknowledging an order', () => {
  it('happens once; a second time changes nothing', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    market.clock.time += 60_000
    const first = await market.brand.put(`${BRAND_ORDERS}${id}/acknowledge/`)
    expect(first.body).toMatchObject({
      id,
      is_acknowledged: true,
      acknowledged_at: '2026-11-21T02:16:00.000Z',
    })
    market.clock.time += 60_000
    const second = await market.brand.put(`${BRAND_ORDERS}${id}/acknowledge/`)
    expect(second.status).toBe(200)
    expect(second.body).toEqual(first.body)
  })

  it('is for the brand of the order only', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    expect((await market.otherBrand.put(`/v1/brands/2001/orders/${id}/acknowledge/`)).status).toBe(404)
    expect(market.service.counts().acknowledgedOrders).toBe(0)
  })

  it('ignores a body of any kind', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const response = await fetch(`${market.service.baseUrl}${BRAND_ORDERS}${id}/acknowledge/`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${market.brand.token}`, 'content-type': type },
        body: '{not json',
      })
      expect(response.status).toBe(200)
    }
  })
})

describe('closing and reopening an order', () => {
  it('sets and takes away closed_at, and may be repeated', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    const closed = await market.brand.put(`${BRAND_ORDERS}${id}/close/`)
    expect(closed.body).toMatchObject({ status: 'closed', closed_at: '2026-11-21T02:15:00.000Z' })
    market.clock.time += 60_000
    expect((await market.brand.put(`${BRAND_ORDERS}${id}/close/`)).body).toEqual(closed.body)
    const reopened = await market.brand.put(`${BRAND_ORDERS}${id}/reopen/`)
    expect(reopened.body).toMatchObject({ status: 'open', closed_at: null })
    expect((await market.brand.put(`${BRAND_ORDERS}${id}/reopen/`)).body).toEqual(reopened.body)
  })

  it('leads back to partial when something was shipped', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    const [line] = shipmentBody(id).shipment_lines
    await market.brand.post(SHIPMENTS, shipmentBody(id, { shipment_lines: [line] }))
    await market.brand.put(`${BRAND_ORDERS}${id}/close/`)
    expect((await market.brand.put(`${BRAND_ORDERS}${id}/reopen/`)).body.status).toBe('partial')
  })
})

it('a canceled order is neither acknowledged, closed, reopened nor shipped', async () => {
  const market = await openMarket()
  const id = await placeOrder(market, 'PO-1')
  const cancel_lines = orderBody('PO-1').order_lines.map(({ variant, quantity }) => ({ variant, quantity }))
  const canceled = await market.retailer.post(CANCELS, { order_id: id, reason_id: 1, cancel_lines })
  expect(canceled.status).toBe(201)
  expect((await market.brand.get(`${BRAND_ORDERS}${id}/`)).body).toMatchObject({
    status: 'canceled',
    canceled_at: '2026-11-21T02:15:00.000Z',
  })

  const refusals = []
  for (const verb of ['acknowledge', 'close', 'reopen']) {
    const { status, body } = await market.brand.put(`${BRAND_ORDERS}${id}/${verb}/`)
    refusals.push([status, body.non_field_errors[0]])
  }
  expect(refusals).toEqual([
    [400, 'A canceled order cannot be acknowledged.'],
    [400, 'A canceled order cannot be closed.'],
    [400, 'A canceled order cannot be reopened.'],
  ])
  const shipped = await market.brand.post(SHIPMENTS, shipmentBody(id))
  expect([shipped.status, shipped.body.order_id]).toEqual([400, [`Order ${id} is canceled.`]])
})
