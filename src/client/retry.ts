/** Retries: how often, how long to wait in between, and when to stop. */
import type { Clock } from '../support/clock.ts'
import type { HostHealth } from './host-health.ts'

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
