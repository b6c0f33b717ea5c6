/** Puts a page in its place at once, so that nobody ever reads half of it. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { hasSystemCode } from '../support/errors.ts'

/** Two programs may write the same page; each has a working file of its own. Throws what keeps it from that. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const working = join(dirname(path), `.${basename(path)}.${process.pid}.writing`)
  try {
    await writeOrMake(working, text)
    await rename(working, path)
  } finally {
    await rm(working, { force: true }).catch(() => undefined)
  }
}

async function writeOrMake(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text)
  } catch (error) {
    if (!hasSystemCode(error, 'ENOENT')) throw error
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
}
