/** Alerts about files where no run looks: above an inbox, beside one, in a folder within one, or in a folder of exports. */
import { dirname, posix, sep } from 'node:path'
import type { Configuration } from '../config/configuration.ts'
import { formatIntakeKey } from '../config/edi.ts'
import { resolvePlace } from '../config/mailboxes.ts'
import { listScannedInboxes, type Route, type ScannedInbox } from '../config/routes.ts'
import { type Alert, createAlert } from '../domain/alert.ts'
import type { FileInfo, Mailbox } from '../domain/mailbox.ts'
import { isListedName } from '../mailboxes/names.ts'
import { refuseToCreateFolder } from '../pipeline/inbound/inbox.ts'
import { compileFilePattern } from '../support/name-pattern.ts'
import { groupBy } from '../support/collections.ts'
import { findSimilarName } from '../support/text.ts'
import { type EvaluationContext, findWithCache, formatFolder, limitAlerts, toNamePattern } from './context.ts'
import type { InboxWithFolders } from './inboxes.ts'

/** Looks only into folders of this machine: on a server each listing costs a call, and may be forbidden. */
export async function findMisplacedFiles(context: EvaluationContext): Promise<readonly Alert[]> {
  const { configuration, mailboxes } = context
  const configured = listConfiguredFolders(configuration)
  const alerts: Alert[] = []
  const listings = new Map<string, Promise<readonly FileInfo[]>>()
  for (const inbox of listScannedInboxes(configuration)) {
    const { mailbox: name } = inbox.from
    const mailbox = mailboxes.get(name)
    if (mailbox === undefined || configuration.mailboxes[name]?.type !== 'directory') continue
    const folders = await listFoldersBeside(inbox, mailbox, configured)
    const outboxes = listOutboxes(configuration, inbox)
    for (const folder of [...folders, ...outboxes.keys()]) {
      const place = formatFolder({ mailbox: name, folder })
      const listing = listings.get(place) ?? listFiles(mailbox, folder)
      listings.set(place, listing)
      const isOwn = createOwnFilter(context, outboxes.get(folder))
      const files = (await listing).filter(({ name }) => !isOwn(name))
      alerts.push(...createAlerts(inbox, { files, mailbox, now: context.now }))
    }
  }
  // Several routes may take such names: the first one counts.
  const once = new Map(alerts.toReversed().map((alert) => [alert.subject, alert]))
  return limitAlerts(context, [...once.values()].toReversed(), 'beside the inboxes')
}

/** Their files belong there, whatever their names. */
function listConfiguredFolders(configuration: Configuration): ReadonlySet<string> {
  const { routes, edi } = configuration
  const answers = (edi?.partners ?? []).flatMap(({ to }) => to?.folder ?? [])
  const ofRoutes = routes.flatMap((route) =>
    route.direction === 'outbound' ? [route.to.folder, route.receipt?.folder] : [],
  )
  return new Set([...listIntakeFolders(configuration), ...normalizeAll([...ofRoutes, ...answers])])
}

/** The folders of what comes in: files, and what became of them. */
function listIntakeFolders(configuration: Configuration): string[] {
  return normalizeAll([
    ...listScannedInboxes(configuration).flatMap(({ from, results }) => [
      from.folder,
      from.archive,
      results.folder,
    ]),
    ...configuration.routes.flatMap((route: Route) =>
      route.direction === 'inbound' ? [route.results.folder, route.documents?.folder] : [],
    ),
  ])
}

function normalizeAll(folders: readonly (string | undefined)[]): string[] {
  return folders.flatMap((folder) => (folder === undefined ? [] : posix.normalize(folder)))
}

async function listFoldersBeside({ from }: ScannedInbox, mailbox: Mailbox, configured: ReadonlySet<string>) {
  const own = posix.normalize(from.folder)
  const parent = posix.dirname(own)
  const names = (await mailbox.listNames(parent).catch(() => undefined)) ?? []
  const isMistyped = (name: string) =>
    findSimilarName(name, [posix.basename(own)]) !== undefined && !configured.has(posix.join(parent, name))
  const mistyped = [...names].filter(isMistyped).map((name) => posix.join(parent, name))
  return [...new Set([parent, ROOT])].filter((folder) => !configured.has(folder)).concat(mistyped)
}

