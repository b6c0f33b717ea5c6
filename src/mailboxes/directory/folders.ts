/** Finds the folders of a directory mailbox, creates missing ones, and never leaves the root. */
import { mkdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import type { Claim, FileInfo } from '../../domain/mailbox.ts'
import { BridgeError, hasCode, hasSystemCode } from '../../support/errors.ts'
import { ignoreCodes, isMountPoint, pathIsFree, syncFolder } from '../../support/files.ts'
import {
  type LeftoverContext,
  mapAccessErrors,
  mapWriteErrors,
  NOT_A_FOLDER_FIX,
  refuseToCreate,
} from '../staged.ts'
import { assertSafeName, CLAIMED_FOLDER, makeClaimedName, splitFolder } from '../names.ts'

export interface MailboxRoot {
  readonly root: string
  /** With `mounted`, a root without a mount is away. */
  readonly mounted: boolean
  /** Folders found within the root without links on the way, by their paths below it. */
  readonly knownFolders: Map<string, { readonly path: string; readonly identity: string }>
}

/** The steps of a folder below the root of the mailbox. */
type Steps = readonly string[]

/** Called before the folder at the path is created; an error prevents that. */
export type BeforeCreate = (path: string) => Promise<void>

/** Returns the real path of a folder, created when missing. Never creates the root: a missing share must count as away. */
export async function ensureFolder(
  root: MailboxRoot,
  segments: Steps,
  beforeCreate?: BeforeCreate,
  mode?: number,
) {
  const standing = await findKnownFolder(root, segments)
  if (standing !== undefined) return standing
  const realRoot = await resolveRoot(root)
  return checkRootOnFailure(root, async () => {
    let place = realRoot
    for (const segment of segments)
      place = await ensureStep(realRoot, join(place, segment), { beforeCreate, mode })
    return place
  })
}

/** Returns the real path of a folder; undefined where there is none. Never creates it. */
export async function findFolder(root: MailboxRoot, segments: Steps) {
  const standing = await findKnownFolder(root, segments)
  if (standing !== undefined) return standing
  const realRoot = await resolveRoot(root)
  let place = realRoot
  for (const segment of segments) {
    const path = join(place, segment)
    const found = await resolveFolderAt(path)
    if (found === undefined) return undefined
    place = assertInside(realRoot, path, found)
  }
  return place
}

/** Shortcut for folders without links on the way: one stat shows that the path leads to the same folder as before. */
async function findKnownFolder({ root, mounted, knownFolders }: MailboxRoot, segments: Steps) {
  try {
    // Mounts are checked on the long way, which also reports why one is missing.
    if (mounted) return undefined
    const path = join(root, ...segments)
    const known = knownFolders.get(path)
    if (known !== undefined && (await getFolderIdentity(path)) === known.identity) return known.path
    const [realRoot, place] = await Promise.all([realpath(root), realpath(path)])
    const identity = place === join(realRoot, ...segments) ? await getFolderIdentity(place) : undefined
    if (identity === undefined) return undefined
    knownFolders.set(path, { path: place, identity })
    return place
  } catch {
    return undefined
  }
}

/** Undefined where there is no folder. */
async function getFolderIdentity(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true })
  return found.isDirectory() ? `${found.dev}:${found.ino}` : undefined
}

/** Reports a failed write as an unreachable mailbox when the root has gone away meanwhile. */
export async function checkRootOnFailure<T>(root: MailboxRoot, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (hasCode(error, 'cannot-write')) await resolveRoot(root)
    throw error
  }
}

export async function resolveRoot({ root, mounted }: MailboxRoot): Promise<string> {
  return mapAccessErrors(`The mailbox folder ${root} cannot be reached`, async () => {
    const real = await resolveFolder(root).catch((error: unknown) => {
      if (hasSystemCode(error, 'ENOENT')) throw rootMissingError(root)
      throw error
    })
    if (!mounted || (await isMountPoint(real))) return real
    throw new BridgeError('mailbox-unreachable', `Nothing is mounted at ${root}.`)
  })
}

function rootMissingError(root: string): BridgeError {
  return new BridgeError('mailbox-unreachable', `The mailbox folder ${root} is not there.`, {
    fix: 'Make the folder, mount it, or correct `path` of the mailbox. Its files stay where they are.',
  })
}

