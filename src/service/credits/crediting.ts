/** How a supplier issues a credit for an accepted return. Spec: "Credit (credit memo)". Runs in the write queue. */
import { addDecimals, compareDecimals, type Decimal, formatDecimal } from '../../support/decimal.ts'
import type { CreditCreate } from '../admin/bodies.ts'
import { amountOf, fitsDigits } from '../amounts.ts'
import { type Answer, answered, notFound, wrongState } from '../http/answer.ts'
import { createFieldErrors, type FieldErrors } from '../http/field-errors.ts'
import { createTouch } from '../orders/progress.ts'
import type { Resources } from '../resources.ts'
import { creditedLines } from './lines.ts'
import { createCreditInserter, prepareReturn, type ReturnRow } from './writing.ts'

export type IssueCredit = (rmaId: number, body: CreditCreate) => Answer

/**
 * Spec: "Credits are issued by suppliers after accepting returns"; a credit's "subtotal and quantities cannot exceed
 * the value of the issuing return before adjustments". Several credits of one return share its value.
 */
export function createCrediting({ store, clock, credits }: Resources): IssueCredit {
  const readReturn = prepareReturn(store)
  const insert = createCreditInserter(store)
  const touch = createTouch(store)
  return (rmaId, body) => {
    const found = readReturn(rmaId, body.credit_number)
    if (found === undefined) return notFound()
    const { rma, lines: returned, creditedSubtotals, isNumberTaken } = found
    if (rma.status !== 'Accepted') return wrongState('Only an accepted return can be credited.')
    const errors = createFieldErrors()
    if (isNumberTaken) errors.add(['credit_number'], 'A credit with this credit_number already exists.')
    const lines = creditedLines(body, returned, errors)
    if (errors.any()) return errors.answer()
    const subtotal = sumOf(lines.map(({ quantity, price }) => amountOf(quantity, price)))
    checkSubtotal(subtotal, leftToCredit(rma, creditedSubtotals), errors)
    const amount = addDecimals(
      subtotal,
      sumOf((body.adjustments ?? []).map((one) => amountOf(1, one.amount))),
    )
    checkAmount(amount, errors)
    if (errors.any()) return errors.answer()
    const amounts = { subtotal: formatDecimal(subtotal), creditAmount: formatDecimal(amount) }
    const now = clock.now()
    const id = insert({ body, rma, lines, ...amounts, now })
    touch(rma.order_id, now)
    return answered(credits([id])[0], 201)
  }
}

const NOTHING: Decimal = { units: 0n, scale: 2 }

function sumOf(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce(addDecimals, NOTHING)
}

function leftToCredit({ total_amount }: ReturnRow, creditedSubtotals: readonly string[]): Decimal {
  const credited = sumOf(creditedSubtotals.map((subtotal) => amountOf(1, subtotal)))
  return addDecimals(amountOf(1, total_amount), { units: -credited.units, scale: credited.scale })
}

/** Spec: decimal (8,2). */
const LARGEST_WHOLE_DIGITS = 6

function checkSubtotal(subtotal: Decimal, left: Decimal, errors: FieldErrors): void {
  const refuse = (message: string) => errors.add(['credit_lines', 'non_field_errors'], message)
  if (compareDecimals(subtotal, left) > 0) {
    refuse(
      `The lines add up to ${formatDecimal(subtotal)}; ${formatDecimal(left)} of the return is left to be credited.`,
    )
  } else if (!fitsDigits(subtotal, LARGEST_WHOLE_DIGITS)) {
    refuse('The lines add up to more than 999999.99.')
  }
}

function checkAmount(amount: Decimal, errors: FieldErrors): void {
  const refuse = (message: string) => errors.add(['adjustments', 'non_field_errors'], message)
  if (amount.units < 0n) refuse(`The credit would be ${formatDecimal(amount)}, which is below zero.`)
  else if (!fitsDigits(amount, LARGEST_WHOLE_DIGITS)) refuse('The credit would be more than 999999.99.')
}
