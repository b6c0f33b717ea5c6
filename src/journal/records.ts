/** Stores the records of files: adds them with their bodies, counts them and reads them for reports. */
import { type RawBuilder, sql } from 'kysely'
import type { LastPlanned } from '../domain/file.ts'
import type { Journal, UnfinishedWorkRef, WorkRef } from '../domain/journal.ts'
import type { Problem } from '../domain/problem.ts'
import {
  FINAL_OUTCOMES,
  type PlannedRecord,
  type RecordState,
  type ReportedRecord,
  type StateCounts,
} from '../domain/record.ts'
import { assert } from '../support/errors.ts'
import type { Mutable } from '../support/object-paths.ts'
import { findKeyOwners } from './conflicts.ts'
import { judgeRecords, type Verdict } from './duplicates.ts'
import { digestPlannedRecords, formatChange, mentionRecords, sumTexts } from './event-detail.ts'
import { appendEvent } from './events.ts'
import { saveOrderAttributes } from './resources.ts'
import { exists, jsonRows, selectFirst } from './rows.ts'
import type { Db, Direction, Row } from './schema.ts'
import type { BoundStore, RouteTx } from './store.ts'

export function createRecordJournal({ reads }: BoundStore) {
  return {
    findActiveKeys: reads(selectActiveKeys),
    countRecordsWithoutNote: reads(countRecordsWithoutNote),
    mayBelongToAnotherRecord: reads(mayBelongToAnotherRecord),
    hasEarlierRecordInLane: reads((db, fileId, { operation, account, lane, number }) =>
      exists(
        db,
        sql`records where operation = ${operation} and account = ${account} and owns_key = 1
          and ${isKeyInLane(lane)} and file_id = ${fileId} and number < ${number}`,
      ),
    ),
    listPlannedBodies: reads(selectPlannedBodies),
    findLastPlanned: reads(async (db, fileId) => {
      const query = db.selectFrom('records').select(['number', 'lines']).where('file_id', '=', fileId)
      const row = await query.orderBy('number', 'desc').limit(1).executeTakeFirst()
      return row && { number: row.number, lines: JSON.parse(row.lines) as LastPlanned['lines'] }
    }),
    countRecords: reads(countRecords),
    countWarnings: reads(countWarnings),
    findOtherAccount: reads(findOtherAccount),
    listReportedRecords: reads(async (db, fileId, afterNumber, limit) => {
      const query = selectReportedRecords(db).where('file_id', '=', fileId).where('number', '>', afterNumber)
      return (await query.orderBy('number').limit(limit).execute()).map(toReportedRecord)
    }),
    listProblemRecords: reads(async (db, work, limit) => {
      const query = selectReportedRecords(db).where(toWork(work).condition)
      const withProblems = query.where('problems', '<>', '[]').where('state', '<>', 'skipped')
      return (await withProblems.orderBy('number').limit(limit).execute()).map(toReportedRecord)
    }),
  } satisfies Partial<Journal>
}

/** Records that were added to a file. `firstId`: the journal's id of the first; the others follow in their order. */
interface InsertedRecords {
  readonly fileId: string
  readonly records: readonly PlannedRecord[]
  readonly verdicts: readonly Verdict[]
  readonly firstId: number
}

/**
 * Returns the state of their file, the verdicts, and the id of the first; the others follow in their order. `areStarted`: those
 * that are to be sent are `sending` at once; the caller adds their attempts in the same transaction.
 */
export async function insertPlannedRecords(
  tx: RouteTx,
  fileId: string,
  records: readonly PlannedRecord[],
  { areStarted = false } = {},
) {
  const { db, route } = tx
  const before = await selectPlanning(tx, fileId)
  assert(
    before !== undefined,
    `File ${fileId} of route ${route} is not being planned and can take no records.`,
  )
  for (const record of records) assertComplete(record)
  const verdicts = judgeRecords(records, await findKeyOwners(db, fileId, records))
  const firstId = await insertRecords(tx, { fileId, records, verdicts, areStarted })
  const inserted = { fileId, records, verdicts, firstId }
  await insertBodies(tx, inserted)
  await appendPlannedEvent(tx, inserted)
  return { state: before.state, verdicts, firstId }
}

