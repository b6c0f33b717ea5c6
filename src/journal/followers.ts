/** What follows, in the lane of its order, on records of earlier steps: it is held, waits, or is let go by a person. */
import { type Kysely, sql } from 'kysely'
import { problem } from '../domain/problem.ts'
import type { RecordState } from '../domain/record.ts'
import { batchOf } from './batch.ts'
import { chainState } from './record-events.ts'
import { nameOf } from './repeats.ts'
import type { Tables } from './schema.ts'

/** As a condition on `failed`: it was refused or is held, or what it repeats was, wherever that came from. */
const FAILED = sql<boolean>`(failed.state in ('rejected', 'held') or failed.state = 'duplicate' and not exists (
  select 1 from records as holder
  where holder.operation = failed.operation and holder.account = failed.account
    and holder.natural_key = failed.natural_key and holder.holds_key = 1
    and holder.body_hash = failed.body_hash and holder.state <> 'held'))`

/** The first failure that `records` follows on; one that a person let pass does not count. */
const FAILED_BEFORE = sql<number | null>`(
  select failed.number from records as failed
  where failed.file_id = records.file_id and failed.lane = records.lane and failed.step is not null
    and failed.step < records.step and failed.forgiven = 0 and ${FAILED}
  order by failed.number limit 1)`

/** What `records` follows on that repeats a record of another file which has no outcome yet. */
const AWAITED_BEFORE = sql<number | null>`(
  select repeated.number from records as repeated join records as holder
    on holder.operation = repeated.operation and holder.account = repeated.account
      and holder.natural_key = repeated.natural_key and holder.holds_key = 1
  where repeated.file_id = records.file_id and repeated.lane = records.lane and repeated.step is not null
    and repeated.step < records.step and repeated.state = 'duplicate' and repeated.forgiven = 0
    and holder.file_id <> repeated.file_id and holder.state not in ('accepted', 'duplicate', 'held')
  order by repeated.number limit 1)`

/** As a condition on `records`: nothing of an earlier step went wrong for its order, or may still do so elsewhere. */
export const MAY_FOLLOW = sql<boolean>`(records.step is null
  or (${FAILED_BEFORE} is null and ${AWAITED_BEFORE} is null))`

/** How many change in one transaction. */
const AT_ONCE = 500

interface EarlierRow {
  readonly id: number
  readonly operation: string
  readonly natural_key: string | null
  readonly key_values: string
  readonly lines: string
}

interface FailedRow extends EarlierRow {
  readonly state: RecordState
  readonly message: string | null
}

/** planned → held; gives how many there were this time. */
export async function holdSome(tables: Kysely<Tables>, fileId: string, now: number): Promise<number> {
  const { rows } = await sql<FailedRow>`
    select follower.id, failed.operation, failed.state, failed.natural_key, failed.key_values, failed.lines,
      failed.problems ->> '$[0].message' as message
    from (
      select id, file_id, ${FAILED_BEFORE} as failed_number from records
      where file_id = ${fileId} and state = 'planned' and step > 1
    ) as follower join records as failed
      on failed.file_id = follower.file_id and failed.number = follower.failed_number
    limit ${AT_ONCE}`.execute(tables)
  if (rows.length === 0) return 0
  const batch = batchOf(rows, { id: (row) => row.id, problems: (row) => [failureBefore(row)] })
  await sql`
    update records set state = 'held', holds_key = 0, problems = batch.problems, changed_at = ${now} from ${batch}
    where records.id = batch.id`.execute(tables)
  const ids = rows.map(({ id }) => id)
  await chainState(tables, now, { kind: 'records-held', subject: fileId, state: 'held', ids })
  return rows.length
}

function failureBefore(row: FailedRow) {
  const why = row.message === null ? '.' : `: ${row.message}`
  return problem('earlier-step-failed', {}, `${calledAs(row)} ${fateOf(row.state)}${why}`)
}

/** Of a repeated record its own message tells the file that had it first. */
function fateOf(state: RecordState): string {
  if (state === 'duplicate') return 'repeats a record that was refused or is held'
  return state === 'held' ? 'is held' : 'was refused'
}

function calledAs({ operation, natural_key, key_values, lines }: EarlierRow): string {
  const [range] = JSON.parse(lines) as [number, number][]
  const name = nameOf(JSON.parse(key_values) as string[], natural_key ?? '')
  return `${operation} of ${name}${range === undefined ? '' : ` (line ${range[0]})`}`
}

interface AwaitedRow extends EarlierRow {
  readonly file: string
}

/** planned → deferred, for the next pass to try again; gives how many there were this time. */
export async function deferSome(tables: Kysely<Tables>, fileId: string, now: number): Promise<number> {
  const { rows } = await sql<AwaitedRow>`
    select follower.id, repeated.operation, repeated.natural_key, repeated.key_values, repeated.lines, files.name as file
    from (
      select id, file_id, ${AWAITED_BEFORE} as awaited_number from records
      where file_id = ${fileId} and state = 'planned' and step > 1
    ) as follower
    join records as repeated
      on repeated.file_id = follower.file_id and repeated.number = follower.awaited_number
    join records as holder
      on holder.operation = repeated.operation and holder.account = repeated.account
        and holder.natural_key = repeated.natural_key and holder.holds_key = 1
    join files on files.id = holder.file_id
    limit ${AT_ONCE}`.execute(tables)
  if (rows.length === 0) return 0
  const batch = batchOf(rows, { id: (row) => row.id, problems: (row) => [awaitedBefore(row)] })
  await sql`
    update records set state = 'deferred', problems = batch.problems, changed_at = ${now} from ${batch}
    where records.id = batch.id`.execute(tables)
  const ids = rows.map(({ id }) => id)
  await chainState(tables, now, { kind: 'records-deferred', subject: fileId, state: 'deferred', ids })
  return rows.length
}

function awaitedBefore(row: AwaitedRow) {
  return problem('not-sent', {}, `${calledAs(row)} is still on its way from ${row.file}`)
}

/**
 * A person releases what is held because of earlier failures: they no longer count, until something changes about them.
 * What is released with the same decision is tried again itself, and counts as it comes out.
 */
export async function forgive(tables: Kysely<Tables>, decisionId: number): Promise<void> {
  await sql`
    update records set forgiven = 1 where id in (
      select failed.id from decided_records cross join records as follower cross join records as failed
      where decided_records.decision_id = ${decisionId} and follower.id = decided_records.record_id
        and follower.state = 'held' and follower.problems ->> '$[0].code' = 'earlier-step-failed'
        and failed.file_id = follower.file_id and failed.lane = follower.lane and failed.step is not null
        and failed.step < follower.step and ${FAILED}
        and not exists (select 1 from decided_records as same
          where same.record_id = failed.id and same.decision_id = ${decisionId}))`.execute(tables)
}
