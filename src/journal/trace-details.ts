/** Reads the body, attempts, lookups and decisions of a record, the record that it repeats, and the events about it. */
import { type RawBuilder, sql } from 'kysely'
import type { DecisionEntry } from '../domain/decision.ts'
import type { ProblemCount, RecordPlace, WorkRef } from '../domain/journal.ts'
import type { RecordEvent, RecordProof } from '../domain/audit.ts'
import type { ProblemCode } from '../domain/problem.ts'
import type { RecordState } from '../domain/record.ts'
import type { TracedAttempt, TracedDetail, TracedLookup, TracedRecord } from '../domain/trace.ts'
import { toDecisionEntry } from './decisions.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { type EventDetail, EventDetailSchema, type Mention } from './event-detail.ts'
import { selectEventsBackwards, selectHead } from './events.ts'
import { selectReportedRecords, toReportedRecord, toWork } from './records.ts'
import { type IdRuns, iterateIds, omitNull } from './rows.ts'
import type { Db, EventRow, Row } from './schema.ts'
import { createRowCheck } from './verify.ts'
import {
  checkLink,
  collectMismatches,
  type Mismatches,
  type ParsedEvent,
  parseEvent,
} from './verify-check.ts'
import { createRecordCheck } from './verify-records.ts'

/** Of a record that was tried again for weeks, the last attempts are enough. */
const MAX_ATTEMPTS = 20

export async function selectTracedDetails(db: Db, recordIds: readonly number[]): Promise<TracedDetail[]> {
  const details: TracedDetail[] = []
  for (const record of recordIds) {
    const contents = await selectContents(db, record)
    const first = await findKeyOwner(db, record)
    const attempts = await selectTracedAttempts(db, record)
    details.push({
      record,
      attempts,
      lookUps: attempts.some(({ result }) => result === undefined || result === 'uncertain')
        ? await selectLookups(db, record)
        : [],
      decisions: await selectRecordDecisions(db, record),
      ...contents,
      ...(first === undefined ? {} : { first }),
    })
  }
  return details
}

/** A pruned body is an empty placeholder, so it is left out. */
async function selectContents(
  db: Db,
  record: number,
): Promise<Pick<TracedDetail, 'body' | 'answer' | 'prunedAt'>> {
  const { rows } = await sql<{ body: string | null; answer: string | null; pruned_at: number | null }>`
    select bodies.body, answers.answer, coalesce(files.pruned_at, deliveries.pruned_at) as pruned_at
    from records left join bodies on bodies.record_id = records.id
      left join answers on answers.record_id = records.id
      left join files on files.id = records.file_id left join deliveries on deliveries.id = records.delivery_id
    where records.id = ${record}`.execute(db)
  const { body = null, answer = null, pruned_at: prunedAt = null } = rows[0] ?? {}
  return omitNull(prunedAt === null ? { body, answer } : { prunedAt })
}

async function selectTracedAttempts(db: Db, record: number): Promise<TracedAttempt[]> {
  const { rows } = await sql<Row<'attempts'> & { readonly is_presumed: number }>`
    select attempt, began_at, ended_at, http, result, version, exists (
      select 1 from records join restored_routes on restored_routes.route = records.route
      where records.id = attempts.record_id and restored_routes.as_of = attempts.began_at) as is_presumed
    from attempts where record_id = ${record} order by attempt desc limit ${MAX_ATTEMPTS}`.execute(db)
  return rows.toReversed().map(({ attempt, began_at, ended_at, http, result, version, is_presumed }) => ({
    attempt,
    beganAt: began_at,
    ...omitNull({ endedAt: ended_at, http, result, version }),
    ...(is_presumed === 1 ? { isPresumed: true } : {}),
  }))
}

async function selectRecordDecisions(db: Db, record: number): Promise<DecisionEntry[]> {
  const { rows } = await sql<Row<'decisions'>>`
    select decisions.* from decided_records join decisions on decisions.id = decided_records.decision_id
    where record_id = ${record} order by id limit ${MAX_ATTEMPTS}`.execute(db)
  return rows.map(toDecisionEntry)
}

/** The record that owns the key of this one, if this one does not. */
async function findKeyOwner(db: Db, record: number): Promise<TracedRecord | undefined> {
  const { rows } = await sql<{ id: number }>`
    select owner.id from records as repeated cross join records as owner
    where repeated.id = ${record} and repeated.owns_key = 0 and owner.operation = repeated.operation
      and owner.account = repeated.account and owner.natural_key = repeated.natural_key
      and owner.owns_key = 1`.execute(db)
  const [found] = rows
  if (found === undefined) return undefined
  const row = await selectTraced(db).where('id', '=', found.id).executeTakeFirst()
  return row && toTracedRecord(row, () => false)
}