/** The file while it takes records: it is received, or planned and has not all of them. */
async function selectPlanning({ db, route }: RouteTx, fileId: string) {
  return selectFirst(
    db,
    sql<Pick<Row<'files'>, 'state'>>`
      select state from files where id = ${fileId} and route = ${route} and (state = 'received'
        or state = 'planned' and record_total > (
          select coalesce(max(number), 0) from records where file_id = files.id))`,
  )
}

function assertComplete({ number, naturalKey, body, bodyHash, problems }: PlannedRecord): void {
  const isWhole = naturalKey !== undefined && body !== undefined && bodyHash !== undefined
  const isExplained = isWhole || problems.length > 0
  assert(isExplained, `Record ${number} has no key or no body, and no problem that says why.`)
}

/** Returns the id of the first: the rows inserted just now have the highest ids, in their order. */
async function insertRecords(
  { db, now, route }: RouteTx,
  {
    fileId,
    records,
    verdicts,
    areStarted,
  }: Omit<InsertedRecords, 'firstId'> & { readonly areStarted: boolean },
): Promise<number> {
  const isStarted = (verdict?: Verdict) => areStarted && verdict?.state === 'planned'
  const judged = records.map((record, position) => ({ record, verdict: verdicts[position] }))
  const batch = jsonRows(judged, {
    number: ({ record }) => record.number,
    operation: ({ record }) => record.operation,
    account: ({ record }) => record.account,
    step: ({ record }) => record.step,
    natural_key: ({ record }) => record.naturalKey,
    owns_key: ({ verdict }) => (verdict?.state === 'planned' ? 1 : 0),
    body_hash: ({ record }) => record.bodyHash,
    lane: ({ record }) => record.lane ?? record.naturalKey,
    lines: ({ record }) => record.lines,
    key_values: ({ record }) => record.keyValues,
    state: ({ verdict }) => (isStarted(verdict) ? 'sending' : verdict?.state),
    attempts: ({ verdict }) => (isStarted(verdict) ? 1 : 0),
    api_id: ({ verdict }) => verdict?.apiId,
    problems: ({ verdict }) => verdict?.problems,
    warnings: ({ record }) => record.warnings ?? [],
  })
  await sql`
    insert into records (direction, route, file_id, number, operation, account, natural_key, owns_key, body_hash,
      lane, lines, key_values, state, api_id, problems, warnings, step, attempts, changed_at)
    select 'incoming', ${route}, ${fileId}, number, operation, account, natural_key, owns_key, body_hash,
      lane, lines, key_values, state, api_id, problems, warnings, step, attempts, ${now}
    from ${batch}`.execute(db)
  const { rows: inserted } = await sql<{ last: number | null }>`
    select max(id) as last from records`.execute(db)
  return (inserted[0]?.last ?? 0) - records.length + 1
}

