import { describe, expect, test } from 'vitest'
import { type Behaviour, hangUp, html, json, text, token } from '../fixtures/misbehaving-server.ts'
import { failureOf, SECRET, setUp } from './setup.ts'

const call = { endpoint: 'acknowledgeOrder', params: { brand_id: 7, id: 42 } }

/** Accepts only one token. */
function accepts(value: string): Behaviour {
  return (response, request) => {
    const good = request.headers.authorization === `Bearer ${value}`
    json(good ? 200 : 401, good ? { id: 42 } : { detail: 'Token expired.' })(response, request)
  }
}

describe('the token', () => {
  test('is asked for with the credentials in the body, as a form', async () => {
    const { server, client } = await setUp()
    await client.send(call)
    const [request] = server.tokenRequests
    expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'acme',
      client_secret: SECRET,
    })
  })

  test('is asked for once by any number of calls', async () => {
    const { server, client } = await setUp()
    await Promise.all(Array.from({ length: 40 }, () => client.send(call)))
    expect(server.received).toHaveLength(40)
    expect(server.tokenRequests).toHaveLength(1)
  })

  test('that expired under many calls is replaced once, and every call succeeds', async () => {
    const { server, client } = await setUp()
    await client.send(call)
    server.next(accepts('token-2'))
    const results = await Promise.all(Array.from({ length: 40 }, () => client.send(call)))
    expect(results.map((result) => 'status' in result && result.status)).toEqual(
      Array.from({ length: 40 }, () => 200),
    )
    expect(server.tokenRequests).toHaveLength(2)
  })

  test('that is refused even when fresh ends the work after one more try', async () => {
    const { server, client } = await setUp()
    server.next(json(401, { detail: 'No.' }))
    expect(await failureOf(client.get({ ...call, endpoint: 'getBrandOrder' }))).toEqual({
      code: 'credentials-refused',
      message: 'The API refuses even a fresh token for brand 7 at /v1/brands/7/orders/42/: HTTP 401: No.',
    })
    expect(server.received).toHaveLength(2)
    expect(server.tokenRequests).toHaveLength(2)
  })

  test('that is refused even when fresh names the check of the login, and no mailbox', async () => {
    const { server, client } = await setUp()
    server.next(json(401, { detail: 'No.' }))
    const refused = client.get({ ...call, endpoint: 'getBrandOrder' })
    await expect(refused).rejects.toMatchObject({
      code: 'credentials-refused',
      fix: 'Run `dropbridge check --online`. If it passes, run again later; if not, do what it says.',
    })
  })

  test.each([
    ['five minutes before a long life ends', 36_000, 35_700],
    ['after nine tenths of a short life', 60, 54],
    ['by a lifetime that is written as text', '600', 540],
    ['after an hour less five minutes when no lifetime is given', undefined, 3_300],
    ['after an hour less five minutes when the lifetime makes no sense', -1, 3_300],
    ['after an hour less five minutes when the lifetime is years', 10 ** 9, 3_300],
  ])('is renewed %s', async (_, expiresIn, seconds) => {
    const { server, client, clock } = await setUp()
    const { expires_in: _none, ...bare } = token('t')
    server.nextToken(json(200, expiresIn === undefined ? bare : token('t', expiresIn)))
    await client.send(call)
    clock.advance(seconds * 1000 - 1)
    await client.send(call)
    expect(server.tokenRequests).toHaveLength(1)
    clock.advance(1)
    await client.send(call)
    expect(server.tokenRequests).toHaveLength(2)
  })

  test('may call its type by any case, or not at all', async () => {
    const { server, client } = await setUp()
    server.nextToken(json(200, { access_token: 'abc', token_type: 'BEARER' }))
    expect(await client.send(call)).toMatchObject({ status: 200 })
    expect(server.received[0]?.headers.authorization).toBe('Bearer abc')
  })
})

