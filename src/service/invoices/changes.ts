/** Lets an administrator change an invoice. Runs in the write queue. */
import type { Selectable } from 'kysely'
import type { Adjustment } from '../../contract/invoice.ts'
import { addDecimals, formatDecimal } from '../../support/decimal.ts'
import type { InvoiceChange } from '../admin/schemas.ts'
import type { ServiceContext } from '../context.ts'
import { type Answer, answerWith, gatherErrors, type FieldErrors, refuseNotFound } from '../http/answers.ts'
import type { Tables } from '../store/tables.ts'
import {
  addressToJson,
  fitsWholeDigits,
  isAbsent,
  MONEY_DIGITS,
  sumAmounts,
  toAdjustment,
} from '../values.ts'
import { readRetailerInvoices } from './views.ts'

/** Fields that are absent from the body stay unchanged; the amount due moves with charges and allowances. */
export function changeInvoice(context: ServiceContext, id: number, body: InvoiceChange): Answer {
  const { store } = context
  const invoice = store.find('invoices', { id })
  if (invoice === undefined) return refuseNotFound()
  const errors = gatherErrors()
  const adjusted = adjustAmounts(invoice, body, errors)
  if (errors.hasErrors()) return errors.toAnswer()
  const { charges: _charges, allowances: _allowances, remit_to, ...terms } = body
  const remit_to_id = isAbsent(remit_to)
    ? remit_to
    : store.insert('addresses', { body: addressToJson(remit_to) })
  store.update('invoices', { id }, { ...terms, ...adjusted, remit_to_id })
  return answerWith(readRetailerInvoices(context, [id])[0])
}

/** Spec: charges increase the amount due, allowances decrease it. */
function adjustAmounts(invoice: Selectable<Tables['invoices']>, body: InvoiceChange, errors: FieldErrors) {
  if (body.charges === undefined && body.allowances === undefined) return {}
  const before = {
    charges: JSON.parse(invoice.charges) as Adjustment[],
    allowances: JSON.parse(invoice.allowances) as Adjustment[],
  }
  const after = {
    charges: body.charges?.map(toAdjustment) ?? before.charges,
    allowances: body.allowances?.map(toAdjustment) ?? before.allowances,
  }
  const due = addDecimals(
    sumAmounts([invoice.due_amount, ...amountsOf(after.charges)], amountsOf(after.allowances)),
    sumAmounts(amountsOf(before.allowances), amountsOf(before.charges)),
  )
  if (due.units < 0n) {
    const message = `The amount due would be ${formatDecimal(due)}, which is below zero.`
    errors.add(['allowances', 'non_field_errors'], message)
  }
  if (!fitsWholeDigits(due, MONEY_DIGITS)) {
    errors.add(['charges', 'non_field_errors'], 'The amount due would be more than 999999.99.')
  }
  return {
    charges: JSON.stringify(after.charges),
    allowances: JSON.stringify(after.allowances),
    due_amount: formatDecimal(due),
  }
}

function amountsOf(adjustments: readonly Adjustment[]): string[] {
  return adjustments.map(({ amount }) => amount)
}
