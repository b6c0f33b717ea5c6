/** The passes over one route in a watch: one at a time, with pauses after failures, each told once. */
import type { Route } from '../../config/routes.ts'
import { elapsed } from '../../support/clock.ts'
import { type BridgeError, type FailureCode, hasCode } from '../../support/errors.ts'
import type { Setbacks } from '../../pipelines/inbound/setbacks.ts'
import type { RouteResult } from '../outcome.ts'
import { runRoute, type RouteWork } from '../run-route.ts'
import type { Workshop } from '../workshop.ts'
import { asFailure, inFull } from '../failure.ts'
import { HOPELESS, OTHERS_AT_WORK, pauseAfter } from './patience.ts'
import type { Turnstile } from './turnstile.ts'

export interface WatchParts {
  readonly shop: Workshop
  /** Fires when the watch is to end. */
  readonly signal: AbortSignal
  readonly turnstile: Turnstile
  /** Called after each pass that came to something. */
  readonly passed: (result: RouteResult) => void
  /** Ends the whole watch. */
  readonly giveUp: (failure: BridgeError) => void
}

export interface RouteWorker {
  /** Begins a pass when there is reason to: something is ready, or unfinished work is due. `done` is called at its end. */
  maybeBegin(isReady: boolean, work: RouteWork, done: () => void): void
  isBusy(): boolean
  /** How long until something may be begun that only waits for its time; undefined when nothing does. */
  dueInMs(): number | undefined
  /** The route could not even be looked at, which took so long: a pass that failed. In words it is told once. */
  lookFailed(failure: BridgeError, ms: number): void
  lookWentWell(): void
  /** Work that anybody left unfinished is taken up at once, and then with patience. */
  noteUnfinished(isUnfinished: boolean): void
  /** Resolves when no pass is under way. */
  idle(): Promise<void>
}

interface Trouble {
  readonly code: FailureCode
  readonly times: number
  readonly isOfLook: boolean
}

/** A look that finds nothing to do is a pass that went well; it is told as one so often, and not at every look. */
const IDLE_TOLD_MS = 60_000

/** `setbacks`: of files that failed on their own; they are tried again by and by, and what comes meanwhile at once. */
export function createWorker(parts: WatchParts, route: Route, setbacks?: Setbacks): RouteWorker {
  const { shop, signal, turnstile, passed } = parts
  const { clock, random } = shop.options
  const troubles = createTroubles(parts, route)
  let passing: Promise<void> | undefined
  let unfinished: { readonly times: number; readonly retryAt: number } | undefined

  const pass = async (work: RouteWork, isForAll: boolean) => {
    if (isForAll) setbacks?.clear()
    const result = await turnstile.through(() => runRoute(shop, route, signal, work))
    const isOfFile = result.kind === 'failed' && isOfSingleFile(result.failure, setbacks)
    if (result.kind !== 'failed') troubles.over()
    else troubles.add(result.failure, isOfFile ? 'file' : 'pass')
    const isProgress = cameToSomething(result)
    if (isOfFile ? isForAll || unfinished === undefined : unfinished !== undefined) {
      const times = isProgress && !isOfFile ? 1 : (unfinished?.times ?? 0) + 1
      unfinished = { times, retryAt: elapsed(clock) + pauseAfter(times, random) }
    }
    if (isProgress) passed(result)
  }
  return {
    maybeBegin(isReady, work, done) {
      if (passing !== undefined || signal.aborted || troubles.pauseMs() > 0) return
      const isDue = unfinished !== undefined && unfinished.retryAt <= elapsed(clock)
      if (!isReady && !isDue) {
        // An inbox was looked into; of a schedule only the clock was asked.
        if (unfinished === undefined) troubles.noneWhileIdle(setbacks !== undefined)
        return
      }
      passing = pass(work, isDue)
        .catch((error: unknown) => parts.giveUp(asFailure(error)))
        .finally(() => {
          passing = undefined
          done()
        })
    },
    isBusy: () => passing !== undefined,
    dueInMs() {
      const pause = troubles.pauseMs()
      if (unfinished === undefined) return pause > 0 ? pause : undefined
      return Math.max(pause, unfinished.retryAt - elapsed(clock), 0)
    },
    lookFailed: (failure, ms) => troubles.addOfLook(failure, ms),
    lookWentWell: () => troubles.overForLooks(),
    noteUnfinished(isUnfinished) {
      if (!isUnfinished) {
        unfinished = undefined
        setbacks?.clear()
      } else unfinished ??= { times: 0, retryAt: elapsed(clock) }
    },
    idle: async () => passing,
  }
}

/** What goes wrong with a route, told when it begins, when it becomes something else, and when it is over. */
function createTroubles({ shop, giveUp }: WatchParts, { name }: Route) {
  const { clock, random, notify } = shop.options
  let trouble: Trouble | undefined
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
    if (hasCode(failure, ...HOPELESS)) return giveUp(failure)
    if (hasCode(failure, ...OTHERS_AT_WORK)) {
      pausedUntil = elapsed(clock) + pauseAfter(1, random)
      return
    }
    if (trouble?.code !== code) {
      notify({ kind: 'route-failed', route: name, code, message: inFull(failure) })
    }
    trouble = { code, isOfLook: of === 'look', times: (trouble?.times ?? 0) + 1 }
    // Looks go on as they are: nothing else finds out when a folder is there again. One file keeps no others waiting.
    if (of === 'pass') pausedUntil = elapsed(clock) + pauseAfter(trouble.times, random)
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
      if (trouble?.isOfLook === true) over()
    },
    /** There is nothing to do, and nothing is wrong. */
    noneWhileIdle(isTried: boolean) {
      if (trouble !== undefined || elapsed(clock) - wentWellAt < IDLE_TOLD_MS) return
      wentWellAt = elapsed(clock)
      notify({ kind: 'pass-ended', route: name, ms: 0, ...(isTried ? {} : { idle: true }) })
    },
    pauseMs: () => Math.max(0, pausedUntil - elapsed(clock)),
  }
}

function isOfSingleFile(failure: BridgeError, setbacks: Setbacks | undefined): boolean {
  return setbacks?.isOfFile(failure) === true || setbacks?.isOfFile(failure.cause) === true
}

function cameToSomething(result: RouteResult): boolean {
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
