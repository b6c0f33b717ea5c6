/** Finds key owners, refuses conflicts within a file, and skips changes that a later file superseded. */
import { sql } from 'kysely'
import { type Problem, problem } from '../domain/problem.ts'
import type { PlannedRecord } from '../domain/record.ts'
import { createConflictProblem, formatOwnerKey, type KeyOwner } from './duplicates.ts'
import { mentionRecords } from './event-detail.ts'
import { appendEvent } from './events.ts'
import { jsonRows, toIdRuns } from './rows.ts'
import type { Db, Row } from './schema.ts'

type KeyOwnerRow = Pick<
  Row<'records'>,
  'operation' | 'account' | 'state' | 'api_id' | 'lines' | 'key_values'
> &
  Pick<Row<'files'>, 'name'> & {
    readonly natural_key: string
    readonly body_hash: string
    readonly file_id: string
    readonly received_at: number
  }

/** `cross join` makes SQLite go from the batch to the index; otherwise it reads all owners. */
export async function findKeyOwners(db: Db, fileId: string, records: readonly PlannedRecord[]) {
  const batch = jsonRows(
    records.filter(({ naturalKey }) => naturalKey !== undefined),
    { operation: 'operation', account: 'account', natural_key: 'naturalKey' },
  )
  const { rows } = await sql<KeyOwnerRow>`
    select records.operation, records.account, records.natural_key, records.body_hash, records.state,
      records.api_id, records.lines, records.key_values, records.file_id, files.name, files.received_at
    from ${batch} cross join records cross join files
    where records.operation = batch.operation and records.account = batch.account
      and records.natural_key = batch.natural_key and records.owns_key = 1
      and files.id = records.file_id`.execute(db)
  return new Map(
    rows.map((row) => [formatOwnerKey(row.operation, row.account, row.natural_key), toKeyOwner(row, fileId)]),
  )
}

function toKeyOwner(row: KeyOwnerRow, fileId: string): KeyOwner {
  return {
    bodyHash: row.body_hash,
    apiId: row.api_id,
    accepted: row.state === 'accepted' || row.state === 'duplicate',
    held: row.state === 'held',
    keyValues: JSON.parse(row.key_values) as string[],
    line: getFirstLine(row.lines),
    file: row.file_id === fileId ? undefined : { name: row.name, receivedAt: row.received_at },
  }
}

// Two versions of one key in a file: the right one is unknown, so both are refused.

type ConflictRow = Pick<Row<'records'>, 'id' | 'operation' | 'key_values' | 'lines'> & {
  readonly natural_key: string
  readonly other_key_values: string
  readonly other_lines: string
  /** Whether the other was refused for a reason of its own, so that only its key cells are known. */
  readonly is_broken: 0 | 1
}

/**
 * Refuses the first version and its repeats too: rows of one record that are not adjacent look just like two versions.
 * `keyed`: the operations whose rows are grouped by their key cells, so that they name the record of a refused part too.
 */
export async function refuseConflicts(
  db: Db,
  {
    fileId,
    now,
    keyed,
  }: { readonly fileId: string; readonly now: number; readonly keyed: readonly string[] },
): Promise<void> {
  const { rows } = await sql<ConflictRow>`
    with broken as materialized (
      select operation, account, key_values, lines, min(number) from records
      where file_id = ${fileId} and state = 'rejected' and natural_key is null
        and operation in (select value from json_each(${JSON.stringify(keyed)}))
      group by operation, account, key_values)
    select first.id, first.operation, first.natural_key, first.key_values, first.lines,
      other.key_values as other_key_values, other.lines as other_lines, 0 as is_broken, min(other.number)
    from records as other join records as first
      on first.operation = other.operation and first.account = other.account
        and first.natural_key = other.natural_key and first.owns_key = 1
    where other.file_id = ${fileId} and other.state = 'rejected' and first.file_id = ${fileId}
      and first.state = 'planned' and other.body_hash <> first.body_hash
      and other.problems like '%"key-conflict"%'
    group by first.id
    union all
    select first.id, first.operation, first.natural_key, first.key_values, first.lines,
      broken.key_values, broken.lines, 1, 0
    from records as first cross join broken
      on first.operation = broken.operation and first.account = broken.account
        and first.key_values = broken.key_values
    where exists (select 1 from broken)
      and first.file_id = ${fileId} and first.state = 'planned' and first.owns_key = 1`.execute(db)
  if (rows.length === 0) return
  const batch = jsonRows(rows, {
    id: 'id',
    natural_key: 'natural_key',
    problems: (row) => [toConflictProblem(row)],
  })
  const { rows: repeating } = await sql<{ id: number }>`
    update records set state = 'rejected', problems = batch.problems, changed_at = ${now}
    from ${batch}
    where records.file_id = ${fileId} and records.state = 'duplicate'
      and records.natural_key = batch.natural_key
    returning records.id`.execute(db)
  await sql`
    update records set state = 'rejected', owns_key = 0, problems = batch.problems, changed_at = ${now}
    from ${batch}
    where records.id = batch.id and records.state = 'planned'`.execute(db)
  const ids = [...rows, ...repeating].map(({ id }) => id)
  const refused = { state: 'rejected', ids: toIdRuns(ids) }
  await appendEvent(db, now, { kind: 'records-refused', subject: fileId, detail: { records: [refused] } })
}

