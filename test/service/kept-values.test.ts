import { expect, it } from 'vitest'
import {
  BRAND_ORDERS,
  CANCELS,
  openMarket,
  orderBody,
  ORDERS,
  placeOrder,
  shipmentBody,
  SHIPMENTS,
} from './market.ts'

/** An address whose fields are all different. */
function address(mark: string) {
  return {
    type: `${mark} residential`,
    name1: `${mark} name 1`,
    name2: `${mark} name 2`,
    street1: `${mark} street 1`,
    street2: `${mark} street 2`,
    city: `${mark} city`,
    province: 'NY',
    postal_code: `${mark} 12207`,
    country: 'US',
    phone1: `${mark} phone 1`,
    phone2: `${mark} phone 2`,
    fax: `${mark} fax`,
    email: `${mark}@example.com`,
  }
}

it('an order keeps every field as it was sent, none in place of another', async () => {
  const { retailer, brand } = await openMarket()
  const sent = orderBody('PO-1', {
    customer_order_number: 'CUSTOMER-1',
    ship_to: address('ship'),
    sold_to: address('sold'),
    gift_message: ['first', '', 'last'],
  })
  const { body } = await retailer.post(ORDERS, sent)
  expect(body).toMatchObject({ ...sent, ordered_at: '2026-11-20T18:30:00.000Z', order_lines: [{}, {}] })
  expect(body.bill_to).toMatchObject(address('sold'))
  const seen = (await brand.get(`${BRAND_ORDERS}${body.id}/`)).body
  const { type: _type, phone1, phone2: _phone2, fax: _fax, email: _email, ...flat } = address('ship')
  for (const [name, value] of Object.entries(flat)) expect(seen[`ship_to_${name}`]).toBe(value)
  expect(seen.ship_to_phone).toBe(phone1)
})

it('a shipment keeps every field as it was sent, and shows the values of its order', async () => {
  const market = await openMarket()
  const id = await placeOrder(market, 'PO-1', { customer_order_number: 'CUSTOMER-1' })
  const origin = {
    ship_from_name1: 'Dock name 1',
    ship_from_name2: 'Dock name 2',
    ship_from_street1: 'Dock street 1',
    ship_from_street2: 'Dock street 2',
    ship_from_city: 'Newark',
    ship_from_province: 'NJ',
    ship_from_postal_code: '07101',
    ship_from_country: 'US',
    ship_from_phone: '973 555 0100',
  }
  const box = { ship_weight: '2.5', ship_width: '4', ship_length: '10', ship_height: '3' }
  market.clock.time += 60_000
  const { body } = await market.brand.post(
    SHIPMENTS,
    shipmentBody(id, { ...origin, ...box, label_reference: 'REF-1', shipped_at: '2026-11-20T20:00:00Z' }),
  )
  expect(body).toMatchObject({
    ...origin,
    ...box,
    order_id: id,
    purchase_order_number: 'PO-1',
    customer_order_number: 'CUSTOMER-1',
    ordered_at: '2026-11-20T18:30:00.000Z',
    shipped_at: '2026-11-20T20:00:00.000Z',
    label_reference: 'REF-1',
    tracking_number: 'TRACK-1',
    batch_number: 20261121,
    valid_packing_slip: true,
    ship_girth: '24',
    ship_volume: '120',
  })
  const seen = (await market.retailer.get(`/v1/retailers/1000/shipments/${body.id}/`)).body
  expect(seen.ship_from).toMatchObject({
    name1: 'Dock name 1',
    name2: 'Dock name 2',
    street1: 'Dock street 1',
    street2: 'Dock street 2',
    phone1: '973 555 0100',
    phone2: null,
  })
  await market.admin.patch('/admin/connections/100/', { packing_slips: false })
  const after = (await market.retailer.get(`/v1/retailers/1000/shipments/${body.id}/`)).body
  expect(after.valid_packing_slip).toBe(false)
  const slip = await market.brand.get(`${SHIPMENTS}${body.id}/packing_slip/`)
  expect([slip.status, slip.body]).toEqual([
    400,
    { non_field_errors: ['The shipment may not have a packing slip.'] },
  ])
})

it('a return and its credit show each of their times, and the one of the order', async () => {
  const market = await openMarket()
  const id = await placeOrder(market, 'PO-1')
  await market.brand.post(SHIPMENTS, shipmentBody(id))
  market.clock.time += 60_000
  const { body: rma } = await market.admin.post(`/admin/orders/${id}/rmas/`, {
    created_by: 'retailer',
    reason: 'Customer Disposition',
    rmad_at: '2026-11-20T21:00:00Z',
    rma_lines: [{ variant: { id: 9001 }, quantity: 1 }],
  })
  expect(rma).toMatchObject({
    ordered_at: '2026-11-20T18:30:00.000Z',
    received_at: '2026-11-21T02:16:00.000Z',
    rmad_at: '2026-11-20T21:00:00.000Z',
    total_amount: '7.87',
  })
  market.clock.time += 60_000
  await market.admin.put(`/admin/rmas/${rma.id}/accept/`)
  market.clock.time += 60_000
  const { body: credit } = await market.admin.post(`/admin/rmas/${rma.id}/credits/`, { credit_number: 'C-1' })
  expect(credit).toMatchObject({
    order: { id, purchase_order_number: 'PO-1', ordered_at: '2026-11-20T18:30:00.000Z' },
    rma: { id: rma.id, rma_number: null, rmad_at: '2026-11-20T21:00:00.000Z' },
    credited_at: '2026-11-21T02:18:00.000Z',
    subtotal: '7.87',
    credit_amount: '7.87',
  })
})

it('an order that was closed by hand cannot be canceled', async () => {
  const market = await openMarket()
  const id = await placeOrder(market, 'PO-1')
  await market.brand.put(`${BRAND_ORDERS}${id}/close/`)
  const cancel_lines = [{ variant: { id: 9001 }, quantity: 1 }]
  const { status, body } = await market.retailer.post(CANCELS, { order_id: id, reason_id: 1, cancel_lines })
  expect([status, body]).toEqual([400, { order_id: ['The order is closed.'] }])
})

it('a shipment is open until its label is fetched, where the label is made then', async () => {
  const market = await openMarket({ switches: { labelMade: 'fetch' } })
  const id = await placeOrder(market, 'PO-1')
  const { body: shipment } = await market.brand.post(
    SHIPMENTS,
    shipmentBody(id, {
      carrier_id: null,
      tracking_number: null,
      shipping_account_id: 500,
      ship_weight: '2.5',
      ship_width: '4',
      ship_length: '10',
      ship_height: '3',
    }),
  )
  expect(shipment).toMatchObject({ status: 'open', tracking_number: null, shipped_at: null })
  market.clock.time += 60_000
  expect((await market.brand.get(`${SHIPMENTS}${shipment.id}/shipping_label/`)).status).toBe(200)
  const seen = (await market.retailer.get(`/v1/retailers/1000/shipments/${shipment.id}/`)).body
  expect(seen).toMatchObject({ status: 'closed', shipped_at: '2026-11-21T02:16:00.000Z' })
  expect(seen.tracking_number).toMatch(/^FDEG\d{12}$/)
})
