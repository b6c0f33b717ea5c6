/** Comparing files by their bytes. */
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { Calls } from './calls.ts'
import { download } from './transfer.ts'

/** The modes of the protocol's open call. */
export const OPEN = { read: 0x01, write: 0x02, create: 0x08, truncate: 0x10, exclusive: 0x20 } as const

/** Whether the file on the server has the bytes of the local one. */
export async function hasContentsOf(calls: Calls, path: string, file: FileHandle): Promise<boolean> {
  const [{ size }, there] = await Promise.all([file.stat(), calls.look(path)])
  if (there?.kind !== 'file' || there.size !== size) return false
  return (await localHash(file)) === (await remoteHash(calls, path, size))
}

/** Whether two files on the server have the same bytes. */
export async function haveSameContents(calls: Calls, one: string, other: string): Promise<boolean> {
  const [here, there] = await Promise.all([calls.look(one), calls.look(other)])
  if (here?.kind !== 'file' || there?.kind !== 'file' || here.size !== there.size) return false
  return (await remoteHash(calls, one, here.size)) === (await remoteHash(calls, other, there.size))
}

async function remoteHash(calls: Calls, path: string, size: number): Promise<string> {
  const hash = createHash('sha256')
  const handle = await calls.open(path, OPEN.read)
  try {
    for await (const chunk of download(calls, handle, { from: 0, size })) hash.update(chunk)
  } finally {
    await calls.close(handle).catch(() => {})
  }
  return hash.digest('hex')
}

async function localHash(file: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  const piece = Buffer.allocUnsafe(1 << 18)
  for (let position = 0; ;) {
    const { bytesRead } = await file.read(piece, 0, piece.length, position)
    if (bytesRead === 0) return hash.digest('hex')
    hash.update(piece.subarray(0, bytesRead))
    position += bytesRead
  }
}
