/** Every endpoint of the spec, called. */
import { describe, expect, it } from 'vitest'
import { type Endpoint, ENDPOINTS } from '../../src/contract/endpoints.ts'
import { type Answered, invoiceBody, orderBody, shipmentBody } from '../service/market.ts'
import type { Ledger } from './ledger.ts'
import { ENDPOINT_ROWS, type EndpointRow } from './rows/endpoints.ts'
import {
  attributesBody,
  canceled,
  cancelBody,
  credited,
  done,
  invoiced,
  LABEL,
  ordered,
  returned,
  sharedWorld,
  shipped,
  type World,
} from './world.ts'

export function endpoints({ proves }: Ledger): void {
  const { world } = sharedWorld()

  for (const row of ENDPOINT_ROWS) {
    proves(row.id)(`${row.method} ${row.path} answers ${expectationOf(row)}`, async () => {
      const { id, body } = await prepare(world(), row)
      const answer = await call(world(), row, { id, body })
      expect(answer.status).toBe(row.method === 'POST' ? 201 : 200)
      if (row.path.endsWith('_slip/') || row.path.endsWith('_label/')) return expectDocument(answer)
      if (id !== undefined) expect(answer.body.id).toBe(id)
      else if (row.method === 'POST') expect(answer.body.id).toBeGreaterThan(0)
      else expect(Array.isArray(answer.body.results)).toBe(true)
    })
  }

  proves('rule.endpoints.created', 'choice.endpoints.success')(
    'creates answer 201, everything else 200',
    async () => {
      const created = await world().retailer.post('orders/', orderBody(world().nextNumber()))
      const read = await world().retailer.get(`orders/${created.body.id}/`)
      const acted = await world().brand.put(`orders/${created.body.id}/acknowledge/`)
      expect([created.status, read.status, acted.status]).toEqual([201, 200, 200])
      expect(read.body).toEqual(created.body)
    },
  )

  describe('the contract', () => {
    it('has the endpoints of the spec, the one for tokens, and no others', () => {
      const known = (Object.values(ENDPOINTS) as Endpoint[]).map(({ method, path }) => `${method} ${path}`)
      const wanted = ENDPOINT_ROWS.map(({ method, path }) => `${method} ${path}`)
      expect(known.toSorted()).toEqual(['POST /auth/token/', ...wanted].toSorted())
    })
  })
}

function expectationOf({ method, path }: EndpointRow): string {
  if (path.endsWith('_slip/') || path.endsWith('_label/')) return 'a document'
  if (method === 'POST') return 'the new resource'
  if (method === 'PATCH' || method === 'PUT') return 'the changed resource'
  return path.endsWith('id}/') ? 'the resource' : 'a page of resources'
}

interface Prepared {
  readonly id?: number | undefined
  readonly body?: unknown
}

type Prepare = (world: World) => Promise<Prepared>

const NEEDS: Readonly<Record<string, Prepare>> = {
  'POST orders/': async ({ nextNumber }) => ({ body: orderBody(nextNumber()) }),
  'POST cancels/': async (world) => ({ body: cancelBody((await ordered(world)).id) }),
  'POST shipments/': async (world) => ({ body: shipmentBody((await ordered(world)).id) }),
  'POST invoices/': async (world) => ({ body: invoiceBody((await shipped(world)).purchase_order_number) }),
  'POST variants/': async ({ nextNumber }) => ({ body: attributesBody({ identifier: nextNumber() }) }),
  'PATCH variants/{id}/': async () => ({
    id: 9001,
    body: {
      attributes: [{ attribute: { code: 'retailer_item' }, value: 'HV-1', retailer: { id: 1000 } }],
    },
  }),
  orders: async (world) => ({ id: (await ordered(world)).id }),
  cancels: async (world) => ({ id: (await canceled(world)).id }),
  shipments: async (world) => ({ id: (await shipped(world, LABEL)).id }),
  invoices: async (world) => ({ id: (await invoiced(world)).id }),
  credits: async (world) => ({ id: (await credited(world)).id }),
  rmas: async (world) => ({ id: (await returned(world)).id }),
  variants: async () => ({ id: 9001 }),
  carriers: async () => ({ id: 2 }),
  connections: async ({ retailer }) => ({ id: (await done(retailer.get('connections/'))).results[0].id }),
}

function prepare(world: World, { method, path }: EndpointRow): Promise<Prepared> {
  const rest = withoutContext(path)
  const [resource = ''] = rest.split('/')
  const need =
    NEEDS[`${method} ${rest}`] ?? (path.endsWith('id}/') || method === 'PUT' ? NEEDS[resource] : undefined)
  const isDocument = rest.startsWith('shipments/{id}/')
  return (need ?? (isDocument ? NEEDS[resource] : undefined))?.(world) ?? Promise.resolve({})
}

function withoutContext(path: string): string {
  return path.replace(/^\/v1\/(?:(?:retailers|brands)\/\{\w+\}\/)?/, '')
}

function call(world: World, { method, path }: EndpointRow, { id, body }: Prepared): Promise<Answered> {
  const address = path
    .replace('{retailer_id}', '1000')
    .replace('{brand_id}', '2000')
    .replace(/\{\w+\}/, String(id))
  return world[path.startsWith('/v1/brands/') ? 'brand' : 'retailer'].send(address, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

function expectDocument({ headers, body }: Answered): void {
  expect(headers.get('content-type')).not.toMatch(/html|plain/)
  expect(body.length).toBeGreaterThan(0)
}
