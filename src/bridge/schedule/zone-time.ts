/** Times of day in zones whose clocks are set forward and back. */
import { IANAZone } from 'luxon'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** `2026-03-08`, the date of a moment in a zone. */
export function dateIn(zone: string, ms: number): string {
  return dateOf(ms + offsetMs(zone, ms))
}

/** The date so many days later, or earlier. */
export function addDays(date: string, days: number): string {
  return dateOf(Date.parse(date) + days * DAY_MS)
}

/** By ISO: 1 is Monday, 7 is Sunday. */
export function weekdayOf(date: string): number {
  return new Date(Date.parse(date)).getUTCDay() || 7
}

/**
 * The moment of a time of day, `06:30`, on a date. One that does not exist that day, because the clocks go forward, is the
 * first moment after the gap; of one that comes twice, because they go back, it is the first.
 */
export function momentOf(date: string, time: string, zone: string): number {
  const wall = Date.parse(`${date}T${time}:00Z`)
  const before = offsetMs(zone, wall - DAY_MS)
  const early = wall - before
  if (offsetMs(zone, early) === before) return early
  const after = offsetMs(zone, wall + DAY_MS)
  const late = wall - after
  if (offsetMs(zone, late) === after) return late
  return firstMomentAt(zone, after, { from: Math.min(early, late), to: Math.max(early, late) })
}

/** Clocks are set at whole minutes. */
function firstMomentAt(
  zone: string,
  offset: number,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  let [low, high] = [from, to]
  while (high - low > MINUTE_MS) {
    const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS
    if (offsetMs(zone, middle) === offset) high = middle
    else low = middle
  }
  return high
}

/** By how much the clocks of the zone are before UTC. */
export function offsetMs(zone: string, ms: number): number {
  return IANAZone.create(zone).offset(ms) * MINUTE_MS
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
