import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import type { Api } from '../../src/domain/api.ts'
import { systemClock } from '../../src/support/clock.ts'
import { instantClock } from '../fixtures/instant-clock.ts'
import {
  breaksOff,
  hangUp,
  html,
  json,
  type MisbehavingServer,
  saysNothing,
  startMisbehavingServer,
  text,
  token,
  trickles,
} from '../fixtures/misbehaving-server.ts'
import { collect, failureOf, setUp } from './setup.ts'

const order = {
  endpoint: 'createOrder',
  params: { retailer_id: 1000 },
  body: '{"purchase_order_number":"PO-1"}',
}
const acknowledge = { endpoint: 'acknowledgeOrder', params: { brand_id: 7, id: 42 } }

/** Leaves the client with a token and without a connection. */
async function sendAndPrune(server: MisbehavingServer, client: Api): Promise<void> {
  server.nextToken(json(200, token('t'), { connection: 'close' }))
  server.next(json(201, { id: 5 }, { connection: 'close' }))
  expect(await client.send(order)).toMatchObject({ status: 201 })
}

describe('a call that changes something', () => {
  test('is sent as it was given, with the token', async () => {
    const { server, client } = await setUp({ version: '1.2.3' }, '/partner/api/')
    server.next(json(201, { id: 5 }))
    expect(await client.send(order)).toEqual({
      certainty: 'answered',
      status: 201,
      body: { id: 5 },
      text: '{"id":5}',
    })
    expect(server.received).toMatchObject([
      {
        method: 'POST',
        url: '/partner/api/v1/retailers/1000/orders/',
        body: '{"purchase_order_number":"PO-1"}',
        headers: {
          authorization: 'Bearer token-1',
          'content-type': 'application/json',
          accept: 'application/json',
          'user-agent': 'dropbridge/1.2.3',
        },
      },
    ])
    expect(server.tokenRequests[0]?.url).toBe('/partner/api/auth/token/')
  })

  test('that is refused brings the status, the body and the text', async () => {
    const { server, client } = await setUp()
    server.next(json(400, { order_lines: [{ quantity: ['Must be positive.'] }] }))
    expect(await client.send(order)).toEqual({
      certainty: 'answered',
      status: 400,
      body: { order_lines: [{ quantity: ['Must be positive.'] }] },
      text: '{"order_lines":[{"quantity":["Must be positive."]}]}',
    })
  })

  test('that is refused with a page of HTML is still refused', async () => {
    const { server, client } = await setUp()
    server.next(html(404))
    expect(await client.send(order)).toMatchObject({ certainty: 'answered', status: 404, body: undefined })
  })

  test('keeps no more than 64 KiB of a refusal', async () => {
    const { server, client } = await setUp()
    server.next(text(400, 'x'.repeat(3_000_000)), json(201, { id: 5 }))
    const refused = await client.send(order)
    expect(refused.certainty === 'answered' && refused.text.length).toBe(65_536)
    expect(await client.send(order)).toMatchObject({ certainty: 'answered', status: 201 })
  })

  test('that was refused is refused even when its reasons were cut off', async () => {
    const { server, client } = await setUp()
    server.next(breaksOff(422, '{"detail":"No'))
    expect(await client.send(order)).toMatchObject({
      certainty: 'answered',
      status: 422,
      text: '{"detail":"No',
    })
  })

  test('without a body answer is done when it is an acknowledge', async () => {
    const { server, client } = await setUp()
    server.next(text(204, ''), text(200, ''))
    const done = { certainty: 'answered', body: undefined, text: '' }
    expect(await client.send(acknowledge)).toEqual({ ...done, status: 204 })
    expect(await client.send(acknowledge)).toEqual({ ...done, status: 200 })
    expect(server.received[0]).toMatchObject({
      method: 'PUT',
      url: '/v1/brands/7/orders/42/acknowledge/',
      body: '',
    })
  })
})

