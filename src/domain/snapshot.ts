/** Where the bridge stands at a moment: what `status`, the status page, the metrics and the notifications show. Plain data. */
import type { Alert } from './alert.ts'
import type { HeldFile, HeldRecord } from './decision.ts'
import type { RouteOverview } from './journal.ts'
import type { DeliveryEntry, DeliveryState } from './delivery.ts'
import type { FileEntry, FileState } from './file.ts'
import type { StateCounts, WaitingFile } from './record.ts'
import type { Pause, ScheduledRunState } from './scheduled-run.ts'
import type { Watcher } from './lease.ts'

export interface Snapshot {
  /** When it was taken, milliseconds. */
  readonly at: number
  /** Active alerts, the most urgent first. */
  readonly alerts: readonly Alert[]
  /** The disks of this machine with folders of the bridge. */
  readonly disks: readonly DiskStatus[]
  /** The routes of the configuration, those that never ran included, and other routes of the journal. */
  readonly routes: readonly SnapshotRoute[]
  readonly scheduledRuns: readonly ScheduledRoute[]
  /** The latest files, newest first. */
  readonly files: readonly LatestFile[]
  readonly deliveries: readonly DeliveryEntry[]
  /** Held records by file and reason, with the first of them. */
  readonly held: readonly HeldFile[]
  readonly heldRecords: readonly HeldRecord[]
  readonly waiting: readonly WaitingFile[]
  /** Claimed files and composed deliveries that need another run. */
  readonly unfinished: readonly Unfinished[]
  readonly unmatchedFiles: readonly UnmatchedFile[]
  /** The running watches; `alerts` reports missing ones. */
  readonly watches: readonly Watcher[]
}

export interface DiskStatus {
  /** The folders on it: the state, the journal, and folders of mailboxes. */
  readonly places: readonly string[]
  readonly freeBytes: number
  readonly sizeBytes: number
  readonly isFull: boolean
}

/** A file with the outcomes of its records, and the warnings about them. */
export type LatestFile = FileEntry & {
  readonly records: StateCounts
  readonly warnings: number
  /** Of a file of interchanges: the routes that got sets of it. */
  readonly givenTo?: readonly string[]
  /** Of a file of interchanges: whether it holds answers of partners, such as a 997. */
  readonly hasAnswers?: boolean
}

export interface SnapshotRoute extends RouteOverview {
  readonly neverRan?: true
  readonly isGone?: true
  readonly pause?: Pause
}

export interface ScheduledRoute {
  readonly route: string
  /** The latest run that is known; left out before the first one. */
  readonly last?: { readonly occurrence: string; readonly state: ScheduledRunState }
  /** When the next run is due, milliseconds: now for an overdue one. */
  readonly nextAt?: number
}

/** An unfinished file or delivery: how many of its records need more work, and why. */
export type Unfinished = UnfinishedWork &
  (
    | { readonly file: string; readonly state: FileState }
    | { readonly delivery: string; readonly state: DeliveryState }
  )

interface UnfinishedWork {
  readonly route: string
  readonly name: string
  /** The next step, while it does not wait for records. */
  readonly next: string
  /** The records without a final outcome by state, with the message of the first one. */
  readonly records: readonly {
    readonly state: (typeof OPEN_RECORD_STATES)[number]
    readonly count: number
    readonly why?: string
  }[]
  readonly worker?: string
  readonly isRouteKnown: boolean
}

/** The states of records without a final outcome. */
export const OPEN_RECORD_STATES = ['deferred', 'uncertain', 'sending', 'planned', 'collected'] as const

/** A file in an inbox folder that no route takes. */
export interface UnmatchedFile {
  readonly path: string
  /** The most similar pattern of the folder's routes, as a suggestion. */
  readonly nearest?: string
}
