/** Prunes the contents of work that was finished long ago, in transactions of bounded size. */
import { type RawBuilder, sql } from 'kysely'
import type { PruneRequest, PruneResult } from '../domain/audit.ts'
import { type Problem, PROBLEMS } from '../domain/problem.ts'
import type { CodeText } from '../support/errors.ts'
import { appendEvent } from './events.ts'
import { IS_REUSED, IS_UNROUTED } from './held-records.ts'
import { keepAmounts } from './overview.ts'
import { emptySelections } from './interchanges/digests.ts'
import { saveResourceLinks } from './resource-links.ts'
import { toKnownResource } from './resources.ts'
import { changeRows, jsonRows, toIdRuns, PRUNED_BODY } from './rows.ts'
import type { Db, Row } from './schema.ts'
import { read, type Store, write, yieldToEventLoop } from './store.ts'

type PruneCounts = Omit<PruneResult, 'isGone'>

const NO_COUNTS: PruneCounts = { files: 0, deliveries: 0, records: 0, resources: 0, orderAttributes: 0 }

const { records: _, ...NO_WORK } = NO_COUNTS

export async function prune(store: Store, request: PruneRequest): Promise<PruneResult> {
  const { before, dryRun = false, signal } = request
  if (dryRun) return { ...(await read(store, (db) => countPrunable(db, before))), isGone: false }
  const total: Record<keyof PruneCounts, number> = { ...NO_COUNTS }
  for (const step of createPruneSteps(before)) {
    for (;;) {
      if (signal.aborted) return { ...total, isGone: await truncateLog(store) }
      const pruned = await write(store, async (db, now) => {
        const done = await step(db, now)
        if (done === undefined) return undefined
        const { ids = [], ...counts } = done
        const detail = { pruned: { ids: toIdRuns(ids), ...NO_WORK, ...counts } }
        await appendEvent(db, now, { kind: 'contents-pruned', detail })
        return { ...NO_WORK, ...counts, records: ids.length }
      })
      await yieldToEventLoop()
      if (pruned === undefined) break
      for (const name of Object.keys(total) as (keyof PruneCounts)[]) total[name] += pruned[name]
    }
  }
  return { ...total, isGone: await truncateLog(store) }
}

interface Pruned extends Partial<typeof NO_WORK> {
  readonly ids?: readonly number[]
}

/** One transaction; returns undefined when nothing is left to prune. */
type PruneStep = (db: Db, now: number) => Promise<Pruned | undefined>

function createPruneSteps(before: number): readonly PruneStep[] {
  return [
    createWorkStep('files', before),
    createWorkStep('deliveries', before),
    createResourceStep(before),
    async (db) => {
      const pruning = sql`
        delete from order_attributes where (account, key, name) in (
          select account, key, name from order_attributes where kept_at < ${before} limit ${RESOURCES_AT_ONCE})`
      const orderAttributes = await changeRows(db, pruning)
      return orderAttributes === 0 ? undefined : { orderAttributes }
    },
  ]
}

async function countPrunable(db: Db, before: number): Promise<PruneCounts> {
  const { rows } = await sql<PruneCounts>`
    select
      (select count(*) from files where ${IS_PRUNABLE.files(before)}) as files,
      (select count(*) from deliveries where ${IS_PRUNABLE.deliveries(before)}) as deliveries,
      (select count(*) from files join records on records.file_id = files.id
        where ${IS_PRUNABLE.files(before)})
      + (select count(*) from deliveries join records on records.delivery_id = deliveries.id
        where ${IS_PRUNABLE.deliveries(before)}) as records,
      (select count(*) from resources where seen_at < ${before}) as resources,
      (select count(*) from order_attributes where kept_at < ${before}) as "orderAttributes"`.execute(db)
  return rows[0] ?? NO_COUNTS
}

const TRUNCATE_TRIES = 50

const TRUNCATE_PAUSE_MS = 100

