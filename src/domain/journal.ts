/** The durable memory of the bridge. Everything that decides what happens next is asked from here. */
import type { AttentionJournal } from './attention.ts'
import type { AuditJournal } from './audit.ts'
import type { HeldJournal } from './held.ts'
import type { Lease } from './lease.ts'
import type { NoticeJournal } from './notice.ts'
import type { Problem } from './problem.ts'
import type {
  OutgoingRecord,
  PlannedRecord,
  RecordResult,
  ReportedRecord,
  SendingRecord,
  StateCounts,
  UncertainRecord,
} from './record.ts'
import type { DeliveryEntry, DeliveryState, NewDelivery, NewReport } from './delivery.ts'
import type { DocumentJournal } from './shipping-document.ts'
import type { StepJournal } from './steps.ts'
import type { TakingJournal } from './taking.ts'
import type { TraceJournal } from './trace.ts'
import type { TurnJournal } from './turns.ts'

export { DELIVERY_STATES } from './delivery.ts'
export type { DeliveryEntry, DeliveryState, Lease, NewDelivery, NewReport }

/** Where an incoming file stands, in this order; each state has exactly one next step. */
export const FILE_STATES = {
  claiming: 'It is about to be taken out of the inbox.',
  received: 'A copy is safe in the spool; it is translated next.',
  planned: 'Every record of it is in the journal; they are sent next.',
  submitted: 'Every record has its outcome; the results are written next.',
  reported: 'The results are delivered; the source goes to the archive next.',
  closed: 'It is done.',
} as const

export type FileState = keyof typeof FILE_STATES

/** What became of the file as a whole. `vanished`: it was gone before it could be claimed. */
export type FileOutcome = 'processed' | 'duplicate' | 'unusable' | 'vanished'

export interface NewFile {
  readonly id: string
  readonly folder: string
  readonly name: string
  readonly size: number
  readonly modifiedAt: number
}

export interface FileContents {
  readonly sha256: string
  readonly bytes: number
  /** What is in it may be done again: the same stock counts once more when there was another in between. */
  readonly mayRepeat?: boolean
}

export interface FileEntry extends NewFile {
  readonly route: string
  readonly state: FileState
  readonly outcome?: FileOutcome
  readonly sha256?: string
  readonly duplicateOf?: { readonly id: string; readonly name: string; readonly receivedAt: number }
  /** Problems of the file as a whole. */
  readonly problems: readonly Problem[]
  readonly keyColumns: readonly string[]
  readonly headerLines: number
  readonly encoding?: string
  /** The base name under which the results are, or will be, delivered. */
  readonly reportName?: string
  readonly archivedAs?: string
  readonly claimedAt: number
  readonly receivedAt?: number
  readonly plannedAt?: number
  readonly submittedAt?: number
  readonly closedAt?: number
  /** How often it was reported and then taken up again, because a person decided about its held records. */
  readonly reports?: number
  /** When it was last taken up again. */
  readonly takenUpAt?: number
}

/** What a resource of the API said of itself, as far as the bridge needs it; in the API's own names. */
export type Facts = Readonly<Record<string, unknown>>

/** A resource that the API has just shown. */
export interface SeenResource {
  readonly id: string
  /** What files may call it: a purchase order number, an SKU. */
  readonly keys: readonly string[]
  /** Not all of its names were shown: those known before are kept as well. */
  readonly some?: true
  /** Left out where too little of it was shown. */
  readonly facts?: Facts
}

/** A resource as it was when the bridge last saw it. */
export interface KnownResource extends Omit<SeenResource, 'some'> {
  /** When its facts were seen, milliseconds. */
  readonly seenAt: number
}

/** A known resource, and by which of its names it was asked for. */
export interface FoundResource extends KnownResource {
  readonly key: string
}

/** Values of an order that the API does not keep, by its purchase order number. */
export interface KeptValues {
  readonly key: string
  readonly values: Readonly<Record<string, string>>
}

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

