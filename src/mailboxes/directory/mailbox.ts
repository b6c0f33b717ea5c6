/** A mailbox that is a folder on this machine or on a share mounted here. */
import { randomUUID } from 'node:crypto'
import { constants, type Dirent } from 'node:fs'
import { lstat, open, readdir, unlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { ArchivedFile, Claim, FileInfo, Mailbox, WorkingFiles } from '../../domain/mailbox.ts'
import { runInParallel } from '../../support/async.ts'
import { systemClock } from '../../support/clock.ts'
import { BridgeError, hasSystemCode } from '../../support/errors.ts'
import {
  ignoreCodes,
  pathIsFree,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
  readBytes,
  renameDurably,
  syncFolder,
} from '../../support/files.ts'
import { mapAccessErrors, mapWriteErrors } from '../staged.ts'
import {
  assertSafeName,
  CLAIMED_FOLDER,
  compareByAge,
  groupByFolder,
  makeArchivedName,
  makeWorkingName,
  parseClaimedId,
  splitFolder,
  splitPath,
} from '../names.ts'
import {
  deliverCopy,
  giveName,
  inspectNaming,
  moveWithoutReplacing,
  removeStaged,
  stageFile,
} from './delivery.ts'
import {
  type BeforeCreate,
  checkRootOnFailure,
  type DirectoryContext,
  ensureFolder,
  findFolder,
  resolveClaimedPath,
  resolveSourcePath,
  resolveTargetPath,
} from './folders.ts'
import {
  createMarkerFolder,
  hasEntry,
  isListedEntry,
  listIgnored,
  listNames,
  refusesLinkedFiles,
  statFile,
} from './listing.ts'

/** When absent: nothing must be mounted, the mailbox tries hard links, and it removes no working files. */
type DirectoryOptions = Pick<DirectoryContext, 'root'> &
  Partial<Pick<DirectoryContext, 'mounted' | 'clock' | 'newId' | 'hardLinks' | 'working'>>

export function createDirectoryMailbox(options: DirectoryOptions): Mailbox {
  const place: DirectoryContext = {
    mounted: false,
    newId: randomUUID,
    hardLinks: true,
    clock: systemClock,
    working: unownedWorkingFiles(),
    ...options,
    root: resolve(options.root),
    cleanedFolders: new Map(),
    foldersWithoutLinks: new Set(),
    knownFolders: new Map(),
    flushedFolders: new Set(),
  }
  const guarded = <T>(work: () => Promise<T>) => checkRootOnFailure(place, work)
  return {
    claimsInPlace: false,
    list: (folder, _only, mayMake) => listFiles(place, folder, mayMake),
    readTail: (file, bytes) => readTail(place, file, bytes),
    claim: (claim) => guarded(() => claimFile(place, claim)),
    read: (file) => readTakenFile(place, file),
    listClaims: (folder) => listClaims(place, folder),
    getClaimSize: (claim) => getClaimSize(place, claim),
    releaseClaim: (claim) => guarded(() => releaseClaim(place, claim)),
    archive: (claim, folder) => guarded(() => archiveClaim(place, claim, folder)),
    getArchivedSizes: (paths) => getArchivedSizes(place, paths),
    stage: (source, folder, how) => guarded(() => stageFile(place, source, folder, how)),
    giveName: (staged, name, how) => guarded(() => giveName(place, staged, name, how)),
    inspectNaming: (folder, naming) => inspectNaming(place, folder, naming),
    removeStaged: ({ folder, working }) => guarded(() => removeStaged(place, folder, working)),
    hasFolder: async (folder) => (await findFolder(place, splitFolder(folder))) !== undefined,
    listNames: (folder) => listNames(place, folder),
    hasEntry: (folder, name) => hasEntry(place, folder, name),
    listIgnored: (folder) => listIgnored(place, folder),
    createMarkerFolder: (folder, name) => createMarkerFolder(place, folder, name),
    describe: (folder, name) => {
      assertSafeName(name)
      return join(place.root, ...splitFolder(folder), name)
    },
    close: () => Promise.resolve(),
  }
}

async function listFiles(place: DirectoryContext, folder: string, beforeCreate?: BeforeCreate) {
  const path = await ensureFolder(place, splitFolder(folder), beforeCreate)
  return mapAccessErrors(`The folder ${path} cannot be listed`, async () => {
    const candidates = (await readdir(path, { withFileTypes: true })).filter(isListedEntry)
    const refusesLinked = await refusesLinkedFiles(path)
    const find = ({ name }: Dirent) => statFile(path, { folder, name }, refusesLinked)
    const files = await runInParallel(candidates, STATS_AT_ONCE, find)
    return files.filter((file) => file !== undefined).toSorted(compareByAge)
  })
}

const STATS_AT_ONCE = 64

function refuseUnreadable(path: string) {
  return (cause: unknown): never => {
    if (!hasSystemCode(cause, 'EACCES', 'EPERM')) throw cause
    const fix = 'Let the user of the bridge read the file, then run again: the work is kept.'
    throw new BridgeError('cannot-write', `${path} cannot be claimed: it may not be read.`, { cause, fix })
  }
}

async function claimFile(place: DirectoryContext, claim: Claim): Promise<'claimed' | 'gone'> {
  const source = await resolveSourcePath(place, claim)
  const target = await resolveClaimedPath(place, claim)
  // A stalled process finds the file gone while its successor makes the same claim.
  const gone = async () => ((await pathIsFree(target)) ? 'gone' : 'claimed')
  return mapWriteErrors(`${source} cannot be claimed`, async () => {
    if (!(await pathIsFree(target))) {
      await syncFolder(dirname(target)) // claimed before a crash, perhaps not yet safe from a power cut
      return 'claimed'
    }
    const refusesLinked = await refusesLinkedFiles(dirname(source))
    if ((await statFile(dirname(source), claim, refusesLinked)) === undefined) return gone()
    try {
      // An unreadable file stays where its owner can mend its rights.
      await (await open(source, READ_FLAGS).catch(refuseUnreadable(source))).close()
      await renameDurably(source, target)
      const moved = await lstat(target)
      if (moved.isFile() && !(refusesLinked && moved.nlink > 1)) return 'claimed'
      // another entry, which is not to be taken, has replaced the file since the stat
      await moveWithoutReplacing(target, source, false)
      return 'gone'
    } catch (error) {
      // EBUSY: on Windows, a program still has the file open; the next listing shows it again
      if (hasSystemCode(error, 'ENOENT', 'EBUSY')) return gone()
      throw error
    }
  })
}

/** Does not follow a link in place of a file and does not wait for a pipe; Windows has neither. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

async function* readTakenFile(
  place: DirectoryContext,
  taken: Claim | ArchivedFile,
): AsyncIterable<Uint8Array> {
  const path =
    'archivedAs' in taken
      ? await resolveSourcePath(place, splitPath(taken.archivedAs))
      : await resolveClaimedPath(place, taken)
  const what = `The ${'archivedAs' in taken ? 'archived' : 'claimed'} file ${path} cannot be read`
  const file = await mapAccessErrors(what, () => open(path, READ_FLAGS))
  const chunks = readBytes(file)
  try {
    for (;;) {
      const next = await mapAccessErrors(what, () => chunks.next())
      if (next.done) return
      yield next.value
    }
  } finally {
    await file.close()
  }
}

/** The claim reports why a file cannot be read. */
async function readTail(place: DirectoryContext, file: FileInfo, bytes: number) {
  const path = await resolveSourcePath(place, file)
  const handle = await open(path, READ_FLAGS).catch(() => undefined)
  if (handle === undefined) return undefined
  try {
    const from = Math.max(0, file.size - bytes)
    const buffer = Buffer.alloc(file.size - from)
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, from)
    return buffer.subarray(0, bytesRead)
  } catch {
    return undefined
  } finally {
    await handle.close()
  }
}

