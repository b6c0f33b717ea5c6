/** The handlers of the administration endpoints: one row each; the compiler checks that none is missing. */
import type { z } from 'zod'
import { issueClient, revokeClient } from '../access/clients.ts'
import type { Tokens } from '../access/tokens.ts'
import { cancelForBrand } from '../cancels/cancels.ts'
import { ADMIN_ENDPOINTS, type AdminEndpointName, type ServiceContext } from '../endpoints.ts'
import { issueCredit } from '../credits/credits.ts'
import { type Answer, answerWith } from '../http/answers.ts'
import type { FaultCounts } from '../http/faults.ts'
import { type Handler, type ServiceCall, withBody } from '../http/handler.ts'
import { answerSmallList } from '../http/lists.ts'
import { changeInvoice } from '../invoices/invoices.ts'
import { changeOrder } from '../orders/changes.ts'
import { countResources } from '../overview.ts'
import { acceptReturn, issueReturn } from '../rmas/rmas.ts'
import { moveShipment } from '../shipments/views.ts'
import { readSwitches } from '../switches.ts'
import { createCarrier, createShippingAccount } from '../trade/carriers.ts'
import {
  changeConnection,
  createConnection,
  createParty,
  listParties,
  toConnectionTerms,
} from '../trade/connections.ts'
import { changeStock } from '../variants/changes.ts'

export function createAdminHandlers(
  context: ServiceContext,
  tokens: Tokens,
  faults: Readonly<FaultCounts>,
): Record<AdminEndpointName, Handler> {
  const { store, directory, switches } = context

  /** Checks the body and calls the rule with it and the id in the path. */
  const receive = <Schema extends z.ZodType>(
    endpoint: { readonly request: Schema },
    rule: (context: ServiceContext, id: number, body: z.output<Schema>) => Answer,
  ) => withBody(endpoint, ({ id }, body) => rule(context, id, body))

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
    cancelForBrand: receive(ADMIN_ENDPOINTS.cancelForBrand, cancelForBrand),
    changeOrder: receive(ADMIN_ENDPOINTS.changeOrder, changeOrder),
    pickUpShipment: ({ id }) => moveShipment(context, id, false),
    deliverShipment: ({ id }) => moveShipment(context, id, true),
    createRma: receive(ADMIN_ENDPOINTS.createRma, issueReturn),
    acceptRma: ({ id }) => acceptReturn(context, id),
    createCredit: receive(ADMIN_ENDPOINTS.createCredit, issueCredit),
    changeInvoice: receive(ADMIN_ENDPOINTS.changeInvoice, changeInvoice),
    changeStock: receive(ADMIN_ENDPOINTS.changeStock, changeStock),

    listParties: (call) => answerSmallList(call, listParties(store)),
    createParty: refreshed(withBody(ADMIN_ENDPOINTS.createParty, (_, body) => createParty(store, body))),
    createClient: withBody(ADMIN_ENDPOINTS.createClient, ({ id }, body) => issueClient(store, id, body)),
    revokeClient: ({ name }) => revokeClient(store, tokens, name),
    createCarrier: refreshed(
      withBody(ADMIN_ENDPOINTS.createCarrier, (_, body) => createCarrier(context, body)),
      (id) => directory.listCarriers().find((carrier) => carrier.id === id),
    ),
    listConnectionTerms: (call) =>
      answerSmallList(call, directory.listAllConnections().map(toConnectionTerms)),
    createConnection: refreshed(
      withBody(ADMIN_ENDPOINTS.createConnection, (_, body) => createConnection(context, body)),
      showTerms,
    ),
    changeConnection: refreshed(receive(ADMIN_ENDPOINTS.changeConnection, changeConnection), showTerms),
    createShippingAccount: refreshed(
      receive(ADMIN_ENDPOINTS.createShippingAccount, createShippingAccount),
      (id, call) => directory.findConnectionById(call.id)?.accounts.find((account) => account.id === id),
    ),

    getSwitches: () => answerWith({ ...switches }),
    turnSwitches: ({ body }) => {
      const read = readSwitches(body ?? {})
      if ('errors' in read) return { status: 400, body: read.errors }
      Object.assign(switches, read.switches)
      return answerWith({ ...switches })
    },
    getCounts: () => answerWith({ ...countResources(store), faults }),
  }
}