describe('a call that may have taken effect is unknown and is not repeated:', () => {
  test.each([
    ['the connection breaks after the request', hangUp, undefined],
    ['the answer to a create is empty', text(201, ''), 201],
    ['the answer is a page of HTML', html(200), 200],
    ['the answer is half a JSON text', text(201, '{"id":'), 201],
    ['the connection breaks within the answer', breaksOff(201, '{"id":5'), 201],
    ['the server gave up reading', json(408, {}), 408],
    ['the server failed', json(500, { detail: 'Oops' }), 500],
    ['a gateway failed', html(502), 502],
    ['the service is away without a time to come back', html(503), 503],
    ['the time to come back cannot be read', text(503, '', { 'retry-after': 'soon' }), 503],
    ['a gateway waited too long', html(504), 504],
    [
      'a page of a gateway says when to come back',
      text(503, '<h1>Backend fetch failed</h1>', { 'retry-after': '5', 'content-type': 'text/html' }),
      503,
    ],
    ['a gateway says in JSON when to come back', json(503, {}, { 'retry-after': '5' }), 503],
    ['a gateway says in plain text when to come back', text(503, 'no upstream', { 'retry-after': '5' }), 503],
    ['the answer says to look elsewhere', text(303, '', { location: '/v1/retailers/1000/orders/5/' }), 303],
    ['the answer leads to a login page', text(302, '', { location: '/login?next=/v1/' }), 302],
    ['the answer leads to another address for good', text(301, '', { location: '/v2/' }), 301],
    ['the answer offers several addresses', text(300, ''), 300],
    ['the answer says that nothing was modified', text(304, ''), 304],
  ])('%s', async (_, behaviour, status) => {
    const { server, client } = await setUp()
    server.next(behaviour)
    const result = await client.send(order)
    expect(result.certainty).toBe('unknown')
    expect('status' in result ? result.status : undefined).toBe(status)
    expect(server.received).toHaveLength(1)
  })

  test.each([
    ['no answer comes', saysNothing, undefined],
    ['the answer trickles and does not end', trickles(201), 201],
  ])('%s', async (_, behaviour, status) => {
    const { server, client } = await setUp({ timeoutMs: 120 })
    server.next(behaviour)
    const result = await client.send(order)
    expect(result.certainty).toBe('unknown')
    expect('status' in result ? result.status : undefined).toBe(status)
    expect(server.received).toHaveLength(1)
  })

  test('the connection breaks before the server has read anything', async () => {
    const { server, client } = await setUp()
    await sendAndPrune(server, client)
    await server.close()
    const port = Number(new URL(server.url).port)
    let connections = 0
    const rude = createServer((socket) => {
      connections += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => rude.listen(port, '127.0.0.1', resolve))
    onTestFinished(() => void rude.close())
    expect(await client.send(order)).toMatchObject({ certainty: 'unknown' })
    expect(connections).toBe(1)
  })

  test('its detail shows a person what came back', async () => {
    const { server, client } = await setUp()
    server.next(html(502))
    expect(await client.send(order)).toEqual({
      certainty: 'unknown',
      status: 502,
      detail: 'HTTP 502: Oops Bad Gateway',
    })
  })
})

describe('a call that had no effect', () => {
  test('is repeated after the seconds that the API asks for', async () => {
    const { server, client, clock } = await setUp()
    server.next(json(429, {}, { 'retry-after': '3' }), json(201, { id: 5 }))
    expect(await client.send(order)).toMatchObject({ certainty: 'answered', status: 201 })
    expect(server.received).toHaveLength(2)
    expect(clock.waits).toEqual([3_200])
  })

  test('is repeated after the date that the API names, by the clock of the API', async () => {
    const { server, client, clock } = await setUp({ trusts503: true })
    const theirs = { date: 'Sat, 21 Nov 2026 05:00:00 GMT', 'retry-after': 'Sat, 21 Nov 2026 05:00:07 GMT' }
    server.next(text(503, '', theirs), json(201, { id: 5 }))
    expect(await client.send(order)).toMatchObject({ certainty: 'answered', status: 201 })
    expect(clock.waits).toEqual([7_200])
  })

  test('is repeated after a 503 that says when to come back, if it may be repeated', async () => {
    const { server, client, clock } = await setUp()
    server.next(json(503, {}, { 'retry-after': '2' }), text(204, ''))
    expect(await client.send(acknowledge)).toMatchObject({ certainty: 'answered', status: 204 })
    expect(clock.waits).toEqual([2_200])
  })

  test('fails at once when the API asks for a longer wait than the client allows', async () => {
    const { server, client, clock } = await setUp({ trusts503: true })
    server.next(json(503, { detail: 'Maintenance' }, { 'retry-after': '3600' }))
    expect(await client.send(order)).toEqual({
      certainty: 'not-applied',
      status: 503,
      detail: 'HTTP 503: Maintenance',
      retryAfterMs: 3_600_000,
    })
    expect(server.received).toHaveLength(1)
    expect(clock.waits).toEqual([])
  })

  test('is tried five times, with longer and longer pauses', async () => {
    const { server, client, clock } = await setUp()
    server.next(json(429, { detail: 'Slow down' }))
    expect(await client.send(order)).toEqual({
      certainty: 'not-applied',
      status: 429,
      detail: 'HTTP 429: Slow down',
    })
    expect(server.received).toHaveLength(5)
    expect(clock.waits).toEqual([200, 400, 800, 1_600])
  })

  test('stops within the budget', async () => {
    const { server, client } = await setUp({ retry: { budgetMs: 1_000 } })
    server.next(json(429, {}))
    await client.send(order)
    expect(server.received).toHaveLength(3)
  })

  test('that turns into an unknown one is not repeated any more', async () => {
    const { server, client } = await setUp()
    server.next(json(429, {}), hangUp)
    expect(await client.send(order)).toMatchObject({ certainty: 'unknown' })
    expect(server.received).toHaveLength(2)
  })

  test('is known by the connection that was refused', async () => {
    const { server, client } = await setUp()
    await sendAndPrune(server, client)
    await server.close()
    const result = await client.send(order)
    expect(result).toMatchObject({ certainty: 'not-applied' })
    expect('detail' in result && result.detail).toContain('ECONNREFUSED')
  })

  test('is known by an encrypted connection that never came about', async () => {
    let connections = 0
    const rude = createServer((socket) => {
      connections += 1
      socket.on('error', () => undefined)
      socket.once('data', () => socket.resetAndDestroy())
    })
    await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void rude.close())
    const client = createClient({
      baseUrl: `https://127.0.0.1:${(rude.address() as AddressInfo).port}`,
      clientId: 'acme',
      clientSecret: 'secret',
      clock: instantClock(),
      random: () => 0,
      retry: { attempts: 2 },
    })
    const result = await client.send(order)
    expect(result).toMatchObject({ certainty: 'not-applied' })
    expect('detail' in result && result.detail).toContain('the request was not sent: ')
    expect(connections).toBe(2)
    await client.close()
  })
})

