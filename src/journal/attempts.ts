/** Attempts: a record is marked as being sent before the request leaves, and comes to its result afterwards. */
import { type Kysely, sql } from 'kysely'
import type { Journal, Lease } from '../domain/journal.ts'
import { problem } from '../domain/problem.ts'
import type { RecordResult, RecordState, SendingRecord, UncertainRecord } from '../domain/record.ts'
import { keepAnswers } from './answers.ts'
import { batchOf } from './batch.ts'
import { chain } from './chain.ts'
import { MAY_FOLLOW } from './followers.ts'
import { idsWhere } from './ids.ts'
import { present } from './present.ts'
import { chainState } from './record-events.ts'
import { applyResults } from './results.ts'
import type { Tables } from './schema.ts'
import { WAITS_FOR_CLOSE } from './steps.ts'
import { type Store, read, writeHolding } from './store.ts'
import { summed } from './sums.ts'
import { leaveOutSuperseded } from './superseded.ts'
import { type Work, assertMayBeSent, workOf } from './work.ts'

type AttemptCalls = Pick<
  Journal,
  | 'beginAttempts'
  | 'noteAttempts'
  | 'endAttempts'
  | 'recoverAttempts'
  | 'retryDeferred'
  | 'uncertainRecords'
  | 'settleRecords'
>

export function attemptCalls(store: Store): AttemptCalls {
  return {
    beginAttempts: async (lease, work, limit) => {
      for (;;) {
        const begun = await writeHolding(store, lease, async (tables, now) => {
          await assertMayBeSent(tables, workOf(work), lease.route)
          return beginAttempts(tables, workOf(work), { lease, limit, now })
        })
        // Each time that it is undefined, records came to their end.
        if (begun !== undefined) return begun
      }
    },
    noteAttempts: (lease, notes) =>
      writeHolding(store, lease, (tables, now) => noteAttempts(tables, lease, { notes, now })),
    endAttempts: (lease, results) =>
      writeHolding(store, lease, async (tables, now) => {
        await closeAttempts(tables, lease, { results, now })
        await keepAnswers(tables, lease, results)
        await applyResults(tables, { lease, from: 'sending', results, now })
      }),
    recoverAttempts: (lease, work) =>
      writeHolding(store, lease, (tables, now) => recoverAttempts(tables, workOf(work), { lease, now })),
    retryDeferred: (lease, work) =>
      writeHolding(store, lease, (tables, now) => retryDeferred(tables, workOf(work), { lease, now })),
    uncertainRecords: (work, afterId, limit) =>
      read(store, (tables) => uncertainRecords(tables, workOf(work), { afterId, limit })),
    settleRecords: (lease, results) =>
      writeHolding(store, lease, (tables, now) =>
        applyResults(tables, { lease, from: 'uncertain', results, now }),
      ),
  }
}

interface SendingRow {
  readonly id: number
  readonly number: number
  readonly operation: string
  readonly step: number | null
  readonly lane: string | null
  readonly natural_key: string
  readonly attempts: number
  readonly in_doubt: number
  readonly doubt_note?: string | null
  readonly body: string
  readonly note: string | null
}

/** Undefined when some turned out to be superseded: which others may be sent must be asked anew then. */
async function beginAttempts(
  tables: Kysely<Tables>,
  { id: subject, its, waiting }: Work,
  { lease, limit, now }: { lease: Lease; limit: number; now: number },
): Promise<SendingRecord[] | undefined> {
  const { rows } = await sql<SendingRow & { readonly target: string | null }>`
    update records set state = 'sending', attempts = attempts + 1, changed_at = ${now}
    where id in (
      select id from records where ${its} and state = ${waiting} and not exists (
        select 1 from records as lost
        where lost.file_id = records.file_id and lost.lane = records.lane and lost.state in ('uncertain', 'deferred'))
        and ${MAY_FOLLOW}
      order by number limit ${limit})
    returning id, number, operation, step, lane, natural_key, attempts,
      case when attempts = 1 then 0 else exists (
        select 1 from attempts as earlier
        where earlier.record_id = records.id and (earlier.result is null or earlier.result = 'uncertain')) end as in_doubt,
      case when attempts > 1 then (
        select earlier.note from attempts as earlier
        where earlier.record_id = records.id and (earlier.result is null or earlier.result = 'uncertain')
        order by earlier.attempt limit 1) end as doubt_note,
      (select body from bodies where bodies.record_id = records.id) as body,
      (select note from bodies where bodies.record_id = records.id) as note,
      (select target from bodies where bodies.record_id = records.id) as target`.execute(tables)
  const changes = rows.filter(({ target }) => target !== null).map(({ id }) => id)
  if (await leaveOutSuperseded(tables, changes, now)) {
    const begun = batchOf(rows, { id: (row) => row.id })
    await sql`
      update records set state = ${waiting}, attempts = attempts - 1 from ${begun}
      where records.id = batch.id and records.state = 'sending'`.execute(tables)
    return undefined
  }
  const batch = batchOf(rows, {
    record_id: (row) => row.id,
    attempt: (row) => row.attempts,
    note: (row) => row.note,
  })
  await sql`
    insert into attempts (record_id, attempt, began_at, note)
    select record_id, attempt, ${now}, note from ${batch}`.execute(tables)
  const ids = rows.map(({ id }) => id)
  await chainState(tables, now, { kind: 'records-begun', route: lease.route, subject, state: 'sending', ids })
  return rows.map(sendingOf).toSorted((one, other) => one.number - other.number)
}

