/** What lies in a folder on the disk and is no file that a listing shows. */
import type { Dirent, Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { PassedOver } from '../domain/mailbox.ts'
import { hasSystemCode } from '../support/errors.ts'
import { reaching } from './failures.ts'
import { foundFolder, type Root } from './folders.ts'
import { byName } from './in-order.ts'
import { folderSegments, isGarbled } from './names.ts'
import { isCandidate } from './sight.ts'

export async function passedOver(root: Root, folder: string): Promise<PassedOver[]> {
  const path = await foundFolder(root, folderSegments(folder))
  if (path === undefined) return []
  return reaching(`The folder ${path} cannot be listed`, async () => {
    const entries = await readdir(path, { withFileTypes: true })
    const found: PassedOver[] = []
    for (const entry of entries) {
      if (isCandidate(entry)) continue
      // By the name that was made of its bytes it cannot be asked for, and it may be too long to ask for.
      const seen = isGarbled(entry.name) ? undefined : await look(join(path, entry.name))
      if (seen === undefined && !isGarbled(entry.name)) continue
      found.push({
        name: entry.name,
        kind: kindOf(seen ?? entry),
        modifiedAt: Math.floor(seen?.mtimeMs ?? 0),
      })
    }
    return found.toSorted(byName)
  })
}

async function look(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    if (hasSystemCode(error, 'ENOENT')) return undefined
    throw error
  }
}

function kindOf(found: Stats | Dirent): PassedOver['kind'] {
  if (found.isFile()) return 'file'
  if (found.isDirectory()) return 'folder'
  return found.isSymbolicLink() ? 'link' : 'other'
}
