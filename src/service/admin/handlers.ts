/** What each administration endpoint does: one row per endpoint, complete by the compiler's word. */
import { createSupplierCanceling } from '../cancels/canceling.ts'
import { createCounts } from '../counts.ts'
import { createCrediting } from '../credits/crediting.ts'
import { answered } from '../http/answer.ts'
import type { FaultCounts } from '../http/faults.ts'
import { type Handler, type QueuedHandler, type ServiceCall, takes } from '../http/handling.ts'
import { answerSmallList } from '../http/lists.ts'
import { readSwitches } from '../http/switches.ts'
import type { Tokens } from '../http/tokens.ts'
import type { Resources } from '../resources.ts'
import { createAccepting, createReturning } from '../rmas/returning.ts'
import type { WriteQueue } from '../store/write-queue.ts'
import { createCarrierMaking, createShippingAccountMaking } from './carriers.ts'
import { createClientMaking, createRevoking } from './clients.ts'
import { createConnectionChanging, createConnectionMaking, createTermsReader } from './connections.ts'
import { ADMIN_ENDPOINTS, type AdminEndpointName } from './endpoints.ts'
import { createInvoiceChanging } from './invoice-changes.ts'
import { createOrderChanging } from './order-changes.ts'
import { createPartyListing, createPartyMaking } from './parties.ts'
import { createStockChanging } from './stock.ts'
import { createParcelMoves } from './tracking.ts'

export interface AdminParts {
  readonly resources: Resources
  readonly tokens: Tokens
  readonly queue: WriteQueue
  /** How often each fault has struck. */
  readonly faults: Readonly<FaultCounts>
}

export function createAdminHandlers(parts: AdminParts): Record<AdminEndpointName, QueuedHandler> {
  return {
    ...createResourceHandlers(parts),
    ...createPartyHandlers(parts),
    ...createTradeHandlers(parts),
    ...createServiceHandlers(parts),
  }
}

type Handlers = Partial<Record<AdminEndpointName, QueuedHandler>>

function createResourceHandlers({ resources, queue }: AdminParts) {
  const write = (handler: Handler) => queued(handler, queue)
  const cancel = createSupplierCanceling(resources)
  const changeOrder = createOrderChanging(resources)
  const parcels = createParcelMoves(resources)
  const issueReturn = createReturning(resources)
  const acceptReturn = createAccepting(resources)
  const issueCredit = createCrediting(resources)
  const changeInvoice = createInvoiceChanging(resources)
  const changeStock = createStockChanging(resources)
  const endpoints = ADMIN_ENDPOINTS
  return {
    cancelForBrand: write(takes(endpoints.cancelForBrand.request, (_, body, id) => cancel(id, body))),
    changeOrder: write(takes(endpoints.changeOrder.request, (_, body, id) => changeOrder(id, body))),
    pickUpShipment: write(({ id }) => parcels.pickUp(id)),
    deliverShipment: write(({ id }) => parcels.deliver(id)),
    createRma: write(takes(endpoints.createRma.request, (_, body, id) => issueReturn(id, body))),
    acceptRma: write(({ id }) => acceptReturn(id)),
    createCredit: write(takes(endpoints.createCredit.request, (_, body, id) => issueCredit(id, body))),
    changeInvoice: write(takes(endpoints.changeInvoice.request, (_, body, id) => changeInvoice(id, body))),
    changeStock: write(takes(endpoints.changeStock.request, (_, body, id) => changeStock(id, body))),
  } satisfies Handlers
}

function createPartyHandlers({ resources, tokens, queue }: AdminParts) {
  const { store, directory } = resources
  const listParties = createPartyListing(store)
  const makeParty = createPartyMaking(store)
  const makeClient = createClientMaking(store)
  const revoke = createRevoking(store, tokens)
  const takeClient = takes(ADMIN_ENDPOINTS.createClient.request, (_, body, id) => makeClient(id, body))
  const takeParty = takes(ADMIN_ENDPOINTS.createParty.request, (_, body) => makeParty(body))
  return {
    listParties: (call) => answerSmallList(call, listParties()),
    createParty: queued((call) => {
      const answer = takeParty(call)
      if (answer.status < 400) directory.refresh()
      return answer
    }, queue),
    createClient: queued(takeClient, queue),
    revokeClient: queued(({ name }) => revoke(name), queue),
  } satisfies Handlers
}

function createTradeHandlers({ resources, queue }: AdminParts) {
  const { directory } = resources
  const makeCarrier = createCarrierMaking(resources)
  const makeConnection = createConnectionMaking(resources)
  const changeConnection = createConnectionChanging(resources)
  const makeAccount = createShippingAccountMaking(resources)
  const terms = createTermsReader(resources)
  const endpoints = ADMIN_ENDPOINTS

  /** Within the write, so that what comes after it finds it; a write that is taken back is read away again. */
  function shownAfter(handler: Handler, show: (id: number, call: ServiceCall) => unknown): QueuedHandler {
    return queued((call) => {
      const answer = handler(call)
      if (answer.status >= 400) return answer
      directory.refresh()
      const { id } = answer.body as { readonly id: number }
      return { ...answer, body: show(id, call) }
    }, queue)
  }

  return {
    createCarrier: shownAfter(
      takes(endpoints.createCarrier.request, (_, body) => makeCarrier(body)),
      (id) => directory.carriers().find((carrier) => carrier.id === id),
    ),
    listConnectionTerms: (call) => answerSmallList(call, terms.all()),
    createConnection: shownAfter(
      takes(endpoints.createConnection.request, (_, body) => makeConnection(body)),
      (id) => terms.one(id),
    ),
    changeConnection: shownAfter(
      takes(endpoints.changeConnection.request, (_, body, id) => changeConnection(id, body)),
      (id) => terms.one(id),
    ),
    createShippingAccount: shownAfter(
      takes(endpoints.createShippingAccount.request, (_, body, id) => makeAccount(id, body)),
      (id, call) => directory.connectionById(call.id)?.accounts.find((account) => account.id === id),
    ),
  } satisfies Handlers
}

function createServiceHandlers({ resources, faults }: AdminParts) {
  const { store, switches } = resources
  const counts = createCounts(store)
  return {
    getSwitches: () => answered({ ...switches }),
    turnSwitches: ({ body }) => {
      const read = readSwitches(body ?? {})
      if ('errors' in read) return { status: 400, body: read.errors }
      Object.assign(switches, read.switches)
      return answered({ ...switches })
    },
    getCounts: () => answered({ ...counts(), faults }),
  } satisfies Handlers
}

function queued(handler: Handler, queue: WriteQueue): QueuedHandler {
  return (call) => queue.run(() => handler(call))
}
