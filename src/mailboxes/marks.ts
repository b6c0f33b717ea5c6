/** By what a place is known again: the names that are in a folder, and an empty hidden folder left in it as a mark. */
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { hasSystemCode } from '../support/errors.ts'
import { syncFolder } from '../support/durable.ts'
import { isFree } from '../support/is-free.ts'
import { reaching, writing } from './failures.ts'
import { openFolder, openRoot, type Root } from './folders.ts'
import { assertSafeName, folderSegments } from './names.ts'

/** Undefined where there is no such folder. A root that is away is a failure. */
export async function namesIn(root: Root, folder: string): Promise<ReadonlySet<string> | undefined> {
  const steps = folderSegments(folder)
  const path = join(await openRoot(root), ...steps)
  return reaching(`The folder ${path} cannot be listed`, async () => {
    try {
      return new Set(await readdir(path))
    } catch (error) {
      if (hasSystemCode(error, 'ENOENT', 'ENOTDIR')) return undefined
      throw error
    }
  })
}

/** Whether anything has this name in the folder. A root that is away is a failure. */
export async function hasName(root: Root, folder: string, name: string): Promise<boolean> {
  assertSafeName(name)
  const path = join(await openRoot(root), ...folderSegments(folder), name)
  return reaching(`The file ${path} cannot be looked at`, async () => {
    try {
      return !(await isFree(path))
    } catch (error) {
      if (hasSystemCode(error, 'ENOTDIR')) return false
      throw error
    }
  })
}

export async function markFolder(root: Root, folder: string, name: string): Promise<void> {
  assertSafeName(name)
  const path = await openFolder(root, folderSegments(folder))
  await writing(`The folder ${join(path, name)} cannot be made`, async () => {
    try {
      await mkdir(join(path, name))
    } catch (error) {
      if (!hasSystemCode(error, 'EEXIST')) throw error
    }
    await syncFolder(path)
  })
}
