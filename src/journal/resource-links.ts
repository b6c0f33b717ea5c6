/** Finds resources that belong together: from one key to its orders, and from these to everything that the API showed. */
import { sql } from 'kysely'
import type { ResourceFacts } from '../domain/resource.ts'
import type { TracedResource } from '../domain/trace.ts'
import { toKnownResource } from './resources.ts'
import { jsonRows } from './rows.ts'
import type { Db, Row } from './schema.ts'

/** Keys and ids that belong to one order, or to the resources of one key. */
export interface LinkSet {
  /** Keys of records: the traced key, and the purchase order numbers it leads to. */
  readonly keys: Set<string>
  /** Ids at the API by kind, as `order 12`. */
  readonly ids: Set<string>
  readonly resources: Map<string, TracedResource>
}

/** With more links of one sort, a key fits too much, and the rest helps no reader. */
const MAX_LINKS = 200

/** From a tracking number to its order, and from there to the other shipments; links beyond that are not related. */
const MAX_ROUNDS = 3

export function createLinkSet(keys: readonly string[]): LinkSet {
  return { keys: new Set(keys.slice(0, MAX_LINKS)), ids: new Set(), resources: new Map() }
}

/** Adds resources with this name; if there are none, those with this id. Returns the ids of these alone. */
export async function addResourcesByName(db: Db, links: LinkSet, key: string): Promise<ReadonlySet<string>> {
  const { rows: named } = await sql<ResourceRow>`
    select resources.account, resources.kind, resources.id, resources.keys, resources.facts, resources.seen_at
    from resource_keys as called cross join resources
    where called.kind in (${TRACED_KIND_LIST}) and called.key = ${key} and resources.account = called.account
      and resources.kind = called.kind and resources.id = called.id limit ${MAX_LINKS}`.execute(db)
  const ids = TRACED_KINDS.map((kind) => `${kind} ${key}`)
  const mayBeId = named.length === 0 && /^\d+$/.test(key)
  const rows = mayBeId ? await selectResourcesById(db, ids) : named
  addResources(links, rows)
  const pruned = await selectLinked(db, [`name ${key}`], MAX_LINKS)
  for (const id of pruned) addWithinLimit(links.ids, id)
  return new Set([...rows.map(({ kind, id }) => `${kind} ${id}`), ...pruned])
}

/** Follows the links of the set until nothing new turns up. */
export async function expandLinks(db: Db, links: LinkSet): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = links.keys.size + links.ids.size + links.resources.size
    addResources(links, await selectResourcesById(db, [...links.ids].slice(0, MAX_LINKS)))
    addResources(links, await selectOrderResources(db, [...links.keys].slice(0, MAX_LINKS)))
    await addPrunedLinks(db, links)
    if (links.keys.size + links.ids.size + links.resources.size === before) return
  }
}

/** Names lead to their resources, and order numbers to all resources of the order. */
async function addPrunedLinks(db: Db, { keys, ids }: LinkSet): Promise<void> {
  const known = [...[...keys].map((key) => `number ${key}`), ...ids]
  for (const other of await selectLinked(db, known, MAX_LINKS)) {
    if (other.startsWith('number ')) addWithinLimit(keys, other.slice('number '.length))
    else addWithinLimit(ids, other)
  }
}

// Names and orders of a resource. They are kept when the resource is pruned.

const TRACED_KINDS = ['order', 'shipment', 'invoice', 'credit', 'return', 'variant'] as const

export const TRACED_KIND_LIST = sql.join(TRACED_KINDS.map((kind) => sql.lit(kind)))

type ResourceRow = Row<'resources'>

async function selectResourcesById(db: Db, ids: readonly string[]): Promise<ResourceRow[]> {
  const batch = jsonRows(ids, {
    kind: (each) => each.slice(0, each.indexOf(' ')),
    id: (each) => each.slice(each.indexOf(' ') + 1),
  })
  const { rows } = await sql<ResourceRow>`
    with recursive known (account) as (
      select min(account) from resources
      union all
      select (select min(account) from resources where resources.account > known.account) from known
      where known.account is not null limit ${MAX_LINKS}
    )
    select resources.account, resources.kind, resources.id, resources.keys, resources.facts, resources.seen_at
    from known cross join ${batch} cross join resources
    where resources.account = known.account and resources.kind = batch.kind and resources.id = batch.id
    limit ${MAX_LINKS}`.execute(db)
  return rows
}

