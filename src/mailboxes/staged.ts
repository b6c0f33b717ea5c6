/** Files that this bridge staged and did not deliver because of a crash, and the errors of the file system on the way. */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { WorkingFiles } from '../domain/mailbox.ts'
import { type Clock, DAY_MS } from '../support/clock.ts'
import { findWriteFix, ignoreCodes, removeFile } from '../support/files.ts'
import { isOwnWorkingName } from './names.ts'
import { BridgeError, type FailureCode } from '../support/errors.ts'

export interface LeftoverContext {
  readonly clock: Clock
  readonly working: WorkingFiles
  readonly cleanedFolders: CleanedFolders
}

/** The folders that were cleaned or are being cleaned, by their real paths. */
export type CleanedFolders = Map<string, Promise<void>>

/**
 * Cleans a folder once a run. Other deliveries into it wait, so that no listing shows what they staged: where the clocks of
 * file server and bridge differ by more than a day, their files would look old. After a failure the next delivery cleans.
 */
export function cleanOnce(cleaned: CleanedFolders, path: string, clean: () => Promise<void>): Promise<void> {
  const known = cleaned.get(path)
  if (known !== undefined) return known
  const cleaning = clean().catch((error: unknown) => {
    cleaned.delete(path)
    throw error
  })
  cleaned.set(path, cleaning)
  return cleaning
}

/** Removes leftovers once a run. Files of other bridges or of namings stay, as evidence of whether a file got its name. */
export function cleanLeftoversOnce(context: LeftoverContext, path: string): Promise<void> {
  return cleanOnce(context.cleanedFolders, path, () => cleanLeftovers(context, path))
}

async function cleanLeftovers({ clock, working }: LeftoverContext, path: string): Promise<void> {
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

// Converts errors of the file system to the failures of a mailbox.

/** Converts errors of the work to `cannot-write`, or to `mailbox-unreachable` where the place is away. */
export const mapWriteErrors = <T>(what: string, work: () => Promise<T>) =>
  mapErrors('cannot-write', what, work)

/** Converts errors of the work to `mailbox-unreachable`. */
export const mapAccessErrors = <T>(what: string, work: () => Promise<T>) =>
  mapErrors('mailbox-unreachable', what, work)

/** The error codes of a share or disk that is away. */
const UNREACHABLE_CODES = /^(?:ENOTCONN|ESTALE|EIO|ENXIO|ENODEV|EHOSTDOWN|EHOSTUNREACH|ETIMEDOUT)$/

async function mapErrors<T>(code: FailureCode, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BridgeError || !(error instanceof Error) || !('code' in error)) throw error
    const isAway = UNREACHABLE_CODES.test(String(error.code))
    const actual = isAway ? 'mailbox-unreachable' : code
    const fix = actual === 'cannot-write' ? findWriteFix(error) : undefined
    throw new BridgeError(actual, `${what}: ${error.message}`, { cause: error, fix })
  }
}

export const NOT_A_FOLDER_FIX = 'Remove or rename that file, or name another folder in the configuration.'

/** Refuses to recreate a known folder: an empty one would look as if a reader had taken all files. */
export function refuseToCreate(path: string): Promise<never> {
  const gone = `The folder ${path} is gone, in which files lay before.`
  return Promise.reject(new BridgeError('mailbox-unreachable', gone))
}
