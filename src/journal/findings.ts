/** What a check of the journal found: all of it counted, the first of it kept. */
import type { Finding } from '../domain/audit.ts'
import type { EventTable } from './schema.ts'

/** As many as a person reads. */
const KEPT = 100

export interface Findings {
  add(about: Finding['about'], id: string | number, message: string, event?: Told): void
  count(): number
  /** In the order of their events. */
  list(): Finding[]
}

/** The event that tells how it should be. */
type Told = Pick<EventTable, 'id' | 'at'>

export function findings(): Findings {
  let count = 0
  const kept: Finding[] = []
  return {
    add(about, id, message, event) {
      count++
      if (kept.length >= KEPT) return
      kept.push({
        about,
        id: String(id),
        message,
        ...(event === undefined ? {} : { event: event.id, since: event.at }),
      })
    },
    count: () => count,
    list: () => kept.toSorted((one, other) => (one.event ?? Infinity) - (other.event ?? Infinity)),
  }
}
