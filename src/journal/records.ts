/** Records as they enter the journal, and as counts and reports show them. */
import { type Kysely, sql } from 'kysely'
import type { Journal, Lease } from '../domain/journal.ts'
import type { PlannedRecord, RecordState, ReportedRecord, StateCounts } from '../domain/record.ts'
import { assert } from '../support/errors.ts'
import { batchOf } from './batch.ts'
import { present } from './present.ts'
import { type Holder, type Verdict, holderKey, judge } from './repeats.ts'
import type { Tables } from './schema.ts'
import { type Store, read, writeHolding } from './store.ts'
import { type Work, workOf } from './work.ts'

type RecordCalls = Pick<Journal, 'addRecords' | 'countRecords' | 'reportedRecords' | 'troubledRecords'>

export function recordCalls(store: Store): RecordCalls {
  return {
    addRecords: (lease, fileId, records) =>
      writeHolding(store, lease, (tables, now) => addRecords(tables, { lease, fileId, records, now })),
    countRecords: (work) => read(store, (tables) => countRecords(tables, workOf(work))),
    reportedRecords: (fileId, afterNumber, limit) =>
      read(store, async (tables) => {
        const rows = await selectReported(tables)
          .where('file_id', '=', fileId)
          .where('number', '>', afterNumber)
          .limit(limit)
          .execute()
        return rows.map(reportedOf)
      }),
    troubledRecords: (work, limit) =>
      read(store, async (tables) => {
        const rows = await selectReported(tables)
          .where(workOf(work).its)
          .where('problems', '<>', '[]')
          .where('state', '<>', 'skipped')
          .limit(limit)
          .execute()
        return rows.map(reportedOf)
      }),
  }
}

interface Addition {
  readonly lease: Lease
  readonly fileId: string
  readonly records: readonly PlannedRecord[]
  readonly now: number
}

async function addRecords(tables: Kysely<Tables>, addition: Addition): Promise<void> {
  const { lease, fileId, records } = addition
  const file = await tables
    .selectFrom('files')
    .select('id')
    .where('id', '=', fileId)
    .where('route', '=', lease.route)
    .where('state', '=', 'received')
    .executeTakeFirst()
  assert(file, `File ${fileId} of route ${lease.route} is not being planned and can take no records.`)
  for (const record of records) assertWhole(record)
  const verdicts = judge(records, await findHolders(tables, fileId, records))
  await insertRecords(tables, addition, verdicts)
  await insertBodies(tables, addition, verdicts)
}

function assertWhole({ number, naturalKey, body, bodyHash, problems }: PlannedRecord): void {
  const whole = naturalKey !== undefined && body !== undefined && bodyHash !== undefined
  assert(
    whole || problems.length > 0,
    `Record ${number} has no key or no body, and no problem that says why.`,
  )
}

interface HolderRow {
  readonly operation: string
  readonly account: string
  readonly natural_key: string
  readonly body_hash: string
  readonly state: RecordState
  readonly api_id: string | null
  readonly lines: string
  readonly file_id: string
  readonly name: string
  readonly received_at: number
}

/** `cross join` makes SQLite go from the batch to the index; it would rather read all holders. */
async function findHolders(
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
      records.api_id, records.lines, records.file_id, files.name, files.received_at
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
    line: lines[0]?.[0],
    file: row.file_id === fileId ? undefined : { name: row.name, receivedAt: row.received_at },
  }
}

async function insertRecords(
  tables: Kysely<Tables>,
  { lease, fileId, records, now }: Addition,
  verdicts: readonly Verdict[],
): Promise<void> {
  const rows = records.map((record, position) => ({ ...record, ...verdicts[position] }))
  const batch = batchOf(rows, {
    number: (row) => row.number,
    operation: (row) => row.operation,
    account: (row) => row.account,
    natural_key: (row) => row.naturalKey,
    holds_key: (row) => (row.state === 'planned' ? 1 : 0),
    body_hash: (row) => row.bodyHash,
    lane: (row) => row.lane ?? row.naturalKey,
    lines: (row) => row.lines,
    key_values: (row) => row.keyValues,
    state: (row) => row.state,
    api_id: (row) => row.apiId,
    problems: (row) => row.problems,
  })
  await sql`
    insert into records (direction, route, file_id, number, operation, account, natural_key, holds_key, body_hash,
      lane, lines, key_values, state, api_id, problems, attempts, changed_at)
    select 'incoming', ${lease.route}, ${fileId}, number, operation, account, natural_key, holds_key, body_hash,
      lane, lines, key_values, state, api_id, problems, 0, ${now}
    from ${batch}`.execute(tables)
}

/** Only of records that will be sent. */
async function insertBodies(
  tables: Kysely<Tables>,
  { fileId, records }: Addition,
  verdicts: readonly Verdict[],
): Promise<void> {
  const planned = records.filter((_, position) => verdicts[position]?.state === 'planned')
  const batch = batchOf(planned, { number: (record) => record.number, body: (record) => record.body })
  await sql`
    insert into bodies (record_id, body)
    select records.id, batch.body from ${batch} cross join records
    where records.file_id = ${fileId} and records.number = batch.number`.execute(tables)
}

async function countRecords(tables: Kysely<Tables>, { its }: Work): Promise<StateCounts> {
  const rows = await tables
    .selectFrom('records')
    .select((is) => ['state', is.fn.countAll<number>().as('count')])
    .where(its)
    .groupBy('state')
    .execute()
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

function selectReported(tables: Kysely<Tables>) {
  return tables
    .selectFrom('records')
    .select([
      'id',
      'number',
      'lines',
      'key_values',
      'state',
      'http',
      'api_id',
      'problems',
      'attempts',
      'changed_at',
    ])
    .orderBy('number')
}

type ReportedRow = Awaited<ReturnType<ReturnType<typeof selectReported>['execute']>>[number]

function reportedOf(row: ReportedRow): ReportedRecord {
  return {
    id: row.id,
    number: row.number,
    lines: JSON.parse(row.lines),
    keyValues: JSON.parse(row.key_values),
    state: row.state,
    problems: JSON.parse(row.problems),
    attempts: row.attempts,
    changedAt: row.changed_at,
    ...present({ http: row.http, apiId: row.api_id }),
  }
}
