/** The OpenAPI document and its page: valid, complete, true of the service, and public. */
import type { Endpoint } from '../../src/contract/endpoints.ts'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { SERVED_ENDPOINTS, SERVED_ENDPOINT_NAMES } from '../../src/service/endpoints.ts'
import { createOpenApi, type OpenApi, type Operation } from '../../src/service/openapi/document.ts'
import { REQUEST_EXAMPLES } from '../../src/service/openapi/examples.ts'
import type { JsonSchema } from '../../src/service/openapi/json-schema.ts'
import { renderPage } from '../../src/service/openapi/page.ts'
import {
  BRAND_ORDERS,
  type Caller,
  INVOICES,
  openMarket,
  ORDERS,
  orderBody,
  placeAndShip,
  placeOrder,
  SHIPMENTS,
} from './market.ts'

const DOCUMENT = createOpenApi()

describe('the document', () => {
  test('a public validator finds it to be valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(DOCUMENT) as never)
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
    expect(validator.version).toBe('3.1')
  })

  test.each(SERVED_ENDPOINT_NAMES)('%s is there, with a description', (name) => {
    const { operationId, summary, description } = operation(name)
    expect(operationId).toBe(name)
    expect(summary).toMatch(/^[A-Z]/)
    expect(description).toMatch(/\.$/)
  })

  test('each endpoint has its own description', () => {
    const summaries = SERVED_ENDPOINT_NAMES.map((name) => operation(name).summary)
    expect(new Set(summaries).size).toBe(summaries.length)
  })

  test('each component and each of its fields has a description', () => {
    const silent = Object.entries(DOCUMENT.components.schemas).flatMap(([name, schema]) =>
      missingDescriptions(schema, name),
    )
    expect(silent).toEqual([])
  })

  test('each component is used, and each that is used is there', () => {
    const uses = JSON.stringify(DOCUMENT).match(/#\/components\/schemas\/\w+/g)!
    const used = new Set(uses.map((use) => use.split('/').at(-1)))
    expect([...used].toSorted()).toEqual(Object.keys(DOCUMENT.components.schemas).toSorted())
  })

  test('a time filter becomes four parameters, a status may be repeated', () => {
    const { parameters } = operation('listBrandOrders')
    expect(parameters.map(({ name }) => name)).toEqual([
      'brand_id',
      'status',
      'is_acknowledged',
      'ordered_at_lt',
      'ordered_at_lte',
      'ordered_at_gt',
      'ordered_at_gte',
      'acknowledged_at_lt',
      'acknowledged_at_lte',
      'acknowledged_at_gt',
      'acknowledged_at_gte',
      'limit',
      'page',
      'after',
      'before',
    ])
    expect(parameters.find(({ name }) => name === 'status')).toMatchObject({
      explode: true,
      schema: { type: 'array', items: { enum: ['open', 'partial', 'closed', 'canceled'] } },
    })
  })

  test('a field says how long it may be, its unit and its form', () => {
    const { schemas } = DOCUMENT.components
    expect(schemas['OrderCreate']?.properties).toMatchObject({
      purchase_order_number: { type: 'string', minLength: 1, maxLength: 32 },
      customer_order_number: { type: ['string', 'null'], maxLength: 32 },
      ordered_at: { format: 'date-time', pattern: 'Z$' },
      ship_to: { $ref: '#/components/schemas/AddressInput' },
    })
    expect(schemas['AddressInput']?.properties?.['country']).toMatchObject({ pattern: '^[A-Z]{2}$' })
    expect(schemas['ShipmentCreate']?.properties?.['ship_width']?.description).toMatch(/^Inches\./)
    expect(schemas['RetailerOrder']?.properties?.['brands']?.deprecated).toBe(true)
  })

  test('only calls that change something need the scope write, and the token needs none', () => {
    expect(operation('listRetailerOrders').security).toEqual([{ oauth2: ['read'] }])
    expect(operation('createOrder').security).toEqual([{ oauth2: ['write'] }])
    expect(operation('acknowledgeOrder').security).toEqual([{ oauth2: ['write'] }])
    expect(operation('token').security).toEqual([])
  })

  test('a part of the table makes a document of that part', () => {
    const { listCarriers } = SERVED_ENDPOINTS
    const { paths, tags, servers } = createOpenApi({
      endpoints: { listCarriers },
      serverUrl: 'https://api.example.com',
    })
    expect(Object.keys(paths)).toEqual(['/v1/carriers/'])
    expect(tags.map(({ name }) => name)).toEqual(['Carriers'])
    expect(servers).toEqual([{ url: 'https://api.example.com' }])
  })
})

