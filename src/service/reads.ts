/** How resources are read: one by its id, or a page of a list; only by whom they belong to. */
import { sql } from 'kysely'
import type { Filters } from '../contract/filters.ts'
import { answered, notFound } from './http/answer.ts'
import type { Handler } from './http/handling.ts'
import { type AnswerList, createLists } from './http/lists.ts'
import type { Resources } from './resources.ts'
import { LISTED, type ListName } from './store/listed.ts'
import type { Store } from './store/store.ts'

/** `one` is also what a change answers. */
export interface Read {
  readonly one: Handler
  readonly list: (filters: Filters) => Handler
}

export type Reads = ReturnType<typeof createReads>

type ReadByIds = (ids: readonly number[]) => readonly unknown[]

export function createReads(resources: Resources) {
  const { store, switches, orders, invoices } = resources
  const answerList = createLists(store, switches)
  const read = (list: ListName, readIds: ReadByIds) => createRead(store, answerList, { list, readIds })
  return {
    retailerOrders: read('retailerOrders', orders.retailer),
    brandOrders: read('brandOrders', orders.brand),
    cancels: read('cancels', resources.cancels),
    shipments: read('shipments', resources.shipments.retailer),
    retailerInvoices: read('retailerInvoices', invoices.retailer),
    brandInvoices: read('brandInvoices', invoices.brand),
    credits: read('credits', resources.credits),
    rmas: read('rmas', resources.rmas),
    answerList,
  } as const
}

interface Source {
  readonly list: ListName
  readonly readIds: ReadByIds
}

function createRead(store: Store, answerList: AnswerList, { list, readIds }: Source): Read {
  const isOwned = createOwnership(store, LISTED[list])
  return {
    one: ({ party, id }) => (isOwned(party, id) ? answered(readIds([id])[0]) : notFound()),
    list: (filters) => (call) => answerList(call, { list, ownerId: call.party, filters }, readIds),
  }
}

/** Whether the party has a resource with the id. */
export function createOwnership(
  store: Store,
  from: { readonly from: string; readonly owner: string },
): (party: number, id: number) => boolean {
  const owned = store.prepare((p: { id: number; party: number }) => ({
    compile: () =>
      sql<{
        id: number
      }>`select id from ${sql.table(from.from)} where id = ${p.id} and ${sql.ref(from.owner)} = ${p.party}`.compile(
        store.build,
      ),
  }))
  return (party, id) => owned.first({ id, party }) !== undefined
}
