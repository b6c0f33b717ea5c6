/** Alerts about files where no run looks: above an inbox, beside one, in a folder within one, or in a folder of exports. */
import { dirname, posix, sep } from 'node:path'
import type { Configuration } from '../config/configuration.ts'
import { formatIntakeKey, isInboxKey } from '../config/edi.ts'
import { resolvePlace } from '../config/mailboxes.ts'
import { listScannedInboxes, type Route, type ScannedInbox } from '../config/routes.ts'
import { type Alert, createAlert } from '../domain/alert.ts'
import type { FileInfo, Mailbox } from '../domain/mailbox.ts'
import { isListedName } from '../mailboxes/names.ts'
import { refuseToCreateFolder } from '../pipeline/inbound/inbox.ts'
import type { FileReaders } from '../pipeline/inbound/wrong-inbox.ts'
import { compileFilePattern } from '../support/name-pattern.ts'
import { groupBy } from '../support/collections.ts'
import { findSimilarName } from '../support/text.ts'
import {
  type EvaluationContext,
  findWithCache,
  type FolderRef,
  formatFolder,
  limitAlerts,
  toNamePattern,
} from './context.ts'
import type { InboxWithFolders } from './inboxes.ts'

/** Looks only into folders of this machine: on a server each listing costs a call, and may be forbidden. */
export async function findMisplacedFiles(context: EvaluationContext): Promise<readonly Alert[]> {
  const { configuration, mailboxes } = context
  const configured = listConfiguredFolders(configuration)
  const misplaced = new Map<string, MisplacedFile>()
  const listings = new Map<string, Promise<readonly FileInfo[]>>()
  const intake = new Set(listIntakeFolders(configuration))
  const findMistyped = createMistypedFolderFinder(configuration)
  const mistyped = await listMistypedInboxes(context, findMistyped)
  for (const inbox of listScannedInboxes(configuration)) {
    const { mailbox: name } = inbox.from
    const mailbox = mailboxes.get(name)
    if (mailbox === undefined || configuration.mailboxes[name]?.type !== 'directory') continue
    const parent = posix.dirname(posix.normalize(inbox.from.folder))
    const beside = [...new Set([parent, ROOT])].filter((folder) => !configured.has(folder))
    const folders = [...beside, ...(await findMistyped(inbox, mailbox))]
    const outboxes = listOutboxes(configuration, inbox, intake)
    for (const folder of [...folders, ...outboxes.keys()]) {
      // One alert about the folder says more than one about each of its files.
      if (mistyped.some((each) => each.mailbox === name && each.folder === folder)) continue
      const place = formatFolder({ mailbox: name, folder })
      const listing = listings.get(place) ?? listFiles(mailbox, folder)
      listings.set(place, listing)
      const isOwn = createOwnFilter(context, outboxes.get(folder))
      const files = (await listing).filter(({ name }) => !isOwn(name))
      noteMisplaced(misplaced, inbox, { files, mailbox, now: context.now })
    }
  }
  const files = await describeFirst(context, [...misplaced.values()])
  return [
    ...limitAlerts(context, files, 'beside the inboxes'),
    ...mistyped.map((each) => createMistypedAlert(each, context.now)),
  ]
}

/** A file in no inbox, and the inboxes that would take such a name. */
export interface MisplacedFile {
  readonly path: string
  readonly file: FileInfo
  readonly takers: ScannedInbox[]
}

/** Only files that are listed one by one are read: which routes read the columns of the file. */
async function describeFirst({ findReaders }: EvaluationContext, all: readonly MisplacedFile[]) {
  return Promise.all(
    all.map(async (each, index) => {
      const { path, takers } = each
      const mailbox = takers[0]?.from.mailbox ?? ''
      const readers = index < READ_MAX ? await findReaders?.(path, mailbox) : undefined
      return createMisplacedAlert(each, readers)
    }),
  )
}

/** As many as are listed one by one. */
export const READ_MAX = 20

export function createMisplacedAlert({ path, file, takers }: MisplacedFile, readers?: FileReaders): Alert {
  const { folder, name, modifiedAt: since } = file
  const [first] = takers
  // Not the path: the mailbox may be moved.
  const about = {
    code: 'file-misplaced',
    subject: `${first?.from.mailbox}:${posix.join(folder, name)}`,
    since,
  } as const
  if (readers !== undefined)
    return createAlert({
      ...about,
      message: `${path} is in no inbox; ${readers.what}`,
      fix: formatMove(readers),
    })
  const names = takers.map(({ key }) => formatIntakeKey(key))
  const take =
    names.length === 1
      ? `${names[0]} takes such names from ${first?.from.folder}`
      : `such names are taken by ${names.join(', ')}`
  return createAlert({ ...about, message: `${path} is in no inbox; ${take}` })
}

