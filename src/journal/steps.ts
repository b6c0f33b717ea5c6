/** Handles several steps: the orders of records, dependents of a failed step, and records that wait for orders. */
import { sql } from 'kysely'
import { problem } from '../domain/problem.ts'
import type { RecordState, StepJournal, StepOrder, WaitingFile } from '../domain/record.ts'
import { formatRecordName } from './duplicates.ts'
import { appendStateEvent } from './events.ts'
import { IS_OPEN } from './records.ts'
import { exists, jsonRows } from './rows.ts'
import type { Db, Row } from './schema.ts'
import type { BoundStore, Tx } from './store.ts'

/** Condition on `records`. Put the index's `state in ('uncertain', 'deferred')` beside it, so that the index applies. */
export const WAITS_FOR_CLOSE = sql<boolean>`(records.state = 'deferred'
  and coalesce(records.problems ->> '$[0].code', '') = 'waiting-for-order')`

export function createStepJournal({ reads, leased }: BoundStore): StepJournal {
  const holdSome = leased(holdDependents)
  const deferSome = leased(deferDependents)
  return {
    listStepOrders: reads(selectStepOrders),
    assignLanes: leased(async ({ db, route }, fileId, joins) => {
      const batch = jsonRows(joins, { number: 'number', lane: 'lane' })
      await sql`
        update records set lane = batch.lane from ${batch}
        where records.file_id = ${fileId} and records.route = ${route} and records.number = batch.number
          and records.lane is null`.execute(db)
    }),
    holdDependents: async (lease, fileId) => {
      let held = 0
      for (let count = 1; count > 0; held += count) count = await holdSome(lease, fileId)
      while ((await deferSome(lease, fileId)) > 0);
      return held
    },
    listWaitingRecords: reads(async (db, fileId, afterId, limit) => {
      const { rows } = await sql<{ id: number; operation: string; lane: string; body: string }>`
        select records.id, operation, lane, body from records join bodies on bodies.record_id = records.id
        where file_id = ${fileId} and records.state in ('uncertain', 'deferred') and ${WAITS_FOR_CLOSE}
          and records.id > ${afterId}
        order by records.id limit ${limit}`.execute(db)
      return rows
    }),
    retryWaitingRecords: leased(async ({ db, now, route }, fileId, waiting) => {
      const { rows } = await sql<{ id: number }>`
        update records set state = 'planned', problems = '[]', changed_at = ${now}
        from ${jsonRows(waiting, { id: (id) => id })}
        where records.id = batch.id and records.file_id = ${fileId} and records.route = ${route}
          and records.state = 'deferred'
        returning records.id`.execute(db)
      const ids = rows.map(({ id }) => id)
      const event = { kind: 'records-retried', route, subject: fileId, state: 'planned', ids } as const
      await appendStateEvent(db, now, event)
    }),
    isOnlyWaitingForOrders: reads(isOnlyWaitingForOrders),
    listWaitingFiles: reads(selectWaitingFiles),
  }
}

async function selectStepOrders(
  db: Db,
  fileId: string,
  ...[step, afterNumber, limit]: [step: number, afterNumber: number, limit: number]
): Promise<StepOrder[]> {
  const all = sql`file_id = ${fileId} and step = ${step} and lane = first.lane`
  const valid = sql`${all} and natural_key is not null`
  const { rows } = await sql<{ lane: string; number: number; lines: string; key_values: string }>`
    select lane, number,
      (select json_group_array(json(lines)) from (select lines from records where ${all} order by number)) as lines,
      (select json_group_array(json(key_values)) from records where ${valid}) as key_values
    from records as first
    where file_id = ${fileId} and step = ${step} and number > ${afterNumber} and natural_key is not null
      and not exists (select 1 from records where ${valid} and number < first.number)
    order by number limit ${limit}`.execute(db)
  return rows.map((row) => ({
    lane: row.lane,
    number: row.number,
    lines: (JSON.parse(row.lines) as StepOrder['lines'][]).flat(),
    keyValues: findCommonValues(JSON.parse(row.key_values) as string[][]),
  }))
}

function findCommonValues([first = [], ...rest]: readonly (readonly string[])[]): string[] {
  return first.map((value, index) => (rest.every((other) => other[index] === value) ? value : ''))
}

