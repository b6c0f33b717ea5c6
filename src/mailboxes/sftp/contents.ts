/** Comparing files by their bytes. */
import type { FileHandle } from 'node:fs/promises'
import { bytesOf, sha256Of } from '../../support/file-bytes.ts'
import type { Calls, Handle } from './calls.ts'
import { isRefusal, STATUS } from './refusals.ts'
import { download } from './transfer.ts'

/** The modes of the protocol's open call. */
export const OPEN = { read: 0x01, write: 0x02, create: 0x08, truncate: 0x10, exclusive: 0x20 } as const

/** Whether the file on the server has the bytes of the local one. */
export async function hasContentsOf(calls: Calls, path: string, file: FileHandle): Promise<boolean> {
  const [{ size }, there] = await Promise.all([file.stat(), calls.look(path)])
  if (there?.kind !== 'file' || there.size !== size) return false
  return (await remoteHash(calls, path, size)) === (await localHash(file))
}

/** Whether the file on the server is the local one as far as it goes. */
export async function isStartOf(calls: Calls, path: string, file: FileHandle): Promise<boolean> {
  const [{ size }, there] = await Promise.all([file.stat(), calls.look(path)])
  if (there?.kind !== 'file' || there.size > size) return false
  return (await remoteHash(calls, path, there.size)) === (await localHash(file, there.size))
}

/** Whether two files on the server have the same bytes. */
export async function haveSameContents(calls: Calls, one: string, other: string): Promise<boolean> {
  const [here, there] = await Promise.all([calls.look(one), calls.look(other)])
  if (here?.kind !== 'file' || there?.kind !== 'file' || here.size !== there.size) return false
  const ofOne = await remoteHash(calls, one, here.size)
  return ofOne !== undefined && ofOne === (await remoteHash(calls, other, there.size))
}

/** Undefined when it is not there any more. */
async function remoteHash(calls: Calls, path: string, size: number): Promise<string | undefined> {
  const handle = await openedIfThere(calls, path)
  if (handle === undefined) return undefined
  try {
    return await sha256Of(download(calls, handle, { from: 0, size }))
  } finally {
    await calls.close(handle).catch(() => {})
  }
}

async function openedIfThere(calls: Calls, path: string): Promise<Handle | undefined> {
  try {
    return await calls.open(path, OPEN.read)
  } catch (error) {
    if (isRefusal(error, STATUS.noSuchFile)) return undefined
    throw error
  }
}

export function localHash(file: FileHandle, until?: number): Promise<string> {
  return sha256Of(bytesOf(file, { from: 0, ...(until === undefined ? {} : { until }) }))
}
