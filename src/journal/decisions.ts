/** Stores what people decide about records, in the transaction that changes the records. */
import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import {
  type DecidableRecord,
  type DecisionEntry,
  DECISIONS,
  type DecisionScope,
  type NewDecision,
  type NewResolution,
  type RecordKeyQuery,
  type ResolutionAction,
  RESOLUTIONS,
  type UnresolvedRecord,
} from '../domain/decision.ts'
import type { Journal, ListedDecision } from '../domain/journal.ts'
import { problem, type Problem } from '../domain/problem.ts'
import type { RecordState, StateCounts } from '../domain/record.ts'
import { isoTime } from '../support/clock.ts'
import { assert } from '../support/errors.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { findKeyOwners } from './conflicts.ts'
import { judgeRecords } from './duplicates.ts'
import { type Mention, mentionRecords } from './event-detail.ts'
import { appendEvent, appendFileEvent, insertDecision, selectDecisionDetail } from './events.ts'
import { matchesKey } from './held-records.ts'
import { changeRows, exists, jsonRows, omitNull, selectFirst, selectIdRuns } from './rows.ts'
import type { Db, Row } from './schema.ts'
import { waiveFailures } from './steps.ts'
import type { BoundStore, RouteTx, Tx } from './store.ts'

export function createDecisionJournal({ reads, leased }: BoundStore) {
  return {
    applyDecision: leased(applyDecision),
    listDecidableRecords: reads(selectDecidableRecords),
    listAllDecisions: reads(selectAllDecisions),
    countDecidedRecords: reads(countDecidedRecords),
    listDecisions: reads(async (db, fileId, limit) => {
      const all = db.selectFrom('decisions').selectAll().where('file_id', '=', fileId)
      return (await all.orderBy('id', 'desc').limit(limit).execute()).map(toDecisionEntry)
    }),
    resolveRecord: leased(resolveRecord),
    listUnresolvedRecords: reads(selectUnresolvedRecords),
  } satisfies Partial<Journal>
}

async function applyDecision(tx: RouteTx, fileId: string, decision: NewDecision) {
  const { db, now } = tx
  const state = await getDecidableState(tx, fileId)
  if (!(await isAsExpected(db, fileId, decision))) return undefined
  const entry = await decideRecords(tx, fileId, decision)
  if (entry === undefined) return undefined
  if (entry.action === 'release') await releaseRecords(tx, fileId, entry.id)
  else await discardRecords(db, entry)
  if (state === 'closed') await reopenFile(db, fileId, now)
  await appendDecisionEvent(db, entry, await mentionDecidedRecords(db, entry.id))
  return entry
}

/** Records the decision with the new states of the records and of the file, which may be open again. */
async function appendDecisionEvent(db: Db, { id, file, at }: DecisionEntry, records: readonly Mention[]) {
  const decision = await selectDecisionDetail(db, id)
  await appendFileEvent(db, at, { id: file, kind: 'decision-made', more: { decision, records } })
}

/** The state of a file whose records a person may decide about; any other file is a bug. */
async function getDecidableState({ db, route }: RouteTx, fileId: string) {
  const query = sql<Pick<Row<'files'>, 'state'>>`
    select state from files where id = ${fileId} and route = ${route}`
  const state = (await selectFirst(db, query))?.state
  const isDecidable = state === 'planned' || state === 'closed'
  assert(isDecidable, `File ${fileId} of route ${route} is neither planned nor closed.`)
  return state
}

/** Undefined when it applies to no record. */
async function decideRecords({ db, now }: Tx, fileId: string, decision: NewDecision) {
  const { action, by, why, via } = decision
  const id = await insertDecision(db, now, { file_id: fileId, action, by, why, via, records: 0 })
  const choosing = sql`
    insert into decided_records (record_id, decision_id)
    select id, ${id} from records where ${isDecidable(fileId, decision)}`
  const records = await changeRows(db, choosing)
  if (records === 0) await db.deleteFrom('decisions').where('id', '=', id).execute()
  else await db.updateTable('decisions').set({ records }).where('id', '=', id).execute()
  return records === 0
    ? undefined
    : omitUndefined({ id, file: fileId, action, by, why, via, at: now, records })
}

