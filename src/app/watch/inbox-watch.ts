/** Watches one inbox. Scans decide what to do; file-system events only trigger an earlier scan. */
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { InterchangeInbox } from '../../config/edi.ts'
import type { InboundRoute } from '../../config/routes.ts'
import { WATCH_DEFAULTS } from '../../config/schedule.ts'
import { runInbound } from '../../pipeline/inbound/inbound.ts'
import { notifySkippedFiles } from '../../pipeline/inbound/intake.ts'
import {
  createFileBackoff,
  createFileTracker,
  type FileBackoff,
  type FileTracker,
  type ScanTimes,
} from '../../pipeline/inbound/file-tracker.ts'
import { type InboxScan, scanInbox } from '../../pipeline/inbound/inbox.ts'
import { elapsed } from '../../support/clock.ts'
import { createPlaceBackoff } from '../../pipeline/interchanges/context.ts'
import { runInterchanges } from '../../pipeline/interchanges/interchange-pass.ts'
import { buildIntakeRoute } from '../../pipeline/route-settings.ts'
import { runInbox } from '../run-inbox.ts'
import { type RouteWork, runRoute } from '../run-route.ts'
import { getMailbox } from '../journal-access.ts'
import { createWakeableTimer } from '../../support/async.ts'
import { type RouteResult, toBridgeError } from '../outcome.ts'
import { createRouteWorker, type WatchContext } from './route-worker.ts'
import { type FSWatcher, watch } from 'chokidar'
import { hasSystemCode } from '../../support/errors.ts'

/** Where the system does not report new files, scans are no further apart than this. */
const UNRELIABLE_SCAN_MS = 5_000

/** After an event, the watch rests for this multiple of the time that a scan takes. */
const REST_FACTOR = 3
const REST_MIN_MS = 25

/** While the route works on files, scans are rare: they only let new files become stable meanwhile. */
const BUSY_SCAN_FACTOR = 20
const BUSY_SCAN_MIN_MS = 500

/** An empty file may get its first row only when a long query of its writer is done. */
const EMPTY_FILE_MS = 15 * 60_000

/** Watches the inbox of a route until the signal fires. */
export function watchRouteInbox(parts: WatchContext, route: InboundRoute): Promise<void> {
  const { context, signal } = parts
  const run = ({ fileTracker, fileBackoff }: InboxPassOptions) => {
    const watched = { fileTracker, fileBackoff, endsAfterFile: parts.ending }
    const work: RouteWork = {
      scheduleMode: 'due',
      inbound: (own, progress) => runInbound({ ...own, ...watched }, progress),
    }
    return runRoute(context, route, signal, work)
  }
  return watchInbox(parts, { ...route, key: route.name, run })
}

/**
 * Watches an inbox of interchanges until the signal fires. Routes that it feeds continue at once, and it continues when they are
 * further. It never wakes a route that it gave nothing: the two would run again and again, for as long as a record waits.
 */
export function watchInterchanges(parts: WatchContext, inbox: InterchangeInbox): Promise<void> {
  const { context, signal, wakers } = parts
  const wakeWhenDue = createDueWaker(parts, inbox.key)
  const placeBackoff = createPlaceBackoff(context.options.clock)
  const run = ({ fileTracker, fileBackoff }: InboxPassOptions) => {
    const watched = { fileTracker, fileBackoff, placeBackoff, endsAfterFile: parts.ending }
    return runInbox(context, inbox, signal, async (own, progress) => {
      try {
        return await runInterchanges({ ...own, ...watched }, progress)
      } finally {
        for (const name of [...progress.fedRoutes, ...progress.answeredRoutes]) wakers.wake(name)
        for (const { answersDueAt } of progress.open) wakeWhenDue(answersDueAt)
      }
    })
  }
  return watchInbox(parts, { ...inbox, run })
}

