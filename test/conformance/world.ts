/** The service with the sample market, called over HTTP by any client with any body. */
import { afterAll, beforeAll } from 'vitest'
import type { Seed } from '../../src/service/seed.ts'
import { createService, type Service, type ServiceOptions } from '../../src/service/service.ts'
import {
  type Answered,
  answerOf,
  clockOf,
  CREDENTIALS,
  imageOnce,
  invoiceBody,
  NOW,
  orderBody,
  seedWithCredentials,
  shipmentBody,
  startsAsSampled,
  tokenFor,
} from '../service/market.ts'

export interface World {
  readonly service: Service
  /** A clock that moves only when a test moves it. */
  readonly clock: { time: number }
  readonly retailer: Party
  readonly brand: Party
  readonly otherBrand: Party
  /** The operator, for what the spec has no call for. */
  readonly admin: Party
  /** A purchase order number that no order has. */
  nextNumber(): string
  close(): Promise<void>
}

/** Takes paths without their context, `orders/1/`, and absolute paths as they are. */
export interface Party {
  readonly token: string
  get(path: string): Promise<Answered>
  post(path: string, body: unknown): Promise<Answered>
  put(path: string): Promise<Answered>
  patch(path: string, body: unknown): Promise<Answered>
  send(path: string, request: RequestInit): Promise<Answered>
}

const CLIENTS = [
  CREDENTIALS[0],
  CREDENTIALS[1],
  CREDENTIALS[2],
  { kind: 'admin', id: 0, clientId: 'operator', clientSecret: 'operator-secret-0123456789' },
] as const

const withClients = () => seedWithCredentials({ credentials: CLIENTS })

const sampledAtNow = imageOnce(withClients)

export async function openWorld(options: Partial<ServiceOptions> = {}): Promise<World> {
  const clock = { time: NOW }
  const start = startsAsSampled(options)
    ? { data: await sampledAtNow() }
    : { data: ':memory:', seed: withClients() }
  const service = await createService({ clock: clockOf(clock), ...start, ...options })
  await service.listen()
  const enter = async (index: number, context: string) => {
    const { clientId, clientSecret } = CLIENTS[index]!
    return partyOf(service.baseUrl, context, await tokenFor(service, clientId, clientSecret))
  }
  let number = 0
  return {
    service,
    clock,
    retailer: await enter(0, '/v1/retailers/1000/'),
    brand: await enter(1, '/v1/brands/2000/'),
    otherBrand: await enter(2, '/v1/brands/2001/'),
    admin: await enter(3, '/admin/'),
    nextNumber: () => `PO-${(number += 1)}`,
    close: () => service.close(),
  }
}

/** A world for the tests of a `describe`, opened before the first and closed after the last. */
export function sharedWorld(seed?: () => Seed): { readonly world: () => World } {
  let opened: World | undefined
  beforeAll(async () => {
    opened = await openWorld(seed === undefined ? {} : { seed: seed() })
  })
  afterAll(() => opened?.close())
  return { world: () => opened! }
}

/** A world for one test. */
export async function inWorld<Result>(
  run: (world: World) => Promise<Result>,
  options: Partial<ServiceOptions> = {},
): Promise<Result> {
  const world = await openWorld(options)
  try {
    return await run(world)
  } finally {
    await world.close()
  }
}

/** A second retailer that trades with the first brand. */
export async function joinRetailer({ service, admin }: World): Promise<Party> {
  const { id, client } = await done(
    admin.post('parties/', {
      kind: 'retailer',
      name: 'Quay & Quince',
      code: 'QUAYQUINCE',
      acknowledge_within_hours: 24,
    }),
  )
  await done(
    admin.post('connections/', {
      retailer_id: id,
      brand_id: 2000,
      level: 'Full',
      status: 'Active',
      fulfill_within_hours: 72,
      shipping_method_ids: [3],
    }),
  )
  const token = await tokenFor(service, client.client_id, client.client_secret)
  return partyOf(service.baseUrl, `/v1/retailers/${id}/`, token)
}