function formatMove({ inboxes, routes, isOne }: FileReaders): string {
  return isOne
    ? `Move it into ${inboxes}, the inbox of ${routes}.`
    : `Move it into the inbox of one of these routes: ${inboxes}.`
}

// Inboxes whose folder is misspelt in the configuration: the files come into the folder that was meant.

export interface MistypedInbox {
  /** A route, or an inbox of interchanges. */
  readonly key: string
  readonly mailbox: string
  /** The folder beside the inbox, in which files lie. */
  readonly folder: string
  readonly message: string
  readonly fix: string
}

/**
 * Finds empty and missing inboxes of this machine with files in a folder beside them whose name is nearly the same. `keys`:
 * only of these routes and inboxes.
 */
export async function findMistypedInboxes(
  context: MistypedContext,
  keys?: ReadonlySet<string>,
): Promise<readonly MistypedInbox[]> {
  return listMistypedInboxes(context, createMistypedFolderFinder(context.configuration), keys)
}

type MistypedContext = Pick<EvaluationContext, 'configuration' | 'mailboxes' | 'findReaders'>

async function listMistypedInboxes(
  { configuration, mailboxes, findReaders }: MistypedContext,
  findMistyped: ReturnType<typeof createMistypedFolderFinder>,
  keys?: ReadonlySet<string>,
): Promise<readonly MistypedInbox[]> {
  const found: MistypedInbox[] = []
  for (const inbox of listScannedInboxes(configuration)) {
    const { key, from } = inbox
    if (keys?.has(key) === false) continue
    const mailbox = mailboxes.get(from.mailbox)
    if (mailbox === undefined || configuration.mailboxes[from.mailbox]?.type !== 'directory') continue
    const folders = await findMistyped(inbox, mailbox)
    if (folders.length === 0 || (await listFiles(mailbox, from.folder)).length > 0) continue
    const isWanted = createNameFilter(from)
    const isThere = await mailbox.hasFolder(from.folder).catch(() => true)
    for (const folder of folders) {
      const files = (await listFiles(mailbox, folder)).filter(({ name }) => isWanted(name))
      if (files.length === 0) continue
      const state = isThere ? 'is empty' : 'is not there'
      const many = files.length === 1 ? '1 file' : `${files.length} files`
      const isDoubled = folder === leaveOutMailboxPath(configuration, inbox)
      const where = isDoubled ? folder : `${folder} beside it`
      const message = `${formatIntakeKey(key)} reads ${from.folder}, which ${state}; ${many} in ${where}, which no route reads`
      const path = mailbox.describe(folder, files[0]?.name ?? '')
      const readers = await findReaders?.(path, from.mailbox)
      // Where only other routes read them, the folder is not meant for this one.
      const isOther = readers?.isOne === true && readers.routes !== formatIntakeKey(key)
      const correction = isDoubled
        ? `Write \`folder: ${folder}\`: the path of its mailbox ${from.mailbox} ends with the rest already.`
        : `If ${folder} is meant, correct \`folder\` under \`from\`; if not, move its files into ${from.folder}.`
      const fix = isOther
        ? `Move its files into ${readers.inboxes}: their columns are those of ${readers.routes}.`
        : correction
      found.push({ key, mailbox: from.mailbox, folder, message, fix })
    }
  }
  return found
}

