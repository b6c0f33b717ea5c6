/** Sends notifications. The journal notes the intent first; a failed notification never fails the work. */
import { stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { NotificationConfiguration } from '../../config/notifications.ts'
import type { Alert, AlertChange } from '../../domain/alert.ts'
import type { Observer } from '../../domain/event.ts'
import type {
  Digest,
  DueNotification,
  NotificationRange,
  NotificationSubjects,
  Notifier,
} from '../../domain/notification.ts'
import { type Clock, HOUR_MS } from '../../support/clock.ts'
import { BridgeError, EXIT, getErrorMessage } from '../../support/errors.ts'
import {
  buildDigest,
  createAlertDigest,
  createAllClearDigest,
  DIGEST_ITEMS_MAX,
  type DigestSources,
  formatMessage,
} from './digest.ts'

export interface SendingContext extends DigestSources {
  readonly notifications: readonly NotificationConfiguration[]
  readonly notifierOf: (channel: NotificationConfiguration) => Notifier
  readonly clock: Clock
  /** When it fires, a notification in flight waits for the next time. */
  readonly signal: AbortSignal
  readonly newId: () => string
  readonly notify: Observer
  /** All active alerts, for a channel whose notification the journal cannot store. */
  readonly alerts?: readonly Alert[]
  /** When each channel last got a notification without the journal. */
  readonly sentWithoutJournal?: Map<string, number>
}

/** How many changes of alerts go into one digest. */
const CHANGES_MAX = 500

/** Events that need no notification are skipped in steps, so that an idle bridge writes nothing. */
const SKIP_EVENTS_MIN = 200

/**
 * Reports to every channel what happened since its last notification. `paced`: no more often than the channel wants, as in a
 * watch that soon tries again. Never throws: the next notification reports what this one could not, as it does after a stop.
 */
export async function sendNotifications(context: SendingContext, paced = false): Promise<void> {
  for (const channel of context.notifications) {
    if (context.signal.aborted) return
    try {
      await notifyChannel(context, channel, paced)
    } catch (error) {
      const why = getErrorMessage(error)
      context.notify({ kind: 'notification-failed', notification: channel.name, id: '', why })
      const isFull = error instanceof BridgeError && error.exit === EXIT.cannotWrite
      if (isFull) await sendChannelWithoutJournal(context, channel, context.alerts ?? [])
    }
  }
}

// Without the journal: a person must learn of a full disk although nothing about it can be stored.

/** Each process may send one: as nothing can be stored, only an empty file keeps the next process from it. */
const WITHOUT_JOURNAL_MS = HOUR_MS

type DirectContext = Omit<SendingContext, 'journal'>

/** Sends all these alerts to every channel, at most once an hour. Never throws. */
export async function sendWithoutJournal(context: DirectContext, alerts: readonly Alert[]): Promise<void> {
  for (const channel of context.notifications) await sendChannelWithoutJournal(context, channel, alerts)
}

async function sendChannelWithoutJournal(
  context: DirectContext,
  channel: NotificationConfiguration,
  alerts: readonly Alert[],
): Promise<void> {
  const { clock, newId, notify, notifierOf, signal } = context
  const { name, routes } = channel
  const wanted = alerts.filter(({ route }) => routes === undefined || !route || routes.includes(route))
  if (wanted.length === 0 || signal.aborted || !(await mayStart(context, name))) return
  const id = newId()
  const message = formatMessage(createAlertDigest(id, clock.now(), wanted))
  try {
    await notifierOf(channel).send(message, signal, { once: true })
    notify({ kind: 'notification-sent', notification: name, id })
  } catch (error) {
    notify({ kind: 'notification-failed', notification: name, id, why: getErrorMessage(error) })
  }
}

/** Whether the last one is long enough ago, by this process or by the file of another one; notes that one starts now. */
async function mayStart(
  { clock, configuration, sentWithoutJournal }: DirectContext,
  channel: string,
): Promise<boolean> {
  const now = clock.now()
  const file = join(configuration.stateFolder, `.notified-${channel}`)
  const noted = await stat(file).catch(() => undefined)
  const last = Math.max(sentWithoutJournal?.get(channel) ?? -Infinity, noted?.mtimeMs ?? -Infinity)
  if (now >= last && now - last < WITHOUT_JOURNAL_MS) return false
  sentWithoutJournal?.set(channel, now)
  // An empty file needs no room on most disks; where it does, a second process may send another one.
  await writeFile(file, '')
    .then(() => utimes(file, now / 1000, now / 1000))
    .catch(() => undefined)
  return true
}

/** From now on events are queued for the channels; called before any work, so that the first run counts too. */
export async function registerChannels({ journal, notifications }: SendingContext): Promise<void> {
  if (notifications.length > 0) await journal.joinChannels(notifications.map(({ name }) => name))
}

async function notifyChannel(context: SendingContext, channel: NotificationConfiguration, paced: boolean) {
  const { journal, clock } = context
  const due = await journal.getDueNotification(channel.name)
  if (due === undefined || (paced && isTooSoon(due, channel, clock.now()))) return
  if (due.open !== undefined) {
    if (isBeingSent(due, clock.now())) return
    if (!(await resendOpen(context, channel, due))) return
    // The rest goes into the next one, once this one has succeeded.
    const next = await journal.getDueNotification(channel.name)
    if (next !== undefined && !paced) await sendNew(context, channel, next)
    return
  }
  await sendNew(context, channel, due)
}

/** Sends the same range again, under the same id. */
async function resendOpen(context: SendingContext, channel: NotificationConfiguration, due: DueNotification) {
  const { journal } = context
  const { open, afterEvent, upToEvent, afterCursor, joinedCursor } = due
  if (open === undefined) return false
  const { upToCursor, id } = open
  const range = { afterEvent, upToEvent, afterCursor, upToCursor }
  const later = await journal.listAlertChanges(afterCursor, CHANGES_MAX)
  const inRange = later.filter(({ cursor }) => cursor <= upToCursor)
  const changes = inRange.filter(({ raisedCursor }) => raisedCursor > joinedCursor)
  const subjects = await journal.listNotificationSubjects(range, DIGEST_ITEMS_MAX)
  const digest = await buildChannelDigest(context, channel, { id, subjects, changes })
  return sendDigest(context, channel, {
    range,
    digest: digest ?? createAllClearDigest(id, context.clock.now()),
    // A receiver that was away may still be, and the next run or minute tries again.
    once: true,
  })
}

async function sendNew(context: SendingContext, channel: NotificationConfiguration, due: DueNotification) {
  const { journal, newId } = context
  const { afterEvent, afterCursor } = due
  const changes = await journal.listAlertChanges(afterCursor, CHANGES_MAX)
  const subjects = await journal.listNotificationSubjects(due, DIGEST_ITEMS_MAX)
  const { upToEvent } = subjects
  const range = { afterEvent, upToEvent, afterCursor, upToCursor: changes.at(-1)?.cursor ?? afterCursor }
  if (upToEvent === afterEvent && changes.length === 0) return
  const reported = changes.filter(({ raisedCursor }) => raisedCursor > due.joinedCursor)
  const digest = await buildChannelDigest(context, channel, { id: newId(), subjects, changes: reported })
  if (digest !== undefined) await sendDigest(context, channel, { range, digest, once: false })
  else if (isWorthSkipping(range, due) || changes.length > 0) {
    await journal.skipNotifications(channel.name, range)
  }
}

/** Where there was more than one digest takes, the next one has the rest. */
function isWorthSkipping({ afterEvent, upToEvent }: NotificationRange, due: DueNotification): boolean {
  return upToEvent - afterEvent >= SKIP_EVENTS_MIN || upToEvent < due.upToEvent
}

async function sendDigest(
  context: SendingContext,
  channel: NotificationConfiguration,
  { range, digest, once }: { range: NotificationRange; digest: Digest; once: boolean },
): Promise<boolean> {
  const { journal, clock, notify, notifierOf, signal } = context
  const { id } = digest
  // The time for several tries of a webhook, and what comes after them.
  const heldUntil = clock.now() + 4 * channel.timeoutMs + 30_000
  if (!(await journal.startNotification(channel.name, { ...range, id, heldUntil }))) return false
  try {
    await notifierOf(channel).send(formatMessage(digest), signal, { once })
  } catch (error) {
    const why = getErrorMessage(error)
    await journal.finishNotification(id, { state: 'failed', problem: why })
    notify({ kind: 'notification-failed', notification: channel.name, id, why })
    return false
  }
  await journal.finishNotification(id, { state: 'sent' })
  notify({ kind: 'notification-sent', notification: channel.name, id })
  return true
}

function buildChannelDigest(
  { journal, configuration, clock }: SendingContext,
  { on, routes }: NotificationConfiguration,
  request: { id: string; subjects: NotificationSubjects; changes: readonly AlertChange[] },
): Promise<Digest | undefined> {
  const wanted = routes === undefined ? {} : { routes }
  return buildDigest({ journal, configuration }, { ...request, ...wanted, at: clock.now(), on })
}

// When a notification may go out: no more often than its receiver wants, and not while another bridge sends
// it.

/** A failed notification is tried again after one minute for each time that it failed, at most a quarter of an hour. */
const RETRY_MS = 60_000

const RETRY_FACTOR_MAX = 15

/** Whether the channel's last notification, or its last try, was too short a time ago. */
function isTooSoon(
  { open, lastTriedAt }: DueNotification,
  { everyMs }: NotificationConfiguration,
  now: number,
): boolean {
  if (lastTriedAt === undefined) return false
  const pause = open === undefined ? everyMs : RETRY_MS * Math.min(open.tries, RETRY_FACTOR_MAX)
  // A clock that was set back must not stop notifications.
  return now >= lastTriedAt && now - lastTriedAt < pause
}

/** Whether another bridge may be sending it: then it began lately, unless the clock was set back since. */
function isBeingSent({ open, lastTriedAt = 0 }: DueNotification, now: number): boolean {
  if (open === undefined) return false
  return now < open.heldUntil && now > 2 * lastTriedAt - open.heldUntil
}