/** Writing calls are durable when they return. Lists are bounded by their `limit`. Times are milliseconds. */
export interface Journal
  extends
    AttentionJournal,
    AuditJournal,
    DocumentJournal,
    HeldJournal,
    NoticeJournal,
    StepJournal,
    TakingJournal,
    TraceJournal,
    TurnJournal {
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

  // incoming files
  /** All of them or, when it throws, none. */
  beginClaims(lease: Lease, files: readonly NewFile[]): Promise<void>
  /**
   * claiming → received; or, when it may not repeat and the route already has a file with these bytes of which something
   * was accepted or is under way, claiming → submitted with the outcome `duplicate`. `gone` files: claiming → closed, `vanished`.
   */
  fileReceived(lease: Lease, id: string, contents: FileContents): Promise<FileEntry>
  fileVanished(lease: Lease, id: string): Promise<void>
  /** Throws away what an interrupted planning left. */
  beginPlan(lease: Lease, id: string): Promise<void>
  /**
   * Adds records in their order. A record whose key is held by an earlier record of the same operation and account
   * that is accepted or under way becomes `duplicate` when the bodies are the same (with the id the API gave the first)
   * and `rejected` with `key-conflict`, naming the first file and line, when they differ. Records with problems become
   * `rejected`. The rest become `planned` and hold their key until they are rejected.
   */
  addRecords(lease: Lease, fileId: string, records: readonly PlannedRecord[]): Promise<void>
  /** The bodies planned so far of the file whose natural keys begin with one of the lanes and a blank. */
  plannedBodies(
    fileId: string,
    named: { readonly operation: string; readonly account: string; readonly lanes: readonly string[] },
  ): Promise<{ readonly lane: string; readonly body: string }[]>
  /**
   * received → planned. When the file holds other versions of a key further on, its first version is refused too, with
   * `key-conflict`: nobody can know which one is right.
   */
  filePlanned(
    lease: Lease,
    id: string,
    found: { keyColumns: readonly string[]; headerLines: number; encoding: string },
  ): Promise<void>
  /** received → submitted with the outcome `unusable`; any records of it are thrown away. */
  fileUnusable(lease: Lease, id: string, problems: readonly Problem[]): Promise<void>
  /** planned → submitted, when every record is final; false when some are not. */
  fileSubmitted(lease: Lease, id: string): Promise<boolean>
  /** Notes the base name of the result files before the first is delivered; again with another when it is taken. */
  nameReport(lease: Lease, id: string, reportName: string): Promise<void>
  /** submitted → reported. */
  fileReported(lease: Lease, id: string): Promise<void>
  /** reported → closed. */
  fileClosed(lease: Lease, id: string, archivedAs?: string): Promise<void>
  file(id: string): Promise<FileEntry | undefined>
  unfinishedFiles(route: string): Promise<FileEntry[]>
  recentFiles(limit: number, route?: string): Promise<FileEntry[]>
  /** By name or id, newest first. */
  filesCalled(nameOrId: string, limit: number): Promise<FileEntry[]>
  /** Whether the route took a file of exactly this name, size and time; one that vanished was not taken. */
  isTaken(route: string, file: Pick<NewFile, 'name' | 'size' | 'modifiedAt'>): Promise<boolean>

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
  /** In the order of their numbers. */
  reportedRecords(fileId: string, afterNumber: number, limit: number): Promise<ReportedRecord[]>

  // outgoing records and deliveries
  /** Adds those not known yet and refreshes those still waiting; gives how many were new. */
  collect(
    lease: Lease,
    records: readonly {
      readonly operation: string
      readonly account: string
      readonly apiId: string
      readonly body: string
    }[],
  ): Promise<number>
  /** Records that belong to no delivery yet, the held ones too, in the order they were collected. */
  waitingRecords(route: string, afterId: number, limit: number): Promise<OutgoingRecord[]>
  /** The records of a delivery, in the order they stand in its file. */
  deliveryRecords(deliveryId: string, afterId: number, limit: number): Promise<OutgoingRecord[]>
  /** Makes the delivery with its records in one step, and holds the held ones. Sequences have no gaps. */
  deliveryComposed(lease: Lease, delivery: NewDelivery): Promise<DeliveryEntry>
  /** Makes a delivery without records of its own, in the same sequence. */
  reportComposed(lease: Lease, report: NewReport): Promise<DeliveryEntry>
  /** Only holds records; for when nothing could be composed. */
  holdRecords(lease: Lease, held: readonly RecordResult[]): Promise<void>
  /** Another name, when the first is taken at the target. */
  renameDelivery(lease: Lease, id: string, name: string): Promise<void>
  /** composed → delivered, in this place. */
  deliveryDelivered(lease: Lease, id: string, place?: string): Promise<void>
  /** composed or delivered → done, and its records with it: nothing of it is acknowledged from here. */
  deliveryDone(lease: Lease, id: string, place?: string): Promise<void>
  /** delivered → acknowledged, when every record is final; false when some are not. */
  deliveryAcknowledged(lease: Lease, id: string): Promise<boolean>
  delivery(id: string): Promise<DeliveryEntry | undefined>
  /** Those that are not in place first, those that somebody may still have to take last. */
  unfinishedDeliveries(route: string): Promise<DeliveryEntry[]>
  recentDeliveries(limit: number, route?: string): Promise<DeliveryEntry[]>
  /** By name or id, newest first. */
  deliveriesCalled(nameOrId: string, limit: number): Promise<DeliveryEntry[]>
  /** Records of a delivery or file that have problems, for the summaries; not those left out on purpose. */
  troubledRecords(work: WorkOf, limit: number): Promise<ReportedRecord[]>

  // references: what is known of an account's resources of one kind, such as `order`
  rememberResources(account: string, kind: string, resources: readonly SeenResource[]): Promise<void>
  /** All that are known by one of the keys; a key may fit several, and one may be found by several keys. */
  findResources(account: string, kind: string, keys: readonly string[]): Promise<FoundResource[]>
  resourcesById(account: string, kind: string, ids: readonly string[]): Promise<KnownResource[]>
  /** The accounts that know something of the kind by this key; a few of them. */
  accountsKnowing(kind: string, key: string): Promise<string[]>
  /** Notes that the whole list was read to its end, beginning at this time. */
  noteListRead(account: string, kind: string, readAt: number): Promise<void>
  /** When the latest reading of the whole list began; undefined when there was none. */
  listReadAt(account: string, kind: string): Promise<number | undefined>
  /** Remembers values for the orders; later ones stand for earlier ones. */
  keepValues(account: string, kept: readonly KeptValues[]): Promise<void>
  /** What is kept, by purchase order number and name. */
  keptValues(
    account: string,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>>

  overview(): Promise<RouteOverview[]>
  /** The routes that have files or deliveries which are not done. Costs nothing for those that are. */
  unfinishedRoutes(): Promise<string[]>
  close(): Promise<void>
}
