/** Watches one inbox. Scans decide what to do; file-system events only trigger an earlier scan. */
import { join } from 'node:path'
import type { InboundRoute } from '../../config/routes.ts'
import { WATCH_DEFAULTS } from '../../config/schedule.ts'
import { runInbound } from '../../pipeline/inbound/inbound.ts'
import { notifySkippedFiles } from '../../pipeline/inbound/intake.ts'
import { createFileBackoff, createFileTracker, type ScanTimes } from '../../pipeline/inbound/file-tracker.ts'
import { type InboxScan, scanInbox } from '../../pipeline/inbound/inbox.ts'
import { elapsed } from '../../support/clock.ts'
import { buildInboundRoute } from '../../pipeline/route-settings.ts'
import type { RouteWork } from '../run-route.ts'
import { getMailbox } from '../journal-access.ts'
import { createWakeableTimer } from '../../support/async.ts'
import { createFolderWatcher } from './folder-watcher.ts'
import { toBridgeError } from '../outcome.ts'
import { createRouteWorker, type WatchContext } from './route-worker.ts'

/** Where the system does not tell of new files, looks are no more than this apart. */
const UNRELIABLE_SCAN_MS = 5_000

/** After a ring, a folder is let alone for so many times the time that a look at it takes. */
const REST_FACTOR = 3
const REST_MIN_MS = 25

/** While files of it are worked on, what comes meanwhile is only looked for so that it becomes stable meanwhile. */
const BUSY_SCAN_FACTOR = 20
const BUSY_SCAN_MIN_MS = 500

/** An empty file may be one into which somebody writes the first row only when a long query is done. */
const EMPTY_FILE_MS = 15 * 60_000

/** Until the signal fires. */
export async function watchInbox(context: WatchContext, route: InboundRoute): Promise<void> {
  const inbox = createWatchedInbox(context, route)
  const { signal, timer, worker } = inbox
  while (!signal.aborted) {
    const began = elapsed(inbox.clock)
    const scan = await scanOnce(inbox)
    const ended = elapsed(inbox.clock)
    if (signal.aborted) break
    const isReady = scan?.ready.some(({ name }) => !inbox.backoff.isBackedOff(name)) ?? false
    worker.startIfDue(isReady, inbox.work, timer.wake)
    // All that it would tell of is the pass itself, and to tell that, its library looks at each file that lies there.
    if (worker.isBusy()) await inbox.folderWatcher?.close()
    inbox.state.wasWatching = inbox.folderWatcher?.isActive() ?? false
    inbox.state.wasWoken = await timer.wait(computeWait(inbox, scan, ended - began))
    // What is written goes on ringing; the looks must not take the time that others need.
    if (inbox.state.wasWoken) await restAfterScan(inbox, { began, ended })
  }
  await inbox.folderWatcher?.close()
  await worker.waitUntilIdle()
}

type WatchedInbox = ReturnType<typeof createWatchedInbox>

