/** Computes the instants of a cron expression, correct across clock changes. */
import { Cron } from 'croner'
import { getOffsetMs } from './zone-time.ts'
import { MINUTE_MS } from '../support/clock.ts'

/** This long after the clocks were set, it no longer matters. */
const CLOCK_CHANGE_MS = 3 * 60 * MINUTE_MS

/** The search goes no further back: 29 February comes every fourth year, except in most years that end a century. */
const SEARCH_BACK_MAX_MS = 9 * 366 * 24 * 60 * MINUTE_MS

export interface CronTimes {
  /** The first instant later than this moment; undefined when none comes any more. */
  readonly nextAfter: (ms: number) => number | undefined
  /** The last instant that is not later than this moment; undefined when there is none. */
  readonly lastUpTo: (ms: number) => number | undefined
}

/**
 * Where the clocks go forward, a time of day in the gap is shifted by the length of the gap. Where they go back, the first of
 * two equal times counts.
 */
export function createCronTimes(expression: string, zone: string): CronTimes {
  const cron = new Cron(expression, { mode: '5-part', timezone: zone })
  const onTheWall = new Cron(expression, { mode: '5-part', timezone: 'UTC' })
  const nextAfter = (ms: number) => {
    const next = findNextAfter(cron, zone, ms)
    const late = shiftOutOfGap(onTheWall, zone, ms)
    return late === undefined ? next : Math.min(late, next ?? Infinity)
  }
  return { nextAfter, lastUpTo: (ms) => findLastUpTo(nextAfter, ms) }
}

/** In hours that come twice, the library returns times of the first or of the second one, and some that are past. */
function findNextAfter(cron: Cron, zone: string, ms: number): number | undefined {
  for (let from = ms; ;) {
    const next = cron.nextRun(new Date(from))?.getTime()
    if (next === undefined) return undefined
    const first = findFirstOccurrence(zone, next)
    if (first > ms) return first
    from = Math.max(next, from + MINUTE_MS)
  }
}

/** The same time of day before the clocks went back, if there was one. */
function findFirstOccurrence(zone: string, ms: number): number {
  const [before, after] = [getOffsetMs(zone, ms - CLOCK_CHANGE_MS), getOffsetMs(zone, ms)]
  const earlier = ms - (before - after)
  return before > after && getOffsetMs(zone, earlier) === before ? earlier : ms
}

/** The library returns the first time in a gap only until the clocks are set, and no other one. */
function shiftOutOfGap(onTheWall: Cron, zone: string, ms: number): number | undefined {
  const [before, after] = [getOffsetMs(zone, ms - CLOCK_CHANGE_MS), getOffsetMs(zone, ms)]
  if (after <= before) return undefined
  const wall = onTheWall.nextRun(new Date(ms + before))?.getTime()
  const isInGap = wall !== undefined && getOffsetMs(zone, wall - after) === before
  return isInGap ? wall - before : undefined
}

/** The library's own search backwards fails in hours that come twice, so this uses only its search forwards, which counts. */
function findLastUpTo(nextAfter: CronTimes['nextAfter'], ms: number): number | undefined {
  const isBefore = (from: number) => (nextAfter(from) ?? Infinity) <= ms
  let back = MINUTE_MS
  while (!isBefore(ms - back)) {
    if (back >= SEARCH_BACK_MAX_MS) return undefined
    back *= 4
  }
  // An instant comes after `low`, and none after `high`.
  let [low, high] = [ms - back, ms]
  while (high - low > MINUTE_MS / 2) {
    const middle = (low + high) / 2
    if (isBefore(middle)) low = middle
    else high = middle
  }
  return nextAfter(low)
}
