/** Routes that could not do their work: the journal knows nothing of them, but what was told of them. */
import type { BridgeEvent } from '../domain/event.ts'
import { isNobodysFault } from './nobodys-fault.ts'
import { withoutTheirWords } from './wording.ts'

export interface RouteFailure {
  readonly route: string
  readonly code: string
  readonly message: string
}

/** What the journal does not know: which routes were tried, and which of them could not do their work. */
export interface Tried {
  readonly routes: readonly string[]
  readonly failures: readonly RouteFailure[]
}

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
        failing.set(route, { route, code, message })
        tried.add(route)
      }
      const isWell = event.kind === 'pass-ended' && event.failure === undefined
      if (event.kind !== 'route-recovered' && !isWell) return
      failing.delete(event.route)
      tried.add(event.route)
    },
    tried: () => ({ routes: [...tried], failures: [...failing.values()] }),
  }
}

export interface Compared {
  /** To be noted as told: a route and a code each. */
  readonly failing: readonly string[]
  /** Those that nobody was told of yet, without the words of others. */
  readonly failures: readonly RouteFailure[]
  /** The routes that work again. */
  readonly recovered: readonly string[]
}

/** What was told to fail before against what fails now. A route that was not tried stays as it was. */
export function compared(before: readonly string[], { routes, failures }: Tried): Compared {
  const now = failures.map(({ route, code }) => `${route} ${code}`)
  const left = before.filter((each) => !routes.includes(failureOf(each).route))
  const stillFailing = new Set(failures.map(({ route }) => route))
  return {
    failing: [...left, ...now],
    failures: failures
      .filter(({ route, code }) => !before.includes(`${route} ${code}`))
      .map((failure) => ({ ...failure, message: withoutTheirWords(failure.message) })),
    recovered: before
      .map((each) => failureOf(each).route)
      .filter((route) => routes.includes(route) && !stillFailing.has(route)),
  }
}

/** Takes apart what was noted as told: a route and a code. */
export function failureOf(told: string): RouteFailure {
  const [route = '', code = ''] = told.split(' ')
  return { route, code, message: `it could not do its work; see \`dropbridge explain ${code}\`` }
}
