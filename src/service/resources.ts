/** Handlers that read one resource or a page of a list, and acknowledge what a retailer received. */
import { type Endpoint, type EndpointName, ENDPOINTS } from '../contract/endpoints.ts'
import type { ServiceContext } from './context.ts'
import { answerWith, refuseNotFound } from './http/answers.ts'
import type { Handler, ServiceCall } from './http/handler.ts'
import { answerList } from './http/lists.ts'
import { type ListName, LISTS } from './store/list-counts.ts'
import type { Store } from './store/store.ts'

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
