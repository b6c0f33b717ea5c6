import type { Endpoint } from '../../src/contract/endpoints.ts'
import fc from 'fast-check'
import { Pool } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { ENDPOINTS } from '../../src/contract/endpoints.ts'
import { type Filter, type Filters, TIME_OPERATORS } from '../../src/contract/filters.ts'
import {
  ADMIN_ENDPOINTS,
  SERVED_ENDPOINT_NAMES,
  SERVED_ENDPOINTS,
  type ServedEndpointName,
} from '../../src/service/endpoints.ts'
import { createService, type Service } from '../../src/service/service.ts'
import { systemClock } from '../../src/support/clock.ts'
import {
  ADMIN,
  CREDENTIALS,
  invoiceBody,
  orderBody,
  seedWithCredentials,
  shipmentBody,
  tokenFor,
} from './market.ts'

const ALL = { ...ENDPOINTS, ...ADMIN_ENDPOINTS }

type WriteName = {
  [Name in ServedEndpointName]: (typeof ALL)[Name]['kind'] extends 'create' | 'update' ? Name : never
}[ServedEndpointName]

let service: Service
let pool: Pool
const tokens = { retailer: '', brand: '', admin: '' }

beforeAll(async () => {
  service = await createService({ data: ':memory:', clock: systemClock, seed: seedWithCredentials() })
  await service.listen()
  pool = new Pool(service.baseUrl, { connections: 4, pipelining: 1 })
  const [retailer, brand] = CREDENTIALS
  tokens.retailer = await tokenFor(service, retailer.clientId, retailer.clientSecret)
  tokens.brand = await tokenFor(service, brand.clientId, brand.clientSecret)
  tokens.admin = await tokenFor(service, ADMIN.clientId, ADMIN.clientSecret)
  await furnish()
})

afterAll(async () => {
  await pool.close()
  await service.close()
})

interface Sent {
  readonly method: string
  readonly path: string
  readonly token?: string
  readonly body?: string | Buffer
  readonly contentType?: string
}

interface Answered {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- tests reach deep into answers
  readonly body: any
}

/** Whatever the request, the answer is no error of the server. */
async function send({ method, path, token, body, contentType }: Sent): Promise<Answered> {
  const answer = await pool.request({
    method: method as 'GET',
    path,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
    },
    ...(body === undefined ? {} : { body }),
  })
  const bytes = Buffer.from(await answer.body.arrayBuffer())
  const isJson = String(answer.headers['content-type']).startsWith('application/json')
  const read = isJson ? JSON.parse(bytes.toString()) : bytes
  expect(answer.statusCode, bytes.toString()).toBeLessThan(500)
  return { status: answer.statusCode, body: read }
}

function tokenOf({ context }: Endpoint): string {
  return context === 'admin' || context === 'brand' ? tokens[context] : tokens.retailer
}

const JSON_TYPE = 'application/json'

let sent = 0

/**
 * Sends JSON text in which `UNIQUE` is another number each time. An invoice needs a closed order, a connection a brand that
 * trades with no retailer.
 */
async function write(name: WriteName, text: string): Promise<Answered> {
  const endpoint = SERVED_ENDPOINTS[name]
  const number = String(++sent)
  const brand = name === 'createConnection' ? await make('createParty', NEW_BRAND) : 0
  const body = text.replaceAll('UNIQUE', number).replaceAll(STRANGER, String(brand))
  if (name === 'createInvoice') await placeClosed(`CLOSED-${number}`)
  return send({
    method: endpoint.method,
    path: pathOf(name),
    token: tokenOf(endpoint),
    body,
    contentType: JSON_TYPE,
  })
}

/** The ids of the contents of the market; every endpoint that changes one resource has a resource of its own kind. */
const IDS: Partial<Record<ServedEndpointName, number>> = {
  updateRetailerVariant: 9100,
  updateBrandVariant: 9100,
  changeStock: 9100,
  cancelForBrand: 1,
  changeOrder: 1,
  createRma: 2,
  createCredit: 1,
  changeInvoice: 1,
  createClient: 2,
  changeConnection: 101,
  createShippingAccount: 101,
}

