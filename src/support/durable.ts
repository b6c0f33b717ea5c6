/** Files that are really on the disk when the call returns. */
import { type FileHandle, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { hasSystemCode } from './errors.ts'

/** Flushes a folder's entries, so that a rename or link in it survives a power cut. A no-op where the system cannot. */
export async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle
  try {
    folder = await open(path, 'r')
  } catch (error) {
    if (hasSystemCode(error, 'EISDIR', 'EPERM', 'EACCES')) return // Windows opens no folders
    throw error
  }
  try {
    await folder.sync()
  } catch (error) {
    if (!hasSystemCode(error, 'EINVAL', 'EPERM', 'ENOTSUP')) throw error
  } finally {
    await folder.close()
  }
}

/** Renames within one file system and flushes both folders. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to)
  await syncFolder(dirname(to))
  if (dirname(from) !== dirname(to)) await syncFolder(dirname(from))
}
