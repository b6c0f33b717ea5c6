/** The health of the API's host, as everybody who talks to it in one bridge sees it. */
import type { Clock } from '../support/clock.ts'
import type { Exchange } from './wire.ts'

export interface HostLimits {
  /** So many requests in a row without an answer of the API itself, … */
  readonly failures: number
  /** … over at least this time, and the host is left in peace … */
  readonly failingMs: number
  /** … for this time. Then one request is let through, which decides. */
  readonly restMs: number
  /** How many tries more than the first a bridge may have in hand; each one takes 1. */
  readonly retries: number
  /** What each answer gives back of them. */
  readonly earned: number
}

export const DEFAULT_HOST: HostLimits = {
  failures: 10,
  failingMs: 30_000,
  restMs: 30_000,
  retries: 500,
  earned: 0.2,
}

export interface Host {
  /** Why nothing is to be sent right now; undefined when it may. The next look after a rest lets one request through. */
  resting(): string | undefined
  /** Notes how a request ended. */
  look(exchange: Exchange): void
  /** Takes one try more from the budget; false when there is none left. */
  mayRetry(): boolean
}

/**
 * Without it, a host that is down would cost every record of every route its own full patience, and a host in trouble
 * would get five times the load it cannot carry.
 */
export function createHost(clock: Clock, limits: HostLimits = DEFAULT_HOST): Host {
  let inRow = 0
  let failingSince = 0
  let restsUntil: number | undefined
  let retries = limits.retries

  return {
    resting() {
      if (restsUntil === undefined) return undefined
      const now = clock.now()
      const left = restsUntil - now
      // More than a whole rest is left only when the clock was set back.
      if (left <= 0 || left > limits.restMs) {
        restsUntil = now + limits.restMs
        return undefined
      }
      const seconds = Math.ceil((now - failingSince) / 1000)
      return `the API has not answered for ${seconds} seconds; it is tried again in ${Math.ceil(left / 1000)}`
    },
    look(exchange) {
      if (isFromApi(exchange)) {
        inRow = 0
        restsUntil = undefined
        retries = Math.min(limits.retries, retries + limits.earned)
        return
      }
      const now = clock.now()
      if (inRow === 0 || now < failingSince) failingSince = now
      inRow++
      if (inRow >= limits.failures && now - failingSince >= limits.failingMs) restsUntil = now + limits.restMs
    },
    mayRetry() {
      if (retries < 1) return false
      retries -= 1
      return true
    },
  }
}

/** A gateway that has lost its API is no better than no answer. */
const GATEWAY: readonly number[] = [502, 503, 504]

function isFromApi(exchange: Exchange): boolean {
  return exchange.ended === 'answer' && !GATEWAY.includes(exchange.status)
}