function pathOf(name: ServedEndpointName, id: string | number = IDS[name] ?? 1): string {
  return SERVED_ENDPOINTS[name].path
    .replace('{retailer_id}', '1000')
    .replace('{brand_id}', '2000')
    .replace(/\{\w+\}/, String(id))
}

const MANY = 1_000_000
const manyLines = orderBody('').order_lines.map((line) => ({
  ...line,
  quantity: MANY,
  price: '0.10',
  net_price: '0.01',
}))
const shippedUnit = { variant: { brand_identifier: 'NL-0001' }, quantity: 1 }
const oneUnit = { variant: { id: 9001, identifier: 'NL-0001' }, quantity: 1 }

/** The id of a brand that trades with no retailer. */
const STRANGER = '424242'
const NEW_BRAND = { kind: 'brand', name: 'Elm', code: 'ELM-UNIQUE' }

/** A valid body for every endpoint that takes one. */
const RIGHT: Readonly<Record<WriteName, object>> = {
  createOrder: orderBody('PO-UNIQUE', {
    customer_order_number: 'W-17',
    gift_message: ['Happy birthday!', '', 'Yours, Max'],
    sold_to: { ...orderBody('').ship_to, name2: null, phone1: '518-555-0143', email: 'ann@example.com' },
  }),
  createCancel: { order_id: 1, reason_id: 1, cancel_lines: [oneUnit] },
  createShipment: shipmentBody(2, {
    shipped_at: '2026-11-21 02:15:00',
    label_reference: 'Bin 12',
    ship_weight: '2.5',
    shipment_lines: [shippedUnit],
  }),
  createInvoice: invoiceBody('CLOSED-UNIQUE'),
  createVariant: {
    attributes: [
      { attribute: { code: 'identifier' }, value: 'NEW-UNIQUE' },
      { attribute: { code: 'inventory' }, value: 12 },
      { attribute: { code: 'image_1' }, value: 'https://media.example.com/1.jpg' },
      { attribute: { code: 'retailer_item_name' }, value: 'Ours', retailer: { id: 1000 } },
    ],
  },
  updateBrandVariant: {
    attributes: [
      { attribute: { code: 'color' }, value: 'Brass' },
      { attribute: { code: 'shipping_weight' }, value: '1.5' },
      { attribute: { code: 'category' }, value: null },
    ],
  },
  updateRetailerVariant: {
    attributes: [{ attribute: { code: 'retailer_sku' }, value: 'HV-UNIQUE', retailer: { id: 1000 } }],
  },
  cancelForBrand: { reason_id: 2, cancel_lines: [oneUnit] },
  changeOrder: {
    retailer_order_number: 'R-1',
    pickup_on: '2026-11-25T00:00:00Z',
    requested_shipping_method_id: 2,
  },
  createRma: {
    created_by: 'retailer',
    reason: 'Customer Disposition',
    rma_number: 'RMA-UNIQUE',
    rmad_at: '2026-11-20T10:00:00Z',
    rma_lines: [oneUnit],
  },
  createCredit: {
    credit_number: 'CR-UNIQUE',
    credit_lines: [{ ...oneUnit, price: '0.01' }],
    adjustments: [{ type: 'Fee', description: 'Restocking', amount: '-0.01' }],
  },
  changeInvoice: {
    terms_discount_percent: 2,
    terms_discount_date_due: '2026-12-01',
    remit_to: orderBody('').ship_to,
    charges: [{ type: 'Service Fee', description: null, amount: '1.00' }],
    allowances: [{ type: 'Promotion Allowance', amount: '0.50' }],
  },
  changeStock: { locations: [{ code: 'EAST', inventory: 3 }] },
  createParty: {
    kind: 'retailer',
    name: 'Oak',
    code: 'OAK-UNIQUE',
    acknowledge_within_hours: 12,
    account_id: null,
  },
  createClient: { scope: 'read' },
  createCarrier: {
    name: 'Cross',
    code: 'C-UNIQUE',
    shipping_methods: [{ name: 'LTL', code: 'LTL', type: 'freight', generic_id: 4 }],
  },
  createConnection: {
    retailer_id: 1000,
    brand_id: Number(STRANGER),
    message: 'Hello.',
    level: 'Full',
    status: 'Active',
    fulfill_within_hours: 48,
    shipping_method_ids: [3, 10],
    signature_required: true,
    packing_slips: false,
  },
  changeConnection: { level: 'Basic', status: 'Pending', fulfill_within_hours: 1, shipping_method_ids: [3] },
  createShippingAccount: { carrier_id: 2, nickname: 'Ours', owner_type: 'brand', shipping_method_ids: [10] },
  turnSwitches: { labelFormat: 'png', retryAfter: 'date' },
}

