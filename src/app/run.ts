/** Runs routes once, within the limits of a scheduler: due routes only, a deadline, a number of records. */
import { findMistypedInboxes } from '../alerts/misplaced.ts'
import { type Configuration, listWorkNames } from '../config/configuration.ts'
import type { InterchangeInbox } from '../config/edi.ts'
import { type Route, selectRoutes } from '../config/routes.ts'
import type { Journal } from '../domain/journal.ts'
import { isOwnerAlive } from '../journal/heartbeat.ts'
import { findDueRoutes } from '../schedule/schedule.ts'
import { type Clock, isoTime } from '../support/clock.ts'
import { BridgeError, type FailureCode, hasCode } from '../support/errors.ts'
import { omitUndefined } from '../support/object-paths.ts'
import type { BridgeContext } from './context.ts'
import { applyRetention, chooseExitCode, listOutcomes, type RouteResult, type RunResult } from './outcome.ts'
import { INBOX_FATAL } from '../pipeline/interchanges/answers.ts'
import { createPlaceBackoff, type PlaceBackoff } from '../pipeline/interchanges/context.ts'
import { runInterchanges } from '../pipeline/interchanges/interchange-pass.ts'
import { runInbox } from './run-inbox.ts'
import { createReaderFinder, hasNothingToDo, reportIdlePass, runRoute } from './run-route.ts'
import type { ScheduleMode } from './scheduled-runs.ts'

export interface RunOptions {
  /** How the run treats schedules; `now` when left out. */
  readonly scheduleMode?: ScheduleMode
  /** The run begins nothing new after this time, in milliseconds since 1970. */
  readonly until?: number
  /** The run sends no more records than this. */
  readonly maxRecords?: number
  /** How the run treats a route that another bridge is working on; `fail` when left out. */
  readonly ifBusy?: 'fail' | 'skip' | { readonly waitAtMostMs: number }
}

/** Failures of a route are results. Throws for unknown routes. */
export async function runRoutes(
  context: BridgeContext,
  names: readonly string[],
  signal: AbortSignal,
  options: RunOptions,
): Promise<RunResult> {
  const { journal, configuration } = context
  const chosen = selectRoutes(configuration, names)
  const budget = { left: options.maxRecords ?? Infinity, isUsedUp: false }
  const limited =
    options.maxRecords === undefined ? context : { ...context, journal: limitRecords(journal, budget) }
  const inboxes = selectInboxes(configuration, chosen)
  const taken = await runInboxes(limited, inboxes, signal, options)
  const ofRoutes = await runChosenRoutes(limited, chosen, signal, options)
  const results = [...(await finishInboxes(limited, taken, signal)), ...ofRoutes]
  const stranded = await findStrandedRoutes(journal, configuration)
  const retention = await applyRetention(context, signal)
  const keys = new Set(results.map(({ route }) => route))
  const mistyped = await findMistypedInboxes({ ...context, findReaders: createReaderFinder(context) }, keys)
  return {
    routes: results,
    stranded,
    exit: chooseExitCode(results, stranded, retention),
    ...(retention === undefined ? {} : { retention }),
    ...(mistyped.length === 0 ? {} : { mistyped }),
    ...describeLimit(options, budget, results),
  }
}

function describeLimit(
  { maxRecords }: RunOptions,
  { isUsedUp }: RecordBudget,
  results: readonly RouteResult[],
): Pick<RunResult, 'limit'> {
  if (maxRecords === undefined) return {}
  const isOpen = results
    .flatMap(listOutcomes)
    .some((done) => done.kind === 'inbound' && done.pass.open.length > 0)
  return { limit: { records: maxRecords, isReached: isUsedUp && isOpen } }
}

