/** Documents that the API makes: their bytes as they came, or the reason of the API for a missing one. */
import { describe, expect, test } from 'vitest'
import {
  type Behaviour,
  breaksOff,
  hangUp,
  html,
  json,
  saysNothing,
  text,
  token,
} from '../fixtures/misbehaving-server.ts'
import { failureOf, setUp } from './setup.ts'

const label = { endpoint: 'getShippingLabel', params: { brand_id: 7, id: 42 } }
/** Bytes that are no valid text in any encoding. */
const BYTES = Buffer.from([0x25, 0x50, 0x44, 0x46, 0x00, 0xff, 0xfe, 0x80])

const file =
  (bytes: Buffer, contentType = 'application/pdf'): Behaviour =>
  (response) =>
    void response.writeHead(200, { 'content-type': contentType }).end(bytes)

describe('fetching a document', () => {
  test('gives the bytes as they came, with their type', async () => {
    const { server, client } = await setUp()
    server.next(file(BYTES))

    const answer = await client.document(label)

    expect(answer).toMatchObject({ made: true, contentType: 'application/pdf' })
    expect(answer.made && Buffer.from(answer.bytes)).toEqual(BYTES)
    expect(server.received[0]).toMatchObject({
      method: 'GET',
      url: '/v1/brands/7/shipments/42/shipping_label/',
      headers: { accept: '*/*', authorization: 'Bearer token-1' },
    })
  })

  test('and other calls in between still ask for JSON', async () => {
    const { server, client } = await setUp()
    server.next(file(BYTES), json(200, { id: 42 }))

    await client.document(label)
    await client.get({ endpoint: 'getBrandOrder', params: { brand_id: 7, id: 42 } })

    expect(server.received.map(({ headers }) => headers.accept)).toEqual(['*/*', 'application/json'])
  })

  test.each([
    [400, 'HTTP 400: Not now.', json(400, { non_field_errors: ['Not now.'] })],
    [403, 'HTTP 403: Only reading.', json(403, { detail: 'Only reading.' })],
    [404, 'HTTP 404: Not found.', json(404, { detail: 'Not found.' })],
    [409, 'HTTP 409: No label.', json(409, { detail: 'No label.' })],
  ])('that the API refuses with %i gives its reason', async (status, detail, behaviour) => {
    const { server, client } = await setUp()
    server.next(behaviour)

    expect(await client.document(label)).toEqual({ made: false, status, detail })
    expect(server.received).toHaveLength(1)
  })

  test('is tried again after a passing failure', async () => {
    const { server, client } = await setUp({ retry: { attempts: 9, budgetMs: 100_000 }, timeoutMs: 200 })
    const passing = [hangUp, saysNothing, json(429, {}), json(500, {}), html(502), html(200)]
    server.next(...passing, text(200, ''), breaksOff(200, '%PDF'), file(BYTES))

    expect(await client.document(label)).toMatchObject({ made: true })
  })

  test('renews a token that ended', async () => {
    const { server, client } = await setUp()
    server.next(json(401, {}), file(BYTES))
    server.nextToken(json(200, token('old')), json(200, token('new')))

    expect(await client.document(label)).toMatchObject({ made: true })
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new'])
  })

  test.each([
    ['api-unreachable', 'HTTP 503: Maintenance', json(503, { detail: 'Maintenance' })],
    ['api-answer-unusable', 'HTTP 200, but it is a web page and no file', html(200)],
    ['api-answer-unusable', 'HTTP 200, but the file is empty', text(200, '')],
    ['api-answer-unusable', 'HTTP 200, but the body was cut short', file(Buffer.alloc(20 * 1024 * 1024 + 1))],
    ['credentials-refused', 'its words', json(401, { detail: 'its words' })],
  ])('fails in the end with %s: %s', async (code, message, behaviour) => {
    const { server, client } = await setUp({ retry: { attempts: 2 } })
    server.next(behaviour)

    const failure = await failureOf(client.document(label))

    expect(failure.code).toBe(code)
    expect(failure.message).toContain(message)
  })

  test('of twenty mebibytes comes whole', async () => {
    const { server, client } = await setUp()
    server.next(file(Buffer.alloc(20 * 1024 * 1024, 7)))

    const answer = await client.document(label)

    expect(answer.made && answer.bytes.length).toBe(20 * 1024 * 1024)
  })
})
