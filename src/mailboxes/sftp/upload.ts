/** A local file on its way to the server under a working name; after a lost connection it goes on where it was. */
import { type FileHandle, open } from 'node:fs/promises'
import { BridgeError } from '../../support/errors.ts'
import { writing } from '../failures.ts'
import type { Calls } from './calls.ts'
import { hasContentsOf, OPEN } from './contents.ts'
import { ConnectionLost, isRefusal, STATUS } from './refusals.ts'
import { removeIfThere } from './rename.ts'
import { upload } from './transfer.ts'

export interface Uploading {
  readonly file: FileHandle
  readonly size: number
  readonly verify: 'size' | 'hash'
  isBegun: boolean
  /** Up to here the server has said that it has everything. */
  reached: number
  isWhole: boolean
  /** The server has flushed all of it, and said of the open file that it is as long as it should be. */
  isComplete: boolean
  /** Whether a reader may take it as soon as it is complete, because it has its final name already. */
  readonly mayBeTaken: boolean
  /** How many requests may be under way at once. */
  width: number
  /** Waited for before the first byte is written, and when all of them are flushed. */
  readonly onBegun?: () => Promise<void>
  readonly onComplete?: () => Promise<void>
}

type NewUploading = Pick<Uploading, 'file' | 'size' | 'verify' | 'width'> &
  Partial<Pick<Uploading, 'mayBeTaken' | 'isComplete' | 'onBegun' | 'onComplete'>>

export function newUploading(uploading: NewUploading): Uploading {
  const nothing = { isBegun: false, reached: 0, isWhole: false, isComplete: false, mayBeTaken: false }
  return { ...nothing, ...uploading }
}

/** Works with the open local file and its size. */
export async function withSource<Result>(
  source: string,
  work: (file: FileHandle, size: number) => Promise<Result>,
): Promise<Result> {
  const file = await writing(`${source} cannot be read`, () => open(source, 'r'))
  try {
    const { size } = await writing(`${source} cannot be read`, () => file.stat())
    return await work(file, size)
  } finally {
    await file.close()
  }
}

/** Leaves the bytes at the path of the working name, flushed where the server can, and counted. */
export async function uploadTo(calls: Calls, path: string, uploading: Uploading): Promise<void> {
  if (uploading.isWhole && (await calls.look(path))?.size === uploading.size) return
  const handle = await openAt(calls, path, uploading)
  try {
    const { file, reached: from, width } = uploading
    await uploading.onBegun?.()
    await upload(calls, handle, { file, from, width, reached: (bytes) => (uploading.reached = bytes) })
    await flushed(calls, handle)
    uploading.isComplete = (await sizeOf(calls, handle)) === uploading.size
    if (uploading.isComplete) await uploading.onComplete?.()
  } finally {
    await calls.close(handle).catch(() => {}) // what matters is looked at next
  }
  await checkWhole(calls, path, uploading)
  uploading.isWhole = true
}

/** What was begun on a connection that was lost goes on; the server may have forgotten some of what it said it had. */
async function openAt(calls: Calls, path: string, uploading: Uploading) {
  const found = uploading.isBegun ? await calls.look(path) : undefined
  if (found === undefined && uploading.mayBeTaken && uploading.reached > 0)
    throw new BridgeError('cannot-write', `${path} was taken away before it was whole.`)
  uploading.reached = Math.min(uploading.reached, found?.size ?? 0)
  if (found !== undefined) {
    try {
      return await calls.open(path, OPEN.write)
    } catch (error) {
      if (!isRefusal(error, STATUS.permissionDenied, STATUS.failure)) throw error
      // Some servers let nobody write to a file that is there; it is begun anew.
      await (uploading.mayBeTaken ? calls.unlink(path) : removeIfThere(calls, path))
      uploading.reached = 0
    }
  }
  try {
    const handle = await calls.open(path, OPEN.write | OPEN.create | OPEN.exclusive)
    uploading.isBegun = true
    return handle
  } catch (error) {
    // When the answer was lost, the file may be there; when it was no, it is not ours.
    uploading.isBegun ||= error instanceof ConnectionLost
    throw error
  }
}

export async function flushed(calls: Calls, handle: Buffer): Promise<void> {
  try {
    await calls.fsync(handle)
  } catch (error) {
    if (!isRefusal(error, STATUS.notSupported)) throw error
  }
}

/** Undefined where the server does not say it of an open file. */
async function sizeOf(calls: Calls, handle: Buffer): Promise<number | undefined> {
  try {
    return (await calls.fstat(handle)).size
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}

/** A file that was complete and is not there any more was taken by its reader. */
export async function isTaken(calls: Calls, path: string, uploading: Uploading): Promise<boolean> {
  return uploading.mayBeTaken && uploading.isComplete && (await calls.look(path)) === undefined
}

async function checkWhole(calls: Calls, path: string, uploading: Uploading): Promise<void> {
  const { file, size, verify } = uploading
  const there = await calls.look(path)
  if (there === undefined && (await isTaken(calls, path, uploading))) return
  if (there?.size !== size) {
    const has = there === undefined ? 'nothing' : `${there.size} bytes`
    throw new BridgeError('cannot-write', `The server was sent ${size} bytes and says that it has ${has}.`)
  }
  if (verify === 'size' || (await hasContentsOf(calls, path, file))) return
  if (await isTaken(calls, path, uploading)) return
  throw new BridgeError('cannot-write', `Read back from the server, the file is not what was sent.`)
}
