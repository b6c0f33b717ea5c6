/**
 * Runs the passes over one route in a watch: one at a time, with pauses after failures. Each failure is
 * reported once.
 */
import type { Route } from '../../config/routes.ts'
import type { FileBackoff } from '../../pipeline/inbound/file-tracker.ts'
import type { Semaphore } from '../../support/async.ts'
import { elapsed } from '../../support/clock.ts'
import { type BridgeError, type FailureCode, hasCode } from '../../support/errors.ts'
import type { BridgeContext } from '../context.ts'
import { fullMessage, type RouteResult, toBridgeError } from '../outcome.ts'
import { type RouteWork, runRoute } from '../run-route.ts'

export interface WatchContext {
  readonly context: BridgeContext
  /** Fires when the watch is to end. */
  readonly signal: AbortSignal
  readonly semaphore: Semaphore
  /** Called after each pass that came to something. */
  readonly onResult: (result: RouteResult) => void
  /** Ends the whole watch. */
  readonly abortWatch: (failure: BridgeError) => void
}

export type RouteWorker = ReturnType<typeof createRouteWorker>

/** A look that finds nothing to do is a pass that went well; it is reported as one so often, and not at every look. */
const IDLE_REPORT_MS = 60_000

/** `backoff`: of files that failed on their own. They are tried again with growing pauses; new files at once. */
export function createRouteWorker(parts: WatchContext, route: Route, backoff?: FileBackoff) {
  const { context, signal, semaphore, onResult } = parts
  const { clock, random } = context.options
  const troubles = createFailureTracker(parts, route)
  let passing: Promise<void> | undefined
  let unfinished: { readonly times: number; readonly retryAt: number } | undefined

  const pass = async (work: RouteWork, isForAll: boolean) => {
    if (isForAll) backoff?.clear()
    const result = await semaphore.run(() => runRoute(context, route, signal, work))
    const isOfFile = result.kind === 'failed' && isSingleFileFailure(result.failure, backoff)
    if (result.kind !== 'failed') troubles.over()
    else troubles.add(result.failure, isOfFile ? 'file' : 'pass')
    const isProgress = hasActivity(result)
    if (isOfFile ? isForAll || unfinished === undefined : unfinished !== undefined) {
      const times = isProgress && !isOfFile ? 1 : (unfinished?.times ?? 0) + 1
      unfinished = { times, retryAt: elapsed(clock) + computeBackoff(times, random) }
    }
    if (isProgress) onResult(result)
  }
  return {
    /** Begins a pass when there is reason to: something is ready, or unfinished work is due. `done` is called at its end. */
    startIfDue(isReady: boolean, work: RouteWork, done: () => void): void {
      if (passing !== undefined || signal.aborted || troubles.pauseMs() > 0) return
      const isDue = unfinished !== undefined && unfinished.retryAt <= elapsed(clock)
      if (!isReady && !isDue) {
        // An inbox was looked into; of a schedule only the clock was asked.
        if (unfinished === undefined) troubles.noneWhileIdle(backoff !== undefined)
        return
      }
      passing = pass(work, isDue)
        .catch((error: unknown) => parts.abortWatch(toBridgeError(error)))
        .finally(() => {
          passing = undefined
          done()
        })
    },
    isBusy: () => passing !== undefined,
    /** How long until something may be begun that only waits for its time; undefined when nothing does. */
    dueInMs(): number | undefined {
      const pause = troubles.pauseMs()
      if (unfinished === undefined) return pause > 0 ? pause : undefined
      return Math.max(pause, unfinished.retryAt - elapsed(clock), 0)
    },
    /** The route could not even be looked at, which took so long: a pass that failed. In words it is reported once. */
    reportScanFailure: (failure: BridgeError, ms: number) => troubles.addOfLook(failure, ms),
    reportScanSuccess: () => troubles.overForLooks(),
    /** Work that anybody left unfinished is taken up at once, and then with patience. */
    setUnfinished(isUnfinished: boolean): void {
      if (!isUnfinished) {
        unfinished = undefined
        backoff?.clear()
      } else unfinished ??= { times: 0, retryAt: elapsed(clock) }
    },
    /** Resolves when no pass is under way. */
    waitUntilIdle: async () => passing,
  }
}

