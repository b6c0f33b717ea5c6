import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../src/contract/endpoints.ts'
import { ADMIN_ENDPOINTS } from '../../src/service/endpoints.ts'
import { callerOf, type Caller, openMarket } from './market.ts'

const ENDPOINTS: readonly Endpoint[] = Object.values(ADMIN_ENDPOINTS)

function call(caller: Caller, { method, path }: Endpoint) {
  const address = path.replace('{id}', '4000000').replace('{name}', 'nobody')
  if (method === 'GET') return caller.get(address)
  if (method === 'PUT') return caller.put(address)
  return method === 'POST' ? caller.post(address, {}) : caller.patch(address, {})
}

describe('the administration', () => {
  it('lets in neither retailers nor brands, nor callers without a token', async () => {
    const market = await openMarket()
    const unknownCaller = callerOf(market.service.baseUrl, 'no-such-token')
    for (const endpoint of ENDPOINTS) {
      expect([endpoint.path, (await call(market.retailer, endpoint)).status]).toEqual([endpoint.path, 403])
      expect([endpoint.path, (await call(market.brand, endpoint)).status]).toEqual([endpoint.path, 403])
      expect([endpoint.path, (await call(unknownCaller, endpoint)).status]).toEqual([endpoint.path, 401])
    }
    expect((await market.retailer.get('/admin/counts/')).body).toEqual({
      detail: 'You do not have permission to perform this action.',
    })
  })

  it('does not let its own clients into the contexts of retailers and brands', async () => {
    const { admin } = await openMarket()
    expect((await admin.get('/v1/retailers/1000/orders/')).status).toBe(403)
    expect((await admin.get('/v1/brands/2000/orders/')).status).toBe(403)
  })

  it('answers 404 for every address that does not exist', async () => {
    const { admin } = await openMarket()
    const bodies: Readonly<Record<string, unknown>> = {
      '/admin/orders/{id}/cancels/': {
        reason_id: 2,
        cancel_lines: [{ variant: { id: 9001 }, quantity: 1 }],
      },
      '/admin/orders/{id}/rmas/': {
        created_by: 'brand',
        reason: 'Customer Disposition',
        rma_lines: [{ variant: { id: 9001 }, quantity: 1 }],
      },
      '/admin/rmas/{id}/credits/': { credit_number: 'CR-1' },
      '/admin/variants/{id}/stock/': { locations: [{ code: 'EAST', inventory: 1 }] },
      '/admin/connections/{id}/shipping-accounts/': {
        carrier_id: 1,
        nickname: 'Ours',
        owner_type: 'brand',
        shipping_method_ids: [3],
      },
    }
    const named = ENDPOINTS.filter(({ path }) => /\{\w+\}/.test(path))
    expect(named).toHaveLength(13)
    for (const { method, path } of named) {
      const address = path.replace('{id}', '999').replace('{name}', 'nobody')
      const body = bodies[path] ?? {}
      const answer =
        method === 'PUT'
          ? await admin.put(address)
          : await (method === 'POST' ? admin.post(address, body) : admin.patch(address, body))
      expect([path, answer.status, answer.body]).toEqual([path, 404, { detail: 'Not found.' }])
    }
  })
})
