/** What is half-written in a folder under working names of ours, by those that crashed or stand still. */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../support/clock.ts'
import { hasSystemCode } from '../support/errors.ts'
import { reaching, writing } from './failures.ts'
import { isOwnTemporary, isTemporaryFor } from './names.ts'
import { removeFile } from '../support/remove-file.ts'

/** Without its working name, whoever wakes up late has nothing left to give the final name to. */
export async function withdraw(path: string, name: string): Promise<void> {
  await writing(`What is half-written in ${path} cannot be removed`, async () => {
    for (const found of await readdir(path)) {
      if (isTemporaryFor(found, name)) await removeFile(join(path, found))
    }
  })
}

/**
 * Removes what crashes left half-written in a folder, before the first delivery of this run into it. A left-over file
 * does no harm, so one that cannot be removed stays.
 */
export async function sweepOnce(
  { clock, swept }: { readonly clock: Clock; readonly swept: Set<string> },
  path: string,
): Promise<void> {
  if (swept.has(path)) return
  swept.add(path)
  await reaching(`The folder ${path} cannot be listed`, async () => {
    for (const name of (await readdir(path)).filter(isOwnTemporary)) {
      if (await isOld(join(path, name), clock)) {
        await removeFile(join(path, name)).catch(toleratingRights)
      }
    }
  })
}

/** Far longer than any delivery pauses, and than clocks of two machines differ. */
const LEFTOVER_AGE_MS = 24 * 60 * 60 * 1000

async function isOld(path: string, clock: Clock): Promise<boolean> {
  try {
    const found = await lstat(path)
    return found.isFile() && Math.floor(found.mtimeMs) <= clock.now() - LEFTOVER_AGE_MS
  } catch (error) {
    if (hasSystemCode(error, 'ENOENT')) return false
    throw error
  }
}

function toleratingRights(error: unknown): void {
  if (!hasSystemCode(error, 'EACCES', 'EPERM', 'EROFS', 'EBUSY')) throw error
}
