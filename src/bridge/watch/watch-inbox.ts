/** Watching one inbox: the looks are the truth, and the bell only says when one is worth it. */
import { join } from 'node:path'
import type { InboundRoute } from '../../config/routes.ts'
import { WATCH_DEFAULTS } from '../../config/watch.ts'
import { passInbound } from '../../pipelines/inbound/inbound.ts'
import { tellLeftAlone } from '../../pipelines/inbound/pick-up.ts'
import { createSetbacks, type Setbacks } from '../../pipelines/inbound/setbacks.ts'
import { createSightings, type Look, type Sightings } from '../../pipelines/inbound/sightings.ts'
import { type Survey, surveyInbox, type SurveyParts } from '../../pipelines/inbound/survey.ts'
import { elapsed } from '../../support/clock.ts'
import { inboundRoute } from '../inbound-route.ts'
import type { RouteWork } from '../run-route.ts'
import { mailboxOf } from '../workshop.ts'
import { type Alarm, createAlarm } from './alarm.ts'
import { type Bell, createBell } from './bell.ts'
import { asFailure } from '../failure.ts'
import { createWorker, type RouteWorker, type WatchParts } from './route-work.ts'

/** Where the system does not tell of new files, looks are no more than this apart. */
const DEAF_SCAN_MS = 5_000

/** After a ring, a folder is let alone for so many times the time that a look at it takes. */
const REST_SHARE = 3
const REST_MS = 25

/** While files of it are worked on, what comes meanwhile is only looked for so that it settles meanwhile. */
const BUSY_SHARE = 20
const BUSY_MS = 500

/** An empty file may be one into which somebody writes the first row only when a long query is done. */
const EMPTY_MS = 15 * 60_000

/** Until the signal fires. */
export async function watchInbox(parts: WatchParts, route: InboundRoute): Promise<void> {
  const inbox = openInbox(parts, route)
  const { signal, alarm, worker } = inbox
  while (!signal.aborted) {
    const began = elapsed(inbox.clock)
    const survey = await look(inbox)
    const ended = elapsed(inbox.clock)
    if (signal.aborted) break
    const isReady = survey?.ready.some(({ name }) => !inbox.setbacks.keepsBack(name)) ?? false
    worker.maybeBegin(isReady, inbox.work, alarm.ring)
    // All that it would tell of is the pass itself, and to tell that, its library looks at each file that lies there.
    if (worker.isBusy()) await inbox.bell?.close()
    inbox.isListening = inbox.bell?.isHung() ?? false
    inbox.wasRung = await alarm.wait(waitMs(inbox, survey, ended - began))
    // What is written goes on ringing; the looks must not take the time that others need.
    if (inbox.wasRung) await rest(inbox, { began, ended })
  }
  await inbox.bell?.close()
  await worker.idle()
}

interface Inbox {
  readonly clock: WatchParts['shop']['options']['clock']
  readonly signal: AbortSignal
  readonly alarm: Alarm
  readonly worker: RouteWorker
  /** Undefined where no system could tell. */
  readonly bell: Bell | undefined
  readonly surveying: SurveyParts
  readonly sightings: Sightings
  readonly setbacks: Setbacks
  readonly work: RouteWork
  readonly tell: (survey: Survey) => void
  readonly deaf: (why: string) => void
  readonly isUnfinished: () => Promise<boolean>
  readonly scanMs: number
  /** Whether the last waiting ended with a ring. */
  wasRung: boolean
  /** Whether there was a bell to ring. */
  isListening: boolean
  lastRing: number
  /** When the last look began. */
  lookedAt: number
  /** When a look found something that no ring had told of. */
  unheardAt: number | undefined
  isDeaf: boolean
  hasLooked: boolean
}

