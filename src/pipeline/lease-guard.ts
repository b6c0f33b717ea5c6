/** Keeps a process that wakes up late from doing what its successor is doing by now. */
import type { Journal } from '../domain/journal.ts'
import type { Lease } from '../domain/lease.ts'
import type { Clock } from '../support/clock.ts'

/** A lease renewed so short a time ago, as a part of its length, is as good as one renewed now. */
const FRESH_SHARE = 1 / 3

export type LeaseGuard = ReturnType<typeof createLeaseGuard>

/**
 * Begins right after a write that renewed the lease, or before one made by `writing`, and knows when it was last renewed. Two clocks are asked: the ticks of
 * the processor may stand still while the machine sleeps, the time of day may be set.
 */
export function createLeaseGuard({
  journal,
  lease,
  clock,
}: {
  journal: Journal
  lease: Lease
  clock: Clock
}) {
  const moment = () => ({ at: clock.now(), ticks: performance.now() })
  const freshMs = lease.ttlMs * FRESH_SHARE
  let renewed = moment()
  const isValid = () => {
    const now = moment()
    const ago = now.at - renewed.at
    return ago >= 0 && ago <= freshMs && now.ticks - renewed.ticks <= freshMs
  }
  /** Waits for a write that renews the lease, and remembers when that was. */
  const writeWithLease = async <Result>(work: Promise<Result>): Promise<Result> => {
    const began = moment()
    const result = await work
    renewed = began
    return result
  }
  const renew = () => writeWithLease(journal.renewLease(lease))
  return {
    writeWithLease,
    /** Before a request leaves. */
    leaseCheck: { isValid, renew },
    /** Throws `lease-lost` when somebody else has the route; asks only when the lease was not renewed just now. */
    assertHeld: async () => {
      if (!isValid()) await renew()
    },
  }
}
