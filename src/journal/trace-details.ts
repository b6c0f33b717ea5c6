/** What is kept beside a record: its body, its attempts, what persons decided, and what it repeats. */
import { type Kysely, sql } from 'kysely'
import type { DecisionEntry } from '../domain/held.ts'
import type { TracedAttempt, TracedDetail, TracedRecord } from '../domain/trace.ts'
import { decisionEntry } from './decisions.ts'
import { present } from './present.ts'
import type { Tables } from './schema.ts'
import { lookUpsOf } from './trace-look-ups.ts'
import { selectTraced, tracedOf } from './trace-rows.ts'

/** Of a record that was tried again for weeks, the last ones tell. */
const ATTEMPTS_MAX = 20

export async function traceDetails(
  tables: Kysely<Tables>,
  recordIds: readonly number[],
): Promise<TracedDetail[]> {
  const details: TracedDetail[] = []
  for (const record of recordIds) {
    const kept = await keptOf(tables, record)
    const first = await firstOf(tables, record)
    const attempts = await attemptsOf(tables, record)
    details.push({
      record,
      attempts,
      lookUps: attempts.some(isLost) ? await lookUpsOf(tables, record) : [],
      decisions: await decisionsAbout(tables, record),
      ...kept,
      ...(first === undefined ? {} : { first }),
    })
  }
  return details
}

/** Of what was forgotten, something empty stands in the place of the body. */
async function keptOf(
  tables: Kysely<Tables>,
  record: number,
): Promise<Pick<TracedDetail, 'body' | 'forgottenAt'>> {
  const { rows } = await sql<{ body: string | null; forgotten_at: number | null }>`
    select bodies.body, coalesce(files.forgotten_at, deliveries.forgotten_at) as forgotten_at
    from records left join bodies on bodies.record_id = records.id
      left join files on files.id = records.file_id left join deliveries on deliveries.id = records.delivery_id
    where records.id = ${record}`.execute(tables)
  const { body = null, forgotten_at: forgottenAt = null } = rows[0] ?? {}
  return present(forgottenAt === null ? { body } : { forgottenAt })
}

async function attemptsOf(tables: Kysely<Tables>, record: number): Promise<TracedAttempt[]> {
  const rows = await tables
    .selectFrom('attempts')
    .select(['attempt', 'began_at', 'ended_at', 'http', 'result'])
    .select(
      sql<number>`exists (
      select 1 from records join restored_routes on restored_routes.route = records.route
      where records.id = attempts.record_id and restored_routes.as_of = attempts.began_at)`.as('is_presumed'),
    )
    .where('record_id', '=', record)
    .orderBy('attempt', 'desc')
    .limit(ATTEMPTS_MAX)
    .execute()
  return rows.toReversed().map(({ attempt, began_at, ended_at, http, result, is_presumed }) => ({
    attempt,
    beganAt: began_at,
    ...present({ endedAt: ended_at, http, result }),
    ...(is_presumed === 1 ? { isPresumed: true } : {}),
  }))
}

function isLost({ result }: TracedAttempt): boolean {
  return result === undefined || result === 'uncertain'
}

async function decisionsAbout(tables: Kysely<Tables>, record: number): Promise<DecisionEntry[]> {
  const rows = await tables
    .selectFrom('decided_records')
    .innerJoin('decisions', 'decisions.id', 'decided_records.decision_id')
    .selectAll('decisions')
    .where('record_id', '=', record)
    .orderBy('id')
    .limit(ATTEMPTS_MAX)
    .execute()
  return rows.map(decisionEntry)
}

/** The record that holds the key which another has not. */
async function firstOf(tables: Kysely<Tables>, record: number): Promise<TracedRecord | undefined> {
  const { rows } = await sql<{ id: number }>`
    select holder.id from records as repeated cross join records as holder
    where repeated.id = ${record} and repeated.holds_key = 0 and holder.operation = repeated.operation
      and holder.account = repeated.account and holder.natural_key = repeated.natural_key and holder.holds_key = 1`.execute(
    tables,
  )
  const [found] = rows
  if (found === undefined) return undefined
  const row = await selectTraced(tables).where('id', '=', found.id).executeTakeFirst()
  return row && tracedOf(row, () => false)
}
