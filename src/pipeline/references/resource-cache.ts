/** Remembers the resources that the API shows, so that later files can name them. */
import { type Endpoint, type EndpointName, ENDPOINTS } from '../../contract/endpoints.ts'
import { BrandInvoice, RetailerInvoice } from '../../contract/invoice.ts'
import { BrandOrder, RetailerOrder } from '../../contract/order.ts'
import { Credit, Rma } from '../../contract/return.ts'
import { BrandShipment, RetailerShipment } from '../../contract/shipment.ts'
import { BrandVariant, RetailerVariant } from '../../contract/variant.ts'
import type { Api, Call, Resource } from '../../domain/api.ts'
import type { Journal } from '../../domain/journal.ts'
import type { ResourceFacts, SeenResource } from '../../domain/resource.ts'
import { formatAccount, type Party } from '../../domain/route.ts'
import { readId } from '../../operations/operation.ts'
import { createBatchWriter } from '../../support/async.ts'
import type { Clock } from '../../support/clock.ts'
import { getAtPath } from '../../support/object-paths.ts'
import { toError } from '../failures.ts'

// What is stored of each kind of resource: the names that files use, and the facts that decisions need.

export type ResourceKind = 'order' | 'variant' | 'shipment' | 'invoice' | 'credit' | 'return'

/** The parts of a resource to store: `true` for a value as it is; for lists, the parts of each item. */
interface FactShape {
  readonly [field: string]: true | FactShape
}

interface KindRules {
  /** What the endpoints answer that show it, in lists or singly. */
  readonly responses: readonly Endpoint['response'][]
  readonly keys: (resource: Resource) => readonly unknown[]
  /** A resource without one of these fields is a short form: only its names are stored. */
  readonly needed: readonly string[]
  readonly facts: FactShape
}

const NAMED: FactShape = { id: true, name: true, code: true }

/** Facts have the shape of the resource itself, so that the same code reads both. */
const ORDER: FactShape = {
  id: true,
  retailer: NAMED,
  brand: NAMED,
  purchase_order_number: true,
  customer_order_number: true,
  retailer_order_number: true,
  status: true,
  is_acknowledged: true,
  ordered_at: true,
  received_at: true,
  acknowledge_by: true,
  fulfill_by: true,
  acknowledged_at: true,
  canceled_at: true,
  closed_at: true,
  shipping_method: { ...NAMED, carrier: NAMED },
  requested_shipping_method: NAMED,
  order_lines: {
    id: true,
    order_line_number: true,
    variant: { id: true, identifier: true, brand_identifier: true, upc: true },
    quantity: true,
    quantity_shipped: true,
    quantity_canceled: true,
    price: true,
    net_price: true,
  },
  shipping_accounts: { id: true, nickname: true, carrier: NAMED, shipping_methods: NAMED },
  invoices: { id: true, invoice_number: true },
  shipments: { id: true, tracking_number: true },
  cancels: { id: true },
}

const KINDS: Readonly<Record<ResourceKind, KindRules>> = {
  order: {
    responses: [RetailerOrder, BrandOrder],
    keys: (order) => [order['purchase_order_number']],
    needed: ['status', 'order_lines'],
    facts: ORDER,
  },
  variant: {
    responses: [BrandVariant, RetailerVariant],
    keys: ({ identifier, brand_identifier: sku, upc, attributes }) => {
      return [identifier, sku, upc, ...readRetailerSkus(attributes)]
    },
    needed: ['identifier'],
    facts: { id: true, identifier: true, upc: true, brand: NAMED, inventory: { inventory: true } },
  },
  shipment: {
    responses: [RetailerShipment, BrandShipment],
    keys: (shipment) => [shipment['tracking_number']],
    needed: ['order_id'],
    facts: { id: true, order_id: true, purchase_order_number: true, tracking_number: true },
  },
  invoice: {
    responses: [RetailerInvoice, BrandInvoice],
    keys: (invoice) => [invoice['invoice_number']],
    needed: ['invoice_number'],
    facts: { id: true, purchase_order_number: true, invoice_number: true, due_amount: true, brand: NAMED },
  },
  credit: {
    responses: [Credit],
    keys: (credit) => [credit['credit_number']],
    needed: ['credit_number'],
    facts: { id: true, credit_number: true, order: { id: true, purchase_order_number: true }, brand: NAMED },
  },
  return: {
    responses: [Rma],
    keys: (rma) => [rma['rma_number']],
    needed: ['status'],
    facts: { id: true, rma_number: true, purchase_order_number: true, status: true, brand: NAMED },
  },
}

const RESOURCE_KINDS = Object.keys(KINDS) as readonly ResourceKind[]

/** The fields of a shape, listed once: every resource that the API shows is read by them. */
type FactParts = readonly (readonly [field: string, parts: FactParts | undefined])[]

function listParts(shape: FactShape): FactParts {
  return Object.entries(shape).map(([field, part]) => [field, part === true ? undefined : listParts(part)])
}

const FACT_PARTS = new Map(RESOURCE_KINDS.map((kind) => [kind, listParts(KINDS[kind].facts)]))

/** The resource in its stored form; empty for a resource without a usable id. */
export function toCachedResource(kind: ResourceKind, resource: unknown): SeenResource[] {
  const id = readId(resource)
  if (id === undefined) return []
  const shown = resource as Resource
  const { keys, needed } = KINDS[kind]
  const names = keys(shown).flatMap((key) => toText(key) ?? [])
  const isWhole = needed.every((field) => shown[field] !== undefined)
  if (!isWhole) return [{ id, keys: names }]
  return [{ id, keys: names, facts: selectFacts(shown, FACT_PARTS.get(kind) ?? []) as ResourceFacts }]
}

