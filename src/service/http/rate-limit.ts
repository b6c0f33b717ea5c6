/** How many requests a client may make. Spec: "Rate limits: not shown"; there is none unless a switch sets one. */
import type { Clock } from '../../support/clock.ts'
import { type Answer, refused } from './answer.ts'
import type { Switches } from './switches.ts'
import { retryAfter } from './dates.ts'

/** The clients that have been quiet for longest are forgotten beyond this many, and start with a full bucket again. */
const MOST_BUCKETS = 1000

export interface ThrottleParts {
  readonly clock: Clock
  readonly switches: Pick<Switches, 'rateLimitPerMinute' | 'retryAfter'>
}

/** Counts a request of the client; the refusal when that is one too many. */
export type Throttle = (clientId: string) => Answer | undefined

/** A request costs `COST`, and every millisecond fills in the limit: whole numbers, which do not drift. */
const COST = 60_000

interface Bucket {
  readonly left: number
  readonly at: number
}

/** A bucket per client holds the requests of one minute and fills evenly. */
export function createThrottle({ clock, switches }: ThrottleParts): Throttle {
  /** In the order in which the clients were last heard of. */
  const buckets = new Map<string, Bucket>()

  return (clientId) => {
    const limit = switches.rateLimitPerMinute
    if (limit === 0) return undefined
    const now = clock.now()
    const left = leftNow(buckets.get(clientId), limit, now)
    const isEnough = left >= COST
    buckets.delete(clientId)
    buckets.set(clientId, { left: isEnough ? left - COST : left, at: now })
    forgetQuiet(buckets)
    return isEnough ? undefined : throttled(Math.ceil((COST - left) / limit / 1000), now, switches)
  }
}

/** 429 with a Retry-After in the form the switch says. */
export function throttled(seconds: number, now: number, switches: Pick<Switches, 'retryAfter'>): Answer {
  const wait = `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
  const header = retryAfter(seconds, switches.retryAfter, now)
  return refused(429, `Request was throttled. Expected available in ${wait}.`, { 'retry-after': header })
}

/** A clock that was set back fills nothing, and a lower limit takes away what is above it. */
function leftNow(bucket: Bucket | undefined, limit: number, now: number): number {
  const full = limit * COST
  if (bucket === undefined) return full
  return Math.min(full, bucket.left + Math.max(0, now - bucket.at) * limit)
}

function forgetQuiet(buckets: Map<string, Bucket>): void {
  const [quietest] = buckets.keys()
  if (buckets.size > MOST_BUCKETS && quietest !== undefined) buckets.delete(quietest)
}
