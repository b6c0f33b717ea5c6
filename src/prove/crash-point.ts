/** Simulates a crash at the n-th effect: after it, no call of the bridge has any effect. */
import type { BridgeOptions } from '../app/context.ts'
import type { Api } from '../domain/api.ts'
import type { Journal } from '../domain/journal.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import type { Spool } from '../support/spool.ts'

export type PartsWrapper = NonNullable<BridgeOptions['wrap']>

export type Moment = 'before' | 'after'

/** Thrown by a crashed bridge; no code of the bridge may recognize it. */
export class Crash extends Error {}

/** Called around each effect, with its name, such as `journal.finishAttempts`. */
export type CallGuard = (name: string, act: () => unknown) => unknown

/**
 * Crashes right before the n-th effect, or right after it and before its caller gets the answer. `only` limits the count to
 * effects of that name, or of the names that it accepts. While the last effect runs, calls that it makes to other parts are
 * answered, and other effects continue beside it. An effect within another one ends the outer one by throwing: code of that
 * part may clean up, which a killed process would not do.
 */
export function crashAt(effect: number, moment: Moment, only?: string | ((name: string) => boolean)) {
  const counts = typeof only === 'string' ? (name: string) => name === only : (only ?? (() => true))
  let count = 0
  let diedAt: string | undefined

  /** An effect has ended with an answer or a failure, which a crashed process does not receive. */
  const end = (last: string | undefined): void => {
    // An effect within the last one may have crashed already.
    if (last !== undefined) diedAt ??= `after ${last}`
    if (diedAt !== undefined) throw new Crash(diedAt)
  }

  const guard = async (name: string, act: () => unknown): Promise<unknown> => {
    if (diedAt !== undefined) throw new Crash(diedAt)
    if (counts(name)) count++
    const dies = counts(name) && count === effect
    if (dies && moment === 'before') {
      diedAt = `before ${name}`
      throw new Crash(diedAt)
    }
    try {
      return await act()
    } finally {
      end(dies ? name : undefined)
    }
  }
  return {
    wrap: guardParts(guard),
    count: () => count,
    /** The name of the effect at which it died. */
    diedAt: () => diedAt,
  }
}

/** Passes every call of the bridge's parts through the guard, except calls that only say where something is. */
export function guardParts(guard: CallGuard): PartsWrapper {
  const wrapped = <Part extends object>(part: Part, kind: string, raw: readonly (keyof Part)[] = []): Part =>
    new Proxy(part, {
      get(target, property) {
        const member: unknown = Reflect.get(target, property)
        if (typeof member !== 'function' || typeof property !== 'string') return member
        const call = (...args: unknown[]): unknown => Reflect.apply(member, target, args)
        if (UNGUARDED_CALLS.has(property) || raw.includes(property as keyof Part)) return call
        return (...args: unknown[]) => guard(`${kind}.${property}`, () => call(...args))
      },
    })
  return {
    journal: (journal) => wrapped(journal, 'journal'),
    mailbox: (mailbox) => wrapped(mailbox, 'mailbox', ['read']),
    api: (api) => wrapped(api, 'api', ['list']),
    spool: (spool) => wrapped(spool, 'spool', ['read']),
  }
}

/** They return a value at once and have no effect, so that nothing can die in them. */
export const UNGUARDED_CALLS: ReadonlySet<PropertyKey> = new Set<
  keyof Journal | keyof Mailbox | keyof Api | keyof Spool
>(['close', 'path', 'describe', 'clockOffsetMs', 'spareCalls'])

/** Puts one wrapper around another: the outer one is called first. */
export function combineWrappers(outer: PartsWrapper, inner: PartsWrapper | undefined): PartsWrapper {
  if (inner === undefined) return outer
  const both =
    <Part>(around?: (part: Part) => Part, within?: (part: Part) => Part) =>
    (part: Part): Part => {
      const inside = within === undefined ? part : within(part)
      return around === undefined ? inside : around(inside)
    }
  return {
    journal: both(outer.journal, inner.journal),
    mailbox: both(outer.mailbox, inner.mailbox),
    api: both(outer.api, inner.api),
    spool: both(outer.spool, inner.spool),
  }
}

/** Calls that only read, by the verb of their names: a crash at one equals a crash at the effect before it. */
const READ_CALL = /^\w+\.(get|list|find|has|is|count|summarize|inspect|may|document)(?![a-z])/

/** Whether a call leaves something behind: in the journal, the spool, a mailbox or at the API. */
export function isEffect(name: string): boolean {
  return !READ_CALL.test(name)
}
