/** A local folder of named blobs, flushed to the disk before use. */
import { createHash, randomUUID } from 'node:crypto'
import { open, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { assert } from './errors.ts'
import {
  makeFolderDurably,
  mapDiskErrors,
  pathIsFree,
  PRIVATE_FILE,
  readFileBytes,
  removeFile,
  renameDurably,
} from './files.ts'

export interface SpooledBlob {
  readonly sha256: string
  readonly bytes: number
}

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

export type Spool = Awaited<ReturnType<typeof openSpool>>

const TEMPORARY = '.writing'

/**
 * Only one bridge at a time works with a spool, so opening it removes half-written blobs. A stalled process that wakes up
 * finds its own half-written blob gone, and cannot touch its successor's: `assertOwned` is called before the removal, and
 * its error prevents that.
 */
export async function openSpool(folder: string, assertOwned: () => Promise<void> = () => Promise.resolve()) {
  await onDisk(folder, async () => makeFolderDurably(folder))
  await removeLeftovers(folder, assertOwned)
  const path = (name: string) => {
    assert(/^[\w.~-]+$/.test(name) && !name.startsWith('.'), `not a spool name: ${name}`)
    return join(folder, name)
  }
  return {
    /** Returns the path of the blob, which need not exist yet. */
    path,
    /**
     * Writes the blob under a temporary name, flushes it and renames it. It replaces an earlier one of that name. Throws
     * `cannot-write` when the disk refuses it; rethrows errors of the chunks.
     */
    put: (name: string, chunks: Chunks) => writeBlob(path(name), chunks, true),
    /** The same without a flush, for blobs that are made again after a crash in any case. */
    putUnflushed: (name: string, chunks: Chunks) => writeBlob(path(name), chunks, false),
    /** Throws errors while reading. */
    read: (name: string): AsyncIterable<Uint8Array> => readFileBytes(path(name)),
    /** Ignores a missing blob. */
    remove: (name: string) => onDisk(folder, () => removeFile(path(name))),
    has: (name: string) => onDisk(folder, async () => !(await pathIsFree(path(name)))),
    list: async () => (await readdir(folder)).filter((name) => !name.endsWith(TEMPORARY)),
  }
}

/** Removes blobs that a crash left half-written. */
async function removeLeftovers(folder: string, assertOwned: () => Promise<void>): Promise<void> {
  const leftovers = (await onDisk(folder, () => readdir(folder))).filter((name) => name.endsWith(TEMPORARY))
  if (leftovers.length > 0) await assertOwned()
  for (const name of leftovers) await onDisk(folder, () => removeFile(join(folder, name)))
}

async function writeBlob(path: string, chunks: Chunks, isFlushed: boolean): Promise<SpooledBlob> {
  const temporary = `${path}.${randomUUID()}${TEMPORARY}`
  const file = await onDisk(path, () => open(temporary, 'w', PRIVATE_FILE))
  const hash = createHash('sha256')
  let bytes = 0
  let whole = false
  try {
    try {
      for await (const chunk of chunks) {
        await onDisk(path, () => file.writeFile(chunk))
        hash.update(chunk)
        bytes += chunk.length
      }
      if (isFlushed) await onDisk(path, () => file.sync())
    } finally {
      // Some file systems report a failed write only on close.
      await onDisk(path, () => file.close())
    }
    whole = true
  } finally {
    if (!whole) await removeFile(temporary)
  }
  await onDisk(path, () => (isFlushed ? renameDurably : rename)(temporary, path))
  return { sha256: hash.digest('hex'), bytes }
}

function onDisk<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  return mapDiskErrors(path, work, (error) => `: ${error.message}`)
}
