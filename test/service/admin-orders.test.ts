import { describe, expect, it } from 'vitest'
import {
  BRAND_ORDERS,
  INVOICES,
  invoiceBody,
  type Market,
  openMarket,
  ORDERS,
  orderBody,
  placeAndShip,
  placeOrder,
  shipmentBody,
  SHIPMENTS,
} from './market.ts'

const NOW_TEXT = '2026-11-21T02:15:00.000Z'
const RECEIVED = '/v1/retailers/1000/shipments/'

const canceled = (lines: readonly (readonly [string, number])[]) => ({
  reason_id: 2,
  cancel_lines: lines.map(([identifier, quantity]) => ({ variant: { identifier }, quantity })),
})

const orderOf = async (market: Market, id: number) => (await market.retailer.get(`${ORDERS}${id}/`)).body

describe("a supplier's cancel", () => {
  it('of everything cancels the order, acknowledged or not', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    await market.brand.put(`${BRAND_ORDERS}${id}/acknowledge/`)
    const all = canceled([
      ['NL-0001', 2],
      ['NL-0002', 1],
    ])
    const { status, body } = await market.admin.post(`/admin/orders/${id}/cancels/`, all)
    expect(status).toBe(201)
    expect(body).toMatchObject({ order_id: id, reason: 'Not Enough Inventory', is_acknowledged: false })
    expect(await orderOf(market, id)).toMatchObject({ status: 'canceled', canceled_at: NOW_TEXT })
    const listed = await market.retailer.get('/v1/retailers/1000/cancels/?is_acknowledged=0')
    expect(listed.body.results.map((cancel: { id: number }) => cancel.id)).toEqual([body.id])
    expect((await market.retailer.get(`${ORDERS}?status=canceled`)).body.count).toBe(1)
  })

  it('is of what is not shipped yet', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    const lines = [{ variant: { brand_identifier: 'NL-0001' }, quantity: 1 }]
    await market.brand.post(SHIPMENTS, shipmentBody(id, { shipment_lines: lines }))
    const { status, body } = await market.admin.post(
      `/admin/orders/${id}/cancels/`,
      canceled([['NL-0001', 2]]),
    )
    expect([status, body]).toEqual([
      400,
      { cancel_lines: [{ quantity: ['Only 1 of 2 are left to be canceled.'] }] },
    ])
    await market.admin.post(`/admin/orders/${id}/cancels/`, canceled([['NL-0001', 1]]))
    expect((await orderOf(market, id)).order_lines[0]).toMatchObject({
      quantity_canceled: 1,
      status: 'closed',
    })
  })

  it('has one of the five reasons', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    const body = { ...canceled([['NL-0001', 1]]), reason_id: 6 }
    const answer = await market.admin.post(`/admin/orders/${id}/cancels/`, body)
    expect([answer.status, answer.body]).toEqual([
      400,
      { reason_id: ['Ensure this value is less than or equal to 5.'] },
    ])
  })
})

describe('what an operator changes about an order', () => {
  it('is its third number, its pick-up and its method; what is not named stays', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    const path = `/admin/orders/${id}/`
    const first = await market.admin.patch(path, {
      retailer_order_number: 'R-77',
      pickup_on: '2026-11-25T00:00:00Z',
    })
    expect(first.body).toMatchObject({
      retailer_order_number: 'R-77',
      pickup_on: '2026-11-25T00:00:00.000Z',
      shipping_method: { code: 'FEDEX_GROUND' },
      requested_shipping_method: null,
    })
    market.clock.time += 1000
    const second = await market.admin.patch(path, { requested_shipping_method_id: 2, pickup_on: null })
    expect(second.body).toMatchObject({
      retailer_order_number: 'R-77',
      pickup_on: null,
      shipping_method: null,
      requested_shipping_method: {
        id: 2,
        name: 'Expedited',
        description: 'Arrives within 2-3 days after processing',
      },
      updated_at: '2026-11-21T02:15:01.000Z',
    })
    expect(await orderOf(market, id)).toEqual(second.body)
    expect((await market.brand.get(`${BRAND_ORDERS}${id}/`)).body.requested_shipping_method.id).toBe(2)
  })

  it('names a method that exists', async () => {
    const market = await openMarket()
    const path = `/admin/orders/${await placeOrder(market, 'PO-1')}/`
    expect((await market.admin.patch(path, { requested_shipping_method_id: 99 })).body).toEqual({
      requested_shipping_method_id: ['Requested shipping method 99 does not exist.'],
    })
    const wrong = await market.admin.patch(path, { pickup_on: 'soon', retailer_order_number: '' })
    expect([wrong.status, Object.keys(wrong.body)]).toEqual([400, ['retailer_order_number', 'pickup_on']])
  })
})

