/** What passed through the bridge in a range of time: files, deliveries and the records in them. */
import type { RecordState } from './record.ts'

/** A file that was received, or a delivery that was delivered. */
export interface ActiveWork {
  readonly direction: 'incoming' | 'outgoing'
  readonly id: string
  readonly route: string
  /** Of a delivery: how many records it has; a report has no others in the journal. */
  readonly records: number
}

/** A range of times in milliseconds; `to` is not part of it. */
export interface TimeRange {
  readonly from: number
  readonly to: number
}

export interface ActiveRecord {
  readonly number: number
  readonly operation: string
  readonly account: string
  readonly state: RecordState
  /** JSON text; absent where none was made, or where it was pruned. */
  readonly body?: string
  readonly isPruned?: true
}

/** The part of the journal that counts what was done. It only reads, page by page. */
export interface ActivityJournal {
  /** Lists work of the range by direction and id, after the last one. */
  listActiveWork(range: TimeRange, after: ActiveWork | undefined, limit: number): Promise<ActiveWork[]>
  /** Lists the records of the work by their numbers. */
  listActiveRecords(
    work: Pick<ActiveWork, 'direction' | 'id'>,
    afterNumber: number,
    limit: number,
  ): Promise<ActiveRecord[]>
  /** Lists the bodies of accepted records of the order since then, JSON texts; without pruned ones. */
  listAcceptedBodies(of: {
    readonly account: string
    readonly operations: readonly string[]
    /** The lane of the records: the id of the order. */
    readonly lane: string
    readonly since: number
  }): Promise<string[]>
  /** Whether an export acknowledged the order since then. */
  hasAcknowledged(order: {
    readonly account: string
    readonly id: string
    readonly since: number
  }): Promise<boolean>
}