// How the bridge learned the outcome of a record whose answer was lost: from the events.

/** Each event covers up to some hundred lookups; of a route with more events, the last ones are read. */
const MAX_EVENTS = 10_000

const MAX_LOOKUPS = 20

/** Oldest first; none from before the first event. */
async function selectLookups(db: Db, record: number): Promise<TracedLookup[]> {
  const { rows } = await sql<Pick<EventRow, 'at' | 'detail'>>`
    select events.at, events.detail from records cross join events
    where records.id = ${record} and events.kind = 'records-reconciled' and events.route = records.route
    order by events.id desc limit ${MAX_EVENTS}`.execute(db)
  const found: TracedLookup[] = []
  for (const { at, detail } of rows) {
    if (found.length === MAX_LOOKUPS) break
    found.push(...parseLookups(detail, record).map((lookup) => ({ at, ...lookup })))
  }
  return found.toReversed()
}

function parseDetail(text: string): EventDetail | undefined {
  try {
    return EventDetailSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

function parseLookups(detail: string, record: number): Omit<TracedLookup, 'at'>[] {
  const read = parseDetail(detail)
  // `audit verify` reports events that cannot be read.
  if (read === undefined) return []
  return (read.records ?? []).flatMap(({ state, ids, api }) => {
    const place = [...iterateIds(ids)].indexOf(record)
    if (place === -1) return []
    const apiId = api?.[place]
    return [{ state: state as RecordState, ...(apiId === undefined ? {} : { apiId }) }]
  })
}

// The events about a record, and whether they and the record are what was written.

/** How many events are read in search of those about a record, and to the end of the chain. */
const PROVEN_EVENTS_MAX = 10_000

const PROVEN_PAGE = 200

/** Clocks of two bridges differ a little, so some events behind the last time of the record are read too. */
const EVENTS_BEHIND = 100

/** Reads the chain backwards to the first event about the record. */
export async function proveRecord(db: Db, id: number): Promise<RecordProof | undefined> {
  const times = await selectRecordTimes(db, id)
  if (times === undefined) return undefined
  const head = await selectHead(db)
  const found = collectMismatches()
  const own: ParsedEvent[] = []
  const last = await findEventBefore(db, head.event, times.last)
  const isNearHead = head.event - last <= PROVEN_EVENTS_MAX / 2
  const to = isNearHead ? head.event : Math.min(head.event, last + EVENTS_BEHIND)
  if (times.pruned_at !== null && !isNearHead)
    own.push(...(await findPruning(db, id, times.pruned_at, found)))
  let later: EventRow | undefined
  let from = to
  let isComplete = false
  let count = 0
  for await (const event of iterateBackwards(db, to)) {
    if (later !== undefined) {
      checkLink(event, later, found)
      from = later.id
      later = undefined
    }
    // One more is read than those about the record, because the hash of an event is made with the one before it.
    if (isComplete || count++ === PROVEN_EVENTS_MAX) break
    later = event
    if (event.route !== null && event.route !== times.route) continue
    const parsed = parseOwnEvent(event, id, found)
    own.push(...parsed)
    isComplete = parsed.some(isFirstEvent)
  }
  if (later !== undefined) {
    checkLink({ id: 0, hash: '' }, later, found)
    from = later.id
  }
  // As `verifyChain` compares them, except for what it finds by reading all rows.
  await createRecordCheck(db, onlyOf(id, found)).checkPage(own)
  const decisions = own.map(({ event, detail }) => ({
    event,
    detail: omitUndefined({ decision: detail.decision }),
  }))
  await createRowCheck(db, found).checkPage(decisions)
  return {
    events: own.toReversed().map((each) => toRecordEvent(each, id)),
    isComplete,
    checked: { from, to },
    head,
    findings: found.list(),
  }
}

/** Of other records only a part of their events is read, so what is said of them means nothing. */
function onlyOf(record: number, found: Mismatches): Mismatches {
  return {
    ...found,
    add(about, id, message, event) {
      if (about !== 'record' || String(id) === String(record)) found.add(about, id, message, event)
    },
  }
}

async function* iterateBackwards(db: Db, last: number): AsyncGenerator<EventRow> {
  for (let before = last + 1; ;) {
    const page = await selectEventsBackwards(db, before, PROVEN_PAGE)
    yield* page
    const end = page.at(-1)
    if (end === undefined) return
    before = end.id
  }
}

/** When something last happened to a record, as far as its rows say. */
async function selectRecordTimes(db: Db, id: number) {
  const { rows } = await sql<{ route: string; last: number; pruned_at: number | null }>`
    select records.route, coalesce(files.pruned_at, deliveries.pruned_at) as pruned_at,
      max(records.changed_at, coalesce(deliveries.composed_at, 0), coalesce(files.planned_at, 0),
        coalesce((select max(coalesce(ended_at, began_at)) from attempts where record_id = records.id), 0),
        coalesce((select max(decided_at) from decided_records join decisions on decisions.id = decision_id
          where record_id = records.id), 0)) as last
    from records left join files on files.id = records.file_id
      left join deliveries on deliveries.id = records.delivery_id
    where records.id = ${id}`.execute(db)
  return rows[0]
}

/** The number of the last event that is not later than the time: events are in the order of time. */
async function findEventBefore(db: Db, last: number, at: number): Promise<number> {
  let [low, high] = [0, last]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const { rows } = await sql<Pick<EventRow, 'at'>>`
      select at from events where id >= ${middle} order by id limit 1`.execute(db)
    if ((rows[0]?.at ?? Infinity) <= at) low = middle
    else high = middle - 1
  }
  return low
}

/** The event that removed its contents, often months later. */
async function findPruning(db: Db, id: number, at: number, found: Mismatches): Promise<ParsedEvent[]> {
  const near = await findEventBefore(db, (await selectHead(db)).event, at)
  const events = await selectEventsBackwards(db, near + EVENTS_BEHIND, 2 * EVENTS_BEHIND)
  for (const [place, event] of events.entries()) {
    const before = events[place + 1]
    if (event.kind !== 'contents-pruned' || before === undefined) continue
    const own = parseOwnEvent(event, id, found)
    if (own.length > 0) checkLink(before, event, found)
    if (own.length > 0) return own
  }
  return []
}

/** Empty where the event is not about the record; else without what it says of others, where that can be left out. */
function parseOwnEvent(event: EventRow, id: number, found: Mismatches): ParsedEvent[] {
  // Most events are about other records, and parsing them with the schema takes longer than all the rest.
  const isOwn = (ids: IdRuns | undefined) => ids !== undefined && findPlace(ids, id) !== undefined
  try {
    const { records = [], ...raw } = JSON.parse(event.detail) as EventDetail
    const lists = [raw.planned, raw.notes, raw.bodies, raw.changes, raw.pruned].map((each) => each?.ids)
    const all = [...records.map(({ ids }) => ids), ...lists, raw.removed, raw.attached, raw.detached]
    if (!all.some(isOwn)) return []
  } catch {
    // Then it is reported as unknown.
  }
  return parseEvent(event, found).map(({ detail }) => {
    const { records, removed: _, pruned, ...rest } = detail
    const only = records?.flatMap(({ ids, api, ...mention }): Mention[] => {
      const place = findPlace(ids, id)
      if (place === undefined) return []
      const apiId = api?.[place]
      return [{ ...mention, ids: [id], ...(apiId === undefined ? {} : { api: [apiId] }) }]
    })
    const own = {
      ...rest,
      ...(only && { records: only }),
      ...(pruned && isOwn(pruned.ids) && { pruned: { ...pruned, ids: [id] } }),
    }
    return { event, detail: own }
  })
}

/** The place of the record among the ids; undefined where it is not one of them. */
function findPlace(ids: IdRuns, id: number): number | undefined {
  let before = 0
  for (const run of ids) {
    const [first, last] = typeof run === 'number' ? [run, run] : run
    if (id >= first && id <= last) return before + id - first
    before += last - first + 1
  }
  return undefined
}

function isFirstEvent({ event, detail }: ParsedEvent): boolean {
  return detail.planned !== undefined || event.kind === 'records-collected'
}

function toRecordEvent({ event, detail }: ParsedEvent, id: number): RecordEvent {
  const { id: number, hash, kind, at, subject } = event
  const [{ state, http, api } = {}] = detail.records ?? []
  const isAttached = detail.attached !== undefined && findPlace(detail.attached, id) !== undefined
  return omitUndefined({
    event: number,
    hash,
    kind,
    at,
    state: state as RecordState | undefined,
    http,
    apiId: api?.[0],
    decision: detail.decision && { id: detail.decision.id, action: detail.decision.action },
    delivery: isAttached ? (subject ?? undefined) : undefined,
  })
}

export function selectTraced(db: Db) {
  return selectReportedRecords(db)
    .select(['direction', 'route', 'file_id', 'delivery_id'])
    .select(['account', 'step', 'natural_key', 'lane', 'corrected'])
}

export type TracedRow = Awaited<ReturnType<ReturnType<typeof selectTraced>['execute']>>[number]

export function toTracedRecord(row: TracedRow, isMeant: (row: TracedRow) => boolean): TracedRecord {
  return {
    ...toReportedRecord(row),
    direction: row.direction,
    route: row.route,
    account: row.account,
    isMeant: isMeant(row),
    ...(row.corrected === 1 && { isCorrected: true }),
    ...omitNull({
      step: row.step,
      naturalKey: row.natural_key,
      file: row.file_id,
      delivery: row.delivery_id,
    }),
  }
}

// The records of a file or delivery page by page, those that wait for a person first, and their problems in groups.

const TROUBLED_STATES = ['rejected', 'held', 'uncertain', 'deferred'] as const

/** Of one state, or all; the next ones behind the place. What was refused and is corrected or given up stands among the rest. */
export async function selectRecordPage(
  db: Db,
  work: WorkRef,
  { state, after }: { readonly state?: RecordState; readonly after?: RecordPlace },
  limit: number,
): Promise<TracedRecord[]> {
  const states = state === undefined ? TROUBLED_STATES : TROUBLED_STATES.filter((each) => each === state)
  const found: TracedRow[] = []
  if (after?.isTroubled !== false) {
    // Each state has a partial index of its file; a delivery is read through the index of its records.
    for (const each of states) {
      const isNext = sql<boolean>`state = ${sql.lit(each)} and corrected = 0 and number > ${after?.number ?? 0}`
      const query = selectTraced(db)
        .where(toWork(work).condition)
        .where(isNext)
        .orderBy('number')
        .limit(limit)
      found.push(...(await query.execute()))
    }
    found.sort((one, other) => one.number - other.number)
  }
  const room = limit - found.length
  if (room > 0) {
    const { condition } = toWork(work)
    const from = after?.isTroubled === false ? after.number : 0
    const isRest = sql<boolean>`(state not in (${TROUBLED_LIST}) or corrected = 1)`
    const isMeant = state === undefined ? isRest : sql<boolean>`state = ${state} and ${isRest}`
    const others = selectTraced(db).where(condition).where('number', '>', from).where(isMeant)
    found.push(...(await others.orderBy('number').limit(room).execute()))
  }
  return found.slice(0, limit).map((row) => toTracedRecord(row, () => true))
}

const TROUBLED_LIST = sql.join(TROUBLED_STATES.map((state) => sql.lit(state)))

/** Reads the troubled records through their partial indexes; warnings have one of their own. */
export async function countProblems(db: Db, fileId: string, limit: number): Promise<ProblemCount[]> {
  const ofState = (index: string, condition: RawBuilder<unknown>) => sql`
    select * from (select records.id as record, problems as found, corrected from records indexed by ${sql.ref(index)}
      where file_id = ${fileId} and ${condition} limit ${limit})`
  const { rows } = await sql<{
    code: ProblemCode
    column: string | null
    severity: string | null
    records: number
    corrected: number
  }>`
    select problem.value ->> '$.code' as code, problem.value ->> '$.place.column' as "column",
      problem.value ->> '$.severity' as severity, count(distinct record) as records,
      count(distinct case when corrected = 1 then record end) as corrected
    from (
      ${ofState('records_rejected', sql`state = 'rejected'`)}
      union all ${ofState('records_held', sql`state = 'held' and file_id is not null`)}
      union all ${ofState('records_blocking', sql`state in ('uncertain', 'deferred')`)}
      union all select * from (select records.id, warnings, 0 from records indexed by records_with_warnings
        where file_id = ${fileId} and warnings <> '[]' limit ${limit})
    ), json_each(found) as problem
    group by 1, 2, 3 order by severity is not null, records desc, code`.execute(db)
  return rows.map(({ code, column, severity, records, corrected }) => ({
    code,
    records,
    corrected,
    ...omitNull({ column }),
    ...(severity === 'warning' && { severity }),
  }))
}
