/** Where the files of a directory mailbox lie. */
import { basename, dirname, join } from 'node:path'
import type { Claim } from '../domain/mailbox.ts'
import { syncFolder } from '../support/durable.ts'
import { refuseToMake, writing } from './failures.ts'
import { type MayMake, openFolder, openRoot, type Root } from './folders.ts'
import type { Sweeping } from './leftovers.ts'
import { assertSafeName, CLAIMED_FOLDER, claimedName, folderSegments } from './names.ts'

export interface Place extends Root, Sweeping {
  readonly newId: () => string
  readonly hardLinks: boolean
  /** The folders in which links were tried and do not work, by their real paths. */
  readonly withoutLinks: Set<string>
  /** The folders whose own names are flushed, by their real paths. */
  readonly flushed: Set<string>
}

export interface Target {
  readonly folder: string
  readonly name: string
}

/** Of a file that is to be left there: its folder is made when it is missing. */
export async function pathOf(place: Place, { folder, name }: Target, mayMake?: MayMake): Promise<string> {
  assertSafeName(name)
  return join(await flushedFolder(place, folderSegments(folder), mayMake), name)
}

/** Of a file that lies there, or did before it was claimed. */
export async function sourcePath(place: Place, { folder, name }: Target): Promise<string> {
  assertSafeName(name)
  return join(await openFolder(place, folderSegments(folder), refuseToMake), name)
}

export async function claimedPath(place: Place, { id, folder, name }: Claim): Promise<string> {
  assertSafeName(name)
  const segments = [...folderSegments(folder), CLAIMED_FOLDER]
  const path = await flushedFolder(place, segments, async (missing) => {
    if (basename(missing) !== CLAIMED_FOLDER) await refuseToMake(missing)
  })
  return join(path, claimedName(id, name))
}

/**
 * A folder for files to be left in. A crash between making a folder and flushing it leaves a folder that a power cut may
 * still undo, with all that is in it by then. So the names of the folder and of those above it are flushed once.
 */
async function flushedFolder(place: Place, segments: readonly string[], mayMake?: MayMake): Promise<string> {
  const path = await openFolder(place, segments, mayMake)
  if (place.flushed.has(path)) return path
  const root = await openRoot(place)
  await writing(`The folder ${path} cannot be flushed`, async () => {
    for (let at = path; at !== root && !place.flushed.has(at); at = dirname(at)) {
      await syncFolder(dirname(at))
      place.flushed.add(at)
    }
  })
  return path
}