/** What goes wrong with a route, told when it begins, when it becomes something else, and when it is over. */
function createFailureTracker({ context, abortWatch }: WatchContext, { name }: Route) {
  const { clock, random, notify } = context.options
  let trouble:
    { readonly code: FailureCode; readonly times: number; readonly isFromScan: boolean } | undefined
  let pausedUntil = -Infinity
  let wentWellAt = -Infinity
  const over = () => {
    if (trouble !== undefined) notify({ kind: 'route-recovered', route: name })
    trouble = undefined
    pausedUntil = -Infinity
  }
  const add = (failure: BridgeError, of: 'look' | 'pass' | 'file') => {
    const { code } = failure
    if (code === 'interrupted') return
    wentWellAt = -Infinity
    if (hasCode(failure, ...WATCH_FATAL)) return abortWatch(failure)
    if (hasCode(failure, ...LEASE_CONFLICTS)) {
      pausedUntil = elapsed(clock) + computeBackoff(1, random)
      return
    }
    if (trouble?.code !== code) {
      notify({ kind: 'route-failed', route: name, code, message: fullMessage(failure) })
    }
    trouble = { code, isFromScan: of === 'look', times: (trouble?.times ?? 0) + 1 }
    // Looks go on as they are: nothing else finds out when a folder is there again. One file keeps no others waiting.
    if (of === 'pass') pausedUntil = elapsed(clock) + computeBackoff(trouble.times, random)
  }
  return {
    add,
    addOfLook(failure: BridgeError, ms: number) {
      add(failure, 'look')
      const { code } = failure
      if (code !== 'interrupted') notify({ kind: 'pass-ended', route: name, ms, failure: code })
    },
    over() {
      over()
      wentWellAt = elapsed(clock)
    },
    overForLooks() {
      if (trouble?.isFromScan === true) over()
    },
    /** There is nothing to do, and nothing is wrong. */
    noneWhileIdle(isTried: boolean) {
      if (trouble !== undefined || elapsed(clock) - wentWellAt < IDLE_REPORT_MS) return
      wentWellAt = elapsed(clock)
      notify({ kind: 'pass-ended', route: name, ms: 0, ...(isTried ? {} : { idle: true }) })
    },
    pauseMs: () => Math.max(0, pausedUntil - elapsed(clock)),
  }
}

function isSingleFileFailure(failure: BridgeError, backoff: FileBackoff | undefined): boolean {
  return backoff?.isFileFailure(failure) === true || backoff?.isFileFailure(failure.cause) === true
}

function hasActivity(result: RouteResult): boolean {
  switch (result.kind) {
    case 'failed':
      return true
    case 'idle':
    case 'busy':
      return false
    case 'inbound':
      return result.pass.reported.length > 0
    case 'outbound':
      return result.pass.deliveries.length > 0 || result.pass.held > 0
  }
}

// Backoff after failures and unfinished work.

const FIRST_PAUSE_MS = 5_000

const LONGEST_PAUSE_MS = 5 * 60_000

/** Twice as long each time, to a quarter more or less, so that routes that failed together do not try together. */
function computeBackoff(failures: number, random: () => number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 10)) * (0.75 + random() / 2)
}

/** Somebody else is at work; that is no failure, and over soon. */
const LEASE_CONFLICTS: FailureCode[] = ['lease-held', 'lease-lost', 'journal-busy']

/** With these nothing can go on, and trying again would do harm or nothing. */
const WATCH_FATAL: FailureCode[] = ['journal-damaged', 'journal-newer', 'journal-altered', 'journal-older']
