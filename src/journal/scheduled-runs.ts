/** Stores the scheduled runs of routes: each business date and each instant gets one final state and keeps it. */
import { sql } from 'kysely'
import type {
  KnownRuns,
  NewScheduledRun,
  ScheduledRun,
  ScheduledRunState,
  ScheduleJournal,
} from '../domain/scheduled-run.ts'
import { assert } from '../support/errors.ts'
import { appendEvent } from './events.ts'
import { changeRows, omitNull, selectFirst } from './rows.ts'
import type { Db, Row } from './schema.ts'
import type { BoundStore, RouteTx } from './store.ts'

export function createScheduleJournal({ store, reads, leased }: BoundStore): ScheduleJournal {
  return {
    getKnownRuns: reads((db, route) => selectKnownRuns(db, route, store.clock.now())),
    listRecentRuns: reads(selectRecentRuns),
    startRun: leased(startRun),
    finishRun: leased(finishRun),
    startSchedule: leased(async (tx, run) => {
      const ahead = await markRunsAhead(tx)
      await saveRuns(tx, [run], 'before')
      await appendRunsEvent(tx, 'schedule-began', new Set([run.occurrence, ...ahead]))
    }),
    saveIntervalRun: leased(async ({ db, now, route }, at) => {
      await sql`
        insert into scheduled_runs (route, occurrence, state, due_at, changed_at)
        values (${route}, ${INTERVAL_RUN}, 'done', ${at}, ${now})
        on conflict (route, occurrence) do update
          set due_at = excluded.due_at, changed_at = excluded.changed_at`.execute(db)
    }),
  }
}

/** Leaves out runs that were stored while the clock was ahead: no date may count as done before it begins. */
async function selectKnownRuns(db: Db, route: string, now: number): Promise<KnownRuns> {
  const isKnown = sql`route = ${route} and not ${isAheadOfClock(now)}`
  const { rows } = await sql<
    Record<'latestDate' | 'latestInstant', string | null> & { intervalAt: number | null }
  >`
    select
      (select occurrence from scheduled_runs where ${isKnown} and ${IS_DATE}
        order by occurrence desc limit 1) as "latestDate",
      (select occurrence from scheduled_runs where ${isKnown} and ${IS_INSTANT}
        order by occurrence desc limit 1) as "latestInstant",
      (select due_at from scheduled_runs
        where route = ${route} and occurrence = ${INTERVAL_RUN}) as "intervalAt"`.execute(db)
  const { rows: begun } = await sql<Row<'scheduled_runs'>>`
    select * from scheduled_runs where ${isKnown} and state = 'begun'
    order by due_at limit ${MAX_STARTED}`.execute(db)
  return { ...omitNull(rows[0] ?? {}), begun: begun.map(toScheduledRun) }
}

/** A pass finds a run `begun` only after a crash, so there is one of them, or two after a change of schedule. */
const MAX_STARTED = 100

// Runs stored while the clock was ahead do not count, and start again when they are due.

/** The row of a route that runs at intervals: only the last run counts. */
const INTERVAL_RUN = 'every'

/** Dates, instants and the word for intervals sort apart: `2026-03-08` < `2026-03-08T…` < `every`. */
const IS_DATE = sql`occurrence < ${INTERVAL_RUN} and length(occurrence) = 10`

const IS_INSTANT = sql`occurrence < ${INTERVAL_RUN} and length(occurrence) > 10`

async function selectRecentRuns(db: Db, limit: number, route?: string): Promise<ScheduledRun[]> {
  const { rows } = await sql<Row<'scheduled_runs'>>`
    select * from scheduled_runs
    where occurrence <> ${INTERVAL_RUN} and state <> 'ahead' and ${route === undefined ? sql`true` : sql`route = ${route}`}
    order by due_at desc, route limit ${limit}`.execute(db)
  return rows.map(toScheduledRun)
}

type NewRunInput = Parameters<ScheduleJournal['startRun']>[1]

async function startRun(tx: RouteTx, run: NewRunInput): Promise<ScheduledRun> {
  const { db, route } = tx
  const { occurrence, covered, missed } = run
  const ahead = await markRunsAhead(tx)
  const known = await selectRun(db, route, occurrence)
  const isNew = known === undefined || known.state === 'ahead'
  if (isNew) await saveRuns(tx, [run], 'begun')
  await saveRuns(tx, covered, 'covered')
  await saveRuns(tx, missed, 'missed')
  const started = [...(isNew ? [run] : []), ...covered, ...missed].map((each) => each.occurrence)
  const changed = new Set([...started, ...ahead])
  if (changed.size > 0) await appendRunsEvent(tx, 'run-started', changed)
  const entry = await selectRun(db, route, occurrence)
  assert(entry, `Run ${occurrence} of route ${route} is not in the journal.`)
  return toScheduledRun(entry)
}

