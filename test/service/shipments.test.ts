import { describe, expect, it } from 'vitest'
import {
  item,
  type Market,
  openMarket,
  ORDERS,
  placeAndShip,
  placeOrder,
  shipmentBody,
  SHIPMENTS,
} from './market.ts'

const ship = async (market: Market, changes: Record<string, unknown>) => {
  const id = await placeOrder(market, `PO-${Math.random()}`)
  return market.brand.post(SHIPMENTS, shipmentBody(id, changes))
}

/** What to leave out of a `shipmentBody` so that the service makes the label. */
const MADE_LABEL = {
  carrier_id: undefined,
  tracking_number: undefined,
  shipping_account_id: 500,
  shipping_method_id: 4,
  ship_weight: 2.5,
  ship_width: '10',
  ship_length: 3.5,
  ship_height: '4.0',
}

describe('creating a shipment', () => {
  it('with a label that exists keeps its tracking number and closes the shipment', async () => {
    const market = await openMarket()
    const orderId = await placeOrder(market, 'PO-1')
    const { status, body } = await market.brand.post(
      SHIPMENTS,
      shipmentBody(orderId, { shipped_at: '2026-11-20 22:00:00' }),
    )
    expect(status).toBe(201)
    expect(body).toMatchObject({
      order_id: orderId,
      purchase_order_number: 'PO-1',
      brand: { id: 2000, name: 'Northlight Goods', code: 'NORTHLIGHT' },
      carrier: { id: 1, name: 'FedEx', code: 'FDEG' },
      shipping_account: null,
      tracking_number: 'TRACK-1',
      shipped_at: '2026-11-20T22:00:00.000Z',
      status: 'closed',
      is_acknowledged: false,
      valid_packing_slip: true,
      valid_shipping_label: false,
      ship_girth: null,
      ship_from_name1: 'Northlight Warehouse',
      ship_from_street2: null,
      tracking: { picked_up_at: null, delivered_at: null },
    })
    expect(body.shipment_lines).toEqual([
      expect.objectContaining({ order_line_number: '1', part: 1, quantity: 2 }),
      expect.objectContaining({ order_line_number: '2', part: 1, quantity: 1 }),
    ])
    expect(body).not.toHaveProperty('ship_from')
  })

  it('on a shipping account makes a tracking number, girth and volume', async () => {
    const { status, body } = await ship(await openMarket(), MADE_LABEL)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      shipping_account: { id: 500, nickname: 'Harbor & Vine FedEx' },
      shipping_method: { id: 4, code: 'FEDEX_2_DAY' },
      tracking_number: 'FDEG000000000001',
      ship_weight: '2.5',
      // (3.5 + 4) * 2 + 10, and 10 * 3.5 * 4
      ship_girth: '25',
      ship_volume: '140',
      valid_shipping_label: true,
      shipped_at: '2026-11-21T02:15:00.000Z',
    })
  })

  it('moves the lines and the order: partial with the first line fulfilled, closed when everything is', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    const part = (identifier: string, quantity: number) =>
      shipmentBody(id, { shipment_lines: [{ variant: { brand_identifier: identifier }, quantity }] })
    const order = async () => (await market.retailer.get(`${ORDERS}${id}/`)).body

    await market.brand.post(SHIPMENTS, part('NL-0001', 1))
    expect(await order()).toMatchObject({ status: 'open', closed_at: null, shipment_count: 1 })
    expect((await order()).order_lines[0]).toMatchObject({ quantity_shipped: 1, status: 'open' })

    await market.brand.post(SHIPMENTS, part('NL-0001', 1))
    expect((await order()).order_lines[0]).toMatchObject({ quantity_shipped: 2, status: 'closed' })
    expect(await order()).toMatchObject({ status: 'partial', closed_at: null, shipment_count: 2 })

    await market.brand.post(SHIPMENTS, part('NL-0002', 1))
    const closed = await order()
    expect(closed).toMatchObject({
      status: 'closed',
      closed_at: '2026-11-21T02:15:00.000Z',
      shipment_count: 3,
    })
    expect(closed.shipments[2]).toEqual({
      id: 3,
      tracking_number: 'TRACK-1',
      shipped_at: '2026-11-21T02:15:00.000Z',
      status: 'closed',
      shipment_lines: [{ order_line_number: '2', part: 1, quantity: 1 }],
    })
  })

  it('never ships more than was ordered, even when two shipments race', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    const answers = await Promise.all([
      market.brand.post(SHIPMENTS, shipmentBody(id)),
      market.brand.post(SHIPMENTS, shipmentBody(id)),
    ])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400])
    expect(answers.find(({ status }) => status === 400)?.body).toEqual({
      shipment_lines: [
        { quantity: ['Only 0 of 2 are left to be shipped.'] },
        { quantity: ['Only 0 of 1 are left to be shipped.'] },
      ],
    })
    expect(market.service.counts().shipments).toBe(1)
  })

  it('prefers the upc over the brand identifier', async () => {
    const variant = { upc: item('NL-0002').upc, brand_identifier: 'NL-0001' }
    const { body } = await ship(await openMarket(), { shipment_lines: [{ variant, quantity: 1 }] })
    expect(body.shipment_lines[0].variant.brand_identifier).toBe('NL-0002')
  })

  it('takes the method under its older name when the service makes the label', async () => {
    const { status, body } = await ship(await openMarket(), {
      ...MADE_LABEL,
      shipping_method_id: undefined,
      shipping_method: 5,
    })
    expect(status).toBe(201)
    expect(body.shipping_method.id).toBe(5)
  })
})