async function runChosenRoutes(
  context: BridgeContext,
  chosen: readonly Route[],
  signal: AbortSignal,
  options: RunOptions,
): Promise<RouteResult[]> {
  const now = context.options.clock.now()
  const found = options.scheduleMode === 'due' ? await findDueRoutes(context.journal, chosen, now) : undefined
  const { scheduleMode = 'now' } = options
  const due = found === undefined ? undefined : new Set(found.due)
  const idle = createIdleFinder(context, chosen, scheduleMode)
  const pauses = new Set((await context.journal.listPauses()).map(({ route }) => route))
  const results: RouteResult[] = []
  for (const [index, route] of chosen.entries()) {
    const nextAt = found?.nextAt.get(route.name)
    const run = () => runRoute(context, route, signal, { scheduleMode })
    if (due !== undefined && !due.has(route)) {
      results.push({ kind: 'idle', route: route.name, scheduledRuns: omitUndefined({ nextAt }) })
    } else if (pauses.has(route.name)) {
      results.push(await run())
    } else if (!signal.aborted && (await idle.isIdle(index))) {
      results.push(reportIdlePass(context, route))
    } else {
      results.push(await runWhenFree(context, { name: route.name, run }, signal, options))
      // What it did may be work for the next ones, such as a file in their inbox.
      idle.reset()
    }
  }
  return results
}

/** So many routes are checked together: folders of shares answer slowly. */
const LOOK_AHEAD = 32

/** Finds routes with nothing to do, some ahead of their turn. Nothing happens between as long as all of them are idle. */
function createIdleFinder(context: BridgeContext, routes: readonly Route[], mode: ScheduleMode) {
  let known: readonly boolean[] = []
  let from = 0
  return {
    isIdle: async (index: number): Promise<boolean> => {
      if (index < from || index >= from + known.length) {
        const next = routes.slice(index, index + LOOK_AHEAD)
        known = await Promise.all(next.map((route) => hasNothingToDo(context, route, mode)))
        from = index
      }
      return known[index - from] === true
    },
    reset: () => {
      known = []
    },
  }
}

/** How often a waiting run checks whether a route is free. */
const LEASE_POLL_MS = 1000

/** With a waiting time, waits until the lease owner is gone; two waiting bridges take the route one after the other. */
async function runWhenFree(
  { journal, options }: BridgeContext,
  { name, run }: { readonly name: string; readonly run: () => Promise<RouteResult> },
  signal: AbortSignal,
  { ifBusy = 'fail' }: RunOptions,
): Promise<RouteResult> {
  const waitMs = typeof ifBusy === 'object' ? ifBusy.waitAtMostMs : 0
  const giveUpAt = options.clock.now() + waitMs
  for (;;) {
    while (!signal.aborted && options.clock.now() < giveUpAt) {
      const held = await journal.getLeaseOwner(name)
      if (held === undefined || !isOwnerAlive(held.owner)) break
      await options.clock.sleep(Math.min(LEASE_POLL_MS, giveUpAt - options.clock.now()), signal)
    }
    const result = await run()
    if (!hasFailedWith('lease-held', result)) return result
    if (ifBusy === 'skip') return { kind: 'busy', route: name, why: result.failure.message }
    if (signal.aborted || options.clock.now() >= giveUpAt) return result
  }
}

// Inboxes of interchanges give their files to routes, which run after them; then their files are finished.

/** The inboxes of interchanges that feed the routes. The answers to interchanges that are sent may come to any of them. */
export function selectInboxes({ edi }: Configuration, chosen: readonly Route[]): readonly InterchangeInbox[] {
  const names = new Set(
    chosen.flatMap((route) => (route.direction === 'inbound' ? (route.from.interchanges?.inbox ?? []) : [])),
  )
  const isAnswered = chosen.some((route) => route.direction === 'outbound' && route.partner !== undefined)
  return (edi?.inboxes ?? []).filter(({ name }) => isAnswered || names.has(name))
}

interface InboxRun {
  readonly inbox: InterchangeInbox
  readonly result: RouteResult
  /** The second pass does not try again what was down in the first one. */
  readonly placeBackoff: PlaceBackoff
}

async function runInboxes(
  context: BridgeContext,
  inboxes: readonly InterchangeInbox[],
  signal: AbortSignal,
  options: RunOptions,
): Promise<InboxRun[]> {
  const runs: InboxRun[] = []
  for (const inbox of inboxes) {
    const placeBackoff = createPlaceBackoff(context.options.clock)
    const run = () =>
      runInbox(context, inbox, signal, (own, progress) => runInterchanges({ ...own, placeBackoff }, progress))
    const result = await runWhenFree(context, { name: inbox.key, run }, signal, options)
    runs.push({ inbox, result, placeBackoff })
  }
  return runs
}

