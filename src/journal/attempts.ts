/** Attempts: records come to the results of theirs, or to none that is known. */
import { type Kysely, sql } from 'kysely'
import type { Journal, Lease } from '../domain/journal.ts'
import { problem } from '../domain/problem.ts'
import type { RecordResult, RecordState, UncertainRecord } from '../domain/record.ts'
import { keepAnswers } from './answers.ts'
import { batchOf } from './batch.ts'
import { beginAttempts, DOUBTED_SINCE, FIRST_NOTE, sendingOf, type SendingRow } from './begin-attempts.ts'
import { chain } from './chain.ts'
import { idsWhere } from './ids.ts'
import { chainState } from './record-events.ts'
import { applyResults } from './results.ts'
import type { Tables } from './schema.ts'
import { WAITS_FOR_CLOSE } from './steps.ts'
import { type Store, read, writeHolding, writeWhatIsThere } from './store.ts'
import { summed } from './sums.ts'
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
    beginAttempts: async (lease, work, limit, ended = []) => {
      for (let results = ended; ; results = []) {
        const begun = await writeHolding(store, lease, async (tables, now) => {
          await endAttempts(tables, { lease, results, now })
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
      writeHolding(store, lease, (tables, now) => endAttempts(tables, { lease, results, now })),
    recoverAttempts: (lease, work) =>
      writeWhatIsThere(store, lease, (tables, now) => recoverAttempts(tables, workOf(work), { lease, now })),
    retryDeferred: (lease, work) =>
      writeWhatIsThere(store, lease, (tables, now) => retryDeferred(tables, workOf(work), { lease, now })),
    uncertainRecords: (work, afterId, limit) =>
      read(store, (tables) => uncertainRecords(tables, workOf(work), { afterId, limit })),
    settleRecords: (lease, results) =>
      writeHolding(store, lease, (tables, now) =>
        applyResults(tables, { lease, from: 'uncertain', results, now }),
      ),
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

async function endAttempts(
  tables: Kysely<Tables>,
  { lease, results, now }: { lease: Lease; results: readonly RecordResult[]; now: number },
): Promise<void> {
  if (results.length === 0) return
  await closeAttempts(tables, lease, { results, now })
  await keepAnswers(tables, lease, results)
  await applyResults(tables, { lease, from: 'sending', results, now })
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

/** Gives whether there were any. */
async function recoverAttempts(
  tables: Kysely<Tables>,
  { id: subject, direction, its, waitingState }: Work,
  { lease: { route }, now }: { lease: Lease; now: number },
): Promise<boolean> {
  const lost = problem(
    'answer-lost',
    {},
    'The bridge stopped while the record was being sent, so its answer is not known.',
  )
  const isSending = sql`${its} and records.route = ${route} and records.state = 'sending'`
  const ids = await idsWhere(tables, isSending)
  if (ids.length === 0) return false
  const state: RecordState = direction === 'incoming' ? 'uncertain' : waitingState
  const problems = direction === 'incoming' ? [lost] : []
  await sql`
    update records set state = ${state}, problems = ${JSON.stringify(problems)}, changed_at = ${now}
    where ${isSending}`.execute(tables)
  await chainState(tables, now, { kind: 'records-recovered', route, subject, state, ids })
  return true
}

/** Gives whether there were any. */
async function retryDeferred(
  tables: Kysely<Tables>,
  { id: subject, its, waiting, waitingState: state }: Work,
  { lease: { route }, now }: { lease: Lease; now: number },
): Promise<boolean> {
  const isDeferred = sql`${its} and records.route = ${route} and records.state = 'deferred' and not ${WAITS_FOR_CLOSE}`
  const ids = await idsWhere(tables, isDeferred)
  if (ids.length === 0) return false
  await sql`
    update records set state = ${waiting}, problems = '[]', changed_at = ${now} where ${isDeferred}`.execute(
    tables,
  )
  await chainState(tables, now, { kind: 'records-retried', route, subject, state, ids })
  return true
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
      records.changed_at, ${FIRST_NOTE} as note, ${DOUBTED_SINCE} as sent_at,
      (select count(*) from attempts as lost where lost.record_id = records.id
        and lost.result = 'uncertain') as times_lost
    from records
    join bodies on bodies.record_id = records.id
    where ${its} and records.state = 'uncertain' and records.id > ${afterId}
    order by records.id limit ${limit}`.execute(tables)
  return rows.map((row) => ({
    ...sendingOf(row),
    sentAt: row.sent_at,
    uncertainSince: row.changed_at,
    timesLost: row.times_lost,
  }))
}
