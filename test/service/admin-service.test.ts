import { describe, expect, it } from 'vitest'
import { SWITCH_NAMES } from '../../src/service/switches.ts'
import {
  CANCELS,
  INVOICES,
  invoiceBody,
  openMarket,
  ORDERS,
  orderBody,
  placeAndShip,
  placeOrder,
  shipmentBody,
} from './market.ts'

const SWITCHES = '/admin/switches/'

describe('the switches', () => {
  it('are shown, all of them, and set for the next request', async () => {
    const { admin, retailer } = await openMarket()
    const shown = await admin.get(SWITCHES)
    expect(Object.keys(shown.body)).toEqual([...SWITCH_NAMES])
    expect(shown.body).toMatchObject({ envelope: 'object', createAnswer: 201, faultLimit: 9007199254740991 })

    const result = await admin.patch(SWITCHES, { envelope: 'array', createAnswer: '200', ids: 'text' })
    expect(result.status).toBe(200)
    expect(result.body).toEqual({ ...shown.body, envelope: 'array', createAnswer: 200, ids: 'text' })
    expect((await retailer.get(ORDERS)).body).toEqual([])
    expect((await admin.get(SWITCHES)).body).toEqual(result.body)
  })

  it('leave the answers of the administration as they are', async () => {
    const { admin } = await openMarket({ switches: { envelope: 'array', ids: 'text', enumCase: 'upper' } })
    const { body } = await admin.get('/admin/parties/')
    expect(body.results[0]).toMatchObject({ kind: 'brand', id: 2000 })
    expect(body.count).toBe(3)
  })

  it('are named when they are wrong, and then none is set', async () => {
    const { admin } = await openMarket()
    const { status, body } = await admin.patch(SWITCHES, { ids: 'text', envelop: 'array', loseAnswer: 2 })
    expect([status, body]).toEqual([
      400,
      {
        envelop: ['There is no such switch. Did you mean "envelope"?'],
        loseAnswer: ['2 is not a number from 0 to 1.'],
      },
    ])
    expect((await admin.get(SWITCHES)).body.ids).toBe('number')
    expect((await admin.patch(SWITCHES, [])).status).toBe(400)
  })
})

describe('the counts', () => {
  it('show what there is, what is acknowledged and which faults struck', async () => {
    const market = await openMarket()
    const { admin, retailer, brand } = market
    await placeAndShip(market, 'PO-1')
    await brand.post(INVOICES, invoiceBody('PO-1'))
    await retailer.put('/v1/retailers/1000/shipments/1/acknowledge/')
    await admin.post('/admin/orders/1/rmas/', {
      created_by: 'brand',
      reason: 'Customer Disposition',
      rma_lines: [{ variant: { identifier: 'NL-0001' }, quantity: 1 }],
    })
    await admin.put('/admin/rmas/1/accept/')
    await admin.post('/admin/rmas/1/credits/', { credit_number: 'CR-1' })
    const second = await placeOrder(market, 'PO-2')
    await brand.put(`/v1/brands/2000/orders/${second}/acknowledge/`)
    await admin.post(`/admin/orders/${second}/cancels/`, {
      reason_id: 2,
      cancel_lines: [{ variant: { identifier: 'NL-0001' }, quantity: 1 }],
    })
    await retailer.put(`${CANCELS}1/acknowledge/`)
    await admin.patch(SWITCHES, { error500Before: 1, faultLimit: 1 })
    expect((await retailer.post(ORDERS, orderBody('PO-3'))).status).toBe(500)

    const { status, body } = await admin.get('/admin/counts/')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      orders: 2,
      acknowledgedOrders: 1,
      cancels: 1,
      acknowledgedCancels: 1,
      shipments: 1,
      acknowledgedShipments: 1,
      invoices: 1,
      acknowledgedInvoices: 0,
      rmas: 1,
      acknowledgedRmas: 0,
      credits: 1,
      acknowledgedCredits: 0,
      variants: 300,
      faults: { error500Before: 1, loseAnswer: 0 },
    })
    expect(market.service.counts()).toEqual({ ...body, faults: undefined })
  })
})

describe('by the calls of the API and the administration', () => {
  it('every status and list of the API is reached', async () => {
    const market = await openMarket()
    const { admin, retailer, brand } = market
    const reason = { created_by: 'retailer', reason: 'Item did not meet customer expectations' }
    const line = (quantity: number) => [{ variant: { identifier: 'NL-0001' }, quantity }]
    await placeAndShip(market, 'PO-closed')
    await placeOrder(market, 'PO-open')
    const partial = await placeOrder(market, 'PO-partial')
    await brand.post('/v1/brands/2000/shipments/', {
      ...shipmentBody(partial),
      shipment_lines: [{ variant: { brand_identifier: 'NL-0001' }, quantity: 2 }],
    })
    const canceled = await placeOrder(market, 'PO-canceled', {
      order_lines: [{ variant: { identifier: 'NL-0001' }, quantity: 1, net_price: '7.87', price: '16.73' }],
    })
    await admin.post(`/admin/orders/${canceled}/cancels/`, { reason_id: 5, cancel_lines: line(1) })
    await admin.put('/admin/shipments/1/deliver/')
    await admin.post('/admin/orders/1/rmas/', { ...reason, rma_lines: line(1) })
    await admin.post('/admin/orders/1/rmas/', { ...reason, rma_lines: line(1) })
    await admin.put('/admin/rmas/1/accept/')
    await admin.post('/admin/rmas/1/credits/', { credit_number: 'CR-1' })
    await admin.patch('/admin/variants/9001/stock/', { locations: [{ code: 'EAST', inventory: 0 }] })

    const count = async (path: string) => (await retailer.get(`/v1/retailers/1000/${path}`)).body.count
    for (const status of ['open', 'partial', 'closed', 'canceled']) {
      expect([status, await count(`orders/?status=${status}`)]).toEqual([status, 1])
    }
    expect(await count('shipments/?is_picked_up=1')).toBe(1)
    expect(await count('shipments/?is_picked_up=0')).toBe(1)
    expect(await count('cancels/?is_acknowledged=0')).toBe(1)
    expect(await count('credits/?is_acknowledged=0')).toBe(1)
    expect(await count('variants/?in_stock=0')).toBeGreaterThan(0)
    const { body } = await retailer.get('/v1/retailers/1000/rmas/')
    expect(body.results.map(({ status }: { status: string }) => status)).toEqual(['Accepted', 'Pending'])
  })
})
