import { describe, expect, it } from 'vitest'
import {
  BRAND_ORDERS,
  invoiceBody,
  INVOICES,
  openMarket,
  ORDERS,
  placeAndShip,
  placeOrder,
  shipmentBody,
  SHIPMENTS,
} from './market.ts'

describe('submitting an invoice', () => {
  it('for a closed, fulfilled order answers the whole invoice', async () => {
    const market = await openMarket()
    await placeAndShip(market, 'PO-1')
    const { status, body } = await market.brand.post(
      INVOICES,
      invoiceBody('PO-1', { due_amount: '$1,030.98' }),
    )
    expect(status).toBe(201)
    expect(body).toEqual({
      id: 1,
      retailer: { id: 1000, name: 'Harbor & Vine', code: 'HARBORVINE' },
      brand: { id: 2000, name: 'Northlight Goods', code: 'NORTHLIGHT' },
      currency: 'USD',
      purchase_order_number: 'PO-1',
      invoice_number: 'INV-PO-1',
      terms_net_days_due: 30,
      terms_date_due: '2026-12-21',
      terms_discount_percent: null,
      terms_discount_days: null,
      terms_discount_date_due: null,
      remit_to: null,
      subtotal: '26.98',
      charges: [],
      allowances: [],
      due_amount: '1030.98',
      is_acknowledged: false,
      invoiced_at: '2026-11-21T02:15:00.000Z',
      acknowledged_at: null,
      invoice_lines: [
        expect.objectContaining({ invoice_line_number: 1, quantity: 2, price: '7.87' }),
        expect.objectContaining({ invoice_line_number: 2, quantity: 1, price: '11.24' }),
      ],
    })
    const order = await market.retailer.get(`${ORDERS}1/`)
    expect(order.body.invoices).toEqual([
      {
        id: 1,
        invoice_number: 'INV-PO-1',
        due_amount: '1030.98',
        invoiced_at: '2026-11-21T02:15:00.000Z',
      },
    ])
  })

  it("takes the retailer's SKU as well as the brand's own", async () => {
    const market = await openMarket()
    for (const [number, identifier] of [
      ['PO-1', 'HV-10001'],
      ['PO-2', 'NL-0002'],
    ] as const) {
      await placeAndShip(market, number)
      const lines = [{ variant: { identifier }, quantity: 1, net_price: '11.24' }]
      const { body } = await market.brand.post(INVOICES, invoiceBody(number, { invoice_lines: lines }))
      expect(body.invoice_lines[0].variant.id).toBe(9002)
    }
  })

  it('happens once per order, also when two race', async () => {
    const market = await openMarket()
    await placeAndShip(market, 'PO-1')
    const answers = await Promise.all([1, 2, 3].map(() => market.brand.post(INVOICES, invoiceBody('PO-1'))))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400])
    expect(answers.find(({ status }) => status === 400)?.body).toEqual({
      purchase_order_number: ['An invoice for this purchase_order_number already exists.'],
    })
  })

  it('waits for the order to be closed and completely fulfilled', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    const [line] = shipmentBody(id).shipment_lines
    const invoice = () =>
      market.brand.post(
        INVOICES,
        invoiceBody('PO-1', { invoice_lines: [{ variant: { id: 9001 }, quantity: 2, net_price: '7.87' }] }),
      )
    expect((await invoice()).body).toEqual({
      purchase_order_number: ['The order is open; only a closed order can be invoiced.'],
      invoice_lines: [{ quantity: ['Only 0 were shipped.'] }],
    })
    await market.brand.post(SHIPMENTS, shipmentBody(id, { shipment_lines: [line] }))
    expect((await invoice()).body).toEqual({
      purchase_order_number: ['The order is partial; only a closed order can be invoiced.'],
    })
    await market.brand.put(`${BRAND_ORDERS}${id}/close/`)
    expect((await invoice()).body).toEqual({
      purchase_order_number: ['The order is not completely fulfilled.'],
    })
    expect(market.service.counts().invoices).toBe(0)
  })

  it('names an unknown order, foreign items and quantities that were not shipped', async () => {
    const market = await openMarket()
    await placeAndShip(market, 'PO-1')
    expect((await market.brand.post(INVOICES, invoiceBody('PO-9'))).body).toEqual({
      purchase_order_number: ['No order has this purchase_order_number.'],
    })
    const ofOther = await market.otherBrand.post('/v1/brands/2001/invoices/', invoiceBody('PO-1'))
    expect(ofOther.body).toEqual({ purchase_order_number: ['No order has this purchase_order_number.'] })
    const lines = [
      { variant: { identifier: 'NL-0001' }, quantity: 3, net_price: '1.00' },
      { variant: { identifier: 'NL-0003' }, quantity: 1, net_price: '1.00' },
      { variant: { id: 9001 }, quantity: 1, net_price: '1.00' },
    ]
    expect((await market.brand.post(INVOICES, invoiceBody('PO-1', { invoice_lines: lines }))).body).toEqual({
      invoice_lines: [
        { quantity: ['Only 2 were shipped.'] },
        { variant: ['The order has no line with this item.'] },
        { variant: ['Another line names the same item. There is one line per unique item.'] },
      ],
    })
  })

  it('needs every field in its form', async () => {
    const { brand } = await openMarket()
    const { body } = await brand.post(INVOICES, {
      purchase_order_number: 'PO-1',
      terms_net_days_due: -1,
      terms_date_due: '12/21/2026',
      due_amount: '1.999',
      invoice_lines: [],
    })
    expect(body).toEqual({
      invoice_number: ['This field is required.'],
      terms_net_days_due: ['Ensure this value is greater than or equal to 0.'],
      terms_date_due: ['Date has wrong format. Use this format instead: YYYY-MM-DD.'],
      due_amount: ['Must be a decimal with two decimals, such as 12.50.'],
      invoice_lines: ['This list may not be empty.'],
    })
  })
})

it('both parties read an invoice, and the retailer acknowledges it once', async () => {
  const market = await openMarket()
  await placeAndShip(market, 'PO-1')
  await market.brand.post(INVOICES, invoiceBody('PO-1'))
  const seen = await market.retailer.get('/v1/retailers/1000/invoices/1/')
  const { invoice_lines: sent, ...sentFields } = (await market.brand.get(`${INVOICES}1/`)).body
  const { invoice_lines: received, ...receivedFields } = seen.body
  expect(sentFields).toEqual(receivedFields)
  const amountsOf = (lines: Record<string, unknown>[]) =>
    lines.map((line) => ({ ...line, variant: undefined }))
  expect(amountsOf(sent)).toEqual(amountsOf(received))
  expect((await market.otherBrand.get('/v1/brands/2001/invoices/1/')).status).toBe(404)

  const path = '/v1/retailers/1000/invoices/1/acknowledge/'
  const first = await market.retailer.put(path)
  expect(first.body).toMatchObject({ is_acknowledged: true, acknowledged_at: '2026-11-21T02:15:00.000Z' })
  market.clock.time += 60_000
  expect((await market.retailer.put(path)).body).toEqual(first.body)
  expect((await market.brand.get(`${INVOICES}?is_acknowledged=1`)).body.count).toBe(1)
  expect((await market.retailer.get('/v1/retailers/1000/invoices/?is_acknowledged=0')).body.count).toBe(0)
})
