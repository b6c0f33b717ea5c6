/** Stores attempts and their results, including results that were lost. */
import { type RawBuilder, sql } from 'kysely'
import type { Journal, WorkRef, WrittenBefore } from '../domain/journal.ts'
import { problem } from '../domain/problem.ts'
import type { PlannedRecord, RecordResult, RecordState, SendingRecord } from '../domain/record.ts'
import { assert } from '../support/errors.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { skipSuperseded } from './conflicts.ts'
import { mentionRecords, sumTexts } from './event-detail.ts'
import { appendEvent, appendStateEvent } from './events.ts'
import { addRecords } from './files.ts'
import { noteVersion } from './leases.ts'
import { assertSendable, insertPlannedRecords, toWork } from './records.ts'
import { doubtsNewRecords } from './restore.ts'
import { exists, jsonRows, omitNull, selectIdRuns } from './rows.ts'
import type { Db, Row } from './schema.ts'
import { MAY_START, WAITS_FOR_CLOSE } from './steps.ts'
import type { BoundStore, RouteTx } from './store.ts'

export function createAttemptJournal({ reads, leased, leasedIfChanged }: BoundStore) {
  const start = leased(startAttempts)
  return {
    startAttempts: async (lease, work, limit, before = {}) => {
      let begun = await start(lease, work, limit, before)
      // Each time that it is undefined, some records were superseded and are final, so the loop ends.
      while (begun === undefined) begun = await start(lease, work, limit, {})
      return begun
    },
    saveAttemptNotes: leased(saveAttemptNotes),
    finishAttempts: leased(finishAttempts),
    recoverAttempts: leasedIfChanged(recoverAttempts),
    retryDeferredRecords: leasedIfChanged(retryDeferredRecords),
    listUncertainRecords: reads(selectUncertainRecords),
    saveReconciledResults: leased((tx, results) => applyResults(tx, 'uncertain', results)),
  } satisfies Partial<Journal>
}

async function saveAttemptNotes(
  { db, now, route }: RouteTx,
  notes: readonly { readonly id: number; readonly note: string }[],
): Promise<void> {
  const batch = jsonRows(notes, { id: 'id', note: 'note' })
  const { rows } = await sql<{ id: number; text: string }>`
    update attempts set note = batch.note
    from ${batch} join records on records.id = batch.id
    where records.route = ${route} and records.state = 'sending'
      and attempts.record_id = records.id and attempts.attempt = records.attempts
    returning attempts.record_id as id, attempts.note as text`.execute(db)
  if (rows.length > 0) {
    await appendEvent(db, now, { kind: 'attempts-noted', route, detail: { notes: sumTexts(rows) } })
  }
}

async function finishAttempts(tx: RouteTx, results: readonly RecordResult[]): Promise<void> {
  if (results.length === 0) return
  await closeAttempts(tx, results)
  await saveAnswers(tx, results)
  await applyResults(tx, 'sending', results)
}

/** Runs before the results are applied, while the state still shows which records are being sent. */
async function closeAttempts({ db, now, route }: RouteTx, results: readonly RecordResult[]): Promise<void> {
  const batch = jsonRows(results, { id: 'id', state: 'state', http: 'http' })
  await sql`
    update attempts set ended_at = ${now}, http = batch.http, result = batch.state
    from ${batch} join records on records.id = batch.id
    where records.route = ${route} and records.state = 'sending'
      and attempts.record_id = records.id and attempts.attempt = records.attempts`.execute(db)
}

/** Returns whether there were any. */
async function recoverAttempts({ db, now, route }: RouteTx, work: WorkRef): Promise<boolean> {
  const { id: subject, direction, condition, waitingState } = toWork(work)
  const message = 'The bridge stopped while the record was being sent, so its answer is not known.'
  const isSending = sql`${condition} and records.route = ${route} and records.state = 'sending'`
  const ids = await selectIdRuns(db, isSending)
  if (ids.length === 0) return false
  const state: RecordState = direction === 'incoming' ? 'uncertain' : waitingState
  const problems = direction === 'incoming' ? [problem('answer-lost', {}, message)] : []
  await sql`
    update records set state = ${state}, problems = ${JSON.stringify(problems)}, changed_at = ${now}
    where ${isSending}`.execute(db)
  await appendStateEvent(db, now, { kind: 'records-recovered', route, subject, state, ids })
  return true
}

