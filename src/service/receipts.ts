/** How a retailer acknowledges what it received. Spec: "Acknowledgement flag". Runs in the write queue. */
import type { Handler } from './http/handling.ts'
import type { Resources } from './resources.ts'

type ReceiptTable = 'shipments' | 'invoices' | 'cancels' | 'rmas' | 'credits'

/**
 * A handler that acknowledges a row of the table and answers it with `one`. Spec: not shown; a second time keeps the
 * first time's acknowledged_at and is fine.
 */
export function createReceipt({ store, clock }: Resources): (table: ReceiptTable, one: Handler) => Handler {
  const { build, prepare } = store
  return (table, one) => {
    const acknowledge = prepare((p: { id: number; retailer: number; now: number }) =>
      build
        .updateTable(table)
        .set({ acknowledged_at: p.now })
        .where('id', '=', p.id)
        .where('retailer_id', '=', p.retailer)
        .where('acknowledged_at', 'is', null),
    )
    return (call) => {
      acknowledge.run({ id: call.id, retailer: call.party, now: clock.now() })
      return one(call)
    }
  }
}
