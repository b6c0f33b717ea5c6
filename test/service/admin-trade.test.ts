import { describe, expect, it } from 'vitest'
import { tempFolder } from '../fixtures/temp-folder.ts'
import {
  askToken,
  callerOf,
  type Market,
  openMarket,
  orderBody,
  ORDERS,
  placeOrder,
  tokenFor,
} from './market.ts'

const PARTIES = '/admin/parties/'
const CONNECTIONS = '/admin/connections/'

/** A caller for the client in an answer. */
async function callerFor({ service }: Market, client: { client_id: string; client_secret: string }) {
  return callerOf(service.baseUrl, await tokenFor(service, client.client_id, client.client_secret))
}

const newRetailer = (changes: Record<string, unknown> = {}) => ({
  kind: 'retailer',
  name: 'Oak & Ash',
  code: 'OAKASH',
  acknowledge_within_hours: 12,
  ...changes,
})

const connectionBody = (changes: Record<string, unknown> = {}) => ({
  retailer_id: 1001,
  brand_id: 2000,
  level: 'Full',
  status: 'Active',
  fulfill_within_hours: 48,
  shipping_method_ids: [3, 10],
  ...changes,
})

describe('a party', () => {
  it('comes with an account and a client whose secret is shown once', async () => {
    const market = await openMarket()
    const made = await market.admin.post(PARTIES, newRetailer())
    expect(made.status).toBe(201)
    expect(made.headers.get('cache-control')).toBe('no-store')
    expect(made.body).toMatchObject({
      kind: 'retailer',
      id: 1001,
      name: 'Oak & Ash',
      code: 'OAKASH',
      acknowledge_within_hours: 12,
      client: { scope: 'read write', revoked_at: null },
    })
    const caller = await callerFor(market, made.body.client)
    expect((await caller.get('/v1/retailers/')).body.results).toEqual([
      { id: 1001, name: 'Oak & Ash', code: 'OAKASH' },
    ])
    expect((await caller.get('/v1/retailers/1001/orders/')).body.count).toBe(0)
    expect((await caller.get('/v1/retailers/1000/orders/')).status).toBe(403)

    const listed = await market.admin.get(PARTIES)
    expect(listed.body.results.map(({ kind, id }: { kind: string; id: number }) => `${kind} ${id}`)).toEqual([
      'brand 2000',
      'brand 2001',
      'retailer 1000',
      'retailer 1001',
    ])
    const { account_id, client } = made.body
    expect(listed.body.results[3].clients).toEqual([
      { client_id: client.client_id, account_id, scope: 'read write', revoked_at: null },
    ])
    expect(JSON.stringify(listed.body)).not.toContain(client.client_secret)
  })

  it('may belong to an account that exists, and its clients serve both', async () => {
    const market = await openMarket()
    const { account_id } = (await market.admin.get(PARTIES)).body.results[0]
    const { body } = await market.admin.post(PARTIES, {
      kind: 'brand',
      name: 'Northlight Outlet',
      code: 'NLOUT',
      account_id,
    })
    expect(body).toMatchObject({ id: 2002, account_id, acknowledge_within_hours: null, client: null })
    expect((await market.brand.get('/v1/brands/')).body.results.map(({ id }: { id: number }) => id)).toEqual([
      2000, 2002,
    ])
  })

  it('is refused without a deadline for a retailer, or for an account that does not exist', async () => {
    const { admin } = await openMarket()
    const late = await admin.post(PARTIES, newRetailer({ acknowledge_within_hours: undefined }))
    expect([late.status, late.body]).toEqual([400, { acknowledge_within_hours: ['This field is required.'] }])
    expect((await admin.post(PARTIES, newRetailer({ account_id: 77 }))).body).toEqual({
      account_id: ['Account 77 does not exist.'],
    })
    expect((await admin.post(PARTIES, {})).body).toMatchObject({ name: ['This field is required.'] })
    expect((await admin.get(PARTIES)).body.count).toBe(3)
  })
})

