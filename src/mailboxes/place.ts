/** Where the files of a directory mailbox lie. */
import { join } from 'node:path'
import type { Claim } from '../domain/mailbox.ts'
import type { Clock } from '../support/clock.ts'
import { openFolder, type Root } from './folders.ts'
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

export async function pathOf(place: Place, { folder, name }: Target): Promise<string> {
  assertSafeName(name)
  return join(await openFolder(place, folderSegments(folder)), name)
}

export async function claimedPath(place: Place, { id, folder, name }: Claim): Promise<string> {
  assertSafeName(name)
  const path = await openFolder(place, [...folderSegments(folder), CLAIMED_FOLDER])
  return join(path, claimedName(id, name))
}
