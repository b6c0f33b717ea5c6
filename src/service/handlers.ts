/** What each endpoint of the contract does: one row per endpoint, complete by the compiler's word. */
import type { z } from 'zod'
import { ENDPOINTS, type EndpointName } from '../contract/endpoints.ts'
import type { Filters } from '../contract/filters.ts'
import { InvoiceCreate } from '../contract/invoice.ts'
import { OrderCreate } from '../contract/order.ts'
import { ShipmentCreate } from '../contract/shipment.ts'
import type { Clock } from '../support/clock.ts'
import { type Answer, answered, notFound } from './http/answer.ts'
import type { Directory, PartyKind } from './directory.ts'
import { createInvoiceReader } from './invoices/views.ts'
import { createInvoicing } from './invoices/invoicing.ts'
import { answerList, answerSmallList, type ListCall, type ListSource } from './http/lists.ts'
import { type Normalise, normaliseInvoice, normaliseOrder, normaliseShipment } from './http/normalise.ts'
import { createOrderPlacing } from './orders/placing.ts'
import { createOrderMoves } from './orders/states.ts'
import { createOrderReader } from './orders/views.ts'
import { createReceipt } from './receipts.ts'
import { createShipmentReader } from './shipments/views.ts'
import { createShipping } from './shipments/shipping.ts'
import type { Store } from './store/store.ts'
import type { Tokens } from './http/tokens.ts'
import { validated } from './http/validation.ts'

/** A request that may be served: the caller owns the party of the path. */
export interface ServiceCall extends ListCall {
  readonly account: number
  /** The retailer's or brand's id in the path; 0 where there is none. */
  readonly party: number
  /** The resource's id in the path; 0 where there is none. */
  readonly id: number
  readonly body: unknown
}

/** Those of `token`, `create` and `act` endpoints run in the write queue. */
export type Handler = (call: ServiceCall) => Answer

export interface HandlerParts {
  readonly store: Store
  readonly directory: Directory
  readonly clock: Clock
  readonly tokens: Tokens
}

export function createHandlers({
  store,
  directory,
  clock,
  tokens,
}: HandlerParts): Record<EndpointName, Handler> {
  const readOrders = createOrderReader(store, directory)
  const readShipments = createShipmentReader(store, directory)
  const readInvoices = createInvoiceReader(store, directory)
  const place = createOrderPlacing({ store, directory, clock, readOrders })
  const ship = createShipping({ store, directory, clock, readShipments })
  const invoice = createInvoicing({ store, clock, readInvoices })
  const moves = createOrderMoves({ store, clock, readOrders })
  const shipmentReceipt = createReceipt({
    store,
    clock,
    table: 'shipments',
    read: (ids) => readShipments(ids, 'retailer'),
  })
  const invoiceReceipt = createReceipt({ store, clock, table: 'invoices', read: readInvoices })

  const orders = (kind: PartyKind) =>
    readsOf(store, { kind, table: 'orders', read: (ids) => readOrders(ids, kind) })
  const invoices = (kind: PartyKind) => readsOf(store, { kind, table: 'invoices', read: readInvoices })
  const shipments = readsOf(store, {
    kind: 'retailer',
    table: 'shipments',
    read: (ids) => readShipments(ids, 'retailer'),
  })
  const parties = (kind: PartyKind) => (call: ServiceCall) =>
    answerSmallList(call, directory.partiesOf(call.account, kind))

  return {
    token: ({ body }) => tokens.issue(body),
    listRetailers: parties('retailer'),
    createOrder: creates(OrderCreate, normaliseOrder, place),
    listRetailerOrders: orders('retailer').list(ENDPOINTS.listRetailerOrders.filters),
    getRetailerOrder: orders('retailer').one,
    listShipments: shipments.list(ENDPOINTS.listShipments.filters),
    getShipment: shipments.one,
    acknowledgeShipment: ({ party, id }) => shipmentReceipt(party, id),
    listRetailerInvoices: invoices('retailer').list(ENDPOINTS.listRetailerInvoices.filters),
    getRetailerInvoice: invoices('retailer').one,
    acknowledgeInvoice: ({ party, id }) => invoiceReceipt(party, id),
    listBrands: parties('brand'),
    listBrandOrders: orders('brand').list(ENDPOINTS.listBrandOrders.filters),
    getBrandOrder: orders('brand').one,
    acknowledgeOrder: ({ party, id }) => moves.acknowledge(party, id),
    closeOrder: ({ party, id }) => moves.close(party, id),
    reopenOrder: ({ party, id }) => moves.reopen(party, id),
    createShipment: creates(ShipmentCreate, normaliseShipment, ship),
    createInvoice: creates(InvoiceCreate, normaliseInvoice, invoice),
    listBrandInvoices: invoices('brand').list(ENDPOINTS.listBrandInvoices.filters),
    getBrandInvoice: invoices('brand').one,
  } satisfies Record<EndpointName, Handler>
}

/** A body that is right is handed to the rules; no body at all is a body without fields. */
function creates<Schema extends z.ZodType>(
  schema: Schema,
  normalise: Normalise,
  create: (party: number, body: z.output<Schema>) => Answer,
): Handler {
  return ({ party, body }) => {
    const checked = validated(schema, normalise(body ?? {}))
    return 'refusal' in checked ? checked.refusal : create(party, checked.value)
  }
}

interface Readable {
  readonly kind: PartyKind
  readonly table: ListSource['table']
  readonly read: (ids: readonly number[]) => readonly unknown[]
}

interface Reads {
  readonly one: Handler
  readonly list: (filters: Filters) => Handler
}

function readsOf(store: Store, { kind, table, read }: Readable): Reads {
  const owner = kind === 'retailer' ? 'retailer_id' : 'brand_id'
  const owned = store.prepare((p: { id: number; party: number }) =>
    store.build.selectFrom(table).select('id').where('id', '=', p.id).where(owner, '=', p.party),
  )
  return {
    one: ({ party, id }) => (owned.first({ id, party }) === undefined ? notFound() : answered(read([id])[0])),
    list: (filters) => (call) =>
      answerList(store, call, { table, owner, ownerId: call.party, filters }, read),
  }
}
