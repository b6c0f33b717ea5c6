import { describe, expect, it } from 'vitest'
import {
  INVOICES,
  invoiceBody,
  type Market,
  openMarket,
  ORDERS,
  placeAndShip,
  placeOrder,
  shipmentBody,
  SHIPMENTS,
} from './market.ts'

const NOW_TEXT = '2026-11-21T02:15:00.000Z'
const RMAS = '/v1/retailers/1000/rmas/'
const CREDITS = '/v1/retailers/1000/credits/'

/** Two of NL-0001 at 7.87 and one of NL-0002 at 11.24. */
const ALL = [
  { variant: { identifier: 'NL-0001' }, quantity: 2 },
  { variant: { id: 9002 }, quantity: 1 },
]

const rmaBody = (changes: Record<string, unknown> = {}) => ({
  created_by: 'brand',
  reason: 'Item was damaged or defective',
  rma_lines: ALL,
  ...changes,
})

/** The first order of the market, all of it shipped. */
async function openShipped(number = 'PO-1'): Promise<Market> {
  const market = await openMarket()
  await placeAndShip(market, number)
  return market
}

async function openAccepted(changes: Record<string, unknown> = {}): Promise<Market> {
  const market = await openShipped()
  expect((await market.admin.post('/admin/orders/1/rmas/', rmaBody(changes))).status).toBe(201)
  expect((await market.admin.put('/admin/rmas/1/accept/')).status).toBe(200)
  return market
}

const credit = (market: Market, body: Record<string, unknown>) =>
  market.admin.post('/admin/rmas/1/credits/', body)