describe('the examples', () => {
  const taking = SERVED_ENDPOINT_NAMES.filter((name) => SERVED_ENDPOINTS[name].request !== undefined)

  test.each(taking)('%s has one that it accepts as it is', (name) => {
    const examples = Object.values(REQUEST_EXAMPLES.get(name) ?? {})
    expect(examples.length).toBeGreaterThan(0)
    for (const { value } of examples) {
      // unknown keys would be removed
      expect(SERVED_ENDPOINTS[name].request!.parse(value)).toEqual(value)
    }
  })

  test('orders, shipments, invoices and items made of them are accepted by the service', async () => {
    const { retailer, brand } = await openMarket()
    const order = await retailer.post(ORDERS, example('createOrder', 'order'))
    expect(order.status).toBe(201)
    const shipment = { ...example('createShipment', 'labelled'), order_id: order.body.id }
    expect((await brand.post(SHIPMENTS, shipment)).status).toBe(201)
    const rest = {
      ...shipment,
      tracking_number: 'TRACK-2',
      shipment_lines: [{ variant: { brand_identifier: 'NL-0003' }, quantity: 1 }],
    }
    expect((await brand.post(SHIPMENTS, rest)).status).toBe(201)
    expect((await brand.post(INVOICES, example('createInvoice', 'invoice'))).status).toBe(201)
    expect((await brand.post('/v1/brands/2000/variants/', example('createVariant', 'variant'))).status).toBe(
      201,
    )
  })
})

