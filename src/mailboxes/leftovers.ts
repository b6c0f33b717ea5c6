/** What this bridge staged in a folder and nobody needs any more, because a crash came before it was noted or after it was done. */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { WorkingFiles } from '../domain/naming.ts'
import type { Clock } from '../support/clock.ts'
import { hasSystemCode } from '../support/errors.ts'
import { removeFile } from '../support/remove-file.ts'
import { reaching } from './failures.ts'
import { isWorkingNameOf } from './names.ts'

export interface Sweeping {
  readonly clock: Clock
  readonly working: WorkingFiles
  /** The folders that were swept, by their real paths. */
  readonly swept: Set<string>
}

/**
 * Removes such files before the first delivery of this run into a folder. Those of other bridges stay, and those that a note speaks of:
 * they tell whether a file got its name. A file that cannot be removed does no harm and stays.
 */
export async function sweepOnce({ clock, swept, working }: Sweeping, path: string): Promise<void> {
  if (swept.has(path)) return
  swept.add(path)
  await reaching(`The folder ${path} cannot be listed`, async () => {
    const own = (await readdir(path)).filter((name) => isWorkingNameOf(working.owner, name))
    const old: string[] = []
    for (const name of own) if (await isOld(join(path, name), clock)) old.push(name)
    for (const name of await withoutNoted(working, old)) {
      await removeFile(join(path, name)).catch(toleratingRights)
    }
  })
}

export async function withoutNoted(working: WorkingFiles, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return []
  const noted = new Set(await working.noted(names))
  return names.filter((name) => !noted.has(name))
}

/** Far longer than any delivery pauses, and than clocks of two machines differ. */
export const LEFTOVER_AGE_MS = 24 * 60 * 60 * 1000

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
