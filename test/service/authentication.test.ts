import { describe, expect, it } from 'vitest'
import { askToken, callerOf, CREDENTIALS, openMarket, ORDERS, tokenFor } from './market.ts'

const [harbor] = CREDENTIALS

describe('asking for a token', () => {
  const form = {
    grant_type: 'client_credentials',
    client_id: harbor.clientId,
    client_secret: harbor.clientSecret,
  }

  it('gives a bearer token that names its lifetime in seconds', async () => {
    const { service } = await openMarket()
    const { status, headers, body } = await askToken(service, form)
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 36_000,
      scope: 'read write',
    })
  })

  it('refuses a wrong secret, an unknown client and another grant', async () => {
    const { service } = await openMarket()
    const wrongSecret = await askToken(service, { ...form, client_secret: 'guess' })
    const unknown = await askToken(service, { ...form, client_id: 'nobody' })
    const otherGrant = await askToken(service, { ...form, grant_type: 'password' })
    expect([wrongSecret.status, wrongSecret.body]).toEqual([401, { error: 'invalid_client' }])
    expect([unknown.status, unknown.body]).toEqual([401, { error: 'invalid_client' }])
    expect([otherGrant.status, otherGrant.body]).toEqual([400, { error: 'unsupported_grant_type' }])
  })

  it('takes only a form', async () => {
    const { service } = await openMarket()
    const response = await fetch(`${service.baseUrl}/auth/token/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(form),
    })
    expect(response.status).toBe(415)
  })
})

describe('using a token', () => {
  it('is asked for by a 401 that says how', async () => {
    const { service } = await openMarket()
    const response = await fetch(service.baseUrl + ORDERS)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="api"')
    expect(await response.json()).toEqual({ detail: 'Authentication credentials were not provided.' })
  })

  it('ends with the lifetime of the token', async () => {
    const { service, clock, retailer } = await openMarket({ tokenLifetimeSeconds: 60 })
    clock.time += 59_999
    expect((await retailer.get(ORDERS)).status).toBe(200)
    clock.time += 1
    const late = await retailer.get(ORDERS)
    expect([late.status, late.body]).toEqual([401, { detail: 'Invalid or expired token.' }])
    const renewed = callerOf(service.baseUrl, await tokenFor(service, harbor.clientId, harbor.clientSecret))
    expect((await renewed.get(ORDERS)).status).toBe(200)
  })

  it('opens only what belongs to the account', async () => {
    const { retailer, brand } = await openMarket()
    const forbidden = { detail: 'You do not have permission to perform this action.' }
    for (const answer of [
      await retailer.get('/v1/brands/2000/orders/'),
      await retailer.get('/v1/retailers/1001/orders/'),
      await brand.get('/v1/brands/2001/orders/'),
      await brand.get(ORDERS),
    ]) {
      expect([answer.status, answer.body]).toEqual([403, forbidden])
    }
  })

  it('shows the parties of the account and no others', async () => {
    const { retailer, brand } = await openMarket()
    expect((await retailer.get('/v1/retailers/')).body).toEqual({
      count: 1,
      next: null,
      previous: null,
      results: [{ id: 1000, name: 'Harbor & Vine', code: 'HARBORVINE' }],
    })
    expect((await retailer.get('/v1/brands/')).body.results).toEqual([])
    expect((await brand.get('/v1/brands/')).body.results).toEqual([
      { id: 2000, name: 'Northlight Goods', code: 'NORTHLIGHT' },
    ])
  })
})
