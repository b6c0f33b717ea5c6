/** How a brand moves an order: acknowledged, closed, reopened. Spec: "Order status". Runs in the write queue. */
import type { Clock } from '../../support/clock.ts'
import { type Answer, answered, notFound, wrongState } from '../http/answer.ts'
import type { Prepared, Store } from '../store/store.ts'
import type { OrderProgress, OrderStatus } from './progress.ts'
import type { OrderReader } from './views.ts'

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
  readonly orders: OrderReader
  readonly progress: OrderProgress
}

interface OrderState {
  readonly id: number
  readonly status: OrderStatus
  readonly acknowledged_at: number | null
  readonly closed_at: number | null
}

export function createOrderMoves({ store, clock, orders, progress }: OrderMoveParts): OrderMoves {
  const find = prepareFind(store)
  const save = prepareSave(store)

  function move(change: (order: OrderState, now: number) => OrderState | undefined, verb: string): MoveOrder {
    return (brand, id) => {
      const order = find.first({ brand, id })
      if (order === undefined) return notFound()
      if (order.status === 'canceled') return wrongState(`A canceled order cannot be ${verb}.`)
      const now = clock.now()
      const changed = change(order, now)
      if (changed !== undefined) save.run({ ...changed, updated_at: now })
      return answered(orders.brand([id])[0])
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
    /** Spec: "reopen a closed order"; on another one it changes nothing. The status it gets is not shown. */
    reopen: move((order) => {
      if (order.status !== 'closed') return undefined
      const status = progress.statusOf(order.id)
      return { ...order, status: status === 'closed' ? 'partial' : status, closed_at: null }
    }, 'reopened'),
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
