/** Uploads, downloads, compares, renames and removes files on the server. */
import { type FileHandle, open } from 'node:fs/promises'
import { BridgeError } from '../../support/errors.ts'
import { computeSha256, readBytes } from '../../support/files.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { mapWriteErrors } from '../staged.ts'
import { ConnectionLost, type Handle, ignoreRefusal, isRefusal, type SftpCalls, STATUS } from './protocol.ts'

// Uploads a local file under a working name. After a lost connection it continues where it was.

export interface UploadState {
  readonly file: FileHandle
  readonly size: number
  readonly verify: 'size' | 'hash'
  isBegun: boolean
  /** The server has confirmed all bytes up to here. */
  reached: number
  isWhole: boolean
  /** The server has flushed all of it and confirmed the size of the open file. */
  isComplete: boolean
  /** Whether a reader may take it as soon as it is complete, because it has its final name already. */
  readonly mayBeTaken: boolean
  /** How many requests may be under way at once. */
  width: number
  /** Awaited before the first byte is written, and when all bytes are flushed. */
  readonly onBegun?: () => Promise<void>
  readonly onComplete?: () => Promise<void>
}

type UploadOptions = Pick<UploadState, 'file' | 'size' | 'verify' | 'width'> &
  Partial<Pick<UploadState, 'mayBeTaken' | 'isComplete' | 'onBegun' | 'onComplete'>>

export function createUpload(uploading: UploadOptions): UploadState {
  const nothing = { isBegun: false, reached: 0, isWhole: false, isComplete: false, mayBeTaken: false }
  return { ...nothing, ...uploading }
}

/** Works with the open local file and its size. */
export async function withLocalFile<Result>(
  source: string,
  work: (file: FileHandle, size: number) => Promise<Result>,
): Promise<Result> {
  const file = await mapWriteErrors(`${source} cannot be read`, () => open(source, 'r'))
  try {
    const { size } = await mapWriteErrors(`${source} cannot be read`, () => file.stat())
    return await work(file, size)
  } finally {
    await file.close()
  }
}

/** Uploads the file to the path, flushed where the server can, and checks its size. */
export async function uploadFile(calls: SftpCalls, path: string, uploading: UploadState): Promise<void> {
  if (uploading.isWhole && (await calls.lstat(path))?.size === uploading.size) return
  const handle = await openForUpload(calls, path, uploading)
  try {
    await uploading.onBegun?.()
    await upload(calls, handle, uploading)
    await flushIfSupported(calls, handle)
    // The size is undefined where the server does not support the call.
    const written = await calls.fstat(handle).catch(ignoreRefusal())
    uploading.isComplete = written?.size === uploading.size
    if (uploading.isComplete) await uploading.onComplete?.()
  } finally {
    await calls.close(handle).catch(() => {}) // the size check comes next
  }
  await verifyUpload(calls, path, uploading)
  uploading.isWhole = true
}

/** Resumes an upload of a lost connection; the server may have lost some bytes that it had confirmed. */
async function openForUpload(calls: SftpCalls, path: string, uploading: UploadState) {
  const found = uploading.isBegun ? await calls.lstat(path) : undefined
  if (found === undefined && uploading.mayBeTaken && uploading.reached > 0)
    throw new BridgeError('cannot-write', `Another program removed ${path} before it was complete.`)
  uploading.reached = Math.min(uploading.reached, found?.size ?? 0)
  if (found !== undefined) {
    try {
      return await calls.open(path, OPEN_MODES.write)
    } catch (error) {
      if (!isRefusal(error, STATUS.permissionDenied, STATUS.failure)) throw error
      // Some servers do not allow writing to an existing file, so the upload starts again.
      await (uploading.mayBeTaken ? calls.unlink(path) : removeIfPresent(calls, path))
      uploading.reached = 0
    }
  }
  try {
    const handle = await calls.open(path, OPEN_MODES.write | OPEN_MODES.create | OPEN_MODES.exclusive)
    uploading.isBegun = true
    return handle
  } catch (error) {
    // After a lost answer the file may be the bridge's own; after a refusal it is not.
    uploading.isBegun ||= error instanceof ConnectionLost
    throw error
  }
}