/** Condition on `records`: the decision is about it. */
function isDecidable(fileId: string, { action, record }: DecisionScope): RawBuilder<boolean> {
  const codes = sql.join(DECISIONS[action].codes.map((code) => sql.lit(code)))
  const chosen = record === undefined ? sql`true` : sql`records.id = ${record}`
  return sql`(records.file_id = ${fileId} and records.state in ('held', 'deferred')
    and records.problems ->> '$[0].code' in (${codes}) and ${chosen})`
}

// What a person sees before a decision, and whether it is still so when the decision is made.

/** How many records are compared at once with what a person saw. */
const COMPARED_BATCH_SIZE = 2000

async function isAsExpected(db: Db, fileId: string, { expected, ...scope }: NewDecision): Promise<boolean> {
  if (expected === undefined) return true
  const digest = createDecisionDigest()
  for (let after = 0; ;) {
    const found = await selectDecidableRecords(db, fileId, scope, after, COMPARED_BATCH_SIZE)
    digest.add(found)
    const last = found.at(-1)
    if (last === undefined) return digest.finish() === expected
    after = last.number
  }
}

/** Over the records of a decision, in their order, with what would become of each. */
export function createDecisionDigest() {
  const hash = createHash('sha256')
  return {
    add(records: readonly DecidableRecord[]): void {
      for (const { id, becomes } of records) hash.update(`${id} ${becomes}\n`)
    },
    finish: (): string => hash.digest('base64url'),
  }
}

/** Each state has a partial index of its file, which the planner would not take for both together. */
function selectDecidableIds(
  fileId: string,
  { scope, after, limit }: { readonly scope: DecisionScope; readonly after: number; readonly limit: number },
) {
  const isNext = sql`${isDecidable(fileId, scope)} and number > ${after} order by number limit ${limit}`
  return sql`
    select id from (select id from records indexed by records_held
      where state = 'held' and file_id is not null and ${isNext})
    union all
    select id from (select id from records indexed by records_blocking
      where state in ('uncertain', 'deferred') and state = 'deferred' and ${isNext})`
}

type DecidableRow = Omit<KeyTakenRow, 'naturalKey' | 'bodyHash'> & {
  readonly naturalKey: string | null
  readonly bodyHash: string | null
  readonly problems: string
  readonly is_uncertain: 0 | 1
  readonly is_taken: 0 | 1
}

async function selectDecidableRecords(
  db: Db,
  fileId: string,
  ...[scope, after, limit]: [scope: DecisionScope, after: number, limit: number]
): Promise<DecidableRecord[]> {
  const { rows } = await sql<DecidableRow>`
    select records.id, number, operation, account, natural_key as "naturalKey", body_hash as "bodyHash", lines,
      key_values as "keyValues", problems,
      (problems ->> '$[0].code' = 'outcome-unprovable' or ${HAS_UNCERTAIN_ATTEMPT}) as is_uncertain,
      (owns_key = 0 and exists (
        select 1 from records as other
        where other.operation = records.operation and other.account = records.account
          and other.natural_key = records.natural_key and other.owns_key = 1)) as is_taken
    from records where id in (${selectDecidableIds(fileId, { scope, after, limit })})
    order by number limit ${limit}`.execute(db)
  const records = rows.map(({ naturalKey, bodyHash, lines, keyValues, ...row }) => ({
    ...row,
    ...omitNull({ naturalKey, bodyHash }),
    lines: JSON.parse(lines) as DecidableRecord['lines'],
    keyValues: JSON.parse(keyValues) as string[],
    problems: JSON.parse(row.problems) as Problem[],
  }))
  const taken = scope.action === 'release' ? records.filter(({ is_taken }) => is_taken === 1) : []
  const owners = await findKeyOwners(db, fileId, taken)
  const judged = judgeRecords(
    taken.map((each) => ({ ...each, problems: [] })),
    owners,
  )
  const verdicts = new Map(taken.map(({ id }, at) => [id, judged[at]]))
  return records.map(({ id, number, lines, keyValues, naturalKey, problems, is_uncertain }) => {
    const verdict = verdicts.get(id)
    const sent: RecordState = is_uncertain === 1 ? 'uncertain' : 'planned'
    const becomes = scope.action === 'discard' ? 'rejected' : (verdict?.state ?? sent)
    const shown = { id, number, lines, keyValues, problems, becomes, verdict: verdict?.problems ?? [] }
    return omitUndefined({ ...shown, naturalKey })
  })
}

