/** Alerts about folders that change slowly: unfetched results and deliveries, files among them, archived files that grew. */
import { posix } from 'node:path'
import type { Configuration } from '../config/configuration.ts'
import type { OutputFolder } from '../config/folders.ts'
import { listScannedInboxes, type ScannedInbox } from '../config/routes.ts'
import { type Alert, createAlert } from '../domain/alert.ts'
import type { FileEntry } from '../domain/file.ts'
import type { FileInfo } from '../domain/mailbox.ts'
import { assertResultsUnused } from '../pipeline/inbound/inbox.ts'
import { DAY_MS, HOUR_MS, isoTime } from '../support/clock.ts'
import {
  type EvaluationContext,
  findWithCache,
  type FolderRef,
  formatFolder,
  limitAlerts,
} from './context.ts'
import {
  createMisplacedAlert,
  type MisplacedFile,
  normalizeAll,
  noteMisplaced,
  READ_MAX,
} from './misplaced.ts'

/** The age of a file is what its mailbox says: a day more or less changes nothing. */
export async function findFullFolders(context: EvaluationContext): Promise<Alert[]> {
  const { configuration, listings, now } = context
  const found: Alert[] = []
  for (const [place, { alertIfNotEmptiedMs, ...ref }] of listFoldersToEmpty(configuration)) {
    const find = async () => {
      const files = await listings.list(ref)
      return files && findOldFiles(files, place, alertIfNotEmptiedMs, now)
    }
    found.push(...(await findWithCache(context, `emptied ${place}`, find)))
  }
  return found
}

/** A missing folder of results, where reports were left before, counts as unreachable (`mailbox-away`). */
export async function checkResultsFolders({ configuration, journal, listings }: EvaluationContext) {
  for (const { key: name, results: place } of listResultFolders(configuration)) {
    const { folder } = place
    await listings.tryMailbox(place, async (results) => {
      if (await results.hasFolder(folder)) return
      await assertResultsUnused({ journal, results, route: { name, resultsFolder: folder } })
    })
  }
}

/** Those of routes, and of inboxes of interchanges. */
function listResultFolders({ routes, edi }: Configuration): { key: string; results: OutputFolder }[] {
  const ofRoutes = routes.flatMap((route) =>
    route.direction === 'inbound' ? [{ key: route.name, results: route.results }] : [],
  )
  return [...ofRoutes, ...(edi?.inboxes ?? [])]
}

interface Outbox extends FolderRef {
  readonly alertIfNotEmptiedMs: number
}

/** Each folder once, with the shortest of the times that its routes set. */
function listFoldersToEmpty(configuration: Configuration): Map<string, Outbox> {
  const folders = new Map<string, Outbox>()
  const exports = configuration.routes.flatMap((route) => (route.direction === 'outbound' ? [route.to] : []))
  const results = listResultFolders(configuration).map((each) => each.results)
  for (const { mailbox, folder, alertIfNotEmptiedMs } of [...results, ...exports]) {
    if (alertIfNotEmptiedMs === undefined) continue
    const place = formatFolder({ mailbox, folder })
    const known = folders.get(place)?.alertIfNotEmptiedMs ?? Infinity
    folders.set(place, { mailbox, folder, alertIfNotEmptiedMs: Math.min(alertIfNotEmptiedMs, known) })
  }
  return folders
}

function findOldFiles(
  files: readonly FileInfo[],
  place: string,
  alertIfNotEmptiedMs: number,
  now: number,
): Alert[] {
  // A listing starts with the oldest.
  const old = files.filter(({ modifiedAt }) => modifiedAt <= now - alertIfNotEmptiedMs)
  const [oldest] = old
  if (oldest === undefined) return []
  const many = old.length === 1 ? '1 file lies' : `${old.length} files lie`
  const since = oldest.modifiedAt + alertIfNotEmptiedMs
  const message = `${many} in ${place} for more than ${Math.round(alertIfNotEmptiedMs / DAY_MS)} days; the oldest, ${oldest.name}, since ${isoTime(oldest.modifiedAt)}`
  return [createAlert({ code: 'folder-not-emptied', subject: place, since, message })]
}

