/** The durable memory of the bridge. It holds everything that decides the next step. */
import type { ActivityJournal } from './activity.ts'
import type { AlertJournal } from './alert.ts'
import type { AuditJournal, RestorationJournal } from './audit.ts'
import type { DecisionEntry, DecisionJournal } from './decision.ts'
import type { Lease, VersionJournal, WatcherJournal } from './lease.ts'
import type { NamingJournal } from './mailbox.ts'
import type { NotificationJournal } from './notification.ts'
import type { ResourceJournal } from './resource.ts'
import type { Problem, ProblemCode } from './problem.ts'
import type {
  PlannedRecord,
  RecordResult,
  RecordState,
  ReportedRecord,
  SendingRecord,
  StateCounts,
  StepJournal,
  UncertainRecord,
} from './record.ts'
import type {
  ConfirmationJournal,
  DeliveryJournal,
  DeliveryResolution,
  DeliveryState,
  RedeliveryJournal,
  UnconfirmedDelivery,
} from './delivery.ts'
import type { FileEntry, FileJournal, FileState } from './file.ts'
import type { InterchangeJournal } from './interchange-journal.ts'
import type { DocumentJournal } from './shipping-document.ts'
import type { TracedRecord, TraceJournal } from './trace.ts'
import type { PauseJournal, ScheduleJournal } from './scheduled-run.ts'

export interface RouteOverview {
  readonly route: string
  readonly files: Readonly<Partial<Record<FileState, number>>>
  readonly incoming: StateCounts
  readonly outgoing: StateCounts
  readonly deliveries: Readonly<Partial<Record<DeliveryState, number>>>
  /** The owner of the route's lease, while it is valid. */
  readonly owner?: string
}

/** `isConfirmed`: only the records of the delivery that its partner accepted. */
export type WorkRef = { readonly file: string } | { readonly delivery: string; readonly isConfirmed?: true }

/** What is written right before attempts start, in their transaction: results of earlier ones, and more records of the file. */
export interface WrittenBefore {
  readonly ended?: readonly RecordResult[]
  readonly added?: readonly PlannedRecord[]
}

/** `waitingIn`: the collected records of the route without a delivery. */
export type UnfinishedWorkRef = WorkRef | { readonly waitingIn: string }

/** Writing calls are durable when they return. Lists are bounded by their `limit`. Times are milliseconds. */
export interface Journal
  extends
    ActivityJournal,
    AlertJournal,
    AuditJournal,
    DeliveryJournal,
    DocumentJournal,
    FileJournal,
    InterchangeJournal,
    DecisionJournal,
    NamingJournal,
    NotificationJournal,
    PageJournal,
    RedeliveryJournal,
    ResourceJournal,
    RestorationJournal,
    StepJournal,
    ConfirmationJournal,
    TraceJournal,
    ScheduleJournal,
    VersionJournal,
    WatcherJournal,
    PauseJournal {
  /** Takes a route that is free, or whose lease has expired or whose owner is not alive; else throws `lease-held`. */
  acquireLease(route: string, owner: string, ttlMs: number, isAlive: (id: string) => boolean): Promise<Lease>
  renewLease(lease: Lease): Promise<void>
  /** Releases the route; does nothing for a lost lease. */
  releaseLease(lease: Lease): Promise<void>

  // records, both directions
  /**
   * planned or collected → sending, in order, up to `limit`, each with a new attempt. When this returns, the intent to
   * send is durable. Records of a file wait while one of their lane is uncertain or deferred; dependents of a failed step
   * stay. A change becomes `skipped` with `superseded` when a later file, accepted or being sent, changed all its values, and
   * `rejected` when it changed some. In the same transaction the results of `before` are noted first, as `finishAttempts`
   * does, and then its records are added, as `addRecords` does.
   */
  startAttempts(lease: Lease, work: WorkRef, limit: number, before?: WrittenBefore): Promise<SendingRecord[]>
  /** Saves the pre-send snapshot, which reconciles the attempt if its answer is lost. */
  saveAttemptNotes(
    lease: Lease,
    notes: readonly { readonly id: number; readonly note: string }[],
  ): Promise<void>
  /** sending → its result; ends the attempt. Ignores a record that is not `sending` any more. */
  finishAttempts(lease: Lease, results: readonly RecordResult[]): Promise<void>
  /** After a crash. Incoming: sending → uncertain. Outgoing, where a call may be repeated: sending → collected. */
  recoverAttempts(lease: Lease, work: WorkRef): Promise<void>
  /** deferred → planned or collected, except for records that wait for their order. */
  retryDeferredRecords(lease: Lease, work: WorkRef): Promise<void>
  listUncertainRecords(work: WorkRef, afterId: number, limit: number): Promise<UncertainRecord[]>
  /** uncertain → its result. */
  saveReconciledResults(lease: Lease, results: readonly RecordResult[]): Promise<void>
  /** Counts planned or sending records of the operation without a pre-send snapshot from planning. */
  countRecordsWithoutNote(fileId: string, operation: string): Promise<number>
  /** Whether an earlier record of the file has a natural key that begins with the lane and a blank. */
  hasEarlierRecordInLane(
    fileId: string,
    record: { operation: string; account: string; lane: string; number: number },
  ): Promise<boolean>
  /** Whether a found resource may belong to another record of the lane, which has its id or, without an id, was sent since. */
  mayBelongToAnotherRecord(
    fileId: string,
    found: { id: number; operation: string; account: string; lane: string; apiId?: string; since: number },
  ): Promise<boolean>
  /** Returns the natural keys of records that are accepted or under way. */
  findActiveKeys(asked: { operation: string; account: string; keys: readonly string[] }): Promise<string[]>
  countRecords(work: WorkRef): Promise<StateCounts>
  /** Counts each kind of warning of each record once, as the summary of the file does. */
  countWarnings(fileId: string): Promise<number>
  /** Finds another account among unfinished records; undefined where all have the given one. */
  findOtherAccount(work: UnfinishedWorkRef, account: string): Promise<string | undefined>
  /** In the order of their numbers. */
  listReportedRecords(fileId: string, afterNumber: number, limit: number): Promise<ReportedRecord[]>
  /** Lists records of a delivery or file with problems, for the summaries, without skipped ones. */
  listProblemRecords(work: WorkRef, limit: number): Promise<ReportedRecord[]>

  summarizeRoutes(): Promise<RouteOverview[]>
  /** Lists routes with unfinished files or deliveries. Finished ones cost no time. */
  listUnfinishedRoutes(): Promise<string[]>
  close(): Promise<void>
}