/**
 * Order 1 is open and large enough for all cancels, order 2 for all shipments and returns, return 1 for all credits. Invoice 1
 * can be changed.
 */
async function furnish(): Promise<void> {
  await make('createOrder', orderBody('OPEN-1', { order_lines: manyLines }))
  await make('createOrder', orderBody('OPEN-2', { order_lines: manyLines }))
  await make('createShipment', shipmentBody(2, { shipment_lines: [{ ...shippedUnit, quantity: MANY / 2 }] }))
  await make('createInvoice', RIGHT.createInvoice)
  await make('createRma', { ...RIGHT.createRma, rma_lines: [{ ...oneUnit, quantity: MANY / 4 }] })
  const accepted = await send({ method: 'PUT', path: '/admin/rmas/1/accept/', token: tokens.admin })
  expect(accepted.status).toBe(200)
}

/** An order of which everything is shipped. */
async function placeClosed(number: string): Promise<void> {
  await make('createShipment', shipmentBody(await make('createOrder', orderBody(number))))
}

/** The id of the new resource; fails unless the status is a success. */
async function make(name: WriteName, body: object): Promise<number> {
  const answer = await write(name, JSON.stringify(body))
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body.id
}

/** A valid body of which up to three parts, anywhere, are replaced by nonsense or left out. */
function spoiled(body: unknown): fc.Arbitrary<unknown> {
  const changes = placesOf(body).map(({ path, value }) =>
    fc.record({
      path: fc.constant(path),
      value: fc.oneof(nonsense, fc.constantFrom(...oddValuesFor(value), null), fc.string({ unit: 'binary' })),
    }),
  )
  return fc.array(fc.oneof(...changes), { maxLength: 3 }).map((parts) => withParts(body, parts))
}

function withParts(body: unknown, parts: readonly Place[]): unknown {
  const owner = { body: structuredClone(body) }
  for (const { path, value } of parts) replaceIn(owner, ['body', ...path], value)
  return owner.body ?? null
}

type Step = string | number

interface Place {
  readonly path: readonly Step[]
  readonly value: unknown
}

/** The body itself and everything in it. */
function placesOf(value: unknown, path: readonly Step[] = []): Place[] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return [{ path, value }, ...inner.flatMap(([name, one]) => placesOf(one, [...path, name]))]
}

const LEFT_OUT = Symbol('left out')

function replaceIn(owner: unknown, [step, ...rest]: readonly Step[], value: unknown): void {
  // an earlier replacement may have removed the place
  if (typeof owner !== 'object' || owner === null || step === undefined) return
  const fields = owner as Record<Step, unknown>
  if (rest.length > 0) replaceIn(fields[step], rest, value)
  else if (value === LEFT_OUT) delete fields[step]
  else fields[step] = structuredClone(value)
}

const TEXTS = [
  '',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '-0',
  '1e400',
  '$',
  '$,',
  '0x10',
  '99999999.99',
]
const WORDS = ['NL-0002', '-99.00', '0000-01-01T00:00:00Z', '9999-12-31', 'constructor', 'x'.repeat(256)]
const NUMBERS = [0, -1, 1.5, 2, 999, 1e308, 2_147_483_647, 2_147_483_648, Number.MAX_SAFE_INTEGER]
const OTHERS = [LEFT_OUT, null, 0, {}]