describe('a carrier', () => {
  it('picks up and delivers, each at the time of the first call', async () => {
    const market = await openMarket()
    const id = await placeAndShip(market, 'PO-1')
    const waiting = await market.retailer.get(`${RECEIVED}?is_picked_up=0`)
    expect(waiting.body.count).toBe(1)

    const picked = await market.admin.put(`/admin/shipments/${id}/pick-up/`)
    expect([picked.status, picked.body.tracking]).toEqual([
      200,
      { picked_up_at: NOW_TEXT, delivered_at: null },
    ])
    expect((await market.retailer.get(`${RECEIVED}?is_picked_up=1`)).body.count).toBe(1)
    expect((await market.retailer.get(`${RECEIVED}?is_picked_up=0`)).body.count).toBe(0)

    market.clock.time += 60_000
    expect((await market.admin.put(`/admin/shipments/${id}/pick-up/`)).body).toEqual(picked.body)
    const delivered = await market.admin.put(`/admin/shipments/${id}/deliver/`)
    expect(delivered.body).toMatchObject({
      picked_up_at: NOW_TEXT,
      delivered_at: '2026-11-21T02:16:00.000Z',
    })
    market.clock.time += 60_000
    expect((await market.admin.put(`/admin/shipments/${id}/deliver/`)).body).toEqual(delivered.body)
  })

  it('has picked up what it delivers', async () => {
    const market = await openMarket()
    const id = await placeAndShip(market, 'PO-1')
    const { body } = await market.admin.put(`/admin/shipments/${id}/deliver/`)
    expect(body.tracking).toEqual({ picked_up_at: NOW_TEXT, delivered_at: NOW_TEXT })
  })

  it('closes a shipment where the pick-up does so', async () => {
    const market = await openMarket({ switches: { shipmentCloses: 'pick-up' } })
    const id = await placeAndShip(market, 'PO-1')
    expect((await market.retailer.get(`${RECEIVED}${id}/`)).body.status).toBe('open')
    expect((await market.admin.put(`/admin/shipments/${id}/pick-up/`)).body.status).toBe('closed')
  })

  it('has nothing without a tracking number', async () => {
    const market = await openMarket({ switches: { labelMade: 'fetch' } })
    const label = {
      carrier_id: undefined,
      tracking_number: undefined,
      shipping_account_id: 500,
      ship_weight: '2',
      ship_width: '3',
      ship_length: '4',
      ship_height: '5',
    }
    const made = await market.brand.post(SHIPMENTS, shipmentBody(await placeOrder(market, 'PO-1'), label))
    expect(made.body.tracking_number).toBeNull()
    for (const move of ['pick-up', 'deliver']) {
      const { status, body } = await market.admin.put(`/admin/shipments/${made.body.id}/${move}/`)
      expect([status, body]).toEqual([
        400,
        { non_field_errors: ['A shipment without a tracking number cannot be with the carrier.'] },
      ])
    }
    expect((await market.retailer.get(`${RECEIVED}?is_picked_up=1`)).body.count).toBe(0)
  })
})