function createMistypedAlert({ key, mailbox, folder, message, fix }: MistypedInbox, since: number): Alert {
  const subject = formatFolder({ mailbox, folder })
  return createAlert({ code: 'inbox-mistyped', route: key, subject, since, message, fix })
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

export function normalizeAll(folders: readonly (string | undefined)[]): string[] {
  return folders.flatMap((folder) => (folder === undefined ? [] : posix.normalize(folder)))
}

/**
 * Finds the folders beside an inbox whose names are nearly its own, and nearer to its own than to that of another inbox. Each
 * folder is listed once, because with many routes most inboxes stand beside each other.
 */
function createMistypedFolderFinder(configuration: Configuration) {
  const configured = listConfiguredFolders(configuration)
  const formatParent = ({ from: { mailbox, folder } }: ScannedInbox) =>
    formatFolder({ mailbox, folder: posix.dirname(posix.normalize(folder)) })
  const inboxes = groupBy(listScannedInboxes(configuration), formatParent)
  const known = new Map(
    [...inboxes].map(([place, each]) => [
      place,
      each.map(({ from }) => posix.basename(posix.normalize(from.folder))),
    ]),
  )
  const listings = new Map<string, Promise<readonly string[]>>()
  const listUnknown = async (mailbox: Mailbox, parent: string) => {
    const names = (await mailbox.listNames(parent).catch(() => undefined)) ?? []
    return [...names].filter((name) => !configured.has(posix.join(parent, name)))
  }
  return async (inbox: ScannedInbox, mailbox: Mailbox): Promise<string[]> => {
    const own = posix.normalize(inbox.from.folder)
    const parent = posix.dirname(own)
    const place = formatParent(inbox)
    const listing = listings.get(place) ?? listUnknown(mailbox, parent)
    listings.set(place, listing)
    const similar = (await listing)
      .filter((name) => findSimilarName(name, known.get(place) ?? []) === posix.basename(own))
      .map((name) => posix.join(parent, name))
    const inner = leaveOutMailboxPath(configuration, inbox)
    return inner === undefined || configured.has(inner) ? similar : [...similar, inner]
  }
}

/** The folder of an inbox without the end of its mailbox's path, where it begins with that: `exchange/inbox` in `./exchange`. */
function leaveOutMailboxPath({ mailboxes }: Configuration, { from }: ScannedInbox): string | undefined {
  const mailbox = mailboxes[from.mailbox]
  if (mailbox?.type !== 'directory') return undefined
  const above = mailbox.path.split(/[\\/]/).filter((part) => part !== '')
  const own = posix.normalize(from.folder).split('/')
  for (let count = Math.min(above.length, own.length - 1); count > 0; count--) {
    if (above.slice(-count).join('/') === own.slice(0, count).join('/')) return own.slice(count).join('/')
  }
  return undefined
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
function listOutboxes(
  { routes, edi }: Configuration,
  { from }: ScannedInbox,
  intake: ReadonlySet<string>,
): Map<string, Outbox[]> {
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

/** Notes files that the inbox would take, once they have stopped changing: a writer may move a file from there. */
export function noteMisplaced(
  noted: Map<string, MisplacedFile>,
  inbox: ScannedInbox,
  { files, mailbox, now }: { files: readonly FileInfo[]; mailbox: Mailbox; now: number },
): void {
  const isWanted = createWantedFilter(inbox.from)
  for (const file of files.filter((each) => isWanted(each, now))) {
    const path = mailbox.describe(file.folder, file.name)
    const known = noted.get(path)
    if (known === undefined) noted.set(path, { path, file, takers: [inbox] })
    else known.takers.push(inbox)
  }
}

/** Recognizes files that the inbox would take, and that have stopped changing. */
function createWantedFilter(from: ScannedInbox['from']) {
  const isWantedName = createNameFilter(from)
  return ({ name, modifiedAt }: FileInfo, now: number) =>
    isWantedName(name) && now - modifiedAt >= from.stableForMs
}

function createNameFilter({ match }: ScannedInbox['from']): (name: string) => boolean {
  return match === '*' ? isDataName : compileFilePattern(match)
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

/** The folders of all routes, inboxes and partners, of the mappings and of the state. */
function listUsedPlaces(configuration: Configuration): string[] {
  const { routes, edi, mailboxes, stateFolder, journal } = configuration
  const ofInboxes = listScannedInboxes(configuration).flatMap(({ from, results }) => [
    from,
    { ...from, folder: from.archive },
    results,
  ])
  const ofRoutes = routes.flatMap((route): FolderRef[] => {
    if (route.direction === 'inbound') {
      const { results, documents } = route
      return documents === undefined ? [results] : [results, documents]
    }
    const { to, receipt } = route
    return receipt === undefined ? [to] : [to, receipt, { ...receipt, folder: receipt.archive }]
  })
  const answers = (edi?.partners ?? []).flatMap(({ to }) => to ?? [])
  const places = [...ofInboxes, ...ofRoutes, ...answers].map((ref) => resolvePlace(mailboxes, ref))
  const mappings = routes.map(({ mappingPath }) => dirname(mappingPath))
  return [...places, ...mappings, stateFolder, dirname(journal.path)]
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

function formatInboxOf({ key }: ScannedInbox): string {
  return isInboxKey(key) ? formatIntakeKey(key) : `inbox of ${formatIntakeKey(key)}`
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
    const where = `${path} is in a folder within ${inbox}, the ${formatInboxOf(taker)}`
    return createAlert({
      code: 'file-misplaced',
      subject: `${formatFolder({ mailbox: taker.from.mailbox, folder })}/${name}`,
      since,
      message: `${where}; a run does not read folders in an inbox`,
      fix: `Move it up into ${inbox}, or out of the inbox if no route is to take it.`,
    })
  })
}