async function listClaims(place: DirectoryContext, folder: string): Promise<string[]> {
  const inbox = await findFolder(place, splitFolder(folder))
  if (inbox === undefined) return []
  const path = join(inbox, CLAIMED_FOLDER)
  return mapAccessErrors(`The folder ${path} cannot be listed`, async () => {
    if (await pathIsFree(path)) return []
    return (await readdir(path)).map(parseClaimedId).filter((id) => id !== undefined)
  })
}

async function getClaimSize(place: DirectoryContext, claim: Claim): Promise<number | undefined> {
  const path = await resolveClaimedPath(place, claim)
  return mapAccessErrors(`The claimed file ${path} cannot be inspected`, async () => {
    return (await statFile(dirname(path), { folder: claim.folder, name: basename(path) }))?.size
  })
}

async function releaseClaim(place: DirectoryContext, claim: Claim): Promise<'returned' | 'occupied'> {
  const source = await resolveClaimedPath(place, claim)
  const target = await resolveSourcePath(place, claim)
  return mapWriteErrors(`${target} cannot be given back`, async () => {
    if (await pathIsFree(source)) return 'returned'
    try {
      return (await moveWithoutReplacing(source, target, place.hardLinks)) ? 'returned' : 'occupied'
    } catch (error) {
      if (await pathIsFree(source)) return 'returned' // another process has released it meanwhile
      throw error
    }
  })
}

