/** What persons decided about held records: noted with the change of the records, in one step. */
import { type Kysely, type Selectable, sql } from 'kysely'
import {
  type DecisionEntry,
  DECISIONS,
  type HeldJournal,
  type NewDecision,
  SETTLEMENTS,
} from '../domain/held.ts'
import type { Lease } from '../domain/journal.ts'
import { problem } from '../domain/problem.ts'
import type { PlannedRecord, StateCounts } from '../domain/record.ts'
import { isoTime } from '../support/clock.ts'
import { assert } from '../support/errors.ts'
import { batchOf } from './batch.ts'
import { chain } from './chain.ts'
import { type Mention, mentionsOf } from './event-detail.ts'
import { forgive } from './followers.ts'
import { findHolders } from './holders.ts'
import { idsWhere } from './ids.ts'
import { judge } from './repeats.ts'
import type { DecisionTable, Tables } from './schema.ts'
import { type Store, read, writeHolding } from './store.ts'
import { chainDecision } from './work-events.ts'

type DecisionCalls = Pick<HeldJournal, 'decide' | 'decidedRecords' | 'decisionsOf'>

export function decisionCalls(store: Store): DecisionCalls {
  return {
    decide: (lease, fileId, decision) =>
      writeHolding(store, lease, (tables, now) => decide(tables, lease, { fileId, decision, now })),
    decidedRecords: (decisionId) => read(store, (tables) => decidedRecords(tables, decisionId)),
    decisionsOf: (fileId, limit) => read(store, (tables) => decisionsOf(tables, fileId, limit)),
  }
}

interface Deciding {
  readonly fileId: string
  readonly decision: NewDecision
  readonly now: number
}

async function decide(
  tables: Kysely<Tables>,
  { route }: Lease,
  { fileId, decision, now }: Deciding,
): Promise<DecisionEntry | undefined> {
  const state = await decidableState(tables, fileId, route)
  const entry = await noteDecision(tables, { fileId, decision, now })
  if (entry === undefined) return undefined
  if (entry.action === 'release') await release(tables, { fileId, id: entry.id, now })
  else await discard(tables, entry)
  if (state === 'closed') await takeUpAgain(tables, fileId, now)
  await chainDecision(tables, now, { id: entry.id, records: await cameToBe(tables, entry.id) })
  return entry
}

/** The state of a file whose records a person may decide about; of any other, a mistake of ours. */
export async function decidableState(
  tables: Kysely<Tables>,
  fileId: string,
  route: string,
): Promise<'planned' | 'closed'> {
  const file = await tables
    .selectFrom('files')
    .select('state')
    .where('id', '=', fileId)
    .where('route', '=', route)
    .executeTakeFirst()
  const state = file?.state
  assert(
    state === 'planned' || state === 'closed',
    `File ${fileId} of route ${route} is neither planned nor closed.`,
  )
  return state
}

async function noteDecision(
  tables: Kysely<Tables>,
  { fileId, decision, now }: Deciding,
): Promise<DecisionEntry | undefined> {
  const { action, by, why, record } = decision
  const row = { file_id: fileId, action, decided_by: by, why, decided_at: now, records: 0 }
  const { id } = await tables.insertInto('decisions').values(row).returning('id').executeTakeFirstOrThrow()
  const codes = sql.join(DECISIONS[action].codes.map((code) => sql.lit(code)))
  const meant = record === undefined ? sql`true` : sql`records.id = ${record}`
  const { numAffectedRows = 0n } = await sql`
    insert into decided_records (record_id, decision_id)
    select id, ${id} from records
    where file_id = ${fileId} and state in ('held', 'deferred') and problems ->> '$[0].code' in (${codes}) and ${meant}`.execute(
    tables,
  )
  const records = Number(numAffectedRows)
  if (records === 0) await tables.deleteFrom('decisions').where('id', '=', id).execute()
  else await tables.updateTable('decisions').set({ records }).where('id', '=', id).execute()
  return records === 0 ? undefined : { id, file: fileId, action, by, why, at: now, records }
}

interface Released {
  readonly fileId: string
  readonly id: number
  readonly now: number
}

/** Those whose keys are free hold them again; the others are judged as if they were added now. */
async function release(tables: Kysely<Tables>, released: Released): Promise<void> {
  const { id, now } = released
  // Goes first, while it can still be told why they were held.
  await forgive(tables, id)
  await lookUpAgain(tables, id, now)
  await sql`
    update records set holds_key = 1, forgiven = 0, changed_at = ${now},
      state = case when ${IS_IN_DOUBT} then 'uncertain' else 'planned' end,
      problems = case when ${IS_IN_DOUBT} then ${JSON.stringify([LOOKED_UP])} else '[]' end
    where id in (select record_id from decided_records where decision_id = ${id}) and state = 'held'
      and not exists (
        select 1 from records as other
        where other.operation = records.operation and other.account = records.account
          and other.natural_key = records.natural_key and other.holds_key = 1)`.execute(tables)
  while ((await judgeSome(tables, released)) > 0);
}

/** Of a record, as a condition: an attempt of it may have taken effect, as far as is known. */
const IS_IN_DOUBT = sql`exists (
  select 1 from attempts where attempts.record_id = records.id and (result is null or result = 'uncertain'))`

const LOOKED_UP = problem('answer-lost', {}, 'the answer was lost, and a person has it looked up again')

