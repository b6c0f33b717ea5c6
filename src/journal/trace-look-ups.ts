/** How a record came to be known whose answer was lost: the chain tells. */
import { type Kysely, sql } from 'kysely'
import type { RecordState } from '../domain/record.ts'
import type { TracedLookUp } from '../domain/trace.ts'
import { EventDetailSchema } from './event-detail.ts'
import { eachOf } from './ids.ts'
import type { EventTable, Tables } from './schema.ts'

/** Each is one search for up to some hundred records; of a route that lost more, the last are looked through. */
const EVENTS_MAX = 10_000
const LOOK_UPS_MAX = 20

/** Oldest first; none from before the chain. */
export async function lookUpsOf(tables: Kysely<Tables>, record: number): Promise<TracedLookUp[]> {
  const { rows } = await sql<Pick<EventTable, 'at' | 'detail'>>`
    select events.at, events.detail from records cross join events
    where records.id = ${record} and events.kind = 'records-settled' and events.route = records.route
    order by events.id desc limit ${EVENTS_MAX}`.execute(tables)
  const found: TracedLookUp[] = []
  for (const { at, detail } of rows) {
    if (found.length === LOOK_UPS_MAX) break
    found.push(...toldOf(detail, record).map((told) => ({ at, ...told })))
  }
  return found.toReversed()
}

function toldOf(detail: string, record: number): Omit<TracedLookUp, 'at'>[] {
  const read = EventDetailSchema.safeParse(JSON.parse(detail))
  // The check of the chain tells of what no event says.
  if (!read.success) return []
  return (read.data.records ?? []).flatMap(({ state, ids, api }) => {
    const place = [...eachOf(ids)].indexOf(record)
    if (place === -1) return []
    const apiId = api?.[place]
    return [{ state: state as RecordState, ...(apiId === undefined ? {} : { apiId }) }]
  })
}
