/** A mailbox that is a folder on this machine or on a share mounted here. */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Claim, Mailbox, Sighting } from '../domain/mailbox.ts'
import type { WorkingFiles } from '../domain/naming.ts'
import { hasSystemCode } from '../support/errors.ts'
import { type Clock, systemClock } from '../support/clock.ts'
import { renameDurably, syncFolder } from '../support/durable.ts'
import { bytesOf } from '../support/file-bytes.ts'
import { isFree } from '../support/is-free.ts'
import { archive, sizesInArchive } from './archive.ts'
import { reaching, writing } from './failures.ts'
import { foundFolder, type MayMake, openFolder, whereItIs } from './folders.ts'
import { oldestFirst } from './in-order.ts'
import { moveWithoutReplacing } from './leave.ts'
import { hasName, markFolder, namesIn } from './marks.ts'
import { assertSafeName, CLAIMED_FOLDER, folderSegments, idOfClaimed } from './names.ts'
import { passedOver } from './passed-over.ts'
import { claimedPath, type Place, sourcePath } from './place.ts'
import { isCandidate, sight } from './sight.ts'
import { discard, giveName, settleNaming, stage } from './staging.ts'

export interface DirectoryOptions {
  readonly root: string
  /** Where nothing is mounted at the root, the mailbox is away. False when left out. */
  readonly mounted?: boolean
  /** Tells old left-over files from files under way. */
  readonly clock?: Clock
  /** Makes working names unique. */
  readonly newId?: () => string
  /** False for a place where hard links are known not to work; found out by trying when left out. */
  readonly hardLinks?: boolean
  /** Whose working files are made and swept; nobody else's are swept when left out. */
  readonly working?: WorkingFiles
}

export function directoryMailbox(options: DirectoryOptions): Mailbox {
  const place: Place = {
    root: resolve(options.root),
    mounted: options.mounted ?? false,
    newId: options.newId ?? randomUUID,
    hardLinks: options.hardLinks ?? true,
    clock: options.clock ?? systemClock,
    working: options.working ?? unowned(),
    swept: new Set(),
    withoutLinks: new Set(),
    standing: new Map(),
    flushed: new Set(),
  }
  return {
    leaves: false,
    list: (folder, _only, mayMake) => list(place, folder, mayMake),
    claim: (claim) => whereItIs(place, () => take(place, claim)),
    read: (claim) => read(place, claim),
    claims: (folder) => claims(place, folder),
    sizeOf: (claim) => sizeOf(place, claim),
    unclaim: (claim) => whereItIs(place, () => unclaim(place, claim)),
    archive: (claim, folder) => whereItIs(place, () => archive(place, claim, folder)),
    sizesInArchive: (paths) => sizesInArchive(place, paths),
    stage: (source, folder, how) => whereItIs(place, () => stage(place, { source, folder }, how)),
    giveName: (staged, name, how) => whereItIs(place, () => giveName(place, staged, { ...how, name })),
    settleNaming: (folder, naming) => settleNaming(place, folder, naming),
    discard: (staged) => whereItIs(place, () => discard(place, staged)),
    has: async (folder) => (await foundFolder(place, folderSegments(folder))) !== undefined,
    names: (folder) => namesIn(place, folder),
    stands: (folder, name) => hasName(place, folder, name),
    passedOver: (folder) => passedOver(place, folder),
    mark: (folder, name) => markFolder(place, folder, name),
    describe: (folder, name) => {
      assertSafeName(name)
      return join(place.root, ...folderSegments(folder), name)
    },
    close: () => Promise.resolve(),
  }
}

async function list(place: Place, folder: string, mayMake?: MayMake): Promise<Sighting[]> {
  const path = await openFolder(place, folderSegments(folder), mayMake)
  return reaching(`The folder ${path} cannot be listed`, async () => {
    const candidates = (await readdir(path, { withFileTypes: true })).filter(isCandidate)
    const sightings: Sighting[] = []
    for (let start = 0; start < candidates.length; start += STATS_AT_ONCE) {
      const names = candidates.slice(start, start + STATS_AT_ONCE).map((entry) => entry.name)
      const seen = await Promise.all(names.map((name) => sight(path, { folder, name })))
      sightings.push(...seen.filter((sighting) => sighting !== undefined))
    }
    return sightings.toSorted(oldestFirst)
  })
}

const STATS_AT_ONCE = 64

async function take(place: Place, claim: Claim): Promise<'claimed' | 'gone'> {
  const source = await sourcePath(place, claim)
  const target = await claimedPath(place, claim)
  // One that was stopped and wakes up beside its successor finds it gone while the same claim is being carried out.
  const gone = async () => ((await isFree(target)) ? 'gone' : 'claimed')
  return writing(`${source} cannot be claimed`, async () => {
    if (!(await isFree(target))) {
      await syncFolder(dirname(target)) // claimed before a crash, perhaps not yet safe from a power cut
      return 'claimed'
    }
    if ((await sight(dirname(source), claim)) === undefined) return gone()
    try {
      // One that may not be read stays where its owner can mend that.
      await (await open(source, READING)).close()
      await renameDurably(source, target)
      if (await isFile(target)) return 'claimed'
      // put in the place of the file since it was looked at; it is nothing that can be read
      await moveWithoutReplacing(target, source, false)
      return 'gone'
    } catch (error) {
      // EBUSY: on Windows, a program still has the file open; the next listing shows it again
      if (hasSystemCode(error, 'ENOENT', 'EBUSY')) return gone()
      throw error
    }
  })
}

async function isFile(path: string): Promise<boolean> {
  return (await lstat(path)).isFile()
}

/** A link put in place of a file must not be followed, and a pipe not be waited for; Windows has neither. */
const READING = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

async function* read(place: Place, claim: Claim): AsyncIterable<Uint8Array> {
  const path = await claimedPath(place, claim)
  const file = await reaching(`The claimed file ${path} cannot be read`, () => open(path, READING))
  const chunks = bytesOf(file)
  try {
    for (;;) {
      const next = await reaching(`The claimed file ${path} cannot be read`, () => chunks.next())
      if (next.done) return
      yield next.value
    }
  } finally {
    await file.close()
  }
}

async function claims(place: Place, folder: string): Promise<string[]> {
  const inbox = await foundFolder(place, folderSegments(folder))
  if (inbox === undefined) return []
  const path = join(inbox, CLAIMED_FOLDER)
  return reaching(`The folder ${path} cannot be listed`, async () => {
    if (await isFree(path)) return []
    return (await readdir(path)).map(idOfClaimed).filter((id) => id !== undefined)
  })
}

async function sizeOf(place: Place, claim: Claim): Promise<number | undefined> {
  const path = await claimedPath(place, claim)
  return reaching(`The claimed file ${path} cannot be looked at`, async () => {
    return (await sight(dirname(path), { folder: claim.folder, name: basename(path) }))?.size
  })
}

async function unclaim(place: Place, claim: Claim): Promise<'returned' | 'occupied'> {
  const source = await claimedPath(place, claim)
  const target = await sourcePath(place, claim)
  return writing(`${target} cannot be given back`, async () => {
    if (await isFree(source)) return 'returned'
    try {
      return (await moveWithoutReplacing(source, target, place.hardLinks)) ? 'returned' : 'occupied'
    } catch (error) {
      if (await isFree(source)) return 'returned' // by another one meanwhile
      throw error
    }
  })
}

/** For a mailbox without a journal: its working files are nobody's, and stay. */
export function unowned(): WorkingFiles {
  return { owner: randomUUID(), noted: (names) => Promise.resolve([...names]) }
}