describe('the service', () => {
  test('answers as the document says, successes and refusals', async () => {
    const market = await openMarket()
    const { retailer, brand, admin, otherBrand, service } = market
    const document = await fetchDocument(service.baseUrl)
    const orderId = await placeOrder(market, 'PO-1')
    const shipmentId = await placeAndShip(market, 'PO-2')
    const asked: [Caller, string, string][] = [
      [retailer, 'listRetailers', '/v1/retailers/'],
      [retailer, 'listCarriers', '/v1/carriers/'],
      [retailer, 'listConnections', '/v1/retailers/1000/connections/'],
      [retailer, 'listRetailerOrders', `${ORDERS}?limit=1`],
      [retailer, 'getRetailerOrder', `${ORDERS}${orderId}/`],
      [retailer, 'listRetailerOrders', `${ORDERS}?limit=none`],
      [retailer, 'getRetailerOrder', `${ORDERS}999999/`],
      [retailer, 'getShipment', `/v1/retailers/1000/shipments/${shipmentId}/`],
      [retailer, 'listRetailerVariants', '/v1/retailers/1000/variants/?limit=3'],
      [brand, 'listBrandOrders', BRAND_ORDERS],
      [brand, 'listBrandVariants', '/v1/brands/2000/variants/?limit=3'],
      [otherBrand, 'listBrandOrders', BRAND_ORDERS],
      [admin, 'listParties', '/admin/parties/'],
      [admin, 'getSwitches', '/admin/switches/'],
      [retailer, 'getSwitches', '/admin/switches/'],
    ]
    const statuses: number[] = []
    for (const [caller, name, path] of asked) {
      const { status, body } = await caller.get(path)
      statuses.push(status)
      expect(errorIn(document, { name, status, body }), `${name} ${status}`).toBeUndefined()
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 400, 404, 200, 200, 200, 200, 403, 200, 200, 403])

    const created = await retailer.post(ORDERS, orderBody('PO-3'))
    expect(errorIn(document, { name: 'createOrder', ...created })).toBeUndefined()
    const refused = await retailer.post(ORDERS, orderBody('PO-4', { ship_to: {}, order_lines: [{}] }))
    expect(refused.status).toBe(400)
    expect(errorIn(document, { name: 'createOrder', ...refused })).toBeUndefined()
    const { id: _id, ...lacking } = created.body
    expect(errorIn(document, { name: 'createOrder', status: 201, body: lacking })).toBeDefined()
  })

  test('returns as many records as the document says when a call has no limit', async () => {
    const { brand, service } = await openMarket()
    const document = await fetchDocument(service.baseUrl)
    const limit = operation('listBrandVariants', document).parameters.find(({ name }) => name === 'limit')!
    const { body } = await brand.get('/v1/brands/2000/variants/')
    expect(body.count).toBeGreaterThan(body.results.length)
    expect(body.results).toHaveLength(limit.schema.default as number)
  })

  test('serves the document and the page without a token, while faults strike all other calls', async () => {
    const { service } = await openMarket({ switches: { error500Before: 1, faultsStrike: 'all' } })
    const document = await fetch(`${service.baseUrl}/openapi.json`)
    expect(document.status).toBe(200)
    expect(document.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const page = await fetch(`${service.baseUrl}/docs`)
    expect(page.status).toBe(200)
    expect(page.url).toBe(`${service.baseUrl}/docs/`)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })

  test('serves the page with a policy that allows its own style and nothing else', async () => {
    const { service } = await openMarket()
    const page = await fetch(`${service.baseUrl}/docs/`)
    const style = /<style>([^]*?)<\/style>/.exec(await page.text())![1]!
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style))
    expect(page.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${Buffer.from(digest).toString('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
  })
})

describe('the page', () => {
  const page = renderPage(DOCUMENT)

  test.each(SERVED_ENDPOINT_NAMES)('%s is on it', (name) => {
    const section = new RegExp(`<section id="op-${name}">[^]*?</section>`).exec(page)![0]
    expect(section).toContain(`<code>${SERVED_ENDPOINTS[name].path}</code>`)
    expect(section).toContain(`>${SERVED_ENDPOINTS[name].method}</b>`)
  })

  test('every link leads to a place on it, or to the document', () => {
    const places = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `#${id}`))
    const links = [...page.matchAll(/ href="([^"]+)"/g)].map(([, address]) => address!)
    expect(links.filter((address) => !places.has(address))).toEqual(['../openapi.json'])
    expect(new Set(places).size).toBe([...page.matchAll(/ id="/g)].length)
  })

  test('it has no script and fetches nothing', () => {
    expect(page).not.toMatch(/<script|<img|<link|<iframe| src=| on\w+=|@import|url\(/i)
  })

  test('a body is shown with its fields and an example', () => {
    const section = /<section id="op-createOrder">[^]*?<\/section>/.exec(page)![0]
    const text = section.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
    expect(text).toContain('purchase_order_number string yes 1–32 characters Unique PO number.')
    expect(text).toContain('order_lines list of OrderLineInput yes at least 1 One line per unique item.')
    expect(text).toContain('&quot;purchase_order_number&quot;: &quot;PO-1001&quot;')
  })

  test('texts of the document never become HTML', () => {
    const { info } = DOCUMENT
    const hostile = renderPage({
      ...DOCUMENT,
      info: { ...info, title: '<b>"&', description: 'a `</code><i>` b' },
    })
    expect(hostile).toContain('<h1>&lt;b&gt;&quot;&amp; v1</h1>')
    expect(hostile).toContain('a <code>&lt;/code&gt;&lt;i&gt;</code> b')
  })
})

function operation(name: string, { paths }: OpenApi = DOCUMENT): Operation {
  const { path, method } = (SERVED_ENDPOINTS as Record<string, Endpoint>)[name]!
  return paths[path]![method.toLowerCase()]!
}

function example(name: string, key: string): Record<string, unknown> {
  return REQUEST_EXAMPLES.get(name)![key]!.value as Record<string, unknown>
}

/** The places of those without a description. */
function missingDescriptions({ description, properties = {}, items }: JsonSchema, path: string): string[] {
  return [
    ...(description === undefined ? [path] : []),
    ...Object.entries({ ...properties, ...items?.properties }).flatMap(([name, schema]) =>
      missingDescriptions(schema, `${path}.${name}`),
    ),
  ]
}

async function fetchDocument(baseUrl: string): Promise<OpenApi> {
  return (await (await fetch(`${baseUrl}/openapi.json`)).json()) as OpenApi
}

interface Answer {
  readonly name: string
  readonly status: number
  readonly body: unknown
}

/** The keys of an answer that the document lacks. */
function errorIn(document: OpenApi, { name, status, body }: Answer): string | undefined {
  const answer = operation(name, document).responses[status]
  if (answer === undefined) return `${name} does not answer ${status}`
  const response = '$ref' in answer ? document.components.responses[answer.$ref.split('/').at(-1)!]! : answer
  const schema = { ...response.content!['application/json']!.schema, $defs: document.components.schemas }
  const local = JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/')
  const { error } = z.fromJSONSchema(JSON.parse(local)).safeParse(body)
  return error && z.prettifyError(error)
}
