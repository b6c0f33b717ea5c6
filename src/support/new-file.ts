/** A file that is there whole or not at all, and never in the place of another one. */
import { link, lstat, open, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncFolder } from './durable.ts'
import { BridgeError, hasSystemCode } from './errors.ts'
import { removeFile } from './remove-file.ts'

/** Writes the chunks under a working name and gives the file its own when all are on the disk. Throws `cannot-write`. */
export async function writeNewFile(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.writing`)
  await refuseTaken(path)
  const file = await onDisk(path, () => open(temporary, 'w'))
  try {
    try {
      for await (const chunk of chunks) await onDisk(path, () => file.writeFile(chunk))
      await onDisk(path, () => file.sync())
    } finally {
      await file.close()
    }
    await onDisk(path, () => giveName(temporary, path))
  } finally {
    await removeFile(temporary)
  }
  await syncFolder(dirname(path))
}

async function refuseTaken(path: string): Promise<void> {
  const isFree = await lstat(path).then(
    () => false,
    (error: unknown) => hasSystemCode(error, 'ENOENT', 'ENOTDIR'),
  )
  if (!isFree) throw taken(path)
}

function taken(path: string): BridgeError {
  return new BridgeError('cannot-write', `${path} is there already, and nothing is overwritten`)
}

/** A link is the one step that never overwrites; where there are none, nobody else should be writing here. */
async function giveName(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path)
  } catch (error) {
    if (hasSystemCode(error, 'EEXIST')) throw taken(path)
    if (!hasSystemCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'EISDIR')) throw error
    await refuseTaken(path)
    await rename(temporary, path)
  }
}

/** What the chunks throw passes through. */
async function onDisk<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BridgeError || !(error instanceof Error && 'code' in error)) throw error
    throw new BridgeError('cannot-write', `cannot write ${path}`, { cause: error })
  }
}