describe('a shipment that is refused', () => {
  it('is for an order of the brand', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    const { status, body } = await market.otherBrand.post('/v1/brands/2001/shipments/', shipmentBody(id))
    expect([status, body]).toEqual([400, { order_id: [`Order ${id} does not exist.`] }])
  })

  it('names the carrier, account or method that does not fit', async () => {
    const market = await openMarket()
    expect((await ship(market, { carrier_id: 77 })).body).toEqual({
      carrier_id: ['Carrier 77 does not exist.'],
    })
    expect((await ship(market, { shipping_method_id: 10 })).body).toEqual({
      shipping_method_id: ['Carrier 1 has no shipping method 10.'],
    })
    expect((await ship(market, { ...MADE_LABEL, shipping_account_id: 501 })).body).toEqual({
      shipping_account_id: ["Shipping account 501 is not one of the order's."],
    })
    expect((await ship(market, { ...MADE_LABEL, shipping_method_id: 10 })).body).toEqual({
      shipping_method_id: ['Shipping account 500 has no shipping method 10.'],
    })
  })

  it('gives either a label or what is needed to make one', async () => {
    const market = await openMarket()
    const { body } = await ship(market, { ...MADE_LABEL, ship_weight: undefined, ship_height: undefined })
    expect(body).toEqual({
      ship_weight: ['This field is required.'],
      ship_height: ['This field is required.'],
    })
    const neither = await ship(market, { carrier_id: undefined, tracking_number: undefined })
    expect(neither.status).toBe(400)
    expect(Object.keys(neither.body)).toEqual(['non_field_errors'])
  })

  it('holds only items of the order, each once', async () => {
    const lines = [
      { variant: { brand_identifier: 'NL-0001' }, quantity: 1 },
      { variant: { brand_identifier: 'NL-0003' }, quantity: 1 },
      { variant: { upc: item('NL-0001').upc }, quantity: 1 },
    ]
    const { body } = await ship(await openMarket(), { shipment_lines: lines })
    expect(body).toEqual({
      shipment_lines: [
        {},
        { variant: ['The order has no line with this item.'] },
        { variant: ['Another line names the same item. There is one line per unique item.'] },
      ],
    })
  })

  it('leaves nothing behind', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    await market.brand.post(SHIPMENTS, shipmentBody(id, { carrier_id: 77 }))
    expect(market.service.counts().shipments).toBe(0)
    const { body } = await market.retailer.get(`${ORDERS}${id}/`)
    expect(body).toMatchObject({ status: 'open', shipments: [] })
    expect(body.order_lines[0].quantity_shipped).toBe(0)
  })
})

describe('a retailer', () => {
  const received = '/v1/retailers/1000/shipments/'

  it('sees the origin as an address', async () => {
    const market = await openMarket()
    const id = await placeAndShip(market, 'PO-1')
    const { body } = await market.retailer.get(`${received}${id}/`)
    expect(body.ship_from).toMatchObject({ name1: 'Northlight Warehouse', province: 'NJ', phone1: null })
    expect(body).not.toHaveProperty('carrier')
    expect(body).not.toHaveProperty('ship_from_name1')
  })

  it('acknowledges a shipment once', async () => {
    const market = await openMarket()
    const id = await placeAndShip(market, 'PO-1')
    const first = await market.retailer.put(`${received}${id}/acknowledge/`)
    expect(first.body).toMatchObject({ is_acknowledged: true, acknowledged_at: '2026-11-21T02:15:00.000Z' })
    market.clock.time += 60_000
    expect((await market.retailer.put(`${received}${id}/acknowledge/`)).body).toEqual(first.body)
    expect((await market.retailer.put(`${received}99/acknowledge/`)).status).toBe(404)
    expect(market.service.counts()).toMatchObject({ shipments: 1, acknowledgedShipments: 1 })
  })
})