/** For a mailbox without a journal: its working files have no owner, so they stay. */
export function unownedWorkingFiles(): WorkingFiles {
  return { owner: randomUUID(), noted: (names) => Promise.resolve([...names]) }
}

// The archive of a directory mailbox may be a disk of its own.

/** Returns the path within the mailbox. May be repeated after a crash, and run twice at once. */
async function archiveClaim(place: DirectoryContext, claim: Claim, folder: string): Promise<string> {
  const source = await resolveClaimedPath(place, claim)
  const name = makeArchivedName(claim.id, claim.name)
  const target = await resolveTargetPath(place, { folder, name }, undefined, PRIVATE_FOLDER)
  await mapWriteErrors(`The claimed file ${source} cannot be archived`, async () => {
    if (await pathIsFree(source)) {
      // archived before a crash, perhaps not yet safe from a power cut
      if (!(await pathIsFree(target))) return syncBothFolders(source, target)
      throw new BridgeError('mailbox-unreachable', `The claimed file ${source} is missing.`)
    }
    try {
      if (!(await pathIsFree(target)) || !(await renameWithinDisk(source, target))) {
        await moveAcrossDisks(place, source, target)
      }
    } catch (error) {
      // A stalled process or its successor has archived it since the check.
      if (!(await pathIsFree(source)) || (await pathIsFree(target))) throw error
      await syncBothFolders(source, target)
    }
  })
  await makePrivate(target)
  return [...splitFolder(folder), name].join('/')
}

/** Where the file is the bridge's own. The mode of a file with a second name is the business of who made that. */
async function makePrivate(path: string): Promise<void> {
  try {
    const file = await open(path, READ_FLAGS)
    try {
      if ((await file.stat()).nlink === 1) await file.chmod(PRIVATE_FILE)
    } finally {
      await file.close()
    }
  } catch (error) {
    // Another user's file, or a share without modes: the file is archived all the same.
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}

/** Flushes the new name first: a power cut in between leaves the file in both places and not in none. */
async function syncBothFolders(source: string, target: string): Promise<void> {
  await syncFolder(dirname(target))
  await syncFolder(dirname(source))
}

/** Omits files that are not in the archive any more. */
async function getArchivedSizes(place: DirectoryContext, paths: readonly string[]) {
  const sizes = new Map<string, number>()
  for (const [folder, names] of groupByFolder(paths)) {
    const found = await findFolder(place, splitFolder(folder))
    if (found === undefined) continue
    for (const [name, path] of names) {
      const stat = () => statFile(found, { folder, name })
      const seen = await mapAccessErrors(`The file ${join(found, name)} cannot be inspected`, stat)
      if (seen !== undefined) sizes.set(path, seen.size)
    }
  }
  return sizes
}

/** False when the archive is a disk or share of its own. */
async function renameWithinDisk(source: string, target: string): Promise<boolean> {
  const renamed = renameDurably(source, target).then(() => true)
  return (await renamed.catch(ignoreCodes('EXDEV'))) ?? false
}

async function moveAcrossDisks(place: DirectoryContext, source: string, final: string): Promise<void> {
  const temporary = join(dirname(final), makeWorkingName(place.working.owner, place.newId(), 'archiving'))
  const left = await deliverCopy(source, temporary, final, place.hardLinks)
  if (left === 'occupied') throw new BridgeError('cannot-write', `Another file already stands at ${final}.`)
  await unlink(source)
  await syncFolder(dirname(source))
}