/** Returns whether there were any. */
async function retryDeferredRecords({ db, now, route }: RouteTx, work: WorkRef): Promise<boolean> {
  const { id: subject, condition, waiting, waitingState: state } = toWork(work)
  const isDeferred = sql`${condition} and records.route = ${route} and records.state = 'deferred' and not ${WAITS_FOR_CLOSE}`
  const ids = await selectIdRuns(db, isDeferred)
  if (ids.length === 0) return false
  await sql`
    update records set state = ${waiting}, problems = '[]', changed_at = ${now}
    where ${isDeferred}`.execute(db)
  await appendStateEvent(db, now, { kind: 'records-retried', route, subject, state, ids })
  return true
}

async function selectUncertainRecords(db: Db, work: WorkRef, afterId: number, limit: number) {
  const { rows } = await sql<
    SendingRow & { sent_at: number; changed_at: number; times_lost: number; http: number | null }
  >`
    select records.id, records.number, records.operation, records.step, records.lane, records.natural_key, records.attempts, 1 as in_doubt, bodies.body,
      records.changed_at, ${FIRST_UNCERTAIN_NOTE} as note, ${FIRST_UNCERTAIN_AT} as sent_at,
      (select count(*) from attempts as lost where lost.record_id = records.id
        and lost.result = 'uncertain') as times_lost,
      (select last.http from attempts as last where last.record_id = records.id
        and last.attempt = records.attempts) as http
    from records
    join bodies on bodies.record_id = records.id
    where ${toWork(work).condition} and records.state = 'uncertain' and records.id > ${afterId}
    order by records.id limit ${limit}`.execute(db)
  return rows.map((row) => ({
    ...toSendingRecord(row),
    sentAt: row.sent_at,
    uncertainSince: row.changed_at,
    timesLost: row.times_lost,
    ...(row.http !== null && { http: row.http }),
  }))
}

// Marks the records that may be sent as sending, before any request leaves.

interface SendingRow extends Pick<
  Row<'records'>,
  'id' | 'number' | 'operation' | 'step' | 'lane' | 'attempts'
> {
  readonly natural_key: string
  readonly in_doubt: number
  readonly doubt_note?: string | null
  readonly doubt_since?: number | null
  readonly said_absent?: number
  readonly body: string
  readonly note: string | null
}

/** The attempts of a record that may have taken effect. */
const UNCERTAIN_ATTEMPTS = `from attempts as earlier
  where earlier.record_id = records.id and (earlier.result is null or earlier.result = 'uncertain')`

/** The first note: a later one may show the effect of an earlier attempt. An attempt without a note may not have left. */
const FIRST_UNCERTAIN_NOTE = sql.raw(
  `(select earlier.note ${UNCERTAIN_ATTEMPTS} and earlier.note is not null order by earlier.attempt limit 1)`,
)

const FIRST_UNCERTAIN_AT = sql.raw(`(select min(earlier.began_at) ${UNCERTAIN_ATTEMPTS})`)

const RESOLVED_ABSENT = `exists (
  select 1 from decided_records as decided join decisions on decisions.id = decided.decision_id
  where decided.record_id = records.id and decisions.action = 'resolve-absent'
    and decisions.decided_at >= (select max(earlier.began_at) ${UNCERTAIN_ATTEMPTS}))`

/** Only a record that was sent before is in doubt. Raw SQL, made once, because every batch needs it. */
const UNCERTAINTY_COLUMNS = sql.raw(`
  case when records.attempts > 0 then exists (select 1 ${UNCERTAIN_ATTEMPTS}) else 0 end as in_doubt,
  case when records.attempts > 0 then ${RESOLVED_ABSENT} else 0 end as said_absent`)