function createWatchedInbox({ context, ...parts }: WatchContext, route: InboundRoute) {
  const { configuration, options, journal } = context
  const { clock, notify } = options
  const { signal } = parts
  const timer = createWakeableTimer(clock, signal)
  const tracker = createFileTracker(EMPTY_FILE_MS)
  const backoff = createFileBackoff()
  const source = getMailbox(context, route.from.mailbox)
  const scanContext = { clock, journal, source, route: buildInboundRoute(configuration, route) }
  const mailbox = configuration.mailboxes[route.from.mailbox]
  /** Undefined where the mailbox is no folder of this machine. */
  const path = mailbox?.type === 'directory' ? join(mailbox.path, ...route.from.folder.split('/')) : undefined
  const state = {
    /** Whether the last waiting ended with a ring. */
    wasWoken: false,
    /** Whether there was a bell to ring. */
    wasWatching: false,
    lastChangeAt: -Infinity,
    /** When the last look began. */
    scannedAt: 0,
    /** When a look found something that no ring had told of. */
    unannouncedAt: undefined as number | undefined,
    isUnreliable: false,
    hasScanned: false,
  }
  const reportUnreliable = (why: string) => {
    if (state.isUnreliable) return
    state.isUnreliable = true
    notify({ kind: 'watcher-unreliable', route: route.name, folder: path ?? route.from.folder, why })
  }
  const onChange = () => {
    state.lastChangeAt = elapsed(clock)
    timer.wake()
  }
  const hooks = { onChange, onStarted: timer.wake, onUnavailable: reportUnreliable }
  const work: RouteWork = {
    scheduleMode: 'due',
    inbound: (own, progress) => runInbound({ ...own, fileTracker: tracker, fileBackoff: backoff }, progress),
  }
  const shared = { clock, signal, timer, scanContext, tracker, backoff, reportUnreliable, work, state }
  return {
    ...shared,
    worker: createRouteWorker({ context, ...parts }, route, backoff),
    /** Undefined where no system could tell. */
    folderWatcher: path === undefined ? undefined : createFolderWatcher({ path, ...hooks }),
    reportSkipped: ({ skippedFiles }: InboxScan) =>
      notifySkippedFiles({ ...scanContext, notify }, skippedFiles, tracker),
    isUnfinished: async () => (await journal.listUnfinishedRoutes()).includes(route.name),
    scanMs: (configuration.watch ?? WATCH_DEFAULTS).scanMs,
  }
}

/** Undefined when the folder could not be looked at. */
async function scanOnce(inbox: WatchedInbox): Promise<InboxScan | undefined> {
  const { clock, worker, folderWatcher, scanContext, tracker, reportSkipped } = inbox
  const began = elapsed(clock)
  try {
    // What was begun goes on even where the folder is away.
    if (!worker.isBusy()) worker.setUnfinished(await inbox.isUnfinished())
    const scan = await scanInbox(scanContext, tracker)
    worker.reportScanSuccess()
    if (!worker.isBusy()) await folderWatcher?.ensureStarted()
    checkReliability(inbox, scan, began)
    reportSkipped(scan)
    return scan
  } catch (error) {
    worker.reportScanFailure(toBridgeError(error), elapsed(clock) - began)
    await folderWatcher?.close()
    return undefined
  }
}

/** A ring may come a little after the look that it is about. */
const EVENT_DELAY_MS = 1_000

/** Finds out whether the bell tells of what the looks find. */
function checkReliability(inbox: WatchedInbox, { hasChanges }: InboxScan, began: number): void {
  const now = elapsed(inbox.clock)
  const { state } = inbox
  const { unannouncedAt, lastChangeAt } = state
  // A share may well tell of what is done from here, and of nothing that others do.
  if (hasChanges && lastChangeAt >= state.scannedAt) state.isUnreliable = false
  state.scannedAt = began
  if (unannouncedAt !== undefined && now - unannouncedAt >= EVENT_DELAY_MS) {
    if (lastChangeAt < unannouncedAt - EVENT_DELAY_MS)
      inbox.reportUnreliable('the system did not report a file that came')
    state.unannouncedAt = undefined
  }
  if (hasChanges && state.hasScanned && state.wasWatching && !state.wasWoken) state.unannouncedAt ??= now
  state.hasScanned = true
}

/** Until the next look, unless somebody rings. */
function computeWait(
  { worker, scanContext, scanMs, state }: WatchedInbox,
  latest: InboxScan | undefined,
  tookMs: number,
) {
  const scan = state.isUnreliable ? Math.min(scanMs, UNRELIABLE_SCAN_MS) : scanMs
  const busy = Math.max(BUSY_SCAN_MIN_MS, tookMs * BUSY_SCAN_FACTOR, scanContext.route.stableForMs)
  if (worker.isBusy()) return Math.min(scan, busy)
  const times = [scan, latest?.stableInMs, worker.dueInMs()].filter((ms) => ms !== undefined)
  return Math.max(0, Math.min(...times))
}

/** From the end of the last look on, however long ago that is. */
async function restAfterScan({ clock, signal }: WatchedInbox, { began, ended }: ScanTimes): Promise<void> {
  const left = ended + Math.max(REST_MIN_MS, (ended - began) * REST_FACTOR) - elapsed(clock)
  if (left > 0) await clock.sleep(left, signal)
}
