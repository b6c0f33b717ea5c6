/** Cancels: for retailers to read, and for an order or a part of it. Spec: "Cancel", "Cancel create", "Cancel eligibility". */
import type { Selectable } from 'kysely'
import { Cancel, type CancelCreate, CancelLine } from '../../contract/cancel.ts'
import type { PartyKind } from '../../contract/endpoints.ts'
import type { ServiceContext } from '../endpoints.ts'
import {
  type Answer,
  answerWith,
  gatherErrors,
  type FieldErrors,
  refuseField,
  refuseNotFound,
} from '../http/answers.ts'
import { findLinesByVariant, matchLines } from '../items/matching.ts'
import { summarizeForRetailer } from '../items/summaries.ts'
import { type OrderLineRow, readLinesOf, readLinesOfOrders, updateOrderStatus } from '../orders/rows.ts'
import { cancelReason } from '../orders/views.ts'
import type { Tables } from '../store/tables.ts'
import { createRowView } from '../values.ts'

const showCancel = createRowView(Cancel)
const showLine = createRowView(CancelLine)

export function readCancels(context: ServiceContext, ids: readonly number[]): Cancel[] {
  const linesOf = readLinesOf(context, ['cancel_lines', 'cancel_id'], ids, summarizeForRetailer)
  return context.store.findAll('cancels', 'id', ids).map((row) =>
    showCancel(row, {
      reason: cancelReason(row.reason_id),
      cancel_lines: linesOf(row.id).map((line) => showLine(line, {})),
    }),
  )
}

/** A retailer cancels what it ordered. Runs in the write queue. */
export function cancelOrder(context: ServiceContext, retailerId: number, body: CancelCreate): Answer {
  const order = context.store.find('orders', { id: body.order_id, retailer_id: retailerId })
  if (order === undefined) return refuseField(['order_id'], `Order ${body.order_id} does not exist.`)
  return cancel(context, order, body, 'retailer')
}

type CancelRequest = Omit<CancelCreate, 'order_id'>

/** A supplier cancels what it cannot ship. The API has no call for it. Runs in the write queue. */
export function cancelForBrand(context: ServiceContext, orderId: number, body: CancelRequest): Answer {
  const order = context.store.find('orders', { id: orderId })
  return order === undefined ? refuseNotFound() : cancel(context, order, body, 'brand')
}

type Order = Selectable<Tables['orders']>

function cancel(context: ServiceContext, order: Order, body: CancelRequest, actor: PartyKind): Answer {
  const { store, clock } = context
  const errors = gatherErrors()
  checkCancelable(order, actor, errors)
  const left = (line: OrderLineRow) => line.quantity - line.quantity_shipped - line.quantity_canceled
  const lines = matchLines({
    field: 'cancel_lines',
    inputs: body.cancel_lines,
    lines: readLinesOfOrders(store, [order.id]),
    find: (candidates, variant) => findLinesByVariant(candidates, variant, actor),
    left,
    tooMany: (line) => `Only ${left(line)} of ${line.quantity} are left to be canceled.`,
    errors,
  })
  if (errors.hasErrors()) return errors.toAnswer()
  const now = clock.now()
  const id = store.insert('cancels', {
    order_id: order.id,
    retailer_id: order.retailer_id,
    reason_id: body.reason_id,
    canceled_at: now,
  })
  for (const { line, input } of lines) {
    store.insert('cancel_lines', { cancel_id: id, order_line_id: line.id, quantity: input.quantity })
    const quantity_canceled = line.quantity_canceled + input.quantity
    const isOpen = line.quantity_shipped + quantity_canceled < line.quantity
    const canceled_at = quantity_canceled === line.quantity ? now : undefined
    const patch = { quantity_canceled, status: isOpen ? 'open' : 'closed', canceled_at } as const
    store.update('order_lines', { id: line.id }, patch)
  }
  updateOrderStatus(context, order.id, now)
  return answerWith(readCancels(context, [id])[0], 201)
}

/** Spec: "only by a retailer and only before the supplier acknowledges the order". A supplier may do so after. */
function checkCancelable({ status, acknowledged_at }: Order, actor: PartyKind, errors: FieldErrors): void {
  // a supplier's cancel names the order in its address
  const where = actor === 'retailer' ? ['order_id'] : []
  if (status === 'canceled' || status === 'closed') errors.add(where, `The order is ${status}.`)
  else if (actor === 'retailer' && acknowledged_at !== null) {
    const message = 'The order is acknowledged; it can be canceled only before the supplier acknowledges it.'
    errors.add(where, message)
  }
}
