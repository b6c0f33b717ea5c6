/** Putting a claimed file of a directory mailbox into the archive, which may be a disk of its own. */
import { unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Claim } from '../domain/mailbox.ts'
import { BridgeError, hasSystemCode } from '../support/errors.ts'
import { renameDurably, syncFolder } from '../support/durable.ts'
import { isFree } from '../support/is-free.ts'
import { reaching, writing } from './failures.ts'
import { leaveCopy } from './leave.ts'
import { foundFolder } from './folders.ts'
import { archivedName, byFolder, folderSegments, workingName } from './names.ts'
import { claimedPath, pathOf, type Place } from './place.ts'
import { sight } from './sight.ts'

/** Gives the path within the mailbox. May be repeated after a crash, and carried out by two at once. */
export async function archive(place: Place, claim: Claim, folder: string): Promise<string> {
  const source = await claimedPath(place, claim)
  const name = archivedName(claim.id, claim.name)
  const target = await pathOf(place, { folder, name })
  await writing(`The claimed file ${source} cannot be archived`, async () => {
    if (await isFree(source)) {
      // archived before a crash, perhaps not yet safe from a power cut
      if (!(await isFree(target))) return syncFolders(source, target)
      throw new BridgeError('mailbox-unreachable', `The claimed file ${source} is missing.`)
    }
    try {
      if (!(await isFree(target)) || !(await movedWithinDisk(source, target))) {
        await moveAcrossDisks(place, source, target)
      }
    } catch (error) {
      // One that was stopped and woke up, or its successor, has archived it since it was looked for.
      if (!(await isFree(source)) || (await isFree(target))) throw error
      await syncFolders(source, target)
    }
  })
  return [...folderSegments(folder), name].join('/')
}

/** The new name first: in between, a power cut leaves the file in both places and not in none. */
async function syncFolders(source: string, target: string): Promise<void> {
  await syncFolder(dirname(target))
  await syncFolder(dirname(source))
}

/** Without those that are not in the archive any more. */
export async function sizesInArchive(place: Place, paths: readonly string[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for (const [folder, names] of byFolder(paths)) {
    const found = await foundFolder(place, folderSegments(folder))
    if (found === undefined) continue
    for (const [name, path] of names) {
      const look = () => sight(found, { folder, name })
      const seen = await reaching(`The file ${join(found, name)} cannot be looked at`, look)
      if (seen !== undefined) sizes.set(path, seen.size)
    }
  }
  return sizes
}

/** False when the archive is a disk or share of its own. */
async function movedWithinDisk(source: string, target: string): Promise<boolean> {
  try {
    await renameDurably(source, target)
    return true
  } catch (error) {
    if (hasSystemCode(error, 'EXDEV')) return false
    throw error
  }
}

async function moveAcrossDisks(place: Place, source: string, final: string): Promise<void> {
  const temporary = join(dirname(final), workingName(place.working.owner, place.newId(), 'archiving'))
  const left = await leaveCopy({ source, temporary, final, hardLinks: place.hardLinks })
  if (left === 'occupied') throw new BridgeError('cannot-write', `Another file already stands at ${final}.`)
  await unlink(source)
  await syncFolder(dirname(source))
}