describe('when the service gives no token', () => {
  test.each([400, 401, 403])(
    'because of a %i, the service’s reason is reported and the secret is not',
    async (status) => {
      const { server, client } = await setUp()
      const error_description = `Unknown client or secret ${SECRET}`
      server.nextToken(json(status, { error: 'invalid_client', error_description }))
      expect(await failureOf(client.send(call))).toEqual({
        code: 'credentials-refused',
        message: `${server.url}/auth/token/ gave no access token: HTTP ${status}: Unknown client or secret *** (invalid_client)`,
      })
      expect(server.tokenRequests).toHaveLength(1)
      expect(server.received).toEqual([])
    },
  )

  test.each([
    [501, 'api-unreachable', /^No access token from \S+: HTTP 501, and a web page$/],
    [500, 'api-unreachable', /^No access token from \S+: HTTP 500, and a web page$/],
    [404, 'api-answer-unusable', /gave no access token: HTTP 404/],
    [405, 'api-answer-unusable', /gave no access token: HTTP 405/],
    [403, 'credentials-refused', /gave no access token: HTTP 403/],
  ])('and a web page with a %i answers, the fix is to check api.baseUrl', async (status, code, message) => {
    const { server, client } = await setUp()
    server.nextToken(html(status))

    await expect(client.get({ ...call, endpoint: 'getBrandOrder' })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
      fix: 'Check api.baseUrl: a web page answers there. If it is right, ask the API’s operator.',
    })
  })

  test('and nothing is at the path of the address, the fix is to leave that out', async () => {
    const { server, client } = await setUp({}, '/api/v1')
    server.nextToken(json(404, { error: 'Not found' }))

    await expect(client.get({ ...call, endpoint: 'getBrandOrder' })).rejects.toMatchObject({
      code: 'api-answer-unusable',
      fix: `If the API is not below /api/v1, leave that out of api.baseUrl: write ${server.url}`,
    })
  })

  test('a web page of a gateway says nothing of the address', async () => {
    const { server, client } = await setUp()
    server.nextToken(html(503))

    await expect(client.get({ ...call, endpoint: 'getBrandOrder' })).rejects.toMatchObject({
      code: 'api-unreachable',
      fix: expect.not.stringContaining('api.baseUrl'),
    })
  })

  test.each([
    ['the service is down', json(500, { detail: `we got ${encodeURIComponent(SECRET)}` })],
    ['the service is busy', json(429, {})],
    ['the connection breaks', hangUp],
  ])('because %s, a record waits and a read fails, after five tries', async (_, behaviour) => {
    const { server, client } = await setUp()
    server.nextToken(behaviour)
    const result = await client.send(call)
    expect(result.certainty).toBe('not-applied')
    expect(JSON.stringify(result)).not.toContain('S3cret')
    expect(server.tokenRequests).toHaveLength(5)
    expect((await failureOf(client.get({ ...call, endpoint: 'getBrandOrder' }))).code).toBe('api-unreachable')
    expect(server.received).toEqual([])
  })

  test('the next call asks again', async () => {
    const { server, client } = await setUp()
    server.nextToken(json(401, {}), json(200, token('t')))
    expect((await failureOf(client.send(call))).code).toBe('credentials-refused')
    expect(await client.send(call)).toMatchObject({ status: 200 })
  })

  test.each([
    ['a page of HTML', html(200)],
    ['no token', json(200, { hello: 'world' })],
    ['another kind of token', json(200, { access_token: 'hidden', token_type: 'mac' })],
    ['half an answer', text(200, '{"access_token":"hidden')],
    ['not found', json(404, { detail: 'Not found.' })],
  ])('because the answer is %s, a read fails without showing it', async (_, behaviour) => {
    const { server, client } = await setUp()
    server.nextToken(behaviour)
    const failure = await failureOf(client.get({ ...call, endpoint: 'getBrandOrder' }))
    expect(failure.code).toBe('api-answer-unusable')
    expect(failure.message).not.toContain('hidden')
  })

  test('because of a redirect, it is not followed', async () => {
    const { server, client } = await setUp()
    server.nextToken(text(302, '', { location: '//login.example.com/sign-in' }))
    expect(await failureOf(client.send(call))).toEqual({
      code: 'api-redirected',
      message: '/auth/token/ redirects to http://login.example.com (HTTP 302)',
    })
  })
})

test('a token that does not come within api.timeout names that setting', async () => {
  const { server, client } = await setUp({ timeoutMs: 100, retry: { attempts: 1, budgetMs: 1000 } })
  server.nextToken(() => undefined)

  await expect(client.get({ ...call, endpoint: 'getBrandOrder' })).rejects.toMatchObject({
    code: 'api-unreachable',
    message: expect.stringContaining('no whole answer within 100 ms, which is api.timeout'),
    fix: 'Run again later; nothing is lost. If the API is always so slow, raise api.timeout.',
  })
})
