/** Forgetting what the API showed and what is kept beside orders, where it was not seen or kept again since. */
import { type Kysely, sql } from 'kysely'
import { batchOf } from './batch.ts'
import type { Tables } from './schema.ts'
import { keepTies, type Shown } from './ties.ts'

const AT_ONCE = 1000

interface ResourceRow {
  readonly place: number
  readonly account: string
  readonly kind: string
  readonly id: string
  readonly keys: string
  readonly facts: string | null
}

/**
 * Some of those behind the place where the last call ended; `last` is undefined when there were none. Their names, and of
 * which order they are, stay for those who look for them; no lookup of the bridge goes by these.
 */
export async function forgetResources(
  tables: Kysely<Tables>,
  before: number,
  after: number,
): Promise<{ readonly resources: number; readonly last: number | undefined }> {
  const { rows } = await sql<ResourceRow>`
    select rowid as place, account, kind, id, keys, facts from resources
    where rowid > ${after} and seen_at < ${before} order by rowid limit ${AT_ONCE}`.execute(tables)
  const last = rows.at(-1)?.place
  if (last === undefined) return { resources: 0, last }
  const batch = batchOf(rows, {
    place: (row) => row.place,
    account: (row) => row.account,
    kind: (row) => row.kind,
    id: (row) => row.id,
    keys: (row) => JSON.parse(row.keys) as string[],
  })
  await keepTies(
    tables,
    rows.map(({ kind, id, keys, facts }) => ({
      kind,
      id,
      keys: JSON.parse(keys) as string[],
      ...(facts === null ? {} : { facts: JSON.parse(facts) as Shown }),
    })),
  )
  await sql`
    delete from resource_keys where (kind, key, account, id) in (
      select batch.kind, named.value, batch.account, batch.id
      from ${batch} cross join json_each(batch.keys) as named)`.execute(tables)
  await sql`delete from resources where rowid in (select batch.place from ${batch})`.execute(tables)
  // A list that was read says that what is not known is not there: of what is forgotten, that is not true any more.
  await sql`
    delete from resource_lists where (account, kind) in (select batch.account, batch.kind from ${batch})`.execute(
    tables,
  )
  return { resources: rows.length, last }
}

export async function forgetKeptValues(tables: Kysely<Tables>, before: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from kept_values where (account, key, name) in (
      select account, key, name from kept_values where kept_at < ${before} limit ${AT_ONCE})`.execute(tables)
  return Number(numAffectedRows)
}
