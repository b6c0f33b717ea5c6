/** Turns: the times at which a route with a schedule is due, as the journal remembers them. */
import type { Lease } from './lease.ts'

/** What became of a turn. */
export const TURN_STATES = {
  begun: 'It is under way; whoever holds the route goes on with it.',
  done: 'It was carried out.',
  covered: 'A later turn did its work with its own.',
  missed: 'It was too long ago when somebody could have carried it out, and nobody will.',
  before: 'The schedule of the route was seen for the first time after it.',
  ahead:
    'It was noted by a clock that was ahead of the time: it does not count, and is begun when its time comes.',
} as const

export type TurnState = keyof typeof TURN_STATES

export interface NewTurn {
  /** Its business date, `2026-03-08`, or its instant, `2026-03-08T06:00:00.000Z`. Later turns sort behind earlier ones. */
  readonly turn: string
  /** Milliseconds. */
  readonly dueAt: number
}

export interface TurnEntry extends NewTurn {
  readonly route: string
  readonly state: TurnState
  /** When it came to its state. */
  readonly changedAt: number
  /** The delivery that was composed for it. */
  readonly delivery?: string
}

/** What decides which turns of a route are due. */
export interface KnownTurns {
  /** The latest business date that is known and whose time has come. */
  readonly latestDate?: string
  /** The latest instant of a cron expression that is known and has come. */
  readonly latestInstant?: string
  /** The latest instant of an interval at which the route had its turn, milliseconds. */
  readonly intervalAt?: number
  /** Turns that were begun and are not done, the oldest first. */
  readonly begun: readonly TurnEntry[]
}

/** The part of the journal that remembers turns. */
export interface TurnJournal {
  knownTurns(route: string): Promise<KnownTurns>
  /** The latest turns first, those of intervals left out. */
  recentTurns(limit: number, route?: string): Promise<TurnEntry[]>
  /**
   * Begins a turn. One that is begun already, or has its end, is given as it is. The turns that it does the work of become
   * `covered` with it, those that nobody will carry out `missed`.
   */
  beginTurn(
    lease: Lease,
    begin: NewTurn & { readonly covered: readonly NewTurn[]; readonly missed: readonly NewTurn[] },
  ): Promise<TurnEntry>
  /** begun → done. */
  turnDone(lease: Lease, turn: string): Promise<void>
  /** Notes from which turn on a schedule that was not known before counts: those after this one. */
  scheduleBegan(lease: Lease, turn: NewTurn): Promise<void>
  /** Notes that the route had its turn of an interval. */
  noteInterval(lease: Lease, at: number): Promise<void>
}
