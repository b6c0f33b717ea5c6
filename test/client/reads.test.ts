import { describe, expect, test } from 'vitest'
import {
  breaksOff,
  type Behaviour,
  hangUp,
  html,
  json,
  saysNothing,
  text,
} from '../fixtures/misbehaving-server.ts'
import { collect, failureOf, setUp } from './setup.ts'

const order = { endpoint: 'getBrandOrder', params: { brand_id: 7, id: 42 } }
const orders = { endpoint: 'listBrandOrders', params: { brand_id: 7 } }

describe('reading one resource', () => {
  test('gives it with all its keys', async () => {
    const { server, client } = await setUp()
    server.next(json(200, { id: 42, brand_new_key: { a: [1] } }))
    expect(await client.get(order)).toEqual({ id: 42, brand_new_key: { a: [1] } })
  })

  test('gives nothing for one that is not there', async () => {
    const { server, client } = await setUp()
    server.next(json(404, { detail: 'Not found.' }))
    expect(await client.get(order)).toBeUndefined()
  })

  test('is tried again after a passing failure', async () => {
    const { server, client } = await setUp({ retry: { attempts: 9 } })
    server.next(
      hangUp,
      json(408, {}),
      json(429, {}),
      json(500, {}),
      html(502),
      html(200),
      breaksOff(200, '{"id":'),
      json(200, { id: 42 }),
    )
    expect(await client.get(order)).toEqual({ id: 42 })
  })

  test('is tried again after a deadline', async () => {
    const { server, client } = await setUp({ timeoutMs: 100 })
    server.next(saysNothing, json(200, { id: 42 }))
    expect(await client.get(order)).toEqual({ id: 42 })
  })

  test.each([
    ['api-unreachable', 'HTTP 503: Maintenance', json(503, { detail: 'Maintenance' })],
    ['api-unreachable', 'HTTP 429', text(429, '')],
    ['api-answer-unusable', 'HTTP 200, but the body is not JSON: Oops Bad Gateway', html(200)],
    ['api-answer-unusable', 'HTTP 200, but the body is not JSON: it is empty', text(200, '')],
    ['api-answer-unusable', 'HTTP 400: status: Not a status.', json(400, { status: ['Not a status.'] })],
    ['api-answer-unusable', 'it is not an object', json(200, [1])],
  ])('fails in the end with %s: %s', async (code, message, behaviour) => {
    const { server, client } = await setUp()
    server.next(behaviour)
    const failure = await failureOf(client.get(order))
    expect(failure.code).toBe(code)
    expect(failure.message).toMatch(/GET \/v1\/brands\/7\/orders\/42\/.*: /)
    expect(failure.message).toContain(message)
  })
})

