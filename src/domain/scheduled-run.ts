/** Scheduled runs: the times at which a route with a schedule is due, as the journal remembers them. Pauses: when none begins. */
import type { Decider } from './decision.ts'
import type { Lease } from './lease.ts'

/**
 * The states of a run. Three decide: `begun` is continued, `ahead` starts again, and the others are final. The final ones say
 * why a date has no run of its own: `covered`, `missed` (an alert) or `before`. A run that is `ahead` keeps its row, because
 * the events name it, and `audit verify` compares rows and events.
 */
export const SCHEDULED_RUN_STATES = {
  begun: 'It is under way; the owner of its lease goes on with it.',
  done: 'It was carried out.',
  covered: 'A later run did its work with its own.',
  missed: 'It is too long ago, and will not be carried out.',
  before: 'The schedule of the route was seen for the first time after it.',
  ahead:
    'It was noted by a clock that was ahead of the time: it does not count, and is begun when its time comes.',
} as const

export type ScheduledRunState = keyof typeof SCHEDULED_RUN_STATES

export interface NewScheduledRun {
  /** Its business date, `2026-03-08`, or its instant, `2026-03-08T06:00:00.000Z`. Later runs sort behind earlier ones. */
  readonly occurrence: string
  /** Milliseconds. */
  readonly dueAt: number
}

export interface ScheduledRun extends NewScheduledRun {
  readonly route: string
  readonly state: ScheduledRunState
  /** When it got its state. */
  readonly changedAt: number
  /** The delivery that was composed for it. */
  readonly delivery?: string
}

/** The facts that decide which runs of a route are due. */
export interface KnownRuns {
  /** The latest known business date that is due. */
  readonly latestDate?: string
  /** The latest known instant of a cron expression that is due. */
  readonly latestInstant?: string
  /** The latest instant of an interval at which the route ran, milliseconds. */
  readonly intervalAt?: number
  /** Runs that were begun and are not done, the oldest first. */
  readonly begun: readonly ScheduledRun[]
}

/** The part of the journal for scheduled runs. */
export interface ScheduleJournal {
  getKnownRuns(route: string): Promise<KnownRuns>
  /** The latest runs first, those of intervals left out. */
  listRecentRuns(limit: number, route?: string): Promise<ScheduledRun[]>
  /** Starts a run; returns a known run unchanged. Other due runs become `covered` by it, or `missed`. */
  startRun(
    lease: Lease,
    begin: NewScheduledRun & {
      readonly covered: readonly NewScheduledRun[]
      readonly missed: readonly NewScheduledRun[]
    },
  ): Promise<ScheduledRun>
  /** begun → done. */
  finishRun(lease: Lease, occurrence: string): Promise<void>
  /** Starts a new schedule: only runs after this one count. */
  startSchedule(lease: Lease, run: NewScheduledRun): Promise<void>
  /** Notes that the route ran at an interval. */
  saveIntervalRun(lease: Lease, at: number): Promise<void>
}

// Routes that a person paused: no pass over them begins until the time that the person gave.

export interface Pause extends Decider {
  /** The number of its decision. */
  readonly decision: number
  readonly route: string
  /** Milliseconds. */
  readonly at: number
  /** When it ends by itself, milliseconds. */
  readonly until: number
}

/** A pause lasts no longer than this: nothing may be paused and never seen again. */
export const PAUSE_DAYS_MAX = 7

/** The part of the journal for pauses. Writing calls need no lease: they change no work. */
export interface PauseJournal {
  /** Pauses the route, which ends an earlier pause of it. */
  pauseRoute(route: string, pause: Decider & { readonly until: number }): Promise<Pause>
  /** Ends the pause before its time. Returns it, with the number of this decision; undefined where the route is not paused. */
  resumeRoute(
    route: string,
    decided: Decider,
  ): Promise<{ readonly pause: Pause; readonly decision: number } | undefined>
  /** Lists the pauses that stand now. */
  listPauses(): Promise<readonly Pause[]>
  findPause(route: string): Promise<Pause | undefined>
}
