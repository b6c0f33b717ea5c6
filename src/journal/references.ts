/** What the bridge has seen of the API's resources. Not bound to a route, hence to no lease. */
import { type Kysely, sql } from 'kysely'
import type { Facts, FoundResource, Journal, KnownResource, SeenResource } from '../domain/journal.ts'
import { batchOf } from './batch.ts'
import type { Tables } from './schema.ts'
import { type Store, read, write } from './store.ts'

type ReferenceCalls = Pick<
  Journal,
  'rememberResources' | 'findResources' | 'resourcesById' | 'accountsKnowing' | 'noteListRead' | 'listReadAt'
>

export function referenceCalls(store: Store): ReferenceCalls {
  return {
    rememberResources: async (account, kind, resources) => {
      if (resources.length === 0) return
      await write(store, (tables, now) => remember(tables, { account, kind, resources, now }))
    },
    findResources: (account, kind, keys) =>
      read(store, (tables) => findByKeys(tables, { account, kind, keys })),
    resourcesById: (account, kind, ids) => read(store, (tables) => findByIds(tables, { account, kind, ids })),
    accountsKnowing: (kind, key) => read(store, (tables) => accountsKnowing(tables, kind, key)),
    noteListRead: async (account, kind, readAt) => {
      await write(store, (tables) =>
        sql`
          insert into resource_lists (account, kind, read_at) values (${account}, ${kind}, ${readAt})
          on conflict (account, kind) do update set read_at = max(read_at, excluded.read_at)`.execute(tables),
      )
    },
    listReadAt: (account, kind) =>
      read(store, async (tables) => {
        const { rows } = await sql<{ read_at: number }>`
          select read_at from resource_lists where account = ${account} and kind = ${kind}`.execute(tables)
        return rows[0]?.read_at
      }),
  }
}

interface Sighting {
  readonly account: string
  readonly kind: string
  readonly resources: readonly SeenResource[]
  readonly now: number
}

/** Names that a resource no longer has are forgotten with the sighting that shows all it has. */
async function remember(tables: Kysely<Tables>, { account, kind, resources, now }: Sighting): Promise<void> {
  const batch = batchOf(resources, {
    id: ({ id }) => id,
    keys: ({ keys }) => [...new Set(keys)],
    all_keys: ({ some }) => (some ? 0 : 1),
    facts: ({ facts }) => facts && JSON.stringify(facts),
  })
  await sql`
    delete from resource_keys where (kind, key, account, id) in (
      select ${kind}, old.value, ${account}, resources.id
      from ${batch} cross join resources cross join json_each(resources.keys) as old
      where resources.account = ${account} and resources.kind = ${kind} and resources.id = batch.id
        and batch.all_keys = 1 and old.value not in (select value from json_each(batch.keys)))`.execute(
    tables,
  )
  await sql`
    insert into resources (account, kind, id, keys, facts, seen_at)
    select ${account}, ${kind}, batch.id,
      case when batch.all_keys = 1 then batch.keys else (
        select json_group_array(value) from (
          select value from json_each(coalesce(known.keys, '[]')) union select value from json_each(batch.keys))) end,
      batch.facts, ${now}
    from ${batch} left join resources as known
      on known.account = ${account} and known.kind = ${kind} and known.id = batch.id
    where true
    on conflict (account, kind, id) do update set
      keys = excluded.keys,
      facts = coalesce(excluded.facts, facts),
      seen_at = case when excluded.facts is null then seen_at else excluded.seen_at end`.execute(tables)
  await sql`
    insert into resource_keys (kind, key, account, id)
    select ${kind}, named.value, ${account}, batch.id from ${batch} cross join json_each(batch.keys) as named where true
    on conflict do nothing`.execute(tables)
}

interface ResourceRow {
  readonly id: string
  readonly keys: string
  readonly facts: string | null
  readonly seen_at: number
}

interface Asked {
  readonly account: string
  readonly kind: string
}

async function findByKeys(
  tables: Kysely<Tables>,
  { account, kind, keys }: Asked & { readonly keys: readonly string[] },
): Promise<FoundResource[]> {
  const batch = batchOf([...new Set(keys)], { key: (key) => key })
  const { rows } = await sql<ResourceRow & { readonly key: string }>`
    select found.key, resources.id, resources.keys, resources.facts, resources.seen_at
    from ${batch} cross join resource_keys as found cross join resources
    where found.kind = ${kind} and found.key = batch.key and found.account = ${account}
      and resources.account = ${account} and resources.kind = ${kind} and resources.id = found.id
    order by found.key, resources.id`.execute(tables)
  return rows.map((row) => ({ key: row.key, ...knownOf(row) }))
}

async function findByIds(
  tables: Kysely<Tables>,
  { account, kind, ids }: Asked & { readonly ids: readonly string[] },
): Promise<KnownResource[]> {
  const batch = batchOf([...new Set(ids)], { id: (id) => id })
  const { rows } = await sql<ResourceRow>`
    select resources.id, resources.keys, resources.facts, resources.seen_at
    from ${batch} cross join resources
    where resources.account = ${account} and resources.kind = ${kind} and resources.id = batch.id
    order by resources.id`.execute(tables)
  return rows.map(knownOf)
}

function knownOf(row: ResourceRow): KnownResource {
  return {
    id: row.id,
    keys: JSON.parse(row.keys),
    seenAt: row.seen_at,
    ...(row.facts === null ? {} : { facts: JSON.parse(row.facts) as Facts }),
  }
}

/** As many as a message can name. */
const ACCOUNTS_MAX = 5

async function accountsKnowing(tables: Kysely<Tables>, kind: string, key: string): Promise<string[]> {
  const { rows } = await sql<{ account: string }>`
    select distinct account from resource_keys where kind = ${kind} and key = ${key}
    order by account limit ${ACCOUNTS_MAX}`.execute(tables)
  return rows.map(({ account }) => account)
}
