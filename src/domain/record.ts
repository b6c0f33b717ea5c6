/** Records in the journal: drafts on their way to the API, and API records on their way into a file. */
import type { Lease } from './lease.ts'
import type { Problem } from './problem.ts'
import type { Draft, LineRange } from './translator.ts'

/** How a record can end, or wait. */
export const OUTCOMES = {
  accepted: 'The API has it: created, or acknowledged.',
  duplicate: 'The same record was accepted before, or is on its way; it was not sent again.',
  rejected: 'It was refused, by the mapping, by a rule, or by the API. It stands in the rejects file.',
  deferred: 'It could not be sent yet and had no effect. The next run tries again.',
  uncertain: 'It was sent and the answer was lost. It is looked up before anything is sent again.',
  held: 'It waits for a person.',
  skipped: 'It was left out on purpose.',
  exported: 'It is in a file that was delivered, and this route acknowledges nothing.',
} as const

export type Outcome = keyof typeof OUTCOMES

/** `planned` (inbound) or `collected` (outbound) waits, `sending` has an attempt without a result; else an outcome. */
export type RecordState = 'planned' | 'collected' | 'sending' | Outcome

/** The outcomes that the bridge does not change by itself. */
export const FINAL_OUTCOMES = [
  'accepted',
  'duplicate',
  'rejected',
  'held',
  'skipped',
  'exported',
] as const satisfies readonly Outcome[]

/** A change of an existing resource. Of two changes of the same value, the one of the newer file counts. */
export interface RecordChange {
  /** The changed resource, within its account. */
  readonly target: string
  /** The changed values. */
  readonly values: readonly string[]
}

/** A draft as it enters the journal. */
export interface PlannedRecord extends Pick<
  Draft,
  'number' | 'lines' | 'keyValues' | 'problems' | 'skipped' | 'held'
> {
  readonly operation: string
  /** Which step of its route it is from, from 1; left out where the route has one. */
  readonly step?: number
  readonly account: string
  /** The natural key; absent when the record was refused before it had one. */
  readonly naturalKey?: string
  /** Records with the same lane are sent one at a time and in file order. */
  readonly lane?: string
  /** JSON text of the body, and its SHA-256 in hex. */
  readonly body?: string
  readonly bodyHash?: string
  /** Its amount, where the body has one; else it is found when it is asked for. */
  readonly cents?: number
  /** Warnings, which do not stop it. */
  readonly warnings?: readonly Problem[]
  /** The pre-send snapshot to reconcile a lost answer, where it is known at planning; JSON text. */
  readonly note?: string
  /** The change that a repeatable record makes. */
  readonly change?: RecordChange
  /** The values to keep beside its order when it is planned. */
  readonly keep?: { readonly key: string; readonly values: Readonly<Record<string, string>> }
}

/** A record whose attempt has begun. */
export interface SendingRecord {
  readonly id: number
  readonly number: number
  readonly operation: string
  /** Which step of its route it is from; left out where the route has one. */
  readonly step?: number
  readonly lane: string
  readonly naturalKey: string
  /** JSON text; empty for a record of a delivery, which is acknowledged by its id. */
  readonly body: string
  /** How many attempts there are, this one included. */
  readonly attempt: number
  /** Whether an earlier attempt has no known outcome. */
  readonly inDoubt: boolean
  /** The pre-send snapshot of the attempt, to reconcile it; JSON text. */
  readonly note?: string
  /** The pre-send snapshot of the first attempt without a known outcome. */
  readonly doubtNote?: string
  /** When the first attempt without a known outcome began, milliseconds. */
  readonly doubtSince?: number
  /** A person stated, after the last such attempt, that the API does not have it. */
  readonly saidAbsent?: true
}

