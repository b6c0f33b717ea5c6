/** `dropbridge watch`: runs every route whenever it has something to do, until a signal arrives. */
import { setMaxListeners } from 'node:events'
import { buildInboxKey } from '../../config/edi.ts'
import { type InboundRoute, type Route, selectRoutes } from '../../config/routes.ts'
import { WATCH_DEFAULTS } from '../../config/schedule.ts'
import { classifyWatches, createOwnerId, sendHeartbeats } from '../../journal/heartbeat.ts'
import { findNextRunAt, getEffectiveSchedule } from '../../schedule/schedule.ts'
import { createSemaphore, createWakeableTimer } from '../../support/async.ts'
import { elapsed, DAY_MS } from '../../support/clock.ts'
import type { BridgeError } from '../../support/errors.ts'
import type { BridgeContext } from '../context.ts'
import { applyRetention, type RetentionResult, type RouteResult, toBridgeError } from '../outcome.ts'
import { runInbound } from '../../pipeline/inbound/inbound.ts'
import { createFileBackoff } from '../../pipeline/inbound/file-tracker.ts'
import { watchInterchanges, watchRouteInbox } from './inbox-watch.ts'
import { selectInboxes } from '../run.ts'
import { type RouteWork, runRoute } from '../run-route.ts'
import {
  type ContinuedWatch,
  finishReload,
  type LoadedBridge,
  type ReadBridge,
  type ReloadSignal,
  waitForReload,
} from './reload.ts'
import { createRouteWorker, createWakers, type RouteWorker, type WatchContext } from './route-worker.ts'

export interface WatchHooks {
  /** Fires when the watch must end: work in flight is finished first. */
  readonly signal: AbortSignal
  /** Called after each pass with activity, failures too. */
  readonly onResult?: (result: RouteResult) => void
  /** Called after old contents were pruned, once a day. */
  readonly onPruned?: (retention: RetentionResult) => void
  /** The signals that ask for a reload; requests in the journal count all the same. */
  readonly reloads?: ReloadSignal
  /** The watch before a reload, whose place in the journal this one takes. */
  readonly continued?: ContinuedWatch
}

/** What takes the place of the configuration and mappings of a watch that ended for a reload. */
export interface Reload {
  readonly loaded: LoadedBridge
  /** What the watch worked with, in case that what was loaded cannot be opened. */
  readonly before: LoadedBridge
  readonly continued: ContinuedWatch
}

/**
 * Resolves after the signal, when no work is in flight any more; or between files with what was loaded, when a reload was
 * asked for. Throws when no route can continue.
 */
export async function watchRoutes(
  context: BridgeContext,
  names: readonly string[],
  { signal, onResult = () => undefined, onPruned = () => undefined, reloads, continued }: WatchHooks,
): Promise<Reload | undefined> {
  const { configuration, options, journal } = context
  const chosen = selectRoutes(configuration, names)
  await context.loadMappings()
  const { atOnce, scanMs } = configuration.watch ?? WATCH_DEFAULTS
  const stop = new AbortController()
  const ending = new AbortController()
  for (const each of [stop, ending]) setMaxListeners(0, each.signal) // every wait of every route listens
  const end = () => {
    stop.abort()
    ending.abort()
  }
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  let fatal: BridgeError | undefined
  const parts: WatchContext = {
    context,
    signal: stop.signal,
    ending: ending.signal,
    semaphore: createSemaphore(atOnce),
    onResult,
    wakers: createWakers(),
    abortWatch: (failure) => {
      fatal ??= failure
      end()
    },
  }
  const owner = continued?.owner ?? createOwnerId(options.newId())
  const routes = chosen.map(({ name }) => name)
  // A failed read does not end the watch: the passes report it.
  const known = await journal.listWatchers().catch(() => [])
  const watches = classifyWatches(known, options.clock.now()).alive.filter((each) => each.owner !== owner)
  const others = watches.filter((watch) => watch.routes.some((name) => routes.includes(name))).length
  options.notify({ kind: 'watch-started', routes: routes.length, scanMs, ...(others > 0 && { others }) })
  let read: ReadBridge | undefined
  const reload = async () => {
    if (configuration.source === undefined) return
    read = await waitForReload({
      context,
      owner,
      names,
      signal: ending.signal,
      ...(reloads && { reloads }),
    })
    if (read !== undefined) ending.abort()
  }
  // Before the first look for a request: the one that led here would be seen again.
  if (continued !== undefined) await finishReload(context, continued, routes)
  // A file may take long after the watch was asked to end or reload, and until then the watch is there.
  const gone = new AbortController()
  const heartbeats = sendHeartbeats({ journal, clock: options.clock, owner, routes, signal: gone.signal })
  const loops = [
    ...chosen.map((route) => watchRoute(parts, route)),
    ...selectInboxes(configuration, chosen).map((inbox) => watchInterchanges(parts, inbox)),
    pruneDaily(context, ending.signal, onPruned),
    reload(),
  ]
  let continues = false
  try {
    await Promise.all(loops)
    continues = read !== undefined && fatal === undefined && !signal.aborted
  } finally {
    end()
    gone.abort()
    await Promise.allSettled([...loops, heartbeats])
    signal.removeEventListener('abort', end)
    // A watch that goes on with another configuration keeps its place, so that it is never missed.
    if (!continues) {
      await journal.removeWatchers([owner]).catch(() => undefined)
      options.notify({ kind: 'watch-stopped' })
    }
  }
  if (fatal !== undefined) throw fatal
  if (read === undefined || !continues) return undefined
  const { loaded, startedAt: reloadedAt } = read
  const before = { configuration, mappings: context.mappings }
  return { loaded, before, continued: { owner, routes, reloadedAt } }
}

