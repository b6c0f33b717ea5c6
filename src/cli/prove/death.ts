/** A process that dies at its n-th effect: from then on nothing it tries has any effect. */
import type { BridgeOptions } from '../../bridge/options.ts'

export type Wrap = NonNullable<BridgeOptions['wrap']>

export type Moment = 'before' | 'after'

/** What a dead process throws; no code of ours may take it for something it knows. */
export class Crash extends Error {}

export interface CrashPlan {
  readonly wrap: Wrap
  /** Effects so far. */
  readonly count: () => number
  /** The name of the effect at which it died. */
  readonly diedAt: () => string | undefined
}

/** Told right before each effect and right after it, by its name, such as `journal.endAttempts`. */
export type Guard = (name: string, act: () => unknown) => unknown

/**
 * Dies right before the n-th effect, or right after it has happened and before its answer is heard. With `only`, just the
 * effects of that name, or of the names it takes, count. It lives while its last effect is under way, so that what this
 * effect asks of other parts is answered, and other effects go on beside it. An effect within another one ends the outer
 * one by throwing: code of that part may tidy up behind it, as a killed process would not.
 */
export function crashAt(
  effect: number,
  moment: Moment,
  only?: string | ((name: string) => boolean),
): CrashPlan {
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
  return { wrap: guarded(guard), count: () => count, diedAt: () => diedAt }
}

/** Every call of the bridge's parts goes through the guard, but for those that only say where something is. */
export function guarded(guard: Guard): Wrap {
  const wrapped = <Part extends object>(part: Part, kind: string, streams: readonly string[] = []): Part =>
    new Proxy(part, {
      get(target, property) {
        const member: unknown = Reflect.get(target, property)
        if (typeof member !== 'function' || typeof property !== 'string') return member
        const call = (...args: unknown[]): unknown => Reflect.apply(member, target, args)
        if (HARMLESS.has(property) || streams.includes(property)) return call
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

const HARMLESS = new Set(['close', 'path', 'describe', 'clockOffsetMs'])

/** One wrap around another: the outer one is asked first. */
export function wrappedBoth(outer: Wrap, inner: Wrap | undefined): Wrap {
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

/** Calls that only read: dying at one is the same as dying at the effect before it. */
const READS: ReadonlySet<string> = new Set([
  'api.get',
  'api.document',
  'mailbox.claims',
  'mailbox.list',
  'mailbox.names',
  'mailbox.has',
  'mailbox.settleNaming',
  'mailbox.stands',
  'spool.list',
  ...[
    'accountsKnowing',
    'answersSoFar',
    'awaitedDeliveries',
    'concernChanges',
    'countRecords',
    'countUnnoted',
    'delivery',
    'deliveryRecords',
    'dueNotice',
    'file',
    'filesCalled',
    'findResources',
    'hashOfEvent',
    'head',
    'heldDeliveries',
    'heldFiles',
    'heldKeys',
    'identity',
    'isBehind',
    'isMarked',
    'isPlaceKnown',
    'isTaken',
    'keptValues',
    'knownTurns',
    'lastSequence',
    'latestNotices',
    'listReadAt',
    'mayBeAnothers',
    'namingsOf',
    'notedWorkingNames',
    'noticeMatter',
    'onlyWaits',
    'openReceipts',
    'otherAccount',
    'overview',
    'plannedBodies',
    'recentDeliveries',
    'recentFiles',
    'recentTurns',
    'recordsInWait',
    'reportedRecords',
    'resourcesById',
    'standingConcerns',
    'tag',
    'troubledRecords',
    'uncertainRecords',
    'unfinishedDeliveries',
    'unfinishedFiles',
    'unfinishedRoutes',
    'unknownFiles',
    'waitingFiles',
    'waitingRecords',
    'wasLeftIn',
    'wasTakenFrom',
    'watches',
  ].map((call) => `journal.${call}`),
])

/** Whether a call leaves something behind: in the journal, the spool, a mailbox or at the API. */
export function isEffect(name: string): boolean {
  return !READS.has(name)
}