/**
 * Planned records in the lane of a waiting record wait with it. Most files have no waiting record, which the first query
 * finds at once; then one record that does not wait decides, because a file may have a million records.
 */
async function isOnlyWaitingForOrders(db: Db, fileId: string): Promise<boolean> {
  const waiting = sql`
    records where records.file_id = ${fileId} and records.state in ('uncertain', 'deferred') and ${WAITS_FOR_CLOSE}`
  const isPlanned = sql`files.id = ${fileId} and files.state = 'planned'`
  if (!(await exists(db, sql`files where ${isPlanned} and exists (select 1 from ${waiting})`))) return false
  return !(await exists(
    db,
    sql`records where records.file_id = ${fileId} and ${IS_OPEN} and not ${WAITS_FOR_CLOSE}
      and not (records.state = 'planned' and coalesce(records.lane in (select records.lane from ${waiting}), 0))`,
  ))
}

/** The few unfinished files first, by the words of their index: SQLite would read all records. */
async function selectWaitingFiles(db: Db, limit: number, fileId?: string): Promise<WaitingFile[]> {
  const condition =
    fileId === undefined
      ? sql`files.state <> 'closed' and files.state = 'planned'`
      : sql`files.id = ${fileId}`
  const { rows } = await sql<WaitingFile & { readonly first: number }>`
    select files.id as file, files.name, files.route, files.received_at as "receivedAt", count(*) as records,
      records.problems ->> '$[0].message' as message, min(records.number) as first
    from files cross join records on records.file_id = files.id
    where ${condition} and records.state in ('uncertain', 'deferred') and ${WAITS_FOR_CLOSE}
    group by files.id order by files.number limit ${limit}`.execute(db)
  return rows.map(({ first: _first, ...row }) => row)
}

// Dependents: records of later steps in the lane of an order. They are held, deferred, or waived.

/** Condition on `failed`: it was refused or is held, or repeats a record of any file that was. */
const IS_FAILED = sql<boolean>`(failed.state in ('rejected', 'held') or failed.state = 'duplicate' and not exists (
  select 1 from records as owner
  where owner.operation = failed.operation and owner.account = failed.account
    and owner.natural_key = failed.natural_key and owner.owns_key = 1
    and owner.body_hash = failed.body_hash and owner.state <> 'held'))`

/** The first failure that `records` depends on; one that a person waived does not count. */
const FIRST_FAILED_STEP = sql<number | null>`(
  select failed.number from records as failed
  where failed.file_id = records.file_id and failed.lane = records.lane and failed.step is not null
    and failed.step < records.step and failed.waived = 0 and ${IS_FAILED}
  order by failed.number limit 1)`

/** The first earlier step of `records` that repeats a record of another file without an outcome yet. */
const FIRST_AWAITED_STEP = sql<number | null>`(
  select repeated.number from records as repeated join records as owner
    on owner.operation = repeated.operation and owner.account = repeated.account
      and owner.natural_key = repeated.natural_key and owner.owns_key = 1
  where repeated.file_id = records.file_id and repeated.lane = records.lane and repeated.step is not null
    and repeated.step < records.step and repeated.state = 'duplicate' and repeated.waived = 0
    and owner.file_id <> repeated.file_id and owner.state not in ('accepted', 'duplicate', 'held')
  order by repeated.number limit 1)`

/** Condition on `records`: no earlier step failed for its order, and none may still fail in another file. */
export const MAY_START = sql<boolean>`(records.step is null
  or (${FIRST_FAILED_STEP} is null and ${FIRST_AWAITED_STEP} is null))`

/** How many change in one transaction. */
const DEPENDENTS_AT_ONCE = 500

type EarlierStepRow = Pick<Row<'records'>, 'id' | 'operation' | 'natural_key' | 'key_values' | 'lines'>

interface FailedStepRow extends EarlierStepRow {
  readonly state: RecordState
  readonly message: string | null
}

