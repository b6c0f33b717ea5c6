/** Stores the resources that the API showed, and order attributes. They belong to no route, so they need no lease. */
import { sql } from 'kysely'
import type { Journal } from '../domain/journal.ts'
import type { KnownResource, OrderAttributes, ResourceFacts, SeenResource } from '../domain/resource.ts'
import { DAY_MS } from '../support/clock.ts'
import { jsonRows } from './rows.ts'
import type { Db, Row } from './schema.ts'
import type { BoundStore } from './store.ts'

export function createResourceJournal({ reads, writes }: BoundStore) {
  const saveSeen = writes(({ db, now }, account: string, kind: string, resources: readonly SeenResource[]) =>
    saveResources(db, { account, kind, resources, now }),
  )
  const saveKept = writes(({ db, now }, account: string, kept: readonly OrderAttributes[]) =>
    saveOrderAttributes(db, { account, kept, now }),
  )
  return {
    saveResources: async (account, kind, resources) => {
      if (resources.length > 0) await saveSeen(account, kind, resources)
    },
    findResourcesByKey: reads(findResourcesByKey),
    findResourcesById: reads(findResourcesById),
    findAccountsWithKey: reads(findAccountsWithKey),
    listOpenOrders: reads(async (db, account, afterId, limit) => {
      const { rows } = await sql<ResourceRow>`
        select id, keys, facts, seen_at from resources
        where account = ${account} and kind = 'order' and id > ${afterId}
          and facts ->> '$.status' in ('open', 'partial')
        order by id limit ${limit}`.execute(db)
      return rows.map(toKnownResource)
    }),
    saveListReadAt: writes(async ({ db }, account, kind, readAt) => {
      await sql`
        insert into resource_lists (account, kind, read_at) values (${account}, ${kind}, ${readAt})
        on conflict (account, kind) do update set read_at = max(read_at, excluded.read_at)`.execute(db)
    }),
    getListReadAt: reads(async (db, account, kind) => {
      const { rows } = await sql<{ read_at: number }>`
        select read_at from resource_lists where account = ${account} and kind = ${kind}`.execute(db)
      return rows[0]?.read_at
    }),
    saveOrderAttributes: async (account, kept) => {
      if (kept.length > 0) await saveKept(account, kept)
    },
    findOrderAttributes: reads(selectOrderAttributes),
  } satisfies Partial<Journal>
}

/** Removes names that a resource no longer has when an answer shows all its names. */
async function saveResources(
  db: Db,
  input: { account: string; kind: string; resources: readonly SeenResource[]; now: number },
): Promise<void> {
  const { account, kind, resources, now } = input
  // Each statement expands the batch anew, so the facts are only in that of the one that stores them.
  const names = { id: 'id', keys: ({ keys }: SeenResource) => [...new Set(keys)] } as const
  const isNamedWhole = ({ some }: SeenResource) => (some ? 0 : 1)
  await sql`
    delete from resource_keys where (kind, key, account, id) in (
      select ${kind}, old.value, ${account}, resources.id
      from ${jsonRows(resources, { ...names, all_keys: isNamedWhole })} cross join resources
        cross join json_each(resources.keys) as old
      where resources.account = ${account} and resources.kind = ${kind} and resources.id = batch.id
        and resources.keys <> batch.keys
        and batch.all_keys = 1 and old.value not in (select value from json_each(batch.keys)))`.execute(db)
  const seen = jsonRows(
    resources,
    { ...names, all_keys: isNamedWhole, seen_at: ({ seenAt = now }) => seenAt },
    { facts: ({ facts }) => facts && JSON.stringify(facts) },
  )
  await sql`
    insert into resources (account, kind, id, keys, facts, seen_at)
    select ${account}, ${kind}, batch.id,
      case when batch.all_keys = 1 then batch.keys else (
        select json_group_array(value) from (
          select value from json_each(coalesce(known.keys, '[]')) union select value from json_each(batch.keys))) end,
      batch.facts, batch.seen_at
    from ${seen} left join resources as known
      on known.account = ${account} and known.kind = ${kind} and known.id = batch.id
    where true
    on conflict (account, kind, id) do update set
      keys = excluded.keys,
      facts = coalesce(excluded.facts, facts),
      seen_at = case when excluded.facts is null then seen_at else excluded.seen_at end`.execute(db)
  await sql`
    insert into resource_keys (kind, key, account, id)
    select ${kind}, named.value, ${account}, batch.id
    from ${jsonRows(resources, names)} cross join json_each(batch.keys) as named where true
    on conflict do nothing`.execute(db)
}

