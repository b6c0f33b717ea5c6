/**
 * The note on the server that a file is about to get its final name. When the answer to that rename is lost, perhaps together
 * with this process, and a consumer has taken the file away by then, the final name tells nothing: the note is there and the
 * working name in it is not, so the rename was done, and the file is not left a second time.
 */
import type { Calls } from './calls.ts'
import { isTemporaryFor } from '../names.ts'
import { OPEN } from './contents.ts'
import { isRefusal, STATUS } from './refusals.ts'

/** The working name in the note; undefined without a note, or with one that was not finished: then no rename was begun. */
export async function notedNaming(calls: Calls, note: string, name: string): Promise<string | undefined> {
  const found = await calls.look(note)
  if (found === undefined) return undefined
  const handle = await calls.open(note, OPEN.read)
  try {
    const bytes = Buffer.alloc(NOTE_BYTES_MAX)
    const count = await calls.read(handle, bytes, 0)
    const [temporary = '', final, end] = bytes.toString('utf8', 0, count).split('\n')
    // Of two long names that begin alike, the notes are called the same.
    return end === '' && final === name && isTemporaryFor(temporary, name) ? temporary : undefined
  } finally {
    await calls.close(handle).catch(() => {})
  }
}

const NOTE_BYTES_MAX = 1024

/** Whoever stopped in the middle of this left a note that is of no use to anybody. */
export async function noteNaming(
  calls: Calls,
  note: string,
  { temporary, name }: { readonly temporary: string; readonly name: string },
): Promise<void> {
  const handle = await openAnew(calls, note)
  await calls.write(handle, Buffer.from(`${temporary}\n${name}\n`), 0)
  await calls.close(handle)
}

/** Some servers let nobody write to a file that is there. */
async function openAnew(calls: Calls, note: string) {
  const mode = OPEN.write | OPEN.create | OPEN.exclusive
  try {
    return await calls.open(note, mode)
  } catch (error) {
    if (!isRefusal(error)) throw error
    await removeIfThere(calls, note)
    return calls.open(note, mode)
  }
}

export async function removeIfThere(calls: Calls, path: string): Promise<void> {
  try {
    await calls.unlink(path)
  } catch (error) {
    if (!isRefusal(error, STATUS.noSuchFile)) throw error
  }
}
