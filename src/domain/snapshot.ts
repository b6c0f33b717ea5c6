/** Where the bridge stands at a moment: what `status`, the status page, the metrics and the notifications show. Plain data. */
import type { Alert } from './alert.ts'
import type { HeldFile, HeldRecord } from './decision.ts'
import type { RouteOverview } from './journal.ts'
import type { DeliveryEntry, DeliveryState } from './delivery.ts'
import type { FileEntry, FileState } from './file.ts'
import type { WaitingFile } from './record.ts'
import type { ScheduledRunState } from './scheduled-run.ts'
import type { Watcher } from './lease.ts'

export interface Snapshot {
  /** When it was taken, milliseconds. */
  readonly at: number
  /** What a person must hear of, the most urgent first. */
  readonly alerts: readonly Alert[]
  /** Those of the configuration, also those that never worked; and others that the journal knows. */
  readonly routes: readonly SnapshotRoute[]
  /** Those that have a schedule. */
  readonly scheduledRuns: readonly ScheduledRoute[]
  /** The latest, newest first. */
  readonly files: readonly FileEntry[]
  readonly deliveries: readonly DeliveryEntry[]
  /** Records that wait for a person: by file and reason, and the first of them. */
  readonly held: readonly HeldFile[]
  readonly heldRecords: readonly HeldRecord[]
  /** Files that wait for orders to be shipped and closed. */
  readonly waiting: readonly WaitingFile[]
  /** Files that were taken and deliveries that were composed, and that need another run. */
  readonly unfinished: readonly Unfinished[]
  readonly unmatchedFiles: readonly UnmatchedFile[]
  /** The watches that are there; those that should be are reported under `alerts`. */
  readonly watches: readonly Watcher[]
}

export interface SnapshotRoute extends RouteOverview {
  /** Nobody has ever worked on it. */
  readonly neverRan?: true
  /** It is not in the configuration any more. */
  readonly isGone?: true
}

export interface ScheduledRoute {
  readonly route: string
  /** The latest run that is known; left out for a route at intervals, and before the first one. */
  readonly last?: { readonly occurrence: string; readonly state: ScheduledRunState }
  /** When the next one is due, milliseconds: now, when one is due already. */
  readonly nextAt?: number
}

/** A file or a delivery that was begun and is not finished: how many records still need something, and why. */
export type Unfinished = UnfinishedWork &
  (
    | { readonly file: string; readonly state: FileState }
    | { readonly delivery: string; readonly state: DeliveryState }
  )

interface UnfinishedWork {
  readonly route: string
  readonly name: string
  /** What is next, while no record is what it waits for. */
  readonly next: string
  /** The records without an outcome that stays, by their state, with what the first such record says of it. */
  readonly records: readonly {
    readonly state: (typeof OPEN_RECORD_STATES)[number]
    readonly count: number
    readonly why?: string
  }[]
  /** Who is working on the route right now. */
  readonly worker?: string
  readonly isRouteKnown: boolean
}

/** The states of records that have no outcome yet. */
export const OPEN_RECORD_STATES = ['deferred', 'uncertain', 'sending', 'planned', 'collected'] as const

/** A file in an inbox folder that no route takes. */
export interface UnmatchedFile {
  readonly path: string
  /** The pattern of the folder's route that is nearest, for a guess at what was meant. */
  readonly nearest?: string
}
