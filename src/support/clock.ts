/** Time as an argument, so that tests can control it. */
import { setTimeout } from 'node:timers/promises'

/** Where the program reads the time and waits. Times are milliseconds since 1970 in UTC. */
export interface Clock {
  now(): number
  /** Resolves after `ms`, or at once when the signal fires; it never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Monotonic milliseconds, independent of the time of day; `now` where absent. */
  elapsed?(): number
}

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => undefined),
}

/** For measuring durations; compare it only with itself. */
export function elapsed(clock: Clock): number {
  return clock.elapsed?.() ?? clock.now()
}

// When something was last renewed, as all threads of the process see it.

/** A renewal counts for `freshMs` by two clocks: one may pause while the machine sleeps, and the other may be set. */
export interface Renewal {
  /** In shared memory: the time of the clock, and the ticks. A reader between the two writes sees one of the older moment. */
  readonly moment: Float64Array
  readonly freshMs: number
}

export function createRenewal(freshMs: number): Renewal {
  return { moment: new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT)), freshMs }
}

export type Moment = readonly [at: number, ticks: number]

export function readMoment(clock: Pick<Clock, 'now'>): Moment {
  return [clock.now(), getTicks()]
}

/** Milliseconds of the machine's steady clock, the same in all threads. */
function getTicks(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

export function isFresh({ moment, freshMs }: Renewal, clock: Pick<Clock, 'now'>): boolean {
  const [at = 0, ticks = 0] = moment
  const ago = clock.now() - at
  return ago >= 0 && ago <= freshMs && getTicks() - ticks <= freshMs
}

/** `2026-11-21T02:15:00.000Z` for a time in milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** Names of zones that people write for the time of a place, and that are not its time for half of the year. */
const ZONES_WITHOUT_SUMMER: Readonly<Record<string, string>> = {
  EST: 'America/New_York',
  MST: 'America/Denver, or America/Phoenix for Arizona',
  HST: 'Pacific/Honolulu',
}

/** The zone of a city to write in place of a name such as `EST`; undefined for other names. */
export function findZoneCity(name: string): string | undefined {
  return ZONES_WITHOUT_SUMMER[name.toUpperCase()]
}
