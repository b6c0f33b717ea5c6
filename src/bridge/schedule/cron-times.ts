/** The instants of a cron expression. */
import { Cron } from 'croner'

const MINUTE_MS = 60_000

/** Farther back no instant is looked for: 29 February comes every fourth year but for one in a century. */
const BACK_MS_MAX = 9 * 366 * 24 * 60 * MINUTE_MS

export interface CronTimes {
  /** The first instant later than this moment; undefined when none comes any more. */
  readonly nextAfter: (ms: number) => number | undefined
  /** The last instant that is not later than this moment; undefined when none was. */
  readonly lastUpTo: (ms: number) => number | undefined
}

export function cronTimes(expression: string, zone: string): CronTimes {
  const cron = new Cron(expression, { mode: '5-part', timezone: zone })
  const nextAfter = (ms: number) => cron.nextRun(new Date(ms))?.getTime()
  return { nextAfter, lastUpTo: (ms) => lastUpTo(nextAfter, ms) }
}

/** The library's own way back stumbles over hours that come twice; its way forward, which counts, is the only one used. */
function lastUpTo(nextAfter: CronTimes['nextAfter'], ms: number): number | undefined {
  const isBefore = (from: number) => (nextAfter(from) ?? Infinity) <= ms
  let back = MINUTE_MS
  while (!isBefore(ms - back)) {
    if (back >= BACK_MS_MAX) return undefined
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
