/** Results of attempts and look-ups: the one way in which records that were sent come to their states. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Lease } from '../domain/journal.ts'
import type { RecordResult } from '../domain/record.ts'
import { batchOf } from './batch.ts'
import { chain } from './chain.ts'
import { cameTo } from './event-detail.ts'
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
  const applied = new Set<number>()
  if (releasing.length > 0) {
    for (const id of await applyTo(tables, { results: releasing, ...rest }, sql`, holds_key = 0`))
      applied.add(id)
  }
  if (keeping.length > 0) {
    for (const id of await applyTo(tables, { results: keeping, ...rest }, sql``)) applied.add(id)
  }
  // What was left alone, because somebody else brought it to an end, was told of then.
  await chainResults(tables, { ...all, results: results.filter(({ id }) => applied.has(id)) })
}

async function chainResults(tables: Kysely<Tables>, { lease, from, results, now }: Results): Promise<void> {
  if (results.length === 0) return
  const kind = from === 'sending' ? 'records-answered' : 'records-settled'
  await chain(tables, now, { kind, route: lease.route, detail: { records: cameTo(results) } })
}

/** Gives the ids of those that were changed. The API's id of an outgoing record is what it is known by, and no result changes it. */
async function applyTo(
  tables: Kysely<Tables>,
  { lease, from, results, now }: Results,
  alsoSet: RawBuilder<unknown>,
): Promise<number[]> {
  const batch = batchOf(results, {
    id: (result) => result.id,
    state: (result) => result.state,
    http: (result) => result.http,
    api_id: (result) => result.apiId,
    problems: (result) => result.problems,
  })
  const { rows } = await sql<{ id: number }>`
    update records set state = batch.state, http = batch.http, problems = batch.problems, changed_at = ${now},
      api_id = case direction when 'incoming' then coalesce(batch.api_id, records.api_id) else records.api_id end
      ${alsoSet}
    from ${batch}
    where records.id = batch.id and records.route = ${lease.route} and records.state = ${from}
    returning records.id`.execute(tables)
  return rows.map(({ id }) => id)
}
