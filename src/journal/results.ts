/** Results of attempts and look-ups: the one way in which records that were sent come to their states. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Lease } from '../domain/journal.ts'
import type { RecordResult, RecordState } from '../domain/record.ts'
import { batchOf } from './batch.ts'
import { chain } from './chain.ts'
import { cameTo, mentionsOf } from './event-detail.ts'
import type { Tables } from './schema.ts'

interface Results {
  readonly lease: Lease
  readonly from: 'sending' | 'uncertain'
  readonly results: readonly RecordResult[]
  readonly now: number
}

/**
 * Releases the key only where it must: writing the column, even with the value it has, makes SQLite take the record
 * out of the index of all keys and put it back, which doubles the cost of a batch.
 */
export async function applyResults(tables: Kysely<Tables>, all: Results): Promise<void> {
  const { results, ...rest } = all
  const releasing = results.filter(({ state }) => state === 'rejected' || state === 'skipped')
  const keeping = results.filter(({ state }) => state !== 'rejected' && state !== 'skipped')
  let applied = 0n
  if (releasing.length > 0) {
    applied += await applyTo(tables, { results: releasing, ...rest }, sql`, holds_key = 0`)
  }
  if (keeping.length > 0) applied += await applyTo(tables, { results: keeping, ...rest }, sql``)
  await chainResults(tables, all, Number(applied) === results.length)
}

/** What was left alone, because somebody else brought it to an end, is told as it is. */
async function chainResults(
  tables: Kysely<Tables>,
  { lease, from, results, now }: Results,
  all: boolean,
): Promise<void> {
  if (results.length === 0) return
  const kind = from === 'sending' ? 'records-answered' : 'records-settled'
  const records = all ? cameTo(results) : mentionsOf(await recordsNow(tables, results))
  await chain(tables, now, { kind, route: lease.route, detail: { records } })
}

async function recordsNow(tables: Kysely<Tables>, results: readonly RecordResult[]) {
  const batch = batchOf(results, { id: ({ id }) => id })
  const { rows } = await sql<{ id: number; state: RecordState; http: number | null; api_id: string | null }>`
    select records.id, records.state, records.http, records.api_id
    from ${batch} cross join records where records.id = batch.id`.execute(tables)
  return rows.map(({ api_id: apiId, ...row }) => ({ ...row, apiId }))
}

/** The API's id of an outgoing record is what it is known by, and no result changes it. */
async function applyTo(
  tables: Kysely<Tables>,
  { lease, from, results, now }: Results,
  alsoSet: RawBuilder<unknown>,
): Promise<bigint> {
  const batch = batchOf(results, {
    id: (result) => result.id,
    state: (result) => result.state,
    http: (result) => result.http,
    api_id: (result) => result.apiId,
    problems: (result) => result.problems,
  })
  const { numAffectedRows = 0n } = await sql`
    update records set state = batch.state, http = batch.http, problems = batch.problems, changed_at = ${now},
      api_id = case direction when 'incoming' then coalesce(batch.api_id, records.api_id) else records.api_id end
      ${alsoSet}
    from ${batch}
    where records.id = batch.id and records.route = ${lease.route} and records.state = ${from}`.execute(
    tables,
  )
  return numAffectedRows
}