type ResourceRow = Pick<Row<'resources'>, 'id' | 'keys' | 'facts' | 'seen_at'>

async function findResourcesByKey(db: Db, account: string, kind: string, keys: readonly string[]) {
  const batch = jsonRows([...new Set(keys)], { key: (key) => key })
  const { rows } = await sql<ResourceRow & { readonly key: string }>`
    select found.key, resources.id, resources.keys, resources.facts, resources.seen_at
    from ${batch} cross join resource_keys as found cross join resources
    where found.kind = ${kind} and found.key = batch.key and found.account = ${account}
      and resources.account = ${account} and resources.kind = ${kind} and resources.id = found.id
    order by found.key, resources.id`.execute(db)
  return rows.map((row) => ({ key: row.key, ...toKnownResource(row) }))
}

async function findResourcesById(
  db: Db,
  account: string,
  kind: string,
  ids: readonly string[],
): Promise<KnownResource[]> {
  const batch = jsonRows([...new Set(ids)], { id: (id) => id })
  const { rows } = await sql<ResourceRow>`
    select resources.id, resources.keys, resources.facts, resources.seen_at
    from ${batch} cross join resources
    where resources.account = ${account} and resources.kind = ${kind} and resources.id = batch.id
    order by resources.id`.execute(db)
  return rows.map(toKnownResource)
}

export function toKnownResource(row: ResourceRow): KnownResource {
  return {
    id: row.id,
    keys: JSON.parse(row.keys),
    seenAt: row.seen_at,
    ...(row.facts === null ? {} : { facts: JSON.parse(row.facts) as ResourceFacts }),
  }
}

/** As many accounts as a message can name. */
const MAX_ACCOUNTS = 5

async function findAccountsWithKey(db: Db, kind: string, key: string): Promise<string[]> {
  const { rows } = await sql<{ account: string }>`
    select distinct account from resource_keys where kind = ${kind} and key = ${key}
    order by account limit ${MAX_ACCOUNTS}`.execute(db)
  return rows.map(({ account }) => account)
}

// Order attributes: values that the API does not store.

/** An unchanged value is not written again each time; its time is refreshed once a day. */
const REFRESH_EVERY_MS = DAY_MS

export async function saveOrderAttributes(
  db: Db,
  { account, kept, now }: { account: string; kept: readonly OrderAttributes[]; now: number },
): Promise<void> {
  const cells = kept.flatMap(({ key, values }) =>
    Object.entries(values).map(([name, value]) => ({ key, name, value })),
  )
  if (cells.length === 0) return
  const batch = jsonRows(cells, { key: 'key', name: 'name', value: 'value' })
  await sql`
    insert into order_attributes (account, key, name, value, kept_at)
    select ${account}, key, name, value, ${now} from ${batch} where true
    on conflict (account, key, name) do update set value = excluded.value, kept_at = excluded.kept_at
      where value <> excluded.value or kept_at < excluded.kept_at - ${REFRESH_EVERY_MS}`.execute(db)
}

async function selectOrderAttributes(db: Db, account: string, keys: readonly string[]) {
  const batch = jsonRows([...new Set(keys)], { key: (key) => key })
  const { rows } = await sql<{ key: string; name: string; value: string }>`
    select order_attributes.key, order_attributes.name, order_attributes.value
    from ${batch} cross join order_attributes
    where order_attributes.account = ${account} and order_attributes.key = batch.key`.execute(db)
  const found = new Map<string, Record<string, string>>()
  for (const { key, name, value } of rows) found.set(key, { ...found.get(key), [name]: value })
  return found
}