/** Wakes the inbox when an answer is due: unfinished files alone are tried again with growing pauses. */
function createDueWaker({ context, ending, wakers }: WatchContext, key: string) {
  const { clock } = context.options
  let wakesAt = Infinity
  return (dueAt: number | undefined): void => {
    const now = clock.now()
    // One that was due before could not be delivered, which has pauses of its own.
    if (dueAt === undefined || dueAt <= now || dueAt >= wakesAt) return
    wakesAt = dueAt
    void clock.sleep(dueAt - now, ending).then(() => {
      if (wakesAt === dueAt) wakesAt = Infinity
      wakers.wake(key)
    })
  }
}

interface InboxPassOptions {
  readonly fileTracker: FileTracker
  readonly fileBackoff: FileBackoff
}

/** A place that is scanned, and what is done when there are files. */
interface ScannedInbox extends Pick<InboundRoute, 'from' | 'results'> {
  readonly key: string
  readonly run: (options: InboxPassOptions) => Promise<RouteResult>
}

async function watchInbox(context: WatchContext, scanned: ScannedInbox): Promise<void> {
  const inbox = createWatchedInbox(context, scanned)
  const { ending, timer, worker } = inbox
  while (!ending.aborted) {
    const began = elapsed(inbox.clock)
    const scan = await scanOnce(inbox)
    const ended = elapsed(inbox.clock)
    if (ending.aborted) break
    const isReady = scan?.ready.some(({ name }) => !inbox.backoff.isBackedOff(name)) ?? false
    worker.startIfDue(isReady, undefined, timer.wake)
    // It would only report the pass itself, and for that its library inspects each file in the folder.
    if (worker.isBusy()) await inbox.folderWatcher?.close()
    inbox.state.wasWatching = inbox.folderWatcher?.isActive() ?? false
    inbox.state.wasWoken = await timer.wait(computeWait(inbox, scan, ended - began))
    // A file that is being written causes events all the time; scans must not take the time of other work.
    if (inbox.state.wasWoken) await restAfterScan(inbox, { began, ended })
  }
  await inbox.folderWatcher?.close()
  await worker.waitUntilIdle()
}

type WatchedInbox = ReturnType<typeof createWatchedInbox>

function createWatchedInbox({ context, ...parts }: WatchContext, inbox: ScannedInbox) {
  const { key, from } = inbox
  const { configuration, options, journal } = context
  const { clock, notify } = options
  const { ending } = parts
  const timer = createWakeableTimer(clock, ending)
  const tracker = createFileTracker(EMPTY_FILE_MS)
  const backoff = createFileBackoff()
  const source = getMailbox(context, from.mailbox)
  const scanContext = { clock, journal, source, route: buildIntakeRoute(inbox) }
  const mailbox = configuration.mailboxes[from.mailbox]
  /** Undefined where the mailbox is no folder of this machine. */
  const path = mailbox?.type === 'directory' ? join(mailbox.path, ...from.folder.split('/')) : undefined
  const state = {
    /** Whether an event ended the last wait. */
    wasWoken: false,
    wasWatching: false,
    lastChangeAt: -Infinity,
    scannedAt: 0,
    /** When a scan found a change without an event. */
    unannouncedAt: undefined as number | undefined,
    isUnreliable: false,
    hasScanned: false,
  }
  const reportUnreliable = (why: string) => {
    if (state.isUnreliable) return
    state.isUnreliable = true
    notify({ kind: 'watcher-unreliable', route: key, folder: path ?? from.folder, why })
  }
  const onChange = () => {
    state.lastChangeAt = elapsed(clock)
    timer.wake()
  }
  const hooks = { onChange, onStarted: timer.wake, onUnavailable: reportUnreliable }
  const shared = { clock, ending, timer, scanContext, tracker, backoff, reportUnreliable, state }
  const run = () => inbox.run({ fileTracker: tracker, fileBackoff: backoff })
  const worker = createRouteWorker({ context, ...parts }, { name: key, run }, backoff)
  parts.wakers.add(key, () => {
    worker.resume()
    timer.wake()
  })
  return {
    ...shared,
    worker,
    /** Undefined where no system can report changes. */
    folderWatcher: path === undefined ? undefined : createFolderWatcher({ path, ...hooks }),
    reportSkipped: ({ skippedFiles }: InboxScan) =>
      notifySkippedFiles({ ...scanContext, notify }, skippedFiles, tracker),
    isUnfinished: async () => (await journal.listUnfinishedRoutes()).includes(key),
    scanMs: (configuration.watch ?? WATCH_DEFAULTS).scanMs,
  }
}

