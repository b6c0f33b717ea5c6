/** Credits: issues one for an accepted return, in the write queue, and shows it. Spec: "Credit (credit memo)". */
import { addDecimals, compareDecimals, type Decimal, formatDecimal } from '../../support/decimal.ts'
import type { CreditCreate } from '../admin/schemas.ts'
import type { ServiceContext } from '../endpoints.ts'
import {
  type Answer,
  answerWith,
  gatherErrors,
  type FieldErrors,
  refuseNotFound,
  refuseState,
} from '../http/answers.ts'
import { findLinesByVariant, matchLines } from '../items/matching.ts'
import { readLinesOf, readOrderLines, sumUnits, touchOrder } from '../orders/rows.ts'
import {
  build,
  idsFromJson,
  type IdsParameter,
  idsParameter,
  type RowOf,
  type Store,
} from '../store/store.ts'
import {
  createRowView,
  fitsWholeDigits,
  isAbsent,
  MONEY_DIGITS,
  multiplyPrice,
  sumAmounts,
  toAdjustment,
} from '../values.ts'
import { Credit, type CreditAdjustment, CreditLine } from '../../contract/return.ts'
import { isoTime } from '../../support/clock.ts'
import { summarizeForRetailer } from '../items/summaries.ts'

/**
 * Spec: "Credits are issued by suppliers after accepting returns"; a credit's "subtotal and quantities cannot exceed
 * the value of the issuing return before adjustments". Several credits of one return share its value.
 */
export function issueCredit(context: ServiceContext, rmaId: number, body: CreditCreate): Answer {
  const { store } = context
  const rma = store.find('rmas', { id: rmaId })
  if (rma === undefined) return refuseNotFound()
  if (rma.status !== 'Accepted') return refuseState('Only an accepted return can be credited.')
  const errors = gatherErrors()
  const { credit_number } = body
  if (store.find('credits', { brand_id: rma.brand_id, credit_number }) !== undefined) {
    errors.add(['credit_number'], 'A credit with this credit_number already exists.')
  }
  const lines = matchCreditedLines(body, readReturnedLines(store, rmaId), errors)
  if (errors.hasErrors()) return errors.toAnswer()
  const adjustments = body.adjustments ?? []
  const subtotal = lines.map(({ quantity, price }) => multiplyPrice(quantity, price)).reduce(addDecimals)
  const amount = addDecimals(subtotal, sumAmounts(adjustments.map((adjustment) => adjustment.amount)))
  const credited = store.findAll('credits', 'rma_id', [rmaId]).map((earlier) => earlier.subtotal)
  checkSubtotal(subtotal, sumAmounts([rma.total_amount], credited), errors)
  checkAmount(amount, errors)
  if (errors.hasErrors()) return errors.toAnswer()
  const now = context.clock.now()
  const id = store.insert('credits', {
    rma_id: rmaId,
    order_id: rma.order_id,
    retailer_id: rma.retailer_id,
    brand_id: rma.brand_id,
    invoice_id: store.find('invoices', { order_id: rma.order_id })?.id ?? null,
    credit_number,
    subtotal: formatDecimal(subtotal),
    adjustments: JSON.stringify(adjustments.map(toAdjustment)),
    credit_amount: formatDecimal(amount),
    credited_at: now,
  })
  for (const line of lines) store.insert('credit_lines', { credit_id: id, ...line })
  touchOrder(store, rma.order_id, now)
  return answerWith(readCredits(context, [id])[0], 201)
}

function checkSubtotal(subtotal: Decimal, left: Decimal, errors: FieldErrors): void {
  const refuse = (message: string) => errors.add(['credit_lines', 'non_field_errors'], message)
  if (compareDecimals(subtotal, left) > 0) {
    refuse(
      `The lines add up to ${formatDecimal(subtotal)}; ${formatDecimal(left)} of the return is left to be credited.`,
    )
  } else if (!fitsWholeDigits(subtotal, MONEY_DIGITS)) {
    refuse('The lines add up to more than 999999.99.')
  }
}

function checkAmount(amount: Decimal, errors: FieldErrors): void {
  const refuse = (message: string) => errors.add(['adjustments', 'non_field_errors'], message)
  if (amount.units < 0n) refuse(`The credit would be ${formatDecimal(amount)}, which is below zero.`)
  else if (!fitsWholeDigits(amount, MONEY_DIGITS)) refuse('The credit would be more than 999999.99.')
}

