/** Derives the status of an order from the shipped and canceled units of its lines. */
import type { ServiceContext } from '../context.ts'
import type { Store } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'

/** Brings the status up to date whenever a line's counters have changed. An order that was closed by hand stays closed. */
export function updateOrderStatus(context: ServiceContext, id: number, now: number): void {
  const { store } = context
  touchOrder(store, id, now)
  const before = store.find('orders', { id })?.status
  if (before !== 'open' && before !== 'partial') return
  const status = computeOrderStatus(context, id)
  const closed_at = status === 'closed' ? now : null
  store.update('orders', { id }, { status, closed_at, canceled_at: status === 'canceled' ? now : null })
}

type OrderStatus = Tables['orders']['status']

/**
 * Computes the status, without regard to closing by hand. Spec: open is "one or more line items outstanding",
 * partial "at least one line item fulfilled", closed "all line items and quantities fulfilled", canceled "entire order
 * canceled". The trigger is not shown: here it is the shipment or cancel that makes it true, and a switch decides whether
 * an order closes by itself.
 */
export function computeOrderStatus({ store, switches }: ServiceContext, id: number): OrderStatus {
  const lines = store.findAll('order_lines', 'order_id', [id])
  const isDone = (line: (typeof lines)[number]) =>
    line.quantity_shipped + line.quantity_canceled === line.quantity
  const hasShipped = (line: (typeof lines)[number]) => line.quantity_shipped > 0
  if (!lines.every(isDone)) return lines.some((line) => isDone(line) && hasShipped(line)) ? 'partial' : 'open'
  if (!lines.some(hasShipped)) return 'canceled'
  return switches.fulfilledOrderCloses ? 'closed' : 'partial'
}

/** Notes that an order or something that belongs to it has changed. Spec: "updated_at". */
export function touchOrder(store: Store, id: number, now: number): void {
  store.update('orders', { id }, { updated_at: now })
}
