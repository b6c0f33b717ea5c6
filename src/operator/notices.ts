/** Sending notices: the intent is in the journal before anything leaves, and no failure of theirs is one of the work. */
import type { NoticeConfiguration } from '../config/notices.ts'
import type { ConcernChange } from '../domain/attention.ts'
import type { Observer } from '../domain/event.ts'
import type { Digest, DueNotice, Message, Notifier, NoticeMatter, NoticeRange } from '../domain/notice.ts'
import type { Clock } from '../support/clock.ts'
import { digestOf, MATTER_MAX, nothingLeft, type Sources } from './digest.ts'
import { messageOf } from './digest-in-words.ts'
import { isHeld, isTooSoon } from './notice-pace.ts'

export interface Announcing extends Sources {
  readonly notices: readonly NoticeConfiguration[]
  readonly notifierOf: (notice: NoticeConfiguration) => Notifier
  readonly clock: Clock
  /** When it fires, what is being sent is left for the next time. */
  readonly signal: AbortSignal
  readonly newId: () => string
  readonly notify: Observer
}

/** So many changes of findings go into one digest. */
const CHANGES_MAX = 500

/** Events that need no notice are passed in steps, so that an idle bridge writes nothing. */
const PASS_EVENTS = 200

/**
 * Tells everybody what happened since they were told. `paced`: no more often than each wants it, as in a watch that comes
 * by again soon. Never throws: what could not be told is told the next time, as is what happened
 * before a stop.
 */
export async function announce(announcing: Announcing, paced = false): Promise<void> {
  for (const notice of announcing.notices) {
    if (announcing.signal.aborted) return
    try {
      await announceTo(announcing, notice, paced)
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

async function announceTo(
  announcing: Announcing,
  notice: NoticeConfiguration,
  paced: boolean,
): Promise<void> {
  const { journal, clock } = announcing
  const due = await journal.dueNotice(notice.name)
  if (due === undefined || (paced && isTooSoon(due, notice, clock.now()))) return
  if (due.open !== undefined) {
    if (isHeld(due, clock.now())) return
    if (!(await sendOpen(announcing, notice, due))) return
    // The rest comes in the next one, when everything is as it should be again.
    const next = await journal.dueNotice(notice.name)
    if (next !== undefined && !paced) await sendNew(announcing, notice, next)
    return
  }
  await sendNew(announcing, notice, due)
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
  const changes = await changesIn(announcing, range, due.joinedTurn)
  const matter = await announcing.journal.noticeMatter(range, MATTER_MAX)
  const digest = await digestFor(announcing, notice, { id, matter, changes })
  return send(announcing, notice, {
    range,
    digest: digest ?? nothingLeft(id, announcing.clock.now()),
    // Whoever was away the last time may still be, and the next run or minute asks again.
    once: true,
  })
}

async function sendNew(announcing: Announcing, notice: NoticeConfiguration, due: DueNotice): Promise<void> {
  const { journal, newId } = announcing
  const changes = await journal.concernChanges(due.afterTurn, CHANGES_MAX)
  const matter = await journal.noticeMatter(due, MATTER_MAX)
  const range = {
    afterEvent: due.afterEvent,
    upToEvent: matter.upToEvent,
    afterTurn: due.afterTurn,
    upToTurn: changes.at(-1)?.turn ?? due.afterTurn,
  }
  if (range.upToEvent === range.afterEvent && changes.length === 0) return
  const told = changes.filter(({ raisedTurn }) => raisedTurn > due.joinedTurn)
  const request = { id: newId(), matter, changes: told }
  const digest = await digestFor(announcing, notice, request)
  if (digest !== undefined) await send(announcing, notice, { range, digest, once: false })
  else if (isWorthPassing(range, due) || changes.length > 0) {
    await journal.passNotices(notice.name, range)
  }
}

/** Where there was more than one digest holds, the next one is for the rest. */
function isWorthPassing({ afterEvent, upToEvent }: NoticeRange, due: DueNotice): boolean {
  return upToEvent - afterEvent >= PASS_EVENTS || upToEvent < due.upToEvent
}

interface Sending {
  readonly range: NoticeRange
  readonly digest: Digest
  readonly once: boolean
}

async function send(
  announcing: Announcing,
  notice: NoticeConfiguration,
  { range, digest, once }: Sending,
): Promise<boolean> {
  const { journal, clock, notify } = announcing
  const { id } = digest
  // Several tries of a webhook, and what comes after them.
  const heldUntil = clock.now() + 4 * notice.timeoutMs + 30_000
  if (!(await journal.beginNotice(notice.name, { ...range, id, heldUntil }))) return false
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
  },
): Promise<Digest | undefined> {
  const meant = routes === undefined ? {} : { routes }
  return digestOf({ journal, configuration }, { ...request, ...meant, at: clock.now(), on })
}

async function changesIn(
  { journal }: Announcing,
  { afterTurn, upToTurn }: NoticeRange,
  joinedTurn: number,
): Promise<ConcernChange[]> {
  const changes = await journal.concernChanges(afterTurn, CHANGES_MAX)
  return changes.filter(({ turn, raisedTurn }) => turn <= upToTurn && raisedTurn > joinedTurn)
}