async function countRecords(db: Db, work: WorkRef): Promise<StateCounts> {
  const { rows } = await sql<{ state: RecordState; count: number }>`
    select state, count(*) as count from records where ${toWork(work).condition} group by state`.execute(db)
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

/** The condition is that of the partial index on warnings. */
async function countWarnings(db: Db, fileId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct records.id || ' ' || json_extract(value, '$.code')) as count
    from records, json_each(warnings) where file_id = ${fileId} and warnings <> '[]'`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * How many attempts on `records` were taken back before their request. The only attempt of a record with an answer is the
 * answered one, so most records need no search.
 */
const UNSENT_ATTEMPTS = sql<number>`(case when records.attempts = 0 or records.attempts = 1 and records.http is not null
  then 0 else (select count(*) from attempts where attempts.record_id = records.id and attempts.result = 'planned') end)`

/** Unordered; the caller sets the order. */
export function selectReportedRecords(db: Db) {
  return db
    .selectFrom('records')
    .select(['id', 'number', 'operation', 'lines', 'key_values', 'state', 'http', 'api_id'])
    .select(['problems', 'warnings', 'attempts', 'changed_at'])
    .select(UNSENT_ATTEMPTS.as('unsent'))
}

type ReportedRow = Awaited<ReturnType<ReturnType<typeof selectReportedRecords>['execute']>>[number]

export function toReportedRecord(row: ReportedRow): ReportedRecord {
  const record: Mutable<ReportedRecord> = {
    id: row.id,
    number: row.number,
    operation: row.operation,
    lines: JSON.parse(row.lines),
    keyValues: JSON.parse(row.key_values),
    state: row.state,
    problems: parseProblems(row.problems),
    warnings: parseProblems(row.warnings),
    attempts: row.attempts,
    changedAt: row.changed_at,
  }
  if (row.unsent > 0) record.unsent = row.unsent
  if (row.http !== null) record.http = row.http
  if (row.api_id !== null) record.apiId = row.api_id
  return record
}

/** Most records have none. */
function parseProblems(text: string): readonly Problem[] {
  return text === '[]' ? [] : (JSON.parse(text) as Problem[])
}

// Bodies and notes of records that will be sent, and order attributes.

/** Now, or when a person releases it. */
function mayBeSent({ body }: PlannedRecord, verdict?: Verdict): boolean {
  return verdict?.state === 'planned' || (verdict?.state === 'held' && body !== undefined)
}

/** A record that is refused as another version of a key must not change the order attributes of the first version. */
async function insertBodies({ db, now }: RouteTx, { fileId, records, verdicts, firstId }: InsertedRecords) {
  const planned = records
    .map((record, place) => ({ record, id: firstId + place }))
    .filter(({ record }, place) => mayBeSent(record, verdicts[place]))
  const [first] = planned
  if (first === undefined) return
  const batch = jsonRows(
    planned,
    {
      id: 'id',
      note: ({ record }) => record.note,
      target: ({ record }) => record.change?.target,
      changes: ({ record }) => record.change?.values,
      cents: ({ record }) => record.cents,
    },
    { body: ({ record }) => record.body },
  )
  await sql`
    insert into bodies (record_id, body, note, target, changes, file_number, cents)
    select id, body, note, target, changes,
      case when target is not null then (select number from files where id = ${fileId}) end, cents
    from ${batch}`.execute(db)
  const kept = planned.flatMap(({ record }) => record.keep ?? [])
  await saveOrderAttributes(db, { account: first.record.account, kept, now })
}

/** A key that begins with a lane continues with a blank, so the index of keys finds it. */
async function selectPlannedBodies(
  db: Db,
  fileId: string,
  { operation, account, lanes }: Parameters<Journal['listPlannedBodies']>[1],
): Promise<{ lane: string; body: string }[]> {
  const batch = jsonRows([...new Set(lanes)], { lane: (lane) => lane })
  const { rows } = await sql<{ lane: string; body: string }>`
    select batch.lane, bodies.body
    from ${batch} cross join records cross join bodies
    where records.operation = ${operation} and records.account = ${account} and records.owns_key = 1
      and ${isKeyInLane(sql`batch.lane`)}
      and records.file_id = ${fileId} and records.state = 'planned' and bodies.record_id = records.id
    order by records.id`.execute(db)
  return rows
}

async function selectActiveKeys(
  db: Db,
  { operation, account, keys }: Parameters<Journal['findActiveKeys']>[0],
): Promise<string[]> {
  const batch = jsonRows([...new Set(keys)], { key: (key) => key })
  const { rows } = await sql<{ natural_key: string }>`
    select records.natural_key from ${batch} cross join records
    where records.operation = ${operation} and records.account = ${account}
      and records.natural_key = batch.key and records.owns_key = 1`.execute(db)
  return rows.map((row) => row.natural_key)
}

async function countRecordsWithoutNote(db: Db, fileId: string, operation: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from records join bodies on bodies.record_id = records.id
    where records.file_id = ${fileId} and records.operation = ${operation}
      and records.state in ('planned', 'sending') and bodies.note is null`.execute(db)
  return rows[0]?.count ?? 0
}

/** Condition on `records`: its key begins with the lane and continues with a blank. */
export function isKeyInLane(lane: string | RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`records.natural_key > ${lane} || ' ' and records.natural_key < ${lane} || '!'`
}

