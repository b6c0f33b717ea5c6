/** The records that a web of keys and ids is about, found by the indexes there are. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { batchOf } from './batch.ts'
import type { Tables } from './schema.ts'
import type { Web } from './trace-web.ts'

/** How many records of one sort are looked at. */
const FOUND_MAX = 1000

/** The ids of all records of the web, in no order. */
export async function recordsOf(tables: Kysely<Tables>, web: Web): Promise<Set<number>> {
  const lanes = await lanesOf(tables, sql`holds_key = 1`)
  return new Set([
    ...(await byKeys(tables, web, lanes)),
    ...(await byOrders(tables, web, lanes)),
    ...(await byApiIds(tables, web)),
    ...(await withoutKeys(tables, [...web.keys])),
  ])
}

/** The ids of the records that have one of the keys themselves. */
export async function recordsKeyed(tables: Kysely<Tables>, web: Web): Promise<Set<number>> {
  return new Set(await byKeys(tables, web, await lanesOf(tables, sql`holds_key = 1`)))
}

/** Looks through all records for the cell, the id or the key. */
export async function recordsAnywhere(tables: Kysely<Tables>, key: string): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select id from records
    where instr(key_values, ${JSON.stringify(key)}) > 0 or natural_key = ${key} or api_id = ${key}
      or substr(natural_key, -length(${key}) - 1) = ' ' || ${key}
    limit ${FOUND_MAX}`.execute(tables)
  return new Set(rows.map(({ id }) => id))
}

/** What operations and accounts there are records of: an index begins with these. */
interface Lane {
  readonly operation: string
  readonly account: string
}

/**
 * Steps from pair to pair through the index, however many records there are of each; `its` is the condition of the index.
 * One comparison of both columns would read all records of an operation.
 */
async function lanesOf(tables: Kysely<Tables>, its: RawBuilder<boolean>): Promise<Lane[]> {
  const { rows } = await sql<Lane>`
    with recursive lanes (operation, account) as (
      select * from (select operation, account from records where ${its} order by operation, account limit 1)
      union all
      select next.operation, next.account from lanes join records as next on next.rowid = coalesce(
        (select rowid from records
          where ${its} and operation = lanes.operation and account > lanes.account
          order by account limit 1),
        (select rowid from records where ${its} and operation > lanes.operation order by operation, account limit 1))
      limit ${LANES_MAX}
    )
    select operation, account from lanes`.execute(tables)
  return rows
}

const LANES_MAX = 200

async function byKeys(tables: Kysely<Tables>, { keys }: Web, lanes: readonly Lane[]): Promise<number[]> {
  const asked = lanes.flatMap((lane) => [...keys].map((key) => ({ ...lane, key })))
  const batch = batchOf(asked, {
    operation: (it) => it.operation,
    account: (it) => it.account,
    key: (it) => it.key,
  })
  const { rows } = await sql<{ id: number }>`
    select records.id from ${batch} cross join records
    where records.operation = batch.operation and records.account = batch.account
      and records.natural_key = batch.key and records.holds_key = 1 limit ${FOUND_MAX}`.execute(tables)
  return rows.map(({ id }) => id)
}

/** What is made for an order, or changes something, has the id of that at the beginning of its key. */
const KEYED_BY: ReadonlyMap<string, string> = new Map([
  ['create-shipment', 'order'],
  ['create-cancel', 'order'],
  ['close-order', 'order'],
  ['reopen-order', 'order'],
  ['update-variant', 'variant'],
])

export function kindAhead(operation: string): string | undefined {
  return KEYED_BY.get(operation) ?? /^acknowledge-(.+)$/.exec(operation)?.[1]
}

async function byOrders(tables: Kysely<Tables>, { ids }: Web, lanes: readonly Lane[]): Promise<number[]> {
  const asked = lanes.flatMap((lane) => {
    const kind = kindAhead(lane.operation)
    return kind === undefined ? [] : idsOfKind(ids, kind).map((id) => ({ ...lane, id }))
  })
  const batch = batchOf(asked, {
    operation: (it) => it.operation,
    account: (it) => it.account,
    id: (it) => it.id,
  })
  const { rows } = await sql<{ id: number }>`
    select records.id from ${batch} cross join records
    where records.operation = batch.operation and records.account = batch.account and records.holds_key = 1
      and records.natural_key > batch.id || ' ' and records.natural_key < batch.id || '!'
    limit ${FOUND_MAX}`.execute(tables)
  return rows.map(({ id }) => id)
}

/** Outgoing records, by the operation that exports their kind. */
async function byApiIds(tables: Kysely<Tables>, { ids }: Web): Promise<number[]> {
  const lanes = await lanesOf(tables, sql`direction = 'outgoing'`)
  const asked = lanes.flatMap((lane) =>
    idsOfKind(ids, kindExported(lane.operation)).map((id) => ({ ...lane, id })),
  )
  const batch = batchOf(asked, {
    operation: (it) => it.operation,
    account: (it) => it.account,
    id: (it) => it.id,
  })
  const { rows } = await sql<{ id: number }>`
    select records.id from ${batch} cross join records
    where records.operation = batch.operation and records.account = batch.account
      and records.api_id = batch.id and records.direction = 'outgoing' limit ${FOUND_MAX}`.execute(tables)
  return rows.map(({ id }) => id)
}

/** `shipment` for `export-shipments`. */
export function kindExported(operation: string): string {
  return operation.replace(/^export-/, '').replace(/s$/, '')
}

/** `shipment` for `create-shipment`. */
export function kindMade(operation: string): string {
  return operation.replace(/^create-/, '')
}

function idsOfKind(ids: ReadonlySet<string>, kind: string): string[] {
  return [...ids].filter((each) => each.startsWith(`${kind} `)).map((each) => each.slice(kind.length + 1))
}

/** What was refused or is held has no key, or has let go of it; the cells of its file tell. */
async function withoutKeys(tables: Kysely<Tables>, keys: readonly string[]): Promise<number[]> {
  const cells = keys.slice(0, CELLS_MAX).map((key) => sql`instr(key_values, ${JSON.stringify(key)}) > 0`)
  const isOne = sql`(${sql.join(cells, sql` or `)})`
  const { rows } = await sql<{ id: number }>`
    select id from records where state = 'rejected' and ${isOne}
    union all
    select id from records where state = 'held' and file_id is not null and ${isOne}
    limit ${FOUND_MAX}`.execute(tables)
  return rows.map(({ id }) => id)
}

/** Each costs a look at all that was refused. */
const CELLS_MAX = 10
