/** Records that wait for a person, and what a person decides about them. */
import type { Lease } from './lease.ts'
import type { Problem, ProblemCode } from './problem.ts'
import type { FileState } from './file.ts'
import type { RecordState, ReportedRecord, StateCounts, WaitingFile } from './record.ts'

/**
 * The decisions about held records, by the reason of holding, and about records that wait for their orders. A record held
 * by the mapping, or of a document that the route does not read, has no request. A record that was sent and never answered may have taken effect: a release looks it up
 * again, and it cannot be discarded.
 */
export const DECISIONS = {
  release: {
    codes: ['file-perhaps-cut', 'circuit-breaker-open', 'earlier-step-failed', 'outcome-unprovable'],
  },
  discard: {
    codes: [
      'file-perhaps-cut',
      'circuit-breaker-open',
      'earlier-step-failed',
      'held-by-mapping',
      'edi-document-unrouted',
      'hierarchy-unclear',
      'waiting-for-order',
    ],
  },
} as const satisfies Record<string, { readonly codes: readonly ProblemCode[] }>

export type DecisionAction = keyof typeof DECISIONS

/** The outcomes a person may state for a record that was sent and never answered. Stored as decisions. */
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
  /** The id at the API, of a record that the API has. */
  readonly apiId?: string
  /** Whether the API showed it under that id. */
  readonly wasSeen?: boolean
  readonly via?: DecisionVia
}

/** A record that was sent and whose outcome is not known. */
export interface UnresolvedRecord extends Pick<
  ReportedRecord,
  'id' | 'number' | 'operation' | 'lines' | 'keyValues' | 'state'
> {
  readonly route: string
  readonly file: string
  readonly name: string
  readonly naturalKey: string
  /** Since when it is in that state. */
  readonly since: number
  /** JSON text of the request; absent when it was pruned. */
  readonly body?: string
}

/** A key as in cells or in the journal, or `#` and an id. */
export interface RecordKeyQuery {
  readonly key: string
  readonly route?: string
  /** Ignores case and blanks. */
  readonly isLoose?: boolean
}

/** Where a person decided; left out for the command line. */
export type DecisionVia = 'console'

/** The person who decides, and the reason. */
export interface Decider {
  readonly by: string
  readonly why: string
  readonly via?: DecisionVia
}

/** Who decided what, and why. */
export interface NewDecision extends Decider {
  readonly action: DecisionAction
  /** One record of the file; absent for all held ones. */
  readonly record?: number
  /** The digest of the records that the person saw: a decision about others is not noted. */
  readonly expected?: string
}

/** Which records of a file a decision is about. */
export type DecisionScope = Pick<NewDecision, 'action' | 'record'>

/** A record that a decision would change, and what would become of it. */
export interface DecidableRecord extends Pick<
  ReportedRecord,
  'id' | 'number' | 'lines' | 'keyValues' | 'problems'
> {
  readonly naturalKey?: string
  /** Its state right after the decision: another record may have taken its key meanwhile. */
  readonly becomes: RecordState
  /** Why it would not be sent; empty for a record that would. */
  readonly verdict: readonly Problem[]
}

export interface DecisionEntry extends Omit<NewDecision, 'record' | 'action' | 'expected'> {
  readonly id: number
  readonly action: DecisionAction | ResolutionAction | 'dismiss' | 'correct'
  /** The id of the file or delivery that the records belong to. */
  readonly file: string
  readonly at: number
  /** How many records it was about. */
  readonly records: number
}

/** Held records of one file, for one kind of reason. */
export interface HeldFile extends Omit<WaitingFile, 'message'> {
  /** The code of the first problem of the records. */
  readonly code: ProblemCode
  /** When the first of them was held. */
  readonly since: number
}

export interface HeldRecord extends Omit<UnresolvedRecord, 'operation' | 'naturalKey' | 'state' | 'body'> {
  readonly problems: readonly Problem[]
}

