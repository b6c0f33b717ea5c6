/** Puts a page in its place at once, so that nobody ever reads half of it. */
import { rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { hasSystemCode } from '../support/errors.ts'
import { removeFile } from '../support/remove-file.ts'

/**
 * Two programs may write the same page; each has a working file of its own. Its folder is never made: it may lie on a share
 * that is away, and an empty folder in that place would look like the share. Throws what keeps it from that.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const folder = dirname(path)
  const working = join(folder, `.${basename(path)}.${process.pid}.writing`)
  try {
    await writeFile(working, text)
    await rename(working, path)
  } catch (error) {
    if (!hasSystemCode(error, 'ENOENT')) throw error
    throw new Error(`the folder ${folder} is not there; make it, or mount its share`, { cause: error })
  } finally {
    await removeFile(working).catch(() => undefined)
  }
}
