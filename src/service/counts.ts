/** How much the service holds, for tests and for people who watch a demo. */
import { sql } from 'kysely'
import type { ListName } from './store/listed.ts'
import type { Prepared, Store } from './store/store.ts'

export interface ServiceCounts {
  readonly orders: number
  readonly acknowledgedOrders: number
  readonly cancels: number
  readonly acknowledgedCancels: number
  readonly shipments: number
  readonly acknowledgedShipments: number
  readonly invoices: number
  readonly acknowledgedInvoices: number
  readonly rmas: number
  readonly acknowledgedRmas: number
  readonly credits: number
  readonly acknowledgedCredits: number
  /** A variant is acknowledged by each retailer of its own, and so not counted here. */
  readonly variants: number
}

export function createCounts(store: Store): () => ServiceCounts {
  const counted = prepareCounted(store)
  return () => {
    const rows = counted.all({})
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
}

interface Counted {
  readonly list: string
  readonly is_acknowledged: number
  readonly count: number
}

/** The database counts along, so that this is quick however much there is. */
function prepareCounted({ build, prepare }: Store): Prepared<object, Counted> {
  return prepare(() =>
    build
      .selectFrom('list_counts')
      .select(['list', 'is_acknowledged', sql<number>`sum(count)`.as('count')])
      .groupBy(['list', 'is_acknowledged']),
  )
}