/** Empties the write-ahead log, which still holds the old pages. False while another program reads. */
async function truncateLog(store: Store): Promise<boolean> {
  const truncating = sql<{ busy: number }>`pragma wal_checkpoint(truncate)`
  for (let tries = 1; tries <= TRUNCATE_TRIES; tries++) {
    const { rows } = await read(store, (db) => truncating.execute(db))
    if (rows[0]?.busy === 0) return true
    await store.clock.sleep(TRUNCATE_PAUSE_MS)
  }
  return false
}

// Contents of files and deliveries, a part of their records at a time.

/** How many files or deliveries, and how many records, change in one transaction. */
const WORKS_AT_ONCE = 200

const RECORDS_AT_ONCE = 2000

/**
 * Conditions on the tables: finished long enough, with nothing to wait for. A file with held records may be reported
 * again, whole; and a wanted document gets its name from the request and the answer. The problems of a part decide the
 * answers to its file, and sets that no route takes wait as held records do.
 */
const IS_PRUNABLE: Readonly<Record<'files' | 'deliveries', (before: number) => RawBuilder<unknown>>> = {
  files: (before) => sql`files.state = 'closed' and files.pruned_at is null and files.closed_at < ${before}
    and not exists (select 1 from records where records.file_id = files.id and records.state = 'held')
    and not exists (select 1 from unbundlings where unbundlings.file_id = files.id and ${IS_UNROUTED})
    and not ${IS_REUSED}
    and not exists (select 1 from files as whole where whole.id = files.part_of and whole.state <> 'closed')
    and files.id not in (
      select records.file_id from documents join records on records.id = documents.record_id
      where documents.state = 'wanted')`,
  deliveries: (before) => sql`deliveries.state in ('acknowledged', 'done') and deliveries.pruned_at is null
    and coalesce(deliveries.acknowledged_at, deliveries.delivered_at) < ${before}`,
}

const OWN_RECORDS = { files: sql.ref('records.file_id'), deliveries: sql.ref('records.delivery_id') } as const

function createWorkStep(table: 'files' | 'deliveries', before: number): PruneStep {
  /** The file or delivery whose records did not all fit into the transaction, and the last record that did. */
  let cursor: { readonly id: string; readonly after: number } | undefined
  return async (db, now) => {
    const { rows: works } = await sql<{ id: string }>`
      select id from ${sql.table(table)} where ${IS_PRUNABLE[table](before)}
      order by id limit ${WORKS_AT_ONCE}`.execute(db)
    if (works.length === 0) return undefined
    const ids: number[] = []
    const whole: string[] = []
    const last = cursor
    cursor = undefined
    for (const { id } of works) {
      const room = RECORDS_AT_ONCE - ids.length
      const after = id === last?.id ? last.after : 0
      const { rows } = await sql<{ id: number; number: number }>`
        select id, number from records where ${OWN_RECORDS[table]} = ${id} and number > ${after}
        order by number limit ${room}`.execute(db)
      for (const row of rows) ids.push(row.id)
      if (rows.length === room) {
        cursor = { id, after: rows.at(-1)?.number ?? after }
        break
      }
      whole.push(id)
    }
    await pruneRecords(db, ids)
    await markPruned(db, { table, ids: whole, now })
    return { [table]: whole.length, ids }
  }
}

async function markPruned(
  db: Db,
  { table, ids, now }: { table: 'files' | 'deliveries'; ids: readonly string[]; now: number },
): Promise<void> {
  const batch = jsonRows(ids, { id: (id) => id })
  await sql`
    update ${sql.table(table)} set pruned_at = ${now} where id in (select batch.id from ${batch})`.execute(db)
  if (table === 'deliveries') {
    // What a partner says of a refused document repeats its values.
    await sql`
      update answered_sets set reasons = '[]'
      where delivery_id in (select batch.id from ${batch}) and reasons <> '[]'`.execute(db)
    return
  }
  await emptySelections(db, batch)
  const { rows } = await sql<{ id: string; problems: string }>`
    select files.id, files.problems from ${batch} cross join files
    where files.id = batch.id and files.problems <> '[]'`.execute(db)
  const reworded = jsonRows(rows, { id: 'id', problems: (row) => redactProblems(row.problems) })
  await sql`update files set problems = batch.problems from ${reworded} where files.id = batch.id`.execute(db)
}