/** The same expression as in the index. */
const ORDER_NUMBER = sql`coalesce(facts ->> '$.purchase_order_number', facts ->> '$.order.purchase_order_number')`

/** The orders with these numbers, and the resources that name them. */
async function selectOrderResources(db: Db, numbers: readonly string[]): Promise<ResourceRow[]> {
  const batch = jsonRows(numbers, { number: (each) => each })
  const { rows } = await sql<ResourceRow>`
    select resources.account, resources.kind, resources.id, keys, facts, seen_at
    from ${batch} cross join resource_keys as called cross join resources
    where called.kind = 'order' and called.key = batch.number and resources.account = called.account
      and resources.kind = 'order' and resources.id = called.id
    union all
    select account, kind, id, keys, facts, seen_at from ${batch} cross join resources
    where kind in ('shipment', 'invoice', 'credit', 'return') and ${ORDER_NUMBER} = batch.number
    limit ${MAX_LINKS}`.execute(db)
  return rows
}

function addResources(links: LinkSet, rows: readonly ResourceRow[]): void {
  for (const row of rows) {
    const { account, kind, id } = row
    const resource = { account, kind, ...toKnownResource(row) }
    links.resources.set(`${account} ${kind} ${id}`, resource)
    addWithinLimit(links.ids, `${kind} ${id}`)
    const { numbers, ids } = findRelatedKeys(resource)
    for (const number of numbers) addWithinLimit(links.keys, number)
    for (const each of ids) addWithinLimit(links.ids, each)
  }
}

function addWithinLimit(set: Set<string>, text: string): void {
  if (set.size < MAX_LINKS) set.add(text)
}

type NamedResource = Pick<TracedResource, 'kind' | 'id' | 'keys' | 'facts'>

/**
 * Purchase order numbers, and ids written as `order 12`. Spec: some resources name their order by its id, some by its number,
 * credits by both within `order`.
 */
function findRelatedKeys({ kind, keys, facts }: NamedResource) {
  if (kind === 'order') return { numbers: keys, ids: listOrderLinks(facts) }
  const order =
    typeof facts?.['order'] === 'object' && facts['order'] !== null ? (facts['order'] as ResourceFacts) : {}
  const number = facts?.['purchase_order_number'] ?? order['purchase_order_number']
  return {
    numbers: typeof number === 'string' ? [number] : [],
    ids: formatLinkIds('order', facts?.['order_id'] ?? order['id']),
  }
}

function listOrderLinks(facts: ResourceFacts | undefined): string[] {
  const lists = [
    ['shipments', 'shipment'],
    ['invoices', 'invoice'],
    ['cancels', 'cancel'],
  ] as const
  return lists.flatMap(([list, kind]) => {
    const shown = facts?.[list]
    return Array.isArray(shown)
      ? (shown as (ResourceFacts | null)[]).flatMap((each) => formatLinkIds(kind, each?.['id']))
      : []
  })
}

function formatLinkIds(kind: string, id: unknown): string[] {
  return typeof id === 'number' || typeof id === 'string' ? [`${kind} ${id}`] : []
}

type ResourceLink = readonly [one: string, other: string]

/** Stores the links of resources that are about to be pruned. */
export async function saveResourceLinks(db: Db, resources: readonly NamedResource[]): Promise<void> {
  const all = resources
    .filter(({ kind }) => TRACED_KINDS.some((each) => each === kind))
    .flatMap(listResourceLinks)
  const batch = jsonRows<ResourceLink>(all, { one: ([one]) => one, other: ([, other]) => other })
  await sql`
    insert into resource_links (one, other) select one, other from ${batch} where true
    on conflict do nothing`.execute(db)
}

function listResourceLinks(resource: NamedResource): ResourceLink[] {
  const own = `${resource.kind} ${resource.id}`
  const { numbers, ids } = findRelatedKeys(resource)
  const related = [...numbers.map((number) => `number ${number}`), ...ids]
  return [
    ...resource.keys.map((key) => [`name ${key}`, own] as const),
    ...related.flatMap((other) => [[own, other] as const, [other, own] as const]),
  ]
}

/** The stored links of pruned resources: from names, numbers and ids to what belongs to them. */
async function selectLinked(db: Db, ones: readonly string[], limit: number): Promise<string[]> {
  const batch = jsonRows(ones, { one: (one) => one })
  const { rows } = await sql<{ other: string }>`
    select distinct resource_links.other from ${batch} cross join resource_links
    where resource_links.one = batch.one limit ${limit}`.execute(db)
  return rows.map(({ other }) => other)
}
