/** Records of several steps: which orders they are about, what follows on a failure, and what waits for its order. */
import { type Kysely, sql } from 'kysely'
import { problem } from '../domain/problem.ts'
import type { RecordState } from '../domain/record.ts'
import type { StepJournal, StepOrder, WaitingFile } from '../domain/steps.ts'
import { batchOf } from './batch.ts'
import { nameOf } from './repeats.ts'
import type { Tables } from './schema.ts'
import { type Store, read, writeHolding } from './store.ts'
import { NOT_FINAL } from './work.ts'

/** As a condition on `records`. Beside it, `state in (…)` as the index of what blocks has it finds them at once. */
export const WAITS_FOR_CLOSE = sql<boolean>`(records.state = 'deferred'
  and coalesce(records.problems ->> '$[0].code', '') = 'waits-for-close')`

/** The first failure that `records` follows on; one from before a person released it does not count. */
const FAILED_BEFORE = sql<number | null>`(
  select failed.number from records as failed
  where failed.file_id = records.file_id and failed.lane = records.lane and failed.step is not null
    and failed.step < records.step and failed.state in ('rejected', 'held')
    and failed.changed_at > coalesce((
      select max(decisions.decided_at) from decided_records join decisions on decisions.id = decision_id
      where decided_records.record_id = records.id and action = 'release'), -1)
  order by failed.number limit 1)`

/** As a condition on `records`: nothing of an earlier step went wrong for its order. */
export const MAY_FOLLOW = sql<boolean>`(records.step is null or ${FAILED_BEFORE} is null)`

export function stepCalls(store: Store): StepJournal {
  return {
    ordersOfStep: (fileId, step, afterNumber, limit) =>
      read(store, (tables) => ordersOfStep(tables, fileId, { step, afterNumber, limit })),
    joinLanes: (lease, fileId, joins) =>
      writeHolding(store, lease, async (tables) => {
        const batch = batchOf(joins, { number: (it) => it.number, lane: (it) => it.lane })
        await sql`
          update records set lane = batch.lane from ${batch}
          where records.file_id = ${fileId} and records.route = ${lease.route} and records.number = batch.number
            and records.lane is null`.execute(tables)
      }),
    holdFollowers: async (lease, fileId) => {
      let held = 0
      for (;;) {
        const some = await writeHolding(store, lease, (tables, now) => holdSome(tables, fileId, now))
        if (some === 0) return held
        held += some
      }
    },
    recordsInWait: (fileId, afterId, limit) =>
      read(store, async (tables) => {
        const { rows } = await sql<{ id: number; operation: string; lane: string; body: string }>`
          select records.id, operation, lane, body from records join bodies on bodies.record_id = records.id
          where file_id = ${fileId} and records.state in ('uncertain', 'deferred') and ${WAITS_FOR_CLOSE}
            and records.id > ${afterId}
          order by records.id limit ${limit}`.execute(tables)
        return rows
      }),
    retryWaiting: (lease, fileId, ids) =>
      writeHolding(store, lease, async (tables, now) => {
        const batch = batchOf(ids, { id: (id) => id })
        await sql`
          update records set state = 'planned', problems = '[]', changed_at = ${now} from ${batch}
          where records.id = batch.id and records.file_id = ${fileId} and records.route = ${lease.route}
            and records.state = 'deferred'`.execute(tables)
      }),
    onlyWaits: (fileId) => read(store, (tables) => onlyWaits(tables, fileId)),
    waitingFiles: (limit, fileId) => read(store, (tables) => waitingFiles(tables, limit, fileId)),
  }
}

interface OrderRow {
  readonly lane: string
  readonly number: number
  readonly lines: string
  readonly key_values: string
}

async function ordersOfStep(
  tables: Kysely<Tables>,
  fileId: string,
  { step, afterNumber, limit }: { step: number; afterNumber: number; limit: number },
): Promise<StepOrder[]> {
  const its = sql`file_id = ${fileId} and step = ${step} and lane = first.lane and natural_key is not null`
  const { rows } = await sql<OrderRow>`
    select lane, number,
      (select json_group_array(json(lines)) from (select lines from records where ${its} order by number)) as lines,
      (select json_group_array(json(key_values)) from records where ${its}) as key_values
    from records as first
    where file_id = ${fileId} and step = ${step} and number > ${afterNumber} and natural_key is not null
      and not exists (select 1 from records where ${its} and number < first.number)
    order by number limit ${limit}`.execute(tables)
  return rows.map((row) => ({
    lane: row.lane,
    number: row.number,
    lines: (JSON.parse(row.lines) as StepOrder['lines'][]).flat(),
    keyValues: commonTo(JSON.parse(row.key_values) as string[][]),
  }))
}

