/** Finds resources by the names that files use: in the journal, else at the API, reading each list at most once. */
import type { EndpointName } from '../../contract/endpoints.ts'
import type { Call } from '../../domain/api.ts'
import type { KnownResource } from '../../domain/resource.ts'
import { formatAccount, type Party } from '../../domain/route.ts'
import { createOrderListCall, createPartyParams } from '../../operations/operation.ts'
import { runInParallel } from '../../support/async.ts'
import type { Clock } from '../../support/clock.ts'
import { groupBy } from '../../support/collections.ts'
import { hasCode, throwIfStopped } from '../../support/errors.ts'
import type { InboundContext } from '../context.ts'
import { createAccountCheck } from '../failures.ts'
import { type ResourceKind, toCachedResource } from './resource-cache.ts'

/** Up to so many keys of one file are looked up one by one, if the API has a filter for them; for more, a list is read. */
const SINGLES_MAX = 50

/** How many such lookups are in flight at once. */
const SINGLES_IN_FLIGHT = 8

export type FinderContext = Pick<InboundContext, 'api' | 'journal' | 'route' | 'signal'>

/** The known resources by key; an unknown key is absent. */
export type FoundResources = ReadonlyMap<string, readonly KnownResource[]>

export type ResourceFinder = (keys: Iterable<string>) => Promise<FoundResources>

/** The finder of one file and kind: each call costs one query, and all calls together read each list at most once. */
export function createResourceFinder(context: FinderContext, kind: ResourceKind): ResourceFinder {
  const plan = planLists(kind, context.route.party)
  const unread = [...plan.lists]
  let singlesLeft = plan.single === undefined ? 0 : SINGLES_MAX
  return async (asked) => {
    const keys = [...new Set(asked)]
    if (keys.length === 0) return new Map()
    const found = new Map<string, KnownResource[]>()
    const missing = () => keys.filter((key) => !found.has(key))
    const search = async () => {
      for (const [key, known] of await findKnown(context, kind, missing())) found.set(key, known)
    }
    await search()
    const single = missing()
    if (plan.single && single.length > 0 && single.length <= singlesLeft && unread.length > 0) {
      singlesLeft -= single.length
      await runInParallel(single.map(plan.single), SINGLES_IN_FLIGHT, (call) => readList(context, call))
      await search()
      return found
    }
    while (missing().length > 0) {
      const list = unread.shift()
      if (list === undefined) break
      await readList(context, list)
      await search()
    }
    return found
  }
}

async function findKnown({ journal, route }: FinderContext, kind: ResourceKind, keys: readonly string[]) {
  return groupBy(await journal.findResourcesByKey(formatAccount(route.party), kind, keys), ({ key }) => key)
}

/** Reads a list to its end. The caching API stores each page in the journal on the way. */
export async function readList({ api, signal }: FinderContext, call: Call): Promise<void> {
  for await (const _ of api.list(call)) {
    throwIfStopped(signal)
  }
}

// Which lists of the API show each kind of resource, and in which order they are read.

interface ListPlan {
  /** Lists to read, each only while a key is still missing; the last one has no filter and shows everything. */
  readonly lists: readonly Call[]
  /** The list that shows only resources with this key, if the API has a filter for it. */
  readonly single?: (key: string) => Call
}

/** Most files name orders that are under way, so this list is read first. */
const UNDER_WAY = { status: ['open', 'partial'] } as const

const UNACKNOWLEDGED = { is_acknowledged: 0 } as const

export function planLists(kind: ResourceKind, party: Party): ListPlan {
  const params = createPartyParams(party)
  const lists = (endpoint: EndpointName, ...queries: NonNullable<Call['query']>[]): ListPlan => ({
    lists: [...queries.map((query) => ({ endpoint, params, query })), { endpoint, params }],
  })
  const isBrand = party.kind === 'brand'
  switch (kind) {
    case 'order':
      if (isBrand) return lists('listBrandOrders', UNDER_WAY)
      return {
        ...lists('listRetailerOrders', UNDER_WAY),
        single: (key) => ({ endpoint: 'listRetailerOrders', params, query: { purchase_order_number: key } }),
      }
    case 'variant':
      // The short list is small, and does not show the numbers that retailers give to items.
      return isBrand ? lists('listBrandVariants', { short: 1 }) : lists('listRetailerVariants')
    case 'shipment':
      return lists('listShipments', UNACKNOWLEDGED)
    case 'invoice':
      return isBrand ? lists('listBrandInvoices') : lists('listRetailerInvoices', UNACKNOWLEDGED)
    case 'credit':
      return lists('listCredits', UNACKNOWLEDGED)
    case 'return':
      return lists('listRmas', UNACKNOWLEDGED)
  }
}

// Reads orders again before a record is refused because of the cached state of its order.

/** How many orders of one file are read one by one; for more, the whole list is read. */
const READS_MAX = 200

const READS_IN_FLIGHT = 8

export type OrderReader = ReturnType<typeof createOrderReader>

export function createOrderReader(context: FinderContext & { readonly clock: Clock }) {
  const { api, journal, route, clock } = context
  const account = formatAccount(route.party)
  const since = clock.now()
  const endpoint = route.party.kind === 'brand' ? 'getBrandOrder' : 'getRetailerOrder'
  let readsLeft = READS_MAX
  let hasReadList = false

  /** The orders with these ids as the journal knows them; unknown ids are absent. */
  const findKnown = async (ids: Iterable<string>): Promise<ReadonlyMap<string, KnownResource>> => {
    const orders = await journal.findResourcesById(account, 'order', [...new Set(ids)])
    return new Map(orders.map((order) => [order.id, order]))
  }
  const findFresh = async (ids: Iterable<string>) => {
    const isFresh = ({ facts, seenAt }: KnownResource) => facts !== undefined && seenAt >= since
    return new Map([...(await findKnown(ids))].filter(([, order]) => isFresh(order)))
  }
  const checkAccount = createAccountCheck(api, route.party)
  const readOne = async (id: string) => {
    try {
      const order = await api.get({ endpoint, params: { ...createPartyParams(route.party), id } })
      return toCachedResource('order', order).map((seen): KnownResource => ({ ...seen, seenAt: clock.now() }))
    } catch (error) {
      // A later pass asks an unreachable API again. One order that the API does not show must not stop the others.
      if (!hasCode(error, 'api-answer-unusable')) throw error
      await checkAccount()
      return []
    }
  }
  return {
    findKnown,
    /** The same orders, read after this reader was made; orders that the API does not show are absent. */
    async readAgain(ids: Iterable<string>): Promise<ReadonlyMap<string, KnownResource>> {
      const orders = await findFresh(ids)
      const stale = [...new Set(ids)].filter((id) => !orders.has(id))
      if (stale.length === 0 || hasReadList) return orders
      if (stale.length > readsLeft) {
        hasReadList = true
        await readList(context, createOrderListCall(route.party))
        return findFresh(ids)
      }
      readsLeft -= stale.length
      const read = await runInParallel(stale, READS_IN_FLIGHT, readOne)
      for (const order of read.flat()) orders.set(order.id, order)
      return orders
    },
  }
}
