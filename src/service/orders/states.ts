/** How an order moves: acknowledged, closed, reopened, shipped. Spec: "Order status". Runs in the write queue. */
import { sql } from 'kysely'
import type { Clock } from '../../support/clock.ts'
import { type Answer, answered, notFound, wrongState } from '../http/answer.ts'
import type { ReadOrders } from './views.ts'
import type { Prepared, Store } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'

/** Changes an order of the brand and answers it. */
export type MoveOrder = (brandId: number, orderId: number) => Answer

export interface OrderMoves {
  readonly acknowledge: MoveOrder
  readonly close: MoveOrder
  readonly reopen: MoveOrder
}

export interface OrderMoveParts {
  readonly store: Store
  readonly clock: Clock
  readonly readOrders: ReadOrders
}

type Status = Tables['orders']['status']

interface OrderState {
  readonly id: number
  readonly status: Status
  readonly acknowledged_at: number | null
  readonly closed_at: number | null
}

export function createOrderMoves({ store, clock, readOrders }: OrderMoveParts): OrderMoves {
  const find = prepareFind(store)
  const countLines = prepareCountLines(store)
  const save = prepareSave(store)

  function move(change: (order: OrderState, now: number) => OrderState | undefined, verb: string): MoveOrder {
    return (brand, id) => {
      const order = find.first({ brand, id })
      if (order === undefined) return notFound()
      if (order.status === 'canceled') return wrongState(`A canceled order cannot be ${verb}.`)
      const now = clock.now()
      const changed = change(order, now)
      if (changed !== undefined) save.run({ ...changed, updated_at: now })
      return answered(readOrders([id], 'brand')[0])
    }
  }

  return {
    /** Spec: not shown; a second time changes nothing and is fine. */
    acknowledge: move(
      (order, now) => (order.acknowledged_at === null ? { ...order, acknowledged_at: now } : undefined),
      'acknowledged',
    ),
    /** Spec: not shown; any order that is not closed can be, whatever is shipped, and a closed one stays as it is. */
    close: move(
      (order, now) =>
        order.status === 'closed' ? undefined : { ...order, status: 'closed', closed_at: now },
      'closed',
    ),
    /** Spec: "reopen a closed order"; on another one it changes nothing. */
    reopen: move((order) => {
      if (order.status !== 'closed') return undefined
      const shipped = countLines.first({ id: order.id })?.shipped ?? 0
      return { ...order, status: shipped > 0 ? 'partial' : 'open', closed_at: null }
    }, 'reopened'),
  }
}

/**
 * Brings an order's status up to date with what is shipped. Spec: closed is "all line items and quantities
 * fulfilled", partial "at least one line item fulfilled"; what moves an order there is not shown. An order that was
 * closed by hand stays closed.
 */
export function createShippedUpdate(store: Store): (orderId: number, now: number) => void {
  const countLines = prepareCountLines(store)
  const update = store.prepare((p: { id: number; status: Status; closed_at: number | null; now: number }) =>
    store.build
      .updateTable('orders')
      .set({ status: p.status, closed_at: p.closed_at, updated_at: p.now })
      .where('id', '=', p.id)
      .where('status', 'in', ['open', 'partial']),
  )
  return (id, now) => {
    const fulfilled = countLines.first({ id })?.open === 0
    update.run({ id, now, status: fulfilled ? 'closed' : 'partial', closed_at: fulfilled ? now : null })
  }
}

function prepareFind({ build, prepare }: Store): Prepared<{ brand: number; id: number }, OrderState> {
  return prepare((p) =>
    build
      .selectFrom('orders')
      .select(['id', 'status', 'acknowledged_at', 'closed_at'])
      .where('id', '=', p.id)
      .where('brand_id', '=', p.brand),
  )
}

interface LineCounts {
  /** Lines of which something is still to be shipped. */
  readonly open: number
  /** Units shipped. */
  readonly shipped: number
}

function prepareCountLines({ build, prepare }: Store): Prepared<{ id: number }, LineCounts> {
  return prepare((p) =>
    build
      .selectFrom('order_lines')
      .select([
        sql<number>`sum(quantity_shipped + quantity_canceled < quantity)`.as('open'),
        sql<number>`sum(quantity_shipped)`.as('shipped'),
      ])
      .where('order_id', '=', p.id),
  )
}

function prepareSave({ build, prepare }: Store): Prepared<OrderState & { updated_at: number }, unknown> {
  return prepare((p) =>
    build
      .updateTable('orders')
      .set({
        status: p.status,
        acknowledged_at: p.acknowledged_at,
        closed_at: p.closed_at,
        updated_at: p.updated_at,
      })
      .where('id', '=', p.id),
  )
}
