/** Returns: shows them to retailers, issues and accepts them. Spec: "Return (RMA)", "Return status". */
import { Rma, RmaLine } from '../../contract/return.ts'
import { addDecimals, formatDecimal } from '../../support/decimal.ts'
import type { RmaCreate } from '../admin/schemas.ts'
import type { ServiceContext } from '../endpoints.ts'
import { type Answer, answerWith, gatherErrors, refuseField, refuseNotFound } from '../http/answers.ts'
import { findLinesByVariant, matchLines } from '../items/matching.ts'
import { summarizeForRetailer } from '../items/summaries.ts'
import {
  type OrderLineRow,
  readLinesOf,
  readLinesOfOrders,
  readOrderLines,
  sumUnits,
  touchOrder,
} from '../orders/rows.ts'
import { toRetailerLine } from '../orders/views.ts'
import { build, idsFromJson, idsParameter, type IdsParameter } from '../store/store.ts'
import { createRowView, fitsWholeDigits, multiplyPrice, PRICE_DIGITS } from '../values.ts'

const showRma = createRowView(Rma)
const showLine = createRowView(RmaLine)

export function readRmas(context: ServiceContext, ids: readonly number[]): Rma[] {
  const { store, directory } = context
  const linesOf = readLinesOf(context, ['rma_lines', 'rma_id'], ids, summarizeForRetailer)
  return store.rows(rmasByIds, idsParameter(ids)).map((row) =>
    showRma(row, {
      retailer: directory.getParty('retailer', row.retailer_id),
      brand: directory.getParty('brand', row.brand_id),
      reason: row.reason as Rma['reason'],
      // Spec: order_line is the "original line with pricing"
      rma_lines: linesOf(row.id).map((line) =>
        showLine(line, { order_line: toRetailerLine(line.orderLine, line.variant) }),
      ),
      attachments: [],
      memos: [],
    }),
  )
}

const rmasByIds = (p: IdsParameter) =>
  build
    .selectFrom('rmas')
    .innerJoin('orders', 'orders.id', 'rmas.order_id')
    .selectAll('rmas')
    .select(['orders.purchase_order_number', 'orders.ordered_at'])
    .where('rmas.id', 'in', idsFromJson(p.ids))
    .orderBy('rmas.id')

/** Pending until the supplier accepts it. Spec: "Either party, supplier or retailer, may initiate a return." */
export function issueReturn(context: ServiceContext, orderId: number, body: RmaCreate): Answer {
  const { store } = context
  const order = store.find('orders', { id: orderId })
  if (order === undefined) return refuseNotFound()
  const errors = gatherErrors()
  const earlier = store.findAll('rmas', 'order_id', [orderId]).map(({ id }) => id)
  const returned = sumUnits(store.findAll('rma_lines', 'rma_id', earlier))
  const left = (line: OrderLineRow) => line.quantity_shipped - (returned.get(line.id) ?? 0)
  const lines = matchLines({
    field: 'rma_lines',
    inputs: body.rma_lines,
    lines: readLinesOfOrders(store, [orderId]),
    find: (candidates, variant) => findLinesByVariant(candidates, variant, body.created_by),
    left,
    tooMany: (line) => `Only ${left(line)} of ${line.quantity_shipped} shipped are left to be returned.`,
    errors,
  })
  if (errors.hasErrors()) return errors.toAnswer()
  const total = lines
    .map(({ line, input }) => multiplyPrice(input.quantity, line.net_price))
    .reduce(addDecimals)
  if (!fitsWholeDigits(total, PRICE_DIGITS)) {
    return refuseField(['rma_lines', 'non_field_errors'], 'The lines add up to more than 99999999.99.')
  }
  const now = context.clock.now()
  const id = store.insert('rmas', {
    order_id: orderId,
    retailer_id: order.retailer_id,
    brand_id: order.brand_id,
    created_by: body.created_by,
    rma_number: body.rma_number ?? null,
    reason: body.reason,
    status: 'Pending',
    total_amount: formatDecimal(total),
    received_at: now,
    rmad_at: typeof body.rmad_at === 'string' ? Date.parse(body.rmad_at) : now,
  })
  for (const { line, input } of lines) {
    store.insert('rma_lines', { rma_id: id, order_line_id: line.id, quantity: input.quantity })
  }
  touchOrder(store, orderId, now)
  return answerWith(readRmas(context, [id])[0], 201)
}

/** Spec: "items received and inspected, all well". A second call changes nothing and succeeds. Runs in the write queue. */
export function acceptReturn(context: ServiceContext, id: number): Answer {
  const { store, clock } = context
  const rma = store.find('rmas', { id })
  if (rma === undefined) return refuseNotFound()
  if (rma.status === 'Pending') {
    store.update('rmas', { id }, { status: 'Accepted' })
    // Spec: quantity_returned is "fully returned to date"
    const lines = store.findAll('rma_lines', 'rma_id', [id])
    const orderLines = readOrderLines(store, lines)
    for (const { order_line_id, quantity } of lines) {
      const before = orderLines.get(order_line_id)?.quantity_returned ?? 0
      store.update('order_lines', { id: order_line_id }, { quantity_returned: before + quantity })
    }
    touchOrder(store, rma.order_id, clock.now())
  }
  return answerWith(readRmas(context, [id])[0])
}