/** Records whose keys are free own them again; the others are judged as if they were added now. */
async function releaseRecords({ db, now }: Tx, fileId: string, id: number): Promise<void> {
  // First, while the records still show why they were held.
  await waiveFailures(db, id)
  await markUncertainAgain(db, id, now)
  await sql`
    update records set owns_key = 1, waived = 0, changed_at = ${now},
      state = case when ${HAS_UNCERTAIN_ATTEMPT} then 'uncertain' else 'planned' end,
      problems = case when ${HAS_UNCERTAIN_ATTEMPT} then ${JSON.stringify([LOOKUP_ASKED])} else '[]' end
    where id in (select record_id from decided_records where decision_id = ${id}) and state = 'held'
      and not exists (
        select 1 from records as other
        where other.operation = records.operation and other.account = records.account
          and other.natural_key = records.natural_key and other.owns_key = 1)`.execute(db)
  while ((await judgeBatch({ db, now }, fileId, id)) > 0);
}

/** Condition on `records`: an attempt may have taken effect, as far as is known. */
const HAS_UNCERTAIN_ATTEMPT = sql`exists (
  select 1 from attempts where attempts.record_id = records.id and (result is null or result = 'uncertain'))`

const LOOKUP_ASKED = problem('answer-lost', {}, 'the answer was lost, and a person has it looked up again')

/** held → uncertain, for records that were sent and never answered: they may have taken effect, so a lookup comes first. */
async function markUncertainAgain(db: Db, decisionId: number, now: number): Promise<void> {
  await sql`
    update records set state = 'uncertain', waived = 0, problems = ${JSON.stringify([LOOKUP_ASKED])}, changed_at = ${now}
    where id in (select record_id from decided_records where decision_id = ${decisionId}) and state = 'held'
      and problems ->> '$[0].code' = 'outcome-unprovable'`.execute(db)
}

/** How many records whose keys have other owners are judged at once. */
const JUDGE_BATCH_SIZE = 500

type KeyTakenRow = Pick<Row<'records'>, 'id' | 'number' | 'operation' | 'account'> &
  Readonly<Record<'naturalKey' | 'bodyHash' | 'lines' | 'keyValues', string>>

async function judgeBatch({ db, now }: Tx, fileId: string, id: number): Promise<number> {
  const { rows } = await sql<KeyTakenRow>`
    select records.id, number, operation, account, natural_key as "naturalKey", body_hash as "bodyHash", lines,
      key_values as "keyValues"
    from decided_records join records on records.id = decided_records.record_id
    where decision_id = ${id} and records.state = 'held'
    order by number limit ${JUDGE_BATCH_SIZE}`.execute(db)
  if (rows.length === 0) return 0
  const records = rows.map((row) => ({
    ...row,
    lines: JSON.parse(row.lines),
    keyValues: JSON.parse(row.keyValues),
    problems: [],
  }))
  const verdicts = judgeRecords(records, await findKeyOwners(db, fileId, records))
  const judged = verdicts.map((verdict, position) => ({ ...verdict, id: rows[position]?.id ?? 0 }))
  const batch = jsonRows(judged, {
    id: 'id',
    state: 'state',
    owns_key: (each) => (each.state === 'planned' ? 1 : 0),
    api_id: 'apiId',
    problems: 'problems',
  })
  await sql`
    update records set state = batch.state, owns_key = batch.owns_key, api_id = batch.api_id,
      waived = 0, problems = batch.problems, changed_at = ${now}
    from ${batch} where records.id = batch.id`.execute(db)
  const detail = { records: mentionRecords(judged) }
  await appendEvent(db, now, { kind: 'keys-decided', subject: fileId, detail })
  return rows.length
}

