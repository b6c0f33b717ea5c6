/** The handlers of the endpoints: one row each; the compiler checks that none is missing. */
import type { z } from 'zod'
import {
  type DocumentName,
  type Endpoint,
  type EndpointName,
  ENDPOINTS,
  type PartyKind,
} from '../contract/endpoints.ts'
import type { Tokens } from './access/tokens.ts'
import { createAdminHandlers } from './admin/handlers.ts'
import { cancelOrder, readCancels } from './cancels/cancels.ts'
import { SERVED_ENDPOINTS, type ServedEndpointName, type ServiceContext } from './endpoints.ts'
import { readCredits } from './credits/credits.ts'
import { createDocumentHandlers } from './documents/handlers.ts'
import { type Answer, answerWith, gatherErrors, refuseNotFound } from './http/answers.ts'
import type { FaultCounts } from './http/faults.ts'
import { readFlag } from './http/filters.ts'
import { type Handler, type QueuedHandler, type ServiceCall, withBody } from './http/handler.ts'
import { answerList, answerSmallList } from './http/lists.ts'
import {
  type Normalise,
  normaliseInvoice,
  normaliseOrder,
  normaliseShipment,
  normaliseVariant,
} from './http/normalization.ts'
import { readBrandInvoices, readRetailerInvoices, submitInvoice } from './invoices/invoices.ts'
import { moveOrder } from './orders/changes.ts'
import { placeOrder } from './orders/creation.ts'
import { readBrandOrders, readRetailerOrders } from './orders/views.ts'
import { readRmas } from './rmas/rmas.ts'
import { createShipment } from './shipments/creation.ts'
import { readRetailerShipments } from './shipments/views.ts'
import type { WriteQueue } from './store/write-queue.ts'
import { toConnection } from './trade/directory.ts'
import { createVariant, updateVariantByBrand, updateVariantByRetailer } from './variants/changes.ts'
import { readBrandVariants, readRetailerVariants } from './variants/views.ts'
import { type ListName, LISTS } from './store/list-counts.ts'
import type { Store } from './store/store.ts'

type DirectName = Exclude<ServedEndpointName, DocumentName>

export function createHandlers(
  context: ServiceContext,
  { tokens, queue, faults }: { tokens: Tokens; queue: WriteQueue; faults: Readonly<FaultCounts> },
): Record<ServedEndpointName, QueuedHandler> {
  const direct: Record<DirectName, Handler> = {
    token: ({ body, ip }) => tokens.issue(body, ip),
    ...createPartyHandlers(context),
    ...createResourceHandlers(context),
    ...createAdminHandlers(context, tokens, faults),
  }
  return { ...queueWrites(direct, queue), ...createDocumentHandlers(context, queue) }
}

function createPartyHandlers({ directory }: ServiceContext) {
  const parties = (kind: PartyKind) => (call: ServiceCall) =>
    answerSmallList(call, directory.listParties(call.account, kind))
  const connectionsOf = (retailer: number) =>
    directory.listConnections(retailer).map((connection) => toConnection(connection, directory))
  return {
    listRetailers: parties('retailer'),
    listBrands: parties('brand'),
    listCarriers: (call) => answerSmallList(call, directory.listCarriers()),
    getCarrier: ({ id }) => findById(directory.listCarriers(), id),
    listConnections: (call) => answerSmallList(call, connectionsOf(call.party)),
    getConnection: ({ party, id }) => findById(connectionsOf(party), id),
  } satisfies Partial<Record<EndpointName, Handler>>
}

function findById(resources: readonly { readonly id: number }[], id: number) {
  const found = resources.find((resource) => resource.id === id)
  return found === undefined ? refuseNotFound() : answerWith(found)
}

