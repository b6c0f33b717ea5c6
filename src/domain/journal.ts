/** The durable memory of the bridge. Everything that decides what happens next is asked from here. */
import type { AttentionJournal } from './attention.ts'
import type { AuditJournal } from './audit.ts'
import type { HeldJournal } from './held.ts'
import type { Lease } from './lease.ts'
import type { NamingJournal } from './naming.ts'
import type { NoticeJournal } from './notice.ts'
import type { ResourceJournal } from './resource.ts'
import type { RecordResult, ReportedRecord, SendingRecord, StateCounts, UncertainRecord } from './record.ts'
import type { DeliveryJournal, DeliveryState } from './delivery.ts'
import type { FileJournal, FileState } from './file.ts'
import type { DocumentJournal } from './shipping-document.ts'
import type { RestoringJournal } from './restoring.ts'
import type { StepJournal } from './steps.ts'
import type { TakingJournal } from './taking.ts'
import type { TraceJournal } from './trace.ts'
import type { TurnJournal } from './turns.ts'
import type { WatchJournal } from './watches.ts'

export { DELIVERY_STATES } from './delivery.ts'
export type {
  DeliveryAnswer,
  DeliveryEntry,
  DeliveryState,
  NewDelivery,
  NewDeliveryAnswer,
  NewReport,
} from './delivery.ts'
export { FILE_STATES } from './file.ts'
export type { FileContents, FileEntry, FileOutcome, FileState, NewFile } from './file.ts'
export type { FoundResource, KeptValues, KnownResource, SeenResource, Facts } from './resource.ts'
export type { Lease }

export interface RouteOverview {
  readonly route: string
  readonly files: Readonly<Partial<Record<FileState, number>>>
  readonly incoming: StateCounts
  readonly outgoing: StateCounts
  readonly deliveries: Readonly<Partial<Record<DeliveryState, number>>>
  /** The holder of the route's lease, when one is in force. */
  readonly heldBy?: string
}

export type WorkOf = { readonly file: string } | { readonly delivery: string }

/** `waitingIn`: the collected records of the route that belong to no delivery yet. */
export type UnfinishedOf = WorkOf | { readonly waitingIn: string }

/** Writing calls are durable when they return. Lists are bounded by their `limit`. Times are milliseconds. */
export interface Journal
  extends
    AttentionJournal,
    AuditJournal,
    DeliveryJournal,
    DocumentJournal,
    FileJournal,
    HeldJournal,
    NamingJournal,
    NoticeJournal,
    ResourceJournal,
    RestoringJournal,
    StepJournal,
    TakingJournal,
    TraceJournal,
    TurnJournal,
    WatchJournal {
  /**
   * Takes the route for `ttlMs` when nobody holds it, when its lease ran out, or when `isAlive` says that the holder
   * is gone. Throws `lease-held` naming the holder otherwise.
   */
  takeLease(
    route: string,
    holder: string,
    ttlMs: number,
    isAlive: (holder: string) => boolean,
  ): Promise<Lease>
  renewLease(lease: Lease): Promise<void>
  /** Gives the route back; a lease that was lost is left alone. */
  releaseLease(lease: Lease): Promise<void>

  // records, both directions
  /**
   * planned or collected → sending, in order, up to `limit`, each with a new attempt. When this returns, the intent to
   * send is durable. Records of a file wait while one of their lane is uncertain or deferred; those that follow on a
   * failure of an earlier step stay. A change whose values were all changed by a later file, accepted or being sent,
   * becomes `skipped` with `superseded` instead, and one of which some were, `rejected`. Results of earlier attempts may
   * come along: they are noted first, in the same transaction, as `endAttempts` does.
   */
  beginAttempts(
    lease: Lease,
    work: WorkOf,
    limit: number,
    ended?: readonly RecordResult[],
  ): Promise<SendingRecord[]>
  /** Notes what must be known to settle the attempt should its answer be lost. */
  noteAttempts(lease: Lease, notes: readonly { readonly id: number; readonly note: string }[]): Promise<void>
  /** sending → its result; ends the attempt. A record that is not `sending` any more is left alone. */
  endAttempts(lease: Lease, results: readonly RecordResult[]): Promise<void>
  /** After a crash. Incoming: sending → uncertain. Outgoing, where a call may be repeated: sending → collected. */
  recoverAttempts(lease: Lease, work: WorkOf): Promise<void>
  /** deferred → planned or collected; but for those that wait for their order. */
  retryDeferred(lease: Lease, work: WorkOf): Promise<void>
  uncertainRecords(work: WorkOf, afterId: number, limit: number): Promise<UncertainRecord[]>
  /** uncertain → its result. */
  settleRecords(lease: Lease, results: readonly RecordResult[]): Promise<void>
  /** How many records of the operation are planned or being sent of which nothing was noted when they were planned. */
  countUnnoted(fileId: string, operation: string): Promise<number>
  /** Whether an earlier record of the file has a natural key that begins with the lane and a blank. */
  isBehind(
    fileId: string,
    record: {
      readonly operation: string
      readonly account: string
      readonly lane: string
      readonly number: number
    },
  ): Promise<boolean>
  /**
   * Whether what was found of a record may be another's of its lane: it has that id already; or, where no id is known, one
   * of another file was sent since.
   */
  mayBeAnothers(
    fileId: string,
    found: {
      readonly id: number
      readonly operation: string
      readonly account: string
      readonly lane: string
      readonly apiId?: string
      readonly since: number
    },
  ): Promise<boolean>
  /** Those of the natural keys that a record holds: it is accepted or under way. */
  heldKeys(asked: {
    readonly operation: string
    readonly account: string
    readonly keys: readonly string[]
  }): Promise<string[]>
  countRecords(work: WorkOf): Promise<StateCounts>
  /** An account other than the given one that an unfinished record belongs to; undefined where all have the given one. */
  otherAccount(work: UnfinishedOf, account: string): Promise<string | undefined>
  /** In the order of their numbers. */
  reportedRecords(fileId: string, afterNumber: number, limit: number): Promise<ReportedRecord[]>
  /** Records of a delivery or file that have problems, for the summaries; not those left out on purpose. */
  troubledRecords(work: WorkOf, limit: number): Promise<ReportedRecord[]>

  overview(): Promise<RouteOverview[]>
  /** The routes that have files or deliveries which are not done. Costs nothing for those that are. */
  unfinishedRoutes(): Promise<string[]>
  close(): Promise<void>
}
