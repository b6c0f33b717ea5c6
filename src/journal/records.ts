/** Records as they enter the journal, and as counts and reports show them. */
import { type Kysely, sql } from 'kysely'
import type { Journal, Lease } from '../domain/journal.ts'
import type { PlannedRecord, ReportedRecord, StateCounts } from '../domain/record.ts'
import { assert } from '../support/errors.ts'
import { batchOf } from './batch.ts'
import { chainPlanned } from './planned-event.ts'
import { countUnnoted, heldKeys, insertPlanned, isBehind, mayBeAnothers, plannedBodies } from './planned.ts'
import { present } from './present.ts'
import { findHolders } from './holders.ts'
import { type Verdict, judge } from './repeats.ts'
import type { Tables } from './schema.ts'
import { type Store, read, writeHolding } from './store.ts'
import { otherAccount, type Work, workOf } from './work.ts'

type RecordCalls = Pick<
  Journal,
  | 'addRecords'
  | 'heldKeys'
  | 'plannedBodies'
  | 'countUnnoted'
  | 'isBehind'
  | 'mayBeAnothers'
  | 'countRecords'
  | 'otherAccount'
  | 'reportedRecords'
  | 'troubledRecords'
>

export function recordCalls(store: Store): RecordCalls {
  return {
    addRecords: (lease, fileId, records) =>
      writeHolding(store, lease, (tables, now) => addRecords(tables, { lease, fileId, records, now })),
    heldKeys: (asked) => read(store, (tables) => heldKeys(tables, asked)),
    countUnnoted: (fileId, operation) => read(store, (tables) => countUnnoted(tables, fileId, operation)),
    mayBeAnothers: (fileId, found) => read(store, (tables) => mayBeAnothers(tables, fileId, found)),
    isBehind: (fileId, record) => read(store, (tables) => isBehind(tables, fileId, record)),
    plannedBodies: (fileId, named) => read(store, (tables) => plannedBodies(tables, fileId, named)),
    countRecords: (work) => read(store, (tables) => countRecords(tables, workOf(work))),
    otherAccount: (work, account) => read(store, (tables) => otherAccount(tables, work, account)),
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
  const inserted = { ...addition, firstId: await firstOfLast(tables, records.length) }
  await insertPlanned(tables, inserted, verdicts)
  await chainPlanned(tables, inserted, verdicts)
}

/** Those that were inserted right before have the highest ids, in their order. */
async function firstOfLast(tables: Kysely<Tables>, count: number): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`select max(id) as last from records`.execute(tables)
  return (rows[0]?.last ?? 0) - count + 1
}

function assertWhole({ number, naturalKey, body, bodyHash, problems }: PlannedRecord): void {
  const whole = naturalKey !== undefined && body !== undefined && bodyHash !== undefined
  assert(
    whole || problems.length > 0,
    `Record ${number} has no key or no body, and no problem that says why.`,
  )
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
    step: (row) => row.step,
    natural_key: (row) => row.naturalKey,
    holds_key: (row) => (row.state === 'planned' ? 1 : 0),
    body_hash: (row) => row.bodyHash,
    lane: (row) => row.lane ?? row.naturalKey,
    lines: (row) => row.lines,
    key_values: (row) => row.keyValues,
    state: (row) => row.state,
    api_id: (row) => row.apiId,
    problems: (row) => row.problems,
    warnings: (row) => row.warnings ?? [],
  })
  await sql`
    insert into records (direction, route, file_id, number, operation, account, natural_key, holds_key, body_hash,
      lane, lines, key_values, state, api_id, problems, warnings, step, attempts, changed_at)
    select 'incoming', ${lease.route}, ${fileId}, number, operation, account, natural_key, holds_key, body_hash,
      lane, lines, key_values, state, api_id, problems, warnings, step, 0, ${now}
    from ${batch}`.execute(tables)
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
      'operation',
      'lines',
      'key_values',
      'state',
      'http',
      'api_id',
      'problems',
      'warnings',
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
    operation: row.operation,
    lines: JSON.parse(row.lines),
    keyValues: JSON.parse(row.key_values),
    state: row.state,
    problems: JSON.parse(row.problems),
    warnings: JSON.parse(row.warnings),
    attempts: row.attempts,
    changedAt: row.changed_at,
    ...present({ http: row.http, apiId: row.api_id }),
  }
}
