/** Files of a route that came before with the same bytes. */
import { type Kysely, sql } from 'kysely'
import { problem } from '../domain/problem.ts'
import { isoTime } from '../support/clock.ts'
import type { Tables } from './schema.ts'

interface First {
  readonly id: string
  readonly name: string
  readonly received_at: number
}

/**
 * The earliest other file with these bytes that makes a second one pointless: it is still to be planned, or something
 * of it was sent or will be. Where everything was refused, held by the mapping, or held because it follows on what was refused,
 * dropping the file again is a fair second try.
 */
export async function firstWithContents(
  tables: Kysely<Tables>,
  { route, sha256, notId }: { route: string; sha256: string; notId: string },
): Promise<First | undefined> {
  const { rows } = await sql<First>`
    select id, name, received_at from files
    where route = ${route} and sha256 = ${sha256} and id <> ${notId}
      and (outcome is null or outcome = 'processed')
      and (state = 'received' or exists (
        select 1 from records where records.file_id = files.id and records.state not in ('rejected', 'skipped')
          and (records.state <> 'held' or (records.natural_key is not null
            and coalesce(records.problems ->> '$[0].code', '') <> 'earlier-step-failed'))))
    order by number limit 1`.execute(tables)
  return rows[0]
}

/** The problems, as text, of a file that comes a second time. */
export function repeated({ name, received_at }: First): string {
  const message = `The same bytes came before as ${name} on ${isoTime(received_at)}. Nothing of this file was sent.`
  return JSON.stringify([problem('file-repeated', {}, message)])
}
