/** Reads the entries of a folder: files to list, ignored entries, and the names by which a place is recognized. */
import type { Dirent, Stats } from 'node:fs'
import { lstat, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileInfo, IgnoredEntry } from '../../domain/mailbox.ts'
import { ignoreCodes, pathIsFree, syncFolder } from '../../support/files.ts'
import { mapAccessErrors, mapWriteErrors } from '../staged.ts'
import { assertSafeName, compareByName, hasInvalidUtf8, isListedName, splitFolder } from '../names.ts'
import { ensureFolder, type FileRef, findFolder, type MailboxRoot, resolveRoot } from './folders.ts'

/** Whether a listing may show the entry, by its name and kind alone. */
export function isListedEntry(entry: Dirent): boolean {
  return entry.isFile() && isListedName(entry.name)
}

/**
 * Whether files with a second name must stay in the folder. Who can write it may link a file there that only the bridge can
 * read, and would get its contents back in results.
 */
export async function refusesLinkedFiles(path: string): Promise<boolean> {
  if (process.platform === 'win32') return false
  return ((await stat(path)).mode & WRITABLE_BY_OTHERS) !== 0
}

const WRITABLE_BY_OTHERS = 0o022

/** Undefined when there is no file of the name, or not any more. */
export async function statFile(
  path: string,
  { folder, name }: FileRef,
  refusesLinked = false,
): Promise<FileInfo | undefined> {
  const found = await statIfPresent(join(path, name))
  if (!found?.isFile() || (refusesLinked && found.nlink > 1)) return undefined
  return { folder, name, size: found.size, modifiedAt: Math.floor(found.mtimeMs) }
}

export async function listIgnored(root: MailboxRoot, folder: string): Promise<IgnoredEntry[]> {
  const path = await findFolder(root, splitFolder(folder))
  if (path === undefined) return []
  return mapAccessErrors(`The folder ${path} cannot be listed`, async () => {
    const entries = await readdir(path, { withFileTypes: true })
    const found: IgnoredEntry[] = []
    const refusesLinked = await refusesLinkedFiles(path)
    for (const entry of entries) {
      const isListed = isListedEntry(entry)
      if (isListed && !refusesLinked) continue
      // The decoded name does not work for a stat call, and it may be too long for one.
      const { name } = entry
      const seen = hasInvalidUtf8(name) ? undefined : await statIfPresent(join(path, name))
      if (seen === undefined && !hasInvalidUtf8(name)) continue
      const isLinked = seen?.isFile() === true && seen.nlink > 1
      if (isListed && !isLinked) continue
      const kind = isListed ? 'linked' : getKind(seen ?? entry)
      found.push({ name, kind, modifiedAt: Math.floor(seen?.mtimeMs ?? 0) })
    }
    return found.toSorted(compareByName)
  })
}

function statIfPresent(path: string): Promise<Stats | undefined> {
  return lstat(path).catch(ignoreCodes('ENOENT'))
}

function getKind(found: Stats | Dirent): IgnoredEntry['kind'] {
  if (found.isFile()) return 'file'
  if (found.isDirectory()) return 'folder'
  return found.isSymbolicLink() ? 'link' : 'other'
}

// A place is recognized by the names in it, and by an empty hidden folder that the bridge creates.

/** Undefined where there is no such folder. A root that is away is a failure. */
export async function listNames(root: MailboxRoot, folder: string): Promise<ReadonlySet<string> | undefined> {
  const steps = splitFolder(folder)
  const path = join(await resolveRoot(root), ...steps)
  const list = () => readdir(path).catch(ignoreCodes('ENOENT', 'ENOTDIR'))
  const names = await mapAccessErrors(`The folder ${path} cannot be listed`, list)
  return names && new Set(names)
}

/** Whether anything has this name in the folder. A root that is away is a failure. */
export async function hasEntry(root: MailboxRoot, folder: string, name: string): Promise<boolean> {
  assertSafeName(name)
  const path = join(await resolveRoot(root), ...splitFolder(folder), name)
  return mapAccessErrors(`The file ${path} cannot be inspected`, async () => {
    return (await pathIsFree(path).catch(ignoreCodes('ENOTDIR'))) === false
  })
}

export async function createMarkerFolder(root: MailboxRoot, folder: string, name: string): Promise<void> {
  assertSafeName(name)
  const path = await ensureFolder(root, splitFolder(folder))
  await mapWriteErrors(`The folder ${join(path, name)} cannot be made`, async () => {
    await mkdir(join(path, name)).catch(ignoreCodes('EEXIST'))
    await syncFolder(path)
  })
}
