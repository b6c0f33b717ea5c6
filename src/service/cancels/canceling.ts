/** How an order or a part of it is canceled. Spec: "Cancel create", "Cancel eligibility". Runs in the write queue. */
import { sql } from 'kysely'
import type { CancelCreate } from '../../contract/cancel.ts'
import { type Answer, answered, notFound } from '../http/answer.ts'
import { createFieldErrors, type FieldErrors } from '../http/field-errors.ts'
import { linesNamed, matchLines } from '../items/lines.ts'
import { type OrderLineRow, prepareOrderLines } from '../orders/rows.ts'
import type { Resources } from '../resources.ts'
import type { Store } from '../store/store.ts'

/** A retailer cancels what it ordered. */
export function createCanceling(resources: Resources): (retailerId: number, body: CancelCreate) => Answer {
  const find = prepareFind(resources.store)
  const cancel = createCancelRules(resources)
  return (retailerId, body) => {
    const order = find.first({ id: body.order_id })
    if (order?.retailer_id === retailerId) return cancel(order, body, 'retailer')
    const errors = createFieldErrors()
    errors.add(['order_id'], `Order ${body.order_id} does not exist.`)
    return errors.answer()
  }
}

export type SupplierCancel = (orderId: number, body: Omit<CancelCreate, 'order_id'>) => Answer

/** A supplier cancels what it cannot ship. The API has no call for it. */
export function createSupplierCanceling(resources: Resources): SupplierCancel {
  const find = prepareFind(resources.store)
  const cancel = createCancelRules(resources)
  return (orderId, body) => {
    const order = find.first({ id: orderId })
    return order === undefined ? notFound() : cancel(order, body, 'brand')
  }
}

interface CanceledOrder {
  readonly id: number
  readonly retailer_id: number
  readonly status: string
  readonly acknowledged_at: number | null
}

type Actor = 'retailer' | 'brand'
type Wish = Omit<CancelCreate, 'order_id'>

function createCancelRules(resources: Resources): (order: CanceledOrder, body: Wish, actor: Actor) => Answer {
  const { store, clock, cancels, progress } = resources
  const orderLines = prepareOrderLines(store)
  const insert = createCancelInserter(store)
  return (order, body, actor) => {
    const errors = createFieldErrors()
    checkOrder(order, actor, errors)
    const lines = canceledLines(body, orderLines.all({ ids: JSON.stringify([order.id]) }), { actor, errors })
    if (errors.any()) return errors.answer()
    const now = clock.now()
    const id = insert({ order, reasonId: body.reason_id, lines, now })
    progress.update(order.id, now)
    return answered(cancels([id])[0], 201)
  }
}

/** Spec: "only by a retailer and only before the supplier acknowledges the order". A supplier may do so after. */
function checkOrder({ status, acknowledged_at }: CanceledOrder, actor: Actor, errors: FieldErrors): void {
  // a supplier's cancel names the order in its address
  const where = actor === 'retailer' ? ['order_id'] : []
  if (status === 'canceled' || status === 'closed') errors.add(where, `The order is ${status}.`)
  else if (actor === 'retailer' && acknowledged_at !== null) {
    errors.add(
      where,
      'The order is acknowledged; it can be canceled only before the supplier acknowledges it.',
    )
  }
}

interface CanceledLine {
  readonly orderLineId: number
  readonly quantity: number
}

interface Checking {
  readonly actor: Actor
  readonly errors: FieldErrors
}

/** The lines that can be canceled; the others are among the errors. */
function canceledLines(
  { cancel_lines }: Wish,
  orderLines: readonly OrderLineRow[],
  { actor, errors }: Checking,
): CanceledLine[] {
  const left = (line: OrderLineRow) => line.quantity - line.quantity_shipped - line.quantity_canceled
  const matched = matchLines({
    field: 'cancel_lines',
    inputs: cancel_lines,
    lines: orderLines,
    owner: 'order',
    find: (lines, variant) => linesNamed(lines, variant, actor),
    left,
    tooMany: (line) => `Only ${left(line)} of ${line.quantity} are left to be canceled.`,
    errors,
  })
  return matched.map(({ line, input }) => ({ orderLineId: line.id, quantity: input.quantity }))
}

function prepareFind({ build, prepare }: Store) {
  return prepare((p: { id: number }) =>
    build
      .selectFrom('orders')
      .select(['id', 'retailer_id', 'status', 'acknowledged_at'])
      .where('id', '=', p.id),
  )
}

interface NewCancel {
  readonly order: CanceledOrder
  readonly reasonId: number
  readonly lines: readonly CanceledLine[]
  readonly now: number
}

function createCancelInserter({ build, prepare, inserter }: Store): (cancel: NewCancel) => number {
  const insertCancel = inserter('cancels')
  const insertLine = inserter('cancel_lines')
  const addCanceled = prepare((p: { id: number; quantity: number; now: number }) =>
    build
      .updateTable('order_lines')
      .set({
        quantity_canceled: sql<number>`quantity_canceled + ${p.quantity}`,
        status: sql<
          'open' | 'closed'
        >`iif(quantity_shipped + quantity_canceled + ${p.quantity} < quantity, 'open', 'closed')`,
        canceled_at: sql<
          number | null
        >`iif(quantity_canceled + ${p.quantity} = quantity, ${p.now}, canceled_at)`,
      })
      .where('id', '=', p.id),
  )
  return ({ order, reasonId, lines, now }) => {
    const id = insertCancel({
      order_id: order.id,
      retailer_id: order.retailer_id,
      reason_id: reasonId,
      canceled_at: now,
      acknowledged_at: null,
    })
    for (const { orderLineId, quantity } of lines) {
      insertLine({ cancel_id: id, order_line_id: orderLineId, quantity })
      addCanceled.run({ id: orderLineId, quantity, now })
    }
    return id
  }
}