/** planned → held; returns how many records this call changed. */
async function holdDependents({ db, now }: Tx, fileId: string): Promise<number> {
  const { rows } = await sql<FailedStepRow>`
    select dependent.id, failed.operation, failed.state, failed.natural_key, failed.key_values, failed.lines,
      failed.problems ->> '$[0].message' as message
    from (
      select id, file_id, ${FIRST_FAILED_STEP} as failed_number from records
      where file_id = ${fileId} and state = 'planned' and step > 1
    ) as dependent join records as failed
      on failed.file_id = dependent.file_id and failed.number = dependent.failed_number
    limit ${DEPENDENTS_AT_ONCE}`.execute(db)
  if (rows.length === 0) return 0
  const batch = jsonRows(rows, { id: 'id', problems: (row) => [toFailedStepProblem(row)] })
  await sql`
    update records set state = 'held', owns_key = 0, problems = batch.problems, changed_at = ${now} from ${batch}
    where records.id = batch.id`.execute(db)
  const ids = rows.map(({ id }) => id)
  await appendStateEvent(db, now, { kind: 'records-held', subject: fileId, state: 'held', ids })
  return rows.length
}

function toFailedStepProblem(row: FailedStepRow) {
  const why = row.message === null ? '.' : `: ${row.message}`
  return problem('earlier-step-failed', {}, `${formatEarlierStep(row)} ${describeFailure(row.state)}${why}`)
}

/** The message of a repeated record names the file that had it first. */
function describeFailure(state: RecordState): string {
  if (state === 'duplicate') return 'repeats a record that was refused or is held'
  return state === 'held' ? 'is held' : 'was refused'
}

function formatEarlierStep({ operation, natural_key, key_values, lines }: EarlierStepRow): string {
  const [range] = JSON.parse(lines) as [number, number][]
  const name = formatRecordName(JSON.parse(key_values) as string[], natural_key ?? '')
  return `${operation} of ${name}${range === undefined ? '' : ` (line ${range[0]})`}`
}

interface AwaitedStepRow extends EarlierStepRow {
  readonly file: string
}

/** planned → deferred, for the next pass to try again; returns how many records this call changed. */
async function deferDependents({ db, now }: Tx, fileId: string): Promise<number> {
  const { rows } = await sql<AwaitedStepRow>`
    select dependent.id, repeated.operation, repeated.natural_key, repeated.key_values, repeated.lines, files.name as file
    from (
      select id, file_id, ${FIRST_AWAITED_STEP} as awaited_number from records
      where file_id = ${fileId} and state = 'planned' and step > 1
    ) as dependent
    join records as repeated
      on repeated.file_id = dependent.file_id and repeated.number = dependent.awaited_number
    join records as owner
      on owner.operation = repeated.operation and owner.account = repeated.account
        and owner.natural_key = repeated.natural_key and owner.owns_key = 1
    join files on files.id = owner.file_id
    limit ${DEPENDENTS_AT_ONCE}`.execute(db)
  if (rows.length === 0) return 0
  const toProblems = (row: AwaitedStepRow) => [
    problem('not-sent', {}, `${formatEarlierStep(row)} is still on its way from ${row.file}`),
  ]
  const batch = jsonRows(rows, { id: 'id', problems: toProblems })
  await sql`
    update records set state = 'deferred', problems = batch.problems, changed_at = ${now} from ${batch}
    where records.id = batch.id`.execute(db)
  const ids = rows.map(({ id }) => id)
  await appendStateEvent(db, now, { kind: 'records-deferred', subject: fileId, state: 'deferred', ids })
  return rows.length
}

/** Earlier failures of released records no longer count; failed records of the same decision are tried again. */
export async function waiveFailures(db: Db, decisionId: number): Promise<void> {
  await sql`
    update records set waived = 1 where id in (
      select failed.id from decided_records cross join records as dependent cross join records as failed
      where decided_records.decision_id = ${decisionId} and dependent.id = decided_records.record_id
        and dependent.state = 'held' and dependent.problems ->> '$[0].code' = 'earlier-step-failed'
        and failed.file_id = dependent.file_id and failed.lane = dependent.lane and failed.step is not null
        and failed.step < dependent.step and ${IS_FAILED}
        and not exists (select 1 from decided_records as same
          where same.record_id = failed.id and same.decision_id = ${decisionId}))`.execute(db)
}