describe('what an operator changes about an invoice', () => {
  const invoiced = async (market: Market) => {
    await placeAndShip(market, 'PO-1')
    const { status, body } = await market.brand.post(INVOICES, invoiceBody('PO-1'))
    expect(status).toBe(201)
    return `/admin/invoices/${body.id}/`
  }
  const remitTo = orderBody('unused').ship_to

  it('is the discount, where to pay, and what changes the amount due', async () => {
    const market = await openMarket()
    const path = await invoiced(market)
    const { status, body } = await market.admin.patch(path, {
      terms_discount_percent: 2,
      terms_discount_days: 10,
      terms_discount_date_due: '2026-12-01',
      remit_to: remitTo,
      charges: [{ type: 'Service Fee', amount: '5.00' }],
      allowances: [{ type: 'Returns Allowance', description: 'Two a year', amount: '1.98' }],
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      terms_net_days_due: 30,
      terms_discount_percent: 2,
      terms_discount_days: 10,
      terms_discount_date_due: '2026-12-01',
      remit_to: { name1: 'Ann Lee', province: 'NY', phone1: null },
      subtotal: '26.98',
      charges: [{ type: 'Service Fee', description: null, amount: '5.00' }],
      allowances: [{ type: 'Returns Allowance', description: 'Two a year', amount: '1.98' }],
      due_amount: '30.00',
    })
    const kept = await market.admin.patch(path, { terms_discount_percent: null, allowances: [] })
    expect(kept.body).toEqual({
      ...body,
      terms_discount_percent: null,
      allowances: [],
      due_amount: '31.98',
    })
    expect((await market.retailer.get('/v1/retailers/1000/invoices/')).body.results).toEqual([kept.body])
  })

  it('never leaves an amount due below zero or too large', async () => {
    const market = await openMarket()
    const path = await invoiced(market)
    const below = await market.admin.patch(path, { allowances: [{ type: 'Promotion', amount: '27.00' }] })
    expect([below.status, below.body]).toEqual([
      400,
      { allowances: { non_field_errors: ['The amount due would be -0.02, which is below zero.'] } },
    ])
    const above = await market.admin.patch(path, { charges: [{ type: 'Fee', amount: '999999.99' }] })
    expect(above.body).toEqual({
      charges: { non_field_errors: ['The amount due would be more than 999999.99.'] },
    })
    const wrong = await market.admin.patch(path, {
      terms_discount_percent: 101,
      remit_to: { ...remitTo, province: 'XX' },
      charges: [{ type: 'Fee', amount: '-1.00' }],
    })
    expect(wrong.body).toEqual({
      terms_discount_percent: ['Ensure this value is less than or equal to 100.'],
      remit_to: {
        province: [
          '"XX" is not a state or province of US, such as AK (Alaska), AL (Alabama), AR (Arkansas).',
        ],
      },
      charges: [{ amount: ['Must be a decimal with two decimals, such as 12.50.'] }],
    })
    expect((await market.retailer.get('/v1/retailers/1000/invoices/1/')).body).toMatchObject({
      due_amount: '26.98',
      charges: [],
      remit_to: null,
    })
  })
})

describe('stock by warehouse', () => {
  it('adds up to the inventory of the item, and replaces what was there', async () => {
    const market = await openMarket()
    const path = '/admin/variants/9001/stock/'
    const first = await market.admin.patch(path, {
      locations: [
        { code: 'EAST', inventory: 4 },
        { code: 'WEST', inventory: 3 },
      ],
    })
    expect(first.status).toBe(200)
    expect(first.body.inventory).toMatchObject({
      inventory: 7,
      inventory_updated_at: NOW_TEXT,
      locations: [
        { code: 'EAST', inventory: 4 },
        { code: 'WEST', inventory: 3 },
      ],
    })
    const second = await market.admin.patch(path, { locations: [{ code: 'WEST', inventory: 0 }] })
    expect(second.body.inventory.inventory).toBe(0)
    expect(second.body.inventory.locations).toEqual([
      { code: 'WEST', inventory: 0, inventory_updated_at: NOW_TEXT },
    ])
    const outOfStock = await market.retailer.get('/v1/retailers/1000/variants/?in_stock=0')
    expect(outOfStock.body.results.map(({ id }: { id: number }) => id)).toContain(9001)
  })

  it('names each warehouse once', async () => {
    const market = await openMarket()
    const twice = [
      { code: 'EAST', inventory: 4 },
      { code: 'EAST', inventory: 3 },
    ]
    const { status, body } = await market.admin.patch('/admin/variants/9001/stock/', { locations: twice })
    expect([status, body]).toEqual([
      400,
      { locations: { non_field_errors: ['A warehouse is given more than once.'] } },
    ])
    expect((await market.admin.patch('/admin/variants/9001/stock/', {})).body).toEqual({
      locations: ['This field is required.'],
    })
  })
})
