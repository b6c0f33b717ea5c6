import { describe, expect, it } from 'vitest'
import {
  askToken,
  BRAND_ORDERS,
  callerOf,
  CANCELS,
  CREDENTIALS,
  invoiceBody,
  INVOICES,
  item,
  type Market,
  openMarket,
  orderBody,
  ORDERS,
  placeOrder,
  shipmentBody,
  SHIPMENTS,
  tokenFor,
} from './market.ts'
import { addVariant, attributes, type Bazaar, BRAND_VARIANTS, openBazaar } from './variant-samples.ts'

const OTHER_ORDERS = '/v1/retailers/1001/orders/'
const line = (variant: Record<string, unknown>, quantity = 1) => ({
  variant,
  quantity,
  net_price: '1.00',
  price: '2.00',
})

async function placed(market: Bazaar, path: string, body: unknown): Promise<number> {
  const caller = path === OTHER_ORDERS ? market.otherRetailer : market.retailer
  const answer = await caller.post(path, body)
  expect(answer.status).toBe(201)
  return answer.body.id
}

describe('one purchase order number of two retailers', () => {
  const one = (changes = {}) =>
    orderBody('SAME', { order_lines: [line({ identifier: 'LAMP-1' })], ...changes })
  const lamp = { shipment_lines: [{ variant: { brand_identifier: 'LAMP-1' }, quantity: 1 }] }
  const invoiced = {
    due_amount: '1.00',
    invoice_lines: [{ variant: { identifier: 'LAMP-1' }, quantity: 1, net_price: '1.00' }],
  }

  it.each([
    [
      'canceled',
      async (market: Bazaar, id: number) => {
        const cancel_lines = [{ variant: { identifier: 'LAMP-1' }, quantity: 1 }]
        await market.otherRetailer.post('/v1/retailers/1001/cancels/', {
          order_id: id,
          reason_id: 1,
          cancel_lines,
        })
      },
    ],
    ['still open', async () => undefined],
  ] as const)(
    'does not keep the shipped order from being invoiced when the other is %s',
    async (_, happens) => {
      const market = await openBazaar()
      await addVariant(market, 'LAMP-1')
      await happens(market, await placed(market, OTHER_ORDERS, one()))
      const id = await placed(market, ORDERS, one())
      await market.brand.post(SHIPMENTS, shipmentBody(id, lamp))
      const invoice = await market.brand.post(INVOICES, invoiceBody('SAME', invoiced))
      expect([invoice.status, invoice.body.retailer?.id]).toEqual([201, 1000])
    },
  )

  it('means the oldest when both can be invoiced, and then the other', async () => {
    const market = await openBazaar()
    await addVariant(market, 'LAMP-1')
    for (const path of [OTHER_ORDERS, ORDERS]) {
      await market.brand.post(SHIPMENTS, shipmentBody(await placed(market, path, one()), lamp))
    }
    const retailers = []
    for (const invoice_number of ['A', 'B', 'C']) {
      const { body } = await market.brand.post(INVOICES, invoiceBody('SAME', { ...invoiced, invoice_number }))
      retailers.push(body.retailer?.id)
    }
    expect(retailers).toEqual([1001, 1000, undefined])
  })
})

it("an item is the one whose retailer SKU it is, also where another item has that number as its supplier's", async () => {
  const market = await openBazaar()
  await addVariant(market, 'U1')
  const other = await addVariant(market, 'U2')
  await market.brand.patch(`${BRAND_VARIANTS}${other}/`, attributes({ retailer_sku: 'U1' }, 1000))
  const order_lines = [line({ upc: item('NL-0001').upc }), line({ identifier: 'U1' }, 3)]
  const named = order_lines.slice(1)
  const id = await placed(market, ORDERS, orderBody('PO-1', { order_lines: named }))
  const cancel = await market.retailer.post(CANCELS, {
    order_id: id,
    reason_id: 1,
    cancel_lines: [{ variant: { identifier: 'U1' }, quantity: 1 }],
  })
  expect(cancel.body.cancel_lines[0].variant.id).toBe(other)
})

describe('two lines with one UPC', () => {
  async function ordered(market: Bazaar): Promise<number> {
    await addVariant(market, 'U1', { upc: '012345678905' })
    await addVariant(market, 'U2', { upc: '012345678905' })
    const order_lines = [line({ identifier: 'U1' }), line({ identifier: 'U2' })]
    return placed(market, ORDERS, orderBody('PO-1', { order_lines }))
  }
  const shipped = (id: number, variant: Record<string, unknown>) =>
    shipmentBody(id, { shipment_lines: [{ variant, quantity: 1 }] })

  it('are distinguished by the brand_identifier beside it', async () => {
    const market = await openBazaar()
    const id = await ordered(market)
    const variant = { upc: '012345678905', brand_identifier: 'U2' }
    const { status, body } = await market.brand.post(SHIPMENTS, shipped(id, variant))
    expect([status, body.shipment_lines?.[0].variant.brand_identifier]).toEqual([201, 'U2'])
  })

  it('are refused when the UPC stands alone', async () => {
    const market = await openBazaar()
    const id = await ordered(market)
    const { status, body } = await market.brand.post(SHIPMENTS, shipped(id, { upc: '012345678905' }))
    expect([status, body]).toEqual([
      400,
      {
        shipment_lines: [
          { variant: ['Several lines of the order have this UPC; name the item by its own number.'] },
        ],
      },
    ])
  })
})

