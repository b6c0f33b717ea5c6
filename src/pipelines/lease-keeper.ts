/** What keeps a process that was stopped and wakes up late from doing what its successor is doing by now. */
import type { Permit } from '../domain/api.ts'
import type { Journal, Lease } from '../domain/journal.ts'
import type { Clock } from '../support/clock.ts'

/** A lease renewed so short a time ago, as a part of its length, is as good as one renewed now. */
const FRESH_PART = 1 / 3

export interface LeaseKeeper {
  /** Waits for a write that renews the lease, and remembers when that was. */
  readonly writing: <Result>(work: Promise<Result>) => Promise<Result>
  /** Before a request leaves. */
  readonly permit: Permit
  /** Throws `lease-lost` when somebody else has taken the route over; asks only when the lease was not renewed just now. */
  readonly fresh: () => Promise<void>
}

/**
 * Begins right after a write that renewed the lease, or before one made by `writing`, and knows when it was last renewed. Two clocks are asked: the ticks of
 * the processor may stand still while the machine sleeps, the time of day may be set.
 */
export function keepLease({
  journal,
  lease,
  clock,
}: {
  readonly journal: Journal
  readonly lease: Lease
  readonly clock: Clock
}): LeaseKeeper {
  const moment = () => ({ at: clock.now(), ticks: performance.now() })
  const freshMs = lease.ttlMs * FRESH_PART
  let renewed = moment()
  const holds = () => {
    const now = moment()
    const ago = now.at - renewed.at
    return ago >= 0 && ago <= freshMs && now.ticks - renewed.ticks <= freshMs
  }
  const writing = async <Result>(work: Promise<Result>): Promise<Result> => {
    const began = moment()
    const result = await work
    renewed = began
    return result
  }
  const renew = () => writing(journal.renewLease(lease))
  return {
    writing,
    permit: { holds, renew },
    fresh: async () => {
      if (!holds()) await renew()
    },
  }
}
