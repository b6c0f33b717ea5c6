/** Where the files of a directory mailbox lie. */
import { basename, join } from 'node:path'
import type { Claim } from '../domain/mailbox.ts'
import type { Clock } from '../support/clock.ts'
import { refuseToMake } from './failures.ts'
import { type MayMake, openFolder, type Root } from './folders.ts'
import { assertSafeName, CLAIMED_FOLDER, claimedName, folderSegments } from './names.ts'

export interface Place extends Root {
  readonly newId: () => string
  readonly hardLinks: boolean
  readonly clock: Clock
  /** The folders that were rid of left-over files, by their real paths. */
  readonly swept: Set<string>
}

export interface Target {
  readonly folder: string
  readonly name: string
}

/** Of a file that is to be left there: its folder is made when it is missing. */
export async function pathOf(place: Place, { folder, name }: Target, mayMake?: MayMake): Promise<string> {
  assertSafeName(name)
  return join(await openFolder(place, folderSegments(folder), mayMake), name)
}

/** Of a file that lies there, or did before it was claimed. */
export function sourcePath(place: Place, target: Target): Promise<string> {
  return pathOf(place, target, refuseToMake)
}

export async function claimedPath(place: Place, { id, folder, name }: Claim): Promise<string> {
  assertSafeName(name)
  const path = await openFolder(place, [...folderSegments(folder), CLAIMED_FOLDER], async (missing) => {
    if (basename(missing) !== CLAIMED_FOLDER) await refuseToMake(missing)
  })
  return join(path, claimedName(id, name))
}