function openInbox({ shop, ...parts }: WatchParts, route: InboundRoute): Inbox {
  const { configuration, options, journal } = shop
  const { clock, notify } = options
  const { signal } = parts
  const alarm = createAlarm(clock, signal)
  const sightings = createSightings(EMPTY_MS)
  const setbacks = createSetbacks()
  const source = mailboxOf(shop, route.from.mailbox)
  const surveying = { clock, journal, source, route: inboundRoute(configuration, route) }
  const path = folderOnDisk(shop.configuration, route)
  const deaf = (why: string) => {
    if (inbox.isDeaf) return
    inbox.isDeaf = true
    const folder = path ?? route.from.folder
    notify({ kind: 'watch-deaf', route: route.name, folder, why })
  }
  const ring = () => {
    inbox.lastRing = elapsed(clock)
    alarm.ring()
  }
  const inbox: Inbox = {
    clock,
    signal,
    alarm,
    surveying,
    sightings,
    setbacks,
    deaf,
    worker: createWorker({ shop, ...parts }, route, setbacks),
    bell: path === undefined ? undefined : createBell({ path, ring, hangs: alarm.ring, broken: deaf }),
    work: {
      turns: 'due',
      inbound: (own, progress) => passInbound({ ...own, sightings, setbacks }, progress),
    },
    tell: ({ leftAlone }) => tellLeftAlone({ ...surveying, notify }, leftAlone, sightings),
    isUnfinished: async () => (await journal.unfinishedRoutes()).includes(route.name),
    scanMs: (configuration.watch ?? WATCH_DEFAULTS).scanMs,
    wasRung: false,
    isListening: false,
    lastRing: -Infinity,
    lookedAt: 0,
    unheardAt: undefined,
    isDeaf: false,
    hasLooked: false,
  }
  return inbox
}

/** Undefined where the mailbox is no folder of this machine. */
function folderOnDisk({ mailboxes }: WatchParts['shop']['configuration'], { from }: InboundRoute) {
  const mailbox = mailboxes[from.mailbox]
  return mailbox?.type === 'directory' ? join(mailbox.path, ...from.folder.split('/')) : undefined
}

/** Undefined when the folder could not be looked at. */
async function look(inbox: Inbox): Promise<Survey | undefined> {
  const { clock, worker, bell, surveying, sightings, tell } = inbox
  const began = elapsed(clock)
  try {
    // What was begun goes on even where the folder is away.
    if (!worker.isBusy()) worker.noteUnfinished(await inbox.isUnfinished())
    const survey = await surveyInbox(surveying, sightings)
    worker.lookWentWell()
    if (!worker.isBusy()) await bell?.keep()
    listen(inbox, survey, began)
    tell(survey)
    return survey
  } catch (error) {
    worker.lookFailed(asFailure(error), elapsed(clock) - began)
    await bell?.close()
    return undefined
  }
}

/** A ring may come a little after the look that it is about. */
const RING_LATE_MS = 1_000

/** Finds out whether the bell tells of what the looks find. */
function listen(inbox: Inbox, { hasNews }: Survey, began: number): void {
  const now = elapsed(inbox.clock)
  const { unheardAt, lastRing } = inbox
  // A share may well tell of what is done from here, and of nothing that others do.
  if (hasNews && lastRing >= inbox.lookedAt) inbox.isDeaf = false
  inbox.lookedAt = began
  if (unheardAt !== undefined && now - unheardAt >= RING_LATE_MS) {
    if (lastRing < unheardAt - RING_LATE_MS) inbox.deaf('the system told nothing of a file that came')
    inbox.unheardAt = undefined
  }
  if (hasNews && inbox.hasLooked && inbox.isListening && !inbox.wasRung) inbox.unheardAt ??= now
  inbox.hasLooked = true
}

/** Until the next look, unless somebody rings. */
function waitMs({ worker, surveying, scanMs, isDeaf }: Inbox, survey: Survey | undefined, tookMs: number) {
  const scan = isDeaf ? Math.min(scanMs, DEAF_SCAN_MS) : scanMs
  if (worker.isBusy()) return Math.min(scan, Math.max(BUSY_MS, tookMs * BUSY_SHARE, surveying.route.settleMs))
  const times = [scan, survey?.settlesInMs, worker.dueInMs()].filter((ms) => ms !== undefined)
  return Math.max(0, Math.min(...times))
}

/** From the end of the last look on, however long ago that is. */
async function rest({ clock, signal }: Inbox, { began, ended }: Look): Promise<void> {
  const left = ended + Math.max(REST_MS, (ended - began) * REST_SHARE) - elapsed(clock)
  if (left > 0) await clock.sleep(left, signal)
}
