import { describe, expect, it } from 'vitest'
import {
  BRAND_ORDERS,
  CANCELS,
  type Market,
  openMarket,
  ORDERS,
  placeOrder,
  shipmentBody,
  SHIPMENTS,
} from './market.ts'

function cancelBody(orderId: number, changes: Record<string, unknown> = {}) {
  return {
    order_id: orderId,
    reason_id: 1,
    cancel_lines: [{ variant: { identifier: 'NL-0001' }, quantity: 1 }],
    ...changes,
  }
}

const orderOf = async (market: Market, id: number) => (await market.retailer.get(`${ORDERS}${id}/`)).body

describe('canceling', () => {
  it('a part of an order answers the cancel and counts at the line', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    const { status, body } = await market.retailer.post(CANCELS, cancelBody(id))
    expect(status).toBe(201)
    expect(body).toMatchObject({
      id: 1,
      order_id: id,
      reason: 'Retailer Requested Cancellation',
      canceled_at: '2026-11-21T02:15:00.000Z',
      is_acknowledged: false,
      acknowledged_at: null,
      cancel_lines: [{ id: 1, quantity: 1, variant: { id: 9001, identifier: 'NL-0001' } }],
    })
    const order = await orderOf(market, id)
    expect(order).toMatchObject({ status: 'open', canceled_at: null })
    expect(order.order_lines[0]).toMatchObject({ quantity_canceled: 1, status: 'open', canceled_at: null })
    expect(order.cancels).toEqual([
      {
        id: 1,
        reason: 'Retailer Requested Cancellation',
        canceled_at: '2026-11-21T02:15:00.000Z',
        cancel_lines: [{ order_line_number: '1', quantity: 1 }],
      },
    ])
  })

  it('what was left of a line closes the line, and of an order the order', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    await market.brand.post(SHIPMENTS, {
      ...shipmentBody(id),
      shipment_lines: [{ variant: { brand_identifier: 'NL-0002' }, quantity: 1 }],
    })
    await market.retailer.post(
      CANCELS,
      cancelBody(id, { cancel_lines: [{ variant: { id: 9001 }, quantity: 2 }] }),
    )
    const order = await orderOf(market, id)
    expect(order).toMatchObject({
      status: 'closed',
      closed_at: '2026-11-21T02:15:00.000Z',
      canceled_at: null,
    })
    expect(order.order_lines[0]).toMatchObject({
      quantity_canceled: 2,
      status: 'closed',
      canceled_at: '2026-11-21T02:15:00.000Z',
    })
  })

  it('is refused once the supplier has acknowledged', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    await market.brand.put(`${BRAND_ORDERS}${id}/acknowledge/`)
    const { status, body } = await market.retailer.post(CANCELS, cancelBody(id))
    expect(status).toBe(400)
    expect(body).toEqual({
      order_id: ['The order is acknowledged; it can be canceled only before the supplier acknowledges it.'],
    })
  })

  it.each([
    [{ order_id: 77 }, { order_id: ['Order 77 does not exist.'] }],
    [{ reason_id: 6 }, { reason_id: ['Ensure this value is less than or equal to 5.'] }],
    [{ reason_id: 0 }, { reason_id: ['Ensure this value is greater than or equal to 1.'] }],
    [{ cancel_lines: [] }, { cancel_lines: ['This list may not be empty.'] }],
    [
      { cancel_lines: [{ variant: { identifier: 'NL-0001' }, quantity: 3 }] },
      { cancel_lines: [{ quantity: ['Only 2 of 2 are left to be canceled.'] }] },
    ],
    [
      { cancel_lines: [{ variant: { identifier: 'NL-0009' }, quantity: 1 }] },
      { cancel_lines: [{ variant: ['The order has no line with this item.'] }] },
    ],
    [
      {
        cancel_lines: [
          { variant: { identifier: 'NL-0001' }, quantity: 1 },
          { variant: { id: 9001 }, quantity: 1 },
        ],
      },
      {
        cancel_lines: [
          {},
          { variant: ['Another line names the same item. There is one line per unique item.'] },
        ],
      },
    ],
  ])('with %j is refused with what is wrong', async (changes, refusal) => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    const { status, body } = await market.retailer.post(CANCELS, cancelBody(id, changes))
    expect([status, body]).toEqual([400, refusal])
    expect((await orderOf(market, id)).order_lines[0].quantity_canceled).toBe(0)
  })
})

it('cancels are listed, filtered by time, and acknowledged once', async () => {
  const market = await openMarket()
  const id = await placeOrder(market, 'PO-1')
  await market.retailer.post(CANCELS, cancelBody(id))
  market.clock.time += 60_000
  await market.retailer.post(CANCELS, cancelBody(id))
  const seconds = market.clock.time / 1000
  expect((await market.retailer.get(`${CANCELS}?canceled_at_lt=${seconds}`)).body.count).toBe(1)
  expect((await market.retailer.get(`${CANCELS}?canceled_at_gte=${seconds}`)).body.results[0].id).toBe(2)
  const acknowledged = await market.retailer.put(`${CANCELS}1/acknowledge/`)
  expect(acknowledged.body).toMatchObject({
    is_acknowledged: true,
    acknowledged_at: '2026-11-21T02:16:00.000Z',
  })
  market.clock.time += 60_000
  expect((await market.retailer.put(`${CANCELS}1/acknowledge/`)).body).toEqual(acknowledged.body)
  expect((await market.retailer.get(`${CANCELS}?is_acknowledged=0`)).body.count).toBe(1)
  expect((await market.retailer.get(`${CANCELS}?is_acknowledged=1`)).body.results[0].id).toBe(1)
  expect((await market.retailer.get(`${CANCELS}3/`)).status).toBe(404)
})
