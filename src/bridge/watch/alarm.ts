/** Waiting that somebody else can cut short. */
import type { Clock } from '../../support/clock.ts'

export interface Alarm {
  /** Ends the waiting, or the next one when nobody waits. */
  readonly ring: () => void
  /** Waits for a ring, at most so long; true when there was one. */
  wait(ms: number): Promise<boolean>
}

/** At the signal it rings, and goes on ringing. */
export function createAlarm(clock: Clock, signal: AbortSignal): Alarm {
  let hasRung = false
  let wake = (): void => undefined
  const ring = () => {
    hasRung = true
    wake()
  }
  signal.addEventListener('abort', ring)
  return {
    ring,
    async wait(ms) {
      if (!hasRung && !signal.aborted) {
        const nap = new AbortController()
        wake = () => nap.abort()
        await clock.sleep(ms, nap.signal)
        wake = () => undefined
      }
      const wasRung = hasRung
      hasRung = false
      return wasRung
    },
  }
}