const nonsense = fc.oneof(
  { weight: 4, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  { weight: 4, arbitrary: fc.constantFrom<unknown>(...OTHERS) },
  { weight: 1, arbitrary: fc.constantFrom('deep', 'long', 'wide', 'prototype').map(hugeValue) },
)

/** Of the same type, so that they pass the first check. */
function oddValuesFor(value: unknown): readonly unknown[] {
  if (typeof value === 'number') return NUMBERS
  if (typeof value === 'string') return [...TEXTS.slice(0, 4), ...WORDS]
  return Array.isArray(value)
    ? [
        [...value, ...value],
        [...value, null],
      ]
    : []
}

/** The body with one part replaced, for every part and every odd value. */
function spoiledOnce(body: unknown): unknown[] {
  return placesOf(body).flatMap(({ path, value }) =>
    [...oddValuesFor(value), ...OTHERS].map((odd) => withParts(body, [{ path, value: odd }])),
  )
}

function hugeValue(kind: 'deep' | 'long' | 'wide' | 'prototype'): unknown {
  switch (kind) {
    case 'deep':
      return Array.from({ length: 1000 }).reduce<unknown>((inner) => ({ variant: [inner] }), {})
    case 'long':
      return 'x'.repeat(50_000)
    case 'wide':
      return Array.from({ length: 2000 }, () => ({}))
    case 'prototype':
      return JSON.parse('{"__proto__": {"quantity": 1}, "constructor": {"prototype": null}, "toString": 1}')
  }
}

/** Every field of a body, such as `order_lines.variant.id`. */
function fieldsOf(schema: z.core.$ZodType, path: readonly string[] = []): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'array') return fieldsOf(def.element, path)
  if (def.type === 'optional' || def.type === 'nullable') return fieldsOf(def.innerType, path)
  if (def.type !== 'object') return []
  return Object.entries(def.shape).flatMap(([name, field]) => {
    const where = [...path, name]
    return [where.join('.'), ...fieldsOf(field, where)]
  })
}

/** Every field that a refusal names, without the places in lists. */
function namedIn(errors: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (Array.isArray(errors)) {
    const isPlain = errors.every((error) => typeof error === 'string')
    return isPlain ? [path] : errors.flatMap((one) => namedIn(one, path))
  }
  return Object.entries(errors as object).flatMap(([name, inner]) =>
    namedIn(inner, path.length > 0 && /^\d+$/.test(name) ? path : [...path, name]),
  )
}

/** The fields of a refusal that are neither in the contract nor in the sent body; `nothing` when it names none. */
function strayNames(endpoint: Endpoint, body: unknown, errors: unknown): string[] {
  const known = new Set(fieldsOf(endpoint.request!))
  if (typeof body === 'object' && body !== null) for (const name of Object.keys(body)) known.add(name)
  const named = namedIn(errors).map((path) => (path.at(-1) === 'non_field_errors' ? path.slice(0, -1) : path))
  const stray = named.filter((path) =>
    path.length === 0 ? !mayNameNoField(endpoint, body, errors) : !known.has(path.join('.')),
  )
  return named.length === 0 ? ['nothing'] : stray.map((path) => path.join('.'))
}

/** Right only where no field is to blame: for a body that is no object, for an id of the path, or with fields in the text. */
function mayNameNoField({ path, request }: Endpoint, body: unknown, errors: unknown): boolean {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  if (!isObject || path.includes('{id}')) return true
  const text = JSON.stringify((errors as { non_field_errors?: unknown }).non_field_errors)
  return fieldsOf(request!).some((field) => text.includes(field))
}

const WRITES = Object.keys(RIGHT) as WriteName[]

