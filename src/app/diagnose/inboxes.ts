/** Finds the inboxes that a file may belong to. */
import { randomUUID } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { Configuration } from '../../config/configuration.ts'
import { buildInboxKey, formatIntakeKey } from '../../config/edi.ts'
import { type InboundRoute, listScannedInboxes, type ScannedInbox } from '../../config/routes.ts'
import type { Mailbox } from '../../domain/mailbox.ts'
import {
  inspectFile,
  listNamesIfAllowed,
  resolveFolderPath,
  resolveRealPath,
} from '../../mailboxes/directory/inspect.ts'
import { isSafeName } from '../../mailboxes/names.ts'
import { compileFilePattern } from '../../support/name-pattern.ts'
import type { Clock } from '../../support/clock.ts'
import { rankSimilarNames } from '../../support/text.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import type { ReaderFinder } from '../../alerts/context.ts'
import { openMailbox } from '../context.ts'
import { type Reason, createReason } from './reasons.ts'

/** A folder that is scanned for files. */
export interface Inbox extends ScannedInbox {
  /** The route that it is of; absent for an inbox of interchanges. */
  readonly route?: InboundRoute
}

export interface LocalInbox extends Inbox {
  readonly root: string
  /** The folder on the disk. */
  readonly place: string
}

export interface RemoteInbox extends Inbox {
  /** Connects with the first call. */
  readonly open: () => Promise<Mailbox>
}

/** An inbox of this machine or of a server. */
export interface OpenInbox extends Inbox {
  readonly mailbox: Mailbox
}

interface LocatedFile {
  readonly name: string
  /** The inboxes that have the file, or should. */
  readonly inboxes: readonly LocalInbox[]
  /** Set when the file is in no inbox. */
  readonly misplaced?: Reason
}

/** `only` is the name of a route, or the key of an inbox of interchanges; a route may take sets of such an inbox. */
function listInboxes(configuration: Configuration, only: string | undefined): Inbox[] {
  const inbound = configuration.routes.filter((route) => route.direction === 'inbound')
  const feeding = inbound.find(({ name }) => name === only)?.from.interchanges
  const wanted = feeding === undefined ? only : buildInboxKey(feeding.inbox)
  return listScannedInboxes(configuration)
    .filter(({ key }) => wanted === undefined || key === wanted)
    .map((scanned) => {
      const route = inbound.find(({ name }) => name === scanned.key)
      return { ...scanned, ...omitUndefined({ route }) }
    })
}

export function listLocalInboxes(configuration: Configuration, only?: string): LocalInbox[] {
  return listInboxes(configuration, only).flatMap((inbox) => {
    const mailbox = configuration.mailboxes[inbox.from.mailbox]
    if (mailbox?.type !== 'directory') return []
    return [{ ...inbox, root: mailbox.path, place: resolveFolderPath(mailbox.path, inbox.from.folder) }]
  })
}

/** A path names its inbox; a bare name is searched in all of them. */
export async function locateFile(
  file: string,
  from: string,
  inboxes: readonly LocalInbox[],
  findReaders?: ReaderFinder,
) {
  const name = basename(file)
  const isPath = file !== name || (await listNamesIfAllowed(from)).includes(name)
  if (!isPath) return locateBelow(await locateByName(name, inboxes), inboxes, findReaders)
  const folder = await resolveRealPath(dirname(resolve(from, file)))
  const here = await findInboxesAt(folder, inboxes)
  if (here.length > 0) return { name, inboxes: preferMatchingRoutes(name, here) }
  const wholeName = await locateByName(name, inboxes)
  // The current folder may have a file with the name of the one in the inbox.
  if (file === name && wholeName.inboxes.length > 0) return wholeName
  return {
    name,
    inboxes: [],
    misplaced: await explainMisplacedFile(join(folder, name), inboxes, findReaders),
  }
}

export async function findInboxesAt(path: string, inboxes: readonly LocalInbox[]): Promise<LocalInbox[]> {
  const folder = await resolveRealPath(path)
  const at: LocalInbox[] = []
  for (const inbox of inboxes) if ((await resolveRealPath(inbox.place)) === folder) at.push(inbox)
  return at
}