function partyOf(baseUrl: string, context: string, token: string): Party {
  const send = async (path: string, request: RequestInit) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(request.headers as Record<string, string> | undefined),
    }
    const address = baseUrl + (path.startsWith('/') ? path : context + path)
    return answerOf(await fetch(address, { redirect: 'manual', ...request, headers }))
  }
  return {
    token,
    send,
    get: (path) => send(path, { method: 'GET' }),
    post: (path, body) => send(path, { method: 'POST', body: JSON.stringify(body) }),
    put: (path) => send(path, { method: 'PUT' }),
    patch: (path, body) => send(path, { method: 'PATCH', body: JSON.stringify(body) }),
  }
}

/** The answer's body; fails unless its status is a success. */
export async function done(answer: Promise<Answered>): Promise<Answered['body']> {
  const { status, body } = await answer
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body
}

/** The ids on all pages of a list, at most ten of them. */
export async function idsOn(party: Party, path: string): Promise<number[]> {
  const ids: number[] = []
  let page: string | null = `${path}${path.includes('?') ? '&' : '?'}limit=250`
  for (let count = 0; page !== null && count < 10; count += 1) {
    const { next, results }: { next: string | null; results: { id: number }[] } = await done(party.get(page))
    ids.push(...results.map(({ id }) => id))
    page = next === null ? null : next.replace(/^https?:\/\/[^/]+/, '')
  }
  return ids
}

type Changes = Record<string, unknown>

/** A new order of two NL-0001 and one NL-0002, as the retailer sees it. */
export async function ordered({ retailer, nextNumber }: World, changes: Changes = {}) {
  return done(retailer.post('orders/', orderBody(nextNumber(), changes)))
}

/** A shipment of everything in a new order, with a label that existed, as the brand sees it. */
export async function shipped(world: World, changes: Changes = {}, orderChanges: Changes = {}) {
  const order = await ordered(world, orderChanges)
  return done(world.brand.post('shipments/', shipmentBody(order.id, changes)))
}

/** An invoice for a new order that was shipped whole, as the brand sees it. */
export async function invoiced(world: World, changes: Changes = {}, orderChanges: Changes = {}) {
  const { purchase_order_number } = await shipped(world, {}, orderChanges)
  return done(world.brand.post('invoices/', invoiceBody(purchase_order_number, changes)))
}

/** The fields from which the service makes a label itself. */
export const LABEL = {
  carrier_id: null,
  tracking_number: null,
  shipping_account_id: 500,
  shipping_method_id: 4,
  ship_weight: '5.5',
  ship_width: '4',
  ship_length: '12',
  ship_height: '6',
}

/** Cancels one NL-0001. */
export function cancelBody(orderId: number, changes: Changes = {}) {
  return {
    order_id: orderId,
    reason_id: 1,
    cancel_lines: [{ variant: { identifier: 'NL-0001' }, quantity: 1 }],
    ...changes,
  }
}

/** A new order of which one NL-0001 is canceled; the cancel as the retailer sees it. */
export async function canceled(world: World, changes: Changes = {}) {
  const order = await ordered(world)
  return done(world.retailer.post('cancels/', cancelBody(order.id, changes)))
}

/** One NL-0001 of an order comes back. */
export const RETURN = {
  created_by: 'retailer',
  reason: 'Item was damaged or defective',
  rma_number: 'RMA-1',
  rma_lines: [{ variant: { id: 9001 }, quantity: 1 }],
}

/** A return of a new order that was shipped and invoiced; still pending. */
export async function returned(world: World, changes: Changes = {}) {
  const { purchase_order_number } = await invoiced(world)
  const { results } = await done(world.retailer.get(`orders/?purchase_order_number=${purchase_order_number}`))
  return done(world.admin.post(`orders/${results[0].id}/rmas/`, { ...RETURN, ...changes }))
}

/** A credit for a return that was accepted. */
export async function credited(world: World, changes: Changes = {}) {
  const { id } = await returned(world)
  await done(world.admin.put(`rmas/${id}/accept/`))
  const credit_number = world.nextNumber().replace('PO', 'CM')
  return done(world.admin.post(`rmas/${id}/credits/`, { credit_number, ...changes }))
}

export function attributesBody(values: Record<string, unknown>) {
  return { attributes: Object.entries(values).map(([code, value]) => ({ attribute: { code }, value })) }
}

/** Sets switches of a running service. */
export function setSwitches({ service }: World, switches: Readonly<Record<string, unknown>>): void {
  Object.assign(service.switches, switches)
}