/** Keeps the rows of the bodies: which values they change, and in which file, is needed for ever. */
async function pruneRecords(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const batch = jsonRows(ids, { id: (id) => id })
  // Journals of older versions lack them.
  await keepAmounts(db, batch)
  await sql`
    update bodies set body = ${PRUNED_BODY}, note = null from ${batch}
    where bodies.record_id = batch.id`.execute(db)
  await sql`delete from answers where record_id in (select batch.id from ${batch})`.execute(db)
  await sql`
    update attempts set note = null from ${batch}
    where attempts.record_id = batch.id and attempts.note is not null`.execute(db)
  await sql`
    update records set key_values = '[]' from ${batch}
    where records.id = batch.id and records.direction = 'incoming' and records.key_values <> '[]'`.execute(db)
  await redactRecordProblems(db, batch)
  await redactDocumentProblems(db, batch)
}

async function redactRecordProblems(db: Db, batch: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql<{ id: number; problems: string; warnings: string }>`
    select records.id, records.problems, records.warnings from ${batch} cross join records
    where records.id = batch.id and (records.problems <> '[]' or records.warnings <> '[]')`.execute(db)
  const reworded = jsonRows(rows, {
    id: 'id',
    problems: (row) => redactProblems(row.problems),
    warnings: (row) => redactProblems(row.warnings),
  })
  await sql`
    update records set problems = batch.problems, warnings = batch.warnings from ${reworded}
    where records.id = batch.id`.execute(db)
}

async function redactDocumentProblems(db: Db, batch: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql<{ record_id: number; kind: string; problem: string }>`
    select documents.record_id, documents.kind, documents.problem from ${batch} cross join documents
    where documents.record_id = batch.id and documents.problem is not null`.execute(db)
  const reworded = jsonRows(rows, {
    record_id: 'record_id',
    kind: 'kind',
    problem: (row) => JSON.stringify(redactProblem(JSON.parse(row.problem) as Problem)),
  })
  await sql`
    update documents set problem = batch.problem from ${reworded}
    where documents.record_id = batch.record_id and documents.kind = batch.kind`.execute(db)
}

function redactProblems(problems: string): Problem[] {
  return (JSON.parse(problems) as Problem[]).map(redactProblem)
}

// Resources and order attributes that were not seen or saved since.

const RESOURCES_AT_ONCE = 1000

/** Prunes some resources after the cursor of the last call. Their names and orders stay as links, only for `trace`. */
function createResourceStep(before: number): PruneStep {
  let after = 0
  return async (db) => {
    const { rows } = await sql<Row<'resources'> & { readonly place: number }>`
      select rowid as place, * from resources
      where rowid > ${after} and seen_at < ${before} order by rowid limit ${RESOURCES_AT_ONCE}`.execute(db)
    const last = rows.at(-1)?.place
    if (last === undefined) return undefined
    after = last
    const seen = rows.map(({ place, account, kind, ...row }) => ({
      place,
      account,
      kind,
      ...toKnownResource(row),
    }))
    await saveResourceLinks(db, seen)
    const batch = jsonRows(seen, { place: 'place', account: 'account', kind: 'kind', id: 'id', keys: 'keys' })
    await sql`
      delete from resource_keys where (kind, key, account, id) in (
        select batch.kind, named.value, batch.account, batch.id
        from ${batch} cross join json_each(batch.keys) as named)`.execute(db)
    await sql`delete from resources where rowid in (select batch.place from ${batch})`.execute(db)
    // A fully read list proves that an unknown resource does not exist; after pruning that is not true any more.
    await sql`
      delete from resource_lists where (account, kind) in (select account, kind from ${batch})`.execute(db)
    return { resources: rows.length }
  }
}

/** Keeps the general text of the code; the details of the record are gone. */
function redactProblem(problem: Problem): Problem {
  const { code, place, severity } = problem
  // An older version may have had codes that this one does not know.
  const kind: CodeText | undefined = PROBLEMS[code]
  return { code, message: kind?.title ?? '', fix: kind?.fix ?? '', place, ...(severity && { severity }) }
}
