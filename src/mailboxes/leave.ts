/** Files that get a name on a disk: whole or not at all, and never over another file. */
import { link, lstat, open, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { hasSystemCode } from '../support/errors.ts'
import { syncFolder } from '../support/durable.ts'
import { fileBytes, sha256Of } from '../support/file-bytes.ts'
import { isFree } from '../support/is-free.ts'
import { removeFile } from '../support/remove-file.ts'
import { writing } from './failures.ts'

export interface Leaving {
  /** The file to copy. */
  readonly source: string
  /** A free working name in the folder of the final one. */
  readonly temporary: string
  readonly final: string
  /** False where hard links are known not to work. */
  readonly hardLinks: boolean
}

/** `occupied` when other bytes stand at the final name. May be repeated after a crash. */
export async function leaveCopy(leaving: Leaving): Promise<'delivered' | 'occupied'> {
  return writing(`${leaving.final} cannot be written`, async () => {
    try {
      if (!(await isFree(leaving.final))) return await compared(leaving)
      await copyDurably(leaving.source, leaving.temporary)
      const placed = await place(leaving)
      return placed ? 'delivered' : await compared(leaving)
    } finally {
      await removeFile(leaving.temporary)
      await syncFolder(dirname(leaving.final))
    }
  })
}

/** Written anew rather than cloned, so that the copy gets the rights of its new folder and not those of the source. */
export async function copyDurably(source: string, target: string): Promise<void> {
  const handle = await open(target, 'wx')
  try {
    await writeFile(handle, fileBytes(source))
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** How file systems say that they have no hard links; Windows says EISDIR on FAT. */
const NO_HARD_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV', 'EINVAL', 'EISDIR']

/** Gives a whole file another name; false when it is taken. Until then, and after a crash in between, it has its old one. */
export async function moveWithoutReplacing(
  source: string,
  final: string,
  hardLinks: boolean,
): Promise<boolean> {
  const placed = await place({ temporary: source, final, hardLinks })
  if (!placed && !(await isSameFile(source, final))) return false
  await syncFolder(dirname(final))
  await removeFile(source)
  await syncFolder(dirname(source))
  return true
}

/** Placed before a crash, which left it its old name too. */
async function isSameFile(one: string, other: string): Promise<boolean> {
  const [here, there] = await Promise.all([lstat(one), lstat(other)])
  return here.isFile() && here.ino === there.ino && here.dev === there.dev
}

/** Gives the file its final name; false when the name was taken meanwhile. */
async function place({ temporary, final, hardLinks }: Omit<Leaving, 'source'>): Promise<boolean> {
  const linked = hardLinks ? await linkTo(temporary, final) : 'no-links'
  return linked === 'no-links' ? renameIfFree(temporary, final) : linked === 'linked'
}

/** A link is the one step that never overwrites. The file keeps its earlier name too. */
export async function linkTo(path: string, final: string): Promise<'linked' | 'taken' | 'no-links'> {
  try {
    await link(path, final)
    return 'linked'
  } catch (error) {
    if (hasSystemCode(error, 'EEXIST')) return 'taken'
    if (hasSystemCode(error, ...NO_HARD_LINKS)) return 'no-links'
    throw error
  }
}

/** False when the name is taken. Two at once may both find it free; the later one replaces the file then. */
export async function renameIfFree(path: string, final: string): Promise<boolean> {
  if (!(await isFree(final))) return false
  await rename(path, final)
  return true
}

/** Whether what stands at the final name has the bytes of the source. */
export async function compared({
  source,
  final,
}: Pick<Leaving, 'source' | 'final'>): Promise<'delivered' | 'occupied'> {
  const [ours, theirs] = await Promise.all([lstat(source), lstat(final)])
  if (!theirs.isFile() || ours.size !== theirs.size) return 'occupied'
  const [ourHash, theirHash] = await Promise.all([sha256Of(fileBytes(source)), sha256Of(fileBytes(final))])
  return ourHash === theirHash ? 'delivered' : 'occupied'
}
