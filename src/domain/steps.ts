/** Several calls for the orders of one file, one after the other; and records that wait for their order. */
import type { Lease } from './lease.ts'
import type { LineRange } from './translator.ts'

/** An order that the records of one step are about. */
export interface StepOrder {
  readonly lane: string
  /** The number of its first record. */
  readonly number: number
  /** The rows of its records, those of the refused ones too, in their order. */
  readonly lines: readonly LineRange[]
  /** What its records have in common in the key columns; blank where they differ. */
  readonly keyValues: readonly string[]
}

/** A record that is tried again once its order is ready. */
export interface RecordInWait {
  readonly id: number
  readonly operation: string
  readonly lane: string
  readonly body: string
}

/** Records of one file that wait for their orders. */
export interface WaitingFile {
  readonly file: string
  readonly name: string
  readonly route: string
  readonly receivedAt: number
  readonly records: number
  /** What the first of them waits for. */
  readonly message: string
}

/** The part of the journal that is about steps and waiting. Writing calls are durable when they return. */
export interface StepJournal {
  /** The orders that usable records of the step are about, each once, in the order of their first records. */
  ordersOfStep(fileId: string, step: number, afterNumber: number, limit: number): Promise<StepOrder[]>
  /** Puts refused records, whose order was not known, into the lane of the order they stand with. */
  joinLanes(
    lease: Lease,
    fileId: string,
    joins: readonly { readonly number: number; readonly lane: string }[],
  ): Promise<void>
  /**
   * planned → held, with `earlier-step-failed` and the earlier record's name: what follows, in its lane, on a record of
   * an earlier step that was refused or is held, or repeats one that was. They let go of their keys. Gives how many there
   * were. planned → deferred: what follows on a record that repeats one of another file which has no outcome yet.
   */
  holdFollowers(lease: Lease, fileId: string): Promise<number>
  /** Those that are deferred with `waits-for-close`. */
  recordsInWait(fileId: string, afterId: number, limit: number): Promise<RecordInWait[]>
  /** deferred → planned. */
  retryWaiting(lease: Lease, fileId: string, ids: readonly number[]): Promise<void>
  /** Whether nothing of the planned file is left to do but to wait for orders. */
  onlyWaits(fileId: string): Promise<boolean>
  /** Of all routes, the oldest first, or of one file. */
  waitingFiles(limit: number, fileId?: string): Promise<WaitingFile[]>
}