function toConflictProblem(row: ConflictRow) {
  const { operation, natural_key: naturalKey } = row
  const texts = (json: string) => JSON.parse(json) as string[]
  return createConflictProblem(
    { operation, naturalKey, keyValues: texts(row.key_values), line: getFirstLine(row.lines) },
    {
      keyValues: texts(row.other_key_values),
      line: getFirstLine(row.other_lines),
      file: undefined,
      isBroken: row.is_broken === 1,
    },
  )
}

function getFirstLine(lines: string): number | undefined {
  return (JSON.parse(lines) as [number, number][])[0]?.[0]
}

// Deferred changes that a later file superseded.

interface SupersededRow {
  readonly id: number
  readonly values_count: number
  readonly overtaken_count: number
  readonly overtaken: string
  readonly name: string
}

/**
 * For records that are about to be sent: sending → skipped, or rejected where some of their values are still the newest,
 * so that a person handles them. False when none is superseded. `cross join` makes SQLite go from the batch to the index,
 * and there only through later files; beside `max`, the name is that of the latest file.
 */
export async function skipSuperseded(db: Db, ids: readonly number[], now: number): Promise<boolean> {
  if (ids.length === 0) return false
  const sending = jsonRows(ids, { id: (id) => id })
  const { rows } = await sql<SupersededRow>`
    select own.id, json_array_length(older.changes) as values_count, count(distinct changed.value) as overtaken_count,
      group_concat(distinct changed.value) as overtaken, files.name, max(newer.file_number)
    from ${sending} cross join records as own cross join bodies as older cross join bodies as newer
      cross join records as later cross join files cross join json_each(older.changes) as changed
    where own.id = batch.id and older.record_id = own.id
      and newer.target = older.target and newer.file_number > older.file_number
      and later.id = newer.record_id and later.account = own.account
      and later.state in ('accepted', 'sending', 'uncertain') and files.id = later.file_id
      and changed.value in (select value from json_each(newer.changes))
    group by own.id`.execute(db)
  if (rows.length === 0) return false
  const batch = jsonRows(rows, {
    id: 'id',
    state: getSupersededState,
    problems: (row) => [createSupersededProblem(row)],
  })
  await sql`
    update records set state = batch.state, owns_key = 0, http = null, attempts = attempts - 1,
      problems = batch.problems, changed_at = ${now}
    from ${batch} where records.id = batch.id and records.state = 'sending'`.execute(db)
  const superseded = rows.map((row) => ({ id: row.id, state: getSupersededState(row), http: null }))
  await appendEvent(db, now, { kind: 'records-superseded', detail: { records: mentionRecords(superseded) } })
  return true
}

function getSupersededState({ values_count, overtaken_count }: SupersededRow): 'skipped' | 'rejected' {
  return overtaken_count === values_count ? 'skipped' : 'rejected'
}

/** The fix for a record with only some values superseded. */
const FIX_PARTLY_SUPERSEDED =
  'Take what the newer file says out of the row, and drop the rejects file in again.'

function createSupersededProblem(row: SupersededRow): Problem {
  const message = `the file ${row.name}, received later, has newer values for`
  if (getSupersededState(row) === 'skipped') return problem('superseded', {}, `${message} it`)
  const values = row.overtaken.replaceAll(',', ', ')
  return problem(
    'superseded',
    {},
    `${message} ${values} of it, but not for all; nothing of the row was sent`,
    FIX_PARTLY_SUPERSEDED,
  )
}
