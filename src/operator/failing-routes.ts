/** Which routes were tried, and which of them could not do their work: by what the bridge tells of its passes. */
import type { RouteFailure, Tried } from '../domain/attention.ts'
import type { BridgeEvent } from '../domain/event.ts'
import { isNobodysFault } from './nobodys-fault.ts'
import { withoutTheirWords } from './wording.ts'

export interface FailingRoutes {
  /** To be told of every event of the bridge. */
  readonly observe: (event: BridgeEvent) => void
  /** So far. */
  readonly tried: () => Tried
}

export function watchFailingRoutes(): FailingRoutes {
  const failing = new Map<string, RouteFailure>()
  const tried = new Set<string>()
  return {
    observe(event) {
      if (event.kind === 'route-failed' && !isNobodysFault(event.code)) {
        const { route, code, message } = event
        failing.set(route, { route, code, message: withoutTheirWords(message) })
        tried.add(route)
      }
      const isWell = event.kind === 'pass-ended' && event.failure === undefined && event.idle !== true
      if (event.kind !== 'route-recovered' && !isWell) return
      failing.delete(event.route)
      tried.add(event.route)
    },
    tried: () => ({ routes: [...tried], failures: [...failing.values()] }),
  }
}
