/** Files that are really on the disk when the call returns. */
import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
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

/**
 * Makes a folder and those above it where they are missing, and flushes the names of all it made. The folder's own name is flushed
 * each time: a process killed right after it made the folder has not done so. Synchronous, as opening a database is.
 */
export function makeFolderDurably(path: string): void {
  const folder = resolve(path)
  const first = mkdirSync(folder, { recursive: true })
  const top = dirname(first === undefined ? folder : resolve(first))
  for (let parent = dirname(folder); ; parent = dirname(parent)) {
    syncFolderNow(parent)
    if (parent === top || parent === dirname(parent)) return
  }
}

function syncFolderNow(path: string): void {
  let folder: number
  try {
    folder = openSync(path, 'r')
  } catch (error) {
    if (hasSystemCode(error, 'EISDIR', 'EPERM', 'EACCES')) return // Windows opens no folders
    throw error
  }
  try {
    fsyncSync(folder)
  } catch (error) {
    if (!hasSystemCode(error, 'EINVAL', 'EPERM', 'ENOTSUP', 'EROFS')) throw error
  } finally {
    closeSync(folder)
  }
}