/** The folder of a mailbox itself. */
const ROOT = '.'

/** A folder that the bridge delivers to, and the template of the names. */
interface Outbox {
  readonly mailbox: string
  readonly folder: string
  readonly name: string
}

/** The folders that the bridge delivers to in the mailbox of the inbox, and in which it takes no files. */
function listOutboxes(configuration: Configuration, { from }: ScannedInbox): Map<string, Outbox[]> {
  const { routes, edi } = configuration
  const intake = new Set(listIntakeFolders(configuration))
  const outboxes = [
    ...routes.flatMap((route) => (route.direction === 'outbound' ? [route.to] : [])),
    ...(edi?.partners ?? []).flatMap(({ to }) => to ?? []),
  ]
  const here = outboxes.filter(
    ({ mailbox, folder }) => mailbox === from.mailbox && !intake.has(posix.normalize(folder)),
  )
  return groupBy(here, ({ folder }) => posix.normalize(folder))
}

/** Recognizes the files of the bridge, and the receipts for them, by their names. */
function createOwnFilter({ configuration }: EvaluationContext, outboxes: readonly Outbox[] = []) {
  const receipts = configuration.routes.flatMap((route) =>
    route.direction === 'outbound' && route.receipt ? [toNamePattern(route.receipt.match)] : [],
  )
  const templates = outboxes.flatMap(({ name }) => {
    const pattern = name.replace(/\{[^{}]*\}/g, '*')
    // A name that was taken got a number before its extension.
    return [pattern, pattern.replace(/(\.[^.]*)?$/, '~*$1')]
  })
  const isOwn = outboxes.length === 0 ? [] : [...templates, ...receipts].map(compileFilePattern)
  return (name: string) => isOwn.some((matches) => matches(name))
}

/** None where the folder is missing or may not be read. */
async function listFiles(mailbox: Mailbox, folder: string): Promise<readonly FileInfo[]> {
  const list = () => mailbox.list(folder, undefined, () => refuseToCreateFolder(folder))
  const isFolder = await mailbox.hasFolder(folder).catch(() => false)
  return isFolder ? list().catch(() => []) : []
}

/** For files that the inbox would take, once they have stopped changing: a writer may move a file from there. */
function createAlerts(
  { key, from }: ScannedInbox,
  { files, mailbox, now }: { files: readonly FileInfo[]; mailbox: Mailbox; now: number },
): Alert[] {
  const isWanted = createWantedFilter(from)
  return files
    .filter((file) => isWanted(file, now))
    .map(({ folder, name, modifiedAt: since }) => {
      const path = mailbox.describe(folder, name)
      const message = `${path} is in no inbox; ${formatIntakeKey(key)} takes such names from ${from.folder}`
      return createAlert({ code: 'file-misplaced', subject: path, since, message })
    })
}

/** Recognizes files that the route would take, and that have stopped changing. */
function createWantedFilter({ match, stableForMs }: ScannedInbox['from']) {
  const isWantedName = match === '*' ? isDataName : compileFilePattern(match)
  return ({ name, modifiedAt }: FileInfo, now: number) =>
    isWantedName(name) && now - modifiedAt >= stableForMs
}

/** Where every name is taken, those of data files: a note for people stays where it is. */
function isDataName(name: string): boolean {
  return /\.(?:csv|tsv|txt|dat|psv|edi|edifact|x12|xlsx?|gz)$/i.test(name) && !/^read.?me/i.test(name)
}

// Folders within an inbox: a run does not read them.

/** People sort files by year, month and day; a scan of more would take its time each minute. */
const DEPTH_MAX = 3
const FOLDERS_MAX = 50