describe('a return', () => {
  it('is pending, worth what the supplier was paid, and on the list of the retailer', async () => {
    const market = await openShipped()
    const { status, body } = await market.admin.post(
      '/admin/orders/1/rmas/',
      rmaBody({ rma_number: 'RMA-1', rmad_at: '2026-11-20T10:00:00Z', created_by: 'retailer' }),
    )
    // the retailer has a SKU of its own for the second item, and names it by its id
    expect(status).toBe(201)
    expect(body).toMatchObject({
      id: 1,
      retailer: { id: 1000 },
      brand: { id: 2000 },
      created_by: 'retailer',
      purchase_order_number: 'PO-1',
      rma_number: 'RMA-1',
      rmad_at: '2026-11-20T10:00:00.000Z',
      received_at: NOW_TEXT,
      reason: 'Item was damaged or defective',
      status: 'Pending',
      total_amount: '26.98',
      is_acknowledged: false,
    })
    expect(body.rma_lines).toEqual([
      expect.objectContaining({ quantity: 2, order_line: expect.objectContaining({ net_price: '7.87' }) }),
      expect.objectContaining({ quantity: 1, order_line: expect.objectContaining({ net_price: '11.24' }) }),
    ])
    expect((await market.retailer.get(`${RMAS}?is_acknowledged=0`)).body.results).toEqual([body])
    const order = (await market.retailer.get(`${ORDERS}1/`)).body
    expect(order.rmas).toEqual([
      { id: 1, rma_number: 'RMA-1', status: 'Pending', rmad_at: '2026-11-20T10:00:00.000Z' },
    ])
    expect(order.order_lines[0].quantity_returned).toBe(0)
  })

  it('is of no more than was shipped and other returns hold', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    const lines = [{ variant: { brand_identifier: 'NL-0001' }, quantity: 2 }]
    await market.brand.post(SHIPMENTS, shipmentBody(id, { shipment_lines: lines }))
    const path = `/admin/orders/${id}/rmas/`
    const unshipped = await market.admin.post(path, rmaBody())
    expect([unshipped.status, unshipped.body]).toEqual([
      400,
      { rma_lines: [{}, { quantity: ['Only 0 of 0 shipped are left to be returned.'] }] },
    ])
    const one = { rma_lines: [{ variant: { identifier: 'NL-0001' }, quantity: 1 }] }
    expect((await market.admin.post(path, rmaBody(one))).body.total_amount).toBe('7.87')
    const two = { rma_lines: [{ variant: { identifier: 'NL-0001' }, quantity: 2 }] }
    expect((await market.admin.post(path, rmaBody(two))).body).toEqual({
      rma_lines: [{ quantity: ['Only 1 of 2 shipped are left to be returned.'] }],
    })
    const races = await Promise.all([1, 2, 3].map(() => market.admin.post(path, rmaBody(one))))
    expect(races.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400])
  })

  it('names items of the order, each once, and one of the four reasons', async () => {
    const market = await openShipped()
    const lines = [
      { variant: { identifier: 'NL-0003' }, quantity: 1 },
      { variant: { id: 9001 }, quantity: 1 },
      { variant: { identifier: 'NL-0001' }, quantity: 1 },
    ]
    expect((await market.admin.post('/admin/orders/1/rmas/', rmaBody({ rma_lines: lines }))).body).toEqual({
      rma_lines: [
        { variant: ['The order has no line with this item.'] },
        {},
        { variant: ['Another line names the same item. There is one line per unique item.'] },
      ],
    })
    const wrong = await market.admin.post('/admin/orders/1/rmas/', rmaBody({ reason: 'Bored' }))
    expect([wrong.status, Object.keys(wrong.body)]).toEqual([400, ['reason']])
    expect((await market.retailer.get(RMAS)).body.count).toBe(0)
  })

  it('is accepted once, and moves the lines of the order', async () => {
    const market = await openShipped()
    await market.admin.post('/admin/orders/1/rmas/', rmaBody())
    market.clock.time += 1000
    const accepted = await market.admin.put('/admin/rmas/1/accept/')
    expect(accepted.body.status).toBe('Accepted')
    expect((await market.admin.put('/admin/rmas/1/accept/')).body).toEqual(accepted.body)
    const order = (await market.retailer.get(`${ORDERS}1/`)).body
    expect(order.order_lines.map((line: Record<string, unknown>) => line['quantity_returned'])).toEqual([
      2, 1,
    ])
    expect(order.updated_at).toBe('2026-11-21T02:15:01.000Z')
    expect(order.rmas[0].status).toBe('Accepted')
  })

  it('cannot be worth more than an answer can show', async () => {
    const market = await openMarket()
    const line = { variant: { identifier: 'NL-0001' }, quantity: 2, net_price: '60000000.00', price: '1.00' }
    const id = await placeOrder(market, 'PO-1', { order_lines: [line] })
    const shipped = [{ variant: { brand_identifier: 'NL-0001' }, quantity: 2 }]
    await market.brand.post(SHIPMENTS, shipmentBody(id, { shipment_lines: shipped }))
    const { body } = await market.admin.post(
      `/admin/orders/${id}/rmas/`,
      rmaBody({ rma_lines: [{ variant: { id: 9001 }, quantity: 2 }] }),
    )
    expect(body).toEqual({
      rma_lines: { non_field_errors: ['The lines add up to more than 99999999.99.'] },
    })
  })
})

