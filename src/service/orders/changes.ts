/** Changes of an order by its brand or an administrator. They run in the write queue. */
import type { Selectable } from 'kysely'
import type { OrderChange } from '../admin/schemas.ts'
import type { ServiceContext } from '../endpoints.ts'
import { type Answer, answerWith, refuseField, refuseNotFound, refuseState } from '../http/answers.ts'
import type { Tables } from '../store/tables.ts'
import { computeOrderStatus } from './rows.ts'
import { readBrandOrders, readRetailerOrders } from './views.ts'

type Order = Selectable<Tables['orders']>

/** The changes of each move of a brand; undefined when the order has that state already. Spec: "Order status". */
const MOVES = {
  /** Spec: not shown; a second call changes nothing and succeeds. */
  acknowledged: ({ acknowledged_at }: Order, now: number) =>
    acknowledged_at === null ? { acknowledged_at: now } : undefined,
  /** Spec: not shown; any open order can be closed, whatever is shipped, and a closed one stays unchanged. */
  closed: ({ status }: Order, now: number) =>
    status === 'closed' ? undefined : { status: 'closed' as const, closed_at: now },
  /** Spec: "reopen a closed order"; on another one it changes nothing. The status it gets is not shown. */
  reopened: ({ id, status }: Order, _now: number, context: ServiceContext) => {
    if (status !== 'closed') return undefined
    const computed = computeOrderStatus(context, id)
    return { status: computed === 'closed' ? ('partial' as const) : computed, closed_at: null }
  },
}

export function moveOrder(context: ServiceContext, brandId: number, id: number, move: keyof typeof MOVES) {
  const { store, clock } = context
  const order = store.find('orders', { id, brand_id: brandId })
  if (order === undefined) return refuseNotFound()
  if (order.status === 'canceled') return refuseState(`A canceled order cannot be ${move}.`)
  const now = clock.now()
  const changed = MOVES[move](order, now, context)
  if (changed !== undefined) store.update('orders', { id }, { ...changed, updated_at: now })
  return answerWith(readBrandOrders(context, [id])[0])
}

/** Fields that are absent from the body stay unchanged. */
export function changeOrder(context: ServiceContext, id: number, body: OrderChange): Answer {
  const { store, clock, directory } = context
  if (store.find('orders', { id }) === undefined) return refuseNotFound()
  const { retailer_order_number, pickup_on, requested_shipping_method_id } = body
  if (
    requested_shipping_method_id !== undefined &&
    directory.findRequestedMethod(requested_shipping_method_id) === undefined
  ) {
    const message = `Requested shipping method ${requested_shipping_method_id} does not exist.`
    return refuseField(['requested_shipping_method_id'], message)
  }
  const patch = {
    retailer_order_number,
    pickup_on: typeof pickup_on === 'string' ? Date.parse(pickup_on) : pickup_on,
    requested_shipping_method_id,
    // Spec: the requested method is "present when shipping_method is not specified"
    shipping_method_id: requested_shipping_method_id === undefined ? undefined : null,
    updated_at: clock.now(),
  }
  store.update('orders', { id }, patch)
  return answerWith(readRetailerOrders(context, [id])[0])
}
