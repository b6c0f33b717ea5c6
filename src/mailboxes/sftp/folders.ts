/** Finds, creates and lists the folders of an SFTP mailbox. Never leaves the root. */
import type { FileInfo, IgnoredEntry } from '../../domain/mailbox.ts'
import { BridgeError } from '../../support/errors.ts'
import { type CleanedFolders, cleanOnce, excludeNoted, LEFTOVER_AGE_MS, NOT_A_FOLDER_FIX } from '../staged.ts'
import {
  assertSafeName,
  CLAIMED_FOLDER,
  compareByAge,
  compareByName,
  groupByFolder,
  isListedName,
  isOwnWorkingName,
  splitFolder,
} from '../names.ts'
import { removeIfAllowed } from './files.ts'
import type { SftpMailboxOptions } from './options.ts'
import {
  type Attributes,
  type Entry,
  ignoreRefusal,
  isRefusal,
  mapAccessRefusals,
  mapWriteRefusals,
  type SftpCalls,
  STATUS,
} from './protocol.ts'
import type { Connection, ConnectionPool } from './session.ts'

export interface SftpContext {
  readonly options: SftpMailboxOptions
  readonly pool: ConnectionPool
  readonly cleanedFolders: CleanedFolders
  /** Working names that are gone because their files got their final names. */
  readonly renamedWorkingNames: Set<string>
}

/** A mailbox on one of its connections. */
export interface SftpSession extends SftpContext {
  readonly calls: SftpCalls
  /** The connection's cache of folders and their real paths. */
  readonly folders: Connection['folders']
}

export type SessionWork<T> = (session: SftpSession) => Promise<T>

/** Does the work on a connection of the pool; see `ConnectionPool.use`. */
export function useSession<T>(place: SftpContext, work: SessionWork<T>, reached?: () => number): Promise<T> {
  return place.pool.use(({ calls, folders }) => work({ ...place, calls, folders }), reached)
}

export function formatAddress({ host, port }: SftpMailboxOptions, path: string): string {
  return `sftp://${host}${port === 22 ? '' : `:${port}`}${path.startsWith('/') ? '' : '/~/'}${path}`
}

export function joinPath(folder: string, ...names: readonly string[]): string {
  return [folder === '/' ? '' : folder, ...names].join('/')
}

/** The steps of a folder below the root of the mailbox. */
type Steps = readonly string[]

/** Called with the folder's name before it is created; an error prevents that. */
type BeforeCreate = (name: string) => Promise<void>

/** Returns the real path of a folder, created when missing. Never creates the root: a missing root is away, not empty. */
export async function ensureFolder(session: SftpSession, segments: Steps, beforeCreate?: BeforeCreate) {
  const { folders } = session
  const root = await resolveRoot(session)
  let place = root
  for (const [index, name] of segments.entries()) {
    const steps = segments.slice(0, index + 1).join('/')
    place = folders.get(steps) ?? (await ensureStep(session, root, joinPath(place, name), beforeCreate))
    folders.set(steps, place)
  }
  return place
}

/** Returns the cached real path, or finds it; undefined where there is no such folder. Never creates it. */
export async function findCachedFolder(session: SftpSession, segments: Steps) {
  const steps = segments.join('/')
  const known = session.folders.get(steps) ?? (await findFolder(session, segments))
  if (known !== undefined) session.folders.set(steps, known)
  return known
}

/** Undefined where there is no such folder; never creates it. */
export async function findFolder(session: SftpSession, segments: Steps) {
  const root = await resolveRoot(session)
  let place = root
  for (const segment of segments) {
    const found = await resolveFolderAt(session, root, joinPath(place, segment))
    if (found === undefined) return undefined
    place = found
  }
  return place
}

async function resolveRoot({ options, calls, folders }: SftpSession): Promise<string> {
  const known = folders.get('')
  if (known !== undefined) return known
  const what = `The mailbox folder ${formatAddress(options, options.root)} cannot be reached`
  return mapAccessRefusals(what, async () => {
    const path = await calls.realpath(options.root)
    const found = await calls.stat(path)
    if (found.kind !== 'folder') throw new BridgeError('mailbox-unreachable', `${what}: it is no folder.`)
    folders.set('', path)
    return path
  })
}

async function ensureStep(session: SftpSession, root: string, path: string, beforeCreate?: BeforeCreate) {
  const found = await resolveFolderAt(session, root, path)
  if (found !== undefined) return found
  await beforeCreate?.(path.slice(path.lastIndexOf('/') + 1))
  return createFolder(session, root, path)
}

