/** Inspects one place of a directory mailbox: its entry, and why it cannot be listed or claimed. Changes nothing. */
import type { Stats } from 'node:fs'
import { access, constants, lstat, open, readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileInfo } from '../../domain/mailbox.ts'
import { ignoreCodes } from '../../support/files.ts'
import { refusesLinkedFiles } from './listing.ts'
import { CLAIMED_FOLDER, splitFolder, parseClaimedId, isSafeName, matchTemporaryName } from '../names.ts'

export type Inspection =
  | {
      readonly what: 'file'
      readonly info: FileInfo
      readonly isReadable: boolean
      readonly isMovable: boolean
    }
  | { readonly what: 'entry-ignored'; readonly why: string }
  /** Or the mailbox or the folder cannot be read. */
  | { readonly what: 'nothing' }

/** Returns the path of the folder on the disk, even where it is missing. */
export function resolveFolderPath(root: string, folder: string): string {
  return join(root, ...splitFolder(folder))
}

/** Resolves all links; returns the path unchanged where it is missing. */
export async function resolveRealPath(path: string): Promise<string> {
  return (await realpath(path).catch(ignoreCodes('ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'))) ?? path
}

export async function inspectFile(root: string, folder: string, name: string): Promise<Inspection> {
  const path = resolveFolderPath(root, folder)
  if (!isSafeName(name)) {
    // Such a name never becomes part of a path: it may lead out of the folder.
    if (!(await readdir(path).catch((): string[] => [])).includes(name)) return { what: 'nothing' }
    return { what: 'entry-ignored', why: 'its name has characters that no file of a mailbox may have' }
  }
  const found = await lstat(join(path, name)).catch(
    ignoreCodes('ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EACCES'),
  )
  if (found === undefined) return { what: 'nothing' }
  if (!found.isFile()) return { what: 'entry-ignored', why: describeKind(found) }
  if (found.nlink > 1 && (await refusesLinkedFiles(path)))
    return {
      what: 'entry-ignored',
      why: 'it has a second name (a hard link), and others can write the folder',
    }
  const mark = matchTemporaryName(name)
  if (mark !== undefined) {
    const { begins, ends } = mark
    const how = begins === undefined ? `ends with "${ends}"` : `begins with "${begins}"`
    return { what: 'entry-ignored', why: `its name ${how}, as names do while files are written` }
  }
  return {
    what: 'file',
    info: { folder, name, size: found.size, modifiedAt: Math.floor(found.mtimeMs) },
    isReadable: await canOpen(join(path, name)),
    isMovable: await succeeds(() => access(path, constants.W_OK | constants.X_OK)),
  }
}

function describeKind(found: Stats): string {
  if (found.isDirectory()) return 'it is a folder; a run does not read folders in an inbox'
  return found.isSymbolicLink() ? 'it is a link; only files themselves are taken' : 'it is no plain file'
}

/** Only opening a file shows whether it is readable: a program's rights are not always those of its user. */
function canOpen(path: string): Promise<boolean> {
  return succeeds(async () => (await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))).close())
}

async function succeeds(work: () => Promise<void>): Promise<boolean> {
  return work().then(
    () => true,
    () => false,
  )
}

/** The names in a folder; none where it cannot be listed. */
export async function listNamesIfAllowed(path: string): Promise<string[]> {
  return (await readdir(path).catch(() => [])).slice(0, NAMES_MAX)
}

const NAMES_MAX = 10_000

/** Finds the claim ids of files of this name in the folder. */
export async function findClaims(root: string, folder: string, name: string): Promise<string[]> {
  const claimed = await listNamesIfAllowed(join(resolveFolderPath(root, folder), CLAIMED_FOLDER))
  return claimed.filter((each) => each.endsWith(`-${name}`)).flatMap((each) => parseClaimedId(each) ?? [])
}
