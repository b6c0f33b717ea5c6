/** Times as answers show them. */
import { isoTime } from '../support/clock.ts'

/** Null stays null. */
export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms)
}