/** Returns the real path of a folder; undefined for a free path. */
async function resolveFolderAt({ options, calls }: SftpSession, root: string, path: string) {
  const address = formatAddress(options, path)
  return mapAccessRefusals(`The folder ${address} cannot be reached`, async () => {
    const found = await calls.lstat(path)
    if (found === undefined || found.kind === 'folder') return found && path
    if (found.kind !== 'link')
      throw new BridgeError('mailbox-unreachable', `${address} is a file where a folder should be.`, {
        fix: NOT_A_FOLDER_FIX,
      })
    const real = await resolveLinkedFolder(calls, path)
    if (real !== undefined && isInside(root, real)) return real
    const message = `The folder ${address} is a link that leads out of the mailbox.`
    throw new BridgeError('configuration-invalid', message)
  })
}

/** Returns the target of a link to a folder; undefined for any other link. */
async function resolveLinkedFolder(calls: SftpCalls, path: string): Promise<string | undefined> {
  try {
    const real = await calls.realpath(path)
    const found = await calls.lstat(real)
    return found?.kind === 'folder' ? real : undefined
  } catch (error) {
    return ignoreRefusal(STATUS.noSuchFile, STATUS.failure)(error)
  }
}

export const CLAIM_IN_PLACE_HELP =
  'Where files may be read but not moved, write `claim: leave` in the mailbox.'

