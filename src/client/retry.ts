/** Retries: how often, how long to wait in between, and when to stop because the host is down. */
import type { Clock } from '../support/clock.ts'
import type { Exchange } from './transport.ts'

export interface RetryLimits {
  /** Tries in all, the first one too. */
  readonly attempts: number
  /** The wait before the second try is at most this; each further one at most twice the one before, up to `maxMs`. */
  readonly baseMs: number
  readonly maxMs: number
  /** How long one call may continue after its first failure. */
  readonly budgetMs: number
}

export const DEFAULT_RETRY: RetryLimits = { attempts: 5, baseMs: 200, maxMs: 10_000, budgetMs: 30_000 }

/** Whether to retry after a result; `afterMs` is the shortest wait that the API asks for. */
export type RetryHint = { readonly afterMs?: number } | undefined

export interface RetryContext {
  readonly limits: RetryLimits
  readonly clock: Clock
  readonly random: () => number
  readonly host: HostHealth
  /** Ends the waiting and the retries. */
  readonly stop: AbortSignal
}

/** Repeats while `again` allows a retry and the limits allow it; returns the last result. An error of `attempt` ends it. */
export async function repeat<Result>(
  { limits, clock, random, host, stop }: RetryContext,
  attempt: () => Promise<Result>,
  again: (result: Result) => RetryHint,
): Promise<Result> {
  let result = await attempt()
  let wanted = again(result)
  if (wanted === undefined) return result
  const failedAt = clock.now()
  for (let tries = 1; tries < limits.attempts && wanted !== undefined; tries += 1) {
    // Full jitter, so that many callers do not retry at the same moment.
    const longestMs = Math.min(limits.maxMs, limits.baseMs * 2 ** (tries - 1))
    const waitMs = (wanted.afterMs ?? 0) + random() * longestMs
    if (clock.now() - failedAt + waitMs > limits.budgetMs || !host.takeRetry()) break
    await clock.sleep(waitMs, stop)
    if (stop.aborted) break
    result = await attempt()
    wanted = again(result)
  }
  return result
}

// The health of the API’s host, shared by all clients of one bridge.

interface HostLimits {
  /** After this many requests in a row without an answer of the API itself, … */
  readonly failures: number
  /** … over at least this time, the client pauses … */
  readonly failingMs: number
  /** … for this time. Then one request is let through, and its result decides. */
  readonly pauseMs: number
  /** The largest budget of retries; each retry takes 1. */
  readonly retries: number
  /** The part of a retry that each answer returns to the budget. */
  readonly retriesPerAnswer: number
}

export const DEFAULT_HOST_LIMITS: HostLimits = {
  failures: 10,
  failingMs: 30_000,
  pauseMs: 30_000,
  retries: 500,
  retriesPerAnswer: 0.2,
}

export type HostHealth = ReturnType<typeof createHostHealth>

/** Without it, a host that is down would cost every record all its retries, and get five times the load. */
export function createHostHealth(clock: Clock, limits: HostLimits = DEFAULT_HOST_LIMITS) {
  let inRow = 0
  let failingSince = 0
  let restsUntil: number | undefined
  let retries = limits.retries

  return {
    /** Why the client must not send now; undefined when it may. The next call after a pause lets one request through. */
    getPauseReason(): string | undefined {
      if (restsUntil === undefined) return undefined
      const now = clock.now()
      const left = restsUntil - now
      // More than a whole pause is left only when the clock was set back.
      if (left <= 0 || left > limits.pauseMs) {
        restsUntil = now + limits.pauseMs
        return undefined
      }
      const seconds = Math.ceil((now - failingSince) / 1000)
      return `the API has not answered for ${seconds} seconds; it is tried again in ${Math.ceil(left / 1000)}`
    },
    /** Notes how a request ended. */
    observe(exchange: Exchange): void {
      if (isFromApi(exchange)) {
        inRow = 0
        restsUntil = undefined
        retries = Math.min(limits.retries, retries + limits.retriesPerAnswer)
        return
      }
      const now = clock.now()
      if (inRow === 0 || now < failingSince) failingSince = now
      inRow++
      if (inRow >= limits.failures && now - failingSince >= limits.failingMs)
        restsUntil = now + limits.pauseMs
    },
    /** Takes one retry from the budget; false when it is used up. */
    takeRetry(): boolean {
      if (retries < 1) return false
      retries -= 1
      return true
    },
  }
}

/** A gateway without its API counts as no answer. */
const GATEWAY_STATUSES: readonly number[] = [502, 503, 504]

function isFromApi(exchange: Exchange): boolean {
  return exchange.ended === 'answer' && !GATEWAY_STATUSES.includes(exchange.status)
}