/** Undefined when some records turned out to be superseded: then the caller must ask again which ones may be sent. */
async function startAttempts(tx: RouteTx, work: WorkRef, limit: number, before: WrittenBefore) {
  const { db, now, route } = tx
  const { ended = [], added = [] } = before
  await finishAttempts(tx, ended)
  await assertSendable(tx, work)
  const { id: subject, waiting } = toWork(work)
  const started = (await addStarted(tx, work, limit, added)) ?? (await startWaiting(tx, work, limit))
  const records = started.map(({ record }) => record)
  const ids = records.map(({ id }) => id)
  const changes = started.filter(({ isChange }) => isChange).map(({ record }) => record.id)
  if (await skipSuperseded(db, changes, now)) {
    const begun = jsonRows(records, { id: 'id' })
    await sql`
      update records set state = ${waiting}, attempts = attempts - 1 from ${begun}
      where records.id = batch.id and records.state = 'sending'`.execute(db)
    return undefined
  }
  const batch = jsonRows(records, { record_id: 'id', attempt: 'attempt', note: 'note' })
  await sql`
    insert into attempts (record_id, attempt, began_at, note, version)
    select record_id, attempt, ${now}, note, ${await noteVersion(tx)} from ${batch}`.execute(db)
  await appendStateEvent(db, now, { kind: 'attempts-started', route, subject, state: 'sending', ids })
  return records.toSorted((one, other) => one.number - other.number)
}

interface StartedRecord {
  readonly record: SendingRecord
  /** Whether a later file may have overtaken it. */
  readonly isChange: boolean
}

/**
 * Adds the records, those that are to be sent as `sending`, so that their rows are not written a second time. Undefined where it
 * is for the journal to choose which records start: then it only adds them.
 */
async function addStarted(
  tx: RouteTx,
  work: WorkRef,
  limit: number,
  added: readonly PlannedRecord[],
): Promise<StartedRecord[] | undefined> {
  if (added.length === 0) return undefined
  assert('file' in work, 'Only a file takes more records while it is sent.')
  if (added.length > limit || !(await mayAllStart(tx, work, added))) {
    await addRecords(tx, work.file, added)
    return undefined
  }
  const { firstId, verdicts } = await insertPlannedRecords(tx, work.file, added, { areStarted: true })
  return added.flatMap((record, place) =>
    verdicts[place]?.state === 'planned' ? toStarted(firstId + place, record) : [],
  )
}

/** Whether none of the records has to wait: for an earlier record, for an outcome, for its step, or for a lookup. */
async function mayAllStart(tx: RouteTx, work: WorkRef, added: readonly PlannedRecord[]): Promise<boolean> {
  const { condition, waiting } = toWork(work)
  const isBefore = (state: RawBuilder<unknown>) => exists(tx.db, sql`records where ${condition} and ${state}`)
  if (added.some(({ step }) => step !== undefined) || (await doubtsNewRecords(tx))) return false
  if (await isBefore(sql`records.state = ${waiting}`)) return false
  return !(await isBefore(sql`records.state in ('uncertain', 'deferred')`))
}

function toStarted(id: number, record: PlannedRecord): StartedRecord {
  const { number, operation, naturalKey, body, note, change } = record
  assert(naturalKey !== undefined && body !== undefined, `Record ${id} has no key or no body to send.`)
  const { lane = naturalKey } = record
  const sending = { id, number, operation, lane, naturalKey, body, attempt: 1, inDoubt: false }
  return { record: { ...sending, ...omitUndefined({ note }) }, isChange: change !== undefined }
}

/** Chooses the records that may start, and marks them as `sending`. */
async function startWaiting(tx: RouteTx, work: WorkRef, limit: number): Promise<StartedRecord[]> {
  const { db, now } = tx
  const started = await selectStartable(db, work, limit)
  const ids = started.map(({ record }) => record.id)
  await sql`
    update records set state = 'sending', attempts = attempts + 1, changed_at = ${now}
    where id in (select value from json_each(${JSON.stringify(ids)}))`.execute(db)
  return started
}

/** Condition on `records`: those of the work that wait, and for no other record. */
function mayStart(work: WorkRef): RawBuilder<boolean> {
  const { condition, waiting } = toWork(work)
  return sql`${condition} and records.state = ${waiting} and not exists (
      select 1 from records as lost
      where lost.file_id = records.file_id and lost.lane = records.lane and lost.state in ('uncertain', 'deferred'))
      and ${MAY_START}`
}

/** Bodies, and what belongs to them, of the records of a file. What a delivery holds is acknowledged by its id alone. */
const SENT_BODY = {
  columns: sql.raw('bodies.body, bodies.note, bodies.target'),
  from: sql.raw('records left join bodies on bodies.record_id = records.id'),
}
const NO_BODY = { columns: sql.raw(`'' as body, null as note, null as target`), from: sql.raw('records') }

