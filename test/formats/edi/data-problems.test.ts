/** Which problems of records make the verdict on their set. A new code must be decided here. */
import { expect, test } from 'vitest'
import { type ProblemCode, PROBLEMS } from '../../../src/domain/problem.ts'
import { findAnswerCodes, findSegmentCodes } from '../../../src/edi/answer-codes.ts'
import { FAULTS, type FaultKind } from '../../../src/edi/faults.ts'
import { isProblemOfData } from '../../../src/formats/edi/judge.ts'

/** Whether the code counts. What the API, its rules, look-ups or a person say never does, nor does what is wrong with a file as a whole. */
const COUNTS: Readonly<Record<ProblemCode, boolean>> = {
  'edi-refused-by-partner': false,
  'edi-noted-by-partner': false,
  'file-empty': false,
  'file-undecodable': false,
  'file-not-text': false,
  'file-without-records': false,
  'file-damaged': false,
  'manifest-differs': false,
  'manifest-unusable': false,
  'header-duplicate': false,
  'header-missing': false,
  'header-repeated': false,
  'delimiter-wrong': false,
  'column-missing': false,
  'file-foreign': false,
  'column-unexpected': false,
  'row-short': false,
  'row-long': false,
  'row-too-large': false,
  'record-too-large': true,
  'quote-not-closed': false,
  'quote-misplaced': false,
  'text-undecodable': true,
  'text-damaged': true,
  'record-type-unknown': false,
  'record-part-misplaced': false,
  'record-without-header': false,
  'detail-of-other-record': false,
  'neighbour-unreadable': false,
  'value-missing': true,
  'value-too-long': true,
  'value-not-allowed': true,
  'integer-expected': true,
  'number-out-of-range': true,
  'decimal-expected': true,
  'point-as-grouping': false,
  'point-as-decimal': false,
  'date-expected': true,
  'date-order-doubtful': false,
  'boolean-expected': true,
  'spreadsheet-error': true,
  'number-in-exponent-form': true,
  'check-digit-wrong': true,
  'text-unmatched': true,
  'country-unknown': true,
  'province-unknown': true,
  'lookup-missed': true,
  'rows-disagree': true,
  'item-missing': true,
  'item-repeated': true,
  'shipment-mode-unclear': true,
  'totals-disagree': true,
  'lines-uneven': true,
  'check-failed': true,
  'field-invalid': true,
  'character-unwritable': true,
  'value-too-wide': true,
  'character-replaced': false,
  'cell-is-formula': false,
  'edi-not-found': false,
  'edi-cut-off': true,
  'edi-delimiters': true,
  'edi-between': false,
  'edi-unfolded': false,
  'amount-with-point': false,
  'edi-envelope': true,
  'edi-count': true,
  'edi-release-missing': true,
  'edi-number-mismatch': true,
  'edi-test': false,
  'edi-document-unrouted': false,
  'edi-routes-ambiguous': false,
  'edi-partner-unknown': false,
  'edi-duplicate': false,
  'edi-number-reused': false,
  'edi-version': false,
  'segment-unknown': true,
  'segment-misspelled': true,
  'segment-misplaced': true,
  'segment-missing': true,
  'segment-repeated': true,
  'segment-too-large': true,
  'element-too-many': true,
  'hierarchy-unclear': true,
  'left-out': false,
  'held-by-mapping': false,
  'file-perhaps-cut': false,
  'circuit-breaker-open': false,
  'earlier-step-failed': false,
  discarded: false,
  'control-total-wrong': false,
  'key-conflict': false,
  'file-repeated': false,
  'record-repeated': false,
  superseded: false,
  'order-unknown': false,
  'order-ambiguous': false,
  'reference-unknown': false,
  'reference-ambiguous': false,
  'reference-elsewhere': false,
  'order-value-missing': false,
  'price-unknown': false,
  'order-finished': false,
  'order-unshipped': false,
  'order-acknowledged': false,
  'waiting-for-order': false,
  'order-not-shipped': false,
  'order-not-closed': false,
  'order-invoiced': false,
  'item-not-ordered': false,
  'quantity-exceeded': false,
  'account-not-of-order': false,
  'method-not-allowed': false,
  'item-unknown': false,
  'date-implausible': false,
  'postal-code-odd': false,
  'stock-short': false,
  'api-refused': false,
  'price-implausible': false,
  'api-not-found': false,
  'answer-lost': false,
  'outcome-unprovable': false,
  'resolved-by-hand': false,
  'api-keeps-failing': false,
  'not-sent': false,
  'document-missing': false,
  'document-refused': false,
  'document-pruned': false,
  'acknowledge-refused': false,
  'changed-since-delivery': false,
  'number-in-use': false,
}

const CODES = Object.keys(PROBLEMS) as ProblemCode[]

test.each(CODES)('%s counts as it was decided', (code) => {
  expect(isProblemOfData(code)).toBe(COUNTS[code])
})

test('each problem that an answer names with a code of its own counts', () => {
  const named = CODES.filter(
    (code) =>
      findAnswerCodes(code, undefined).element !== undefined || findSegmentCodes(code, false) !== undefined,
  )

  expect(named.filter((code) => !isProblemOfData(code))).toEqual([])
  expect(named.length).toBeGreaterThan(15)
})

test('each fault that refuses a set by its structure counts, but for what other files and routes say', () => {
  const ofOthers: ProblemCode[] = ['edi-number-reused', 'edi-document-unrouted']
  const kinds: readonly FaultKind[] = Object.values(FAULTS)
  const refusing = kinds.filter(({ reach }) => reach !== 'note').map((kind) => kind.problem)

  expect(refusing.filter((code) => !isProblemOfData(code) && !ofOthers.includes(code))).toEqual([])
})