describe('the account', () => {
  test('that may not act for the party stops the work, and the failure names the party', async () => {
    const { server, client } = await setUp()
    server.next(json(403, { detail: 'Not yours.' }))
    expect(
      await failureOf(
        collect(client.list({ endpoint: 'listRetailerOrders', params: { retailer_id: 1000 } })),
      ),
    ).toEqual({
      code: 'credentials-refused',
      message:
        'The API does not let this account act for retailer 1000 at /v1/retailers/1000/orders/: HTTP 403: Not yours.',
    })
  })

  test('that may not act for the party gets the setting of the route as the fix', async () => {
    const { server, client } = await setUp()
    server.next(json(403, { detail: 'Not yours.' }))
    const pages = client.list({ endpoint: 'listRetailerOrders', params: { retailer_id: 1000 } })

    await expect(collect(pages)).rejects.toMatchObject({
      fix: 'Correct `retailer: 1000` of the route, or its login: `dropbridge check --online` says for whom it may act.',
    })
  })

  test('that lacks the permission for one call gets that as the answer to the call', async () => {
    const { server, client } = await setUp()
    server.next(json(403, { detail: 'Not this one.' }))
    expect(await client.send(order)).toMatchObject({ certainty: 'answered', status: 403 })
  })

  test('is never taken along by a redirect, of which only the origin is shown', async () => {
    const { server, client } = await setUp()
    const other = await startMisbehavingServer()
    onTestFinished(() => other.close())
    server.next(text(307, '', { location: `${other.url}/v1/?key=hidden` }))
    expect(await failureOf(client.send(order))).toEqual({
      code: 'api-redirected',
      message: `/v1/retailers/1000/orders/ redirects to ${other.url} (HTTP 307)`,
    })
    expect(other.received).toEqual([])
    expect((await failureOf(client.get(acknowledge))).code).toBe('api-redirected')
    server.next(text(308, '', { location: other.url }))
    expect((await failureOf(client.send(order))).code).toBe('api-redirected')
    for (const status of [300, 301, 302, 303]) {
      server.next(text(status, '', { location: other.url }))
      const read = { endpoint: 'getBrandOrder', params: { brand_id: 7, id: 42 } }
      expect((await failureOf(client.get(read))).code).toBe('api-redirected')
    }
  })
})

