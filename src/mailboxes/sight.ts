/** Files of a folder on the disk, as a listing shows them. */
import type { Dirent } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sighting } from '../domain/mailbox.ts'
import { hasSystemCode } from '../support/errors.ts'
import { isListedName } from './names.ts'
import type { Target } from './place.ts'

/** Whether a listing may show it, for all that its folder says. */
export function isCandidate(entry: Dirent): boolean {
  return entry.isFile() && isListedName(entry.name)
}

/** Undefined when no file of the name is there, or not any more. */
export async function sight(path: string, { folder, name }: Target): Promise<Sighting | undefined> {
  try {
    const found = await lstat(join(path, name))
    if (!found.isFile()) return undefined
    return { folder, name, size: found.size, modifiedAt: Math.floor(found.mtimeMs) }
  } catch (error) {
    if (hasSystemCode(error, 'ENOENT')) return undefined
    throw error
  }
}