/** Read first and then updated: an update copies the rows that it returns once more, and bodies are most of them. */
async function selectStartable(db: Db, work: WorkRef, limit: number): Promise<StartedRecord[]> {
  const body = 'file' in work ? SENT_BODY : NO_BODY
  const { rows } = await sql<SendingRow & { readonly target: string | null }>`
    select records.id, records.number, records.operation, records.step, records.lane, records.natural_key,
      records.attempts + 1 as attempts, ${body.columns},
      ${UNCERTAINTY_COLUMNS},
      case when records.attempts > 0 then ${FIRST_UNCERTAIN_NOTE} end as doubt_note,
      case when records.attempts > 0 then ${FIRST_UNCERTAIN_AT} end as doubt_since
    from ${body.from}
    where ${mayStart(work)}
    order by records.number limit ${limit}`.execute(db)
  return rows.map((row) => ({ record: toSendingRecord(row), isChange: row.target !== null }))
}

/** A record without a lane waits for no other: its own id is its lane. */
function toSendingRecord(row: SendingRow): SendingRecord {
  return {
    id: row.id,
    number: row.number,
    operation: row.operation,
    lane: row.lane ?? `#${row.id}`,
    naturalKey: row.natural_key,
    body: row.body,
    attempt: row.attempts,
    inDoubt: row.in_doubt === 1,
    ...(row.said_absent === 1 ? { saidAbsent: true } : {}),
    ...omitNull({
      note: row.note,
      step: row.step,
      doubtNote: row.doubt_note ?? null,
      doubtSince: row.doubt_since ?? null,
    }),
  }
}

// Applies the results of attempts and lookups: the only way in which a sent record gets its state.

type SentState = 'sending' | 'uncertain'

/** Releases keys only where necessary: writing the column updates its index, which doubles the cost of a batch. */
async function applyResults(tx: RouteTx, from: SentState, results: readonly RecordResult[]): Promise<void> {
  const { db, now, route } = tx
  const isReleased = ({ state }: RecordResult) => state === 'rejected' || state === 'skipped'
  const releasing = results.filter(isReleased)
  const keeping = results.filter((result) => !isReleased(result))
  const applied = new Set([
    ...(await updateRecords(tx, from, releasing, sql`, owns_key = 0`)),
    ...(await updateRecords(tx, from, keeping, sql``)),
  ])
  // Records that another bridge finished were reported then.
  if (applied.size === 0) return
  const kind = from === 'sending' ? 'records-answered' : 'records-reconciled'
  // A result without an HTTP status clears the earlier one.
  const changed = results.map(({ id, state, http = null, apiId }) => ({ id, state, http, apiId }))
  const records = mentionRecords(changed.filter(({ id }) => applied.has(id)))
  await appendEvent(db, now, { kind, route, detail: { records } })
}

/** Returns the ids of the changed records. The API id of an outgoing record identifies it, so no result changes it. */
async function updateRecords(
  { db, now, route }: RouteTx,
  from: SentState,
  results: readonly RecordResult[],
  alsoSet: RawBuilder<unknown>,
): Promise<number[]> {
  if (results.length === 0) return []
  const batch = jsonRows(results, {
    id: 'id',
    state: 'state',
    http: 'http',
    api_id: 'apiId',
    problems: 'problems',
  })
  const { rows } = await sql<{ id: number }>`
    update records set state = batch.state, http = batch.http, problems = batch.problems, changed_at = ${now},
      api_id = case direction when 'incoming' then coalesce(batch.api_id, records.api_id) else records.api_id end
      ${alsoSet}
    from ${batch}
    where records.id = batch.id and records.route = ${route} and records.state = ${from}
    returning records.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Stores the answers that later work needs, in the transaction that accepts their records and before it does. */
async function saveAnswers({ db, route }: RouteTx, results: readonly RecordResult[]): Promise<void> {
  const answered = results.filter(({ answer }) => answer !== undefined)
  if (answered.length === 0) return
  const batch = jsonRows(answered, { record_id: 'id', answer: 'answer' })
  await sql`
    insert into answers (record_id, answer)
    select batch.record_id, batch.answer
    from ${batch} join records on records.id = batch.record_id
    where records.route = ${route} and records.state = 'sending'
    on conflict (record_id) do update set answer = excluded.answer`.execute(db)
}