describe('a client', () => {
  it('may read only, and ends when it is revoked', async () => {
    const market = await openMarket()
    const { account_id } = (await market.admin.get(PARTIES)).body.results[2]
    const made = await market.admin.post(`/admin/accounts/${account_id}/clients/`, { scope: 'read' })
    expect([made.status, made.body.scope]).toEqual([201, 'read'])
    const reader = await callerFor(market, made.body)
    expect((await reader.get(ORDERS)).status).toBe(200)
    expect((await reader.post(ORDERS, orderBody('PO-1'))).status).toBe(403)

    const revoked = await market.admin.put(`/admin/clients/${made.body.client_id}/revoke/`)
    expect(revoked.body).toEqual({
      client_id: made.body.client_id,
      account_id,
      scope: 'read',
      revoked_at: '2026-11-21T02:15:00.000Z',
    })
    expect((await reader.get(ORDERS)).status).toBe(401)
    const form = { grant_type: 'client_credentials', ...made.body }
    expect((await askToken(market.service, form)).body).toEqual({ error: 'invalid_client' })
    market.clock.time += 1000
    expect((await market.admin.put(`/admin/clients/${made.body.client_id}/revoke/`)).body).toEqual(
      revoked.body,
    )
    expect((await market.retailer.get(ORDERS)).status).toBe(200)
  })

  it('of an administrator is an administrator too, with a scope of its own', async () => {
    const market = await openMarket()
    // the account of the administrator is the first of a fresh database
    const { status, body } = await market.admin.post('/admin/accounts/1/clients/', { scope: 'read' })
    expect(status).toBe(201)
    const reader = await callerFor(market, body)
    expect((await reader.get('/admin/counts/')).status).toBe(200)
    expect((await reader.post(PARTIES, newRetailer())).status).toBe(403)
  })
})

describe('a carrier', () => {
  const body = {
    name: 'Cross Jordan',
    code: 'CJCD',
    shipping_methods: [
      { name: 'Threshold', code: 'CJ_LTL', type: 'freight', generic_id: 4 },
      { name: 'Room', code: 'CJ_ROOM' },
    ],
  }

  it('is found by every party with its methods', async () => {
    const market = await openMarket()
    const made = await market.admin.post('/admin/carriers/', body)
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      id: 4,
      name: 'Cross Jordan',
      code: 'CJCD',
      shipping_methods: [
        { code: 'CJ_LTL', type: 'freight', generic_shipping_method: { name: 'LTL', type: 'freight' } },
        { code: 'CJ_ROOM', type: null, generic_shipping_method: null },
      ],
    })
    expect((await market.brand.get('/v1/carriers/4/')).body).toEqual(made.body)
  })

  it('has a code of its own, and so has each method', async () => {
    const { admin } = await openMarket()
    const [first] = body.shipping_methods
    const wrong = {
      ...body,
      code: 'FDEG',
      shipping_methods: [first, { ...first, generic_id: 99 }],
    }
    const { status, body: refusal } = await admin.post('/admin/carriers/', wrong)
    expect([status, refusal]).toEqual([
      400,
      {
        code: ['A carrier with this code already exists.'],
        shipping_methods: [
          {},
          {
            code: ['Another method has the same code.'],
            generic_id: ['Requested shipping method 99 does not exist.'],
          },
        ],
      },
    ])
    const races = await Promise.all([1, 2].map(() => admin.post('/admin/carriers/', body)))
    expect(races.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([201, 400])
  })
})

