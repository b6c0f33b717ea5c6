/** What is kept of the API's answers, where something of them is needed later. */
import { type Kysely, sql } from 'kysely'
import type { Lease } from '../domain/journal.ts'
import type { RecordResult } from '../domain/record.ts'
import { batchOf } from './batch.ts'
import type { Tables } from './schema.ts'

/** Keeps what is needed of the answers, in the transaction that makes their records accepted and before it does. */
export async function keepAnswers(
  tables: Kysely<Tables>,
  { route }: Lease,
  results: readonly RecordResult[],
): Promise<void> {
  const answered = results.filter(({ answer }) => answer !== undefined)
  if (answered.length === 0) return
  const batch = batchOf(answered, { record_id: ({ id }) => id, answer: ({ answer }) => answer })
  await sql`
    insert into answers (record_id, answer)
    select batch.record_id, batch.answer
    from ${batch} join records on records.id = batch.record_id
    where records.route = ${route} and records.state = 'sending'
    on conflict (record_id) do update set answer = excluded.answer`.execute(tables)
}
