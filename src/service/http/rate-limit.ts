/** Limits the requests of a client by a switch, and formats times in headers. Spec: "Rate limits: not shown". */
import type { Clock } from '../../support/clock.ts'
import type { Switches } from '../switches.ts'
import { type Answer, refuseWith } from './answers.ts'

/** Beyond this many, the longest idle clients are dropped, and start with a full bucket again. */
const MAX_BUCKETS = 1000

/** Counts a request of the client; returns a refusal beyond the limit. */
export type Throttle = (clientId: string) => Answer | undefined

/** A request costs `REQUEST_COST`, and every millisecond adds the limit: whole numbers do not drift. */
const REQUEST_COST = 60_000

interface Bucket {
  readonly left: number
  readonly at: number
}

/** A bucket per client holds the requests of one minute and fills evenly. */
export function createThrottle(clock: Clock, switches: Switches): Throttle {
  /** In the order of the clients' last requests. */
  const buckets = new Map<string, Bucket>()

  return (clientId) => {
    const limit = switches.rateLimitPerMinute
    if (limit === 0) return undefined
    const now = clock.now()
    const left = computeLeft(buckets.get(clientId), limit, now)
    const isEnough = left >= REQUEST_COST
    buckets.delete(clientId)
    buckets.set(clientId, { left: isEnough ? left - REQUEST_COST : left, at: now })
    removeIdleBucket(buckets)
    return isEnough
      ? undefined
      : refuseThrottled(Math.ceil((REQUEST_COST - left) / limit / 1000), now, switches)
  }
}

/** 429 with a Retry-After in the form of the switch. */
export function refuseThrottled(seconds: number, now: number, switches: Pick<Switches, 'retryAfter'>) {
  const wait = `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
  const header = formatRetryAfter(seconds, switches.retryAfter, now)
  return refuseWith(429, `Request was throttled. Expected available in ${wait}.`, { 'retry-after': header })
}

/** A clock that was set back adds nothing, and a lower limit cuts the bucket down. */
function computeLeft(bucket: Bucket | undefined, limit: number, now: number): number {
  const full = limit * REQUEST_COST
  if (bucket === undefined) return full
  return Math.min(full, bucket.left + Math.max(0, now - bucket.at) * limit)
}

function removeIdleBucket(buckets: Map<string, Bucket>): void {
  const [quietest] = buckets.keys()
  if (buckets.size > MAX_BUCKETS && quietest !== undefined) buckets.delete(quietest)
}

/** The clock of the service, with the skew of the switch at the moment of reading. */
export function skewClock(clock: Clock, switches: Pick<Switches, 'clockSkewMs'>): Clock {
  return { now: () => clock.now() + switches.clockSkewMs, sleep: (ms, signal) => clock.sleep(ms, signal) }
}

/** `Sat, 21 Nov 2026 02:15:00 GMT`; the part of a second is dropped. */
export function formatHttpDate(ms: number): string {
  return new Date(ms).toUTCString()
}

/** The value of a Retry-After header. A date is never too early, although it has no parts of a second. */
function formatRetryAfter(seconds: number, form: Switches['retryAfter'], now: number): string {
  return form === 'seconds' ? String(seconds) : formatHttpDate(Math.ceil(now / 1000) * 1000 + seconds * 1000)
}
