/** The service with the sample market, called over real HTTP; every success is checked against the contract. */
import { expect, onTestFinished } from 'vitest'
import type { Clock } from '../../src/support/clock.ts'
import { SERVED_ENDPOINTS } from '../../src/service/endpoints.ts'
import { sampleCatalogue, sampleSeed } from '../../src/service/sample-seed.ts'
import type { Seed } from '../../src/service/seed.ts'
import {
  createService,
  type Service,
  type ServiceImage,
  type ServiceOptions,
} from '../../src/service/service.ts'

/** 2026-11-21T02:15:00Z; it moves only when a test moves it. */
export const NOW = Date.UTC(2026, 10, 21, 2, 15)

export interface Answered {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- tests reach deep into answers
  readonly body: any
}

export interface Caller {
  readonly token: string
  get(path: string): Promise<Answered>
  post(path: string, body: unknown): Promise<Answered>
  put(path: string): Promise<Answered>
  patch(path: string, body: unknown): Promise<Answered>
}

export interface Market {
  readonly service: Service
  readonly clock: { time: number }
  readonly retailer: Caller
  readonly brand: Caller
  readonly otherBrand: Caller
  /** Has a token for all calls of the administration. */
  readonly admin: Caller
}

export const CREDENTIALS = [
  { kind: 'retailer', id: 1000, clientId: 'harbor', clientSecret: 'harbor-secret-0123456789' },
  { kind: 'brand', id: 2000, clientId: 'northlight', clientSecret: 'northlight-secret-0123456789' },
  { kind: 'brand', id: 2001, clientId: 'copperfield', clientSecret: 'copperfield-secret-0123456789' },
] as const

export const ADMIN = {
  kind: 'admin',
  id: 0,
  clientId: 'administrator',
  clientSecret: 'administrator-secret-0123456789',
} as const

export async function openMarket(options: Partial<ServiceOptions> = {}): Promise<Market> {
  const clock = { time: NOW }
  const start = startsAsSampled(options)
    ? { data: await sampledAtNow() }
    : { data: ':memory:', seed: seedWithCredentials() }
  const service = await createService({ clock: clockOf(clock), ...start, ...options })
  await service.listen()
  onTestFinished(() => service.close())
  const [retailer, brand, otherBrand, admin] = await Promise.all(
    [...CREDENTIALS, ADMIN].map(async ({ clientId, clientSecret }) =>
      callerOf(service.baseUrl, await tokenFor(service, clientId, clientSecret)),
    ),
  )
  return { service, clock, retailer: retailer!, brand: brand!, otherBrand: otherBrand!, admin: admin! }
}

/** A clock that shows a time which only a test moves. */
export function clockOf(shown: { readonly time: number }): Clock {
  return { now: () => shown.time, sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) }
}

/** Nothing that the first contents of the database depend on is of the caller. */
export function startsAsSampled({ data, seed, clock, newClients }: Partial<ServiceOptions>): boolean {
  return data === undefined && seed === undefined && clock === undefined && newClients === undefined
}

const sampledAtNow = imageOnce(seedWithCredentials)

/** The first contents of a service, made once at NOW: a service that starts from them is there in half the time. */
export function imageOnce(seed: () => Seed): () => Promise<ServiceImage> {
  let image: Promise<ServiceImage> | undefined
  return () => {
    image ??= makeImage(seed())
    return image
  }
}

async function makeImage(seed: Seed): Promise<ServiceImage> {
  const service = await createService({ data: ':memory:', clock: clockOf({ time: NOW }), seed })
  const image = await service.copy()
  await service.close()
  return image
}

export function seedWithCredentials(changes: Partial<Seed> = {}): Seed {
  return { ...sampleSeed(), credentials: [...CREDENTIALS, ADMIN], ...changes }
}

export async function tokenFor(service: Service, clientId: string, clientSecret: string): Promise<string> {
  const { body } = await askToken(service, {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  })
  return body.access_token
}

export async function askToken(service: Service, form: Record<string, string>): Promise<Answered> {
  return answerOf(
    await fetch(`${service.baseUrl}/auth/token/`, { method: 'POST', body: new URLSearchParams(form) }),
  )
}