/** The shipments that an order shows. */
function toShipmentsOfOrder(order: unknown): SeenResource[] {
  const { id, purchase_order_number, shipments } = (order ?? {}) as Resource
  if (!Array.isArray(shipments)) return []
  return shipments.flatMap((each: unknown) =>
    typeof each === 'object'
      ? toCachedResource('shipment', { ...each, order_id: id, purchase_order_number })
      : [],
  )
}

function toText(key: unknown): string | undefined {
  if (typeof key === 'number') return String(key)
  return typeof key === 'string' && key !== '' ? key : undefined
}

function selectFacts(value: unknown, facts: FactParts): unknown {
  if (Array.isArray(value)) return value.map((item) => selectFacts(item, facts))
  if (typeof value !== 'object' || value === null) return value
  const kept: Record<string, unknown> = {}
  for (const [field, parts] of facts) {
    const shown = (value as Resource)[field]
    if (shown !== undefined) kept[field] = parts === undefined ? shown : selectFacts(shown, parts)
  }
  return kept
}

/** Brands see attributes by code, retailers as a list; several retailers may each have a number for the item. */
function readRetailerSkus(attributes: unknown): unknown[] {
  if (typeof attributes !== 'object' || attributes === null) return []
  return Object.values(attributes as Readonly<Record<string, Resource | null>>)
    .filter((attribute) => attribute?.['code'] === 'retailer_sku')
    .flatMap((attribute) => (Array.isArray(attribute?.['values']) ? (attribute['values'] as unknown[]) : []))
    .map((each) => getAtPath(each, 'value'))
}

// An API client that stores every answer in the journal.

/** Answers to single calls are stored in batches. After a crash, a lost one is read again when it is needed. */
const CACHE_BATCH = { atMost: 500, afterMs: 500 }

interface CachingApiOptions {
  readonly api: Api
  readonly journal: Journal
  readonly party: Party
  readonly clock: Clock
  /** Endpoints whose answers no other part of the bridge needs. */
  readonly unasked?: readonly EndpointName[]
}

export function createCachingApi({ api, journal, party, clock, unasked = [] }: CachingApiOptions) {
  const account = formatAccount(party)
  const answers = createBatchWriter<{ kind: ResourceKind; resource: SeenResource }>(
    CACHE_BATCH,
    async (batch) => {
      for (const kind of new Set(batch.map((each) => each.kind))) {
        const resources = batch.filter((each) => each.kind === kind).map(({ resource }) => resource)
        await journal.saveResources(account, kind, resources)
      }
    },
  )
  let firstFailure: Error | undefined
  const noteFailure = (error: unknown) => {
    firstFailure ??= toError(error)
  }
  const cacheAnswer = (call: Call, resource: unknown) => {
    const kind = getShownKind(call)
    if (kind === undefined) return
    // What the bridge does before the batch is written, this answer does not show.
    const seenAt = clock.now()
    for (const each of toCachedResource(kind, resource))
      void answers.add({ kind, resource: { ...each, seenAt } }).catch(noteFailure)
    if (kind !== 'order') return
    // A shipment whose answer was lost is seen nowhere else: a brand has no list of its shipments.
    for (const each of toShipmentsOfOrder(resource))
      void answers.add({ kind: 'shipment', resource: { ...each, seenAt } }).catch(noteFailure)
  }

  const caching: Api = {
    ...api,
    async send(call, permit) {
      const answer = await api.send(call, permit)
      const isDone = answer.certainty === 'answered' && answer.status < 300
      if (isDone && !unasked.includes(call.endpoint as EndpointName)) cacheAnswer(call, answer.body)
      return answer
    },
    async get(call) {
      const resource = await api.get(call)
      cacheAnswer(call, resource)
      return resource
    },
    async *list(call) {
      const kind = getShownKind(call)
      const startedAt = clock.now()
      for await (const page of api.list(call)) {
        if (kind !== undefined)
          await journal.saveResources(account, kind, toCachedResources(call, kind, page))
        yield page
      }
      if (kind !== undefined && isWholeList(call)) await journal.saveListReadAt(account, kind, startedAt)
    },
  }
  /** Writes the answers that were seen so far. Rejects when one of them could not be written. */
  const flush = async () => {
    await answers.flush().catch(noteFailure)
    if (firstFailure !== undefined) throw firstFailure
  }
  return { ...caching, flush }
}

/** An action such as acknowledging changes only facts of orders. */
function getShownKind({ endpoint }: Call): ResourceKind | undefined {
  const { response, kind }: Endpoint = ENDPOINTS[endpoint as EndpointName]
  const shown = RESOURCE_KINDS.find((name) => KINDS[name].responses.includes(response))
  return kind === 'act' && shown !== 'order' ? undefined : shown
}

/** A short list does not show all names of a resource. */
function toCachedResources({ query = {} }: Call, kind: ResourceKind, page: readonly Resource[]) {
  const seen = page.flatMap((resource) => toCachedResource(kind, resource))
  return query['short'] === 1 ? seen.map((each): SeenResource => ({ ...each, some: true })) : seen
}

/** Whether the call lists every resource, that is, no filter leaves one out. */
function isWholeList({ endpoint, query = {} }: Call): boolean {
  const known: Endpoint = ENDPOINTS[endpoint as EndpointName]
  const { filters = {} } = known
  return Object.keys(query).every((name) => name === 'limit' || filters[name]?.kind === 'view')
}
