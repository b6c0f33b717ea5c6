/** What the parts of the check share. */
import type { Kysely } from 'kysely'
import type { EventDetail } from './event-detail.ts'
import type { Findings } from './findings.ts'
import type { IdSet } from './id-set.ts'
import type { EventTable, Tables } from './schema.ts'

/** An event with what it says. */
export interface Told {
  readonly event: EventTable
  readonly detail: EventDetail
}

/** What was met of each record, on the way from the last event to the first. */
export interface Met {
  readonly state: IdSet
  readonly http: IdSet
  readonly apiId: IdSet
  readonly planned: IdSet
  readonly attached: IdSet
  readonly forgotten: IdSet
  /** Those of the above that are in the table. */
  readonly there: IdSet
}

/** How many records are compared with one question. */
export const AT_ONCE = 1000

export function* inParts(ids: readonly number[]): Generator<readonly number[]> {
  for (let start = 0; start < ids.length; start += AT_ONCE) yield ids.slice(start, start + AT_ONCE)
}

export interface Check {
  readonly tables: Kysely<Tables>
  readonly found: Findings
  readonly met: Met
}