/** A record that was sent and not answered. */
export interface UncertainRecord extends Omit<SendingRecord, 'doubtNote' | 'doubtSince' | 'saidAbsent'> {
  /** The pre-send snapshot of the earliest attempt without a known outcome; JSON text. */
  readonly note?: string
  /** When the earliest attempt without a known outcome began, milliseconds: any of them may have taken effect. */
  readonly sentAt: number
  /** When it became uncertain; the request was sent before that. */
  readonly uncertainSince: number
  /** How many sent attempts have no outcome. */
  readonly timesLost: number
  /** The status of the answer to the last attempt, where there was an answer. */
  readonly http?: number
}

/** The result of an attempt or a lookup. */
export interface RecordResult {
  readonly id: number
  /** `planned`: proven absent, to be sent again. */
  readonly state: Outcome | 'planned' | 'collected'
  readonly http?: number
  /** The id the API gave. */
  readonly apiId?: string
  /** The part of the API's answer that is needed later; JSON text. */
  readonly answer?: string
  readonly problems: readonly Problem[]
}

/** A record as the reports show it. */
export interface ReportedRecord {
  readonly id: number
  readonly number: number
  readonly operation: string
  readonly lines: readonly LineRange[]
  readonly keyValues: readonly string[]
  readonly state: RecordState
  readonly http?: number
  readonly apiId?: string
  readonly problems: readonly Problem[]
  /** Warnings, which did not stop it. */
  readonly warnings: readonly Problem[]
  readonly attempts: number
  /** How many of them were taken back before their request, such as at a stop; left out for none. */
  readonly unsent?: number
  /** When its state last changed, milliseconds. */
  readonly changedAt: number
}

/** An API record on its way into a file. */
export interface OutgoingRecord {
  readonly id: number
  /** The id the API gave it. */
  readonly apiId: string
  /** JSON text of the record as the API showed it. */
  readonly body: string
}

export type StateCounts = Readonly<Partial<Record<RecordState, number>>>

// Steps, which are successive calls for the orders of one file; and records that wait for their order.

/** An order that the records of one step are about. */
export interface StepOrder {
  readonly lane: string
  /** The number of its first record. */
  readonly number: number
  /** The rows of its records in their order, those of refused records included. */
  readonly lines: readonly LineRange[]
  /** The key cells that its records have in common; blank where they differ. */
  readonly keyValues: readonly string[]
}

/** A record that is tried again once its order is ready. */
export type WaitingRecord = Pick<SendingRecord, 'id' | 'operation' | 'lane' | 'body'>

/** Records of one file that wait for their orders. */
export interface WaitingFile {
  readonly file: string
  readonly name: string
  readonly route: string
  readonly receivedAt: number
  readonly records: number
  /** What the first record waits for. */
  readonly message: string
}

/** The part of the journal for steps and waiting records. Writing calls are durable when they return. */
export interface StepJournal {
  /** Lists the orders of the step's usable records, each once, in the order of their first records. */
  listStepOrders(fileId: string, step: number, afterNumber: number, limit: number): Promise<StepOrder[]>
  /** Puts refused records without a known order into the lane of the order beside them in the file. */
  assignLanes(
    lease: Lease,
    fileId: string,
    joins: readonly { readonly number: number; readonly lane: string }[],
  ): Promise<void>
  /**
   * planned → held, with `earlier-step-failed` and the earlier record's name: dependents, in the same lane, of a record of an
   * earlier step that was refused or is held, or repeats such a record. They release their keys. Returns how many there were.
   * planned → deferred: dependents of a record that repeats one of another file without an outcome yet.
   */
  holdDependents(lease: Lease, fileId: string): Promise<number>
  /** Lists records that are deferred with `waiting-for-order`. */
  listWaitingRecords(fileId: string, afterId: number, limit: number): Promise<WaitingRecord[]>
  /** deferred → planned. */
  retryWaitingRecords(lease: Lease, fileId: string, ids: readonly number[]): Promise<void>
  /** Whether the planned file only waits for orders. */
  isOnlyWaitingForOrders(fileId: string): Promise<boolean>
  /** Lists waiting files of all routes, the oldest first, or one file. */
  listWaitingFiles(limit: number, fileId?: string): Promise<WaitingFile[]>
}
