/** Carries out the scheduled runs of a route under its lease. The journal notes the start of each run before the work and its end after it. */
import type { Route } from '../config/routes.ts'
import type { DailySchedule } from '../config/schedule.ts'
import type { NewScheduledRun } from '../domain/scheduled-run.ts'
import type { SharedContext } from '../pipeline/context.ts'
import { assert, throwIfStopped } from '../support/errors.ts'
import { mergeOutboundOutcomes } from '../pipeline/outbound/outbound.ts'
import type { RouteResult, ScheduledRunResults } from './outcome.ts'
import type { BusinessDateRun } from '../pipeline/route-settings.ts'
import {
  findDateBefore,
  type DueRuns,
  findDueRuns,
  isBusinessDate,
  isOneRunPerDate,
  findLastDate,
  findNextRunAfter,
  getEffectiveSchedule,
} from '../schedule/schedule.ts'

/**
 * How a pass treats the schedule. `due`: it carries out the due runs, and otherwise only unfinished work. `now`: it runs the
 * route whatever the schedule says, and that counts for the due runs; a report for business dates is made only for due ones.
 * `again`: it makes such a report once more for its last date.
 */
export type ScheduleMode = 'due' | 'now' | 'again'

export interface PassPlan {
  readonly onlyUnfinished?: true
  /** The run that a report belongs to, so that each run has one report. */
  readonly scheduledRun?: { readonly name: string; readonly isComposed: boolean }
  readonly dated?: BusinessDateRun
}

type RunPass = (plan: PassPlan) => Promise<RouteResult>

interface ScheduledRunContext extends Pick<
  SharedContext,
  'journal' | 'lease' | 'clock' | 'notify' | 'signal'
> {
  readonly route: Route
}

export async function carryOutScheduledRuns(context: ScheduledRunContext, mode: ScheduleMode, pass: RunPass) {
  const { journal, lease, route, clock } = context
  const schedule = getEffectiveSchedule(route)
  if (schedule === 'always' || !hasOwnRuns(route, mode)) return pass({})
  if (schedule === 'never') return passUnfinished(context, {}, pass)
  const now = clock.now()
  const known = await journal.getKnownRuns(route.name)
  const due = findDueRuns(schedule, known, { now, oneByOne: isOneRunPerDate(route) })
  if (due.before !== undefined) await journal.startSchedule(lease, due.before)
  const [first] = due.runs
  // A due report is made by its own scheduled run; otherwise it would be made twice.
  if (mode === 'again' && isOneRunPerDate(route) && first === undefined)
    return repeatLastReport(context, pass)
  if (first === undefined) {
    if (mode !== 'due' && !isOneRunPerDate(route)) return pass({})
    const last = known.latestDate ?? due.before?.occurrence
    const nextAt = findNextRunAfter(schedule, known, now)
    return passUnfinished(context, { nextAt, ...(last && isBusinessDate(last) && { last }) }, pass)
  }
  if (schedule.kind !== 'every') return carryOutDueRuns(context, due, pass)
  const result = await pass({})
  await journal.saveIntervalRun(lease, first.dueAt)
  return result
}

/** Whether the journal knows runs of the route. Without a schedule it has only its interval, which counts where the bridge decides by itself. */
export function hasOwnRuns(route: Route, mode: ScheduleMode): boolean {
  return getEffectiveSchedule(route) !== 'always' && (route.schedule !== undefined || mode === 'due')
}

/** Finishes what an earlier pass began, between the runs too. */
async function passUnfinished(
  { journal, route }: ScheduledRunContext,
  runs: ScheduledRunResults,
  pass: RunPass,
): Promise<RouteResult> {
  const unfinished = await journal.listUnfinishedRoutes()
  if (!unfinished.includes(route.name)) return { kind: 'idle', route: route.name, scheduledRuns: runs }
  return { ...(await pass({ onlyUnfinished: true })), scheduledRuns: runs }
}

/** Makes the report of the last business date once more, whether one exists or not. */
async function repeatLastReport(context: ScheduledRunContext, pass: RunPass): Promise<RouteResult> {
  const { name, schedule } = context.route
  assert(schedule?.kind === 'daily', `route ${name} has no runs of business dates`)
  const last = findLastDate(schedule, context.clock.now())
  const dated = await buildDatedRun(context, schedule, last)
  return { ...(await pass({ dated })), scheduledRuns: { again: last.occurrence } }
}

async function carryOutDueRuns(context: ScheduledRunContext, due: DueRuns, pass: RunPass) {
  const { journal, lease, route, notify, signal } = context
  const results: RouteResult[] = []
  const done: string[] = []
  let [covered, missed] = [due.covered, due.missed]
  for (const run of due.runs) {
    throwIfStopped(signal)
    const entry = await journal.startRun(lease, { ...run, covered, missed })
    if (missed.length > 0) notify({ kind: 'runs-missed', route: route.name, runs: missed.map(getRunName) })
    covered = missed = []
    // Another bridge finished it before this one took the lease.
    if (entry.state !== 'begun') continue
    notify({ kind: 'run-started', route: route.name, run: run.occurrence })
    const result = await pass(await planPass(context, run, entry.delivery !== undefined))
    results.push(result)
    await journal.finishRun(lease, run.occurrence)
    done.push(run.occurrence)
  }
  const runs = { done, covered: due.covered.map(getRunName), missed: due.missed.map(getRunName) }
  return { ...mergeResults(route.name, results), scheduledRuns: runs }
}

async function planPass(context: ScheduledRunContext, run: NewScheduledRun, isComposed: boolean) {
  const { route } = context
  const isReport = route.direction === 'outbound' && route.report !== undefined
  const bound = isReport ? { scheduledRun: { name: run.occurrence, isComposed } } : {}
  if (!isBusinessDate(run.occurrence) || route.schedule?.kind !== 'daily') return bound
  return { ...bound, dated: await buildDatedRun(context, route.schedule, run) }
}

/** Takes the times from the journal, because the schedule may have changed since the run. */
async function buildDatedRun(
  { journal, route }: ScheduledRunContext,
  schedule: DailySchedule,
  { occurrence, dueAt }: NewScheduledRun,
): Promise<BusinessDateRun> {
  const known = (await journal.listRecentRuns(RECENT_RUNS_MAX, route.name)).filter((each) =>
    isBusinessDate(each.occurrence),
  )
  const previous = known.find((each) => each.occurrence < occurrence) ?? findDateBefore(schedule, occurrence)
  const had = known.find((each) => each.occurrence === occurrence)
  return { date: occurrence, dueAt: had?.dueAt ?? dueAt, previousAt: previous.dueAt }
}

/** More runs than a route makes up for at once. */
const RECENT_RUNS_MAX = 500

function mergeResults(route: string, results: readonly RouteResult[]): RouteResult {
  const [only] = results
  if (only === undefined) return { kind: 'idle', route }
  if (results.length === 1) return only
  const passes = results.flatMap((result) => (result.kind === 'outbound' ? [result.pass] : []))
  assert(passes.length === results.length, `${route} takes files, and had several runs at once`)
  return { kind: 'outbound', route, pass: mergeOutboundOutcomes(route, passes) }
}

function getRunName({ occurrence }: NewScheduledRun): string {
  return occurrence
}
