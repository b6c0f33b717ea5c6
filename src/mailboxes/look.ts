/** What stands at a place of a mailbox, and what keeps it from being listed or taken; nothing is made or changed. */
import { access, constants, lstat, open, readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sighting } from '../domain/mailbox.ts'
import { hasSystemCode } from '../support/errors.ts'
import { CLAIMED_FOLDER, folderSegments, idOfClaimed, isSafeName, temporaryMark } from './names.ts'

export type Look =
  | {
      readonly what: 'file'
      readonly sighting: Sighting
      readonly mayBeRead: boolean
      readonly mayBeMoved: boolean
    }
  | { readonly what: 'passed-over'; readonly why: string }
  | { readonly what: 'nothing' }
  /** The mailbox or the folder itself cannot be looked into. */
  | { readonly what: 'away'; readonly why: string }

/** Where the folder is on the disk, whether or not it is there. */
export function placeOf(root: string, folder: string): string {
  return join(root, ...folderSegments(folder))
}

/** The same place by whatever links it is reached; as it is written when it is not there. */
export async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (hasSystemCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP')) return path
    throw error
  }
}

export async function lookAt(root: string, folder: string, name: string): Promise<Look> {
  const path = placeOf(root, folder)
  const away = await whyAway(root, path)
  if (away !== undefined) return { what: 'away', why: away }
  if (!isSafeName(name)) {
    if (!(await isNamedIn(path, name))) return { what: 'nothing' }
    return { what: 'passed-over', why: 'its name has characters that no file of a mailbox may have' }
  }
  const found = await statOf(join(path, name))
  if (found === undefined) return { what: 'nothing' }
  if (!found.isFile()) return { what: 'passed-over', why: kindOf(found) }
  const mark = temporaryMark(name)
  if (mark?.begins !== undefined)
    return {
      what: 'passed-over',
      why: `its name begins with "${mark.begins}", as names do while files are written`,
    }
  if (mark?.ends !== undefined)
    return {
      what: 'passed-over',
      why: `its name ends with "${mark.ends}", as names do while files are written`,
    }
  return {
    what: 'file',
    sighting: { folder, name, size: found.size, modifiedAt: Math.floor(found.mtimeMs) },
    mayBeRead: await opens(join(path, name)),
    mayBeMoved: await isWritable(path),
  }
}

/** A root that is not there is a share that is not mounted; a folder that is not there is made by the next run. */
async function whyAway(root: string, path: string): Promise<string | undefined> {
  try {
    if (!(await stat(root)).isDirectory()) return `${root} is no folder`
  } catch (error) {
    return `${root} cannot be reached: ${messageOf(error)}`
  }
  try {
    await access(path, constants.R_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return hasSystemCode(error, 'ENOENT') ? undefined : `${path} cannot be listed: ${messageOf(error)}`
  }
}

async function statOf(path: string) {
  try {
    return await lstat(path)
  } catch (error) {
    if (hasSystemCode(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG')) return undefined
    throw error
  }
}

function kindOf(found: NonNullable<Awaited<ReturnType<typeof statOf>>>): string {
  if (found.isDirectory()) return 'it is a folder; folders in an inbox are not looked into'
  return found.isSymbolicLink() ? 'it is a link; only files themselves are taken' : 'it is no plain file'
}

/** Only opening a file tells whether it may be read: who a program acts as is not always who it was started by. */
async function opens(path: string): Promise<boolean> {
  try {
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    await file.close()
    return true
  } catch {
    return false
  }
}

async function isWritable(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Such a name is looked for in the listing, and never made part of a path: it may lead out of the folder. */
async function isNamedIn(path: string, name: string): Promise<boolean> {
  try {
    return (await readdir(path)).includes(name)
  } catch {
    return false
  }
}

/** The names in a folder; none where it cannot be listed. */
export async function namesIn(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).slice(0, NAMES_MAX)
  } catch {
    return []
  }
}

const NAMES_MAX = 10_000

/** The ids under which files of this name lie claimed in the folder. */
export async function claimsOf(root: string, folder: string, name: string): Promise<string[]> {
  const claimed = await namesIn(join(placeOf(root, folder), CLAIMED_FOLDER))
  return claimed.filter((each) => each.endsWith(`-${name}`)).flatMap((each) => idOfClaimed(each) ?? [])
}
