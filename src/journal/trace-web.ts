/** What belongs together: from one key to the orders behind it, and from these to all that the API has shown of them. */
import { type Kysely, sql } from 'kysely'
import type { TracedResource } from '../domain/trace.ts'
import { batchOf } from './batch.ts'
import type { Tables } from './schema.ts'

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
          KIND_NAMES.map((kind) => `${kind} ${key}`),
        )
  addAll(web, rows)
  return new Set(rows.map(({ kind, id }) => `${kind} ${id}`))
}

/** Goes on from what is in the web until nothing new turns up. */
export async function spread(tables: Kysely<Tables>, web: Web): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const before = web.keys.size + web.ids.size + web.resources.size
    addAll(web, await byIds(tables, [...web.ids].slice(0, WEB_MAX)))
    addAll(web, await ofOrders(tables, [...web.keys].slice(0, WEB_MAX)))
    if (web.keys.size + web.ids.size + web.resources.size === before) return
  }
}

const KIND_NAMES = ['order', 'shipment', 'invoice', 'credit', 'return', 'variant'] as const
const KINDS = sql.join(KIND_NAMES.map((kind) => sql.lit(kind)))

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
    if (kind === 'order') addOrder(web, resource)
    else if (resource.facts !== undefined) addOrderOf(web, resource.facts)
  }
}

type Shown = Readonly<Record<string, unknown>>

function addOrder(
  web: Web,
  { keys, facts }: { readonly keys: readonly string[]; readonly facts?: Shown },
): void {
  for (const key of keys) add(web.keys, key)
  for (const [list, kind] of [
    ['shipments', 'shipment'],
    ['invoices', 'invoice'],
    ['cancels', 'cancel'],
  ] as const) {
    const shown = facts?.[list]
    if (!Array.isArray(shown)) continue
    for (const each of shown as (Shown | null)[]) addId(web, kind, each?.['id'])
  }
}

/** Spec: some resources name their order by its id, some by its number, credits by both within `order`. */
function addOrderOf(web: Web, facts: Shown): void {
  const order = typeof facts['order'] === 'object' && facts['order'] !== null ? (facts['order'] as Shown) : {}
  addId(web, 'order', facts['order_id'] ?? order['id'])
  const number = facts['purchase_order_number'] ?? order['purchase_order_number']
  if (typeof number === 'string') add(web.keys, number)
}

function addId(web: Web, kind: string, id: unknown): void {
  if (typeof id === 'number' || typeof id === 'string') add(web.ids, `${kind} ${id}`)
}

function add(set: Set<string>, text: string): void {
  if (set.size < WEB_MAX) set.add(text)
}
