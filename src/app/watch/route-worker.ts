/** Runs the passes over one route in a watch, with pauses after failures. Each failure is reported once. */
import type { FileBackoff } from '../../pipeline/inbound/file-tracker.ts'
import type { Semaphore } from '../../support/async.ts'
import { elapsed } from '../../support/clock.ts'
import { type BridgeError, type FailureCode, hasCode } from '../../support/errors.ts'
import type { BridgeContext } from '../context.ts'
import { fullMessage, type RouteResult, toBridgeError } from '../outcome.ts'

export interface WatchContext {
  readonly context: BridgeContext
  /** Fires when the watch must stop: passes end between two records. */
  readonly signal: AbortSignal
  /** Fires when the watch must stop or reload: no pass begins, and one that runs ends after its file. */
  readonly ending: AbortSignal
  readonly semaphore: Semaphore
  /** Called after each pass with activity. */
  readonly onResult: (result: RouteResult) => void
  /** Ends the whole watch. */
  readonly abortWatch: (failure: BridgeError) => void
  /** Inboxes of interchanges and their routes wait for each other. */
  readonly wakers: Wakers
}

/** Wakes the watch of a route or inbox by its name. */
export interface Wakers {
  readonly add: (name: string, wake: () => void) => void
  readonly wake: (name: string) => void
}

export function createWakers(): Wakers {
  const known = new Map<string, () => void>()
  return {
    add: (name, wake) => void known.set(name, wake),
    wake: (name) => known.get(name)?.(),
  }
}

/** A route, or an inbox of interchanges, and how a pass over it runs. */
export interface WatchedWork<Work> {
  readonly name: string
  readonly run: (work: Work) => Promise<RouteResult>
}

export type RouteWorker = Omit<ReturnType<typeof createRouteWorker<unknown>>, 'startIfDue'>

/** A scan that finds nothing counts as a successful pass; it is reported at this interval, and not each time. */
const IDLE_REPORT_MS = 60_000

/** A person may resume a route at any time. */
const PAUSE_CHECK_MS = 5_000

