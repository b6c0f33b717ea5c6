/** Keeps something fresh while the bridge watches: soon after a change, at least every minute, and never at any cost. */
import { type Clock, elapsed } from '../support/clock.ts'

export interface KeeperOptions {
  readonly clock: Clock
  /** What is done each time; it must not throw. */
  readonly refresh: () => Promise<void>
}

export interface Keeper {
  /** Something has changed. */
  readonly touch: () => void
  /** Refreshes once more, unless that takes long, and ends. */
  close(): Promise<void>
}

const EVERY_MS = 60_000

/** Many files in a row are one change. */
const GATHER_MS = 3000

/** A refresh takes at most a twentieth of the time, however much there is to count. */
const COST_FACTOR = 20

/** What only waited, as for a mailbox that does not answer, cost little; and people wait for what is kept fresh. */
const REST_MS_MAX = 5 * 60_000

/** A mailbox that does not answer must not keep the program from ending. */
const CLOSING_MS = 5000

export function keepFresh({ clock, refresh }: KeeperOptions): Keeper {
  const end = new AbortController()
  let wake = new AbortController()
  let isTouched = false

  const loop = async () => {
    while (!end.signal.aborted) {
      const began = elapsed(clock)
      isTouched = false
      await refresh()
      const cost = elapsed(clock) - began
      const rest = Math.min(REST_MS_MAX, Math.max(GATHER_MS, cost * COST_FACTOR))
      await clock.sleep(rest, end.signal)
      if (isTouched || end.signal.aborted) continue
      wake = new AbortController()
      await clock.sleep(EVERY_MS, AbortSignal.any([wake.signal, end.signal]))
    }
  }
  const running = loop()
  return {
    touch: () => {
      isTouched = true
      wake.abort()
    },
    async close() {
      end.abort()
      await withinTime(
        CLOSING_MS,
        running.then(() => refresh()),
      )
    },
  }
}

async function withinTime(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, over])
  clearTimeout(timer)
}