/** A final run keeps its state. A run that is `begun` may be covered by a later one; a run that was ahead starts again. */
async function saveRuns(
  { db, now, route }: RouteTx,
  runs: readonly NewScheduledRun[],
  state: ScheduledRunState,
): Promise<void> {
  for (const { occurrence, dueAt } of runs) {
    await sql`
      insert into scheduled_runs (route, occurrence, state, due_at, changed_at)
      values (${route}, ${occurrence}, ${state}, ${dueAt}, ${now})
      on conflict (route, occurrence) do update
        set state = excluded.state, due_at = excluded.due_at, changed_at = excluded.changed_at
        where scheduled_runs.state in ('begun', 'ahead')`.execute(db)
  }
}

async function finishRun(tx: RouteTx, occurrence: string): Promise<void> {
  const { db, now, route } = tx
  const finishing = sql`
    update scheduled_runs set state = 'done', changed_at = ${now}
    where route = ${route} and occurrence = ${occurrence} and state = 'begun'`
  const isFinished = (await changeRows(db, finishing)) === 1
  assert(isFinished, `Run ${occurrence} of route ${route} should be begun and is not.`)
  await appendRunsEvent(tx, 'run-finished', [occurrence])
}

/** Binds a delivery to its run, in the transaction that composes it. The caller appends the event. */
export async function bindDeliveryToRun({ db, route }: RouteTx, occurrence: string, delivery: string) {
  const binding = sql`
    update scheduled_runs set delivery_id = ${delivery}
    where route = ${route} and occurrence = ${occurrence} and state = 'begun' and delivery_id is null`
  const isBound = (await changeRows(db, binding)) === 1
  assert(isBound, `Run ${occurrence} of route ${route} should be begun, without a delivery, and is not.`)
  return selectRunMentions(db, route, [occurrence])
}

function toScheduledRun(row: Row<'scheduled_runs'>): ScheduledRun {
  const { route, occurrence, state, due_at: dueAt, changed_at: changedAt, delivery_id: delivery } = row
  return { route, occurrence, state, dueAt, changedAt, ...omitNull({ delivery }) }
}

/** A run in an event: its name, its state, when it is due, and its delivery. */
export type RunMention = readonly [occurrence: string, state: string, dueAt: number, delivery: string]

async function appendRunsEvent(
  { db, now, route }: RouteTx,
  kind: 'run-started' | 'run-finished' | 'schedule-began',
  occurrences: Iterable<string>,
): Promise<void> {
  const runs = await selectRunMentions(db, route, occurrences)
  await appendEvent(db, now, { kind, route, detail: { runs } })
}

async function selectRunMentions(db: Db, route: string, runs: Iterable<string>): Promise<RunMention[]> {
  const mentions: RunMention[] = []
  for (const occurrence of runs) {
    const row = await selectRun(db, route, occurrence)
    if (row !== undefined) mentions.push(toRunMention(row))
  }
  return mentions
}

export function toRunMention(row: Row<'scheduled_runs'>): RunMention {
  return [row.occurrence, row.state, row.due_at, row.delivery_id ?? '']
}

async function selectRun(db: Db, route: string, occurrence: string) {
  const query = sql<Row<'scheduled_runs'>>`
    select * from scheduled_runs where route = ${route} and occurrence = ${occurrence}`
  return selectFirst(db, query)
}

/** Clocks are corrected by seconds now and then; a date that ran shortly before must not run twice because of that. */
const AHEAD_TOLERANCE_MS = { date: 60 * 60_000, instant: 5 * 60_000 }

function isAheadOfClock(now: number) {
  return sql<boolean>`(state = 'ahead' or changed_at > ${now} +
    case when length(occurrence) = 10 then ${AHEAD_TOLERANCE_MS.date} else ${AHEAD_TOLERANCE_MS.instant} end)`
}

/** Must run before the clock reaches their times, when they would look like runs on time. Returns their names. */
async function markRunsAhead({ db, now, route }: RouteTx): Promise<string[]> {
  const { rows } = await sql<{ occurrence: string }>`
    update scheduled_runs set state = 'ahead', changed_at = ${now}, delivery_id = null
    where route = ${route} and occurrence <> ${INTERVAL_RUN} and state <> 'ahead' and ${isAheadOfClock(now)}
    returning occurrence`.execute(db)
  return rows.map(({ occurrence }) => occurrence)
}
