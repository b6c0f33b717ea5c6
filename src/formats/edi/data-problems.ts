/** Which problems of records make the verdict on their set: those of the data, which its sender can correct. */
import type { ProblemCode } from '../../domain/problem.ts'

/**
 * All others never make a set bad: the API or its rules refuse the record, it names what the API does not know, it came
 * before, or it is held or left out.
 */
const PROBLEMS_OF_DATA = [
  // the structure
  'edi-cut-off',
  'edi-delimiters',
  'edi-envelope',
  'edi-count',
  'edi-number-mismatch',
  'segment-unknown',
  'segment-misplaced',
  'segment-misspelled',
  'segment-misplaced',
  'segment-missing',
  'segment-repeated',
  'segment-too-large',
  'element-too-many',
  'record-too-large',
  'hierarchy-unclear',
  // values
  'value-missing',
  'value-too-long',
  'value-too-wide',
  'value-not-allowed',
  'integer-expected',
  'decimal-expected',
  'number-out-of-range',
  'number-in-exponent-form',
  'date-expected',
  'boolean-expected',
  'spreadsheet-error',
  'check-digit-wrong',
  'text-unmatched',
  'text-undecodable',
  'text-damaged',
  'character-unwritable',
  'country-unknown',
  'province-unknown',
  'lookup-missed',
  'field-invalid',
  // the record as a whole
  'rows-disagree',
  'item-missing',
  'item-repeated',
  'shipment-mode-unclear',
  'totals-disagree',
  'lines-uneven',
  'check-failed',
] as const satisfies readonly ProblemCode[]

const known: ReadonlySet<ProblemCode> = new Set(PROBLEMS_OF_DATA)

export function isProblemOfData(code: ProblemCode): boolean {
  return known.has(code)
}