/** Files in a folder of results whose columns a route reads. What the bridge wrote there is known by its name. */
export async function findFilesInResults(context: EvaluationContext): Promise<readonly Alert[]> {
  const { configuration, listings, mailboxes, findReaders, now } = context
  if (findReaders === undefined) return []
  const inboxes = listScannedInboxes(configuration)
  const busy = new Set(normalizeAll(inboxes.flatMap(({ from }) => [from.folder, from.archive])))
  const places = new Map(inboxes.map(({ results }) => [formatFolder(results), results]))
  const alerts: Alert[] = []
  for (const [place, ref] of places) {
    const mailbox = mailboxes.get(ref.mailbox)
    const isHere = configuration.mailboxes[ref.mailbox]?.type === 'directory'
    if (mailbox === undefined || !isHere || busy.has(posix.normalize(ref.folder))) continue
    const takers = inboxes.filter(({ from }) => from.mailbox === ref.mailbox)
    const found = await findWithCache(context, `misplaced in ${place}`, async () => {
      const files = (await listings.list(ref))?.filter(({ name }) => !isReportName(name))
      const misplaced = new Map<string, MisplacedFile>()
      for (const inbox of takers) noteMisplaced(misplaced, inbox, { files: files ?? [], mailbox, now })
      const each = [...misplaced.values()].slice(0, READ_MAX).map(async (one) => {
        const readers = await findReaders(one.path, ref.mailbox)
        return readers === undefined ? [] : [createMisplacedAlert(one, readers)]
      })
      return files && (await Promise.all(each)).flat()
    })
    alerts.push(...limitAlerts(context, found, place))
  }
  return alerts
}

/** The reports of a file: `orders.csv.results.csv`, `orders.csv.rejects.csv`, and their copies by people. */
function isReportName(name: string): boolean {
  return /\.(?:results|rejects|exceptions|summary|sets)(?:[.~-]|$)/i.test(name)
}

// Archived files that grew after they were read: the bridge has not read the new part.

/** The check does not cover writers that continue for longer than from one nightly run to the next. */
const GROWTH_WINDOW_MS = 36 * HOUR_MS

/** How many of the latest files of a route are checked. */
const ARCHIVED_FILES_MAX = 2000

export async function findGrownFiles(context: EvaluationContext): Promise<Alert[]> {
  const find = (inbox: ScannedInbox) =>
    findWithCache(context, `archive of ${inbox.key}`, () => findGrownInArchive(context, inbox))
  return (await Promise.all(listScannedInboxes(context.configuration).map(find))).flat()
}

/** Undefined when the archive is away. */
async function findGrownInArchive(
  { journal, listings, mailboxes, now }: EvaluationContext,
  { key: route, from }: ScannedInbox,
): Promise<Alert[] | undefined> {
  // A file that stays in its inbox is found there, and taken as another one.
  if (mailboxes.get(from.mailbox)?.claimsInPlace === true) return []
  const latest = await journal.listRecentFiles(ARCHIVED_FILES_MAX, route)
  const late = latest.filter(({ archivedAs, closedAt = 0 }) => {
    return archivedAs !== undefined && now - closedAt <= GROWTH_WINDOW_MS
  })
  if (late.length === 0) return []
  const sizes = await listings.tryMailbox({ mailbox: from.mailbox, folder: from.archive }, (mailbox) =>
    mailbox.getArchivedSizes(late.map(({ archivedAs = '' }) => archivedAs)),
  )
  return sizes && late.flatMap((file) => buildGrownAlert(file, from, sizes.get(file.archivedAs ?? ''), now))
}

function buildGrownAlert(
  { route, name, size: read, archivedAs = '' }: FileEntry,
  { mailbox, folder }: ScannedInbox['from'],
  size = 0,
  since: number,
): Alert[] {
  if (size <= read) return []
  const message = `${archivedAs} has grown since it was read: it has ${size} bytes, of which ${read} were read`
  const fix = `Move it back into ${folder} as ${name}: what was sent of it counts as duplicate.`
  return [{ code: 'file-appended', route, subject: `${mailbox}:${archivedAs}`, since, message, fix }]
}