describe('paths and queries', () => {
  test('what a file says cannot lead to another path', async () => {
    const { server, client } = await setUp()
    await client.send({ endpoint: 'acknowledgeOrder', params: { brand_id: 7, id: '../9?x=1#y' } })
    expect(server.received[0]?.url).toBe('/v1/brands/7/orders/..%2F9%3Fx%3D1%23y/acknowledge/')
    expect((await failureOf(client.send({ ...acknowledge, params: { brand_id: 7, id: '..' } }))).code).toBe(
      'bug',
    )
    expect((await failureOf(client.send({ ...acknowledge, params: { brand_id: 7, id: '' } }))).code).toBe(
      'bug',
    )
  })

  test('an endpoint that does not exist, or an id that is missing, is a bug and not a request', async () => {
    const { server, client } = await setUp()
    expect((await failureOf(client.send({ endpoint: 'deleteOrder' }))).code).toBe('bug')
    expect((await failureOf(client.send({ endpoint: 'createOrder', body: '{}' }))).code).toBe('bug')
    expect(server.received).toEqual([])
  })

  test('a query repeats the names of lists and writes flags as 1 and 0', async () => {
    const { server, client } = await setUp()
    server.next(json(200, []))
    const query = {
      status: ['open', 'partial'],
      is_acknowledged: false,
      purchase_order_number: 'A&B 1',
      limit: 9,
    }
    await collect(client.list({ endpoint: 'listRetailerOrders', params: { retailer_id: 1 }, query }))
    expect(server.received[0]?.url).toBe(
      '/v1/retailers/1/orders/?status=open&status=partial&is_acknowledged=0&purchase_order_number=A%26B%201&limit=9',
    )
  })

  test('an invalid address is an error in the configuration', () => {
    const options = { clientId: 'a', clientSecret: 'b', clock: instantClock(), random: () => 0 }
    expect(() => createClient({ ...options, baseUrl: 'api.example.com' })).toThrow(
      'api.baseUrl is not an address',
    )
    expect(() => createClient({ ...options, baseUrl: 'ftp://example.com' })).toThrow(
      'api.baseUrl is not an address',
    )
  })
})

describe('closing', () => {
  test('waits for the answers that are under way', async () => {
    const { server, client } = await setUp()
    server.next((response) => void setTimeout(() => response.end('{"id":5}'), 50))
    const calls = [client.send(order), client.send(order), client.send(order)]
    while (server.received.length < 3) await new Promise((resolve) => setTimeout(resolve, 5))
    await client.close()
    expect(await Promise.all(calls)).toMatchObject([
      { body: { id: 5 } },
      { body: { id: 5 } },
      { body: { id: 5 } },
    ])
    expect(await client.send(order)).toMatchObject({ certainty: 'not-applied' })
    expect(server.received).toHaveLength(3)
  })

  test('ends the waiting of any number of calls for another try', async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => void warnings.push(warning)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    const server = await startMisbehavingServer()
    onTestFinished(() => server.close())
    let asleep = 0
    const clock = {
      now: () => 0,
      sleep(ms: number, signal?: AbortSignal) {
        asleep += 1
        return systemClock.sleep(ms * 1000, signal)
      },
    }
    const client = createClient({
      baseUrl: server.url,
      clientId: 'a',
      clientSecret: 'b',
      clock,
      random: () => 1,
    })
    server.next(json(429, {}))
    const calls = Array.from({ length: 20 }, () => client.send(order))
    while (asleep < 20) await new Promise((resolve) => setTimeout(resolve, 5))
    await client.close()
    const results = await Promise.all(calls)
    expect(results.map(({ certainty }) => certainty)).toEqual(Array.from({ length: 20 }, () => 'not-applied'))
    expect(server.received).toHaveLength(20)
    expect(warnings).toEqual([])
  })
})