async function discardRecords(db: Db, { id, by, why, at }: DecisionEntry): Promise<void> {
  const problemsOf = (was: string) =>
    JSON.stringify([problem('discarded', {}, `It ${was}, and ${by} discarded it on ${isoTime(at)}: ${why}`)])
  await sql`
    update records set state = 'rejected', corrected = 1, owns_key = 0, waived = 0, changed_at = ${at},
      problems = case state when 'held' then ${problemsOf('was held')} else ${problemsOf('waited for its order')} end
    where id in (select record_id from decided_records where decision_id = ${id})`.execute(db)
}

/** closed → planned. Keeps the archive path of the source, because the file is archived already. */
async function reopenFile(db: Db, fileId: string, now: number): Promise<void> {
  await sql`
    update files set state = 'planned', outcome = null, report_name = null, submitted_at = null, reported_at = null,
      closed_at = null, reports = reports + 1, taken_up_at = ${now}
    where id = ${fileId}`.execute(db)
}

async function mentionDecidedRecords(db: Db, decisionId: number): Promise<Mention[]> {
  const mentions: Mention[] = []
  for (const state of Object.keys(await countDecidedRecords(db, decisionId))) {
    const condition = sql`records.state = ${state} and records.id in (
      select record_id from decided_records where decision_id = ${decisionId})`
    mentions.push({ state, ids: await selectIdRuns(db, condition) })
  }
  return mentions
}