export async function flushIfSupported(calls: SftpCalls, handle: Handle): Promise<void> {
  await calls.fsync(handle).catch(ignoreRefusal(STATUS.notSupported))
}

/** Whether a complete file has disappeared, which means that its reader has taken it. */
export async function isTaken(calls: SftpCalls, path: string, uploading: UploadState): Promise<boolean> {
  return uploading.mayBeTaken && uploading.isComplete && (await calls.lstat(path)) === undefined
}

async function verifyUpload(calls: SftpCalls, path: string, uploading: UploadState): Promise<void> {
  const { file, size, verify } = uploading
  const there = await calls.lstat(path)
  if (there === undefined && (await isTaken(calls, path, uploading))) return
  if (there?.size !== size) {
    const has = there === undefined ? 'nothing' : `${there.size} bytes`
    throw new BridgeError('cannot-write', `The server was sent ${size} bytes and says that it has ${has}.`)
  }
  if (verify === 'size' || (await matchesLocalFile(calls, path, file))) return
  if (await isTaken(calls, path, uploading)) return
  throw new BridgeError('cannot-write', `Read back from the server, the file is not what was sent.`)
}

// Moves bytes over a connection: many requests in flight at once, in order, and counted.

/** With its header it fits the packets that every server must accept; the library would split more into two requests. */
const CHUNK_BYTES = 31 * 1024

/** How many requests are under way at once, at first. */
export const INITIAL_WINDOW = 64

/** Fewer requests at once after a lost connection: not every server can handle that many. */
export function narrowWindow(width: number): number {
  return Math.max(1, width >> 2)
}

/** Downloads the bytes from `from` to `size`, and any behind that. */
export async function* download(
  calls: SftpCalls,
  handle: Handle,
  { from, size, width = INITIAL_WINDOW }: { from: number; size: number; width?: number },
): AsyncGenerator<Buffer, void, undefined> {
  const underWay: Promise<Buffer>[] = []
  let asked = from
  try {
    while (asked < size || underWay.length > 0) {
      while (asked < size && underWay.length < width) {
        const chunk = readFully(calls, handle, asked, Math.min(CHUNK_BYTES, size - asked))
        chunk.catch(() => {}) // awaited later in order, or never when an earlier one failed
        underWay.push(chunk)
        asked += CHUNK_BYTES
      }
      const next = await underWay.shift()
      if (next === undefined || next.length === 0) return
      yield next
    }
    const beyond = await readFully(calls, handle, Math.max(from, size), 1)
    if (beyond.length > 0) yield beyond
  } finally {
    await Promise.allSettled(underWay)
  }
}

/** Reads the whole length: servers may return fewer bytes than requested; only an empty answer is the end. */
export async function readFully(calls: SftpCalls, handle: Handle, position: number, length: number) {
  const buffer = Buffer.allocUnsafe(length)
  let got = 0
  while (got < length) {
    const count = await calls.read(handle, got === 0 ? buffer : buffer.subarray(got), position + got)
    if (count === 0) break
    got += count
  }
  return got === length ? buffer : buffer.subarray(0, got)
}

/** Writes the local file from `reached` on, which grows with each confirmed byte. */
async function upload(calls: SftpCalls, handle: Handle, uploading: UploadState): Promise<void> {
  const { file, width } = uploading
  const underWay: { readonly end: number; readonly written: Promise<void> }[] = []
  const awaitFirst = async () => {
    const first = underWay.shift()
    await first?.written
    if (first !== undefined) uploading.reached = first.end
  }
  try {
    for await (const { position, bytes } of readChunks(file, uploading.reached)) {
      if (underWay.length >= width) await awaitFirst()
      const written = calls.write(handle, bytes, position)
      written.catch(() => {}) // awaited later in order
      underWay.push({ end: position + bytes.length, written })
    }
    while (underWay.length > 0) await awaitFirst()
  } finally {
    await Promise.allSettled(underWay.map(({ written }) => written))
  }
}

