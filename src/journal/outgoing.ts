/** Outgoing records from the moment they are seen at the API until they belong to a delivery. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Journal, Lease } from '../domain/journal.ts'
import type { OutgoingRecord, RecordResult } from '../domain/record.ts'
import { batchOf } from './batch.ts'
import { chain } from './chain.ts'
import { mentionsOf } from './event-detail.ts'
import { chainState } from './record-events.ts'
import type { Tables } from './schema.ts'
import { type Store, read, writeHolding } from './store.ts'
import { summed } from './sums.ts'
import { waitingIn } from './work.ts'

type OutgoingCalls = Pick<Journal, 'collect' | 'waitingRecords' | 'deliveryRecords' | 'holdRecords'>

export function outgoingCalls(store: Store): OutgoingCalls {
  return {
    collect: (lease, records) =>
      writeHolding(store, lease, (tables, now) => collect(tables, lease, { records, now })),
    waitingRecords: (route, afterId, limit) =>
      read(store, (tables) => {
        return outgoingRecords(tables, waitingIn(route), { afterId, limit })
      }),
    deliveryRecords: (id, afterId, limit) =>
      read(store, (tables) => outgoingRecords(tables, sql`records.delivery_id = ${id}`, { afterId, limit })),
    holdRecords: (lease, held) =>
      writeHolding(store, lease, (tables, now) => holdRecords(tables, lease, { held, now })),
  }
}

type Collected = Parameters<Journal['collect']>[1]

/** Known ones keep their place; what was seen of them is refreshed until they belong to a delivery. */
async function collect(
  tables: Kysely<Tables>,
  { route }: Lease,
  { records, now }: { records: Collected; now: number },
): Promise<number> {
  // A list that moves while it is paged may show a record twice: the later sight counts.
  const distinct = new Map(records.map((it) => [JSON.stringify([it.operation, it.account, it.apiId]), it]))
  const batch = batchOf([...distinct.values()], {
    operation: (record) => record.operation,
    account: (record) => record.account,
    api_id: (record) => record.apiId,
    body: (record) => record.body,
  })
  const { rows: added } = await sql<{ id: number; api_id: string }>`
    insert into records (direction, route, number, operation, account, natural_key, holds_key, api_id, lane,
      lines, key_values, state, problems, attempts, changed_at)
    select 'outgoing', ${route}, 0, operation, account, api_id, 0, api_id, api_id,
      '[]', json_array(api_id), 'collected', '[]', 0, ${now}
    from ${batch} where true
    on conflict do nothing
    returning id, api_id`.execute(tables)
  const { rows: shown } = await sql<{ id: number; text: string }>`
    insert into bodies (record_id, body)
    select records.id, batch.body from ${batch} cross join records
    where records.operation = batch.operation and records.account = batch.account
      and records.api_id = batch.api_id and records.direction = 'outgoing'
      and records.route = ${route} and records.delivery_id is null
    on conflict (record_id) do update set body = excluded.body where body <> excluded.body
    returning record_id as id, body as text`.execute(tables)
  if (shown.length > 0) {
    const seen = added.map(({ id, api_id: apiId }) => ({ id, state: 'collected' as const, apiId }))
    const kind = added.length > 0 ? 'records-collected' : 'records-refreshed'
    await chain(tables, now, { kind, route, detail: { records: mentionsOf(seen), bodies: summed(shown) } })
  }
  return added.length
}

async function outgoingRecords(
  tables: Kysely<Tables>,
  where: RawBuilder<unknown>,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<OutgoingRecord[]> {
  const { rows } = await sql<{ id: number; api_id: string; body: string }>`
    select records.id, records.api_id, bodies.body
    from records join bodies on bodies.record_id = records.id
    where ${where} and records.id > ${afterId}
    order by records.id limit ${limit}`.execute(tables)
  return rows.map((row) => ({ id: row.id, apiId: row.api_id, body: row.body }))
}

export async function holdRecords(
  tables: Kysely<Tables>,
  { route }: Lease,
  { held, now }: { held: readonly RecordResult[]; now: number },
): Promise<void> {
  const batch = batchOf(held, { id: (record) => record.id, problems: (record) => record.problems })
  const { rows } = await sql<{ id: number }>`
    update records set state = 'held', problems = batch.problems, changed_at = ${now}
    from ${batch}
    where records.id = batch.id and records.route = ${route}
      and records.direction = 'outgoing' and records.delivery_id is null
    returning records.id`.execute(tables)
  await chainState(tables, now, { kind: 'records-held', route, state: 'held', ids: rows.map(({ id }) => id) })
}
