/** Converts dates and times of day in time zones whose clocks change. */
import { IANAZone } from 'luxon'
import { DAY_MS, MINUTE_MS } from '../support/clock.ts'

/** `2026-03-08`, the date of a moment in a zone. */
export function getLocalDate(zone: string, ms: number): string {
  return formatDate(ms + getOffsetMs(zone, ms))
}

/** The date so many days later, or earlier. */
export function addDays(date: string, days: number): string {
  return formatDate(Date.parse(date) + days * DAY_MS)
}

/** By ISO: 1 is Monday, 7 is Sunday. */
export function getWeekday(date: string): number {
  return new Date(Date.parse(date)).getUTCDay() || 7
}

/**
 * The moment of a time of day, `06:30`, on a date. A time in the gap when the clocks go forward becomes the first moment after
 * the gap; of a time that comes twice when they go back, the first counts.
 */
export function toInstant(date: string, time: string, zone: string): number {
  const wall = Date.parse(`${date}T${time}:00Z`)
  const before = getOffsetMs(zone, wall - DAY_MS)
  const early = wall - before
  if (getOffsetMs(zone, early) === before) return early
  const after = getOffsetMs(zone, wall + DAY_MS)
  const late = wall - after
  if (getOffsetMs(zone, late) === after) return late
  return findClockChange(zone, after, { from: Math.min(early, late), to: Math.max(early, late) })
}

/** Clocks are set at whole minutes, so the search ends at one. */
function findClockChange(
  zone: string,
  offset: number,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  let [low, high] = [from, to]
  while (high - low > MINUTE_MS) {
    const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS
    if (getOffsetMs(zone, middle) === offset) high = middle
    else low = middle
  }
  return high
}

/** By how much the clocks of the zone are ahead of UTC. */
export function getOffsetMs(zone: string, ms: number): number {
  return IANAZone.create(zone).offset(ms) * MINUTE_MS
}

function formatDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
