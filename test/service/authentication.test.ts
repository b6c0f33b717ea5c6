import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { answerWith } from '../../src/service/http/answers.ts'
import { createSwitches } from '../../src/service/switches.ts'
import { createGuessLimit, createTokens, hashSecret } from '../../src/service/access/tokens.ts'
import type { Service } from '../../src/service/service.ts'
import { seedIfEmpty } from '../../src/service/seed.ts'
import { openStore, type Store } from '../../src/service/store/store.ts'
import { createWriteQueue } from '../../src/service/store/write-queue.ts'
import { systemClock } from '../../src/support/clock.ts'
import {
  answerOf,
  askToken,
  BRAND_ORDERS,
  callerOf,
  CREDENTIALS,
  openMarket,
  orderBody,
  ORDERS,
  placeOrder,
  seedWithCredentials,
  tokenFor,
} from './market.ts'

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

  it('gives the scopes that are asked for', async () => {
    const { service } = await openMarket()
    for (const [asked, given] of [
      ['read', 'read'],
      ['write', 'write'],
      ['write read', 'read write'],
      ['', 'read write'],
    ] as const) {
      const { status, body } = await askToken(service, { ...form, scope: asked })
      expect([asked, status, body.scope]).toEqual([asked, 200, given])
    }
  })

  it('refuses a scope that does not exist', async () => {
    const { service } = await openMarket()
    for (const scope of ['admin', 'read admin', 'READ', ' ']) {
      const { status, headers, body } = await askToken(service, { ...form, scope })
      expect([scope, status, body]).toEqual([scope, 400, { error: 'invalid_scope' }])
      expect(headers.get('cache-control')).toBe('no-store')
    }
    const wrong = await askToken(service, { ...form, client_secret: 'guess', scope: 'admin' })
    expect([wrong.status, wrong.body]).toEqual([401, { error: 'invalid_client' }])
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

describe('the scopes of a token', () => {
  const form = {
    grant_type: 'client_credentials',
    client_id: harbor.clientId,
    client_secret: harbor.clientSecret,
  }

  it('without write leave everything as it is', async () => {
    const { service } = await openMarket()
    const { access_token } = (await askToken(service, { ...form, scope: 'read' })).body
    const reader = callerOf(service.baseUrl, access_token)
    const { status, headers, body } = await reader.post(ORDERS, orderBody('PO-1'))
    expect([status, body]).toEqual([403, { detail: 'The token does not have the scope "write".' }])
    expect(headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope"')
    expect((await reader.get(ORDERS)).body.count).toBe(0)
  })

  it('without write acknowledge nothing', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    const [, { clientId, clientSecret }] = CREDENTIALS
    const asked = { ...form, client_id: clientId, client_secret: clientSecret, scope: 'read' }
    const reader = callerOf(market.service.baseUrl, (await askToken(market.service, asked)).body.access_token)
    expect((await reader.put(`${BRAND_ORDERS}${id}/acknowledge/`)).status).toBe(403)
    expect((await reader.get(`${BRAND_ORDERS}${id}/`)).body.is_acknowledged).toBe(false)
  })

  it('without read show nothing', async () => {
    const { service } = await openMarket()
    const { access_token } = (await askToken(service, { ...form, scope: 'write' })).body
    const writer = callerOf(service.baseUrl, access_token)
    const { status, body } = await writer.get(ORDERS)
    expect([status, body]).toEqual([403, { detail: 'The token does not have the scope "read".' }])
    expect((await writer.post(ORDERS, orderBody('PO-1'))).status).toBe(201)
  })
})

describe('clients', () => {
  const CLIENTS = [
    { client_id: 'first', account_id: 1, scope: 'read write' },
    { client_id: 'second', account_id: 1, scope: 'read' },
    { client_id: 'operator', account_id: 2, scope: 'read write' },
  ]

  /** Two clients of one account, and one of the account that administers. */
  async function openDesk() {
    const folder = await mkdtemp(join(tmpdir(), 'dropbridge-tokens-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    let store = fill(openStore(folder))
    onTestFinished(() => store.close())
    const open = () =>
      createTokens({
        store,
        clock: systemClock,
        lifetimeSeconds: 600,
        guesses: createGuessLimit(systemClock, createSwitches()),
        switches: {
          tokenLastsRequests: 0,
        },
      })
    return {
      tokens: open(),
      restart: () => {
        store.close()
        store = openStore(folder)
        return open()
      },
    }
  }

  function fill(store: Store): Store {
    store.insert('accounts', { name: 'trader', is_admin: 0 })
    store.insert('accounts', { name: 'operator', is_admin: 1 })
    for (const client of CLIENTS) {
      store.insert('clients', {
        ...client,
        secret_hash: hashSecret(`${client.client_id}-secret`),
        revoked_at: null,
        announced: 0,
      })
    }
    return store
  }

  function ask(tokens: ReturnType<typeof createTokens>, client: string, scope?: string) {
    const form = { grant_type: 'client_credentials', client_id: client, client_secret: `${client}-secret` }
    return tokens.issue(scope === undefined ? form : { ...form, scope }, '127.0.0.1')
  }

  function headerOf(tokens: ReturnType<typeof createTokens>, client: string): string {
    return `Bearer ${(ask(tokens, client).body as { access_token: string }).access_token}`
  }

  const EXPIRED = expect.objectContaining({ status: 401, body: { detail: 'Invalid or expired token.' } })

  it('of one account have scopes of their own, and ask for no more than they have', async () => {
    const { tokens } = await openDesk()
    expect(tokens.findCaller(headerOf(tokens, 'first'))).toEqual({
      account: 1,
      clientId: 'first',
      scope: new Set(['read', 'write']),
      isAdmin: false,
    })
    expect(tokens.findCaller(headerOf(tokens, 'second'))).toMatchObject({
      account: 1,
      clientId: 'second',
      scope: new Set(['read']),
    })
    expect(ask(tokens, 'second', 'read write')).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    })
    expect(tokens.findCaller(headerOf(tokens, 'operator'))).toMatchObject({ account: 2, isAdmin: true })
  })

  it('that are revoked end at once with all their tokens, and the others continue', async () => {
    const { tokens, restart } = await openDesk()
    const [one, other, neighbour] = ['first', 'first', 'second'].map((client) => headerOf(tokens, client))
    expect(tokens.revoke('first')).toBe(true)
    expect([tokens.findCaller(one), tokens.findCaller(other)]).toEqual([EXPIRED, EXPIRED])
    expect(ask(tokens, 'first')).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(tokens.findCaller(neighbour)).toMatchObject({ clientId: 'second' })
    expect([tokens.revoke('first'), tokens.revoke('nobody')]).toEqual([true, false])
    const later = restart()
    expect(later.findCaller(one)).toEqual(EXPIRED)
    expect(ask(later, 'first')).toMatchObject({ status: 401 })
  })

  it('keep their tokens, with their scopes, over a restart', async () => {
    const { tokens, restart } = await openDesk()
    const header = headerOf(tokens, 'second')
    const operator = headerOf(tokens, 'operator')
    const later = restart()
    expect(later.findCaller(header)).toEqual({
      account: 1,
      clientId: 'second',
      scope: new Set(['read']),
      isAdmin: false,
    })
    expect(later.findCaller(operator)).toMatchObject({ isAdmin: true })
  })

  it('that ask for tokens without end lose their own oldest ones only', async () => {
    const { tokens } = await openDesk()
    const neighbour = headerOf(tokens, 'second')
    const oldest = headerOf(tokens, 'first')
    for (let count = 0; count < 999; count += 1) headerOf(tokens, 'first')
    expect(tokens.findCaller(oldest)).toMatchObject({ clientId: 'first' })
    headerOf(tokens, 'first')
    expect(tokens.findCaller(oldest)).toEqual(EXPIRED)
    expect(tokens.findCaller(neighbour)).toMatchObject({ clientId: 'second' })
  })
})

it('a revocation that is not stored leaves the tokens in force', async () => {
  const store = openStore(':memory:')
  onTestFinished(() => store.close())
  const clock = { now: () => Date.now(), sleep: () => Promise.resolve() }
  seedIfEmpty(store, seedWithCredentials(), clock)
  const switches = createSwitches()
  const guesses = createGuessLimit(clock, switches)
  const tokens = createTokens({ store, clock, lifetimeSeconds: 1000, switches, guesses })
  const queue = createWriteQueue(store, tokens.refresh)
  const form = { grant_type: 'client_credentials', client_id: 'harbor', client_secret: harbor.clientSecret }
  const { body } = await queue.run(() => tokens.issue(form, '127.0.0.1'))
  const header = `Bearer ${(body as { access_token: string }).access_token}`
  const revoked = await Promise.allSettled([
    queue.run(() => answerWith(tokens.revoke('harbor'))),
    queue.run(() => {
      store.command('pragma defer_foreign_keys = on')()
      store.insert('parties', { kind: 'brand', id: 1, account_id: 999, name: 'of no account', code: 'X' })
      return answerWith('written')
    }),
  ])
  expect(revoked.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(tokens.findCaller(header)).toMatchObject({ clientId: 'harbor' })
})

/** The answer of the service to bytes that are no request. */
async function unreadable(service: Service, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1')
  socket.write(bytes)
  let received = ''
  for await (const piece of socket) received += String(piece)
  return received
}

it('no log shows a token, a secret or a form, however much is logged', async () => {
  const lines: string[] = []
  const { service, retailer } = await openMarket({
    logger: { level: 'trace', stream: { write: (line: string) => lines.push(line) } },
  })
  const send = async (path: string, init: RequestInit) =>
    (await answerOf(await fetch(service.baseUrl + path, init))).status
  const headers = { authorization: `Bearer ${retailer.token}`, 'content-type': 'application/json' }
  const statuses = [
    await send(ORDERS, { headers }),
    await send(ORDERS, { method: 'POST', headers, body: '{"client_secret": "broken-secret' }),
    await send('/v1/nothing/', { headers }),
    await send(ORDERS, { headers: { authorization: 'Bearer guessed-token' } }),
    await send(`/auth/token/?client_secret=query-secret`, { method: 'POST', headers, body: '{}' }),
    await send(`/%61uth/token/?client_secret=query-secret`, { method: 'POST', headers, body: '{}' }),
    (
      await askToken(service, {
        grant_type: 'client_credentials',
        client_id: 'x',
        client_secret: 'form-secret',
      })
    ).status,
  ]
  expect(statuses).toEqual([200, 400, 404, 401, 400, 400, 401])
  const reply = await unreadable(service, 'GET / HTTP/1.1\r\nauthorization: raw-secret\r\nnonsense\r\n\r\n')
  expect(reply).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  expect(reply).toMatch(/\r\n\r\n\{"detail":"The request is not HTTP\."\}$/)
  const log = lines.join('')
  expect(log).toContain(`"url":"${ORDERS}"`)
  expect(log).toContain('"url":"/auth/token/"')
  for (const secret of [retailer.token, harbor.clientSecret, '-secret', 'guessed-token', 'client_secret']) {
    expect(log).not.toContain(secret)
  }
})
