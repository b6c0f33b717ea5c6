/** The records that hold the keys of others: accepted, or under way. */
import { type Kysely, sql } from 'kysely'
import type { PlannedRecord, RecordState } from '../domain/record.ts'
import { batchOf } from './batch.ts'
import { type Holder, holderKey } from './repeats.ts'
import type { Tables } from './schema.ts'

interface HolderRow {
  readonly operation: string
  readonly account: string
  readonly natural_key: string
  readonly body_hash: string
  readonly state: RecordState
  readonly api_id: string | null
  readonly lines: string
  readonly key_values: string
  readonly file_id: string
  readonly name: string
  readonly received_at: number
}

/** `cross join` makes SQLite go from the batch to the index; it would rather read all holders. */
export async function findHolders(
  tables: Kysely<Tables>,
  fileId: string,
  records: readonly PlannedRecord[],
): Promise<Map<string, Holder>> {
  const batch = batchOf(
    records.filter(({ problems }) => problems.length === 0),
    { operation: (it) => it.operation, account: (it) => it.account, natural_key: (it) => it.naturalKey },
  )
  const { rows } = await sql<HolderRow>`
    select records.operation, records.account, records.natural_key, records.body_hash, records.state,
      records.api_id, records.lines, records.key_values, records.file_id, files.name, files.received_at
    from ${batch} cross join records cross join files
    where records.operation = batch.operation and records.account = batch.account
      and records.natural_key = batch.natural_key and records.holds_key = 1
      and files.id = records.file_id`.execute(tables)
  return new Map(
    rows.map((row) => [holderKey(row.operation, row.account, row.natural_key), holderOf(row, fileId)]),
  )
}

function holderOf(row: HolderRow, fileId: string): Holder {
  const lines: PlannedRecord['lines'] = JSON.parse(row.lines)
  return {
    bodyHash: row.body_hash,
    apiId: row.api_id,
    accepted: row.state === 'accepted' || row.state === 'duplicate',
    held: row.state === 'held',
    keyValues: JSON.parse(row.key_values) as string[],
    line: lines[0]?.[0],
    file: row.file_id === fileId ? undefined : { name: row.name, receivedAt: row.received_at },
  }
}
