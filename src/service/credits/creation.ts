/** Issues a credit for an accepted return. Spec: "Credit (credit memo)". Runs in the write queue. */
import { addDecimals, compareDecimals, type Decimal, formatDecimal } from '../../support/decimal.ts'
import type { CreditCreate } from '../admin/schemas.ts'
import type { ServiceContext } from '../context.ts'
import {
  type Answer,
  answerWith,
  gatherErrors,
  type FieldErrors,
  refuseNotFound,
  refuseState,
} from '../http/answers.ts'
import { findLinesByVariant, matchLines } from '../items/matching.ts'
import { touchOrder } from '../orders/progress.ts'
import { readOrderLines, sumUnits } from '../orders/rows.ts'
import type { Store } from '../store/store.ts'
import {
  fitsWholeDigits,
  isAbsent,
  MONEY_DIGITS,
  multiplyPrice,
  sumAmounts,
  toAdjustment,
} from '../values.ts'
import { readCredits } from './views.ts'

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
