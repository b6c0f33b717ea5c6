/** Records that wait for a person, and what a person decides about them. */
import type { Lease } from './lease.ts'
import type { Problem, ProblemCode } from './problem.ts'
import type { RecordState, ReportedRecord, StateCounts } from './record.ts'
import type { LineRange } from './translator.ts'

/**
 * What a person may decide about held records, by why they are held, and about those that wait for their orders. The
 * mapping made no request of what it holds itself; what was sent and never answered may have taken effect, and is
 * looked up again when it is released, but not given up.
 */
export const DECISIONS = {
  release: { codes: ['circuit-breaker-open', 'earlier-step-failed', 'outcome-unprovable'] },
  discard: { codes: ['circuit-breaker-open', 'earlier-step-failed', 'held-by-mapping', 'waiting-for-order'] },
} as const satisfies Record<string, { readonly codes: readonly ProblemCode[] }>

export type DecisionAction = keyof typeof DECISIONS

/** What a person may say of one record that was sent and never answered. Kept as decisions. */
export const RESOLUTIONS = {
  'resolve-accepted': 'The API has it.',
  'resolve-absent': 'The API does not have it: it is sent again.',
  'resolve-discard': 'It is not known, and it is given up.',
} as const

export type ResolutionAction = keyof typeof RESOLUTIONS

export interface NewResolution {
  readonly action: ResolutionAction
  readonly by: string
  readonly why: string
  /** The journal's id of the record. */
  readonly record: number
  /** Of one that the API has: the id it has there. */
  readonly apiId?: string
  /** Whether the API showed it under that id. */
  readonly wasSeen?: boolean
}

/** A record that was sent and whose outcome is not known. */
export interface UnresolvedRecord {
  readonly id: number
  readonly number: number
  readonly route: string
  readonly file: string
  readonly name: string
  readonly lines: readonly LineRange[]
  readonly keyValues: readonly string[]
  readonly operation: string
  readonly naturalKey: string
  readonly state: RecordState
  /** Since when it is in that state. */
  readonly since: number
  /** JSON text of what was sent; left out when it is no longer kept. */
  readonly body?: string
}

/** A key as the cells of records or the journal say it, or `#` and their ids. */
export interface RecordKeyQuery {
  readonly key: string
  readonly route?: string
  /** Whatever its case, and with or without blanks. */
  readonly isLoose?: boolean
}

/** Who decided what, and why. */
export interface NewDecision {
  readonly action: DecisionAction
  readonly by: string
  readonly why: string
  /** One record of the file; all that are held when left out. */
  readonly record?: number
}

export interface DecisionEntry extends Omit<NewDecision, 'record' | 'action'> {
  readonly id: number
  readonly action: DecisionAction | ResolutionAction
  readonly file: string
  readonly at: number
  /** How many records it was about. */
  readonly records: number
}

/** Held records of one file, for one kind of reason. */
export interface HeldFile {
  readonly file: string
  readonly name: string
  readonly route: string
  readonly receivedAt: number
  /** The code of the first problem of the records. */
  readonly code: ProblemCode
  readonly records: number
  /** When the first of them came to be held. */
  readonly since: number
}

export interface HeldRecord extends Pick<
  ReportedRecord,
  'id' | 'number' | 'lines' | 'keyValues' | 'problems'
> {
  readonly route: string
  readonly file: string
  readonly name: string
  readonly since: number
}

/** What the API said to the records of a file that were sent. */
export interface AnswerSummary {
  readonly accepted: number
  readonly refused: number
  /** The first of the refused ones. */
  readonly refusals: readonly Pick<ReportedRecord, 'http' | 'problems'>[]
}

/** The part of the journal that is about holding. Writing calls are durable when they return. */
export interface DecisionJournal {
  /** planned or deferred → held, all that is left of the file; they release their keys. Gives how many there were. */
  holdRemainingRecords(lease: Lease, fileId: string, reason: Problem): Promise<number>
  /** Only of what was released last, when something was: a person has mended the cause. */
  summarizeAnswers(fileId: string, limit: number): Promise<AnswerSummary>
  /**
   * Notes the decision with its records. Released ones: held → planned, with their keys; one whose key another record
   * has taken meanwhile becomes `duplicate` or `rejected` as when it is added; one that was sent and never answered:
   * held → uncertain. Discarded ones: held → rejected, or deferred with `waiting-for-order` → rejected. A closed
   * file goes back to planned, to be brought to its end and reported again; any other file is one that is planned.
   * Nothing is noted, and undefined given, when there is nothing to decide about.
   */
  applyDecision(lease: Lease, fileId: string, decision: NewDecision): Promise<DecisionEntry | undefined>
  /**
   * uncertain, or held with `outcome-unprovable` → accepted, planned or rejected, as a person says; noted with it. What is
   * refused lets go of its key. A closed file goes back to planned, as with a decision. Undefined, and nothing is noted,
   * when the outcome of the record is known by now.
   */
  resolveRecord(lease: Lease, fileId: string, resolution: NewResolution): Promise<DecisionEntry | undefined>
  /** Records without a known outcome, those being sent too; all of them, or those with a key. */
  listUnresolvedRecords(limit: number, of: Partial<RecordKeyQuery>): Promise<UnresolvedRecord[]>
  /** In which states the records of a decision are now. */
  countDecidedRecords(decisionId: number): Promise<StateCounts>
  /** Newest first. */
  listDecisions(fileId: string, limit: number): Promise<DecisionEntry[]>
  /** Those of one file, or all that wait for somebody, the oldest first; not what another file brought through. */
  listHeldFiles(limit: number, fileId?: string): Promise<HeldFile[]>
  /** All that wait for somebody; or those of a route with a key, with what waits for its order under that key. */
  listHeldRecords(limit: number, of?: RecordKeyQuery & { readonly route: string }): Promise<HeldRecord[]>
}
