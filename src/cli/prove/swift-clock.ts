/** A clock that jumps instead of waiting, so that hundreds of crashes and late answers take seconds. */
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../support/clock.ts'

export interface SwiftClock extends Clock {
  /** Lets time pass at once. */
  readonly skip: (ms: number) => void
}

/**
 * Others get their turn, as they would while somebody really waits: as many as it takes for a request that nobody waits for
 * any more to be accepted, read, queued and done by the service in this process.
 */
const TURNS = 20

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
      for (let turn = 0; turn < TURNS; turn++) await setImmediate()
    },
  }
}