async function mayBelongToAnotherRecord(
  db: Db,
  fileId: string,
  { id, operation, account, lane, apiId, since }: Parameters<Journal['mayBelongToAnotherRecord']>[1],
): Promise<boolean> {
  const isCandidate =
    apiId === undefined
      ? sql`file_id <> ${fileId} and state in ('accepted', 'sending', 'uncertain') and changed_at >= ${since}`
      : sql`api_id = ${apiId}`
  return exists(
    db,
    sql`records where operation = ${operation} and account = ${account} and owns_key = 1
      and ${isKeyInLane(lane)} and id <> ${id} and ${isCandidate}`,
  )
}

// The event of added records: their ids, states and identities.

async function appendPlannedEvent(
  { db, now, route }: RouteTx,
  { fileId, records, verdicts, firstId: first }: InsertedRecords,
): Promise<void> {
  if (records.length === 0) return
  const last = first + records.length - 1
  const sent = records
    .map((record, place) => ({ record, id: first + place }))
    .filter(({ record }, place) => mayBeSent(record, verdicts[place]))
  const notes = sent.flatMap(({ id, record: { note } }) => (note === undefined ? [] : [{ id, text: note }]))
  const changes = sent.flatMap(({ id, record: { change } }) =>
    change === undefined ? [] : [{ id, text: formatChange(change.target, change.values) }],
  )
  await appendEvent(db, now, {
    kind: 'records-planned',
    route,
    subject: fileId,
    detail: {
      records: mentionRecords(verdicts.map(({ state, apiId }, at) => ({ id: first + at, state, apiId }))),
      planned: { ids: [[first, last]], ...digestPlannedRecords(fileId, records) },
      ...(notes.length === 0 ? {} : { notes: sumTexts(notes) }),
      ...(changes.length === 0 ? {} : { changes: sumTexts(changes) }),
    },
  })
}

// Files and deliveries share this: both own records that are sent and get an outcome.

export interface Work {
  readonly id: string
  readonly direction: Direction
  /** The records of the work, as a condition on `records`. */
  readonly condition: RawBuilder<boolean>
  /** The state of a record before it is sent, as a literal: a partial index has only these records. */
  readonly waiting: RawBuilder<RecordState>
  /** The same as text. */
  readonly waitingState: RecordState
}

export function toWork(work: WorkRef): Work {
  if ('file' in work) {
    const condition = sql<boolean>`records.file_id = ${work.file}`
    const waiting = { waiting: sql.lit('planned' as const), waitingState: 'planned' as const }
    return { id: work.file, direction: 'incoming', condition, ...waiting }
  }
  const own = sql<boolean>`records.delivery_id = ${work.delivery}`
  const condition = work.isConfirmed === true ? sql<boolean>`(${own} and records.confirmed = 1)` : own
  const waiting = { waiting: sql.lit('collected' as const), waitingState: 'collected' as const }
  return { id: work.delivery, direction: 'outgoing', condition, ...waiting }
}

/** Stops the program when the file is not planned, the delivery is not delivered, or either is of another route. */
export async function assertSendable({ db, route }: RouteTx, work: WorkRef): Promise<void> {
  const { id, direction } = toWork(work)
  const [table, state] = direction === 'incoming' ? ['files', 'planned'] : ['deliveries', 'delivered']
  assert(
    await exists(db, sql`${sql.table(table)} where id = ${id} and route = ${route} and state = ${state}`),
    `Nothing of ${id} may be sent: it is not ${state} on route ${route}.`,
  )
}

/** Returns the first of several: the records of a file have one account, and so should those of a delivery. */
async function findOtherAccount(db: Db, work: UnfinishedWorkRef, account: string) {
  const condition =
    'waitingIn' in work ? undeliveredCondition(work.waitingIn) : sql`${toWork(work).condition} and ${IS_OPEN}`
  const { rows } = await sql<{ account: string }>`
    select account from records where ${condition} and account <> ${account} limit 1`.execute(db)
  return rows[0]?.account
}

/** The records that are in no delivery of the route yet, as a condition on `records`. */
export function undeliveredCondition(route: string): RawBuilder<boolean> {
  return sql<boolean>`records.route = ${route} and records.direction = 'outgoing' and records.delivery_id is null`
}

/** Condition on `records`: the bridge itself may still change its state. */
export const IS_OPEN = sql<boolean>`records.state not in (${sql.join(FINAL_OUTCOMES.map((state) => sql.lit(state)))})`
