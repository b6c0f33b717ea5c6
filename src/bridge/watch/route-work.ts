/** The passes over one route in a watch: one at a time, with pauses after failures, each told once. */
import type { Route } from '../../config/configuration.ts'
import { elapsed } from '../../support/clock.ts'
import { type BridgeError, type FailureCode, hasCode } from '../../support/errors.ts'
import type { RouteResult } from '../outcome.ts'
import { runRoute, type RouteWork } from '../run-route.ts'
import type { Workshop } from '../workshop.ts'
import { asFailure } from './failure.ts'
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

export function createWorker(parts: WatchParts, route: Route): RouteWorker {
  const { shop, signal, turnstile, passed } = parts
  const { clock, random, notify } = shop.options
  const troubles = createTroubles(parts, route)
  let passing: Promise<void> | undefined
  let unfinished: { readonly times: number; readonly retryAt: number } | undefined
  let wentWellAt = -Infinity

  const tellIdle = () => {
    if (troubles.isTroubled() || elapsed(clock) - wentWellAt < IDLE_TOLD_MS) return
    wentWellAt = elapsed(clock)
    notify({ kind: 'pass-ended', route: route.name, ms: 0 })
  }
  const pass = async (work: RouteWork) => {
    const result = await turnstile.through(() => runRoute(shop, route, signal, work))
    wentWellAt = result.kind === 'failed' ? -Infinity : elapsed(clock)
    if (result.kind === 'failed') troubles.add(result.failure, false)
    else troubles.over()
    const isProgress = cameToSomething(result)
    if (unfinished !== undefined) {
      const times = isProgress ? 1 : unfinished.times + 1
      unfinished = { times, retryAt: elapsed(clock) + pauseAfter(times, random) }
    }
    if (isProgress) passed(result)
  }
  return {
    maybeBegin(isReady, work, done) {
      if (passing !== undefined || signal.aborted || troubles.pauseMs() > 0) return
      const isDue = unfinished !== undefined && unfinished.retryAt <= elapsed(clock)
      if (!isReady && !isDue) {
        if (unfinished === undefined) tellIdle()
        return
      }
      passing = pass(work)
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
    lookFailed(failure, ms) {
      troubles.add(failure, true)
      if (failure.code === 'interrupted') return
      wentWellAt = -Infinity
      notify({ kind: 'pass-ended', route: route.name, ms, failure: failure.code })
    },
    lookWentWell: () => troubles.overForLooks(),
    noteUnfinished(isUnfinished) {
      if (!isUnfinished) unfinished = undefined
      else unfinished ??= { times: 0, retryAt: elapsed(clock) }
    },
    idle: async () => passing,
  }
}

/** What goes wrong with a route, told when it begins, when it becomes something else, and when it is over. */
function createTroubles({ shop, giveUp }: WatchParts, { name }: Route) {
  const { clock, random, notify } = shop.options
  let trouble: Trouble | undefined
  let pausedUntil = -Infinity
  const over = () => {
    if (trouble !== undefined) notify({ kind: 'route-recovered', route: name })
    trouble = undefined
    pausedUntil = -Infinity
  }
  return {
    add(failure: BridgeError, isOfLook: boolean) {
      const { code, message } = failure
      if (code === 'interrupted') return
      if (hasCode(failure, ...HOPELESS)) return giveUp(failure)
      if (hasCode(failure, ...OTHERS_AT_WORK)) {
        pausedUntil = elapsed(clock) + pauseAfter(1, random)
        return
      }
      if (trouble?.code !== code) notify({ kind: 'route-failed', route: name, code, message })
      trouble = { code, isOfLook, times: (trouble?.times ?? 0) + 1 }
      // Looks go on as they are: nothing else finds out when a folder is there again.
      if (!isOfLook) pausedUntil = elapsed(clock) + pauseAfter(trouble.times, random)
    },
    over,
    overForLooks() {
      if (trouble?.isOfLook === true) over()
    },
    isTroubled: () => trouble !== undefined,
    pauseMs: () => Math.max(0, pausedUntil - elapsed(clock)),
  }
}

function cameToSomething(result: RouteResult): boolean {
  switch (result.kind) {
    case 'failed':
      return true
    case 'idle':
      return false
    case 'inbound':
      return result.pass.reported.length > 0
    case 'outbound':
      return result.pass.deliveries.length > 0 || result.pass.held > 0
  }
}