it('an item made at the very moment of a new connection is offered to the retailer', async () => {
  const market = await openBazaar()
  const connect = market.admin.post('/admin/connections/', {
    retailer_id: 1003,
    brand_id: 2000,
    level: 'Full',
    status: 'Active',
    fulfill_within_hours: 72,
    shipping_method_ids: [3],
  })
  const made = Array.from({ length: 20 }, (_, index) =>
    market.brand.post(BRAND_VARIANTS, attributes({ identifier: `NEW-${index}` })),
  )
  expect((await connect).status).toBe(201)
  const ids = (await Promise.all(made)).map(({ body }) => body.id)
  const offered = market.service.counts()
  expect(offered.variants).toBeGreaterThanOrEqual(20)
  const parties = (await market.admin.get('/admin/parties/')).body.results
  const account = parties.find((party: { id: number }) => party.id === 1003).account_id
  const client = (await market.admin.post(`/admin/accounts/${account}/clients/`, {})).body
  const token = await tokenFor(market.service, client.client_id, client.client_secret)
  const listed = await callerOf(market.service.baseUrl, token).get('/v1/retailers/1003/variants/?limit=250')
  expect(listed.body.results.map(({ id }: { id: number }) => id)).toEqual(expect.arrayContaining(ids))
})

describe('an order', () => {
  const order = async (market: Market, id: number) => (await market.retailer.get(`${ORDERS}${id}/`)).body

  it('shows by updated_at every change of any part of it', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    const steps: (() => Promise<{ status: number }>)[] = [
      () => market.brand.put(`${BRAND_ORDERS}${id}/acknowledge/`),
      () => market.brand.put(`${BRAND_ORDERS}${id}/close/`),
      () => market.brand.post(SHIPMENTS, shipmentBody(id)),
      () => market.brand.post(INVOICES, invoiceBody('PO-1')),
    ]
    let before = (await order(market, id)).updated_at
    for (const step of steps) {
      market.clock.time += 60_000
      expect((await step()).status).toBeLessThan(300)
      const { updated_at } = await order(market, id)
      expect(Date.parse(updated_at)).toBe(market.clock.time)
      expect(updated_at > before).toBe(true)
      before = updated_at
    }
  })

  it.each([
    ['2026-11-20T10:00:00+00:00', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T10:00:00-05:00', '2026-11-20T15:00:00.000Z'],
    ['2026-11-20 10:00:00', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20t10:00:00z', '2026-11-20T10:00:00.000Z'],
  ])('takes %s as the time it was placed', async (written, kept) => {
    const market = await openMarket()
    const { status, body } = await market.retailer.post(ORDERS, orderBody('PO-1', { ordered_at: written }))
    expect([status, body.ordered_at]).toEqual([201, kept])
  })

  it.each(['   ', 'a\u0000b', 'half \ud800'])('refuses %j as a text', async (text) => {
    const market = await openMarket()
    const { status, body } = await market.retailer.post(ORDERS, orderBody(text))
    expect([status, Object.keys(body)]).toEqual([400, ['purchase_order_number']])
  })
})

it('a page that became empty meanwhile still leads to all that follows', async () => {
  const market = await openMarket()
  for (let number = 1; number <= 6; number += 1) await placeOrder(market, `PO-${number}`)
  const { brand, service } = market
  const follow = (link: string) => brand.get(link.slice(service.baseUrl.length))
  const first = await brand.get(`${BRAND_ORDERS}?is_acknowledged=0&limit=2`)
  const second = await follow(first.body.next)
  for (const { id } of first.body.results) await brand.put(`${BRAND_ORDERS}${id}/acknowledge/`)
  const back = await follow(second.body.previous)
  expect(back.body.results).toEqual([])
  const again = await follow(back.body.next)
  expect(again.body.results.map(({ id }: { id: number }) => id)).toEqual([3, 4])
  expect((await brand.get(`${BRAND_ORDERS}?after=1&before=5`)).body).toEqual({
    before: ['A page goes on after an id or before one, not both.'],
  })
})

it('a token that may only read does not make a label', async () => {
  const market = await openMarket({ switches: { labelMade: 'fetch' } })
  const id = await placeOrder(market, 'PO-1')
  const made = {
    carrier_id: null,
    tracking_number: null,
    shipping_account_id: 500,
    ship_weight: '2.5',
    ship_width: '4',
    ship_length: '10',
    ship_height: '3',
  }
  const { body: shipment } = await market.brand.post(SHIPMENTS, shipmentBody(id, made))
  expect(shipment).toMatchObject({ status: 'open', tracking_number: null })
  const { clientId, clientSecret } = CREDENTIALS[1]
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const { access_token } = (await askToken(market.service, { ...form, scope: 'read' })).body
  const label = `${market.service.baseUrl}${SHIPMENTS}${shipment.id}/shipping_label/`
  const headers = { authorization: `Bearer ${access_token}` }
  expect((await fetch(label, { headers })).status).toBe(403)
  expect((await fetch(label, { method: 'HEAD', headers })).status).toBe(405)
  const seen = await market.retailer.get(`/v1/retailers/1000/shipments/${shipment.id}/`)
  expect(seen.body).toMatchObject({ status: 'open', tracking_number: null })
})

it('switches turned to nonsense of any depth are refused by name', async () => {
  const { admin, service } = await openMarket()
  const answer = await fetch(`${service.baseUrl}/admin/switches/`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
    body: `{"envelope":${'['.repeat(5000)}${']'.repeat(5000)}}`,
  })
  expect([answer.status, Object.keys((await answer.json()) as object)]).toEqual([400, ['envelope']])
})
