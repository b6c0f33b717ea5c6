/** Sending notices: the intent is in the journal before anything leaves, and no failure of theirs is one of the work. */
import type { NoticeConfiguration } from '../config/notices.ts'
import type { ConcernChange } from '../domain/attention.ts'
import type { Observer } from '../domain/event.ts'
import type { Digest, DueNotice, Message, Notifier, NoticeMatter, NoticeRange } from '../domain/notice.ts'
import type { Clock } from '../support/clock.ts'
import { digestOf, MATTER_MAX, type RouteFailure, type Sources } from './digest.ts'
import { messageOf } from './digest-in-words.ts'
import { withoutTheirWords } from './wording.ts'

export interface Announcing extends Sources {
  readonly notices: readonly NoticeConfiguration[]
  readonly notifierOf: (notice: NoticeConfiguration) => Notifier
  readonly clock: Clock
  /** When it fires, what is being sent is left for the next time. */
  readonly signal: AbortSignal
  readonly newId: () => string
  readonly notify: Observer
}

/** What the journal does not know: which routes were tried, and which of them could not do their work. */
export interface Tried {
  readonly routes: readonly string[]
  readonly failures: readonly RouteFailure[]
}

/** So many changes of findings go into one digest. */
const CHANGES_MAX = 500

/** Events that need no notice are passed in steps, so that an idle bridge writes nothing. */
const PASS_EVENTS = 200

/** A notice that failed is tried again after so many minutes for each time it failed, at most a quarter of an hour. */
const AGAIN_MS = 60_000
const AGAIN_TIMES_MAX = 15

/**
 * Tells everybody what happened since they were told. `paced`: no more often than each wants it, as in a watch that comes
 * by again soon. Never throws: what could not be told is told the next time, as is what happened
 * before a stop.
 */
export async function announce(announcing: Announcing, tried: Tried, paced = false): Promise<void> {
  for (const notice of announcing.notices) {
    if (announcing.signal.aborted) return
    try {
      await announceTo(announcing, notice, { tried, paced })
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      announcing.notify({ kind: 'notice-failed', notice: notice.name, id: '', why })
    }
  }
}

/** From now on the channels are told what happens; done before any work, so that the first run is told too. */
export async function joinNotices({ journal, notices }: Announcing): Promise<void> {
  if (notices.length > 0) await journal.joinNotices(notices.map(({ name }) => name))
}

interface Turn {
  readonly tried: Tried
  readonly paced: boolean
}

async function announceTo(announcing: Announcing, notice: NoticeConfiguration, turn: Turn): Promise<void> {
  const { journal, clock } = announcing
  const due = await journal.dueNotice(notice.name)
  if (due === undefined || (turn.paced && isTooSoon(due, notice, clock.now()))) return
  if (due.open !== undefined) {
    if (isHeld(due, clock.now())) return
    if (!(await sendOpen(announcing, notice, due))) return
    // The rest comes in the next one, when everything is as it should be again.
    const next = await journal.dueNotice(notice.name)
    if (next !== undefined && !turn.paced) await sendNew(announcing, notice, { due: next, turn })
    return
  }
  await sendNew(announcing, notice, { due, turn })
}

function isTooSoon({ open, lastTriedAt }: DueNotice, { everyMs }: NoticeConfiguration, now: number): boolean {
  if (lastTriedAt === undefined) return false
  const pause = open === undefined ? everyMs : AGAIN_MS * Math.min(open.tries, AGAIN_TIMES_MAX)
  // A clock that was set back must not silence anybody.
  return now >= lastTriedAt && now - lastTriedAt < pause
}

/** Another bridge may be at it; it was begun lately then, unless the clock was set back since. */
function isHeld({ open, lastTriedAt = 0 }: DueNotice, now: number): boolean {
  if (open === undefined) return false
  return now < open.heldUntil && now > 2 * lastTriedAt - open.heldUntil
}

/** The same range again, under the same id. */
async function sendOpen(
  announcing: Announcing,
  notice: NoticeConfiguration,
  due: DueNotice,
): Promise<boolean> {
  const { open } = due
  if (open === undefined) return false
  const { upToTurn, id } = open
  const range = { afterEvent: due.afterEvent, upToEvent: due.upToEvent, afterTurn: due.afterTurn, upToTurn }
  const changes = await changesIn(announcing, range, due.joinedAt)
  const failures = due.failing.map(failureOf)
  const matter = await announcing.journal.noticeMatter(range, MATTER_MAX)
  const digest = await digestFor(announcing, notice, { id, matter, changes, failures, recovered: [] })
  return send(announcing, notice, {
    range,
    digest: digest ?? nothingLeft(announcing, id),
    failing: due.failing,
    // Whoever was away the last time may still be, and the next run or minute asks again.
    once: true,
  })
}

