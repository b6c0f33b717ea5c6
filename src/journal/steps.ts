/** Records of several steps: which orders they are about, what follows on them, and what waits for its order. */
import { type Kysely, sql } from 'kysely'
import type { StepJournal, StepOrder, WaitingFile } from '../domain/steps.ts'
import { batchOf } from './batch.ts'
import { deferSome, holdSome } from './followers.ts'
import { chainState } from './record-events.ts'
import type { Tables } from './schema.ts'
import { type Store, read, writeHolding } from './store.ts'
import { NOT_FINAL } from './work.ts'

/** As a condition on `records`. Beside it, `state in (…)` as the index of what blocks has it finds them at once. */
export const WAITS_FOR_CLOSE = sql<boolean>`(records.state = 'deferred'
  and coalesce(records.problems ->> '$[0].code', '') = 'waits-for-close')`

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
        if (some === 0) break
        held += some
      }
      while ((await writeHolding(store, lease, (tables, now) => deferSome(tables, fileId, now))) > 0);
      return held
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
        const { rows } = await sql<{ id: number }>`
          update records set state = 'planned', problems = '[]', changed_at = ${now} from ${batch}
          where records.id = batch.id and records.file_id = ${fileId} and records.route = ${lease.route}
            and records.state = 'deferred'
          returning records.id`.execute(tables)
        const told = {
          kind: 'records-retried',
          route: lease.route,
          subject: fileId,
          state: 'planned',
        } as const
        await chainState(tables, now, { ...told, ids: rows.map(({ id }) => id) })
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
  const all = sql`file_id = ${fileId} and step = ${step} and lane = first.lane`
  const its = sql`${all} and natural_key is not null`
  const { rows } = await sql<OrderRow>`
    select lane, number,
      (select json_group_array(json(lines)) from (select lines from records where ${all} order by number)) as lines,
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

/**
 * What waits in the lane of a waiting record waits with it. Of most files nothing waits, which is known at once; and one
 * record that does not wait is enough to know the rest, for a file may have a million of them.
 */
async function onlyWaits(tables: Kysely<Tables>, fileId: string): Promise<boolean> {
  const waiting = sql`
    from records where records.file_id = ${fileId} and records.state in ('uncertain', 'deferred') and ${WAITS_FOR_CLOSE}`
  const { rows: some } = await sql`
    select 1 from files where files.id = ${fileId} and files.state = 'planned'
      and exists (select 1 ${waiting})`.execute(tables)
  if (some.length === 0) return false
  const { rows: others } = await sql`
    select 1 from records
    where records.file_id = ${fileId} and ${NOT_FINAL} and not ${WAITS_FOR_CLOSE}
      and not (records.state = 'planned' and coalesce(records.lane in (select records.lane ${waiting}), 0))
    limit 1`.execute(tables)
  return others.length === 0
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
