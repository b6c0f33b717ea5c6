import { describe, expect, it } from 'vitest'
import {
  BRAND_ORDERS,
  item,
  openMarket,
  orderBody,
  ORDERS,
  placeOrder,
  seedWithCredentials,
} from './market.ts'

describe('placing an order', () => {
  it('answers the whole order as the retailer sees it', async () => {
    const { retailer } = await openMarket()
    const { status, body } = await retailer.post(
      ORDERS,
      orderBody('PO-1', { customer_order_number: 'C-1', gift_message: ['Happy', '', 'Birthday'] }),
    )
    expect(status).toBe(201)
    expect(body).toMatchObject({
      id: 1,
      retailer: { id: 1000, name: 'Harbor & Vine', code: 'HARBORVINE' },
      brand: { id: 2000, name: 'Northlight Goods', code: 'NORTHLIGHT' },
      brands: [{ id: 2000, name: 'Northlight Goods', code: 'NORTHLIGHT' }],
      purchase_order_number: 'PO-1',
      customer_order_number: 'C-1',
      retailer_order_number: null,
      sold_to: null,
      gift_message: ['Happy', '', 'Birthday'],
      subtotal_charged: '56.93',
      status: 'open',
      is_acknowledged: false,
      ordered_at: '2026-11-20T18:30:00.000Z',
      received_at: '2026-11-21T02:15:00.000Z',
      acknowledge_by: '2026-11-22T02:15:00.000Z',
      fulfill_by: '2026-11-24T02:15:00.000Z',
      acknowledged_at: null,
      shipment_count: 0,
      shipments: [],
      invoices: [],
    })
    expect(body.ship_to).toEqual({
      id: expect.any(Number),
      type: null,
      name1: 'Ann Lee',
      name2: null,
      street1: '12 Main St',
      street2: null,
      city: 'Albany',
      province: 'NY',
      postal_code: '12207',
      country: 'US',
      phone1: null,
      phone2: null,
      fax: null,
      email: null,
    })
    expect(body.shipping_method).toEqual({
      id: 3,
      name: 'FedEx Ground',
      code: 'FEDEX_GROUND',
      type: 'small_parcel',
      carrier: { id: 1, name: 'FedEx', code: 'FDEG' },
      generic_shipping_method: {
        name: 'Ground',
        description: 'Arrives within 3-7 days after processing',
        type: 'small_parcel',
      },
    })
    expect(body.order_lines[0]).toMatchObject({
      order_line_number: '1',
      quantity: 2,
      quantity_shipped: 0,
      net_price: '7.87',
      price: '16.73',
      subtotal: '33.46',
      status: 'open',
    })
    expect(body.order_lines[1].variant).toMatchObject({
      id: 9002,
      brand: { id: 2000, name: 'Northlight Goods' },
      identifier: 'HV-10001',
      upc: '086000100025',
    })
    expect(body.order_lines[1].variant).not.toHaveProperty('brand_identifier')
    expect(body).not.toHaveProperty('shipping_accounts')
    expect(body).not.toHaveProperty('ship_to_name1')
  })

  it('shows the brand where to ship and on which account, and not what it is paid', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    const { body } = await market.brand.get(`${BRAND_ORDERS}${id}/`)
    expect(body).toMatchObject({
      ship_to_name1: 'Ann Lee',
      ship_to_name2: null,
      ship_to_province: 'NY',
      ship_to_phone: null,
    })
    expect(body.shipping_accounts).toEqual([
      {
        id: 500,
        nickname: 'Harbor & Vine FedEx',
        owner_type: 'retailer',
        carrier: { id: 1, name: 'FedEx', code: 'FDEG' },
        shipping_methods: [
          { id: 3, name: 'FedEx Ground', code: 'FEDEX_GROUND' },
          { id: 4, name: 'FedEx 2Day', code: 'FEDEX_2_DAY' },
          { id: 5, name: 'FedEx Standard Overnight', code: 'FEDEX_STANDARD_OVERNIGHT' },
        ],
      },
    ])
    expect(body.order_lines[0]).not.toHaveProperty('net_price')
    expect(body).not.toHaveProperty('brands')
  })

  it('adds the lead time of an item to its fulfill_by', async () => {
    const { retailer } = await openMarket()
    const { body } = await retailer.post(
      ORDERS,
      orderBody('PO-1', {
        order_lines: [
          { variant: { identifier: 'NL-0001' }, quantity: 1, net_price: '1.00', price: '2.00' },
          { variant: { identifier: 'NL-0005' }, quantity: 1, net_price: '1.00', price: '2.00' },
        ],
      }),
    )
    expect(body.order_lines[0].fulfill_by).toBe('2026-11-24T02:15:00.000Z')
    expect(body.order_lines[1].fulfill_by).toBe('2026-11-26T02:15:00.000Z')
    expect(body.fulfill_by).toBe('2026-11-26T02:15:00.000Z')
  })

  it('takes an item by id before identifier before upc', async () => {
    const { retailer } = await openMarket()
    const ordered = async (number: string, variant: object) => {
      const line = { variant, quantity: 1, net_price: '1.00', price: '2.00' }
      const { body } = await retailer.post(ORDERS, orderBody(number, { order_lines: [line] }))
      return body.order_lines[0].variant.id
    }
    const { upc } = item('NL-0007')
    expect(await ordered('A', { id: 9003, identifier: 'NL-0005', upc })).toBe(9003)
    expect(await ordered('B', { identifier: 'NL-0005', upc })).toBe(9005)
    expect(await ordered('C', { upc })).toBe(9007)
    expect(await ordered('D', { identifier: 'HV-10002' })).toBe(9004)
  })

  it('takes amounts as numbers, with a currency sign and with thousands commas', async () => {
    const { retailer } = await openMarket()
    const line = { variant: { identifier: 'NL-0001' }, quantity: 1, net_price: '$1,012.5', price: 2000 }
    const { status, body } = await retailer.post(ORDERS, orderBody('PO-1', { order_lines: [line] }))
    expect(status).toBe(201)
    expect(body.order_lines[0]).toMatchObject({ net_price: '1012.50', price: '2000.00' })
  })
})

