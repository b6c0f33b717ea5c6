/** How long a route that failed, or left something unfinished, is left in peace. */
import type { FailureCode } from '../../support/errors.ts'

const FIRST_MS = 5_000
const LONGEST_MS = 5 * 60_000

/** Twice as long each time, to a quarter more or less, so that routes that failed together do not try together. */
export function pauseAfter(failures: number, random: () => number): number {
  const ms = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10))
  return ms * (0.75 + random() / 2)
}

/** Somebody else is at work; that is no failure, and over soon. */
export const OTHERS_AT_WORK = ['lease-held', 'lease-lost', 'journal-busy'] as const satisfies FailureCode[]

/** With these nothing can go on, and trying again would do harm or nothing. */
export const HOPELESS = [
  'journal-damaged',
  'journal-newer',
  'journal-altered',
  'journal-older',
] as const satisfies FailureCode[]
