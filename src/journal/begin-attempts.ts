/** Beginning attempts: which records may be sent now, marked as being sent before any request leaves. */
import { type Kysely, sql } from 'kysely'
import type { Lease } from '../domain/journal.ts'
import type { SendingRecord } from '../domain/record.ts'
import { batchOf } from './batch.ts'
import { MAY_FOLLOW } from './followers.ts'
import { present } from './present.ts'
import { chainState } from './record-events.ts'
import type { Tables } from './schema.ts'
import { leaveOutSuperseded } from './superseded.ts'
import type { Work } from './work.ts'

export interface SendingRow {
  readonly id: number
  readonly number: number
  readonly operation: string
  readonly step: number | null
  readonly lane: string | null
  readonly natural_key: string
  readonly attempts: number
  readonly in_doubt: number
  readonly doubt_note?: string | null
  readonly doubt_since?: number | null
  readonly said_absent?: number
  readonly body: string
  readonly note: string | null
}

/** The attempts of a record that may have taken effect. */
const DOUBTED = `from attempts as earlier
  where earlier.record_id = records.id and (earlier.result is null or earlier.result = 'uncertain')`

/** What was noted first: the note of a later attempt may show the effect of an earlier one. An attempt without a note may not have left. */
export const FIRST_NOTE = sql.raw(
  `(select earlier.note ${DOUBTED} and earlier.note is not null order by earlier.attempt limit 1)`,
)

export const DOUBTED_SINCE = sql.raw(`(select min(earlier.began_at) ${DOUBTED})`)

const SAID_ABSENT = `exists (
  select 1 from decided_records as decided join decisions on decisions.id = decided.decision_id
  where decided.record_id = records.id and decisions.action = 'settle-absent'
    and decisions.decided_at >= (select max(earlier.began_at) ${DOUBTED}))`

/** Only a record that was sent before has doubts. In one piece, because this is asked for every batch. */
const DOUBTS = sql.raw(`
  case when records.attempts > 0 then exists (select 1 ${DOUBTED}) else 0 end as in_doubt,
  case when records.attempts > 0 then ${SAID_ABSENT} else 0 end as said_absent`)

/** Undefined when some turned out to be superseded: which others may be sent must be asked anew then. */
export async function beginAttempts(
  tables: Kysely<Tables>,
  { id: subject, its, waiting }: Work,
  { lease, limit, now }: { lease: Lease; limit: number; now: number },
): Promise<SendingRecord[] | undefined> {
  // Read first and then written: what an update gives back is copied once more, and bodies are most of it.
  const { rows } = await sql<SendingRow & { readonly target: string | null }>`
    select records.id, records.number, records.operation, records.step, records.lane, records.natural_key,
      records.attempts + 1 as attempts, bodies.body, bodies.note, bodies.target,
      ${DOUBTS},
      case when records.attempts > 0 then ${FIRST_NOTE} end as doubt_note,
      case when records.attempts > 0 then ${DOUBTED_SINCE} end as doubt_since
    from records left join bodies on bodies.record_id = records.id
    where ${its} and records.state = ${waiting} and not exists (
      select 1 from records as lost
      where lost.file_id = records.file_id and lost.lane = records.lane and lost.state in ('uncertain', 'deferred'))
      and ${MAY_FOLLOW}
    order by records.number limit ${limit}`.execute(tables)
  const ids = rows.map(({ id }) => id)
  await sql`
    update records set state = 'sending', attempts = attempts + 1, changed_at = ${now}
    where id in (select value from json_each(${JSON.stringify(ids)}))`.execute(tables)
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
  await chainState(tables, now, { kind: 'records-begun', route: lease.route, subject, state: 'sending', ids })
  return rows.map(sendingOf).toSorted((one, other) => one.number - other.number)
}

/** A record without a lane waits for no other: its own id makes the lane. */
export function sendingOf(row: SendingRow): SendingRecord {
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
    ...present({
      note: row.note,
      step: row.step,
      doubtNote: row.doubt_note ?? null,
      doubtSince: row.doubt_since ?? null,
    }),
  }
}