/** A file with rejected records that wait for a correction; or, with 0 records, a file that was lost as a whole. */
export interface RejectedFile {
  /**
   * Of files of interchanges. `unrouted`: no route takes some of their documents. `unknown`: of some the sender or receiver is not
   * known. `reused`: the control number of one came before, with other contents. `answer`: of what a partner answers in it, nothing
   * came; `code` says why, as in `AnswerOutcome`.
   */
  readonly what:
    'rejected' | 'unusable' | 'vanished' | 'source-removed' | 'unrouted' | 'unknown' | 'reused' | 'answer'
  readonly route: string
  readonly file: string
  readonly name: string
  readonly records: number
  /** Of a file that was lost as a whole: the code of its first problem, or what came of an answer; empty for others. */
  readonly code: string
  /** How many of the records have each problem, the most frequent one first; empty where they were pruned. */
  readonly codes: readonly { readonly code: string; readonly records: number }[]
  /** How the names of its reports begin; left out until all of them are delivered. */
  readonly reportName?: string
  /** The fix of the problem that makes the file unusable; left out for other files. */
  readonly fix?: string
  readonly since: number
  /** The sender and receiver of an unknown interchange: `ZZ:HAVEN to 12:7755550100`. */
  readonly addresses?: string | null
}

export type OpenRejection = Pick<UnresolvedRecord, 'id' | 'lines' | 'file' | 'name'>

/** A person wants no correction of what was rejected: of a file, or of one record of it. */
export type Dismissal = Omit<NewDecision, 'action' | 'expected'>

/** A refused record that a person can correct in place, or one that follows it in a later step. */
export interface CorrectableRecord extends Pick<
  ReportedRecord,
  'id' | 'number' | 'operation' | 'state' | 'lines' | 'keyValues' | 'problems'
> {
  /** The correction that it is in, which is not finished yet. */
  readonly correction?: number
}

/** Records of a file that a person corrected, and the file with their corrected rows. */
export interface NewCorrection extends Pick<NewDecision, 'by' | 'why' | 'via'> {
  /** The journal's ids of the records. */
  readonly records: readonly number[]
  readonly folder: string
  readonly name: string
  /** Of the corrected file as it is left. */
  readonly sha256: string
  /** Of the file whose rows were corrected. */
  readonly sourceSha256: string
}

/** More corrections of one file than people make. */
export const CORRECTIONS_MAX = 1_000

export interface Correction extends Omit<NewCorrection, 'records'> {
  /** The id of its decision. */
  readonly id: number
  /** The id of the file whose rows were corrected. */
  readonly file: string
  readonly at: number
  /** How many records it is about. */
  readonly records: number
  readonly leftAt?: number
  /** Its file was never left, or another program removed it: its records may be corrected again. */
  readonly givenUpAt?: number
  readonly takenAs?: { readonly id: string; readonly state: FileState; readonly isFinished: boolean }
}

/** A correction of a record, or the correction that a record came in. */
export interface CorrectionLink extends Pick<
  Correction,
  'id' | 'name' | 'by' | 'why' | 'at' | 'leftAt' | 'givenUpAt'
> {
  /** The file with the refused rows. */
  readonly from: { readonly id: string; readonly name: string }
  /** The file with the corrected rows; left out until it is taken. */
  readonly into?: { readonly id: string; readonly name: string }
  /** The ids of the refused records with those that came of them; `to` is left out where that is not known. */
  readonly pairs: readonly { readonly from: number; readonly to?: number }[]
}

/** A corrected file that lies in the inbox and is not taken yet. */
export interface WaitingCorrection extends Pick<
  Correction,
  'id' | 'folder' | 'name' | 'by' | 'at' | 'records'
> {
  readonly route: string
  /** The file whose rows were corrected. */
  readonly from: { readonly id: string; readonly name: string }
}

/** What became of the refused records of a file; the numbers add up to all of them. */
export interface RefusedCounts {
  /** Some later file has them. */
  readonly corrected: number
  /** A person gave them up: no correction of them is wanted. */
  readonly dismissed: number
  /** Corrected in a file that is not finished. */
  readonly underWay: number
  readonly open: number
}

export type RefusedFate = keyof RefusedCounts

/** `known`: the same corrected file is noted already. `overlapping`: a record is in the other correction, or is not refused any more. */
export type CorrectionStart =
  | { readonly kind: 'started' | 'known'; readonly correction: Correction }
  | { readonly kind: 'overlapping'; readonly correction?: Correction }

/** The API's answers to the sent records of a file. */
export interface AnswerSummary {
  readonly accepted: number
  readonly refused: number
  /** The first of the refused ones. */
  readonly refusals: readonly Pick<ReportedRecord, 'http' | 'problems'>[]
}

