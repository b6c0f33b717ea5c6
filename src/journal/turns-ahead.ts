/** Turns that were noted by a clock that was ahead of the time: they do not count, and are had again when they come. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from './schema.ts'

/** The row of a route that has its turns at intervals: only the last one counts. */
export const INTERVAL = 'every'

/** A clock is set right by seconds now and then; a date that had its turn shortly before must not have it twice for that. */
const AHEAD_MS = { date: 60 * 60_000, instant: 5 * 60_000 }

/** Rows of turns that do not count at this moment. */
export function isAhead(now: number) {
  return sql<boolean>`(state = 'ahead' or changed_at > ${now} +
    case when length(turn) = 10 then ${AHEAD_MS.date} else ${AHEAD_MS.instant} end)`
}

/** Before the clock comes to where it was and they look as if they had been had in their time. Gives which ones. */
export async function noteAhead(tables: Kysely<Tables>, route: string, now: number): Promise<string[]> {
  const { rows } = await sql<{ turn: string }>`
    update turns set state = 'ahead', changed_at = ${now}, delivery_id = null
    where route = ${route} and turn <> ${INTERVAL} and state <> 'ahead' and ${isAhead(now)}
    returning turn`.execute(tables)
  return rows.map(({ turn }) => turn)
}