describe('reading a list', () => {
  const items = (...ids: unknown[]) => ids.map((id) => ({ id }))

  test.each([
    ['a bare array', items(1, 2)],
    ['the usual envelope', { count: 2, next: null, previous: null, results: items(1, 2) }],
    ['`data`', { data: items(1, 2), errors: [] }],
    ['`items`', { items: items(1, 2) }],
    ['`objects`', { meta: { total: 2 }, objects: items(1, 2) }],
    ['an array that is called as the list is', { total: 2, orders: items(1, 2), errors: [] }],
    ['the only array there is', { total: 2, purchases: items(1, 2) }],
  ])('understands %s', async (_, body) => {
    const { server, client } = await setUp()
    server.next(json(200, body))
    expect(await collect(client.list(orders))).toEqual([{ id: 1 }, { id: 2 }])
  })

  test.each<[string, Behaviour]>([
    ['no next page', json(200, { next: null, results: items(1, 2) })],
    ['no next page among its links', json(200, { data: items(1, 2), links: { next: null } })],
    ['only a page before', json(200, items(1, 2), { link: '</v1/brands/7/orders/>; rel="prev"' })],
  ])('asks for no other page when the API says that there is %s', async (_, behaviour) => {
    const { server, client } = await setUp()
    server.next(behaviour)
    expect(await collect(client.list(orders))).toEqual(items(1, 2))
    expect(server.received.map(({ url }) => url)).toEqual(['/v1/brands/7/orders/?limit=250'])
  })

  test.each([
    ['bare arrays', (some: unknown[]) => some],
    ['objects without a link', (results: unknown[]) => ({ results })],
    ['objects with the count of the page', (results: unknown[]) => ({ count: results.length, results })],
  ])('is not at its end where pages are smaller than asked for: %s', async (_, envelope) => {
    const { server, client } = await setUp()
    const pages = [items(1, 2), items(3, 4), items(5), []]
    server.next(...pages.map((page) => json(200, envelope(page))))
    expect(await collect(client.list(orders))).toEqual(items(1, 2, 3, 4, 5))
  })

  test('is at its end where no answer promised another page and the API refuses its number', async () => {
    const { server, client } = await setUp()
    server.next(json(200, items(1, 2)), json(400, { page: ['Invalid page.'] }))
    expect(await collect(client.list(orders))).toEqual(items(1, 2))

    server.next(json(200, items(1, 2)), json(400, { page: ['Invalid page.'] }))
    const full = client.list({ ...orders, query: { limit: 2 } })
    expect((await failureOf(collect(full))).code).toBe('api-answer-unusable')
  })

  test('of nothing is one that is called so, or as the list is', async () => {
    const { server, client } = await setUp()
    server.next(json(200, { orders: [] }))
    expect(await collect(client.list(orders))).toEqual([])
  })

  test('of nothing gives no page', async () => {
    const { server, client } = await setUp()
    server.next(json(200, { count: 0, next: null, results: [] }))
    expect(await collect(client.list(orders))).toEqual([])
  })

  test.each([
    ['an object without an array', { id: 1 }],
    ['an object with two unknown arrays', { a: items(1), b: items(2) }],
    ['an object whose only array is empty', { errors: [] }],
    ['an object whose only array holds no resources', { errors: [{ message: 'Try later.' }] }],
    ['a text', 'hello'],
    ['a list of numbers', { results: [1, 2] }],
    ['a list of lists', [[{ id: 1 }]]],
  ])('fails for %s', async (_, body) => {
    const { server, client } = await setUp()
    server.next(json(200, body))
    expect((await failureOf(collect(client.list(orders)))).code).toBe('api-answer-unusable')
  })

  test('fails when the list itself is not found', async () => {
    const { server, client } = await setUp()
    server.next(json(404, {}))
    expect((await failureOf(collect(client.list(orders)))).code).toBe('api-answer-unusable')
  })

  test('tries a page again that did not come', async () => {
    const { server, client } = await setUp()
    server.next(
      json(200, { next: '?page=2', results: items(1) }),
      html(502),
      json(200, { results: items(2) }),
    )
    expect(await collect(client.list(orders))).toEqual([{ id: 1 }, { id: 2 }])
  })

  /** Serves the second page for the given link and returns the addresses that were requested. */
  async function follow(
    link: string | ((url: string) => string),
    path = '',
    headers?: (url: string) => object,
  ) {
    const { server, client } = await setUp({}, path)
    const next = typeof link === 'string' ? link : link(server.url)
    server.next(
      json(200, { count: 2, ...(headers ? {} : { next }), results: items(1) }, { ...headers?.(next) }),
      json(200, { count: 2, next: null, results: items(2) }),
    )
    const found = await collect(client.list(orders))
    expect(found).toEqual([{ id: 1 }, { id: 2 }])
    return server.received[1]?.url
  }

  test('follows a whole link to its own address', async () => {
    expect(await follow((url) => `${url}/v1/brands/7/orders/?limit=250&cursor=abc`)).toBe(
      '/v1/brands/7/orders/?limit=250&cursor=abc',
    )
  })

  test('follows a link that is only a path or a query', async () => {
    expect(await follow('/v1/brands/7/orders/?page=2')).toBe('/v1/brands/7/orders/?page=2')
    expect(await follow('?page=2&limit=250')).toBe('/v1/brands/7/orders/?page=2&limit=250')
  })

  test('takes only the query of a link to a foreign address', async () => {
    expect(await follow('http://internal.example.com:8080/other/?page=2')).toBe('/v1/brands/7/orders/?page=2')
    expect(await follow('//evil.example.com/?page=2')).toBe('/v1/brands/7/orders/?page=2')
  })

  test('takes only the query of a link that prunes the path of the base address', async () => {
    expect(await follow((url) => `${url}/v1/brands/7/orders/?page=2`, '/gateway')).toBe(
      '/gateway/v1/brands/7/orders/?page=2',
    )
  })

  test('follows the link in a header', async () => {
    const url = await follow('/v1/brands/7/orders/?page=2', '', (next) => ({
      link: `</v1/brands/7/orders/?page=1>; rel="prev", <${next}>; rel="next"`,
    }))
    expect(url).toBe('/v1/brands/7/orders/?page=2')
  })

  test('asks for the next page by number when the count says that there is more', async () => {
    const { server, client } = await setUp()
    const query = { status: ['open', 'partial'], limit: 2 }
    server.next(
      json(200, { count: 5, results: items(1, 2) }),
      json(200, { count: 5, results: items(3, 4) }),
      json(200, { count: 5, results: items(5) }),
    )
    expect(await collect(client.list({ ...orders, query }))).toHaveLength(5)
    expect(server.received.map(({ url }) => url)).toEqual([
      '/v1/brands/7/orders/?status=open&status=partial&limit=2',
      '/v1/brands/7/orders/?status=open&status=partial&limit=2&page=2',
      '/v1/brands/7/orders/?status=open&status=partial&limit=2&page=3',
    ])
  })

  test('asks for another page after a full bare array', async () => {
    const { server, client } = await setUp()
    server.next(json(200, items(1, 2)), json(200, items(3)))
    expect(await collect(client.list({ ...orders, query: { limit: 2 } }))).toEqual(items(1, 2, 3))
    expect(server.received[1]?.url).toBe('/v1/brands/7/orders/?limit=2&page=2')
  })

  test.each<[string, Behaviour]>([
    ['an empty page', json(200, { results: [] })],
    ['a page that is not there', json(404, { detail: 'Invalid page.' })],
    ['a page that came before', json(200, { results: items(2, 1) })],
  ])('ends at %s', async (_, behaviour) => {
    const { server, client } = await setUp()
    server.next(json(200, { next: '?page=2', results: items(1, 2) }), behaviour)
    expect(await collect(client.list(orders))).toEqual(items(1, 2))
    expect(server.received).toHaveLength(2)
  })

  test.each<[string, Behaviour]>([
    ['an empty page', json(200, { count: 9, results: [] })],
    ['a page that is not there', json(404, { detail: 'Invalid page.' })],
    ['a page that came before', json(200, { count: 9, results: items(2, 1) })],
  ])('fails at %s when its own count says that there are more', async (_, behaviour) => {
    const { server, client } = await setUp()
    server.next(json(200, { count: 9, results: items(1, 2) }), behaviour)
    expect(await failureOf(collect(client.list(orders)))).toMatchObject({
      code: 'api-answer-unusable',
      message: expect.stringContaining('holds 9 and gives only 2') as string,
    })
  })

  test('gives a resource once that moved to the next page, whether its id is a number or text', async () => {
    const { server, client } = await setUp()
    server.next(
      json(200, { next: '?page=2', results: items(1, 2) }),
      json(200, { next: null, results: items('2', '3', '03', 'x') }),
    )
    expect(await collect(client.list(orders))).toEqual(items(1, 2, '3', '03', 'x'))
  })

  test('that never ends is a failure and not an end', async () => {
    const { server, client } = await setUp()
    let id = 0
    server.next((response, request) =>
      json(200, { next: '?page=2', results: items((id += 1)) })(response, request),
    )
    const failure = await failureOf(collect(client.list(orders)))
    expect(failure.message).toContain('the list goes on after 10000 pages')
    expect(id).toBe(10_000)
  })
})

describe('the clock of the API', () => {
  test('is unknown until there is an answer', async () => {
    const { client } = await setUp()
    expect(client.clockOffsetMs()).toBe(0)
  })

  test('is read from the latest answer, a refusal too', async () => {
    const { server, client, clock } = await setUp()
    const ahead = new Date(clock.now() + 90_000).toUTCString()
    server.next(json(404, {}, { date: ahead }))
    await client.get(order)
    expect(client.clockOffsetMs()).toBe(90_000)
  })
})
