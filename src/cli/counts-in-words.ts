/** How many records are in which state, for people. */
import type { StateCounts } from '../domain/record.ts'

/** `12 accepted, 3 rejected`, without the zeros. */
export function countsInWords(counts: StateCounts & { total?: number }, accepted = 'accepted'): string {
  const parts = Object.entries(counts)
    .filter(([state, count]) => state !== 'total' && count > 0)
    .map(([state, count]) => `${count} ${state === 'accepted' ? accepted : state}`)
  return parts.length > 0 ? parts.join(', ') : 'no records'
}
