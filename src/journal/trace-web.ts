/** What belongs together: from one key to the orders behind it, and from these to all that the API has shown of them. */
import { type Kysely, sql } from 'kysely'
import type { TracedResource } from '../domain/trace.ts'
import { batchOf } from './batch.ts'
import type { Tables } from './schema.ts'
import { relativesOf, type Shown, TRACED_KINDS, tiedTo } from './ties.ts'

/** Keys and ids that are found to be of one order, or of what a key fits. */
export interface Web {
  /** Keys of records: the one that was asked for, and the purchase order numbers behind it. */
  readonly keys: Set<string>
  /** Ids at the API by kind, as `order 12`. */
  readonly ids: Set<string>
  readonly resources: Map<string, TracedResource>
}

/** Beyond so many of one sort, a key fits half of the world, and the rest tells nobody anything. */
const WEB_MAX = 200
/** From a tracking number to its order, and from there to the other shipments; what is further away is no relative. */
const ROUNDS_MAX = 3

export function newWeb(keys: readonly string[]): Web {
  return { keys: new Set(keys.slice(0, WEB_MAX)), ids: new Set(), resources: new Map() }
}

/** Resources of that name; where there are none, those with that id. Gives the ids of these alone. */
export async function addNamed(tables: Kysely<Tables>, web: Web, key: string): Promise<ReadonlySet<string>> {
  const { rows: named } = await sql<ResourceRow>`
    select resources.account, resources.kind, resources.id, resources.keys, resources.facts, resources.seen_at
    from resource_keys as called cross join resources
    where called.kind in (${KINDS}) and called.key = ${key} and resources.account = called.account
      and resources.kind = called.kind and resources.id = called.id limit ${WEB_MAX}`.execute(tables)
  const rows =
    named.length > 0 || !/^\d+$/.test(key)
      ? named
      : await byIds(
          tables,
          TRACED_KINDS.map((kind) => `${kind} ${key}`),
        )
  addAll(web, rows)
  const forgotten = await tiedTo(tables, [`name ${key}`], WEB_MAX)
  for (const id of forgotten) add(web.ids, id)
  return new Set([...rows.map(({ kind, id }) => `${kind} ${id}`), ...forgotten])
}

/** Goes on from what is in the web until nothing new turns up. */
export async function spread(tables: Kysely<Tables>, web: Web): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const before = web.keys.size + web.ids.size + web.resources.size
    addAll(web, await byIds(tables, [...web.ids].slice(0, WEB_MAX)))
    addAll(web, await ofOrders(tables, [...web.keys].slice(0, WEB_MAX)))
    await addForgotten(tables, web)
    if (web.keys.size + web.ids.size + web.resources.size === before) return
  }
}

/** Names lead to what has them, and numbers of orders to all that is of the order. */
async function addForgotten(tables: Kysely<Tables>, { keys, ids }: Web): Promise<void> {
  const known = [...[...keys].map((key) => `number ${key}`), ...ids]
  for (const other of await tiedTo(tables, known, WEB_MAX)) {
    if (other.startsWith('number ')) add(keys, other.slice('number '.length))
    else add(ids, other)
  }
}

const KINDS = sql.join(TRACED_KINDS.map((kind) => sql.lit(kind)))

interface ResourceRow {
  readonly account: string
  readonly kind: string
  readonly id: string
  readonly keys: string
  readonly facts: string | null
  readonly seen_at: number
}

async function byIds(tables: Kysely<Tables>, ids: readonly string[]): Promise<ResourceRow[]> {
  const batch = batchOf(ids, {
    kind: (each) => each.slice(0, each.indexOf(' ')),
    id: (each) => each.slice(each.indexOf(' ') + 1),
  })
  const { rows } = await sql<ResourceRow>`
    with recursive known (account) as (
      select min(account) from resources
      union all
      select (select min(account) from resources where resources.account > known.account) from known
      where known.account is not null limit ${WEB_MAX}
    )
    select resources.account, resources.kind, resources.id, resources.keys, resources.facts, resources.seen_at
    from known cross join ${batch} cross join resources
    where resources.account = known.account and resources.kind = batch.kind and resources.id = batch.id
    limit ${WEB_MAX}`.execute(tables)
  return rows
}

/** As the index has it. */
const ORDER_NUMBER = sql`coalesce(facts ->> '$.purchase_order_number', facts ->> '$.order.purchase_order_number')`

/** The orders with these numbers, and what names them. */
async function ofOrders(tables: Kysely<Tables>, numbers: readonly string[]): Promise<ResourceRow[]> {
  const batch = batchOf(numbers, { number: (each) => each })
  const { rows } = await sql<ResourceRow>`
    select resources.account, resources.kind, resources.id, keys, facts, seen_at
    from ${batch} cross join resource_keys as called cross join resources
    where called.kind = 'order' and called.key = batch.number and resources.account = called.account
      and resources.kind = 'order' and resources.id = called.id
    union all
    select account, kind, id, keys, facts, seen_at from ${batch} cross join resources
    where kind in ('shipment', 'invoice', 'credit', 'return') and ${ORDER_NUMBER} = batch.number
    limit ${WEB_MAX}`.execute(tables)
  return rows
}

function addAll(web: Web, rows: readonly ResourceRow[]): void {
  for (const { account, kind, id, keys, facts, seen_at } of rows) {
    const resource = {
      account,
      kind,
      id,
      keys: JSON.parse(keys) as string[],
      seenAt: seen_at,
      ...(facts === null ? {} : { facts: JSON.parse(facts) as Shown }),
    }
    web.resources.set(`${account} ${kind} ${id}`, resource)
    add(web.ids, `${kind} ${id}`)
    const { numbers, ids } = relativesOf(resource)
    for (const number of numbers) add(web.keys, number)
    for (const each of ids) add(web.ids, each)
  }
}

function add(set: Set<string>, text: string): void {
  if (set.size < WEB_MAX) set.add(text)
}
