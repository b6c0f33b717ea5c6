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