async function ensureStep(
  realRoot: string,
  path: string,
  {
    beforeCreate,
    mode,
  }: { readonly beforeCreate?: BeforeCreate | undefined; readonly mode?: number | undefined },
): Promise<string> {
  const there = await resolveFolderAt(path)
  if (there !== undefined) return assertInside(realRoot, path, there)
  await beforeCreate?.(path)
  const made = await createFolder(path, mode)
  if (made === undefined && (await pathIsFree(path))) {
    throw new BridgeError('mailbox-unreachable', `The folder ${path} went away while it was made.`)
  }
  return assertInside(realRoot, path, made)
}

function assertInside(realRoot: string, path: string, found: string | undefined): string {
  if (found !== undefined && isInside(realRoot, found)) return found
  const message = `The folder ${path} is a link that leads out of the mailbox.`
  throw new BridgeError('configuration-invalid', message)
}

/** Undefined for a free path or a broken link. */
async function resolveFolderAt(path: string): Promise<string | undefined> {
  const resolve = () => resolveFolder(path).catch(ignoreCodes('ENOENT'))
  return mapAccessErrors(`The folder ${path} cannot be reached`, resolve)
}

async function resolveFolder(path: string): Promise<string> {
  const real = await realpath(path)
  if ((await stat(real)).isDirectory()) return real
  const message = `${path} is a file where a folder should be.`
  throw new BridgeError('mailbox-unreachable', message, { fix: NOT_A_FOLDER_FIX })
}

async function createFolder(path: string, mode: number | undefined): Promise<string | undefined> {
  await mapWriteErrors(`The folder ${path} cannot be made`, async () => {
    try {
      await mkdir(path, { mode })
      await syncFolder(dirname(path))
    } catch (error) {
      ignoreCodes('EEXIST')(error) // another bridge has just created it, or it is a broken link
    }
  })
  return resolveFolderAt(path)
}

function isInside(realRoot: string, path: string): boolean {
  return path === realRoot || path.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep)
}

export interface DirectoryContext extends MailboxRoot, LeftoverContext {
  /** Makes working names unique. */
  readonly newId: () => string
  /** False for a place where hard links are known not to work. */
  readonly hardLinks: boolean
  /** The folders in which links were tried and do not work, by their real paths. */
  readonly foldersWithoutLinks: Set<string>
  /** The folders whose own names are flushed, by their real paths. */
  readonly flushedFolders: Set<string>
}

export type FileRef = Pick<FileInfo, 'folder' | 'name'>

/** Returns the path of a file to deliver; creates its folder when missing, with this mode. */
export async function resolveTargetPath(
  place: DirectoryContext,
  { folder, name }: FileRef,
  beforeCreate?: BeforeCreate,
  mode?: number,
): Promise<string> {
  assertSafeName(name)
  return join(await ensureDurableFolder(place, splitFolder(folder), beforeCreate, mode), name)
}

/** Returns the path of a file that is there, or was before its claim. */
export async function resolveSourcePath(place: DirectoryContext, { folder, name }: FileRef): Promise<string> {
  assertSafeName(name)
  return join(await ensureFolder(place, splitFolder(folder), refuseToCreate), name)
}

export async function resolveClaimedPath(place: DirectoryContext, { id, folder, name }: Claim) {
  assertSafeName(name)
  const path = await ensureDurableFolder(place, [...splitFolder(folder), CLAIMED_FOLDER], async (missing) => {
    if (basename(missing) !== CLAIMED_FOLDER) await refuseToCreate(missing)
  })
  return join(path, makeClaimedName(id, name))
}

/** Creates a folder for deliveries. Flushes its name and those above it once, because a power cut may undo a new folder. */
async function ensureDurableFolder(
  place: DirectoryContext,
  segments: Steps,
  beforeCreate?: BeforeCreate,
  mode?: number,
) {
  const path = await ensureFolder(place, segments, beforeCreate, mode)
  if (place.flushedFolders.has(path)) return path
  const root = await resolveRoot(place)
  await mapWriteErrors(`The folder ${path} cannot be flushed`, async () => {
    for (let at = path; at !== root && !place.flushedFolders.has(at); at = dirname(at)) {
      await syncFolder(dirname(at))
      place.flushedFolders.add(at)
    }
  })
  return path
}
