/** The mark beside a journal has its last event: an older copy ends before it, or has others. The mark may lag behind. */
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { Journal } from '../domain/journal.ts'
import { hasSystemCode } from '../support/errors.ts'
import { replaceFile, syncFolder } from '../support/files.ts'

const MarkSchema = z.object({ journal: z.string(), event: z.int().min(0), hash: z.string() })

export function markPath(journalPath: string): string {
  return `${journalPath}.mark`
}

/** Describes why the journal is older than its mark; undefined when it is not. */
export async function findMarkMismatch(journal: Journal, path: string): Promise<string | undefined> {
  // Read before the mark: another bridge may be writing the first mark, and notes it only afterwards.
  const isMarked = await journal.hasMark()
  const mark = await readMark(path)
  if (mark === 'unreadable') return `its mark ${path} cannot be read`
  if (mark === undefined) return isMarked ? `its mark ${path} is missing, as beside a copy` : undefined
  const { event, hash } = mark
  if (mark.journal !== (await journal.getIdentity())) return `its mark ${path} belongs to another journal`
  if (event === 0 || (await journal.getEventHash(event)) === hash) return undefined
  const head = await journal.getHead()
  return event > head.event
    ? `it ends with event ${head.event}, and its mark ${path} is of event ${event}`
    : `its event ${event} is another one than its mark ${path} says`
}

export async function hasForeignMark(journal: Journal, path: string): Promise<boolean> {
  const mark = await readMark(path)
  return typeof mark === 'object' && mark.journal !== (await journal.getIdentity())
}

async function readMark(path: string): Promise<z.output<typeof MarkSchema> | 'unreadable' | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (hasSystemCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    return 'unreadable'
  }
  try {
    return MarkSchema.parse(JSON.parse(text))
  } catch {
    return 'unreadable'
  }
}

/** Returns the event in the mark. The mark is flushed before it gets its name: half a mark would stop the bridge. */
export async function writeMark(journal: Journal, path: string): Promise<number> {
  const { event, hash } = await journal.getHead()
  const text = JSON.stringify({ journal: await journal.getIdentity(), event, hash })
  await replaceFile(path, `${text}\n`)
  if (!(await journal.hasMark())) {
    // Only now, with the name on the disk: a journal that is marked and has no mark counts as a copy.
    await syncFolder(dirname(path))
    await journal.saveMarked()
  }
  return event
}
