/** How much the service holds, for tests and for people who watch a demo. */
import type { Store } from './store/store.ts'

export interface ServiceCounts {
  readonly orders: number
  readonly acknowledgedOrders: number
  readonly shipments: number
  readonly acknowledgedShipments: number
  readonly invoices: number
  readonly acknowledgedInvoices: number
}

export function createCounts(store: Store): () => ServiceCounts {
  const count = (table: 'orders' | 'shipments' | 'invoices') => {
    const query = store.prepare(() =>
      store.build
        .selectFrom(table)
        .select(({ fn }) => [
          fn.countAll<number>().as('all'),
          fn.count<number>('acknowledged_at').as('acknowledged'),
        ]),
    )
    return () => query.first({}) ?? { all: 0, acknowledged: 0 }
  }
  const counters = { orders: count('orders'), shipments: count('shipments'), invoices: count('invoices') }
  return () => {
    const orders = counters.orders()
    const shipments = counters.shipments()
    const invoices = counters.invoices()
    return {
      orders: orders.all,
      acknowledgedOrders: orders.acknowledged,
      shipments: shipments.all,
      acknowledgedShipments: shipments.acknowledged,
      invoices: invoices.all,
      acknowledgedInvoices: invoices.acknowledged,
    }
  }
}