export function createResourceHandlers(context: ServiceContext) {
  /** Checks the body and calls the rule with it, the party and the resource of the path. */
  const receive = <Schema extends z.ZodType>(
    endpoint: { readonly request: Schema },
    rule: (context: ServiceContext, party: number, body: z.output<Schema>, id: number) => Answer,
    normalise?: Normalise,
  ) => withBody(endpoint, ({ party, id }, body) => rule(context, party, body, id), normalise)
  const list = createReadHandlers
  const received = createReceivedHandlers
  const ofRetailer = (handle: Handler) => ifOwned(context.store, 'retailerVariants', handle)
  const ofBrand = (handle: Handler) => ifOwned(context.store, 'brandVariants', handle)
  return {
    createOrder: receive(ENDPOINTS.createOrder, placeOrder, normaliseOrder),
    createCancel: receive(ENDPOINTS.createCancel, cancelOrder),
    createShipment: receive(ENDPOINTS.createShipment, createShipment, normaliseShipment),
    createInvoice: receive(ENDPOINTS.createInvoice, submitInvoice, normaliseInvoice),
    acknowledgeOrder: ({ party, id }) => moveOrder(context, party, id, 'acknowledged'),
    closeOrder: ({ party, id }) => moveOrder(context, party, id, 'closed'),
    reopenOrder: ({ party, id }) => moveOrder(context, party, id, 'reopened'),
    ...list(context, 'retailerOrders', ['listRetailerOrders', 'getRetailerOrder'], readRetailerOrders),
    ...list(context, 'brandOrders', ['listBrandOrders', 'getBrandOrder'], readBrandOrders),
    ...list(context, 'brandInvoices', ['listBrandInvoices', 'getBrandInvoice'], readBrandInvoices),
    ...received(context, 'cancels', ['listCancels', 'getCancel', 'acknowledgeCancel'], readCancels),
    ...received(
      context,
      'shipments',
      ['listShipments', 'getShipment', 'acknowledgeShipment'],
      readRetailerShipments,
    ),
    ...received(
      context,
      'retailerInvoices',
      ['listRetailerInvoices', 'getRetailerInvoice', 'acknowledgeInvoice'],
      readRetailerInvoices,
    ),
    ...received(context, 'credits', ['listCredits', 'getCredit', 'acknowledgeCredit'], readCredits),
    ...received(context, 'rmas', ['listRmas', 'getRma', 'acknowledgeRma'], readRmas),
    ...received(
      context,
      'retailerVariants',
      ['listRetailerVariants', 'getRetailerVariant', 'acknowledgeVariant'],
      readRetailerVariants,
    ),
    updateRetailerVariant: ofRetailer(
      receive(ENDPOINTS.updateRetailerVariant, updateVariantByRetailer, normaliseVariant),
    ),
    createVariant: receive(ENDPOINTS.createVariant, createVariant, normaliseVariant),
    listBrandVariants: (call) => {
      const { filters } = ENDPOINTS.listBrandVariants
      // the list reads the flag again and refuses a wrong one
      const short = readFlag('short', call.query, gatherErrors()) === 1
      const read = (ids: readonly number[]) => readBrandVariants(context, ids, short)
      return answerList(context, call, { list: 'brandVariants', filters }, read)
    },
    getBrandVariant: ofBrand(({ id }) => answerWith(readBrandVariants(context, [id], false)[0])),
    updateBrandVariant: ofBrand(
      receive(ENDPOINTS.updateBrandVariant, updateVariantByBrand, normaliseVariant),
    ),
  } satisfies Partial<Record<EndpointName, Handler>>
}

/** The kinds of endpoint that change something, and so run in the write queue. */
const WRITE_KINDS: ReadonlySet<string> = new Set(['token', 'create', 'update', 'act'])

/** Queues the handlers that write. Switches are not in the database, so they skip the queue. */
function queueWrites(handlers: Record<DirectName, Handler>, queue: WriteQueue) {
  const entries = Object.entries(handlers).map(([name, handler]) => {
    const isWrite = WRITE_KINDS.has(SERVED_ENDPOINTS[name as DirectName].kind) && name !== 'turnSwitches'
    const inQueue: QueuedHandler = (call) => queue.run(() => handler(call))
    return [name, isWrite ? inQueue : handler] as const
  })
  return Object.fromEntries(entries) as Record<DirectName, QueuedHandler>
}

// Handlers that read one resource or a page of a list, and acknowledge what a retailer received.

/** Answers 404 for another party's resource, before it checks the body. */
export function ifOwned(store: Store, list: ListName, handle: Handler): Handler {
  const { table, id, owner } = LISTS[list]
  return (call) => {
    const isOwned =
      store.find<'orders'>(table as 'orders', { [id]: call.id, [owner]: call.party }) !== undefined
    return isOwned ? handle(call) : refuseNotFound()
  }
}

/** Reads in the order of the ids, with the same few queries for any number of them. */
type ReadByIds = (context: ServiceContext, ids: readonly number[], party: number) => readonly unknown[]

export function createReadHandlers<Name extends EndpointName>(
  context: ServiceContext,
  list: ListName,
  [listName, oneName]: readonly [list: Name, one: Name],
  read: ReadByIds,
): Record<Name, Handler> {
  const { filters = {} }: Endpoint = ENDPOINTS[listName]
  const handlers: Partial<Record<EndpointName, Handler>> = {
    [listName]: (call: ServiceCall) =>
      answerList(context, call, { list, filters }, (ids) => read(context, ids, call.party)),
    [oneName]: ifOwned(context.store, list, ({ id, party }) => answerWith(read(context, [id], party)[0])),
  }
  return handlers as Record<Name, Handler>
}

/**
 * Adds acknowledging. Spec: "Acknowledgement flag"; not shown: a second call keeps the first acknowledged_at, and so does a
 * change of the resource.
 */
export function createReceivedHandlers<Name extends EndpointName>(
  context: ServiceContext,
  list: 'cancels' | 'shipments' | 'retailerInvoices' | 'credits' | 'rmas' | 'retailerVariants',
  [listName, oneName, acknowledgeName]: readonly [list: Name, one: Name, acknowledge: Name],
  read: ReadByIds,
): Record<Name, Handler> {
  const { store, clock } = context
  const reads = createReadHandlers(context, list, [listName, oneName], read)
  const acknowledge: Handler = (call) => {
    const { table, id } = LISTS[list]
    const where = { [id]: call.id, retailer_id: call.party, acknowledged_at: null }
    store.update(table, where, { acknowledged_at: clock.now() })
    return reads[oneName](call)
  }
  return { ...reads, [acknowledgeName]: acknowledge }
}