/** Files that waited for their routes are answered, reported and archived, also beside one whose answer failed. */
async function finishInboxes(
  context: BridgeContext,
  runs: readonly InboxRun[],
  signal: AbortSignal,
): Promise<RouteResult[]> {
  const results: RouteResult[] = []
  for (const { inbox, result, placeBackoff } of runs) {
    const isFatal = result.kind === 'failed' && hasCode(result.failure, ...INBOX_FATAL)
    const isOpen = listOutcomes(result).some(
      (done) => done.kind === 'interchanges' && done.pass.open.length > 0,
    )
    if (!isOpen || isFatal || signal.aborted) {
      results.push(result)
      continue
    }
    const finishing = await runInbox(context, inbox, signal, (own, progress) =>
      runInterchanges({ ...own, placeBackoff, onlyUnfinished: true }, progress),
    )
    results.push(joinInboxResults(result, finishing))
  }
  return results
}

/** Two passes over one inbox as one. What failed in the first one failed, although the second one may have mended it. */
export function joinInboxResults(first: RouteResult, second: RouteResult): RouteResult {
  const failed = [second, first].find((each) => each.kind === 'failed')
  const passes = [first, second]
    .flatMap(listOutcomes)
    .flatMap((done) => (done.kind === 'interchanges' ? [done.pass] : []))
  const last = passes.at(-1)
  if (last === undefined) return failed ?? first
  const reported = passes.flatMap((pass) => pass.reported)
  const answers = passes.flatMap((pass) => pass.answers)
  const done = { kind: 'interchanges', pass: { ...last, reported, answers } } as const
  return failed === undefined ? { ...done, route: first.route } : { ...failed, done }
}

type FailedRoute = Extract<RouteResult, { kind: 'failed' }>

function hasFailedWith(code: FailureCode, result: RouteResult): result is FailedRoute {
  return result.kind === 'failed' && result.failure.code === code
}

/** Routes that were renamed or removed while they had unfinished work. */
async function findStrandedRoutes(journal: Journal, configuration: Configuration): Promise<string[]> {
  const configured = new Set(listWorkNames(configuration))
  return (await journal.listUnfinishedRoutes()).filter((route) => !configured.has(route))
}

/** Timers of the platform count to 24 days. */
const SLEEP_MS_MAX = 2 ** 31 - 1

/** The signal also fires at the given time; then routes fail with `time-over`, and a later run continues. */
export async function runWithDeadline(
  { until }: RunOptions,
  clock: Clock,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<RunResult>,
): Promise<RunResult> {
  if (until === undefined) return work(signal)
  const time = new AbortController()
  const finished = new AbortController()
  const either = AbortSignal.any([signal, time.signal])
  const left = until - clock.now()
  if (left <= 0) time.abort()
  else {
    const ended = AbortSignal.any([signal, finished.signal])
    void clock.sleep(Math.min(left, SLEEP_MS_MAX), ended).then(() => {
      if (!ended.aborted) time.abort()
    })
  }
  try {
    const result = await work(either)
    const when = left <= 0 ? `before it began, at ${isoTime(until)}` : `at ${isoTime(until)}`
    return signal.aborted ? result : markTimeOver(result, when)
  } finally {
    finished.abort()
  }
}

function markTimeOver(result: RunResult, when: string): RunResult {
  const routes = result.routes.map((route): RouteResult => {
    if (!hasFailedWith('interrupted', route)) return route
    const message = `the time given for the run was over ${when}; the work is kept`
    return { ...route, failure: new BridgeError('time-over', message) }
  })
  return { ...result, routes, exit: chooseExitCode(routes, result.stranded, result.retention) }
}

// Limits how many records a run may send: the journal starts no more attempts than that.

interface RecordBudget {
  left: number
  /** The run would have sent more. */
  isUsedUp: boolean
}

/** Deliveries and acknowledgements do not count: the file of a delivery already contains its records. */
function limitRecords(journal: Journal, budget: RecordBudget): Journal {
  return {
    ...journal,
    startAttempts: async (lease, work, limit, before = {}) => {
      if (!('file' in work)) return journal.startAttempts(lease, work, limit, before)
      const { ended = [], added = [] } = before
      if (budget.left > 0) {
        const begun = await journal.startAttempts(lease, work, Math.min(limit, budget.left), before)
        budget.left -= begun.length
        return begun
      }
      budget.isUsedUp = true
      if (ended.length > 0) await journal.finishAttempts(lease, ended)
      if (added.length > 0) await journal.addRecords(lease, work.file, added)
      return []
    },
  }
}
