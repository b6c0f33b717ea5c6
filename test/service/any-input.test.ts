import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RETAILER_ORDER_FILTERS, parametersOf } from '../../src/contract/filters.ts'
import { createService, type Service } from '../../src/service/service.ts'
import { systemClock } from '../../src/support/clock.ts'
import { CREDENTIALS, invoiceBody, orderBody, seedWithCredentials, shipmentBody } from './market.ts'

let service: Service
const tokens: Record<string, string> = {}

beforeAll(async () => {
  service = await createService({ data: ':memory:', clock: systemClock, seed: seedWithCredentials() })
  for (const { id, clientId, clientSecret } of CREDENTIALS) {
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
    const answer = await service.app.inject({
      method: 'POST',
      url: '/auth/token/',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(form).toString(),
    })
    tokens[id] = answer.json().access_token
  }
})

afterAll(() => service.close())

const CREATES = [
  { url: '/v1/retailers/1000/orders/', token: 1000, body: orderBody('PO-1') },
  { url: '/v1/brands/2000/shipments/', token: 2000, body: shipmentBody(1) },
  { url: '/v1/brands/2000/invoices/', token: 2000, body: invoiceBody('PO-1') },
]

/** A right body in which a few values, anywhere, are replaced by nonsense. */
function spoiled(body: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(body))
    return fc.oneof({ weight: 12, arbitrary: fc.tuple(...body.map(spoiled)) }, nonsense)
  if (typeof body !== 'object' || body === null) {
    return fc.oneof({ weight: 12, arbitrary: fc.constant(body) }, nonsense)
  }
  const fields = Object.entries(body).map(([name, value]) => [name, spoiled(value)] as const)
  return fc.oneof({ weight: 12, arbitrary: fc.record(Object.fromEntries(fields)) }, nonsense)
}

const nonsense = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('', '\u0000', '\ud800', '-0', '1e400', '$', '$,', '0x10', '99999999.99', 'NL-0001'),
  fc.constantFrom(0, -1, 1.5, 1e308, 2_147_483_647, 2_147_483_648, Number.MAX_SAFE_INTEGER),
  fc.string({ unit: 'binary' }),
)

async function statusOf(url: string, token: number, payload?: string): Promise<number> {
  const answer = await service.app.inject({
    method: payload === undefined ? 'GET' : 'POST',
    url,
    headers: {
      authorization: `Bearer ${tokens[token]}`,
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(payload === undefined ? {} : { payload }),
  })
  JSON.parse(answer.body)
  return answer.statusCode
}

it('no body is ever the fault of the server', async () => {
  const requests = fc.oneof(
    ...CREATES.map(({ url, token, body }) =>
      fc.record({ url: fc.constant(url), token: fc.constant(token), body: spoiled(body) }),
    ),
  )
  const seen = new Set<number>()
  await fc.assert(
    fc.asyncProperty(requests, async ({ url, token, body }) => {
      const status = await statusOf(url, token, JSON.stringify(body))
      seen.add(status)
      expect([201, 400]).toContain(status)
    }),
    { numRuns: 600 },
  )
  expect(seen).toEqual(new Set([201, 400]))
})

it('no text instead of a body is ever the fault of the server', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), fc.json(), fc.string({ unit: 'binary' })), async (text) => {
      expect(await statusOf('/v1/retailers/1000/orders/', 1000, text)).toBe(400)
    }),
    { numRuns: 200 },
  )
})

it('no query is ever the fault of the server', async () => {
  const name = fc.oneof(
    fc.constantFrom(...parametersOf(RETAILER_ORDER_FILTERS), 'limit', 'page'),
    fc.string({ unit: 'binary' }),
  )
  const value = fc.oneof(
    fc.constantFrom('1', '0', '250', '251', '-1', '1e9', '999999999999', 'open', 'true', "' or 1=1 --"),
    fc.string({ unit: 'binary' }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 6 }), async (pairs) => {
      const query = new URLSearchParams(pairs).toString()
      expect([200, 400, 404]).toContain(await statusOf(`/v1/retailers/1000/orders/?${query}`, 1000))
    }),
    { numRuns: 300 },
  )
})

it('no address is ever the fault of the server', async () => {
  const segment = fc.oneof(
    fc.constantFrom('v1', 'retailers', '1000', 'orders', '1', '%', '%00', '..'),
    fc.webSegment(),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(segment, { maxLength: 7 }), async (segments) => {
      expect([200, 403, 404, 405]).toContain(await statusOf(`/${segments.join('/')}/`, 1000))
    }),
    { numRuns: 300 },
  )
})