describe('whatever query is sent', () => {
  const lists = SERVED_ENDPOINT_NAMES.filter((name) => SERVED_ENDPOINTS[name].kind === 'list')

  const time = fc.constantFrom(
    '0',
    '1763683200',
    '1763683200.5',
    '999999999999',
    '-1',
    '2026-11-21',
    '1e9',
    '',
    'NaN',
  )
  const anything = fc.oneof(
    fc.constantFrom(
      ...TEXTS,
      '250',
      '251',
      '1e9',
      '9'.repeat(400),
      "' or 1=1 --",
      '%',
      '[',
      'x'.repeat(3000),
    ),
    fc.string({ unit: 'binary' }),
  )
  const flag = fc.constantFrom('1', '0', 'true', 'FALSE', '2', '')
  const search = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          'Color[Rust]',
          'size[S||M]',
          'Category[bed]',
          'material[%]',
          'finish[\u0000]',
          'collection["]',
        ),
        fc.constantFrom('color', 'color[', 'color[]', 'color[||]', '[x]', 'upc[1]', 'toString[1]', ':', ']['),
        anything,
      ),
      { minLength: 1, maxLength: 5 },
    )
    .map((parts) => parts.join('::'))
  const RIGHT_VALUES: Readonly<Record<Filter['kind'], fc.Arbitrary<string>>> = {
    text: fc.constantFrom('OPEN-1', 'PO-1'),
    flag,
    view: flag,
    choice: fc.constantFrom('open', 'partial', 'closed', 'canceled', 'OPEN'),
    time,
    attributes: search,
  }

  /** Parameters of the list, mostly with values of their kind, and some unknown ones. */
  function queryOf({ filters = {} }: Endpoint): fc.Arbitrary<[string, string][]> {
    const known = Object.entries(filters).flatMap(([name, filter]) =>
      queryParameterNames({ [name]: filter }).map((parameter) =>
        fc.tuple(
          fc.constant(parameter),
          fc.oneof({ weight: 4, arbitrary: RIGHT_VALUES[filter.kind] }, { weight: 1, arbitrary: anything }),
        ),
      ),
    )
    const numbers = fc.oneof(fc.constantFrom('1', '2', '250', '1000', '0', '-1', '1.5', '٣', ''), anything)
    const pages = fc.tuple(fc.constantFrom('limit', 'page', 'after', 'before'), numbers)
    const strange = fc.tuple(
      fc.oneof(fc.constantFrom('__proto__', 'limit[]', 'constructor'), fc.string()),
      anything,
    )
    return fc.array(fc.oneof(...known, pages, strange), { maxLength: 6 })
  }

  it.each(lists)('%s answers it, or names the parameter that is wrong', async (name) => {
    const endpoint = SERVED_ENDPOINTS[name]
    const seen = new Set<number>()
    await fc.assert(
      fc.asyncProperty(queryOf(endpoint), async (pairs) => {
        const query = new URLSearchParams(pairs)
        const { status, body } = await send({
          method: 'GET',
          path: `${pathOf(name)}?${query.toString()}`,
          token: tokenOf(endpoint),
        })
        seen.add(status)
        expect([200, 400, 404]).toContain(status)
        expect(status === 404 ? body : { detail: 'Invalid page.' }).toEqual({ detail: 'Invalid page.' })
        expect(status !== 404 || query.has('page')).toBe(true)
        const named = Object.keys(status === 400 ? body : {})
        expect([...query.keys()]).toEqual(expect.arrayContaining(named))
        expect(status !== 400 || named.length > 0).toBe(true)
      }),
      { numRuns: 150 },
    )
    expect([...seen]).toEqual(expect.arrayContaining([200, 400]))
  })

  it.each(lists)('%s does not stumble over what is no query at all', async (name) => {
    const text = fc.stringMatching(/^[!"$-~%&=+[\]]{0,60}$/)
    await fc.assert(
      fc.asyncProperty(text, async (query) => {
        const path = `${pathOf(name)}?${query}`
        const { status } = await send({ method: 'GET', path, token: tokenOf(SERVED_ENDPOINTS[name]) })
        expect([200, 400, 404]).toContain(status)
      }),
      { numRuns: 25 },
    )
  })
})

