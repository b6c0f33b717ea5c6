/** The bridge remembers what the API shows, whichever call reads it. */
import { expect, test } from 'vitest'
import type { EndpointName } from '../../src/contract/endpoints.ts'
import type { Api, Call, Resource } from '../../src/domain/api.ts'
import type { Journal } from '../../src/domain/journal.ts'
import { openJournal } from '../../src/journal/open.ts'
import { createCachingApi } from '../../src/pipeline/references/resource-cache.ts'
import { instantClock } from '../fixtures/instant-clock.ts'

const BRAND = { kind: 'brand', id: 7 } as const

const order = (id: number, number: string, more: Resource = {}) => ({
  id,
  purchase_order_number: number,
  status: 'open',
  ship_to: { name1: 'Ada Park' },
  order_lines: [{ id: 1, quantity: 2, variant: { id: 9, upc: '1', name: 'Lamp' }, tax_charged: '1.00' }],
  shipments: [{ id: 4, tracking_number: null, status: 'open' }],
  ...more,
})

async function seeing(shown: {
  unasked?: readonly EndpointName[]
  pages?: readonly (readonly Resource[])[]
  resource?: Resource
  status?: number
}) {
  const clock = instantClock()
  const journal = await openJournal({ path: ':memory:', clock })
  const api: Api = {
    send: () =>
      Promise.resolve({ certainty: 'answered', status: shown.status ?? 201, body: shown.resource, text: '' }),
    get: () => Promise.resolve(shown.resource),
    document: () => Promise.reject(new Error('nothing is remembered of documents')),
    async *list() {
      yield* shown.pages ?? []
      await Promise.resolve()
    },
    clockOffsetMs: () => 0,
    close: () => Promise.resolve(),
  }
  return {
    journal,
    api: createCachingApi({ api, journal, party: BRAND, clock, unasked: shown.unasked ?? [] }),
  }
}

async function read(api: Api, call: Call): Promise<void> {
  for await (const page of api.list(call)) expect(page.length).toBeGreaterThan(0)
}

const named = async (journal: Journal, kind: string, ...keys: string[]) =>
  (await journal.findResourcesByKey('brand/7', kind, keys)).map(({ key, id }) => [key, id])

test('an order keeps its number and the facts for decisions, and no personal data', async () => {
  const { api, journal } = await seeing({ pages: [[order(11, 'PO-1')]] })

  await read(api, { endpoint: 'listBrandOrders' })

  expect(await journal.findResourcesByKey('brand/7', 'order', ['PO-1'])).toMatchObject([{ id: '11' }])
  const [known] = await journal.findResourcesById('brand/7', 'order', ['11'])
  expect(known?.facts).toEqual({
    id: 11,
    purchase_order_number: 'PO-1',
    status: 'open',
    order_lines: [{ id: 1, quantity: 2, variant: { id: 9, upc: '1' } }],
    shipments: [{ id: 4, tracking_number: null }],
  })
})

test('a single read and the answer to a call of the bridge are remembered, a refusal is not', async () => {
  const one = await seeing({ resource: order(11, 'PO-1') })
  await one.api.get({ endpoint: 'getBrandOrder' })
  await one.api.flush()
  expect(await named(one.journal, 'order', 'PO-1')).toEqual([['PO-1', '11']])

  const made = await seeing({ resource: { id: 5, order_id: 11, tracking_number: 'T-1' } })
  await made.api.send({ endpoint: 'createShipment' })
  await made.api.flush()
  expect(await named(made.journal, 'shipment', 'T-1')).toEqual([['T-1', '5']])

  const refused = await seeing({ resource: order(11, 'PO-1'), status: 400 })
  await refused.api.send({ endpoint: 'createOrder' })
  await refused.api.flush()
  expect(await named(refused.journal, 'order', 'PO-1')).toEqual([])
})

test('an item is known by the numbers of the supplier and of each retailer, and by its UPC', async () => {
  const sku = (value: string, id: number) => ({ id, value, retailer: { id } })
  const item = {
    id: 9,
    identifier: 'NL-1',
    upc: '086',
    attributes: { retailer_sku: { code: 'retailer_sku', values: [sku('HV-1', 1000), sku('ZZ-1', 1001)] } },
  }
  const { api, journal } = await seeing({ pages: [[item]] })

  await read(api, { endpoint: 'listBrandVariants' })

  expect(await named(journal, 'variant', 'NL-1', '086', 'HV-1', 'ZZ-1')).toHaveLength(4)
  expect(await journal.getListReadAt('brand/7', 'variant')).toBeDefined()
})

test('a short list takes no names away, and a filtered one is not the whole list', async () => {
  const { api, journal } = await seeing({ pages: [[{ id: 9, identifier: 'NL-1' }]] })
  await journal.saveResources('brand/7', 'variant', [{ id: '9', keys: ['NL-1', 'HV-1'] }])

  await read(api, { endpoint: 'listBrandVariants', query: { in_stock: 1 } })
  expect(await journal.getListReadAt('brand/7', 'variant')).toBeUndefined()
  await journal.saveResources('brand/7', 'variant', [{ id: '9', keys: ['NL-1', 'HV-1'] }])
  await read(api, { endpoint: 'listBrandVariants', query: { short: 1 } })

  expect(await named(journal, 'variant', 'HV-1')).toEqual([['HV-1', '9']])
  expect(await journal.getListReadAt('brand/7', 'variant')).toBeDefined()
})

test('a read that shows too little of an order keeps what was known of it', async () => {
  const { api, journal } = await seeing({ pages: [[{ id: 11, purchase_order_number: 'PO-1' }]] })
  await journal.saveResources('brand/7', 'order', [{ id: '11', keys: ['PO-1'], facts: { status: 'closed' } }])

  await read(api, { endpoint: 'listBrandOrders' })

  expect(await journal.findResourcesById('brand/7', 'order', ['11'])).toMatchObject([
    { facts: { status: 'closed' } },
  ])
})

test('an answer that no later call needs is not remembered, and a read of the same resource is', async () => {
  const { api, journal } = await seeing({ resource: order(11, 'PO-1'), unasked: ['createOrder'] })

  await api.send({ endpoint: 'createOrder' })
  await api.flush()
  expect(await named(journal, 'order', 'PO-1')).toEqual([])

  await api.get({ endpoint: 'getRetailerOrder' })
  await api.flush()
  expect(await named(journal, 'order', 'PO-1')).toEqual([['PO-1', '11']])
})
