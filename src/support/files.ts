/** Files and folders on the disk: durable renames, new files that are whole or absent, bytes and hashes. */
import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import {
  access,
  constants,
  type FileHandle,
  link,
  lstat,
  open,
  readFile,
  realpath,
  rename,
  stat,
  unlink,
} from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { repeatable } from './async.ts'
import { BridgeError, hasSystemCode } from './errors.ts'

// Modes: what holds orders and addresses is for the user of the bridge alone, whatever the umask.

export const PRIVATE_FILE = 0o600

export const PRIVATE_FOLDER = 0o700

/** Which of these paths other users of this machine can read or change; none on Windows, and none that are absent. */
export async function findOpenToOthers(paths: readonly string[]): Promise<string[]> {
  const found = process.platform === 'win32' ? [] : paths
  const open = await Promise.all(found.map(isOpenToOthers))
  return found.filter((_, index) => open[index])
}

/** A path is closed when its own mode is, or when a folder above it lets no other user pass. */
async function isOpenToOthers(path: string): Promise<boolean> {
  try {
    const own = await realpath(path)
    if (((await stat(own)).mode & 0o066) === 0) return false
    for (let above = dirname(own); ; above = dirname(above)) {
      if (((await stat(above)).mode & 0o011) === 0) return false
      if (above === dirname(above)) return true
    }
  } catch {
    return false
  }
}

// Durable: on the disk when the call returns.

/** Flushes a folder's entries, so that a rename or link in it survives a power cut. A no-op where the system cannot. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(ignoreCodes(...UNOPENABLE))
  try {
    await folder?.sync().catch(ignoreCodes('EINVAL', 'EPERM', 'ENOTSUP'))
  } finally {
    await folder?.close()
  }
}

/** Windows opens no folders. */
const UNOPENABLE = ['EISDIR', 'EPERM', 'EACCES']

/** For `catch`: returns undefined for these errors of the system, and rethrows all others. */
export function ignoreCodes(...codes: string[]): (error: unknown) => undefined {
  return (error) => {
    if (!hasSystemCode(error, ...codes)) throw error
  }
}

/** Renames within one file system and flushes both folders. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to)
  await syncFolder(dirname(to))
  if (dirname(from) !== dirname(to)) await syncFolder(dirname(from))
}

/**
 * Creates a private folder and those above it where they are missing, and flushes the names of all new ones. Flushes the folder's own
 * name each time, because a process may have been killed right after creating it. Synchronous, like opening a database.
 */
export function makeFolderDurably(path: string): void {
  const folder = resolve(path)
  const first = mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER })
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
    if (hasSystemCode(error, ...UNOPENABLE)) return
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

/**
 * Writes the file whole or not at all, in place of the one that is there. The text is on the disk before it gets the name; the name is
 * there after `syncFolder`. `mode`: the permissions of the file; the usual ones where it is left out.
 */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.writing`)
  try {
    const file = await open(temporary, 'w', mode)
    try {
      // The mask of the process may have taken some away, and a file that a crash left has its own.
      if (mode !== undefined) await file.chmod(mode)
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } finally {
    await removeFile(temporary)
  }
}

// A new file is whole or absent, and never replaces another one.

/** Writes the chunks under a working name and renames the file when all are on the disk. Throws `cannot-write`. */
export async function writeNewFile(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.writing`)
  await refuseExisting(path)
  const file = await mapDiskErrors(path, () => open(temporary, 'w'))
  try {
    try {
      for await (const chunk of chunks) await mapDiskErrors(path, () => file.writeFile(chunk))
      await mapDiskErrors(path, () => file.sync())
    } finally {
      await file.close()
    }
    await mapDiskErrors(path, () => linkOrRename(temporary, path))
  } finally {
    await removeFile(temporary)
  }
  await syncFolder(dirname(path))
}

async function refuseExisting(path: string): Promise<void> {
  const isFree = await lstat(path).then(
    () => false,
    (error: unknown) => hasSystemCode(error, 'ENOENT', 'ENOTDIR'),
  )
  if (!isFree) throw fileExistsError(path)
}

/** The failure of an output that would overwrite a file. */
export function fileExistsError(path: string): BridgeError {
  const fix = 'Name another file with --out, or move this one away.'
  return new BridgeError('cannot-write', `${path} is there already, and nothing is overwritten`, { fix })
}

/** Without links a rename may replace a file, so no other program should write here. */
async function linkOrRename(temporary: string, path: string): Promise<void> {
  const linked = await tryLink(temporary, path)
  if (linked === 'taken') throw fileExistsError(path)
  if (linked === 'linked') return
  await refuseExisting(path)
  await rename(temporary, path)
}

/** The error codes of file systems without hard links; Windows reports EISDIR on FAT. */
const NO_HARD_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV', 'EINVAL', 'EISDIR']

/** Gives a file a second name. A link is the one step that never overwrites. */
export async function tryLink(path: string, final: string): Promise<'linked' | 'taken' | 'no-links'> {
  try {
    await link(path, final)
    return 'linked'
  } catch (error) {
    if (hasSystemCode(error, 'EEXIST')) return 'taken'
    if (hasSystemCode(error, ...NO_HARD_LINKS)) return 'no-links'
    throw error
  }
}

