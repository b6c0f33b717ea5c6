/** How a retailer acknowledges what it received. Spec: "Acknowledgement flag". Runs in the write queue. */
import type { Clock } from '../support/clock.ts'
import { type Answer, answered, notFound } from './http/answer.ts'
import type { Store } from './store/store.ts'

export type Acknowledge = (retailerId: number, id: number) => Answer

export interface ReceiptParts {
  readonly store: Store
  readonly clock: Clock
  readonly table: 'shipments' | 'invoices'
  readonly read: (ids: readonly number[]) => readonly unknown[]
}

/** Spec: not shown; a second time keeps the first time's acknowledged_at and is fine. */
export function createReceipt({ store, clock, table, read }: ReceiptParts): Acknowledge {
  const { build, prepare } = store
  const owned = prepare((p: { id: number; retailer: number }) =>
    build.selectFrom(table).select('id').where('id', '=', p.id).where('retailer_id', '=', p.retailer),
  )
  const acknowledge = prepare((p: { id: number; now: number }) =>
    build
      .updateTable(table)
      .set({ acknowledged_at: p.now })
      .where('id', '=', p.id)
      .where('acknowledged_at', 'is', null),
  )
  return (retailer, id) => {
    if (owned.first({ id, retailer }) === undefined) return notFound()
    acknowledge.run({ id, now: clock.now() })
    return answered(read([id])[0])
  }
}