async function countDecidedRecords(db: Db, decisionId: number): Promise<StateCounts> {
  const { rows } = await sql<{ state: RecordState; count: number }>`
    select state, count(*) as count from decided_records join records on records.id = record_id
    where decision_id = ${decisionId} group by state`.execute(db)
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

/** For a decision about records of a file or delivery. */
export function toDecisionEntry(row: Row<'decisions'>): DecisionEntry {
  const { id, file_id, delivery_id, action, decided_by: by, why, decided_at: at, records, via } = row
  const file = file_id ?? delivery_id
  assert(file !== null && isFileDecision(action), `Decision ${id} is about no records.`)
  return { id, file, action, by, why, at, records, ...omitNull({ via }) }
}

function isFileDecision(action: Row<'decisions'>['action']): action is DecisionEntry['action'] {
  return action in DECISIONS || action in RESOLUTIONS || action === 'dismiss' || action === 'correct'
}

// Resolutions: a person states the outcome of a record whose answer was lost.

async function resolveRecord(tx: RouteTx, fileId: string, resolution: NewResolution) {
  const { db, now } = tx
  const state = await getDecidableState(tx, fileId)
  const { action, by, why, via, record } = resolution
  const rows = sql`records where id = ${record} and file_id = ${fileId} and ${IS_UNRESOLVED}`
  if (!(await exists(db, rows))) return undefined
  const id = await insertDecision(db, now, { file_id: fileId, action, by, why, via, records: 1 })
  await db.insertInto('decided_records').values({ record_id: record, decision_id: id }).execute()
  await updateResolvedRecord(db, resolution, now)
  if (state === 'closed') await reopenFile(db, fileId, now)
  const resolved = { id: record, state: RESOLVED_STATES[action], apiId: resolution.apiId }
  const entry: DecisionEntry = omitUndefined({ id, file: fileId, action, by, why, via, at: now, records: 1 })
  await appendDecisionEvent(db, entry, mentionRecords([resolved]))
  return entry
}

/** Condition on `records`: it was sent, and its outcome is not known. */
const IS_UNRESOLVED = sql<boolean>`(records.state = 'uncertain'
  or records.state = 'held' and records.problems ->> '$[0].code' = 'outcome-unprovable')`

const RESOLVED_STATES = {
  'resolve-accepted': 'accepted',
  'resolve-absent': 'planned',
  'resolve-discard': 'rejected',
} as const satisfies Record<ResolutionAction, RecordState>

/** An unresolved record owns its key; a discarded one releases it. Every report from now on shows the resolution. */
async function updateResolvedRecord(db: Db, resolution: NewResolution, now: number): Promise<void> {
  const { action, by, why, record, apiId } = resolution
  if (action === 'resolve-discard') {
    const message = `Its answer was lost, and ${by} gave it up on ${isoTime(now)}: ${why}`
    await sql`
      update records set state = 'rejected', corrected = 1, owns_key = 0, waived = 0, changed_at = ${now},
        problems = ${JSON.stringify([problem('discarded', {}, message)])}
      where id = ${record}`.execute(db)
    return
  }
  await sql`
    update records set state = ${RESOLVED_STATES[action]}, api_id = coalesce(${apiId ?? null}, api_id), problems = '[]', changed_at = ${now},
      warnings = json_insert(warnings, '$[#]', json(${JSON.stringify(createWarning(resolution, now))}))
    where id = ${record}`.execute(db)
}

function createWarning({ action, by, why, apiId = '', wasSeen }: NewResolution, now: number): Problem {
  const seen = wasSeen ? 'which the API showed' : 'which the API has no way to show'
  const what =
    action === 'resolve-accepted' ? `the API has it as ${apiId}, ${seen}` : 'the API does not have it'
  const message = `Its answer was lost, and ${by} resolved on ${isoTime(now)} that ${what}: ${why}`
  return { ...problem('resolved-by-hand', {}, message), severity: 'warning' }
}

type UnresolvedRow = Omit<UnresolvedRecord, 'naturalKey' | 'lines' | 'keyValues' | 'body'> &
  Pick<Row<'records'>, 'lines' | 'key_values'> & {
    readonly natural_key: string
    readonly body: string | null
  }

/** Each part has an index of its own, except records in `sending`: these belong to unfinished files. */
async function selectUnresolvedRecords(
  db: Db,
  limit: number,
  { key, route, isLoose = false }: Partial<RecordKeyQuery>,
): Promise<UnresolvedRecord[]> {
  const { rows } = await sql<UnresolvedRow>`
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
      and ${key === undefined ? sql`true` : matchesKey({ key, isLoose })}
    order by files.number, records.number limit ${limit}`.execute(db)
  return rows.map(({ key_values, lines, natural_key, body, ...row }) => ({
    ...row,
    naturalKey: natural_key,
    lines: JSON.parse(lines),
    keyValues: JSON.parse(key_values),
    ...omitNull({ body }),
  }))
}

// The list of all, of any kind.

type ListedDecisionRow = Row<'decisions'> & {
  readonly file_name: string | null
  readonly delivery_name: string | null
  readonly route: string | null
  readonly until: number | null
  readonly ended_at: number | null
  readonly record_id: number | null
  readonly key_values: string | null
  readonly natural_key: string | null
}

async function selectAllDecisions(
  db: Db,
  ...[after, limit, id]: [after: number | undefined, limit: number, id?: number]
): Promise<ListedDecision[]> {
  const isOne = id === undefined ? sql`true` : sql`decisions.id = ${id}`
  const isAfter = after === undefined ? isOne : sql`decisions.id < ${after}`
  const { rows } = await sql<ListedDecisionRow>`
    select decisions.*, files.name as file_name, deliveries.name as delivery_name,
      coalesce(files.route, deliveries.route, pauses.route, resumed.route) as route, pauses.until, pauses.ended_at,
      records.id as record_id, records.key_values, records.natural_key
    from decisions left join files on files.id = decisions.file_id
      left join deliveries on deliveries.id = decisions.delivery_id
      left join pauses on pauses.decision_id = decisions.id
      left join pauses as resumed on resumed.ended_by = decisions.id and pauses.decision_id is null
      left join records on records.id = (
        select min(record_id) from decided_records where decided_records.decision_id = decisions.id)
    where ${isAfter} order by decisions.id desc limit ${limit}`.execute(db)
  return rows.map((row) => ({
    id: row.id,
    action: row.action,
    by: row.decided_by,
    why: row.why,
    at: row.decided_at,
    records: row.records,
    ...omitNull({ route: row.route, via: row.via }),
    ...(row.until !== null && { pause: { until: row.until, ...omitNull({ endedAt: row.ended_at }) } }),
    ...(row.file_id !== null && { file: { id: row.file_id, name: row.file_name ?? '' } }),
    ...(row.delivery_id !== null && { delivery: { id: row.delivery_id, name: row.delivery_name ?? '' } }),
    ...(row.record_id !== null && {
      record: {
        id: row.record_id,
        keyValues: JSON.parse(row.key_values ?? '[]') as string[],
        ...omitNull({ naturalKey: row.natural_key }),
      },
    }),
  }))
}
