/** Leftovers: files that this bridge staged and that no naming needs, because of a crash before the note or after the end. */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { WorkingFiles } from '../domain/mailbox.ts'
import { type Clock, DAY_MS } from '../support/clock.ts'
import { ignoreCodes, removeFile } from '../support/files.ts'
import { mapAccessErrors } from './failures.ts'
import { isOwnWorkingName } from './names.ts'

export interface LeftoverContext {
  readonly clock: Clock
  readonly working: WorkingFiles
  /** The cleaned folders, by their real paths. */
  readonly cleanedFolders: Set<string>
}

/** Removes leftovers once a run. Files of other bridges or of namings stay, as evidence of whether a file got its name. */
export async function cleanLeftoversOnce({ clock, cleanedFolders, working }: LeftoverContext, path: string) {
  if (cleanedFolders.has(path)) return
  cleanedFolders.add(path)
  await mapAccessErrors(`The folder ${path} cannot be listed`, async () => {
    const own = (await readdir(path)).filter((name) => isOwnWorkingName(working.owner, name))
    const old: string[] = []
    for (const name of own) if (await isOld(join(path, name), clock)) old.push(name)
    for (const name of await excludeNoted(working, old)) {
      await removeFile(join(path, name)).catch(ignoreCodes('EACCES', 'EPERM', 'EROFS', 'EBUSY'))
    }
  })
}

export async function excludeNoted(working: WorkingFiles, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return []
  const noted = new Set(await working.noted(names))
  return names.filter((name) => !noted.has(name))
}

/** Far longer than any delivery pauses, and than clocks of two machines differ. */
export const LEFTOVER_AGE_MS = DAY_MS

async function isOld(path: string, clock: Clock): Promise<boolean> {
  const found = await lstat(path).catch(ignoreCodes('ENOENT'))
  return found?.isFile() === true && Math.floor(found.mtimeMs) <= clock.now() - LEFTOVER_AGE_MS
}
