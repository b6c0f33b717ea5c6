/** By what names and orders a resource goes: read from what the API showed of it, and kept when that is forgotten. */
import { type Kysely, sql } from 'kysely'
import { batchOf } from './batch.ts'
import type { Tables } from './schema.ts'

/** What a person asks for. */
export const TRACED_KINDS = ['order', 'shipment', 'invoice', 'credit', 'return', 'variant'] as const

export type Shown = Readonly<Record<string, unknown>>

export interface NamedResource {
  readonly kind: string
  readonly id: string
  readonly keys: readonly string[]
  /** In the API's own names. */
  readonly facts?: Shown
}

interface Relatives {
  /** Purchase order numbers. */
  readonly numbers: readonly string[]
  /** As `order 12`. */
  readonly ids: readonly string[]
}

/** Spec: some resources name their order by its id, some by its number, credits by both within `order`. */
export function relativesOf({ kind, keys, facts }: NamedResource): Relatives {
  if (kind === 'order') return { numbers: keys, ids: ofOrder(facts) }
  const order =
    typeof facts?.['order'] === 'object' && facts['order'] !== null ? (facts['order'] as Shown) : {}
  const number = facts?.['purchase_order_number'] ?? order['purchase_order_number']
  return {
    numbers: typeof number === 'string' ? [number] : [],
    ids: idOf('order', facts?.['order_id'] ?? order['id']),
  }
}

function ofOrder(facts: Shown | undefined): string[] {
  const lists = [
    ['shipments', 'shipment'],
    ['invoices', 'invoice'],
    ['cancels', 'cancel'],
  ] as const
  return lists.flatMap(([list, kind]) => {
    const shown = facts?.[list]
    return Array.isArray(shown) ? (shown as (Shown | null)[]).flatMap((each) => idOf(kind, each?.['id'])) : []
  })
}

function idOf(kind: string, id: unknown): string[] {
  return typeof id === 'number' || typeof id === 'string' ? [`${kind} ${id}`] : []
}

type Tie = readonly [one: string, other: string]

/** Keeps how those that are forgotten belong together. */
export async function keepTies(tables: Kysely<Tables>, resources: readonly NamedResource[]): Promise<void> {
  const all = resources.filter(({ kind }) => TRACED_KINDS.some((each) => each === kind)).flatMap(tiesOf)
  const batch = batchOf(all, { one: ([one]) => one, other: ([, other]) => other })
  await sql`
    insert into ties (one, other) select one, other from ${batch} where true on conflict do nothing`.execute(
    tables,
  )
}

function tiesOf(resource: NamedResource): Tie[] {
  const own = `${resource.kind} ${resource.id}`
  const { numbers, ids } = relativesOf(resource)
  const relatives = [...numbers.map((number) => `number ${number}`), ...ids]
  return [
    ...resource.keys.map((key) => [`name ${key}`, own] as const),
    ...relatives.flatMap((relative) => [[own, relative] as const, [relative, own] as const]),
  ]
}

/** What was kept of what is forgotten: from names, numbers and ids to those that belong to them. */
export async function tiedTo(
  tables: Kysely<Tables>,
  ones: readonly string[],
  limit: number,
): Promise<string[]> {
  const batch = batchOf(ones, { one: (one) => one })
  const { rows } = await sql<{ other: string }>`
    select distinct ties.other from ${batch} cross join ties where ties.one = batch.one limit ${limit}`.execute(
    tables,
  )
  return rows.map(({ other }) => other)
}