/** The part of the journal for held records. Writing calls are durable when they return. */
export interface DecisionJournal {
  /** planned or deferred → held, for the rest of the file; releases their keys. Returns how many there were. */
  holdRemainingRecords(lease: Lease, fileId: string, reason: Problem): Promise<number>
  /** After a release, counts only the records released last, because a person has mended the cause. */
  summarizeAnswers(fileId: string, limit: number): Promise<AnswerSummary>
  /**
   * Notes the decision with its records. Released: held → planned, with their keys; a record whose key another one has taken
   * meanwhile becomes `duplicate` or `rejected`, as in `addRecords`; a record that was sent and never answered: held →
   * uncertain. Discarded: held → rejected, or deferred with `waiting-for-order` → rejected. A closed file goes back to
   * planned, to be finished and reported again; any other file is planned already. Returns undefined and notes nothing when
   * no record can be decided, or when the records are not those of `expected`.
   */
  applyDecision(lease: Lease, fileId: string, decision: NewDecision): Promise<DecisionEntry | undefined>
  /** Lists the records of a file that a decision would change, after the number, in their order. */
  listDecidableRecords(
    fileId: string,
    scope: DecisionScope,
    after: number,
    limit: number,
  ): Promise<DecidableRecord[]>
  /**
   * uncertain, or held with `outcome-unprovable` → accepted, planned or rejected, as a person states; noted as a decision. A
   * rejected record releases its key. A closed file goes back to planned, as with a decision. Returns undefined and notes
   * nothing when the outcome of the record is known by now.
   */
  resolveRecord(lease: Lease, fileId: string, resolution: NewResolution): Promise<DecisionEntry | undefined>
  /** Lists records without a known outcome, those being sent included; all of them, or those with a key. */
  listUnresolvedRecords(limit: number, of: Partial<RecordKeyQuery>): Promise<UnresolvedRecord[]>
  /** Counts the records of a decision by their present states. */
  countDecidedRecords(decisionId: number): Promise<StateCounts>
  /** Newest first. */
  listDecisions(fileId: string, limit: number): Promise<DecisionEntry[]>
  /** Lists what waits for a correction by file, of one file or of all, the oldest first. */
  listRejectedFiles(limit: number, fileId?: string): Promise<RejectedFile[]>
  /**
   * Marks the sets as corrected that earlier files of the route had refused as a whole, where their names begin with `stem`: the
   * file, whose name says that it is a correction, got records of these sets accepted. A refused set has no key cells.
   */
  markSetsCorrected(
    lease: Lease,
    fileId: string,
    correction: { readonly stem: string; readonly sets: readonly string[] },
  ): Promise<void>
  findRejectedRecords(
    limit: number,
    of: RecordKeyQuery & { readonly route: string },
  ): Promise<OpenRejection[]>
  /** Undefined, with nothing stored, where nothing of it waits for a correction. Needs no lease: it changes no work. */
  dismissRejected(fileId: string, dismissal: Dismissal): Promise<DecisionEntry | undefined>
  /** Lists refused records that no later file has and no person gave up, and those that follow one in a later step. */
  listCorrectableRecords(fileId: string, limit: number): Promise<CorrectableRecord[]>
  /**
   * Notes a correction before its file is left. A correction with the same bytes that is not given up is returned instead; and
   * nothing is noted where one of the records is in an unfinished correction, or waits for none.
   */
  startCorrection(lease: Lease, fileId: string, correction: NewCorrection): Promise<CorrectionStart>
  /** Notes another name before the file gets it. */
  renameCorrection(lease: Lease, id: number, name: string): Promise<void>
  markCorrectionLeft(lease: Lease, id: number): Promise<void>
  giveUpCorrection(lease: Lease, id: number): Promise<void>
  /** Newest first. */
  listCorrections(fileId: string, limit: number): Promise<Correction[]>
  /** Of one file or of all, the oldest first. */
  listWaitingCorrections(limit: number, fileId?: string): Promise<WaitingCorrection[]>
  countRefused(fileId: string): Promise<RefusedCounts>
  /** What became of these refused records of the file; others are left out. */
  listRefusedFates(fileId: string, recordIds: readonly number[]): Promise<ReadonlyMap<number, RefusedFate>>
  /** The corrections that these records are in or came in, newest first, with the pairs that have one of these records. */
  listCorrectionLinks(recordIds: readonly number[]): Promise<CorrectionLink[]>
  /** Lists held records by file, of one file or of all, the oldest first; not those that a later file got accepted. */
  listHeldFiles(limit: number, fileId?: string): Promise<HeldFile[]>
  /** Lists all held records; or those of a route with a key, and the records that wait for an order with that key. */
  listHeldRecords(limit: number, of?: RecordKeyQuery & { readonly route: string }): Promise<HeldRecord[]>
}
