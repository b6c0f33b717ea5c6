/** The handlers of the administration endpoints: one row each; the compiler checks that none is missing. */
import type { z } from 'zod'
import { issueClient, revokeClient } from '../access/clients.ts'
import type { Tokens } from '../access/tokens.ts'
import { cancelForBrand } from '../cancels/cancels.ts'
import type { ServiceContext } from '../context.ts'
import { issueCredit } from '../credits/creation.ts'
import { ADMIN_ENDPOINTS, type AdminEndpointName } from '../endpoints.ts'
import { type Answer, answerWith } from '../http/answers.ts'
import type { FaultCounts } from '../http/faults.ts'
import { type Handler, type ServiceCall, withBody } from '../http/handler.ts'
import { answerSmallList } from '../http/lists.ts'
import { changeInvoice } from '../invoices/changes.ts'
import { changeOrder } from '../orders/changes.ts'
import { countResources } from '../overview.ts'
import { acceptReturn, issueReturn } from '../rmas/rmas.ts'
import { moveShipment } from '../shipments/tracking.ts'
import { readSwitches } from '../switches.ts'
import { createCarrier, createShippingAccount } from '../trade/carriers.ts'
import { changeConnection, createConnection, toConnectionTerms } from '../trade/connections.ts'
import { createParty, listParties } from '../trade/parties.ts'
import { changeStock } from '../variants/stock.ts'

export function createAdminHandlers(
  context: ServiceContext,
  tokens: Tokens,
  faults: Readonly<FaultCounts>,
): Record<AdminEndpointName, Handler> {
  return {
    ...createResourceHandlers(context),
    ...createTradeHandlers(context, tokens),
    ...createServiceHandlers(context, faults),
  }
}

type Handlers = Partial<Record<AdminEndpointName, Handler>>

type Named = {
  [Name in AdminEndpointName]: (typeof ADMIN_ENDPOINTS)[Name] extends { request: z.ZodType } ? Name : never
}[AdminEndpointName]

type BodyOf<Name extends Named> = z.output<(typeof ADMIN_ENDPOINTS)[Name]['request']>

/** Checks the body and calls the rule with it and the id in the path. */
function receive<Name extends Named>(name: Name, rule: (id: number, body: BodyOf<Name>) => Answer): Handler {
  return withBody(ADMIN_ENDPOINTS[name].request, (_, body, id) => rule(id, body as BodyOf<Name>))
}

function createResourceHandlers(context: ServiceContext) {
  return {
    cancelForBrand: receive('cancelForBrand', (id, body) => cancelForBrand(context, id, body)),
    changeOrder: receive('changeOrder', (id, body) => changeOrder(context, id, body)),
    pickUpShipment: ({ id }) => moveShipment(context, id, false),
    deliverShipment: ({ id }) => moveShipment(context, id, true),
    createRma: receive('createRma', (id, body) => issueReturn(context, id, body)),
    acceptRma: ({ id }) => acceptReturn(context, id),
    createCredit: receive('createCredit', (id, body) => issueCredit(context, id, body)),
    changeInvoice: receive('changeInvoice', (id, body) => changeInvoice(context, id, body)),
    changeStock: receive('changeStock', (id, body) => changeStock(context, id, body)),
  } satisfies Handlers
}

function createTradeHandlers(context: ServiceContext, tokens: Tokens) {
  const { store, directory } = context

  /** Refreshes the directory within the write, so that the answer shows the change; a rollback refreshes it again. */
  function refreshed(handler: Handler, show?: (id: number, call: ServiceCall) => unknown): Handler {
    return (call) => {
      const answer = handler(call)
      if (answer.status >= 400) return answer
      directory.refresh()
      const { id } = answer.body as { readonly id: number }
      return show === undefined ? answer : { ...answer, body: show(id, call) }
    }
  }

  const showTerms = (id: number) => {
    const connection = directory.findConnectionById(id)
    return connection && toConnectionTerms(connection)
  }
  return {
    listParties: (call) => answerSmallList(call, listParties(store)),
    createParty: refreshed(receive('createParty', (_, body) => createParty(store, body))),
    createClient: receive('createClient', (id, body) => issueClient(store, id, body)),
    revokeClient: ({ name }) => revokeClient(store, tokens, name),
    createCarrier: refreshed(
      receive('createCarrier', (_, body) => createCarrier(context, body)),
      (id) => directory.listCarriers().find((carrier) => carrier.id === id),
    ),
    listConnectionTerms: (call) =>
      answerSmallList(call, directory.listAllConnections().map(toConnectionTerms)),
    createConnection: refreshed(
      receive('createConnection', (_, body) => createConnection(context, body)),
      showTerms,
    ),
    changeConnection: refreshed(
      receive('changeConnection', (id, body) => changeConnection(context, id, body)),
      showTerms,
    ),
    createShippingAccount: refreshed(
      receive('createShippingAccount', (id, body) => createShippingAccount(context, id, body)),
      (id, call) => directory.findConnectionById(call.id)?.accounts.find((account) => account.id === id),
    ),
  } satisfies Handlers
}

function createServiceHandlers({ store, switches }: ServiceContext, faults: Readonly<FaultCounts>) {
  return {
    getSwitches: () => answerWith({ ...switches }),
    turnSwitches: ({ body }) => {
      const read = readSwitches(body ?? {})
      if ('errors' in read) return { status: 400, body: read.errors }
      Object.assign(switches, read.switches)
      return answerWith({ ...switches })
    },
    getCounts: () => answerWith({ ...countResources(store), faults }),
  } satisfies Handlers
}
