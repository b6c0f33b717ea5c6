/** What a person settles whose answer was lost: noted with the change of the record, in one step. */
import { type Kysely, sql } from 'kysely'
import type {
  DecisionEntry,
  HeldJournal,
  KeyMeant,
  NewSettlement,
  SettlementAction,
  UnsettledRecord,
} from '../domain/held.ts'
import type { Lease } from '../domain/journal.ts'
import { type Problem, problem } from '../domain/problem.ts'
import type { RecordState } from '../domain/record.ts'
import { isoTime } from '../support/clock.ts'
import { decidableState, takeUpAgain } from './decisions.ts'
import { mentionsOf } from './event-detail.ts'
import { isCalled } from './key-meant.ts'
import { present } from './present.ts'
import type { Tables } from './schema.ts'
import { type Store, read, writeHolding } from './store.ts'
import { chainDecision } from './work-events.ts'

export function settlementCalls(store: Store): Pick<HeldJournal, 'settleByHand' | 'unsettledRecords'> {
  return {
    settleByHand: (lease, fileId, settlement) =>
      writeHolding(store, lease, (tables, now) => settle(tables, lease, { fileId, settlement, now })),
    unsettledRecords: (limit, of) => read(store, (tables) => unsettledRecords(tables, limit, of)),
  }
}

interface Settling {
  readonly fileId: string
  readonly settlement: NewSettlement
  readonly now: number
}

async function settle(
  tables: Kysely<Tables>,
  { route }: Lease,
  { fileId, settlement, now }: Settling,
): Promise<DecisionEntry | undefined> {
  const state = await decidableState(tables, fileId, route)
  const { action, by, why, record } = settlement
  const { rows } = await sql`
    select 1 from records where id = ${record} and file_id = ${fileId} and ${UNSETTLED}`.execute(tables)
  if (rows.length === 0) return undefined
  const row = { file_id: fileId, action, decided_by: by, why, decided_at: now, records: 1 }
  const { id } = await tables.insertInto('decisions').values(row).returning('id').executeTakeFirstOrThrow()
  await tables.insertInto('decided_records').values({ record_id: record, decision_id: id }).execute()
  await change(tables, settlement, now)
  if (state === 'closed') await takeUpAgain(tables, fileId, now)
  const told = { id: record, state: SETTLED_AS[action], apiId: settlement.apiId }
  await chainDecision(tables, now, { id, records: mentionsOf([told]) })
  return { id, file: fileId, action, by, why, at: now, records: 1 }
}

/** As a condition on `records`: it was sent, and what came of it is not known. */
const UNSETTLED = sql<boolean>`(records.state = 'uncertain'
  or records.state = 'held' and records.problems ->> '$[0].code' = 'outcome-unprovable')`

const SETTLED_AS = {
  'settle-accepted': 'accepted',
  'settle-absent': 'planned',
  'settle-discard': 'rejected',
} as const satisfies Record<SettlementAction, RecordState>

/** Such a record holds its key; what is given up lets go of it. What was said of it stands in every report from now on. */
async function change(tables: Kysely<Tables>, settlement: NewSettlement, now: number): Promise<void> {
  const { action, by, why, record, apiId } = settlement
  if (action === 'settle-discard') {
    const message = `Its answer was lost, and ${by} gave it up on ${isoTime(now)}: ${why}`
    await sql`
      update records set state = 'rejected', holds_key = 0, forgiven = 0, changed_at = ${now},
        problems = ${JSON.stringify([problem('discarded', {}, message)])}
      where id = ${record}`.execute(tables)
    return
  }
  await sql`
    update records set state = ${SETTLED_AS[action]}, api_id = coalesce(${apiId ?? null}, api_id), problems = '[]', changed_at = ${now},
      warnings = json_insert(warnings, '$[#]', json(${JSON.stringify(saidBy(settlement, now))}))
    where id = ${record}`.execute(tables)
}

function saidBy({ action, by, why, apiId = '', wasSeen }: NewSettlement, now: number): Problem {
  const seen = wasSeen ? 'which the API showed' : 'which the API has no way to show'
  const what =
    action === 'settle-accepted' ? `the API has it as ${apiId}, ${seen}` : 'the API does not have it'
  const message = `Its answer was lost, and ${by} settled on ${isoTime(now)} that ${what}: ${why}`
  return { ...problem('settled-by-hand', {}, message), severity: 'warning' }
}

interface UnsettledRow {
  readonly id: number
  readonly number: number
  readonly route: string
  readonly file: string
  readonly name: string
  readonly lines: string
  readonly key_values: string
  readonly operation: string
  readonly natural_key: string
  readonly state: UnsettledRecord['state']
  readonly since: number
  readonly body: string | null
}

/** Each part has an index of its own, but for what is being sent: that is of files that are not done. */
async function unsettledRecords(
  tables: Kysely<Tables>,
  limit: number,
  { key, route, isLoose = false }: Partial<KeyMeant>,
): Promise<UnsettledRecord[]> {
  const { rows } = await sql<UnsettledRow>`
    select records.id, records.number, records.route, files.id as file, files.name, records.lines, records.key_values,
      records.operation, records.natural_key, records.state, records.changed_at as since, bodies.body
    from (
      select id from records where state = 'held' and file_id is not null and problems ->> '$[0].code' = 'outcome-unprovable'
      union all
      select id from records where state = 'uncertain'
      union all
      select records.id from files cross join records
      where files.state = 'planned' and records.file_id = files.id and records.state = 'sending'
    ) as open cross join records cross join files left join bodies on bodies.record_id = records.id
    where records.id = open.id and files.id = records.file_id
      and ${route === undefined ? sql`true` : sql`records.route = ${route}`}
      and ${key === undefined ? sql`true` : isCalled({ key, isLoose })}
    order by files.number, records.number limit ${limit}`.execute(tables)
  return rows.map(({ key_values, lines, natural_key, body, ...row }) => ({
    ...row,
    naturalKey: natural_key,
    lines: JSON.parse(lines),
    keyValues: JSON.parse(key_values),
    ...present({ body }),
  }))
}
