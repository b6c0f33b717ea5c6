/** What an operator changes about an invoice. Runs in the write queue. */
import type { AddressInput } from '../../contract/address.ts'
import type { Adjustment } from '../../contract/adjustment.ts'
import { addDecimals, type Decimal, formatDecimal } from '../../support/decimal.ts'
import { toAddressText } from '../addresses.ts'
import { amountOf, fitsDigits } from '../amounts.ts'
import { type Answer, answered, notFound } from '../http/answer.ts'
import { createFieldErrors, type FieldErrors } from '../http/field-errors.ts'
import type { Resources } from '../resources.ts'
import type { Store } from '../store/store.ts'
import type { InvoiceChange } from './bodies.ts'

/** What is left out of the body stays as it is; the amount due moves with charges and allowances. */
export function createInvoiceChanging({ store, invoices }: Resources) {
  const { find, save } = prepareStatements(store)
  const insertAddress = store.inserter('addresses')
  return (id: number, body: InvoiceChange): Answer => {
    const invoice = find.first({ id })
    if (invoice === undefined) return notFound()
    const errors = createFieldErrors()
    const adjusted = adjustedAmounts(invoice, body, errors)
    if (errors.any()) return errors.answer()
    const { terms_discount_percent, terms_discount_days, terms_discount_date_due, remit_to } = body
    save.run({
      ...invoice,
      ...adjusted,
      ...(terms_discount_percent === undefined ? {} : { terms_discount_percent }),
      ...(terms_discount_days === undefined ? {} : { terms_discount_days }),
      ...(terms_discount_date_due === undefined ? {} : { terms_discount_date_due }),
      ...(remit_to === undefined ? {} : { remit_to_id: addressId(remit_to, insertAddress) }),
    })
    return answered(invoices.retailer([id])[0])
  }
}

function addressId(address: AddressInput | null, insert: (row: { body: string }) => number): number | null {
  return address === null ? null : insert({ body: toAddressText(address) })
}

/** Spec: due_amount is a decimal (8,2). */
const LARGEST_WHOLE_DIGITS = 6

type Amounts = Pick<InvoiceRow, 'charges' | 'allowances' | 'due_amount'>

/** Spec: charges increase the amount due, allowances decrease it. */
function adjustedAmounts(
  { due_amount, charges, allowances }: InvoiceRow,
  body: InvoiceChange,
  errors: FieldErrors,
): Partial<Amounts> {
  if (body.charges === undefined && body.allowances === undefined) return {}
  const kept = {
    charges: body.charges?.map(toAdjustment) ?? (JSON.parse(charges) as Adjustment[]),
    allowances: body.allowances?.map(toAdjustment) ?? (JSON.parse(allowances) as Adjustment[]),
  }
  const before = balanceOf(JSON.parse(charges) as Adjustment[], JSON.parse(allowances) as Adjustment[])
  const after = balanceOf(kept.charges, kept.allowances)
  const due = addDecimals(amountOf(1, due_amount), addDecimals(after, { ...before, units: -before.units }))
  if (due.units < 0n) {
    errors.add(
      ['allowances', 'non_field_errors'],
      `The amount due would be ${formatDecimal(due)}, which is below zero.`,
    )
  }
  if (!fitsDigits(due, LARGEST_WHOLE_DIGITS)) {
    errors.add(['charges', 'non_field_errors'], 'The amount due would be more than 999999.99.')
  }
  return {
    charges: JSON.stringify(kept.charges),
    allowances: JSON.stringify(kept.allowances),
    due_amount: formatDecimal(due),
  }
}

function balanceOf(charges: readonly Adjustment[], allowances: readonly Adjustment[]): Decimal {
  const less = sumOf(allowances)
  return addDecimals(sumOf(charges), { ...less, units: -less.units })
}

function toAdjustment({
  type,
  description,
  amount,
}: NonNullable<InvoiceChange['charges']>[number]): Adjustment {
  return { type, description: description ?? null, amount }
}

function sumOf(adjustments: readonly Adjustment[]): Decimal {
  return adjustments.map(({ amount }) => amountOf(1, amount)).reduce(addDecimals, { units: 0n, scale: 2 })
}

interface InvoiceRow {
  readonly id: number
  readonly terms_discount_percent: number | null
  readonly terms_discount_days: number | null
  readonly terms_discount_date_due: string | null
  readonly remit_to_id: number | null
  readonly subtotal: string
  readonly charges: string
  readonly allowances: string
  readonly due_amount: string
}

function prepareStatements({ build, prepare }: Store) {
  return {
    find: prepare((p: { id: number }) =>
      build
        .selectFrom('invoices')
        .select(['id', 'terms_discount_percent', 'terms_discount_days', 'terms_discount_date_due'])
        .select(['remit_to_id', 'subtotal', 'charges', 'allowances', 'due_amount'])
        .where('id', '=', p.id),
    ),
    save: prepare((p: InvoiceRow) =>
      build
        .updateTable('invoices')
        .set({
          terms_discount_percent: p.terms_discount_percent,
          terms_discount_days: p.terms_discount_days,
          terms_discount_date_due: p.terms_discount_date_due,
          remit_to_id: p.remit_to_id,
          charges: p.charges,
          allowances: p.allowances,
          due_amount: p.due_amount,
        })
        .where('id', '=', p.id),
    ),
  }
}
