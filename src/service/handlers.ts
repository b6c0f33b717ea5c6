/** What each endpoint of the contract does: one row per endpoint, complete by the compiler's word. */
import { type DocumentName, ENDPOINTS, type EndpointName } from '../contract/endpoints.ts'
import { createCanceling } from './cancels/canceling.ts'
import { type PartyKind, toConnection } from './directory.ts'
import { createDocumentHandlers } from './documents/handlers.ts'
import { answered, notFound } from './http/answer.ts'
import { type Handler, type QueuedHandler, type ServiceCall, takes } from './http/handling.ts'
import { answerSmallList } from './http/lists.ts'
import { normaliseInvoice, normaliseOrder, normaliseShipment } from './http/normalise.ts'
import type { Tokens } from './http/tokens.ts'
import { createInvoicing } from './invoices/invoicing.ts'
import { createOrderPlacing } from './orders/placing.ts'
import { createOrderMoves } from './orders/states.ts'
import { createReads, type Reads } from './reads.ts'
import { createReceipt } from './receipts.ts'
import type { Resources } from './resources.ts'
import { createShipping } from './shipments/shipping.ts'
import type { WriteQueue } from './store/write-queue.ts'
import { createVariantHandlers } from './variants/handlers.ts'

export interface HandlerParts {
  readonly resources: Resources
  readonly tokens: Tokens
  readonly queue: WriteQueue
}

type DirectName = Exclude<EndpointName, DocumentName>

export function createHandlers({
  resources,
  tokens,
  queue,
}: HandlerParts): Record<EndpointName, QueuedHandler> {
  const direct: Record<DirectName, Handler> = {
    token: ({ body }) => tokens.issue(body),
    ...createPartyHandlers(resources),
    ...createResourceHandlers(resources),
  }
  return { ...queued(direct, queue), ...createDocumentHandlers(resources, queue) }
}

/** What reads and changes orders, items and all that is made of them. */
export function createResourceHandlers(resources: Resources) {
  const reads = createReads(resources)
  return {
    ...createOrderHandlers(resources, reads),
    ...createReceiptHandlers(resources, reads),
    ...createVariantHandlers(resources, reads),
  }
}

function createPartyHandlers({ directory }: Resources) {
  const parties = (kind: PartyKind) => (call: ServiceCall) =>
    answerSmallList(call, directory.partiesOf(call.account, kind))
  const connectionsOf = (retailer: number) =>
    directory.connectionsOf(retailer).map((connection) => toConnection(connection, directory))
  return {
    listRetailers: parties('retailer'),
    listBrands: parties('brand'),
    listCarriers: (call) => answerSmallList(call, directory.carriers()),
    getCarrier: ({ id }) => oneOf(directory.carriers(), id),
    listConnections: (call) => answerSmallList(call, connectionsOf(call.party)),
    getConnection: ({ party, id }) => oneOf(connectionsOf(party), id),
  } satisfies Partial<Record<DirectName, Handler>>
}

function oneOf(resources: readonly { readonly id: number }[], id: number) {
  const found = resources.find((resource) => resource.id === id)
  return found === undefined ? notFound() : answered(found)
}

function createOrderHandlers(resources: Resources, { retailerOrders, brandOrders, brandInvoices }: Reads) {
  const moves = createOrderMoves(resources)
  return {
    createOrder: takes(ENDPOINTS.createOrder.request, createOrderPlacing(resources), normaliseOrder),
    listRetailerOrders: retailerOrders.list(ENDPOINTS.listRetailerOrders.filters),
    getRetailerOrder: retailerOrders.one,
    createCancel: takes(ENDPOINTS.createCancel.request, createCanceling(resources)),
    listBrandOrders: brandOrders.list(ENDPOINTS.listBrandOrders.filters),
    getBrandOrder: brandOrders.one,
    acknowledgeOrder: ({ party, id }) => moves.acknowledge(party, id),
    closeOrder: ({ party, id }) => moves.close(party, id),
    reopenOrder: ({ party, id }) => moves.reopen(party, id),
    createShipment: takes(ENDPOINTS.createShipment.request, createShipping(resources), normaliseShipment),
    createInvoice: takes(ENDPOINTS.createInvoice.request, createInvoicing(resources), normaliseInvoice),
    listBrandInvoices: brandInvoices.list(ENDPOINTS.listBrandInvoices.filters),
    getBrandInvoice: brandInvoices.one,
  } satisfies Partial<Record<DirectName, Handler>>
}

/** What a retailer receives and acknowledges. */
function createReceiptHandlers(resources: Resources, reads: Reads) {
  const { cancels, shipments, retailerInvoices, credits, rmas } = reads
  const receipt = createReceipt(resources)
  return {
    listCancels: cancels.list(ENDPOINTS.listCancels.filters),
    getCancel: cancels.one,
    acknowledgeCancel: receipt('cancels', cancels.one),
    listShipments: shipments.list(ENDPOINTS.listShipments.filters),
    getShipment: shipments.one,
    acknowledgeShipment: receipt('shipments', shipments.one),
    listRetailerInvoices: retailerInvoices.list(ENDPOINTS.listRetailerInvoices.filters),
    getRetailerInvoice: retailerInvoices.one,
    acknowledgeInvoice: receipt('invoices', retailerInvoices.one),
    listCredits: credits.list(ENDPOINTS.listCredits.filters),
    getCredit: credits.one,
    acknowledgeCredit: receipt('credits', credits.one),
    listRmas: rmas.list(ENDPOINTS.listRmas.filters),
    getRma: rmas.one,
    acknowledgeRma: receipt('rmas', rmas.one),
  } satisfies Partial<Record<DirectName, Handler>>
}

/** The kinds of endpoint that change something, and so run in the write queue. */
const WRITES: ReadonlySet<string> = new Set(['token', 'create', 'update', 'act'])

function queued(handlers: Record<DirectName, Handler>, queue: WriteQueue): Record<DirectName, QueuedHandler> {
  const entries = Object.entries(handlers).map(([name, handler]) => {
    const { kind } = ENDPOINTS[name as DirectName]
    const inQueue: QueuedHandler = (call) => queue.run(() => handler(call))
    return [name, WRITES.has(kind) ? inQueue : handler] as const
  })
  return Object.fromEntries(entries) as Record<DirectName, QueuedHandler>
}