describe('an order that is refused', () => {
  it('names every wrong field at once, nested like the body', async () => {
    const { service, retailer } = await openMarket()
    const { status, body } = await retailer.post(ORDERS, {
      purchase_order_number: 'x'.repeat(33),
      ordered_at: 'yesterday',
      ship_to: { ...orderBody('').ship_to, name1: '', street1: null, country: 'XX' },
      gift_message: ['fine', 'y'.repeat(65)],
      shipping_method: 'FEDEX_GROUND',
      order_lines: [
        orderBody('').order_lines[0],
        { variant: {}, quantity: 0, net_price: '1.234' },
        { variant: { identifier: 5 }, quantity: 'two', net_price: '1.00', price: '2.00' },
      ],
    })
    expect(status).toBe(400)
    expect(body).toEqual({
      purchase_order_number: ['Ensure this field has no more than 32 characters.'],
      ordered_at: ['Datetime has wrong format. Use this format instead: YYYY-MM-DDThh:mm:ssZ.'],
      ship_to: {
        name1: ['This field may not be blank.'],
        street1: ['This field may not be null.'],
        country: ['Must be a two-letter ISO 3166 country code, such as US.'],
      },
      gift_message: { '1': ['Ensure this field has no more than 64 characters.'] },
      shipping_method: { non_field_errors: ['Invalid data. Expected a dictionary, but got string.'] },
      order_lines: [
        {},
        {
          variant: ['An item needs at least one of id, identifier, upc.'],
          quantity: ['Ensure this value is greater than or equal to 1.'],
          net_price: ['Must be a decimal with two decimals, such as 12.50.'],
          price: ['This field is required.'],
        },
        { variant: { identifier: ['Not a valid string.'] }, quantity: ['A valid integer is required.'] },
      ],
    })
    expect(service.counts().orders).toBe(0)
  })

  it('may not use a purchase order number again', async () => {
    const market = await openMarket()
    await placeOrder(market, 'PO-1')
    const { status, body } = await market.retailer.post(ORDERS, orderBody('PO-1'))
    expect(status).toBe(400)
    expect(body).toEqual({
      purchase_order_number: ['An order with this purchase_order_number already exists.'],
    })
  })

  it('names the line whose item is unknown', async () => {
    const { retailer } = await openMarket()
    const [line] = orderBody('').order_lines
    const unknown = [{ id: 1 }, { identifier: 'NOPE' }, { upc: '000000000000' }, { identifier: 'NL-0002' }]
    const { body } = await retailer.post(
      ORDERS,
      orderBody('PO-1', { order_lines: [line, ...unknown.map((variant) => ({ ...line, variant }))] }),
    )
    expect(body).toEqual({
      order_lines: [
        {},
        { variant: ['No item has the id 1.'] },
        { variant: ['No item has the identifier "NOPE".'] },
        { variant: ['No item has the upc "000000000000".'] },
        // the retailer has a SKU of its own for NL-0002
        { variant: ['No item has the identifier "NL-0002".'] },
      ],
    })
  })

  it('is for one brand', async () => {
    const { retailer } = await openMarket()
    const [line] = orderBody('').order_lines
    const other = { ...line, variant: { identifier: 'CF-0001' } }
    const { body } = await retailer.post(ORDERS, orderBody('PO-1', { order_lines: [line, other] }))
    expect(body).toEqual({
      order_lines: [
        {},
        { variant: ['The item is of another brand than the lines before. An order is for one brand.'] },
      ],
    })
  })

  it('has one line per item, whatever the lines call it', async () => {
    const { retailer } = await openMarket()
    const [line] = orderBody('').order_lines
    const again = { ...line, variant: { id: 9001 } }
    const { body } = await retailer.post(ORDERS, orderBody('PO-1', { order_lines: [line, again] }))
    expect(body).toEqual({
      order_lines: [{}, { variant: ['Line 1 names the same item. There is one line per unique item.'] }],
    })
  })

  it('needs a shipping method that exists and that the connection allows', async () => {
    const seed = seedWithCredentials()
    const [first, second] = seed.connections
    const narrow = { ...seed, connections: [{ ...first!, shipping_method_ids: [3] }, second!] }
    const { retailer } = await openMarket({ seed: narrow })
    const withMethod = (carrier: string, code: string) =>
      retailer.post(ORDERS, orderBody('PO-1', { shipping_method: { code, carrier: { code: carrier } } }))
    expect((await withMethod('FDEG', 'UPS_GROUND')).body).toEqual({
      shipping_method: { code: ['Carrier "FDEG" has no shipping method "UPS_GROUND".'] },
    })
    expect((await withMethod('UPSN', 'UPS_GROUND')).body).toEqual({
      shipping_method: { code: ['"UPS_GROUND" of "UPSN" is not allowed by the connection.'] },
    })
    expect((await withMethod('FDEG', 'FEDEX_GROUND')).status).toBe(201)
  })

  it('needs an active, full connection to the brand', async () => {
    for (const change of [{ status: 'Suspended' }, { level: 'Basic' }] as const) {
      const seed = seedWithCredentials()
      const [first, second] = seed.connections
      const { retailer } = await openMarket({
        seed: { ...seed, connections: [{ ...first!, ...change }, second!] },
      })
      const { status, body } = await retailer.post(ORDERS, orderBody('PO-1'))
      expect(status).toBe(400)
      expect(body.order_lines[0]).toEqual({
        variant: ['The item with the identifier "NL-0001" is of a brand without an active connection.'],
      })
    }
  })

  it('cannot add up to more than an amount can show', async () => {
    const { retailer } = await openMarket()
    const line = { variant: { identifier: 'NL-0001' }, quantity: 2, net_price: '1.00', price: '50000000.00' }
    const { status, body } = await retailer.post(ORDERS, orderBody('PO-1', { order_lines: [line] }))
    expect(status).toBe(400)
    expect(body).toEqual({ order_lines: [{ quantity: ['Quantity times price is more than 99999999.99.'] }] })
  })
})

describe('reading an order', () => {
  it('is not possible for other parties, who do not learn that it exists', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    const { status, body } = await market.otherBrand.get(`/v1/brands/2001/orders/${id}/`)
    expect([status, body]).toEqual([404, { detail: 'Not found.' }])
    expect((await market.retailer.get(`${ORDERS}${id}/`)).status).toBe(200)
  })
})