/** Says that the path is an inbox, and which files it has. */
export async function describeInbox({ root, place, key, from }: LocalInbox): Promise<Reason> {
  const { folder, match } = from
  const names: string[] = []
  for (const name of await listNamesIfAllowed(place)) {
    if ((await inspectFile(root, folder, name)).what === 'file') names.push(name)
  }
  const matching = names.filter(compileFilePattern(match)).length
  const files = names.length === 1 ? '1 file' : `${names.length} files`
  const how = names.length === matching ? '' : `, of which ${matching} match "${match}"`
  const message = `${place} is itself an inbox, that of ${formatIntakeKey(key)}, with ${files}${how}`
  return createReason('is-folder', message)
}

async function locateByName(name: string, inboxes: readonly LocalInbox[]): Promise<LocatedFile> {
  const containing: LocalInbox[] = []
  for (const inbox of inboxes) {
    const inspection = await inspectFile(inbox.root, inbox.from.folder, name)
    if (inspection.what === 'file' || inspection.what === 'entry-ignored') containing.push(inbox)
  }
  return { name, inboxes: preferMatchingRoutes(name, containing) }
}

/** Where no inbox has the file, a folder within one may have it. */
async function locateBelow(
  located: LocatedFile,
  inboxes: readonly LocalInbox[],
  findReaders?: ReaderFinder,
): Promise<LocatedFile> {
  const { name } = located
  if (located.inboxes.length > 0 || !isSafeName(name)) return located
  const own = inboxes.flatMap(({ root, from }) =>
    [from.folder, from.archive].map((at) => resolveFolderPath(root, at)),
  )
  for (const { place } of inboxes) {
    const path = await findBelow(place, name, { skipped: own, levels: LEVELS_BELOW })
    if (path !== undefined)
      return {
        name,
        inboxes: [],
        misplaced: await explainMisplacedFile(await resolveRealPath(path), inboxes, findReaders),
      }
  }
  return located
}

/** How deep, and in how many folders of one, a file is searched. */
const LEVELS_BELOW = 3
const FOLDERS_SEARCHED_MAX = 200

async function findBelow(
  place: string,
  name: string,
  { skipped, levels }: { readonly skipped: readonly string[]; readonly levels: number },
): Promise<string | undefined> {
  const entries = await readdir(place, { withFileTypes: true }).catch(() => [])
  const folders = entries.filter((each) => each.isDirectory() && !each.name.startsWith('.'))
  for (const folder of folders.slice(0, FOLDERS_SEARCHED_MAX)) {
    const path = join(place, folder.name)
    if (skipped.includes(path)) continue
    if ((await stat(join(path, name)).catch(() => undefined))?.isFile() === true) return join(path, name)
    const deeper = levels > 1 ? await findBelow(path, name, { skipped, levels: levels - 1 }) : undefined
    if (deeper !== undefined) return deeper
  }
  return undefined
}

/** Where one of the routes of a folder takes the name, its other routes do not matter. */
function preferMatchingRoutes(name: string, inboxes: readonly LocalInbox[]): LocalInbox[] {
  const takers = inboxes.filter(({ from }) => compileFilePattern(from.match)(name))
  return inboxes.filter(
    (inbox) => takers.includes(inbox) || takers.every(({ place }) => place !== inbox.place),
  )
}

