/** The durable memory of the bridge. Everything that decides what happens next is asked from here. */
import type { AlertJournal } from './alert.ts'
import type { AuditJournal, RestorationJournal } from './audit.ts'
import type { DecisionJournal } from './decision.ts'
import type { Lease, WatcherJournal } from './lease.ts'
import type { NamingJournal } from './mailbox.ts'
import type { NotificationJournal } from './notification.ts'
import type { ResourceJournal } from './resource.ts'
import type {
  RecordResult,
  ReportedRecord,
  SendingRecord,
  StateCounts,
  StepJournal,
  UncertainRecord,
} from './record.ts'
import type { ConfirmationJournal, DeliveryJournal, DeliveryState } from './delivery.ts'
import type { FileJournal, FileState } from './file.ts'
import type { DocumentJournal } from './shipping-document.ts'
import type { TraceJournal } from './trace.ts'
import type { ScheduleJournal } from './scheduled-run.ts'

export interface RouteOverview {
  readonly route: string
  readonly files: Readonly<Partial<Record<FileState, number>>>
  readonly incoming: StateCounts
  readonly outgoing: StateCounts
  readonly deliveries: Readonly<Partial<Record<DeliveryState, number>>>
  /** The owner of the route's lease, when one is in force. */
  readonly owner?: string
}

export type WorkRef = { readonly file: string } | { readonly delivery: string }

/** `undeliveredCondition`: the collected records of the route that belong to no delivery yet. */
export type UnfinishedWorkRef = WorkRef | { readonly waitingIn: string }

/** Writing calls are durable when they return. Lists are bounded by their `limit`. Times are milliseconds. */
export interface Journal
  extends
    AlertJournal,
    AuditJournal,
    DeliveryJournal,
    DocumentJournal,
    FileJournal,
    DecisionJournal,
    NamingJournal,
    NotificationJournal,
    ResourceJournal,
    RestorationJournal,
    StepJournal,
    ConfirmationJournal,
    TraceJournal,
    ScheduleJournal,
    WatcherJournal {
  /** Takes the route when it is free, its lease ran out, or `isAlive` says that its owner is gone; else throws `lease-held`. */
  acquireLease(route: string, owner: string, ttlMs: number, isAlive: (id: string) => boolean): Promise<Lease>
  renewLease(lease: Lease): Promise<void>
  /** Gives the route back; a lease that was lost is left alone. */
  releaseLease(lease: Lease): Promise<void>

  // records, both directions
  /**
   * planned or collected → sending, in order, up to `limit`, each with a new attempt. When this returns, the intent to
   * send is durable. Records of a file wait while one of their lane is uncertain or deferred; those that follow on a
   * failure of an earlier step stay. A change whose values were all changed by a later file, accepted or being sent,
   * becomes `skipped` with `superseded` instead, and one of which some were, `rejected`. Results of earlier attempts may
   * come along: they are noted first, in the same transaction, as `finishAttempts` does.
   */
  startAttempts(
    lease: Lease,
    work: WorkRef,
    limit: number,
    ended?: readonly RecordResult[],
  ): Promise<SendingRecord[]>
  /** Notes what must be known to reconcile the attempt should its answer be lost. */
  saveAttemptNotes(
    lease: Lease,
    notes: readonly { readonly id: number; readonly note: string }[],
  ): Promise<void>
  /** sending → its result; ends the attempt. A record that is not `sending` any more is left alone. */
  finishAttempts(lease: Lease, results: readonly RecordResult[]): Promise<void>
  /** After a crash. Incoming: sending → uncertain. Outgoing, where a call may be repeated: sending → collected. */
  recoverAttempts(lease: Lease, work: WorkRef): Promise<void>
  /** deferred → planned or collected; but for those that wait for their order. */
  retryDeferredRecords(lease: Lease, work: WorkRef): Promise<void>
  listUncertainRecords(work: WorkRef, afterId: number, limit: number): Promise<UncertainRecord[]>
  /** uncertain → its result. */
  saveReconciledResults(lease: Lease, results: readonly RecordResult[]): Promise<void>
  /** How many records of the operation are planned or being sent of which nothing was noted when they were planned. */
  countRecordsWithoutNote(fileId: string, operation: string): Promise<number>
  /** Whether an earlier record of the file has a natural key that begins with the lane and a blank. */
  hasEarlierRecordInLane(
    fileId: string,
    record: { operation: string; account: string; lane: string; number: number },
  ): Promise<boolean>
  /** Whether what was found may be another record's of its lane: it has that id; or, without one, was sent since. */
  mayBelongToAnotherRecord(
    fileId: string,
    found: { id: number; operation: string; account: string; lane: string; apiId?: string; since: number },
  ): Promise<boolean>
  /** Those of the natural keys that a record holds: it is accepted or under way. */
  findActiveKeys(asked: { operation: string; account: string; keys: readonly string[] }): Promise<string[]>
  countRecords(work: WorkRef): Promise<StateCounts>
  /** An account other than the given one that an unfinished record belongs to; undefined where all have the given one. */
  findOtherAccount(work: UnfinishedWorkRef, account: string): Promise<string | undefined>
  /** In the order of their numbers. */
  listReportedRecords(fileId: string, afterNumber: number, limit: number): Promise<ReportedRecord[]>
  /** Records of a delivery or file that have problems, for the summaries; not those left out on purpose. */
  listProblemRecords(work: WorkRef, limit: number): Promise<ReportedRecord[]>

  summarizeRoutes(): Promise<RouteOverview[]>
  /** The routes that have files or deliveries which are not done. Costs nothing for those that are. */
  listUnfinishedRoutes(): Promise<string[]>
  close(): Promise<void>
}
