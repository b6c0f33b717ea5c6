/** One file of a folder on the disk, as a listing shows it. */
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sighting } from '../domain/mailbox.ts'
import { hasSystemCode } from '../support/errors.ts'
import type { Target } from './place.ts'

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