/** `backoff`: the files that failed on their own. They are tried again with growing pauses; new files at once. */
export function createRouteWorker<Work>(
  parts: WatchContext,
  { name, run }: WatchedWork<Work>,
  backoff?: FileBackoff,
) {
  const { context, ending, semaphore, onResult } = parts
  const { clock, random } = context.options
  const failures = createFailureTracker(parts, name)
  let passing: Promise<void> | undefined
  let unfinished: { readonly times: number; readonly retryAt: number } | undefined
  let restsUntil = -Infinity
  const restMs = () => Math.max(0, failures.pauseMs(), restsUntil - elapsed(clock))
  /** What it waited for happened while it ran, perhaps too late for this pass. */
  let isResumed = false

  const pass = async (work: Work, isForAll: boolean) => {
    if (isForAll) backoff?.clear()
    const result = await semaphore.run(() => run(work))
    if (result.kind === 'paused') {
      restsUntil = elapsed(clock) + Math.min(PAUSE_CHECK_MS, Math.max(0, result.pause.until - clock.now()))
      return
    }
    const isOfFile = result.kind === 'failed' && isSingleFileFailure(result.failure, backoff)
    if (result.kind !== 'failed') failures.clear()
    else failures.add(result.failure, isOfFile ? 'file' : 'pass')
    const isProgress = hasActivity(result)
    if (isOfFile ? isForAll || unfinished === undefined : unfinished !== undefined) {
      const times = isProgress && !isOfFile ? 1 : (unfinished?.times ?? 0) + 1
      unfinished = { times, retryAt: elapsed(clock) + computeBackoff(times, random) }
    }
    if (isResumed && unfinished !== undefined) unfinished = { times: 0, retryAt: elapsed(clock) }
    isResumed = false
    if (isProgress) onResult(result)
  }
  return {
    /** Begins a pass when something is ready, or unfinished work is due. Calls `done` at its end. */
    startIfDue(isReady: boolean, work: Work, done: () => void): void {
      if (passing !== undefined || ending.aborted || restMs() > 0) return
      const isDue = unfinished !== undefined && unfinished.retryAt <= elapsed(clock)
      if (!isReady && !isDue) {
        // An inbox was scanned; for a schedule only the time was checked.
        if (unfinished === undefined) failures.reportIdle(backoff !== undefined)
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
    /** How long until waiting work is due; undefined when nothing waits. */
    dueInMs(): number | undefined {
      const pause = restMs()
      if (unfinished === undefined) return pause > 0 ? pause : undefined
      return Math.max(pause, unfinished.retryAt - elapsed(clock), 0)
    },
    /** The scan failed after `ms`, which counts as a failed pass. The message is reported once. */
    reportScanFailure: (failure: BridgeError, ms: number) => failures.addScanFailure(failure, ms),
    reportScanSuccess: () => failures.clearScanFailure(),
    /** Unfinished work, whichever bridge left it, continues at once, and then with growing pauses. */
    setUnfinished(isUnfinished: boolean): void {
      if (!isUnfinished) {
        unfinished = undefined
        backoff?.clear()
      } else unfinished ??= { times: 0, retryAt: elapsed(clock) }
    },
    /** What unfinished work waited for has happened: it continues at once. */
    resume(): void {
      isResumed = passing !== undefined
      if (unfinished !== undefined) unfinished = { times: 0, retryAt: elapsed(clock) }
    },
    waitUntilIdle: async () => passing,
  }
}

/** Reports a failure of a route when it begins, when it becomes another one, and when it is over. */
function createFailureTracker({ context, abortWatch }: WatchContext, name: string) {
  const { clock, random, notify } = context.options
  let current:
    | {
        readonly code: FailureCode
        readonly words: string
        readonly times: number
        readonly isFromScan: boolean
      }
    | undefined
  let pausedUntil = -Infinity
  let succeededAt = -Infinity
  const clear = () => {
    if (current !== undefined) notify({ kind: 'route-recovered', route: name })
    current = undefined
    pausedUntil = -Infinity
  }
  const add = (failure: BridgeError, source: 'scan' | 'pass' | 'file') => {
    const { code, fix } = failure
    if (code === 'interrupted') return
    succeededAt = -Infinity
    if (hasCode(failure, ...WATCH_FATAL)) return abortWatch(failure)
    if (hasCode(failure, ...LEASE_CONFLICTS)) {
      pausedUntil = elapsed(clock) + computeBackoff(1, random)
      return
    }
    const message = fullMessage(failure)
    // Counts, times and ids in the message are no other failure, and a scan says of a folder what a pass says otherwise.
    const words = message.replace(/\S*\d\S*/g, '')
    const isOfPasses = source === 'pass' && current?.isFromScan === false
    if (current?.code !== code || (isOfPasses && current.words !== words))
      notify({ kind: 'route-failed', route: name, code, message, fix })
    current = { code, words, isFromScan: source === 'scan', times: (current?.times ?? 0) + 1 }
    // Scans continue as before: only they find out when a folder is back. One file does not delay the others.
    if (source === 'pass') pausedUntil = elapsed(clock) + computeBackoff(current.times, random)
  }
  return {
    add,
    addScanFailure(failure: BridgeError, ms: number) {
      add(failure, 'scan')
      const { code } = failure
      if (code !== 'interrupted') notify({ kind: 'pass-ended', route: name, ms, failure: code })
    },
    clear() {
      clear()
      succeededAt = elapsed(clock)
    },
    clearScanFailure() {
      if (current?.isFromScan === true) clear()
    },
    /** Nothing is due, and nothing is wrong. */
    reportIdle(isScan: boolean) {
      if (current !== undefined || elapsed(clock) - succeededAt < IDLE_REPORT_MS) return
      succeededAt = elapsed(clock)
      notify({ kind: 'pass-ended', route: name, ms: 0, ...(isScan ? {} : { idle: true }) })
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
    case 'paused':
      return false
    case 'inbound':
      return result.pass.reported.length > 0
    case 'interchanges':
      return result.pass.reported.length + result.pass.answers.length > 0
    case 'outbound':
      return (
        result.pass.deliveries.length > 0 || result.pass.held > 0 || result.pass.redeliveries !== undefined
      )
  }
}

// Backoff after failures and unfinished work.

const FIRST_PAUSE_MS = 5_000

const LONGEST_PAUSE_MS = 5 * 60_000

/** Doubles each time, within a quarter more or less, so that routes that failed together do not retry together. */
function computeBackoff(failures: number, random: () => number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 10)) * (0.75 + random() / 2)
}

/** Another bridge is at work; that is no failure, and over soon. */
const LEASE_CONFLICTS: FailureCode[] = ['lease-held', 'lease-lost', 'journal-busy']

/** With these no route can continue, and trying again is useless or harmful. */
const WATCH_FATAL: FailureCode[] = [
  'journal-damaged',
  'journal-newer',
  'journal-altered',
  'journal-older',
  'journal-missing',
]
