/** Stores outgoing records from the moment the API shows them until they belong to a delivery. */
import { type RawBuilder, sql } from 'kysely'
import type { Resource } from '../domain/api.ts'
import type { Dismissal } from '../domain/decision.ts'
import type { UnacknowledgedRecord, UnwrittenRecords } from '../domain/delivery.ts'
import type { Journal } from '../domain/journal.ts'
import type { Problem } from '../domain/problem.ts'
import type { OutgoingRecord, RecordResult } from '../domain/record.ts'
import { jsonRows, selectIdRuns, PRUNED_BODY } from './rows.ts'
import {
  appendDeliveryEvent,
  appendEvent,
  appendStateEvent,
  insertDeliveryDecision,
  selectDecisionDetail,
} from './events.ts'
import { mentionRecords, sumTexts } from './event-detail.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { isAwaitingDecision } from './interchanges/numbers.ts'
import type { Db, Row } from './schema.ts'
import type { BoundStore, RouteTx, Tx } from './store.ts'
import { undeliveredCondition } from './records.ts'

export function createOutgoingJournal({ reads, writes, leased }: BoundStore) {
  return {
    collectRecords: leased(collectRecords),
    listUndeliveredRecords: reads((db, route, ...page) =>
      selectOutgoingRecords(db, undeliveredCondition(route), ...page),
    ),
    listDeliveryRecords: reads((db, id, ...page) =>
      selectOutgoingRecords(db, sql`records.delivery_id = ${id}`, ...page),
    ),
    holdRecords: leased(holdRecords),
    listUnwrittenRecords: reads(selectUnwritten),
    listUnacknowledgedRecords: reads(selectUnacknowledged),
    dismissUnacknowledged: writes(dismissUnacknowledged),
  } satisfies Partial<Journal>
}

type CollectedRecords = Parameters<Journal['collectRecords']>[1]

/** Known records keep their place; their bodies are refreshed until they belong to a delivery. */
async function collectRecords({ db, now, route }: RouteTx, collected: CollectedRecords): Promise<number> {
  // A list that moves while it is paged may show a record twice: the later copy counts.
  const distinct = new Map(collected.map((it) => [JSON.stringify([it.operation, it.account, it.apiId]), it]))
  const records = [...distinct.values()]
  const names = { operation: 'operation', account: 'account', api_id: 'apiId' } as const
  const batch = jsonRows(records, names)
  const { rows: added } = await sql<{ id: number; api_id: string }>`
    insert into records (direction, route, number, operation, account, natural_key, owns_key, api_id, lane,
      lines, key_values, state, problems, attempts, changed_at)
    select 'outgoing', ${route}, 0, operation, account, api_id, 0, api_id, api_id,
      '[]', json_array(api_id), 'collected', '[]', 0, ${now}
    from ${batch} where true
    on conflict do nothing
    returning id, api_id`.execute(db)
  const shownBodies = jsonRows(records, { ...names, cents: 'cents' }, { body: ({ body }) => body })
  const { rows: shown } = await sql<{ id: number; text: string }>`
    insert into bodies (record_id, body, cents)
    select records.id, batch.body, batch.cents from ${shownBodies} cross join records
    where records.operation = batch.operation and records.account = batch.account
      and records.api_id = batch.api_id and records.direction = 'outgoing'
      and records.route = ${route} and records.delivery_id is null
    on conflict (record_id) do update set body = excluded.body, cents = excluded.cents where body <> excluded.body
    returning record_id as id, body as text`.execute(db)
  if (shown.length > 0) {
    const seen = added.map(({ id, api_id: apiId }) => ({ id, state: 'collected' as const, apiId }))
    const kind = added.length > 0 ? 'records-collected' : 'records-refreshed'
    const detail = { records: mentionRecords(seen), bodies: sumTexts(shown) }
    await appendEvent(db, now, { kind, route, detail })
  }
  return added.length
}

async function selectOutgoingRecords(db: Db, where: RawBuilder<unknown>, afterId: number, limit: number) {
  const { rows } = await sql<OutgoingRecord>`
    select records.id, records.api_id as "apiId", bodies.body
    from records join bodies on bodies.record_id = records.id
    where ${where} and records.id > ${afterId}
    order by records.id limit ${limit}`.execute(db)
  return rows
}

