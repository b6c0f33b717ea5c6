/** Names that are spelt much like one that nobody knows. */
import { type Kysely, sql } from 'kysely'
import { nearestNames } from '../support/nearest.ts'
import type { Tables } from './schema.ts'

/** How many names of each sort are compared. */
const COMPARED_MAX = 2000

/** What begins alike is looked for by the indexes; of files and deliveries the latest are compared. */
export async function namesNear(tables: Kysely<Tables>, key: string, limit: number): Promise<string[]> {
  const head = key.slice(0, Math.max(1, Math.ceil(key.length / 2)))
  const { rows } = await sql<{ name: string }>`
    select distinct name from (
      select * from (select name from files order by number desc limit ${COMPARED_MAX})
      union all
      select * from (select name from deliveries order by composed_at desc limit ${COMPARED_MAX})
      union all
      select * from (
        select key as name from resource_keys
        where kind in ('order', 'shipment', 'invoice', 'credit', 'return', 'variant')
          and key >= ${head} and key < ${head} || char(1114111) limit ${COMPARED_MAX})
      union all
      select * from (
        select coalesce(key_values ->> '$[0]', '') as name from records
        where state = 'rejected' and file_id is not null limit ${COMPARED_MAX})
      union all
      select * from (
        select coalesce(key_values ->> '$[0]', '') as name from records
        where state = 'held' and file_id is not null limit ${COMPARED_MAX})
    ) where name <> ''`.execute(tables)
  return nearestNames(
    key,
    rows.map(({ name }) => name),
    limit,
  )
}
