/** A local folder of named blobs, flushed to the disk before use. */
import { createHash, randomUUID } from 'node:crypto'
import { link, open, readdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { assert, hasSystemCode } from './errors.ts'
import {
  makeFolderDurably,
  mapDiskErrors,
  pathIsFree,
  PRIVATE_FILE,
  readFileBytes,
  removeFile,
  renameDurably,
  syncFolder,
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
    /**
     * Makes the file at `source` a blob of this spool: another name of the same bytes where the disk can do that, else a
     * copy. Nothing may write to either afterwards. May be repeated.
     */
    adopt: (name: string, source: string) => adoptFile(path(name), source),
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

/** What a link may fail with where the copy succeeds: other disks, and file systems without links. */
const NO_LINKS = ['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'] as const

async function adoptFile(path: string, source: string): Promise<void> {
  if (!(await onDisk(path, () => pathIsFree(path)))) return
  const isLinked = await onDisk(path, () =>
    link(source, path).then(
      () => true,
      (error: unknown) => {
        if (hasSystemCode(error, ...NO_LINKS)) return false
        throw error
      },
    ),
  )
  if (isLinked) await onDisk(path, () => syncFolder(dirname(path)))
  else await writeBlob(path, readFileBytes(source), true)
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