/** Reads the lines of a return, each with its order line and the quantity of earlier credits. */
function readReturnedLines(store: Store, rmaId: number) {
  const returned = store.findAll('rma_lines', 'rma_id', [rmaId])
  const orderLines = readOrderLines(store, returned)
  const earlier = store.findAll('credits', 'rma_id', [rmaId]).map(({ id }) => id)
  const credited = sumUnits(store.findAll('credit_lines', 'credit_id', earlier))
  return returned.flatMap(({ order_line_id, quantity }) => {
    const line = orderLines.get(order_line_id)
    return line === undefined ? [] : [{ ...line, quantity, credited: credited.get(order_line_id) ?? 0 }]
  })
}

type ReturnedLine = ReturnType<typeof readReturnedLines>[number]

/** Without lines in the body, takes the rest of the return, at the prices the supplier was paid. Adds errors. */
function matchCreditedLines(
  { credit_lines }: CreditCreate,
  returned: readonly ReturnedLine[],
  errors: FieldErrors,
) {
  const left = (line: ReturnedLine) => line.quantity - line.credited
  const toCredited = (line: ReturnedLine, quantity: number, price = line.net_price) => ({
    order_line_id: line.id,
    quantity,
    price,
  })
  if (isAbsent(credit_lines)) {
    const remaining = returned.filter((line) => left(line) > 0)
    if (remaining.length === 0) errors.add([], 'All of the return is credited already.')
    return remaining.map((line) => toCredited(line, left(line)))
  }
  const matched = matchLines({
    field: 'credit_lines',
    inputs: credit_lines,
    lines: returned,
    owner: 'return',
    find: (lines, variant) => findLinesByVariant(lines, variant, 'brand'),
    left,
    tooMany: (line) => `Only ${left(line)} of ${line.quantity} returned are left to be credited.`,
    errors,
  })
  return matched.map(({ line, input }) => toCredited(line, input.quantity, input.price ?? undefined))
}

// Credit memos as retailers see them. Spec: "Credit (credit memo)".

const showCredit = createRowView(Credit)
const showLine = createRowView(CreditLine)

export function readCredits(context: ServiceContext, ids: readonly number[]): Credit[] {
  const { store, directory } = context
  const linesOf = readLinesOf(context, ['credit_lines', 'credit_id'], ids, summarizeForRetailer)
  return store.rows(creditsByIds, idsParameter(ids)).map((row) => {
    const { order_id, purchase_order_number, rma_id, rma_number } = row
    return showCredit(row, {
      retailer: directory.getParty('retailer', row.retailer_id),
      brand: directory.getParty('brand', row.brand_id),
      currency: 'USD',
      order: { id: order_id, purchase_order_number, ordered_at: isoTime(row.ordered_at) },
      rma: { id: rma_id, rma_number, rmad_at: isoTime(row.rmad_at) },
      invoice: toInvoice(row),
      adjustments: JSON.parse(row.adjustments) as CreditAdjustment[],
      credit_lines: linesOf(row.id).map((line) => showLine(line, {})),
    })
  })
}

const creditsByIds = (p: IdsParameter) =>
  build
    .selectFrom('credits')
    .innerJoin('orders', 'orders.id', 'credits.order_id')
    .innerJoin('rmas', 'rmas.id', 'credits.rma_id')
    .leftJoin('invoices', 'invoices.id', 'credits.invoice_id')
    .selectAll('credits')
    .select(['orders.purchase_order_number', 'orders.ordered_at', 'rmas.rma_number', 'rmas.rmad_at'])
    .select(['invoices.invoice_number', 'invoices.invoiced_at'])
    .where('credits.id', 'in', idsFromJson(p.ids))
    .orderBy('credits.id')

/** Spec: "Not guaranteed to be tied to the credit." */
function toInvoice(row: RowOf<typeof creditsByIds>): Credit['invoice'] {
  const { invoice_id, invoice_number, invoiced_at } = row
  if (invoice_id === null || invoice_number === null || invoiced_at === null) return null
  return { id: invoice_id, invoice_number, invoiced_at: isoTime(invoiced_at) }
}