describe('whatever body is sent', () => {
  async function takenOrNamed(name: WriteName, body: unknown): Promise<number> {
    const endpoint = SERVED_ENDPOINTS[name]
    const answer = await write(name, JSON.stringify(body))
    const stray = answer.status === 400 ? strayNames(endpoint, body, answer.body) : []
    expect(stray, JSON.stringify(answer.body)).toEqual([])
    const shown = answer.status === 400 ? undefined : endpoint.response!.safeParse(answer.body)
    expect(shown?.error).toBeUndefined()
    return answer.status
  }

  it.each(WRITES)('%s takes a valid one, and one with an odd value or names its field', async (name) => {
    expect(await takenOrNamed(name, RIGHT[name])).toBe(SERVED_ENDPOINTS[name].success)
    const seen = new Set<number>()
    for (const body of spoiledOnce(RIGHT[name])) seen.add(await takenOrNamed(name, body))
    expect(seen).toEqual(new Set([SERVED_ENDPOINTS[name].success, 400]))
  })

  it.each(WRITES)('%s takes one of nonsense, or names the field that is wrong', async (name) => {
    await fc.assert(
      fc.asyncProperty(spoiled(RIGHT[name]), async (body) => {
        expect([SERVED_ENDPOINTS[name].success, 400]).toContain(await takenOrNamed(name, body))
      }),
      { numRuns: 50 },
    )
  })

  it.each(WRITES)('%s does not mistake other bytes for one', async (name) => {
    const endpoint = SERVED_ENDPOINTS[name]
    const right = JSON.stringify(RIGHT[name])
    const cut = fc.nat({ max: right.length - 1 }).map((end) => right.slice(0, end))
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      cut.map((text) => Buffer.from(text)),
      fc
        .constantFrom('['.repeat(200_000), '{"a":'.repeat(100_000), '1e400', '"\\ud800"', '\ufeff{}', '[1,]')
        .map((text) => Buffer.from(text)),
      fc.constantFrom(Buffer.from([0x22, 0xff, 0x22]), Buffer.from(`${right}\u0000`), Buffer.from([0])),
    )
    const types = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(JSON_TYPE, 'application/json; charset=utf-8') },
      fc.constantFrom(
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'x',
        '/',
        ';',
      ),
    )
    await fc.assert(
      fc.asyncProperty(bytes, types, async (body, contentType) => {
        const { status, body: refusal } = await send({
          method: endpoint.method,
          path: pathOf(name),
          token: tokenOf(endpoint),
          body,
          contentType,
        })
        // no body at all is one without fields, which is enough where none is required
        const isEmpty = body.length === 0 && contentType.startsWith(JSON_TYPE)
        const isAllowed = isEmpty && endpoint.request!.safeParse({}).success
        expect(isAllowed ? [endpoint.success] : [400, 415]).toContain(status)
        const named = Object.keys(isAllowed ? { detail: '' } : refusal)
        const fields = [...fieldsOf(endpoint.request!), 'detail', 'non_field_errors']
        expect(fields).toEqual(expect.arrayContaining(named))
        expect(named.length).toBeGreaterThan(0)
      }),
      { numRuns: 50 },
    )
  })

  it('what is larger than a mebibyte is too large', async () => {
    const body = JSON.stringify(orderBody('PO-1', { gift_message: ['x'.repeat(1024 * 1024)] }))
    const answer = await send({
      method: 'POST',
      path: pathOf('createOrder'),
      token: tokens.retailer,
      body,
      contentType: JSON_TYPE,
    })
    expect(answer).toEqual({ status: 413, body: { detail: 'Request body is too large.' } })
  })
})

describe('whatever the address', () => {
  const withIds = SERVED_ENDPOINT_NAMES.filter((name) => SERVED_ENDPOINTS[name].path.includes('{'))
  const odd = [
    '0',
    '-1',
    '01',
    '1.5',
    '1e3',
    '0x1',
    '2147483648',
    '9'.repeat(90),
    'abc',
    '%00',
    '%ff',
    '%',
    '%2e%2e',
    '%F0%9F%98%80',
    '%D9%A3',
    "1'or'1",
    '1;2',
    '__proto__',
  ]

  it.each(withIds)('%s does not find an invalid id', async (name) => {
    const endpoint = SERVED_ENDPOINTS[name]
    const names = [...endpoint.path.matchAll(/\{\w+\}/g)].map(([placeholder]) => placeholder)
    const takesBody = endpoint.request !== undefined
    for (const placeholder of names) {
      for (const id of odd) {
        const path = placedOddly(endpoint.path, placeholder, id)
        const { status } = await send({
          method: endpoint.method,
          path,
          token: tokenOf(endpoint),
          ...(takesBody ? { body: '{}', contentType: JSON_TYPE } : {}),
        })
        // a body is checked before the resource that it would change
        expect([403, 404, ...(takesBody ? [400] : [])], `${path} ${status}`).toContain(status)
      }
    }
  })

  function placedOddly(path: string, placeholder: string, id: string): string {
    return path
      .replace(placeholder, id)
      .replace('{retailer_id}', '1000')
      .replace('{brand_id}', '2000')
      .replace(/\{\w+\}/, '1')
  }

  it('nothing is found where there is nothing', async () => {
    const segment = fc.oneof(
      fc.constantFrom(
        'v1',
        'admin',
        'retailers',
        'brands',
        '1000',
        '2000',
        'orders',
        '1',
        '%',
        '%00',
        '..',
        '%2f',
      ),
      fc.webSegment(),
    )
    const methods = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS')
    await fc.assert(
      fc.asyncProperty(methods, fc.array(segment, { maxLength: 7 }), async (method, segments) => {
        const path = `/${segments.map((one) => `${one}/`).join('')}`
        const answer = await service.app.inject({
          method: method as 'GET',
          url: path,
          headers: { authorization: `Bearer ${tokens.retailer}` },
        })
        expect([200, 302, 400, 403, 404, 405]).toContain(answer.statusCode)
      }),
      { numRuns: 300 },
    )
  })
})

