/** Slows down guessing of secrets: after some wrong ones, a client must wait longer each time. */
import { hash } from 'node:crypto'
import type { Clock } from '../../support/clock.ts'
import type { Answer } from '../http/answers.ts'
import { refuseThrottled } from '../http/rate-limit.ts'
import type { Switches } from '../switches.ts'

/** As many wrong secrets in a row are answered at once. */
const FREE_GUESSES = 5
/** The wait doubles from a second up to this. */
const WAIT_SECONDS_MAX = 60
/** Beyond this many, the client whose last wrong secret is longest ago starts anew. */
const MAX_CLIENTS = 1000

interface Guesses {
  readonly wrong: number
  /** Until when the next one is refused unread. */
  readonly waitUntil: number
}

export type GuessLimit = ReturnType<typeof createGuessLimit>

/** Counts by caller and client, so that guesses from one address do not lock out the client at another. */
export function createGuessLimit(clock: Clock, switches: Pick<Switches, 'retryAfter'>) {
  /** In the order of the last wrong secrets. */
  const known = new Map<string, Guesses>()
  const keyOf = (ip: string, clientId: string) => hash('sha256', JSON.stringify([ip, clientId]))
  return {
    /** The refusal of a guess that comes too early; undefined where the secret may be compared. */
    refuseEarly(ip: string, clientId: string): Answer | undefined {
      const now = clock.now()
      const { waitUntil = 0 } = known.get(keyOf(ip, clientId)) ?? {}
      // A clock that was set back must not lock the client out for longer than the wait.
      const left = Math.min(waitUntil - now, WAIT_SECONDS_MAX * 1000)
      return left > 0 ? refuseThrottled(Math.ceil(left / 1000), now, switches) : undefined
    },
    recordResult(ip: string, clientId: string, isCorrect: boolean): void {
      const key = keyOf(ip, clientId)
      const wrong = (known.get(key)?.wrong ?? 0) + 1
      known.delete(key)
      if (isCorrect) return
      const seconds = wrong < FREE_GUESSES ? 0 : Math.min(2 ** (wrong - FREE_GUESSES), WAIT_SECONDS_MAX)
      known.set(key, { wrong, waitUntil: clock.now() + seconds * 1000 })
      const [oldest] = known.keys()
      if (known.size > MAX_CLIENTS && oldest !== undefined) known.delete(oldest)
    },
  }
}
