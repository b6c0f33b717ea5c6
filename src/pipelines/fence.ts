/** What keeps a process that was stopped and wakes up late from leaving files beside those of its successor. */
import type { Journal, Lease } from '../domain/journal.ts'

/** A lease renewed so short a time ago, as a part of its length, is as good as one renewed now. */
const FRESH_PART = 1 / 3

/**
 * A function that throws `lease-lost` when somebody else has taken the route over. Begins right after a write that renewed
 * the lease. Both clocks are asked: the one of the processor stands still while the machine sleeps, the other may be set.
 */
export function leaseFence({
  journal,
  lease,
}: {
  readonly journal: Journal
  readonly lease: Lease
}): () => Promise<void> {
  let renewed = moment()
  return async () => {
    const now = moment()
    const ago = now.at - renewed.at
    const freshMs = lease.ttlMs * FRESH_PART
    if (ago >= 0 && ago <= freshMs && now.ticks - renewed.ticks <= freshMs) return
    await journal.renewLease(lease)
    renewed = now
  }
}

function moment() {
  return { at: Date.now(), ticks: performance.now() }
}