describe('a credit', () => {
  it('is of the whole return when it names no lines, and refers to the invoice', async () => {
    const market = await openAccepted({ rma_number: 'RMA-1' })
    await market.brand.post(INVOICES, invoiceBody('PO-1'))
    const { status, body } = await credit(market, {
      credit_number: 'CR-1',
      adjustments: [
        { type: 'Restocking fee', amount: '-2.00' },
        { type: 'Goodwill', description: 'Late', amount: '0.50' },
      ],
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      id: 1,
      currency: 'USD',
      order: { id: 1, purchase_order_number: 'PO-1' },
      rma: { id: 1, rma_number: 'RMA-1', rmad_at: NOW_TEXT },
      invoice: { id: 1, invoice_number: 'INV-PO-1', invoiced_at: NOW_TEXT },
      credit_number: 'CR-1',
      subtotal: '26.98',
      adjustments: [
        { type: 'Restocking fee', description: null, amount: '-2.00' },
        { type: 'Goodwill', description: 'Late', amount: '0.50' },
      ],
      credit_amount: '25.48',
      credited_at: NOW_TEXT,
      is_acknowledged: false,
    })
    expect(body.credit_lines).toEqual([
      expect.objectContaining({ quantity: 2, price: '7.87' }),
      expect.objectContaining({ quantity: 1, price: '11.24' }),
    ])
    expect((await market.retailer.get(`${CREDITS}?is_acknowledged=0`)).body.results).toEqual([body])
    expect((await market.retailer.put(`${CREDITS}1/acknowledge/`)).body.is_acknowledged).toBe(true)
    expect((await market.retailer.get(`${ORDERS}1/`)).body.credits).toEqual([
      { id: 1, credit_number: 'CR-1', credit_amount: '25.48', credited_at: NOW_TEXT },
    ])
  })

  it('is only for an accepted return', async () => {
    const market = await openShipped()
    await market.admin.post('/admin/orders/1/rmas/', rmaBody())
    const { status, body } = await credit(market, { credit_number: 'CR-1' })
    expect([status, body]).toEqual([400, { non_field_errors: ['Only an accepted return can be credited.'] }])
  })

  it('shares quantities with the other credits of the return', async () => {
    const market = await openAccepted()
    const one = [{ variant: { identifier: 'NL-0001' }, quantity: 1 }]
    const first = await credit(market, { credit_number: 'CR-1', credit_lines: one })
    expect(first.body).toMatchObject({ subtotal: '7.87', credit_amount: '7.87', invoice: null })
    const two = [{ variant: { identifier: 'NL-0001' }, quantity: 2 }]
    expect((await credit(market, { credit_number: 'CR-2', credit_lines: two })).body).toEqual({
      credit_lines: [{ quantity: ['Only 1 of 2 returned are left to be credited.'] }],
    })
    expect((await credit(market, { credit_number: 'CR-2' })).body).toMatchObject({ subtotal: '19.11' })
    expect((await credit(market, { credit_number: 'CR-3' })).body).toEqual({
      non_field_errors: ['All of the return is credited already.'],
    })
  })

  it("shares the return's value with the other credits, before adjustments", async () => {
    const market = await openAccepted()
    const dear = [{ variant: { identifier: 'NL-0001' }, quantity: 1, price: '26.00' }]
    const first = await credit(market, {
      credit_number: 'CR-1',
      credit_lines: dear,
      adjustments: [{ type: 'Goodwill', amount: '100.00' }],
    })
    expect(first.body).toMatchObject({ subtotal: '26.00', credit_amount: '126.00' })
    const cheap = (price: string) => [{ variant: { identifier: 'NL-0001' }, quantity: 1, price }]
    expect((await credit(market, { credit_number: 'CR-2', credit_lines: cheap('0.99') })).body).toEqual({
      credit_lines: {
        non_field_errors: ['The lines add up to 0.99; 0.98 of the return is left to be credited.'],
      },
    })
    expect((await credit(market, { credit_number: 'CR-2', credit_lines: cheap('0.98') })).status).toBe(201)
  })

  it('is never below zero, and never too large to show', async () => {
    const market = await openAccepted()
    const adjusted = (amount: string) =>
      credit(market, { credit_number: 'CR-1', adjustments: [{ type: 'Fee', amount }] })
    expect((await adjusted('-26.99')).body).toEqual({
      adjustments: { non_field_errors: ['The credit would be -0.01, which is below zero.'] },
    })
    expect((await adjusted('999999.00')).body).toEqual({
      adjustments: { non_field_errors: ['The credit would be more than 999999.99.'] },
    })
    expect((await adjusted('-1')).body).toEqual({
      adjustments: [{ amount: ['Must be a decimal with two decimals, such as -12.50.'] }],
    })
    expect((await adjusted('-26.98')).body).toMatchObject({ subtotal: '26.98', credit_amount: '0.00' })
  })

  it('has a number of its own and items of the return, each once', async () => {
    const market = await openAccepted({ rma_lines: [{ variant: { id: 9001 }, quantity: 2 }] })
    const line = { variant: { identifier: 'NL-0001' }, quantity: 1 }
    await credit(market, { credit_number: 'CR-1', credit_lines: [line] })
    const { status, body } = await credit(market, {
      credit_number: 'CR-1',
      credit_lines: [{ variant: { id: 9002 }, quantity: 1 }, line, { ...line, variant: { id: 9001 } }],
    })
    expect([status, body]).toEqual([
      400,
      {
        credit_number: ['A credit with this credit_number already exists.'],
        credit_lines: [
          { variant: ['The return has no line with this item.'] },
          {},
          { variant: ['Another line names the same item. There is one line per unique item.'] },
        ],
      },
    ])
    expect((await market.retailer.get(CREDITS)).body.count).toBe(1)
  })
})