describe('a connection', () => {
  it('that is open lets the retailer order what the brand sells', async () => {
    const market = await openMarket()
    const made = await market.admin.post(PARTIES, newRetailer())
    const retailer = await callerFor(market, made.body.client)
    const before = await retailer.post('/v1/retailers/1001/orders/', orderBody('PO-1'))
    expect(before.status).toBe(400)

    const connected = await market.admin.post(CONNECTIONS, connectionBody())
    expect(connected.status).toBe(201)
    expect(connected.body).toEqual({
      id: 102,
      retailer_id: 1001,
      brand_id: 2000,
      message: 'The retailer and the supplier are connected.',
      level: 'Full',
      status: 'Active',
      fulfill_within_hours: 48,
      shipping_method_ids: [3, 10],
      signature_required: false,
      packing_slips: true,
      shipping_accounts: [],
    })
    expect((await retailer.get('/v1/retailers/1001/variants/')).body.count).toBe(200)
    const placed = await retailer.post('/v1/retailers/1001/orders/', orderBody('PO-1'))
    expect(placed.body).toMatchObject({
      retailer: { id: 1001 },
      acknowledge_by: '2026-11-21T14:15:00.000Z',
      fulfill_by: '2026-11-23T02:15:00.000Z',
    })
    expect((await retailer.get('/v1/retailers/1001/connections/')).body.results).toMatchObject([
      { id: 102, brand: { id: 2000 }, level: 'Full', status: 'Active' },
    ])
  })

  it('is opened later, and offers the items then', async () => {
    const market = await openMarket()
    const made = await market.admin.post(PARTIES, newRetailer())
    const retailer = await callerFor(market, made.body.client)
    await market.admin.post(CONNECTIONS, connectionBody({ level: 'Basic', status: 'Pending' }))
    expect((await retailer.get('/v1/retailers/1001/variants/')).body.count).toBe(0)
    await market.admin.patch(`${CONNECTIONS}102/`, { level: 'Full' })
    expect((await retailer.get('/v1/retailers/1001/variants/')).body.count).toBe(0)
    const opened = await market.admin.patch(`${CONNECTIONS}102/`, { status: 'Active' })
    expect(opened.body).toMatchObject({ level: 'Full', status: 'Active', fulfill_within_hours: 48 })
    expect((await retailer.get('/v1/retailers/1001/variants/')).body.count).toBe(200)
  })

  it('changes its terms at once', async () => {
    const market = await openMarket()
    const path = `${CONNECTIONS}100/`
    const suspended = await market.admin.patch(path, { status: 'Suspended', message: 'On hold.' })
    expect(suspended.body).toMatchObject({ status: 'Suspended', message: 'On hold.', level: 'Full' })
    expect((await market.retailer.post(ORDERS, orderBody('PO-1'))).status).toBe(400)

    await market.admin.patch(path, { status: 'Active', shipping_method_ids: [10], signature_required: true })
    const { body } = await market.retailer.post(ORDERS, orderBody('PO-1'))
    expect(body).toEqual({
      shipping_method: { code: ['"FEDEX_GROUND" of "FDEG" is not allowed by the connection.'] },
    })
    const ups = { code: 'UPS_GROUND', carrier: { code: 'UPSN' } }
    const id = await placeOrder(market, 'PO-1', { shipping_method: ups })
    expect((await market.brand.get(`/v1/brands/2000/orders/${id}/`)).body.shipping_accounts).toHaveLength(1)
    expect((await market.admin.get(CONNECTIONS)).body.results[0]).toMatchObject({
      id: 100,
      message: 'On hold.',
      shipping_method_ids: [10],
      signature_required: true,
      packing_slips: true,
    })
  })

  it('is between parties that exist and are not connected, with methods that exist', async () => {
    const { admin } = await openMarket()
    const { status, body } = await admin.post(
      CONNECTIONS,
      connectionBody({ retailer_id: 77, brand_id: 78, shipping_method_ids: [3, 3, 99] }),
    )
    expect([status, body]).toEqual([
      400,
      {
        retailer_id: ['Retailer 77 does not exist.'],
        brand_id: ['Brand 78 does not exist.'],
        shipping_method_ids: {
          1: ['Another entry names the same method.'],
          2: ['Shipping method 99 does not exist.'],
        },
      },
    ])
    expect((await admin.post(CONNECTIONS, connectionBody({ retailer_id: 1000 }))).body).toEqual({
      brand_id: ['Retailer 1000 and brand 2000 are connected already.'],
    })
    expect((await admin.patch(`${CONNECTIONS}100/`, { level: 'Half', message: '' })).body).toMatchObject({
      message: ['This field may not be blank.'],
    })
    expect((await admin.get(CONNECTIONS)).body.count).toBe(2)
  })

  it('is made once, even when two are made at the same time', async () => {
    const market = await openMarket()
    await market.admin.post(PARTIES, newRetailer())
    const answers = await Promise.all([1, 2].map(() => market.admin.post(CONNECTIONS, connectionBody())))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400])
  })

  it('lasts over a restart', async () => {
    const data = await tempFolder()
    const market = await openMarket({ data })
    await market.admin.post(PARTIES, newRetailer())
    const { body } = await market.admin.post(CONNECTIONS, connectionBody())
    await market.service.close()
    const again = await openMarket({ data })
    expect((await again.admin.get(CONNECTIONS)).body.results[2]).toEqual(body)
  })
})

describe('a shipping account', () => {
  const path = `${CONNECTIONS}100/shipping-accounts/`
  const account = {
    carrier_id: 2,
    nickname: 'Northlight UPS',
    owner_type: 'brand',
    shipping_method_ids: [10],
  }

  it('is among those of the orders of its connection', async () => {
    const market = await openMarket()
    const { status, body } = await market.admin.post(path, account)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: 502,
      nickname: 'Northlight UPS',
      owner_type: 'brand',
      carrier: { id: 2, name: 'UPS', code: 'UPSN' },
      shipping_methods: [{ id: 10, name: 'UPS Ground', code: 'UPS_GROUND' }],
    })
    const id = await placeOrder(market, 'PO-1')
    const order = await market.brand.get(`/v1/brands/2000/orders/${id}/`)
    expect(order.body.shipping_accounts[1]).toEqual(body)
  })

  it('has methods of its carrier', async () => {
    const { admin } = await openMarket()
    const { status, body } = await admin.post(path, { ...account, shipping_method_ids: [10, 3] })
    expect([status, body]).toEqual([
      400,
      { shipping_method_ids: { 1: ['Carrier 2 has no shipping method 3.'] } },
    ])
    expect((await admin.post(path, { ...account, carrier_id: 99 })).body).toEqual({
      carrier_id: ['Carrier 99 does not exist.'],
    })
    expect((await admin.post(path, { ...account, owner_type: 'carrier' })).status).toBe(400)
  })
})
