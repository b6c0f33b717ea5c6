/** Names that are spelt much like one that nobody knows. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Meant } from '../domain/trace.ts'
import { nearestNames, spokenName } from '../support/nearest.ts'
import { batchOf } from './batch.ts'
import { present } from './present.ts'
import type { Tables } from './schema.ts'
import { TRACED_KINDS } from './ties.ts'

/** How many names of each sort are compared. */
const COMPARED_MAX = 2000

const KINDS = sql.join(TRACED_KINDS.map((kind) => sql.lit(kind)))

/** What begins alike is looked for by the indexes; of files and deliveries the latest are compared. */
export async function namesNear(tables: Kysely<Tables>, key: string, limit: number): Promise<string[]> {
  const heads = batchOf(headsOf(key), { head: (head) => head })
  const { rows } = await sql<{ name: string }>`
    select distinct name from (
      select * from (select name from files order by number desc limit ${COMPARED_MAX})
      union all
      select * from (select name from deliveries order by composed_at desc limit ${COMPARED_MAX})
      union all
      select * from (
        select key as name from ${heads} cross join resource_keys
        where kind in (${KINDS}) and key >= head and key < head || char(1114111) limit ${COMPARED_MAX})
      union all
      select * from (
        select substr(one, 6) as name from ${heads} cross join ties
        where one >= 'name ' || head and one < 'name ' || head || char(1114111) limit ${COMPARED_MAX})
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

/** Names come in the case that they were typed in, or in another. */
function headsOf(key: string): string[] {
  const head = key.slice(0, Math.max(1, Math.ceil(key.length / 2)))
  return [...new Set([head, head.toUpperCase(), head.toLowerCase()])]
}

/** Looks through all names: a question for when nothing was found, and no index has them without dashes. */
export async function whatMayBeMeant(tables: Kysely<Tables>, key: string, limit: number): Promise<Meant> {
  const spoken = spokenName(key)
  const found = spoken === '' ? [] : await namesLike(tables, key)
  const same = [...new Set(found)].filter((name) => name !== key && spokenName(name) === spoken)
  const { rows } = await sql<{ until: number | null }>`
    select max(ended_at) as until from (
      select closed_at as ended_at from files where forgotten_at is not null
      union all
      select coalesce(acknowledged_at, delivered_at) from deliveries where forgotten_at is not null)`.execute(
    tables,
  )
  return { same: same.slice(0, limit), ...present({ forgottenUntil: rows[0]?.until ?? null }) }
}

/** The database leaves out all zeros, which lets through too many names, and none too few. */
async function namesLike(tables: Kysely<Tables>, key: string): Promise<string[]> {
  const bare = key.toLowerCase().replaceAll(/[\s_0-]/g, '')
  // Within a list of cells.
  const cell = JSON.stringify(bare)
  const { rows } = await sql<{ name: string | null; cells: string | null }>`
    select name, null as cells from files where ${bared('name')} = ${bare}
    union select name, null from deliveries where ${bared('name')} = ${bare}
    union select key, null from resource_keys where kind in (${KINDS}) and ${bared('key')} = ${bare}
    union select substr(one, 6), null from ties where one like 'name %' and ${bared('substr(one, 6)')} = ${bare}
    union select natural_key, null from records where ${bared('natural_key')} = ${bare}
    union select null, key_values from records where instr(${bared('key_values')}, ${cell}) > 0
    limit ${COMPARED_MAX}`.execute(tables)
  return rows.flatMap(({ name, cells }) => (cells === null ? (name ?? []) : (JSON.parse(cells) as string[])))
}

function bared(column: string): RawBuilder<string> {
  return sql.raw(`lower(replace(replace(replace(replace(${column}, '-', ''), '_', ''), ' ', ''), '0', ''))`)
}