/** Only an inbox without a schedule is scanned; a route of an inbox of interchanges is woken by it; others follow the clock. */
function watchRoute(context: WatchContext, route: Route): Promise<void> {
  if (route.direction === 'outbound' || getEffectiveSchedule(route) !== 'always')
    return watchSchedule(context, route)
  return route.from.interchanges === undefined
    ? watchRouteInbox(context, route)
    : watchParts(context, route, route.from.interchanges.inbox)
}

/** Parts come from an inbox; another bridge may have given them. */
async function watchParts(parts: WatchContext, route: InboundRoute, inbox: string): Promise<void> {
  const { context, ending, wakers } = parts
  const { configuration, options, journal } = context
  const { scanMs } = configuration.watch ?? WATCH_DEFAULTS
  const timer = createWakeableTimer(options.clock, ending)
  const backoff = createFileBackoff()
  const listStates = async () => {
    const files = await journal.listUnfinishedFiles(route.name).catch(() => undefined)
    return files?.map(({ id, state }) => `${id} ${state}`).join()
  }
  const run = async (work: RouteWork) => {
    const before = await listStates()
    const result = await runRoute(context, route, parts.signal, work)
    // The inbox answers when a part is planned, and finishes the file when it is closed.
    if ((await listStates()) !== before) wakers.wake(buildInboxKey(inbox))
    return result
  }
  const worker = createRouteWorker(parts, { name: route.name, run }, backoff)
  wakers.add(route.name, () => {
    worker.resume()
    timer.wake()
  })
  const work: RouteWork = {
    scheduleMode: 'due',
    inbound: (own, progress) => runInbound({ ...own, fileBackoff: backoff, endsAfterFile: ending }, progress),
  }
  while (!ending.aborted) {
    const began = elapsed(options.clock)
    try {
      if (!worker.isBusy()) worker.setUnfinished((await journal.listUnfinishedRoutes()).includes(route.name))
      worker.reportScanSuccess()
    } catch (error) {
      worker.reportScanFailure(toBridgeError(error), elapsed(options.clock) - began)
    }
    worker.startIfDue(false, work, timer.wake)
    await timer.wait(worker.isBusy() ? scanMs : Math.min(scanMs, worker.dueInMs() ?? scanMs))
  }
  await worker.waitUntilIdle()
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
  const { ending, context, signal, wakers } = parts
  const timer = createWakeableTimer(context.options.clock, ending)
  const run = (work: RouteWork) => runRoute(context, route, signal, work)
  const worker = createRouteWorker(parts, { name: route.name, run })
  // A partner answered what the route sent: its records need not wait for the next run.
  wakers.add(route.name, () => {
    worker.resume()
    timer.wake()
  })
  while (!ending.aborted) {
    const runInMs = worker.isBusy() ? CLOCK_CHECK_MS : await checkSchedule(context, route, worker)
    if (runInMs !== undefined) worker.startIfDue(runInMs <= 0, { scheduleMode: 'due' }, timer.wake)
    await timer.wait(computeWait(worker, runInMs))
    // Timers, signals and the other routes run before this route runs again, whatever its schedule says.
    await context.options.clock.sleep(PASS_GAP_MS, ending)
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
