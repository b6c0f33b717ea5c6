/** `dropbridge watch`: runs every route whenever it has something to do, until a signal arrives. */
import { setMaxListeners } from 'node:events'
import type { Route } from '../../config/routes.ts'
import { WATCH_DEFAULTS } from '../../config/schedule.ts'
import { classifyWatches, createOwnerId, sendHeartbeats } from '../../journal/heartbeat.ts'
import { findNextRunAt, getEffectiveSchedule } from '../../schedule/schedule.ts'
import { createSemaphore, createWakeableTimer } from '../../support/async.ts'
import { elapsed, DAY_MS } from '../../support/clock.ts'
import type { BridgeError } from '../../support/errors.ts'
import type { BridgeContext } from '../context.ts'
import { applyRetention, type RetentionResult, type RouteResult, toBridgeError } from '../outcome.ts'
import { watchInbox } from './inbox-watch.ts'
import { createRouteWorker, type RouteWorker, type WatchContext } from './route-worker.ts'

export interface WatchHooks {
  /** Fires when the watch must end: work in flight is finished first. */
  readonly signal: AbortSignal
  /** Called after each pass with activity, failures too. */
  readonly onResult?: (result: RouteResult) => void
  /** Called after old contents were pruned, once a day. */
  readonly onPruned?: (retention: RetentionResult) => void
}

/** Resolves after the signal, when no work is in flight any more. Throws when no route can continue. */
export async function watchRoutes(
  context: BridgeContext,
  routes: readonly Route[],
  { signal, onResult = () => undefined, onPruned = () => undefined }: WatchHooks,
): Promise<void> {
  const { configuration, options } = context
  const { atOnce, scanMs } = configuration.watch ?? WATCH_DEFAULTS
  const stop = new AbortController()
  setMaxListeners(0, stop.signal) // every wait of every route listens
  const end = () => stop.abort()
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  let fatal: BridgeError | undefined
  const parts: WatchContext = {
    context,
    signal: stop.signal,
    semaphore: createSemaphore(atOnce),
    onResult,
    abortWatch: (failure) => {
      fatal ??= failure
      end()
    },
  }
  const { journal } = context
  const here = { journal, clock: options.clock, owner: createOwnerId(options.newId()) }
  const names = routes.map(({ name }) => name)
  // A failed read does not end the watch: the passes report it.
  const known = await journal.listWatchers().catch(() => [])
  const watches = classifyWatches(known, options.clock.now()).alive
  const others = watches.filter((watch) => watch.routes.some((name) => names.includes(name))).length
  options.notify({ kind: 'watch-started', routes: routes.length, scanMs, ...(others > 0 && { others }) })
  const loops = [
    ...routes.map((route) => watchRoute(parts, route)),
    pruneDaily(context, stop.signal, onPruned),
    sendHeartbeats({ ...here, routes: names, signal: stop.signal }),
  ]
  try {
    await Promise.all(loops)
  } finally {
    end()
    await Promise.allSettled(loops)
    await journal.removeWatchers([here.owner]).catch(() => undefined)
    signal.removeEventListener('abort', end)
    options.notify({ kind: 'watch-stopped' })
  }
  if (fatal !== undefined) throw fatal
}

/** Only an inbox without a schedule is scanned; every other route follows the clock. */
function watchRoute(context: WatchContext, route: Route): Promise<void> {
  const isInbox = route.direction === 'inbound' && getEffectiveSchedule(route) === 'always'
  return isInbox ? watchInbox(context, route) : watchSchedule(context, route)
}

async function pruneDaily(
  context: BridgeContext,
  signal: AbortSignal,
  pruned: (retention: RetentionResult) => void,
): Promise<void> {
  const timer = createWakeableTimer(context.options.clock, signal)
  while (!signal.aborted) {
    const retention = await applyRetention(context, signal)
    if (retention !== undefined) pruned(retention)
    await timer.wait(DAY_MS)
  }
}

// Routes with a schedule, and exports: the clock decides.

/** The system clock may be set at any time, so no wait is longer than this. */
const CLOCK_CHECK_MS = 30_000

/** The pause between two passes, however soon the next one is due. */
const PASS_GAP_MS = 250

async function watchSchedule(parts: WatchContext, route: Route): Promise<void> {
  const { signal, context } = parts
  const timer = createWakeableTimer(context.options.clock, signal)
  const worker = createRouteWorker(parts, route)
  while (!signal.aborted) {
    const runInMs = worker.isBusy() ? CLOCK_CHECK_MS : await checkSchedule(context, route, worker)
    if (runInMs !== undefined) worker.startIfDue(runInMs <= 0, { scheduleMode: 'due' }, timer.wake)
    await timer.wait(computeWait(worker, runInMs))
    // Timers, signals and the other routes run before this route runs again, whatever its schedule says.
    await context.options.clock.sleep(PASS_GAP_MS, signal)
  }
  await worker.waitUntilIdle()
}

/** How long until the next run; undefined when the journal could not be read. */
async function checkSchedule(
  { journal, options }: WatchContext['context'],
  route: Route,
  worker: RouteWorker,
): Promise<number | undefined> {
  const began = elapsed(options.clock)
  try {
    const now = options.clock.now()
    const at = findNextRunAt(route, await journal.getKnownRuns(route.name), now)
    worker.setUnfinished((await journal.listUnfinishedRoutes()).includes(route.name))
    worker.reportScanSuccess()
    return at - now
  } catch (error) {
    worker.reportScanFailure(toBridgeError(error), elapsed(options.clock) - began)
    return undefined
  }
}

function computeWait(worker: RouteWorker, runInMs = CLOCK_CHECK_MS): number {
  if (worker.isBusy()) return CLOCK_CHECK_MS
  const run = runInMs > 0 ? runInMs : CLOCK_CHECK_MS
  return Math.min(CLOCK_CHECK_MS, run, worker.dueInMs() ?? CLOCK_CHECK_MS)
}
