/** What an acknowledgment says of interchanges, groups and sets: the verdicts, and the segments and elements with errors. */
import type { Problem } from '../../domain/problem.ts'
import { type Fault, type FaultKind, type FaultName, FAULTS } from '../../edi/faults.ts'
import { SET_HAS_ERRORS } from '../../edi/answer-codes.ts'
import type { Group, Interchange, TransactionSet } from './envelopes.ts'

/** Accepted, accepted with errors, refused. */
export type SetVerdict = 'A' | 'E' | 'R'

/** Also: some sets are refused. */
export type GroupVerdict = SetVerdict | 'P'

export interface ElementError {
  readonly element: number
  readonly component?: number
  /** The number of the data element, where the dictionary knows it. */
  readonly number: string
  /** AK403. */
  readonly code: string
  /** 0085 of UCD. */
  readonly edifact: string
  /** As it stands in the file; each character is one byte. */
  readonly text: string
}

export interface SegmentError {
  readonly id: string
  /** ST or UNH is 1. */
  readonly inSet: number
  /** The id of the loop; empty outside of loops. */
  readonly loop: string
  /** AK304. */
  readonly code: string
  /** 0085 of UCS. */
  readonly edifact: string
  readonly elements: readonly ElementError[]
}

export interface JudgedInterchange {
  readonly kind: 'interchange'
  readonly interchange: Interchange
  readonly verdict: 'A' | 'R'
  readonly faults: readonly Fault[]
  readonly notes: readonly Fault[]
  /** It holds only answers, which are not answered. */
  readonly isAnswer: boolean
}

export interface JudgedGroup {
  readonly kind: 'group'
  readonly group: Group
  /** What its own envelope says; that of its sets comes with its end. */
  readonly verdict: 'A' | 'R'
  readonly faults: readonly Fault[]
}

export interface JudgedSet {
  readonly kind: 'set'
  readonly set: TransactionSet
  readonly verdict: SetVerdict
  /** Its own; those of its group and interchange come with these. */
  readonly faults: readonly Fault[]
  readonly notes: readonly Fault[]
  /** Why records of it are refused; the first of them. */
  readonly problems: readonly Problem[]
  /** What the mapping finds odd; it changes no verdict. */
  readonly warnings: readonly Problem[]
  /** Absent where no mapping has read it. */
  readonly records?: { readonly all: number; readonly refused: number }
  readonly segments: number
  readonly errors: readonly SegmentError[]
  /** AK502 and following. */
  readonly codes: readonly string[]
  /** 0085 of UCM. */
  readonly edifact: string
}

export interface JudgedGroupEnd {
  readonly kind: 'group-end'
  readonly group: Group
  readonly verdict: GroupVerdict
  /** AK905 and following, of the first of its faults. */
  readonly codes: readonly string[]
  /** How many sets its trailer says that it has. */
  readonly written: number
  readonly sets: number
  /** Accepted, with or without errors. */
  readonly accepted: number
}

export interface JudgedInterchangeEnd {
  readonly kind: 'interchange-end'
  readonly interchange: Interchange
  readonly groups: number
}

/** The parts of a file in their order. */
export type JudgedPart = JudgedInterchange | JudgedGroup | JudgedSet | JudgedGroupEnd | JudgedInterchangeEnd

/** What is wrong with a set by itself. */
interface SetState {
  readonly isAroundRefused: boolean
  readonly faults: readonly Fault[]
  readonly isRepeated: boolean
  readonly records: { readonly all: number; readonly refused: number }
}

export function judgeSet({ isAroundRefused, faults, isRepeated, records }: SetState): SetVerdict {
  if (isAroundRefused || faults.length > 0) return 'R'
  if (records.refused > 0) return records.refused === records.all ? 'R' : 'E'
  return isRepeated ? 'E' : 'A'
}

export function judgeGroup(isRefused: boolean, counts: { all: number; refused: number; noted: number }) {
  if (isRefused || (counts.refused > 0 && counts.refused === counts.all)) return 'R'
  if (counts.refused > 0) return 'P'
  return counts.noted > 0 ? 'E' : 'A'
}

/** AK502 and following: of the set's own faults, and whether its segments have errors. */
export function listSetCodes(faults: readonly Fault[], isRepeated: boolean, hasErrors: boolean): string[] {
  const own = faults.map(({ kind }): string => {
    const { reach, x12, of }: FaultKind = FAULTS[kind]
    return reach === 'set' && of === undefined ? x12 : SET_HAS_ERRORS
  })
  if (isRepeated) own.push(FAULTS['set-number-repeated'].x12)
  if (hasErrors) own.push(SET_HAS_ERRORS)
  return [...new Set(own)].slice(0, MAX_CODES)
}

/** 0085 of UCM, which has room for one. Errors of segments stand in a UCS. */
export function findMessageCode(faults: readonly Fault[], isRepeated: boolean): string {
  const fault = faults.find(({ kind }) => !isOfSegment(kind))
  if (fault !== undefined) return FAULTS[fault.kind].edifact
  return isRepeated ? FAULTS['set-number-repeated'].edifact : ''
}

/** Whether the answer names the segment, or an element of it. */
export function isOfSegment(kind: FaultName): boolean {
  const { of }: FaultKind = FAULTS[kind]
  return of !== undefined
}

/** AK9 and AK5 have room for five. */
export const MAX_CODES = 5
