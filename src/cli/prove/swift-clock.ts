/** A clock that jumps instead of waiting, so that hundreds of crashes and late answers take seconds. */
import type { Clock } from '../../support/clock.ts'

export interface SwiftClock extends Clock {
  /** Lets time pass at once. */
  readonly skip: (ms: number) => void
}

export function swiftClock(): SwiftClock {
  let skipped = 0
  const skip = (ms: number) => {
    skipped += Math.ceil(ms)
  }
  return {
    now: () => Date.now() + skipped,
    skip,
    sleep: async (ms) => {
      skip(ms)
      // Others get their turn, as they would while somebody really waits.
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