export async function holdRecords({ db, now, route }: RouteTx, held: readonly RecordResult[]): Promise<void> {
  const batch = jsonRows(held, { id: 'id', problems: 'problems' })
  const { rows } = await sql<{ id: number }>`
    update records set state = 'held', problems = batch.problems, changed_at = ${now}
    from ${batch}
    where records.id = batch.id and records.route = ${route}
      and records.direction = 'outgoing' and records.delivery_id is null
    returning records.id`.execute(db)
  const ids = rows.map(({ id }) => id)
  await appendStateEvent(db, now, { kind: 'records-held', route, state: 'held', ids })
}

async function selectUnwritten(db: Db): Promise<UnwrittenRecords[]> {
  const { rows } = await sql<
    Pick<Row<'records'>, 'route' | 'operation' | 'problems'> & {
      count: number
      since: number
      apiId: string
      body: string
    }
  >`
    select records.route, held.count, held.since, records.api_id as "apiId", records.operation, records.problems, bodies.body
    from (select count(*) as count, min(changed_at) as since, min(id) as first from records
      where direction = 'outgoing' and delivery_id is null and state = 'held' group by route) as held
      join records on records.id = held.first join bodies on bodies.record_id = records.id
    order by records.route`.execute(db)
  return rows.map(({ route, count: records, since, apiId, operation, problems, body }) => ({
    route,
    records,
    since,
    first: {
      apiId,
      operation,
      problems: JSON.parse(problems) as Problem[],
      body: JSON.parse(body) as Resource,
    },
  }))
}

// Delivered records that are not acknowledged and wait for a person, until a person dismisses them.

/** Condition on `records`. The words are those of an index. */
const IS_UNACKNOWLEDGED = sql<boolean>`(records.direction = 'outgoing' and records.corrected = 0
  and records.state in ('held', 'rejected') and records.delivery_id is not null)`

async function selectUnacknowledged(db: Db, limit: number, id?: string): Promise<UnacknowledgedRecord[]> {
  const isChosen = id === undefined ? sql`true` : sql`records.delivery_id = ${id}`
  const { rows } = await sql<
    Omit<UnacknowledgedRecord, 'problems' | 'body'> & { problems: string; body: string }
  >`
    select records.id, records.api_id as "apiId", records.operation, records.state, records.problems, records.route,
      coalesce(bodies.body, ${PRUNED_BODY}) as body, deliveries.id as delivery, deliveries.name, records.changed_at as since
    from records join deliveries on deliveries.id = records.delivery_id
      left join bodies on bodies.record_id = records.id
    where ${IS_UNACKNOWLEDGED} and ${isChosen}
    order by records.changed_at, records.id limit ${limit}`.execute(db)
  return rows.map((row) => ({
    ...row,
    problems: JSON.parse(row.problems) as Problem[],
    body: row.body === PRUNED_BODY ? {} : (JSON.parse(row.body) as Resource),
  }))
}

async function dismissUnacknowledged({ db, now }: Tx, deliveryId: string, dismissal: Dismissal) {
  const { by, why, via, record } = dismissal
  const isOne = record === undefined ? sql`true` : sql`records.id = ${record}`
  const chosen = sql`${IS_UNACKNOWLEDGED} and records.delivery_id = ${deliveryId} and ${isOne}`
  const mentions = await Promise.all(
    (['held', 'rejected'] as const).map(async (state) => ({
      state,
      ids: await selectIdRuns(db, sql`${chosen} and state = ${state}`),
    })),
  )
  const mentioned = mentions.filter(({ ids }) => ids.length > 0)
  const isOpen = record === undefined && (await isAwaitingDecision(db, deliveryId))
  if (mentioned.length === 0 && !isOpen) return undefined
  const decision = { delivery: deliveryId, action: 'dismiss', by, why, via, chosen } as const
  const { id, records } = await insertDeliveryDecision(db, now, omitUndefined(decision))
  await sql`
    update records set corrected = 1
    where id in (select record_id from decided_records where decision_id = ${id})`.execute(db)
  const more = { decision: await selectDecisionDetail(db, id), records: mentioned }
  await appendDeliveryEvent(db, now, { id: deliveryId, kind: 'decision-made', more })
  return omitUndefined({ id, file: deliveryId, action: 'dismiss' as const, by, why, via, at: now, records })
}
