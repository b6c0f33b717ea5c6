/** What passed through the bridge in a range of time: files, deliveries and the records in them. */
import type { ProblemCode } from './problem.ts'
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

// Counts, for reports: of many records at once, without reading them one by one.

/** Work of a report, with how far its records are numbered. */
export interface ReportedWork extends Pick<ActiveWork, 'direction' | 'id' | 'route'> {
  readonly lastNumber: number
  /** Its records were refused in an earlier file and corrected: its name says so, or a person corrected them. */
  readonly isCorrection: boolean
  /** When it was received or delivered. */
  readonly at: number
}

/** Some of the records of a work, by their numbers; both ends are part of it. */
export interface WorkSegment {
  readonly id: string
  readonly first: number
  readonly last: number
}

/** Other sums after any change of what is counted of the records, which pruning does not change; they may be added up. */
export interface RecordsMark {
  readonly work: string
  readonly sums: readonly number[]
}

export interface ActivityRequest {
  /** The states whose records have their amounts summed up. */
  readonly states: readonly RecordState[]
  /** Without answers and reasons. */
  readonly isShort?: boolean
}

/** What the records of segments have come to. Each list is by the work. */
export interface ActivityCounts {
  readonly records: readonly {
    readonly work: string
    readonly operation: string
    readonly account: string
    readonly state: RecordState
    readonly isCorrected: boolean
    readonly records: number
    /** How many of them were sent, or may have been. */
    readonly sent: number
  }[]
  readonly amounts: readonly {
    readonly work: string
    readonly operation: string
    readonly account: string
    readonly cents: bigint
    /** How many records have no amount in the journal, or none with two decimals; the sum lacks them. */
    readonly unknown: number
  }[]
  /** Records with an answer, by the seconds from when their file was received until their last answer was noted. */
  readonly answers: readonly {
    readonly work: string
    readonly operation: string
    readonly account: string
    /** Left out for deliveries. */
    readonly seconds?: number
    readonly records: number
    /** The one of them that waited longest for an answer, from the start of the attempt until its result was noted. */
    readonly record: number
    readonly ms: number
  }[]
  /** Why records were refused or held. */
  readonly reasons: readonly {
    readonly work: string
    readonly code: ProblemCode
    readonly column?: string
    readonly records: number
    /** How many of them are corrected, dismissed or sent anew since. */
    readonly corrected: number
  }[]
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
  /** As `listActiveWork`, for `countActivity`. */
  listReportedWork(range: TimeRange, after: ReportedWork | undefined, limit: number): Promise<ReportedWork[]>
  /** Marks each segment, in some tenth of the time of `countActivity`. */
  markRecords(direction: ActiveWork['direction'], segments: readonly WorkSegment[]): Promise<RecordsMark[]>
  /**
   * Counts records of files, or of deliveries. Its time is that of reading the
   * records, and the bodies of those whose amount is not kept beside them.
   */
  countActivity(
    direction: ActiveWork['direction'],
    segments: readonly WorkSegment[],
    asked: ActivityRequest,
  ): Promise<ActivityCounts>
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
