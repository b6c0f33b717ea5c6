/** What goes with records that will be sent: their bodies, and what is kept beside their orders. */
import { type Kysely, sql } from 'kysely'
import type { Journal } from '../domain/journal.ts'
import type { PlannedRecord } from '../domain/record.ts'
import { batchOf } from './batch.ts'
import { keepValues } from './kept.ts'
import type { Verdict } from './repeats.ts'
import type { Tables } from './schema.ts'

interface Addition {
  readonly fileId: string
  readonly records: readonly PlannedRecord[]
  /** What the first of them is in the journal; the others come after it, in their order. */
  readonly firstId: number
  readonly now: number
}

/** A record that is refused as another version of a key must not change what is kept of the first. */
export async function insertPlanned(
  tables: Kysely<Tables>,
  { fileId, records, firstId, now }: Addition,
  verdicts: readonly Verdict[],
): Promise<void> {
  const planned = records
    .map((record, place) => ({ record, id: firstId + place }))
    .filter((_, place) => verdicts[place]?.state === 'planned')
  const [first] = planned
  if (first === undefined) return
  const batch = batchOf(
    planned,
    {
      id: ({ id }) => id,
      note: ({ record }) => record.note,
      target: ({ record }) => record.change?.target,
      changes: ({ record }) => record.change?.values,
    },
    { body: ({ record }) => record.body },
  )
  await sql`
    insert into bodies (record_id, body, note, target, changes, file_number)
    select id, body, note, target, changes,
      case when target is not null then (select number from files where id = ${fileId}) end
    from ${batch}`.execute(tables)
  const kept = planned.flatMap(({ record }) => record.keep ?? [])
  await keepValues(tables, { account: first.record.account, kept, now })
}

/** Keys that begin with a lane go on with a blank, so the index of keys finds them. */
export async function plannedBodies(
  tables: Kysely<Tables>,
  fileId: string,
  { operation, account, lanes }: Parameters<Journal['plannedBodies']>[1],
): Promise<{ lane: string; body: string }[]> {
  const batch = batchOf([...new Set(lanes)], { lane: (lane) => lane })
  const { rows } = await sql<{ lane: string; body: string }>`
    select batch.lane, bodies.body
    from ${batch} cross join records cross join bodies
    where records.operation = ${operation} and records.account = ${account} and records.holds_key = 1
      and records.natural_key > batch.lane || ' ' and records.natural_key < batch.lane || '!'
      and records.file_id = ${fileId} and records.state = 'planned' and bodies.record_id = records.id
    order by records.id`.execute(tables)
  return rows
}

export async function heldKeys(
  tables: Kysely<Tables>,
  { operation, account, keys }: Parameters<Journal['heldKeys']>[0],
): Promise<string[]> {
  const batch = batchOf([...new Set(keys)], { key: (key) => key })
  const { rows } = await sql<{ natural_key: string }>`
    select records.natural_key from ${batch} cross join records
    where records.operation = ${operation} and records.account = ${account}
      and records.natural_key = batch.key and records.holds_key = 1`.execute(tables)
  return rows.map((row) => row.natural_key)
}

export async function countUnnoted(
  tables: Kysely<Tables>,
  fileId: string,
  operation: string,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from records join bodies on bodies.record_id = records.id
    where records.file_id = ${fileId} and records.operation = ${operation}
      and records.state in ('planned', 'sending') and bodies.note is null`.execute(tables)
  return rows[0]?.count ?? 0
}

export async function isBehind(
  tables: Kysely<Tables>,
  fileId: string,
  { operation, account, lane, number }: Parameters<Journal['isBehind']>[1],
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from records
    where operation = ${operation} and account = ${account} and holds_key = 1
      and natural_key > ${lane} || ' ' and natural_key < ${lane} || '!'
      and file_id = ${fileId} and number < ${number} limit 1`.execute(tables)
  return rows.length > 0
}

export async function mayBeAnothers(
  tables: Kysely<Tables>,
  fileId: string,
  { id, operation, account, lane, apiId, since }: Parameters<Journal['mayBeAnothers']>[1],
): Promise<boolean> {
  const isIts =
    apiId === undefined
      ? sql`file_id <> ${fileId} and state in ('accepted', 'sending', 'uncertain') and changed_at >= ${since}`
      : sql`api_id = ${apiId}`
  const { rows } = await sql`
    select 1 from records
    where operation = ${operation} and account = ${account} and holds_key = 1
      and natural_key > ${lane} || ' ' and natural_key < ${lane} || '!' and id <> ${id} and ${isIts} limit 1`.execute(
    tables,
  )
  return rows.length > 0
}
