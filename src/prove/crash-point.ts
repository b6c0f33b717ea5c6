/** Simulates a crash at the n-th effect: after it, no call of the bridge has any effect. */
import type { BridgeOptions } from '../app/context.ts'
import type { Api } from '../domain/api.ts'
import type { Journal } from '../domain/journal.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import type { Spool } from '../support/spool.ts'

export type PartsWrapper = NonNullable<BridgeOptions['wrap']>

export type Moment = 'before' | 'after'

/** What a dead process throws; no code of ours may take it for something it knows. */
export class Crash extends Error {}

export type CrashPlan = ReturnType<typeof crashAt>

/** Told right before each effect and right after it, by its name, such as `journal.finishAttempts`. */
export type CallGuard = (name: string, act: () => unknown) => unknown

/**
 * Dies right before the n-th effect, or right after it has happened and before its answer is heard. With `only`, just the
 * effects of that name, or of the names it takes, count. It lives while its last effect is under way, so that what this
 * effect asks of other parts is answered, and other effects go on beside it. An effect within another one ends the outer
 * one by throwing: code of that part may tidy up behind it, as a killed process would not.
 */
export function crashAt(effect: number, moment: Moment, only?: string | ((name: string) => boolean)) {
  const counts = typeof only === 'string' ? (name: string) => name === only : (only ?? (() => true))
  let count = 0
  let diedAt: string | undefined

  /** An effect has come to its answer or failure, which a dead process does not hear. */
  const end = (last: string | undefined): void => {
    // An effect within the last one may have been the end already.
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
    /** Effects so far. */
    count: () => count,
    /** The name of the effect at which it died. */
    diedAt: () => diedAt,
  }
}

/** Every call of the bridge's parts goes through the guard, but for those that only say where something is. */
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

const UNGUARDED_CALLS: ReadonlySet<PropertyKey> = new Set<
  keyof Journal | keyof Mailbox | keyof Api | keyof Spool
>(['close', 'path', 'describe', 'clockOffsetMs'])

/** One wrap around another: the outer one is asked first. */
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

/** Calls that only read, by the verb that their names begin with: dying at one is the same as dying at the effect before it. */
const READ_CALL = /^\w+\.(get|list|find|has|is|count|summarize|inspect|may|document)(?![a-z])/

/** Whether a call leaves something behind: in the journal, the spool, a mailbox or at the API. */
export function isEffect(name: string): boolean {
  return !READ_CALL.test(name)
}