describe('whatever the request for a token', () => {
  const { clientId, clientSecret } = CREDENTIALS[0]
  const FORM = 'application/x-www-form-urlencoded'
  const mostly = (right: string) =>
    fc.option(
      fc.oneof(
        { weight: 3, arbitrary: fc.constant(right) },
        fc.constantFrom(...TEXTS),
        fc.string({ unit: 'binary' }),
      ),
      { nil: undefined },
    )

  it('the answer is a token, or says in the words of OAuth what is wrong', async () => {
    const forms = fc.record({
      grant_type: mostly('client_credentials'),
      client_id: mostly(clientId),
      client_secret: mostly(clientSecret),
      scope: mostly('read'),
    })
    const seen = new Set<number>()
    await fc.assert(
      fc.asyncProperty(forms, async (form) => {
        const given = Object.entries(form).filter((pair): pair is [string, string] => pair[1] !== undefined)
        const body = new URLSearchParams(given).toString()
        const answer = await send({ method: 'POST', path: '/auth/token/', body, contentType: FORM })
        // After many wrong secrets the service tries none for a while.
        if (answer.status === 429) return
        seen.add(answer.status)
        const errors = ['unsupported_grant_type', 'invalid_client', 'invalid_scope']
        const isToken = ENDPOINTS.token.response.safeParse(answer.body).success
        expect([answer.status === 200, errors.includes(answer.body.error)]).toEqual([isToken, !isToken])
      }),
      { numRuns: 200 },
    )
    expect(seen).toEqual(new Set([200, 400, 401]))
  })

  it('other bytes get none', async () => {
    const types = fc.constantFrom(FORM, JSON_TYPE, 'text/plain', '')
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
      fc.stringMatching(/^[!-~]{0,80}$/).map((text) => Buffer.from(text)),
      fc.constantFrom(
        Buffer.from('grant_type=%ff%00'),
        Buffer.from('a&'.repeat(50_000)),
        Buffer.from('a=1&a[b]=2'),
      ),
    )
    await fc.assert(
      fc.asyncProperty(types, bytes, async (contentType, body) => {
        const answer = await send({ method: 'POST', path: '/auth/token/', body, contentType })
        expect([400, 401, 415]).toContain(answer.status)
        expect(['error', 'detail']).toContain(Object.keys(answer.body)[0])
      }),
      { numRuns: 150 },
    )
  })
})

it('after all of that, the service can still show everything it holds', async () => {
  const lists = SERVED_ENDPOINT_NAMES.filter((name) => SERVED_ENDPOINTS[name].kind === 'list')
  for (const name of lists) {
    const endpoint = SERVED_ENDPOINTS[name]
    let path: string | null = `${pathOf(name)}?limit=250`
    for (let page = 0; path !== null && page < 40; page++) {
      const { status, body }: Answered = await send({ method: 'GET', path, token: tokenOf(endpoint) })
      expect(status).toBe(200)
      const wrong = body.results.flatMap((one: unknown) => endpoint.response!.safeParse(one).error ?? [])
      expect(wrong).toEqual([])
      path = body.next === null ? null : body.next.slice(service.baseUrl.length)
    }
    expect(path).toBeNull()
  }
})

/** The query parameters a filter table allows, besides limit and page. */
function queryParameterNames(filters: Filters): readonly string[] {
  return Object.entries(filters).flatMap(([name, filter]) =>
    filter.kind === 'time' ? TIME_OPERATORS.map((operator) => `${name}_${operator}`) : [name],
  )
}