/** held → uncertain, what was sent and never answered: it may have taken effect, so it is not sent blindly. */
async function lookUpAgain(tables: Kysely<Tables>, decisionId: number, now: number): Promise<void> {
  await sql`
    update records set state = 'uncertain', forgiven = 0, problems = ${JSON.stringify([LOOKED_UP])}, changed_at = ${now}
    where id in (select record_id from decided_records where decision_id = ${decisionId}) and state = 'held'
      and problems ->> '$[0].code' = 'outcome-unprovable'`.execute(tables)
}

/** How many records, whose keys others have taken, are judged at once. */
const JUDGED_AT_ONCE = 500

interface TakenRow {
  readonly id: number
  readonly number: number
  readonly operation: string
  readonly account: string
  readonly natural_key: string
  readonly body_hash: string
  readonly lines: string
  readonly key_values: string
}

async function judgeSome(tables: Kysely<Tables>, { fileId, id, now }: Released): Promise<number> {
  const { rows } = await sql<TakenRow>`
    select records.id, number, operation, account, natural_key, body_hash, lines, key_values
    from decided_records join records on records.id = decided_records.record_id
    where decision_id = ${id} and records.state = 'held'
    order by number limit ${JUDGED_AT_ONCE}`.execute(tables)
  const records = rows.map(plannedOf)
  const verdicts = judge(records, await findHolders(tables, fileId, records))
  const judged = rows.map(({ id: record }, position) => ({ record, ...verdicts[position] }))
  const batch = batchOf(judged, {
    id: (each) => each.record,
    state: (each) => each.state,
    holds_key: (each) => (each.state === 'planned' ? 1 : 0),
    api_id: (each) => each.apiId,
    problems: (each) => each.problems,
  })
  await sql`
    update records set state = batch.state, holds_key = batch.holds_key, api_id = batch.api_id,
      forgiven = 0, problems = batch.problems, changed_at = ${now}
    from ${batch} where records.id = batch.id`.execute(tables)
  if (rows.length === 0) return 0
  const told = rows.flatMap(({ id: record }, position) => {
    const verdict = verdicts[position]
    return verdict === undefined ? [] : [{ id: record, state: verdict.state, apiId: verdict.apiId }]
  })
  await chain(tables, now, { kind: 'records-judged', subject: fileId, detail: { records: mentionsOf(told) } })
  return rows.length
}

function plannedOf(row: TakenRow): PlannedRecord {
  return {
    number: row.number,
    operation: row.operation,
    account: row.account,
    naturalKey: row.natural_key,
    bodyHash: row.body_hash,
    lines: JSON.parse(row.lines),
    keyValues: JSON.parse(row.key_values),
    problems: [],
  }
}

async function discard(tables: Kysely<Tables>, { id, by, why, at }: DecisionEntry): Promise<void> {
  const problemsOf = (was: string) =>
    JSON.stringify([problem('discarded', {}, `It ${was}, and ${by} discarded it on ${isoTime(at)}: ${why}`)])
  await sql`
    update records set state = 'rejected', holds_key = 0, forgiven = 0, changed_at = ${at},
      problems = case state when 'held' then ${problemsOf('was held')} else ${problemsOf('waited for its order')} end
    where id in (select record_id from decided_records where decision_id = ${id})`.execute(tables)
}

/** closed → planned; where the source was archived stays known, because it is there already. */
export async function takeUpAgain(tables: Kysely<Tables>, fileId: string, now: number): Promise<void> {
  await sql`
    update files set state = 'planned', outcome = null, report_name = null, submitted_at = null, reported_at = null,
      closed_at = null, reports = reports + 1, taken_up_at = ${now}
    where id = ${fileId}`.execute(tables)
}

/** The records of a decision by the states they are in. */
async function cameToBe(tables: Kysely<Tables>, decisionId: number): Promise<Mention[]> {
  const mentions: Mention[] = []
  for (const state of Object.keys(await decidedRecords(tables, decisionId))) {
    const its = sql`records.state = ${state} and records.id in (
      select record_id from decided_records where decision_id = ${decisionId})`
    mentions.push({ state, ids: await idsWhere(tables, its) })
  }
  return mentions
}

async function decidedRecords(tables: Kysely<Tables>, decisionId: number): Promise<StateCounts> {
  const rows = await tables
    .selectFrom('decided_records')
    .innerJoin('records', 'records.id', 'decided_records.record_id')
    .select((is) => ['records.state', is.fn.countAll<number>().as('count')])
    .where('decision_id', '=', decisionId)
    .groupBy('records.state')
    .execute()
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

async function decisionsOf(tables: Kysely<Tables>, fileId: string, limit: number): Promise<DecisionEntry[]> {
  const rows = await tables
    .selectFrom('decisions')
    .selectAll()
    .where('file_id', '=', fileId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(decisionEntry)
}

/** Of a decision about records of a file. */
export function decisionEntry(row: Selectable<DecisionTable>): DecisionEntry {
  const { id, file_id: file, action, decided_by: by, why, decided_at: at, records } = row
  assert(file !== null && isAboutFile(action), `Decision ${id} is about no file.`)
  return { id, file, action, by, why, at, records }
}

function isAboutFile(action: DecisionTable['action']): action is DecisionEntry['action'] {
  return action in DECISIONS || action in SETTLEMENTS
}