async function explainMisplacedFile(
  path: string,
  inboxes: readonly LocalInbox[],
  findReaders?: ReaderFinder,
): Promise<Reason> {
  const name = basename(path)
  for (const { key, from, place, root } of inboxes) {
    if (path.startsWith((await resolveRealPath(place)) + sep)) {
      const inner = `${path} is in a folder within the inbox ${place} of ${formatIntakeKey(key)}; a run does not read folders in an inbox`
      return createReason('not-in-inbox', inner, `Move it into ${place} itself, whole at once.`)
    }
    if (path.startsWith((await resolveRealPath(resolveFolderPath(root, from.archive))) + sep)) {
      const inner = `${path} is in the archive of ${formatIntakeKey(key)}: it is finished`
      return createReason('finished', inner)
    }
  }
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true
  if (isFolder) {
    const places = [...new Set(sortByDistance(path, inboxes).map(({ place }) => place))].join(', ')
    const which = places === '' ? 'the configuration has none' : `the inboxes are ${places}`
    return createReason('is-folder', `${path} is a folder and no inbox; ${which}`)
  }
  const takers = inboxes.filter(({ from }) => compileFilePattern(from.match)(name))
  const [nearest] = sortByDistance(path, takers)
  const readers = nearest && (await findReaders?.(path, nearest.from.mailbox))
  if (readers !== undefined) {
    const { what, inboxes: folders, routes, isOne } = readers
    // The whole path: within the mailbox, the inbox may be called as the folder in which the file is now.
    const place = inboxes.find(({ key }) => formatIntakeKey(key) === routes)?.place ?? folders
    const whither = isOne ? `${place}, the inbox of ${routes}` : `one of these inboxes: ${folders}`
    return createReason(
      'not-in-inbox',
      `${path} is in no inbox; ${what}`,
      `Move it into ${whither}, whole at once.`,
    )
  }
  // Names no inbox unless a route takes the file: a person might put a receipt or a report there.
  const where =
    inboxes.length === 0
      ? '; the configuration has none'
      : nearest === undefined
        ? ', and no route takes a file of this name'
        : `; the nearest is ${nearest.place} of ${formatIntakeKey(nearest.key)}`
  return createReason('not-in-inbox', `${path} is in no inbox${where}`)
}

/** By the length of the shared path, then by the similarity of the folder's name. */
function sortByDistance(path: string, inboxes: readonly LocalInbox[]): LocalInbox[] {
  const folder = dirname(path)
  const shared = ({ place }: LocalInbox) => {
    const [one, other] = [folder.split(sep), place.split(sep)]
    const differs = one.findIndex((step, index) => step !== other[index])
    return differs === -1 ? one.length : differs
  }
  const names = inboxes.map(({ place }) => basename(place))
  const byName = rankSimilarNames(basename(folder), names, 1)
  return inboxes.toSorted((one, other) => {
    const [isOne, isOther] = [one, other].map(({ place }) => Number(byName.includes(basename(place))))
    return shared(other) - shared(one) || (isOther ?? 0) - (isOne ?? 0)
  })
}

// Inboxes on SFTP servers.

/** Whether the text is a file on a server, as the bridge itself prints it. */
export function isServerAddress(file: string): boolean {
  return /^sftp:\/\//i.test(file)
}

/** A bare name may mean a file on any server, and an address one on its own; a path is one of this machine. */
export async function listRemoteInboxes(
  configuration: Configuration,
  clock: Clock,
  file: string,
  only: string | undefined,
): Promise<RemoteInbox[]> {
  if (/[/\\]/.test(file) && !isServerAddress(file)) return []
  const inboxes = listInboxes(configuration, only).flatMap((inbox) => {
    const { mailbox } = inbox.from
    const settings = configuration.mailboxes[mailbox]
    if (settings === undefined || settings.type === 'directory') return []
    const options = { clock, random: Math.random, newId: randomUUID, isImpatient: true }
    return [{ ...inbox, open: () => openMailbox(mailbox, settings, options) }]
  })
  if (!isServerAddress(file)) return inboxes
  const name = basename(file)
  const formatOwn = async (inbox: RemoteInbox) =>
    formatRemotePath({ ...inbox, mailbox: await inbox.open() }, name)
  const addresses = await Promise.all(inboxes.map(formatOwn))
  return inboxes.filter((_, index) => addresses[index] === file)
}

export function locateAddress(file: string, remote: readonly RemoteInbox[]): LocatedFile {
  const message = `${file} is in the inbox of no route on a server`
  const misplaced = remote.length > 0 ? {} : { misplaced: createReason('not-in-inbox', message) }
  return { name: basename(file), inboxes: [], ...misplaced }
}

/** A mailbox gives no address for a name that it never takes. */
export function formatRemotePath({ from, mailbox }: OpenInbox, name: string): string {
  const { folder } = from
  return isSafeName(name) ? mailbox.describe(folder, name) : `${from.mailbox}:${folder}/${name}`
}