// Lists that people read page by page. Each page begins after the last entry of the page before.

/** Which files a list shows; all of them where nothing is set. */
export interface FileQuery {
  readonly route?: string
  /** A part of the name; upper and lower case are the same. */
  readonly name?: string
  /** When it was received: from this time on, and before that one, milliseconds. */
  readonly from?: number
  readonly to?: number
  /** Files that are lost as a whole, or have records that wait for a person, a correction or another try. */
  readonly isTroubled?: true
}

/** Which deliveries a list shows. `waiting`: delivered, and not seen to be picked up or confirmed. */
export interface DeliveryQuery {
  readonly id?: string
  readonly route?: string
  readonly state?: DeliveryState | 'waiting' | 'held'
}

/** Records with trouble come first. */
export interface RecordPlace {
  readonly isTroubled: boolean
  readonly number: number
}

/** Problems of one code and column in a file. */
export interface ProblemCount extends Pick<Problem, 'severity'> {
  readonly code: ProblemCode
  readonly column?: string
  readonly records: number
  /** How many of them are refused, and corrected or given up since. */
  readonly corrected: number
}

/** A decision of any kind, with what it was about. */
export interface ListedDecision extends Pick<DecisionEntry, 'id' | 'by' | 'why' | 'via' | 'at' | 'records'> {
  readonly action:
    | DecisionEntry['action']
    | DeliveryResolution
    | 'restored'
    | 'doubt-ended'
    | 'set-numbers'
    | 'redeliver'
    | 'pause'
    | 'resume'
  readonly route?: string
  readonly file?: { readonly id: string; readonly name: string }
  readonly delivery?: { readonly id: string; readonly name: string }
  /** Of a pause: when it ends by itself, and when a person ended it before. */
  readonly pause?: { readonly until: number; readonly endedAt?: number }
  /** The first of its records, where it is known. */
  readonly record?: Pick<TracedRecord, 'id' | 'keyValues' | 'naturalKey'>
}

/** A name that the journal knows. */
export interface KnownName {
  readonly kind: 'file' | 'delivery' | 'record' | 'resource'
  readonly name: string
  /** The id of the file, the delivery or the record; of a resource none. */
  readonly id?: string
}

/** The part of the journal behind the lists of the console. Read-only; each statement uses indexes. */
export interface PageJournal {
  /** Newest first, after the file with the id. */
  listFiles(query: FileQuery, after: string | undefined, limit: number): Promise<FileEntry[]>
  /** Counts up to the limit. */
  countFiles(query: FileQuery, limit: number): Promise<number>
  countRecordsOfFiles(fileIds: readonly string[]): Promise<ReadonlyMap<string, StateCounts>>
  /** Those that wait first: rejected ones that are not corrected, held, uncertain and deferred ones; each group by number. */
  listRecords(
    work: WorkRef,
    query: { readonly state?: RecordState; readonly after?: RecordPlace },
    limit: number,
  ): Promise<TracedRecord[]>
  /** Groups the problems of the first records with trouble, up to the limit; the most frequent group first. */
  countProblems(fileId: string, limit: number): Promise<ProblemCount[]>
  /** Newest first, after the delivery with the id. */
  listDeliveries(
    query: DeliveryQuery,
    after: string | undefined,
    limit: number,
  ): Promise<UnconfirmedDelivery[]>
  countDeliveries(query: DeliveryQuery, limit: number): Promise<number>
  /** Of all files and deliveries, newest first; or the one with the id. */
  listAllDecisions(after: number | undefined, limit: number, id?: number): Promise<ListedDecision[]>
  /** The records of a decision after the id, in the order of their ids. */
  listDecidedRecords(decisionId: number, after: number, limit: number): Promise<TracedRecord[]>
  countAllDecisions(): Promise<number>
  /** In the order of their ids; unknown ids are left out. */
  listTracedRecords(ids: readonly number[]): Promise<TracedRecord[]>
  /** Names of files, deliveries, records and resources that begin with the text; in its case, in capitals or small letters. */
  findNamesByPrefix(text: string, limit: number): Promise<KnownName[]>
}