function commonTo([first = [], ...others]: readonly (readonly string[])[]): string[] {
  return first.map((value, index) => (others.every((other) => other[index] === value) ? value : ''))
}

/** How many are held in one transaction. */
const HELD_AT_ONCE = 500

interface FollowerRow {
  readonly id: number
  readonly operation: string
  readonly state: RecordState
  readonly natural_key: string | null
  readonly key_values: string
  readonly lines: string
  readonly message: string | null
}

async function holdSome(tables: Kysely<Tables>, fileId: string, now: number): Promise<number> {
  const { rows } = await sql<FollowerRow>`
    select follower.id, failed.operation, failed.state, failed.natural_key, failed.key_values, failed.lines,
      failed.problems ->> '$[0].message' as message
    from (
      select id, file_id, ${FAILED_BEFORE} as failed_number from records
      where file_id = ${fileId} and state = 'planned' and step > 1
    ) as follower join records as failed
      on failed.file_id = follower.file_id and failed.number = follower.failed_number
    limit ${HELD_AT_ONCE}`.execute(tables)
  if (rows.length === 0) return 0
  const batch = batchOf(rows, { id: (row) => row.id, problems: (row) => [failureBefore(row)] })
  await sql`
    update records set state = 'held', holds_key = 0, problems = batch.problems, changed_at = ${now} from ${batch}
    where records.id = batch.id`.execute(tables)
  return rows.length
}

function failureBefore({ operation, state, natural_key, key_values, lines, message }: FollowerRow) {
  const [range] = JSON.parse(lines) as [number, number][]
  const name = nameOf(JSON.parse(key_values) as string[], natural_key ?? '')
  const where = range === undefined ? '' : ` (line ${range[0]})`
  const fate = state === 'held' ? 'is held' : 'was refused'
  const why = message === null ? '.' : `: ${message}`
  return problem('earlier-step-failed', {}, `${operation} of ${name}${where} ${fate}${why}`)
}

/** What waits in the lane of a waiting record waits with it. */
async function onlyWaits(tables: Kysely<Tables>, fileId: string): Promise<boolean> {
  const { rows } = await sql<{ waits: number; others: number }>`
    select count(case when ${WAITS_FOR_CLOSE} then 1 end) as waits,
      count(case when not ${WAITS_FOR_CLOSE} and not (records.state = 'planned' and exists (
        select 1 from records as before
        where before.file_id = records.file_id and before.lane = records.lane and before.state = 'deferred'
          and coalesce(before.problems ->> '$[0].code', '') = 'waits-for-close')) then 1 end) as others
    from records join files on files.id = records.file_id
    where records.file_id = ${fileId} and files.state = 'planned' and ${NOT_FINAL}`.execute(tables)
  const [counts] = rows
  return counts !== undefined && counts.waits > 0 && counts.others === 0
}

interface WaitingFileRow extends Omit<WaitingFile, 'receivedAt'> {
  readonly received_at: number
}

async function waitingFiles(tables: Kysely<Tables>, limit: number, fileId?: string): Promise<WaitingFile[]> {
  const its = fileId === undefined ? sql`files.state = 'planned'` : sql`files.id = ${fileId}`
  const { rows } = await sql<WaitingFileRow>`
    select files.id as file, files.name, files.route, files.received_at, count(*) as records,
      records.problems ->> '$[0].message' as message, min(records.number)
    from files join records on records.file_id = files.id
    where ${its} and records.state in ('uncertain', 'deferred') and ${WAITS_FOR_CLOSE}
    group by files.id order by files.number limit ${limit}`.execute(tables)
  return rows.map(({ file, name, route, received_at, records, message }) => ({
    file,
    name,
    route,
    receivedAt: received_at,
    records,
    message,
  }))
}
