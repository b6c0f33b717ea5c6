/** The handlers of the administration endpoints, one row each, and the summary of what the service holds. */
import type { z } from 'zod'
import { issueClient, revokeClient, type StartupParty } from '../access/clients.ts'
import type { Tokens } from '../access/tokens.ts'
import { cancelForBrand } from '../cancels/cancels.ts'
import { ADMIN_ENDPOINTS, type AdminEndpointName, type ServiceContext } from '../endpoints.ts'
import { issueCredit } from '../credits/credits.ts'
import { type Answer, answerWith } from '../http/answers.ts'
import type { FaultCounts } from '../http/faults.ts'
import { type Handler, type ServiceCall, withBody } from '../http/handler.ts'
import { answerSmallList } from '../http/lists.ts'
import { changeInvoice } from '../invoices/invoices.ts'
import { changeOrder } from '../orders/orders.ts'
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
import { sql } from 'kysely'
import type { Counts } from './schemas.ts'
import type { ListName } from '../store/list-counts.ts'
import { build, type Store } from '../store/store.ts'
import type { TradeDirectory } from '../trade/directory.ts'

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

// Summarizes the contents of the service: parties, items and carriers for a first call, and counts.

const VARIANTS_PER_BRAND = 3

/** Each party with a few of its items, or of those that it may order; `identifier` is the one the party uses. */
export function readIntroduction(store: Store, directory: TradeDirectory, parties: readonly StartupParty[]) {
  const variantsOf = (brand: number, retailer: number) =>
    store.rows(firstVariants, { brand, retailer }).map(({ sku, identifier, ...variant }) => ({
      ...variant,
      identifier: sku ?? identifier,
      brand_identifier: identifier,
    }))
  return {
    parties: parties.map((party) => ({
      ...party,
      variants:
        party.kind === 'brand'
          ? variantsOf(party.id, 0)
          : directory.listConnections(party.id).flatMap(({ brand_id }) => variantsOf(brand_id, party.id)),
    })),
    carriers: directory.listCarriers(),
  }
}

const firstVariants = (p: { brand: number; retailer: number }) =>
  build
    .selectFrom('variants')
    .leftJoin('retailer_variants', (join) =>
      join
        .onRef('retailer_variants.variant_id', '=', 'variants.id')
        .on('retailer_variants.retailer_id', '=', p.retailer),
    )
    .select(['variants.id', 'brand_id', 'retailer_variants.sku', 'identifier', 'upc', 'name'])
    .where('brand_id', '=', p.brand)
    .orderBy('variants.id')
    .limit(VARIANTS_PER_BRAND)

/** Each retailer acknowledges a variant by itself, so there is no count of acknowledged variants here. */
export function countResources(store: Store): Omit<z.infer<typeof Counts>, 'faults'> {
  const rows = store.rows(listCounts, {})
  const count = (list: ListName, isAcknowledged?: 1) =>
    rows
      .filter((row) => row.list === list && (isAcknowledged ?? row.is_acknowledged) === row.is_acknowledged)
      .reduce((sum, row) => sum + row.count, 0)
  return {
    orders: count('retailerOrders'),
    acknowledgedOrders: count('retailerOrders', 1),
    cancels: count('cancels'),
    acknowledgedCancels: count('cancels', 1),
    shipments: count('shipments'),
    acknowledgedShipments: count('shipments', 1),
    invoices: count('retailerInvoices'),
    acknowledgedInvoices: count('retailerInvoices', 1),
    rmas: count('rmas'),
    acknowledgedRmas: count('rmas', 1),
    credits: count('credits'),
    acknowledgedCredits: count('credits', 1),
    variants: count('brandVariants'),
  }
}

/** Reads the counts that triggers keep, so that this is fast for any amount of data. */
const listCounts = () =>
  build
    .selectFrom('list_counts')
    .select(['list', 'is_acknowledged', sql<number>`sum(count)`.as('count')])
    .groupBy(['list', 'is_acknowledged'])
