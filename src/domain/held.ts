/** Records that wait for a person, and what a person decides about them. */
import type { Lease } from './lease.ts'
import type { Problem, ProblemCode } from './problem.ts'
import type { ReportedRecord, StateCounts } from './record.ts'

/**
 * What a person may decide about held records, by why they are held, and about those that wait for their orders. The
 * mapping made no request of what it holds itself; what was sent and never answered may have taken effect, and is
 * looked up again when it is released, but not given up.
 */
export const DECISIONS = {
  release: { codes: ['route-stopped', 'earlier-step-failed', 'outcome-unprovable'] },
  discard: { codes: ['route-stopped', 'earlier-step-failed', 'held-by-mapping', 'waits-for-close'] },
} as const satisfies Record<string, { readonly codes: readonly ProblemCode[] }>

export type DecisionAction = keyof typeof DECISIONS

/** Who decided what, and why. */
export interface NewDecision {
  readonly action: DecisionAction
  readonly by: string
  readonly why: string
  /** One record of the file; all that are held when left out. */
  readonly record?: number
}

export interface DecisionEntry extends Omit<NewDecision, 'record'> {
  readonly id: number
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
export interface AnswersSoFar {
  readonly accepted: number
  readonly refused: number
  /** The first of the refused ones. */
  readonly refusals: readonly Pick<ReportedRecord, 'http' | 'problems'>[]
}

/** The part of the journal that is about holding. Writing calls are durable when they return. */
export interface HeldJournal {
  /**
   * planned or deferred → held, all that is left of a planned file, for one reason; they let go of their keys, so that
   * a corrected file can be sent. Gives how many there were.
   */
  holdRest(lease: Lease, fileId: string, reason: Problem): Promise<number>
  /** Only of what was released last, when something was: a person has mended the cause. */
  answersSoFar(fileId: string, limit: number): Promise<AnswersSoFar>
  /**
   * Notes the decision with its records. Released ones: held → planned, with their keys; one whose key another record
   * has taken meanwhile becomes `duplicate` or `rejected` as when it is added; one that was sent and never answered:
   * held → uncertain. Discarded ones: held → rejected, or deferred with `waits-for-close` → rejected. A closed
   * file goes back to planned, to be brought to its end and reported again; any other file is one that is planned.
   * Nothing is noted, and undefined given, when there is nothing to decide about.
   */
  decide(lease: Lease, fileId: string, decision: NewDecision): Promise<DecisionEntry | undefined>
  /** In which states the records of a decision are now. */
  decidedRecords(decisionId: number): Promise<StateCounts>
  /** Newest first. */
  decisionsOf(fileId: string, limit: number): Promise<DecisionEntry[]>
  /** Those of one file, or all: files with the oldest held records first. */
  heldFiles(limit: number, fileId?: string): Promise<HeldFile[]>
  /**
   * In the order of their files and numbers; or those of a route with a key, as its cells or the journal say it, and with
   * them what waits for its order under that key.
   */
  heldRecords(limit: number, of?: { readonly route: string; readonly key: string }): Promise<HeldRecord[]>
}
