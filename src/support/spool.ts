/** A local folder of named blobs that are on the disk before anybody relies on them. */
import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, open, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolderDurably, renameDurably } from './durable.ts'
import { assert, BridgeError } from './errors.ts'
import { fileBytes } from './file-bytes.ts'
import { isFree } from './is-free.ts'
import { removeFile } from './remove-file.ts'

export interface SpooledBlob {
  readonly sha256: string
  readonly bytes: number
}

export interface Spool {
  /** Where the blob lies, or will lie. */
  path(name: string): string
  /**
   * Writes the blob under a temporary name, flushes it and renames it. It replaces an earlier one of that name. Throws
   * `cannot-write` when the disk does not take it; what the chunks throw passes through.
   */
  put(name: string, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<SpooledBlob>
  /** The same, not flushed: for what would be made again after a crash, whatever is found of it then. */
  putUnflushed(name: string, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<SpooledBlob>
  /** What keeps it from being read is thrown while it is read. */
  read(name: string): AsyncIterable<Uint8Array>
  /** Removing what is not there is fine. */
  remove(name: string): Promise<void>
  has(name: string): Promise<boolean>
  list(): Promise<string[]>
}

const TEMPORARY = '.writing'

/**
 * Only one bridge at a time works with a spool: what is half-written in it is removed. One that was stopped and wakes up
 * finds its own half-written blob gone, and can neither finish it nor touch that of its successor: `stillOurs` is asked
 * when it is known what would be removed, and what it throws leaves everything there.
 */
export async function openSpool(
  folder: string,
  stillOurs: () => Promise<void> = () => Promise.resolve(),
): Promise<Spool> {
  await onDisk(folder, async () => makeFolderDurably(folder))
  await removeLeftovers(folder, stillOurs)
  const path = (name: string) => {
    assert(/^[\w.~-]+$/.test(name) && !name.startsWith('.'), `not a spool name: ${name}`)
    return join(folder, name)
  }
  return {
    path,
    put: (name, chunks) => put(path(name), chunks, FLUSHED),
    putUnflushed: (name, chunks) => put(path(name), chunks, UNFLUSHED),
    read: (name) => fileBytes(path(name)),
    remove: (name) => onDisk(folder, () => removeFile(path(name))),
    has: (name) => onDisk(folder, async () => !(await isFree(path(name)))),
    list: async () => (await readdir(folder)).filter((name) => !name.endsWith(TEMPORARY)),
  }
}

/** What a crash left half-written is of no use to anybody. */
async function removeLeftovers(folder: string, stillOurs: () => Promise<void>): Promise<void> {
  const leftovers = (await onDisk(folder, () => readdir(folder))).filter((name) => name.endsWith(TEMPORARY))
  if (leftovers.length > 0) await stillOurs()
  for (const name of leftovers) await onDisk(folder, () => removeFile(join(folder, name)))
}

/** How a blob comes to stay. */
interface Keeping {
  readonly flush: (file: FileHandle) => Promise<void>
  readonly rename: (from: string, to: string) => Promise<void>
}

const FLUSHED: Keeping = { flush: (file) => file.sync(), rename: renameDurably }
const UNFLUSHED: Keeping = { flush: () => Promise.resolve(), rename }

async function put(
  path: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  keeping: Keeping,
): Promise<SpooledBlob> {
  const temporary = `${path}.${randomUUID()}${TEMPORARY}`
  const file = await onDisk(path, () => open(temporary, 'w'))
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
      await onDisk(path, () => keeping.flush(file))
    } finally {
      // Some file systems tell only now that they could not write.
      await onDisk(path, () => file.close())
    }
    whole = true
  } finally {
    if (!whole) await removeFile(temporary)
  }
  await onDisk(path, () => keeping.rename(temporary, path))
  return { sha256: hash.digest('hex'), bytes }
}

async function onDisk<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BridgeError || !(error instanceof Error && 'code' in error)) throw error
    throw new BridgeError('cannot-write', `cannot write ${path}: ${error.message}`, { cause: error })
  }
}
