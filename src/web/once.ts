/** Carries out a form once, however often it is sent: the second answer is the first one's. */
import { randomBytes } from 'node:crypto'
import type { ActionOutcome } from './page.ts'

const ONCE_BYTES = 16

const ONCE = /^[\w-]{22}$/

/** More are not remembered: the oldest are removed, and their records have changed since. */
const REMEMBERED_MAX = 1_000

export function createOnce() {
  const outcomes = new Map<string, Promise<ActionOutcome | undefined>>()
  return {
    create: () => randomBytes(ONCE_BYTES).toString('base64url'),
    isOnce: (text = '') => ONCE.test(text),
    run(key: string, work: () => Promise<ActionOutcome | undefined>): Promise<ActionOutcome | undefined> {
      const known = outcomes.get(key)
      if (known !== undefined) return known
      const outcome = work()
      outcomes.set(key, outcome)
      const [oldest] = outcomes.keys()
      if (outcomes.size > REMEMBERED_MAX && oldest !== undefined) outcomes.delete(oldest)
      // What was refused may be mended and sent again.
      void outcome.then(
        (done) => {
          if (done === undefined || !('to' in done)) outcomes.delete(key)
        },
        () => outcomes.delete(key),
      )
      return outcome
    },
  }
}
