/** Forgetting what files and deliveries held, some of their records at a time. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Problem } from '../domain/problem.ts'
import { batchOf } from './batch.ts'
import { FORGOTTEN_BODY, forgottenProblem } from './forgotten-words.ts'
import type { Tables } from './schema.ts'

/** How many files or deliveries, and how many records, change in one transaction. */
const WORKS_AT_ONCE = 200
const RECORDS_AT_ONCE = 2000

/**
 * As conditions on the tables: done for so long, and nothing of it is waited for. A file of which something is held may
 * be reported again, whole; and a document that is wanted is named by what was sent and answered.
 */
export const IS_FORGETTABLE: Readonly<
  Record<'files' | 'deliveries', (before: number) => RawBuilder<unknown>>
> = {
  files: (before) => sql`files.state = 'closed' and files.forgotten_at is null and files.closed_at < ${before}
    and not exists (select 1 from records where records.file_id = files.id and records.state = 'held')
    and files.id not in (
      select records.file_id from documents join records on records.id = documents.record_id
      where documents.state = 'wanted')`,
  deliveries: (before) => sql`deliveries.state in ('acknowledged', 'done') and deliveries.forgotten_at is null
    and coalesce(deliveries.acknowledged_at, deliveries.delivered_at) < ${before}`,
}

const OWN_RECORDS = { files: sql.ref('records.file_id'), deliveries: sql.ref('records.delivery_id') } as const

/** A file or delivery of which not all records had room, and the last that had. */
export interface WorkCursor {
  readonly id: string
  readonly after: number
}

interface Forgetting {
  readonly table: 'files' | 'deliveries'
  readonly before: number
  readonly now: number
  readonly cursor?: WorkCursor
}

interface ForgottenWork {
  readonly works: number
  /** Of the records. */
  readonly ids: readonly number[]
  readonly cursor?: WorkCursor
}

/** Undefined when there is nothing left to forget. */
export async function forgetWork(
  tables: Kysely<Tables>,
  { table, before, now, cursor }: Forgetting,
): Promise<ForgottenWork | undefined> {
  const { rows: works } = await sql<{ id: string }>`
    select id from ${sql.table(table)} where ${IS_FORGETTABLE[table](before)} order by id limit ${WORKS_AT_ONCE}`.execute(
    tables,
  )
  if (works.length === 0) return undefined
  const ids: number[] = []
  const whole: string[] = []
  let next: WorkCursor | undefined
  for (const { id } of works) {
    const room = RECORDS_AT_ONCE - ids.length
    const after = id === cursor?.id ? cursor.after : 0
    const { rows } = await sql<{ id: number; number: number }>`
      select id, number from records where ${OWN_RECORDS[table]} = ${id} and number > ${after}
      order by number limit ${room}`.execute(tables)
    for (const row of rows) ids.push(row.id)
    if (rows.length === room) {
      next = { id, after: rows.at(-1)?.number ?? after }
      break
    }
    whole.push(id)
  }
  await forgetRecords(tables, ids)
  await markForgotten(tables, { table, ids: whole, now })
  return { works: whole.length, ids, ...(next === undefined ? {} : { cursor: next }) }
}

async function markForgotten(
  tables: Kysely<Tables>,
  { table, ids, now }: { table: 'files' | 'deliveries'; ids: readonly string[]; now: number },
): Promise<void> {
  const batch = batchOf(ids, { id: (id) => id })
  await sql`
    update ${sql.table(table)} set forgotten_at = ${now} where id in (select batch.id from ${batch})`.execute(
    tables,
  )
  if (table === 'deliveries') return
  const { rows } = await sql<{ id: string; problems: string }>`
    select files.id, files.problems from ${batch} cross join files
    where files.id = batch.id and files.problems <> '[]'`.execute(tables)
  const reworded = batchOf(rows, { id: (row) => row.id, problems: (row) => reword(row.problems) })
  await sql`update files set problems = batch.problems from ${reworded} where files.id = batch.id`.execute(
    tables,
  )
}

/** The bodies keep their rows, because what they change and which file was later is asked for ever. */
async function forgetRecords(tables: Kysely<Tables>, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const batch = batchOf(ids, { id: (id) => id })
  await sql`
    update bodies set body = ${FORGOTTEN_BODY}, note = null from ${batch} where bodies.record_id = batch.id`.execute(
    tables,
  )
  await sql`delete from answers where record_id in (select batch.id from ${batch})`.execute(tables)
  await sql`
    update attempts set note = null from ${batch}
    where attempts.record_id = batch.id and attempts.note is not null`.execute(tables)
  await sql`
    update records set key_values = '[]' from ${batch}
    where records.id = batch.id and records.direction = 'incoming' and records.key_values <> '[]'`.execute(
    tables,
  )
  await rewordRecords(tables, batch)
  await rewordDocuments(tables, batch)
}

async function rewordRecords(tables: Kysely<Tables>, batch: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql<{ id: number; problems: string; warnings: string }>`
    select records.id, records.problems, records.warnings from ${batch} cross join records
    where records.id = batch.id and (records.problems <> '[]' or records.warnings <> '[]')`.execute(tables)
  const reworded = batchOf(rows, {
    id: (row) => row.id,
    problems: (row) => reword(row.problems),
    warnings: (row) => reword(row.warnings),
  })
  await sql`
    update records set problems = batch.problems, warnings = batch.warnings from ${reworded}
    where records.id = batch.id`.execute(tables)
}

async function rewordDocuments(tables: Kysely<Tables>, batch: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql<{ record_id: number; kind: string; problem: string }>`
    select documents.record_id, documents.kind, documents.problem from ${batch} cross join documents
    where documents.record_id = batch.id and documents.problem is not null`.execute(tables)
  const reworded = batchOf(rows, {
    record_id: (row) => row.record_id,
    kind: (row) => row.kind,
    problem: (row) => JSON.stringify(forgottenProblem(JSON.parse(row.problem) as Problem)),
  })
  await sql`
    update documents set problem = batch.problem from ${reworded}
    where documents.record_id = batch.record_id and documents.kind = batch.kind`.execute(tables)
}

function reword(problems: string): Problem[] {
  return (JSON.parse(problems) as Problem[]).map(forgottenProblem)
}
