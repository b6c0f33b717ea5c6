/** How a return is issued and accepted. Spec: "Return (RMA)", "Return status". Runs in the write queue. */
import { sql } from 'kysely'
import { addDecimals, formatDecimal } from '../../support/decimal.ts'
import type { RmaCreate } from '../admin/bodies.ts'
import { amountOf, fitsDigits } from '../amounts.ts'
import { type Answer, answered, notFound } from '../http/answer.ts'
import { createFieldErrors, type FieldErrors } from '../http/field-errors.ts'
import { linesNamed, matchLines } from '../items/lines.ts'
import { createTouch } from '../orders/progress.ts'
import { type OrderLineRow, prepareOrderLines } from '../orders/rows.ts'
import type { Resources } from '../resources.ts'
import type { Store } from '../store/store.ts'

export type IssueReturn = (orderId: number, body: RmaCreate) => Answer

/** Spec: "Either party, supplier or retailer, may initiate a return." It is Pending until the supplier accepts it. */
export function createReturning({ store, clock, rmas }: Resources): IssueReturn {
  const findOrder = prepareFindOrder(store)
  const orderLines = prepareOrderLines(store)
  const returnedUnits = prepareReturnedUnits(store)
  const insert = createReturnInserter(store)
  const touch = createTouch(store)
  return (orderId, body) => {
    const order = findOrder.first({ id: orderId })
    if (order === undefined) return notFound()
    const errors = createFieldErrors()
    const returned = new Map(
      returnedUnits.all({ order: orderId }).map((row) => [row.order_line_id, row.units]),
    )
    const candidates = orderLines.all({ ids: JSON.stringify([orderId]) })
    const lines = returnedLines(body, { candidates, returned, errors })
    if (errors.any()) return errors.answer()
    const total = lines.map(({ quantity, netPrice }) => amountOf(quantity, netPrice)).reduce(addDecimals)
    if (!fitsDigits(total, LARGEST_WHOLE_DIGITS)) {
      errors.add(['rma_lines', 'non_field_errors'], 'The lines add up to more than 99999999.99.')
      return errors.answer()
    }
    const now = clock.now()
    const id = insert({ body, order, lines, total: formatDecimal(total), now })
    touch(orderId, now)
    return answered(rmas([id])[0], 201)
  }
}

/** Spec: the size of total_amount is not shown; as much as a line of an order may cost. */
const LARGEST_WHOLE_DIGITS = 8

export type AcceptReturn = (rmaId: number) => Answer

/** Spec: "items received and inspected, all well". A second time changes nothing and is fine. */
export function createAccepting({ store, clock, rmas }: Resources): AcceptReturn {
  const { accept, addReturned, findOrder } = prepareAcceptance(store)
  const touch = createTouch(store)
  return (id) => {
    if (accept.run({ id }) > 0) {
      addReturned.run({ id })
      touch(findOrder.first({ id })?.order_id ?? 0, clock.now())
    }
    const [rma] = rmas([id])
    return rma === undefined ? notFound() : answered(rma)
  }
}

interface ReturnedOrder {
  readonly id: number
  readonly retailer_id: number
  readonly brand_id: number
}

function prepareFindOrder({ build, prepare }: Store) {
  return prepare((p: { id: number }) =>
    build.selectFrom('orders').select(['id', 'retailer_id', 'brand_id']).where('id', '=', p.id),
  )
}

/** What returns of the order hold already, pending or accepted. */
function prepareReturnedUnits({ build, prepare }: Store) {
  return prepare((p: { order: number }) =>
    build
      .selectFrom('rma_lines')
      .innerJoin('rmas', 'rmas.id', 'rma_lines.rma_id')
      .select(['rma_lines.order_line_id', sql<number>`sum(rma_lines.quantity)`.as('units')])
      .where('rmas.order_id', '=', p.order)
      .groupBy('rma_lines.order_line_id'),
  )
}

interface ReturnedLine {
  readonly orderLineId: number
  readonly quantity: number
  readonly netPrice: string
}

interface Finding {
  readonly candidates: readonly OrderLineRow[]
  /** Units in other returns, by the id of the order's line. */
  readonly returned: ReadonlyMap<number, number>
  readonly errors: FieldErrors
}

/** The lines that can be returned; the others are among the errors. */
function returnedLines(
  { rma_lines, created_by }: RmaCreate,
  { candidates, returned, errors }: Finding,
): ReturnedLine[] {
  const left = (line: OrderLineRow) => line.quantity_shipped - (returned.get(line.id) ?? 0)
  const matched = matchLines({
    field: 'rma_lines',
    inputs: rma_lines,
    lines: candidates,
    owner: 'order',
    find: (lines, variant) => linesNamed(lines, variant, created_by),
    left,
    tooMany: (line) => `Only ${left(line)} of ${line.quantity_shipped} shipped are left to be returned.`,
    errors,
  })
  return matched.map(({ line, input }) => ({
    orderLineId: line.id,
    quantity: input.quantity,
    netPrice: line.net_price,
  }))
}

interface NewReturn {
  readonly body: RmaCreate
  readonly order: ReturnedOrder
  readonly lines: readonly ReturnedLine[]
  readonly total: string
  readonly now: number
}

function createReturnInserter({ inserter }: Store): (rma: NewReturn) => number {
  const insertRma = inserter('rmas')
  const insertLine = inserter('rma_lines')
  return ({ body, order, lines, total, now }) => {
    const id = insertRma({
      order_id: order.id,
      retailer_id: order.retailer_id,
      brand_id: order.brand_id,
      created_by: body.created_by,
      rma_number: body.rma_number ?? null,
      reason: body.reason,
      status: 'Pending',
      total_amount: total,
      received_at: now,
      rmad_at: typeof body.rmad_at === 'string' ? Date.parse(body.rmad_at) : now,
      acknowledged_at: null,
    })
    for (const { orderLineId, quantity } of lines) {
      insertLine({ rma_id: id, order_line_id: orderLineId, quantity })
    }
    return id
  }
}

/** Spec: quantity_returned is "fully returned to date". */
function prepareAcceptance({ build, prepare }: Store) {
  return {
    accept: prepare((p: { id: number }) =>
      build
        .updateTable('rmas')
        .set({ status: 'Accepted' })
        .where('id', '=', p.id)
        .where('status', '=', 'Pending'),
    ),
    addReturned: prepare((p: { id: number }) =>
      build
        .updateTable('order_lines')
        .from('rma_lines')
        .set({ quantity_returned: sql<number>`quantity_returned + rma_lines.quantity` })
        .whereRef('rma_lines.order_line_id', '=', 'order_lines.id')
        .where('rma_lines.rma_id', '=', p.id),
    ),
    findOrder: prepare((p: { id: number }) =>
      build.selectFrom('rmas').select('order_id').where('id', '=', p.id),
    ),
  }
}