/** Converts errors of the system to `cannot-write`; rethrows all others. */
export async function mapDiskErrors<Result>(
  path: string,
  work: () => Promise<Result>,
  formatReason: (error: Error) => string = () => '',
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BridgeError || !(error instanceof Error && 'code' in error)) throw error
    const options = { cause: error, fix: findWriteFix(error) }
    throw new BridgeError('cannot-write', `cannot write ${path}${formatReason(error)}`, options)
  }
}

/** The fix for an error of the system on writing; undefined where its code says none of the usual causes. */
export function findWriteFix(error: Error): string | undefined {
  if (hasSystemCode(error, 'ENOSPC', 'EDQUOT'))
    return 'Make room on that disk, then run again: the work is kept.'
  if (hasSystemCode(error, 'EACCES', 'EPERM', 'EROFS'))
    return 'Let the user of the bridge write there, then run again: the work is kept.'
  if (hasSystemCode(error, 'ENOENT', 'ENOTDIR'))
    return 'Its folder is not there: make it, or name another place, then run the command again.'
  return undefined
}

// The bytes of a file, piece by piece.

/** The size of a piece: few calls for a large file, and little memory. */
const PIECE_BYTES = 1 << 18

/** The smallest buffer of a read: a file that reports size 0 may have contents. */
const ROOM_BYTES = 1 << 10

/**
 * Opens the file for the first piece, and closes it when the reader stops. Throws errors while reading. Each iteration begins
 * at the start of the file.
 */
export function readFileBytes(path: string): AsyncIterable<Buffer> {
  return repeatable(() => readFileOnce(path))
}

async function* readFileOnce(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r')
  try {
    yield* readBytes(file)
  } finally {
    await file.close()
  }
}

/** Which bytes of a file; to its end where `until` is left out. */
interface ByteRange {
  readonly from: number
  readonly until?: number
  /** No piece is larger. */
  readonly pieceBytes?: number
}

/**
 * Reads from the file's position, or a range. Buffers are no larger than the contents: large buffers for many small files
 * were garbage-collected again and again, which took half of the total time.
 */
export async function* readBytes(file: FileHandle, range?: ByteRange): AsyncGenerator<Buffer> {
  const found = await file.stat()
  // A pipe has no position and no known size.
  let position = range?.from
  let left = found.size - (position ?? 0)
  const { until, pieceBytes = PIECE_BYTES } = range ?? {}
  const least = found.isFile() ? ROOM_BYTES : pieceBytes
  for (;;) {
    const wanted = until === undefined ? Infinity : until - (position ?? 0)
    const piece = Buffer.allocUnsafe(Math.min(Math.max(left, least), pieceBytes, wanted))
    const { bytesRead } = await file.read(piece, 0, piece.length, position)
    if (bytesRead === 0) return
    left -= bytesRead
    if (position !== undefined) position += bytesRead
    yield piece.subarray(0, bytesRead)
  }
}

/** As 64 hexadecimal digits. */
export async function computeSha256(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of pieces) hash.update(piece)
  return hash.digest('hex')
}

/** Whether there is no entry at the path. */
export async function pathIsFree(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return false
  } catch (error) {
    if (hasSystemCode(error, 'ENOENT')) return true
    throw error
  }
}

/** Removes a file in one system call, where `rm` of Node makes two. Does not remove folders. */
export async function removeFile(path: string): Promise<void> {
  await unlink(path).catch(ignoreCodes('ENOENT'))
}

/**
 * For a real path. A mount is another device than the folder around it; a bind mount of the same disk, as in containers,
 * shows only in the mount table of Linux.
 */
export async function isMountPoint(path: string): Promise<boolean> {
  const above = dirname(path)
  if (above === path) return true
  const [own, around] = await Promise.all([stat(path), stat(above)])
  return own.dev !== around.dev || (await listMountPoints()).includes(path)
}

/** The fifth word of each line. proc_pid_mountinfo(5): spaces and the like are escaped as octal numbers. */
async function listMountPoints(): Promise<string[]> {
  const table = await readFile('/proc/self/mountinfo', 'utf8').catch(ignoreCodes('ENOENT', 'EACCES'))
  return (table ?? '').split('\n').map((line) => decodeOctal(line.split(' ')[4] ?? ''))
}

function decodeOctal(word: string): string {
  return word.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
}

/** The folder, or the first one above it that is there, where it cannot be written. Undefined where `root` is not there. */
export async function findClosedFolder(root: string, folder: string): Promise<string | undefined> {
  const code = (path: string, mode: number) =>
    access(path, mode).then(
      () => '',
      (error: NodeJS.ErrnoException) => error.code ?? '',
    )
  for (let path = join(root, folder); path.startsWith(root); path = dirname(path)) {
    const why = await code(path, constants.W_OK | constants.X_OK)
    if (why === '' || why === 'ENOTDIR') return undefined
    if (why !== 'ENOENT') return path
  }
  return undefined
}