/** How many chunks are read from the disk at once. */
const PIECE_CHUNKS = 32

async function* readChunks(file: FileHandle, from: number) {
  let position = from
  for await (const piece of readBytes(file, { from, pieceBytes: CHUNK_BYTES * PIECE_CHUNKS })) {
    for (let start = 0; start < piece.length; start += CHUNK_BYTES) {
      yield { position: position + start, bytes: piece.subarray(start, start + CHUNK_BYTES) }
    }
    position += piece.length
  }
}

/** The modes of the protocol's open call. */
export const OPEN_MODES = { read: 0x01, write: 0x02, create: 0x08, truncate: 0x10, exclusive: 0x20 } as const

/** Whether the file on the server has the bytes of the local one. */
export async function matchesLocalFile(calls: SftpCalls, path: string, file: FileHandle): Promise<boolean> {
  const [{ size }, there] = await Promise.all([file.stat(), calls.lstat(path)])
  if (there?.kind !== 'file' || there.size !== size) return false
  return (await hashRemote(calls, path, size)) === (await hashLocal(file))
}

/** Whether the file on the server is a prefix of the local one. */
export async function isPrefixOfLocalFile(calls: SftpCalls, path: string, file: FileHandle) {
  const [{ size }, there] = await Promise.all([file.stat(), calls.lstat(path)])
  if (there?.kind !== 'file' || there.size > size) return false
  return (await hashRemote(calls, path, there.size)) === (await hashLocal(file, there.size))
}

/** Whether two files on the server have the same bytes. */
export async function haveSameContents(calls: SftpCalls, one: string, other: string): Promise<boolean> {
  const [here, there] = await Promise.all([calls.lstat(one), calls.lstat(other)])
  if (here?.kind !== 'file' || there?.kind !== 'file' || here.size !== there.size) return false
  const ofOne = await hashRemote(calls, one, here.size)
  return ofOne !== undefined && ofOne === (await hashRemote(calls, other, there.size))
}

/** Undefined when the file is gone. */
async function hashRemote(calls: SftpCalls, path: string, size: number): Promise<string | undefined> {
  const handle = await calls.open(path, OPEN_MODES.read).catch(ignoreRefusal(STATUS.noSuchFile))
  if (handle === undefined) return undefined
  try {
    return await computeSha256(download(calls, handle, { from: 0, size }))
  } finally {
    await calls.close(handle).catch(() => {})
  }
}

function hashLocal(file: FileHandle, until?: number): Promise<string> {
  return computeSha256(readBytes(file, { from: 0, ...omitUndefined({ until }) }))
}

// Renaming and removing. The plain rename of the protocol comes first: most servers refuse it when the name
// is taken, so that nothing is overwritten even when two do it at once. `posix-rename@openssh.com` replaces
// whatever has the name: it is the way out for servers that cannot do the plain one, and only after a check
// at the name.

/** `taken` when another entry has the name; `gone` when the source is missing. Throws other refusals. */
export async function renameOnServer(calls: SftpCalls, from: string, to: string) {
  try {
    await calls.rename(from, to)
    return 'named'
  } catch (error) {
    if (!isRefusal(error)) throw error
    const [here, there] = await Promise.all([calls.lstat(from), calls.lstat(to)])
    if (there !== undefined) return 'taken'
    if (here === undefined) return 'gone'
    if (await tryPosixRename(calls, from, to)) return 'named'
    throw error
  }
}

async function tryPosixRename(calls: SftpCalls, from: string, to: string): Promise<boolean> {
  const renamed = calls.posixRename(from, to).then(() => true)
  return (await renamed.catch(ignoreRefusal())) ?? false
}

export async function removeIfPresent(calls: SftpCalls, path: string): Promise<void> {
  await calls.unlink(path).catch(ignoreRefusal(STATUS.noSuchFile))
}

/** For working files: one that stays does no harm, and is removed as a leftover a day later. */
export async function removeIfAllowed(calls: SftpCalls, path: string): Promise<void> {
  await calls.unlink(path).catch(ignoreRefusal())
}
