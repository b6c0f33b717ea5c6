/** One pass over the routes of a bridge, within the bounds that a scheduler sets: what is due, how long, how many. */
import type { Configuration } from '../config/configuration.ts'
import type { Route } from '../config/routes.ts'
import type { Journal } from '../domain/journal.ts'
import type { Clock } from '../support/clock.ts'
import { isoTime } from '../support/clock.ts'
import { BridgeError } from '../support/errors.ts'
import { isHolderAlive } from './holder.ts'
import { doneIn, exitOf, type RouteResult, type RunResult } from './outcome.ts'
import { limitedJournal, type RecordBudget } from './record-budget.ts'
import { applyRetention } from './retention.ts'
import { runRoute, type Workshop } from './run-route.ts'
import { dueRoutes } from './schedule/due-routes.ts'
import type { TurnMode } from './schedule/pass-turns.ts'

export interface RunOptions {
  /** What the schedules are to the run; `now` when left out. */
  readonly turns?: TurnMode
  /** From then on nothing new is begun, milliseconds. */
  readonly until?: number
  /** No more than so many records are sent. */
  readonly maxRecords?: number
  /** What is done about a route that another bridge is working on; `fail` when left out. */
  readonly ifBusy?: 'fail' | 'skip' | { readonly waitAtMostMs: number }
}

/** Failures of a route are results. Throws for routes that are not there. */
export async function runRoutes(
  shop: Workshop,
  names: readonly string[],
  signal: AbortSignal,
  options: RunOptions,
): Promise<RunResult> {
  const { journal, configuration } = shop
  const chosen = chosenRoutes(configuration, names)
  const budget = { left: options.maxRecords ?? Infinity, isUsedUp: false }
  const limited =
    options.maxRecords === undefined ? shop : { ...shop, journal: limitedJournal(journal, budget) }
  const results = await runEach(limited, chosen, signal, options)
  const stranded = await strandedRoutes(journal, configuration)
  const retention = await applyRetention(shop, signal)
  return {
    routes: results,
    stranded,
    exit: exitOf(results, stranded, retention),
    ...(retention === undefined ? {} : { retention }),
    ...limitOf(options, budget, results),
  }
}

function limitOf(
  { maxRecords }: RunOptions,
  { isUsedUp }: RecordBudget,
  results: readonly RouteResult[],
): Pick<RunResult, 'limit'> {
  if (maxRecords === undefined) return {}
  const isOpen = results.flatMap(doneIn).some((done) => done.kind === 'inbound' && done.pass.open.length > 0)
  return { limit: { records: maxRecords, isReached: isUsedUp && isOpen } }
}

async function runEach(
  shop: Workshop,
  chosen: readonly Route[],
  signal: AbortSignal,
  options: RunOptions,
): Promise<RouteResult[]> {
  const { clock } = shop.options
  const { turns = 'now' } = options
  const { due, nextAt } =
    turns === 'due'
      ? await dueRoutes(shop.journal, chosen, clock.now())
      : { due: chosen, nextAt: new Map<string, number>() }
  const results: RouteResult[] = []
  for (const route of chosen) {
    const at = nextAt.get(route.name)
    if (due.includes(route)) results.push(await runFree(shop, route, signal, options))
    else results.push({ kind: 'idle', route: route.name, turns: at === undefined ? {} : { nextAt: at } })
  }
  return results
}

/** How often it is looked whether a route is free. */
const LOOK_MS = 1000

/** Where it is to wait, the route is left alone until its holder is gone; two that wait take it one after the other. */
async function runFree(
  shop: Workshop,
  route: Route,
  signal: AbortSignal,
  { ifBusy = 'fail', turns = 'now' }: RunOptions,
): Promise<RouteResult> {
  const { journal, options } = shop
  const waitMs = typeof ifBusy === 'object' ? ifBusy.waitAtMostMs : 0
  const giveUpAt = options.clock.now() + waitMs
  for (;;) {
    await untilFree(journal, route, { clock: options.clock, signal, giveUpAt })
    const result = await runRoute(shop, route, signal, { turns })
    if (!isBusy(result)) return result
    if (ifBusy === 'skip') return { kind: 'busy', route: route.name, why: result.failure.message }
    if (signal.aborted || options.clock.now() >= giveUpAt) return result
  }
}

async function untilFree(
  journal: Journal,
  route: Route,
  {
    clock,
    signal,
    giveUpAt,
  }: { readonly clock: Clock; readonly signal: AbortSignal; readonly giveUpAt: number },
): Promise<void> {
  while (!signal.aborted && clock.now() < giveUpAt) {
    const held = await journal.holderOf(route.name)
    if (held === undefined || !isHolderAlive(held.holder)) return
    await clock.sleep(Math.min(LOOK_MS, giveUpAt - clock.now()), signal)
  }
}

function isBusy(result: RouteResult): result is Extract<RouteResult, { kind: 'failed' }> {
  return result.kind === 'failed' && result.failure.code === 'lease-held'
}

/** Routes that were renamed or removed while work of theirs was unfinished. */
export async function strandedRoutes(journal: Journal, { routes }: Configuration): Promise<string[]> {
  const configured = new Set(routes.map((route) => route.name))
  return (await journal.unfinishedRoutes()).filter((route) => !configured.has(route))
}

export function chosenRoutes({ routes }: Configuration, names: readonly string[]): readonly Route[] {
  const unknown = names.filter((name) => !routes.some((route) => route.name === name))
  if (unknown.length > 0) {
    const known = routes.map((route) => route.name).join(', ')
    throw new BridgeError(
      'usage-wrong',
      `there is no route "${unknown.join('", "')}"; the routes are ${known}`,
    )
  }
  return names.length === 0 ? routes : routes.filter((route) => names.includes(route.name))
}

/** Timers of the platform count to 24 days. */
const SLEEP_MS_MAX = 2 ** 31 - 1

/**
 * Runs `work` with a signal that fires at the given time too. What it stops then was not stopped by anybody: it says that its
 * time is over, which is a reason to go on later.
 */
export async function beforeTime(
  options: RunOptions,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<RunResult>,
): Promise<RunResult> {
  const { until } = options
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
    return signal.aborted ? result : withTimeOver(result, when)
  } finally {
    finished.abort()
  }
}

function withTimeOver(result: RunResult, when: string): RunResult {
  if (!result.routes.some(isInterrupted)) return result
  const routes = result.routes.map((route): RouteResult => {
    if (!isInterrupted(route)) return route
    const message = `the time given for the run was over ${when}; the work is kept`
    return { ...route, failure: new BridgeError('time-over', message) }
  })
  return { ...result, routes, exit: exitOf(routes, result.stranded, result.retention) }
}

function isInterrupted(result: RouteResult): result is Extract<RouteResult, { kind: 'failed' }> {
  return result.kind === 'failed' && result.failure.code === 'interrupted'
}