/** Undefined when the folder could not be scanned. */
async function scanOnce(inbox: WatchedInbox): Promise<InboxScan | undefined> {
  const { clock, worker, folderWatcher, scanContext, tracker, reportSkipped } = inbox
  const began = elapsed(clock)
  try {
    // Work that was begun continues even where the folder is away.
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

/** An event may come a little after the scan that found its change. */
const EVENT_DELAY_MS = 1_000

/** Finds out whether events report the changes that scans find. */
function checkReliability(inbox: WatchedInbox, { hasChanges }: InboxScan, began: number): void {
  const now = elapsed(inbox.clock)
  const { state } = inbox
  const { unannouncedAt, lastChangeAt } = state
  // A share may report changes made on this machine, and none made elsewhere.
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

/** The wait until the next scan, unless an event comes first. */
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

/** Counts from the end of the last scan, however long ago that is. */
async function restAfterScan({ clock, ending }: WatchedInbox, { began, ended }: ScanTimes): Promise<void> {
  const left = ended + Math.max(REST_MIN_MS, (ended - began) * REST_FACTOR) - elapsed(clock)
  if (left > 0) await clock.sleep(left, ending)
}

// Reports that something happened in a folder. The operating system may miss events or refuse to watch.

interface FolderWatcherOptions {
  readonly path: string
  readonly onChange: () => void
  /** Called when watching starts: changes between the last scan and this moment were not reported. */
  readonly onStarted: () => void
  /** The system does not report changes of this folder; called once for each reason. */
  readonly onUnavailable: (why: string) => void
}

export function createFolderWatcher({ path, onChange, onStarted, onUnavailable }: FolderWatcherOptions) {
  let active: { readonly watcher: FSWatcher; readonly folder: string } | undefined
  let lastReason: string | undefined
  const close = async () => {
    const { watcher } = active ?? {}
    active = undefined
    await watcher?.close()
  }
  const fail = (error: unknown) => {
    const why = describeWatchError(error)
    void close()
    if (why !== lastReason) onUnavailable(why)
    lastReason = why
  }
  return {
    close,
    isActive: () => active !== undefined,
    /**
     * Starts watching, and starts anew when the path is another folder now: a share that was mounted again looks the same and
     * reports nothing. Call it right after a scan has read the folder.
     */
    async ensureStarted(): Promise<void> {
      try {
        // The system soon reuses the inode number of a removed folder.
        const { dev, ino, birthtimeMs } = await stat(path)
        const folder = `${dev}:${ino}:${birthtimeMs}`
        if (active?.folder === folder) return
        await close()
        active = { watcher: startWatching(path, onChange, fail).on('ready', onStarted), folder }
      } catch (error) {
        fail(error)
      }
    },
  }
}

/** Ignores the files: watching each of them costs memory and time, and any event of the folder triggers a scan. */
function startWatching(path: string, onEvent: () => void, fail: (error: unknown) => void): FSWatcher {
  const ignored = (each: string) => resolve(each) !== path
  const watcher = watch(path, { depth: 0, ignoreInitial: true, ignored })
  return watcher.on('raw', onEvent).on('all', onEvent).on('error', fail)
}

function describeWatchError(error: unknown): string {
  if (hasSystemCode(error, 'ENOSPC'))
    return 'the limit of watched folders is reached; raise fs.inotify.max_user_watches'
  if (hasSystemCode(error, 'EMFILE', 'ENFILE'))
    return 'too many files are open; raise fs.inotify.max_user_instances and the limit of open files'
  return error instanceof Error ? error.message : String(error)
}
