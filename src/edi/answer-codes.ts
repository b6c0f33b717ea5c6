/** The codes with which acknowledgments name problems of the data: in 997 and 999, and in CONTRL. */
import type { ProblemCode } from '../domain/problem.ts'
import { FAULTS } from './faults.ts'

export interface AnswerCodes {
  /** The error of the element in AK4 and IK4. Absent: the problem is of the whole set, and AK5 says 5. */
  readonly element?: string
  /** The data element 0085 in UCD, or in UCM where it is of the whole set. */
  readonly edifact: string
}

/** Codes of problems that a sender can correct; all others are those of `OTHER_PROBLEM`. */
const ANSWER_CODES: Partial<Readonly<Record<ProblemCode, AnswerCodes>>> = {
  'value-missing': { element: '1', edifact: '13' },
  'item-missing': { element: '1', edifact: '13' },
  'value-too-long': { element: '5', edifact: '39' },
  'value-too-wide': { element: '5', edifact: '39' },
  'integer-expected': { element: '6', edifact: '37' },
  'decimal-expected': { element: '6', edifact: '37' },
  'boolean-expected': { element: '7', edifact: '12' },
  'text-undecodable': { element: '6', edifact: '21' },
  'text-damaged': { element: '6', edifact: '21' },
  'character-unwritable': { element: '6', edifact: '21' },
  'value-not-allowed': { element: '7', edifact: '12' },
  'field-invalid': { element: '7', edifact: '12' },
  'lookup-missed': { element: '7', edifact: '12' },
  'country-unknown': { element: '7', edifact: '12' },
  'province-unknown': { element: '7', edifact: '12' },
  'check-digit-wrong': { element: '7', edifact: '12' },
  'number-out-of-range': { element: '7', edifact: '12' },
  'text-unmatched': { element: '7', edifact: '12' },
  'number-in-exponent-form': { element: '7', edifact: '12' },
  'date-expected': { element: '8', edifact: '12' },
}

/** Such as a check of the mapping: the set is refused as such. */
const OTHER_PROBLEM: AnswerCodes = { edifact: '18' }

/** A time is wrong, not a date. */
const TIME: AnswerCodes = { element: '9', edifact: '12' }

/** Returns the codes of a problem. `type` is that of the element in the dictionary. */
export function findAnswerCodes(code: ProblemCode, type: string | undefined): AnswerCodes {
  if (code === 'date-expected' && type === 'TM') return TIME
  return ANSWER_CODES[code] ?? OTHER_PROBLEM
}

/** Of a segment that may not stand where it stands: AK304, and 0085 in UCS. */
export interface SegmentCodes {
  readonly x12: string
  readonly edifact: string
}

/** Returns the codes of a problem that is a segment as such. `beginsLoop`: it is the first of a loop. */
export function findSegmentCodes(code: ProblemCode, beginsLoop: boolean): SegmentCodes | undefined {
  const { 'loop-over-limit': loop, 'segment-over-limit': segment } = FAULTS
  if (code === 'segment-unknown') return FAULTS['segment-not-in-document']
  if (code === 'segment-misplaced') return FAULTS['segment-misplaced']
  if (code === 'segment-repeated') return beginsLoop ? loop : segment
  return undefined
}

/** AK304 and IK304. */
export const SEGMENT_CODES = { missing: '3', elements: '8' } as const

/** AK502 and IK502: segments of the set have errors. */
export const SET_HAS_ERRORS = '5'

/** 0085 in UCS. */
export const UCS_CODES = { missing: '13', elements: '12' } as const