export function callerOf(baseUrl: string, token: string): Caller {
  const authorization = `Bearer ${token}`
  const call = async (method: string, path: string, body?: string) => {
    const headers =
      body === undefined ? { authorization } : { authorization, 'content-type': 'application/json' }
    const answer = await answerOf(
      await fetch(baseUrl + path, { method, headers, ...(body === undefined ? {} : { body }) }),
    )
    expectContract(method, path, answer)
    return answer
  }
  return {
    token,
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, JSON.stringify(body)),
    put: (path) => call('PUT', path),
    patch: (path, body) => call('PATCH', path, JSON.stringify(body)),
  }
}

export async function answerOf(response: Response): Promise<Answered> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

function expectContract(method: string, path: string, { status, body }: Answered): void {
  if (status >= 300 || typeof body !== 'object' || Array.isArray(body)) return
  const address = path.split('?')[0]!
  const endpoint = Object.values(SERVED_ENDPOINTS).find(
    (one) => one.method === method && new RegExp(`^${one.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(address),
  )!
  expect(status).toBe(endpoint.success)
  for (const resource of endpoint.kind === 'list' ? body.results : [body]) {
    expect(endpoint.response?.safeParse(resource).error).toBeUndefined()
  }
}

export const ORDERS = '/v1/retailers/1000/orders/'
export const BRAND_ORDERS = '/v1/brands/2000/orders/'
export const SHIPMENTS = '/v1/brands/2000/shipments/'
export const CANCELS = '/v1/retailers/1000/cancels/'
export const INVOICES = '/v1/brands/2000/invoices/'

const ITEMS = sampleCatalogue()

/** The item with the brand SKU, such as `NL-0001`. */
export function item(brandIdentifier: string) {
  return ITEMS.find((one) => one.brandIdentifier === brandIdentifier)!
}

/** Two of NL-0001 and one of NL-0002. */
export function orderBody(number: string, changes: Record<string, unknown> = {}) {
  return {
    purchase_order_number: number,
    ordered_at: '2026-11-20T18:30:00Z',
    ship_to: {
      name1: 'Ann Lee',
      street1: '12 Main St',
      city: 'Albany',
      province: 'NY',
      postal_code: '12207',
      country: 'US',
    },
    shipping_method: { code: 'FEDEX_GROUND', carrier: { code: 'FDEG' } },
    order_lines: [
      { variant: { identifier: 'NL-0001' }, quantity: 2, net_price: '7.87', price: '16.73' },
      { variant: { upc: item('NL-0002').upc }, quantity: 1, net_price: '11.24', price: '23.47' },
    ],
    ...changes,
  }
}

/** A shipment of everything that an `orderBody` orders, with a label that exists. */
export function shipmentBody(orderId: number, changes: Record<string, unknown> = {}) {
  return {
    order_id: orderId,
    ship_from_name1: 'Northlight Warehouse',
    ship_from_street1: '1 Dock Rd',
    ship_from_city: 'Newark',
    ship_from_province: 'NJ',
    ship_from_postal_code: '07101',
    ship_from_country: 'US',
    carrier_id: 1,
    shipping_method_id: 3,
    tracking_number: 'TRACK-1',
    shipment_lines: [
      { variant: { brand_identifier: 'NL-0001' }, quantity: 2 },
      { variant: { upc: item('NL-0002').upc }, quantity: 1 },
    ],
    ...changes,
  }
}

export function invoiceBody(number: string, changes: Record<string, unknown> = {}) {
  return {
    purchase_order_number: number,
    invoice_number: `INV-${number}`,
    terms_net_days_due: 30,
    terms_date_due: '2026-12-21',
    due_amount: '26.98',
    invoice_lines: [
      { variant: { identifier: 'NL-0001' }, quantity: 2, net_price: '7.87' },
      { variant: { id: 9002 }, quantity: 1, net_price: '11.24' },
    ],
    ...changes,
  }
}

/** The id of a new order. */
export async function placeOrder(market: Market, number: string, changes = {}): Promise<number> {
  const { status, body } = await market.retailer.post(ORDERS, orderBody(number, changes))
  expect(status).toBe(201)
  return body.id
}

/** The id of a shipment that holds all of a new order. */
export async function placeAndShip(market: Market, number: string): Promise<number> {
  const { status, body } = await market.brand.post(SHIPMENTS, shipmentBody(await placeOrder(market, number)))
  expect(status).toBe(201)
  return body.id
}