async function createFolder(session: SftpSession, root: string, path: string): Promise<string> {
  const what = `The folder ${formatAddress(session.options, path)} cannot be made`
  const isForClaims = path.endsWith(`/${CLAIMED_FOLDER}`)
  const make = async () => {
    try {
      await session.calls.mkdir(path)
    } catch (error) {
      // another bridge may have just created it
      const found = isRefusal(error) ? await resolveFolderAt(session, root, path) : undefined
      if (found === undefined) throw error
      return found
    }
    return path
  }
  const help = isForClaims ? CLAIM_IN_PLACE_HELP : 'Ask the operator of the server to make it.'
  return mapWriteRefusals(what, make, help)
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`)
}

/** More entries than any real folder has; cuts off a server with an endless listing. */
const ENTRIES_MAX = 1_000_000

/** Lists all entries of a folder with the attributes of the listing, without a call for each entry. */
async function listEntries(calls: SftpCalls, path: string): Promise<Entry[]> {
  const handle = await calls.opendir(path)
  const entries: Entry[] = []
  try {
    for (let round = 0; round < ENTRIES_MAX && entries.length < ENTRIES_MAX; round++) {
      const more = await calls.readdir(handle)
      if (more === undefined) return entries
      for (const entry of more) entries.push(entry)
    }
    throw new BridgeError('mailbox-unreachable', `The listing of ${path} does not come to an end.`)
  } finally {
    await calls.close(handle).catch(() => {}) // the listing is complete anyway
  }
}

export function hasSameStat(one: Attributes, other: Attributes | undefined): boolean {
  return other?.kind === 'file' && one.size === other.size && one.modifiedAt === other.modifiedAt
}

// Lists a folder in one call, and looks up single files where there are few or listing is not allowed.

/** Lists files by one listing, whatever their number: its attributes are enough. */
export async function listFiles(
  session: SftpSession,
  folder: string,
  only?: readonly string[],
  beforeCreate?: () => Promise<void>,
): Promise<FileInfo[]> {
  const { options, calls } = session
  const path = await ensureFolder(session, splitFolder(folder), beforeCreate)
  const list = async () => {
    const files: FileInfo[] = []
    for (const { name, attributes } of await listOrProbe(calls, path, only)) {
      if (!isListedName(name)) continue
      const found = attributes ?? (await calls.lstat(joinPath(path, name)))
      if (found?.kind !== 'file') continue
      files.push({ folder, name, size: found.size, modifiedAt: found.modifiedAt })
    }
    return files.toSorted(compareByAge)
  }
  return mapAccessRefusals(formatListFailure(options, path), list, LIST_HELP)
}

const LIST_HELP =
  'Without the right to list, write the whole name of the file as `match` of the route, without * and ?.'

function formatListFailure(options: SftpMailboxOptions, path: string): string {
  return `The folder ${formatAddress(options, path)} cannot be listed`
}

/** Without a right to list, stats files by their names. */
async function listOrProbe(calls: SftpCalls, path: string, only?: readonly string[]): Promise<Entry[]> {
  try {
    return await listEntries(calls, path)
  } catch (error) {
    if (only === undefined || !isRefusal(error)) throw error
    const found: Entry[] = []
    for (const name of only) {
      const attributes = await calls.lstat(joinPath(path, name))
      if (attributes !== undefined) found.push({ name, attributes })
    }
    return found
  }
}

export async function listNames(session: SftpSession, folder: string) {
  const path = await findFolder(session, splitFolder(folder))
  if (path === undefined) return undefined
  return mapAccessRefusals(formatListFailure(session.options, path), async () => {
    return new Set((await listEntries(session.calls, path)).map(({ name }) => name))
  })
}

/** A refused stat is a failure: only "no such file" means that there is no entry. */
export async function hasEntry(session: SftpSession, folder: string, name: string): Promise<boolean> {
  const found = await findFolder(session, splitFolder(folder))
  if (found === undefined) return false
  const path = joinPath(found, name)
  const what = `The file ${formatAddress(session.options, path)} cannot be inspected`
  return mapAccessRefusals(what, async () => (await session.calls.lstat(path)) !== undefined)
}

export async function createMarkerFolder(session: SftpSession, folder: string, name: string): Promise<void> {
  assertSafeName(name)
  const { options, calls } = session
  const path = joinPath(await ensureFolder(session, splitFolder(folder)), name)
  await mapWriteRefusals(`The folder ${formatAddress(options, path)} cannot be made`, async () => {
    try {
      await calls.mkdir(path)
    } catch (error) {
      if (!isRefusal(error) || (await calls.lstat(path))?.kind !== 'folder') throw error
    }
  })
}

/** Lists ignored entries by one listing. Entries without attributes are judged by their names. */
export async function listIgnored(session: SftpSession, folder: string): Promise<IgnoredEntry[]> {
  const path = await findFolder(session, splitFolder(folder))
  if (path === undefined) return []
  return mapAccessRefusals(formatListFailure(session.options, path), async () => {
    const found = (await listEntries(session.calls, path)).flatMap(({ name, attributes }) => {
      const { kind = 'file', modifiedAt = 0 } = attributes ?? {}
      return kind === 'file' && isListedName(name) ? [] : [{ name, kind, modifiedAt }]
    })
    return found.toSorted(compareByName)
  })
}

/** For more files of one folder than this, one listing replaces single stats. */
const STATS_MAX = 8

export async function getArchivedSizes(session: SftpSession, paths: readonly string[]) {
  const sizes = new Map<string, number>()
  for (const [folder, names] of groupByFolder(paths)) {
    const found = await findCachedFolder(session, splitFolder(folder))
    if (found === undefined) continue
    const what = `What is in the folder ${formatAddress(session.options, found)} cannot be inspected`
    const entries = await mapAccessRefusals(what, () => findEntries(session.calls, found, names))
    for (const { name, attributes } of entries) {
      const path = names.get(name)
      if (path !== undefined && attributes?.kind === 'file') sizes.set(path, attributes.size)
    }
  }
  return sizes
}

/** Finds existing entries among the names; for many names, by one listing. */
async function findEntries(calls: SftpCalls, path: string, names: ReadonlyMap<string, string>) {
  if (names.size > STATS_MAX) {
    const listed = (await listEntriesIfAllowed(calls, path)).filter(({ name }) => names.has(name))
    if (listed.length > 0 && listed.every(({ attributes }) => attributes !== undefined)) return listed
  }
  const stat = async (name: string) => ({ name, attributes: await calls.lstat(joinPath(path, name)) })
  return Promise.all([...names.keys()].map(stat))
}

/** Removes leftovers once a run. Files of other bridges or of namings stay, as evidence of whether a file got its name. */
export function cleanLeftoversOnce(session: SftpSession, path: string): Promise<void> {
  return cleanOnce(session.cleanedFolders, path, () => cleanLeftovers(session, path))
}

async function cleanLeftovers({ options, calls }: SftpSession, path: string): Promise<void> {
  const { working, clock } = options
  const old = (await listEntriesIfAllowed(calls, path)).filter(
    ({ name, attributes }) =>
      isOwnWorkingName(working.owner, name) &&
      attributes?.kind === 'file' &&
      attributes.modifiedAt <= clock.now() - LEFTOVER_AGE_MS,
  )
  const names = old.map(({ name }) => name)
  for (const name of await excludeNoted(working, names)) await removeIfAllowed(calls, joinPath(path, name))
}

/** Empty without a right to list, so leftovers stay. */
export async function listEntriesIfAllowed(calls: SftpCalls, path: string): Promise<Entry[]> {
  return (await listEntries(calls, path).catch(ignoreRefusal())) ?? []
}
