/** Keeps a process that wakes up late from doing work that its successor does by now. */
import type { Journal } from '../domain/journal.ts'
import type { Lease } from '../domain/lease.ts'
import type { Clock } from '../support/clock.ts'

/** A lease counts as just renewed for this part of its length. */
const FRESH_SHARE = 1 / 3

export type LeaseGuard = ReturnType<typeof createLeaseGuard>

/**
 * Remembers when the lease was last renewed. Make it after a write that renewed the lease, or before one by `writeWithLease`.
 * It reads two clocks: the ticks of the processor may pause while the machine sleeps, and the time of day may be set.
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
  /** Waits for a write that renews the lease, and remembers when the write started. */
  const writeWithLease = async <Result>(work: Promise<Result>): Promise<Result> => {
    const began = moment()
    const result = await work
    renewed = began
    return result
  }
  const renew = () => writeWithLease(journal.renewLease(lease))
  return {
    writeWithLease,
    /** For the check right before a request leaves. */
    leaseCheck: { isValid, renew },
    /** Throws `lease-lost` when another bridge has the route. Asks the journal only when the lease was not renewed just now. */
    assertHeld: async () => {
      if (!isValid()) await renew()
    },
  }
}
