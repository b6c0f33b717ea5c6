/** Changes that were put off, and overtaken by those of a later file. */
import { type Kysely, sql } from 'kysely'
import { type Problem, problem } from '../domain/problem.ts'
import { batchOf } from './batch.ts'
import { chain } from './chain.ts'
import { mentionsOf } from './event-detail.ts'
import type { Tables } from './schema.ts'

interface OvertakenRow {
  readonly id: number
  readonly values_count: number
  readonly overtaken_count: number
  readonly overtaken: string
  readonly name: string
}

/**
 * Of the records that are about to be sent: sending → skipped, or rejected where some of their values are still the
 * newest, so that a person sees to them. False when there are none. `cross join` makes SQLite go from the batch to the
 * index, and there only through later files; beside `max`, the name is that of the latest.
 */
export async function leaveOutSuperseded(
  tables: Kysely<Tables>,
  ids: readonly number[],
  now: number,
): Promise<boolean> {
  if (ids.length === 0) return false
  const asked = batchOf(ids, { id: (id) => id })
  const { rows } = await sql<OvertakenRow>`
    select own.id, json_array_length(older.changes) as values_count, count(distinct changed.value) as overtaken_count,
      group_concat(distinct changed.value) as overtaken, files.name, max(newer.file_number)
    from ${asked} cross join records as own cross join bodies as older cross join bodies as newer
      cross join records as later cross join files cross join json_each(older.changes) as changed
    where own.id = batch.id and older.record_id = own.id
      and newer.target = older.target and newer.file_number > older.file_number
      and later.id = newer.record_id and later.account = own.account
      and later.state in ('accepted', 'sending', 'uncertain') and files.id = later.file_id
      and changed.value in (select value from json_each(newer.changes))
    group by own.id`.execute(tables)
  if (rows.length === 0) return false
  const batch = batchOf(rows, {
    id: (row) => row.id,
    state: stateOf,
    problems: (row) => [supersededBy(row)],
  })
  await sql`
    update records set state = batch.state, holds_key = 0, http = null, attempts = attempts - 1,
      problems = batch.problems, changed_at = ${now}
    from ${batch} where records.id = batch.id and records.state = 'sending'`.execute(tables)
  const left = rows.map((row) => ({ id: row.id, state: stateOf(row), http: null }))
  await chain(tables, now, { kind: 'records-superseded', detail: { records: mentionsOf(left) } })
  return true
}

function stateOf(row: OvertakenRow): 'skipped' | 'rejected' {
  return isWhole(row) ? 'skipped' : 'rejected'
}

function isWhole({ values_count, overtaken_count }: OvertakenRow): boolean {
  return overtaken_count === values_count
}

/** What to do about a record of which only some values are newer elsewhere. */
const IN_PART = 'Take what the newer file says out of the row, and drop the rejects file in again.'

function supersededBy(row: OvertakenRow): Problem {
  const message = `the file ${row.name}, received later, says something newer of it`
  if (isWhole(row)) return problem('superseded', {}, message)
  const values = row.overtaken.replaceAll(',', ', ')
  return problem(
    'superseded',
    {},
    `${message} (${values}), and not of all; nothing of the row was sent`,
    IN_PART,
  )
}
