/** How clients log in, and which contexts they reach. */
import { describe, expect } from 'vitest'
import { askToken, CREDENTIALS, orderBody } from '../service/market.ts'
import type { Ledger } from './ledger.ts'
import { done, inWorld, sharedWorld } from './world.ts'

const [harbor] = CREDENTIALS
const FORM: Readonly<Record<string, string>> = {
  grant_type: 'client_credentials',
  client_id: harbor.clientId,
  client_secret: harbor.clientSecret,
}

export function authentication({ proves }: Ledger): void {
  describe('asking for a token', () => {
    const { world } = sharedWorld()

    proves(
      'rule.authentication.every-client',
      'rule.authentication.request',
      'rule.authentication.access-token',
      'rule.authentication.token-type',
      'rule.authentication.expires-in',
      'rule.authentication.scope',
      'choice.authentication.unit',
      'choice.authentication.refresh',
    )('client credentials in a form are exchanged for a token that names its lifetime', async () => {
      const { status, body } = await askToken(world().service, FORM)
      expect(status).toBe(200)
      expect(body).toEqual({
        access_token: expect.stringMatching(/^\S{20,}$/),
        token_type: 'Bearer',
        expires_in: 36_000,
        scope: 'read write',
      })
      const asJson = await world().retailer.send('/auth/token/', {
        method: 'POST',
        body: JSON.stringify(FORM),
      })
      expect(asJson.status).toBe(415)
    })

    proves(
      'rule.authentication.grant-type',
      'rule.authentication.client-id',
      'rule.authentication.client-secret',
      'choice.errors.wrong-client',
    )('another grant, an unknown client and a wrong secret get no token', async () => {
      const refusal = async (changes: Record<string, string>) => {
        const { status, body } = await askToken(world().service, { ...FORM, ...changes })
        return [status, body.error, body.access_token]
      }
      expect(await refusal({ grant_type: 'password' })).toEqual([400, 'unsupported_grant_type', undefined])
      expect(await refusal({ client_id: 'nobody' })).toEqual([401, 'invalid_client', undefined])
      expect(await refusal({ client_secret: 'guess' })).toEqual([401, 'invalid_client', undefined])
    })
  })

  describe('using a token', () => {
    const { world } = sharedWorld()

    proves(
      'rule.authentication.use',
      'rule.endpoints.bearer',
      'choice.errors.missing-token',
    )('without the header the answer is a 401 that says how', async () => {
      for (const path of ['/v1/retailers/', '/v1/retailers/1000/orders/', '/v1/carriers/']) {
        const response = await fetch(world().service.baseUrl + path)
        expect([response.status, response.headers.get('www-authenticate')]).toEqual([
          401,
          expect.stringMatching(/^Bearer/),
        ])
        expect(await response.json()).toEqual({ detail: 'Authentication credentials were not provided.' })
      }
      expect((await world().retailer.get('orders/')).status).toBe(200)
    })

    proves('choice.authentication.scopes')(
      'a token that may only read writes nothing, and none is given that may do more than its client',
      async () => {
        const { body } = await askToken(world().service, { ...FORM, scope: 'read' })
        expect(body.scope).toBe('read')
        const authorization = `Bearer ${body.access_token}`
        const read = await world().retailer.send('orders/', { headers: { authorization } })
        const written = await world().retailer.send('orders/', {
          method: 'POST',
          body: JSON.stringify(orderBody(world().nextNumber())),
          headers: { authorization },
        })
        expect([read.status, written.status]).toEqual([200, 403])
        expect(written.headers.get('www-authenticate')).toContain('insufficient_scope')
        const more = await askToken(world().service, { ...FORM, scope: 'read admin' })
        expect([more.status, more.body.error]).toEqual([400, 'invalid_scope'])
      },
    )

    proves('choice.errors.invalid-token')(
      'an unknown token and an expired one are refused alike',
      async () => {
        await inWorld(
          async ({ clock, retailer }) => {
            const unknown = await retailer.send('orders/', { headers: { authorization: 'Bearer nonsense' } })
            clock.time += 60_000
            const expired = await retailer.get('orders/')
            expect([unknown.status, expired.status]).toEqual([401, 401])
            expect(expired.body).toEqual(unknown.body)
          },
          { tokenLifetimeSeconds: 60 },
        )
      },
    )

    proves(
      'rule.authentication.ownership',
      'rule.purpose.ownership',
      'choice.authentication.contexts',
      'choice.errors.foreign-party',
    )('the id in the path must be one of the account', async () => {
      const forbidden = { detail: 'You do not have permission to perform this action.' }
      for (const answer of [
        await world().retailer.get('/v1/retailers/1001/orders/'),
        await world().retailer.get('/v1/brands/2000/orders/'),
        await world().brand.get('/v1/brands/2001/orders/'),
        await world().brand.get('/v1/retailers/1000/orders/'),
      ]) {
        expect([answer.status, answer.body]).toEqual([403, forbidden])
      }
    })

    proves('rule.purpose.ids', 'choice.endpoints.parties')(
      'an account finds its own ids, with name and code',
      async () => {
        const { retailer, brand } = world()
        expect((await done(retailer.get('/v1/retailers/'))).results).toEqual([
          { id: 1000, name: 'Harbor & Vine', code: 'HARBORVINE' },
        ])
        expect((await done(retailer.get('/v1/brands/'))).results).toEqual([])
        expect((await done(brand.get('/v1/brands/'))).results).toEqual([
          { id: 2000, name: 'Northlight Goods', code: 'NORTHLIGHT' },
        ])
      },
    )
  })
}