/** Only in folders of this machine, as above, and not in folders that a route or the bridge itself uses. */
export async function findFilesInFolders(
  context: EvaluationContext,
  inboxes: readonly InboxWithFolders[],
): Promise<readonly Alert[]> {
  const used = listUsedPlaces(context.configuration)
  const alerts: Alert[] = []
  for (const { takers, folders } of inboxes) {
    const [{ from }] = takers
    const { mailbox: name } = from
    const mailbox = context.mailboxes.get(name)
    if (mailbox === undefined || context.configuration.mailboxes[name]?.type !== 'directory') continue
    const isFree = (folder: string) => {
      const place = resolvePlace(context.configuration.mailboxes, { mailbox: name, folder })
      return !used.some((each) => each === place || each.startsWith(`${place}${sep}`))
    }
    const place = formatFolder(from)
    // Someone may keep an archive there, and listing that each minute is not cheap.
    const found = await findWithCache(context, `within ${place}`, async () => {
      const first = folders.map((folder) => posix.join(from.folder, folder))
      return createInnerAlerts(takers, mailbox, await listFilesBelow(mailbox, first, isFree), context.now)
    })
    alerts.push(...limitAlerts(context, found, `within ${place}`))
  }
  return alerts
}

/** The folders of all routes, of their mappings and of the state. */
function listUsedPlaces({ routes, edi, mailboxes, stateFolder, journal }: Configuration): string[] {
  const place = (mailbox: string, folder: string) => resolvePlace(mailboxes, { mailbox, folder })
  const ofRoutes = routes.flatMap((route) => {
    if (route.direction === 'inbound') {
      const { from, results, documents } = route
      const places = [place(from.mailbox, from.folder), place(from.mailbox, from.archive)]
      places.push(place(results.mailbox, results.folder))
      return documents === undefined ? places : [...places, place(documents.mailbox, documents.folder)]
    }
    const { to, receipt } = route
    const target = place(to.mailbox, to.folder)
    if (receipt === undefined) return [target]
    const { mailbox, folder, archive } = receipt
    return [target, place(mailbox, folder), place(mailbox, archive)]
  })
  const ofInboxes = (edi?.inboxes ?? []).map(({ results }) => place(results.mailbox, results.folder))
  const ofPartners = (edi?.partners ?? []).flatMap(({ to }) =>
    to === undefined ? [] : [place(to.mailbox, to.folder)],
  )
  const mappings = routes.map(({ mappingPath }) => dirname(mappingPath))
  return [...ofRoutes, ...ofInboxes, ...ofPartners, ...mappings, stateFolder, dirname(journal.path)]
}

/** The folders level by level, as far as they are few. A folder that cannot be read has no files. */
async function listFilesBelow(
  mailbox: Mailbox,
  first: readonly string[],
  isFree: (folder: string) => boolean,
): Promise<readonly FileInfo[]> {
  const files: FileInfo[] = []
  let level = first.filter(isFree)
  let rest = FOLDERS_MAX
  for (let depth = 1; depth <= DEPTH_MAX; depth += 1) {
    const folders = level.slice(0, rest)
    rest -= folders.length
    for (const folder of folders) files.push(...(await listFiles(mailbox, folder)))
    if (depth < DEPTH_MAX && rest > 0) level = (await listFoldersIn(mailbox, folders)).filter(isFree)
  }
  return files
}

async function listFoldersIn(mailbox: Mailbox, folders: readonly string[]): Promise<string[]> {
  const inner: string[] = []
  for (const folder of folders) {
    const entries = await mailbox.listIgnored(folder).catch(() => [])
    const names = entries.filter(({ name, kind }) => kind === 'folder' && isListedName(name))
    inner.push(...names.map(({ name }) => posix.join(folder, name)))
  }
  return inner
}

function createInnerAlerts(
  inboxes: readonly ScannedInbox[],
  mailbox: Mailbox,
  files: readonly FileInfo[],
  now: number,
): Alert[] {
  const takers = inboxes.map((inbox) => ({ inbox, isWanted: createWantedFilter(inbox.from) }))
  return files.flatMap((file) => {
    const taker = takers.find(({ isWanted }) => isWanted(file, now))?.inbox
    if (taker === undefined) return []
    const { folder, name, modifiedAt: since } = file
    const inbox = taker.from.folder
    const path = mailbox.describe(folder, name)
    const where = `${path} is in a folder within ${inbox}, the inbox of ${formatIntakeKey(taker.key)}`
    return createAlert({
      code: 'file-misplaced',
      subject: `${formatFolder({ mailbox: taker.from.mailbox, folder })}/${name}`,
      since,
      message: `${where}; a run does not read folders in an inbox`,
      fix: `Move it up into ${inbox}, or out of the inbox if no route is to take it.`,
    })
  })
}