async function sendNew(
  announcing: Announcing,
  notice: NoticeConfiguration,
  { due, turn }: { readonly due: DueNotice; readonly turn: Turn },
): Promise<void> {
  const { journal, newId } = announcing
  const { failing, failures, recovered } = compared(due.failing, turn.tried)
  const changes = await journal.concernChanges(due.afterTurn, CHANGES_MAX)
  const matter = await journal.noticeMatter(due, MATTER_MAX)
  const range = {
    afterEvent: due.afterEvent,
    upToEvent: matter.upToEvent,
    afterTurn: due.afterTurn,
    upToTurn: changes.at(-1)?.turn ?? due.afterTurn,
  }
  const isQuiet = range.upToEvent === range.afterEvent && changes.length === 0
  if (isQuiet && failures.length + recovered.length === 0) return
  const told = changes.filter(({ at }) => at >= due.joinedAt)
  const request = { id: newId(), matter, changes: told, failures, recovered }
  const digest = await digestFor(announcing, notice, request)
  if (digest !== undefined) await send(announcing, notice, { range, digest, failing, once: false })
  else if (isWorthPassing(range, due) || changes.length > 0) {
    await journal.passNotices(notice.name, range, failing)
  }
}

/** Where there was more than one digest holds, the next one is for the rest. */
function isWorthPassing({ afterEvent, upToEvent }: NoticeRange, due: DueNotice): boolean {
  return upToEvent - afterEvent >= PASS_EVENTS || upToEvent < due.upToEvent
}

interface Sending {
  readonly range: NoticeRange
  readonly digest: Digest
  readonly failing: readonly string[]
  readonly once: boolean
}

async function send(
  announcing: Announcing,
  notice: NoticeConfiguration,
  { range, digest, failing, once }: Sending,
): Promise<boolean> {
  const { journal, clock, notify } = announcing
  const { id } = digest
  // Several tries of a webhook, and what comes after them.
  const heldUntil = clock.now() + 4 * notice.timeoutMs + 30_000
  if (!(await journal.beginNotice(notice.name, { ...range, id, failing, heldUntil }))) return false
  const why = await tryToSend(announcing, notice, { message: messageOf(digest), once })
  if (why === undefined) {
    await journal.endNotice(id, { state: 'sent' })
    notify({ kind: 'notice-sent', notice: notice.name, id })
    return true
  }
  await journal.endNotice(id, { state: 'failed', problem: why })
  notify({ kind: 'notice-failed', notice: notice.name, id, why })
  return false
}

/** Why it could not; undefined when it was sent. */
async function tryToSend(
  { notifierOf, signal }: Announcing,
  notice: NoticeConfiguration,
  { message, once }: { readonly message: Message; readonly once: boolean },
): Promise<string | undefined> {
  try {
    await notifierOf(notice).send(message, signal, { once })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function digestFor(
  { journal, configuration, clock }: Announcing,
  { on, routes }: NoticeConfiguration,
  request: {
    readonly id: string
    readonly matter: NoticeMatter
    readonly changes: readonly ConcernChange[]
    readonly failures: readonly RouteFailure[]
    readonly recovered: readonly string[]
  },
): Promise<Digest | undefined> {
  const meant = routes === undefined ? {} : { routes }
  return digestOf({ journal, configuration }, { ...request, ...meant, at: clock.now(), on })
}

async function changesIn(
  { journal }: Announcing,
  { afterTurn, upToTurn }: NoticeRange,
  joinedAt: number,
): Promise<ConcernChange[]> {
  const changes = await journal.concernChanges(afterTurn, CHANGES_MAX)
  return changes.filter(({ turn, at }) => turn <= upToTurn && at >= joinedAt)
}

/** What was told to fail before against what fails now. A route that was not tried stays as it was. */
function compared(before: readonly string[], { routes, failures }: Tried) {
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

function failureOf(told: string): RouteFailure {
  const [route = '', code = ''] = told.split(' ')
  return { route, code, message: `it could not do its work; see \`dropbridge explain ${code}\`` }
}

/** What was to be told is settled by now; whoever got the first try of it is told so. */
function nothingLeft({ clock }: Announcing, id: string): Digest {
  return {
    id,
    at: new Date(clock.now()).toISOString(),
    trouble: false,
    totals: { files: 0, deliveries: 0, incoming: {}, outgoing: {} },
    files: [],
    deliveries: [],
    more: 0,
    attention: { raised: [], ended: [] },
    failures: [],
    recovered: [],
  }
}
