/** How far an order has come: its status follows from what of its lines is shipped and canceled. */
import { sql } from 'kysely'
import type { Prepared, Store } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'
import type { Switches } from '../http/switches.ts'

export type OrderStatus = Tables['orders']['status']

/** To be called whenever a line's counters have changed. Runs in the write queue. */
export interface OrderProgress {
  /** What the status would be if nobody had closed the order by hand. */
  statusOf(orderId: number): OrderStatus
  /** Brings the status up to date. An order that was closed by hand stays closed. */
  update(orderId: number, now: number): void
}

/**
 * Spec: open is "one or more line items outstanding", partial "at least one line item fulfilled", closed "all line
 * items and quantities fulfilled", canceled "entire order canceled". What moves an order there is not shown: here the
 * shipment or cancel that makes it true, and whether an order closes by itself is a switch.
 */
export function createOrderProgress(store: Store, switches: Switches): OrderProgress {
  const counts = prepareCounts(store)
  const save = prepareSave(store)
  const touch = createTouch(store)

  function statusOf(id: number): OrderStatus {
    const { outstanding = 0, fulfilled = 0, shipped = 0 } = counts.first({ id }) ?? {}
    if (outstanding === 0 && shipped === 0) return 'canceled'
    if (outstanding === 0 && switches.fulfilledOrderCloses) return 'closed'
    return fulfilled > 0 ? 'partial' : 'open'
  }

  return {
    statusOf,
    update: (id, now) => {
      touch(id, now)
      const status = statusOf(id)
      save.run({
        id,
        status,
        closed_at: status === 'closed' ? now : null,
        canceled_at: status === 'canceled' ? now : null,
      })
    },
  }
}

/** Notes that an order or something that belongs to it has changed. Spec: "updated_at". */
export function createTouch({ build, prepare }: Store): (orderId: number, now: number) => void {
  const touch = prepare((p: { id: number; now: number }) =>
    build.updateTable('orders').set({ updated_at: p.now }).where('id', '=', p.id),
  )
  return (id, now) => void touch.run({ id, now })
}

interface LineCounts {
  /** Lines of which something is still to be shipped. */
  readonly outstanding: number
  /** Lines that are done and of which something was shipped. */
  readonly fulfilled: number
  /** Units shipped. */
  readonly shipped: number
}

function prepareCounts({ build, prepare }: Store): Prepared<{ id: number }, LineCounts> {
  return prepare((p) =>
    build
      .selectFrom('order_lines')
      .select([
        sql<number>`sum(quantity_shipped + quantity_canceled < quantity)`.as('outstanding'),
        sql<number>`sum(quantity_shipped + quantity_canceled = quantity and quantity_shipped > 0)`.as(
          'fulfilled',
        ),
        sql<number>`sum(quantity_shipped)`.as('shipped'),
      ])
      .where('order_id', '=', p.id),
  )
}

interface Saved {
  readonly id: number
  readonly status: OrderStatus
  readonly closed_at: number | null
  readonly canceled_at: number | null
}

function prepareSave({ build, prepare }: Store): Prepared<Saved, unknown> {
  return prepare((p) =>
    build
      .updateTable('orders')
      .set({ status: p.status, closed_at: p.closed_at, canceled_at: p.canceled_at })
      .where('id', '=', p.id)
      .where('status', 'in', ['open', 'partial']),
  )
}