/** A record without a lane waits for no other: its own id makes the lane. */
function sendingOf(row: SendingRow): SendingRecord {
  return {
    id: row.id,
    number: row.number,
    operation: row.operation,
    lane: row.lane ?? `#${row.id}`,
    naturalKey: row.natural_key,
    body: row.body,
    attempt: row.attempts,
    inDoubt: row.in_doubt === 1,
    ...present({ note: row.note, step: row.step, doubtNote: row.doubt_note ?? null }),
  }
}

async function noteAttempts(
  tables: Kysely<Tables>,
  { route }: Lease,
  { notes, now }: { notes: readonly { readonly id: number; readonly note: string }[]; now: number },
): Promise<void> {
  const batch = batchOf(notes, { id: ({ id }) => id, note: ({ note }) => note })
  const { rows } = await sql<{ id: number; text: string }>`
    update attempts set note = batch.note
    from ${batch} join records on records.id = batch.id
    where records.route = ${route} and records.state = 'sending'
      and attempts.record_id = records.id and attempts.attempt = records.attempts
    returning attempts.record_id as id, attempts.note as text`.execute(tables)
  if (rows.length > 0) {
    await chain(tables, now, { kind: 'attempts-noted', route, detail: { notes: summed(rows) } })
  }
}

/** Goes before the results, while it can still be told which records are being sent. */
async function closeAttempts(
  tables: Kysely<Tables>,
  { route }: Lease,
  { results, now }: { results: readonly RecordResult[]; now: number },
): Promise<void> {
  const batch = batchOf(results, {
    id: ({ id }) => id,
    state: ({ state }) => state,
    http: ({ http }) => http,
  })
  await sql`
    update attempts set ended_at = ${now}, http = batch.http, result = batch.state
    from ${batch} join records on records.id = batch.id
    where records.route = ${route} and records.state = 'sending'
      and attempts.record_id = records.id and attempts.attempt = records.attempts`.execute(tables)
}

async function recoverAttempts(
  tables: Kysely<Tables>,
  { id: subject, direction, its, waitingState }: Work,
  { lease: { route }, now }: { lease: Lease; now: number },
): Promise<void> {
  const lost = problem(
    'answer-lost',
    {},
    'The bridge stopped while the record was being sent, so its answer is not known.',
  )
  const isSending = sql`${its} and records.route = ${route} and records.state = 'sending'`
  const ids = await idsWhere(tables, isSending)
  const state: RecordState = direction === 'incoming' ? 'uncertain' : waitingState
  const problems = direction === 'incoming' ? [lost] : []
  await sql`
    update records set state = ${state}, problems = ${JSON.stringify(problems)}, changed_at = ${now}
    where ${isSending}`.execute(tables)
  await chainState(tables, now, { kind: 'records-recovered', route, subject, state, ids })
}

async function retryDeferred(
  tables: Kysely<Tables>,
  { id: subject, its, waiting, waitingState: state }: Work,
  { lease: { route }, now }: { lease: Lease; now: number },
): Promise<void> {
  const isDeferred = sql`${its} and records.route = ${route} and records.state = 'deferred' and not ${WAITS_FOR_CLOSE}`
  const ids = await idsWhere(tables, isDeferred)
  await sql`
    update records set state = ${waiting}, problems = '[]', changed_at = ${now} where ${isDeferred}`.execute(
    tables,
  )
  await chainState(tables, now, { kind: 'records-retried', route, subject, state, ids })
}

interface UncertainRow extends SendingRow {
  readonly sent_at: number
  readonly changed_at: number
  readonly times_lost: number
}

async function uncertainRecords(
  tables: Kysely<Tables>,
  { its }: Work,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<UncertainRecord[]> {
  const { rows } = await sql<UncertainRow>`
    select records.id, records.number, records.operation, records.step, records.lane, records.natural_key, records.attempts, 1 as in_doubt, bodies.body,
      records.changed_at, attempts.began_at as sent_at, attempts.note,
      (select count(*) from attempts as lost where lost.record_id = records.id
        and lost.result = 'uncertain') as times_lost
    from records
    join bodies on bodies.record_id = records.id
    join attempts on attempts.record_id = records.id and attempts.attempt = records.attempts
    where ${its} and records.state = 'uncertain' and records.id > ${afterId}
    order by records.id limit ${limit}`.execute(tables)
  return rows.map((row) => ({
    ...sendingOf(row),
    sentAt: row.sent_at,
    uncertainSince: row.changed_at,
    timesLost: row.times_lost,
  }))
}
