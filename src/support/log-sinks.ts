/** Where log lines go: a stream such as stderr, or a file that may be moved away while it is written. */
import { appendFile, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Writable } from 'node:stream'
import type { LogSink } from './log.ts'

/** What nobody has taken by then is dropped: a reader that sleeps must not fill the memory. */
const WAITING_CHARACTERS_MAX = 4 * 1024 * 1024

/** A stream that is full or broken takes no more, and nobody waits for it. */
export function streamSink(stream: Pick<Writable, 'write' | 'writableLength'>): LogSink {
  return {
    write(text) {
      if (stream.writableLength > WAITING_CHARACTERS_MAX) return
      try {
        stream.write(text)
      } catch {
        // A stream that is a file on a full disk throws right here.
      }
    },
    close: () => Promise.resolve(),
  }
}

/** A file system that does not answer must not keep the program from ending. */
const CLOSING_MS = 1000

/** After a write that failed, the next try comes so much later. */
const PAUSE_MS = 400

/**
 * Appends to a file. It is opened anew for each batch of lines, so that a rotation may move it away at any time. Lines that
 * could not be written are counted, and the file says so once it can be written again.
 */
export function fileSink(path: string): LogSink {
  let waiting: string[] = []
  let characters = 0
  let dropped = 0
  let writing: Promise<void> | undefined

  const keep = (text: string) => {
    if (characters + text.length > WAITING_CHARACTERS_MAX) {
      dropped++
      return
    }
    waiting.push(text)
    characters += text.length
  }
  const take = () => {
    const lost = dropped === 0 ? '' : lostLines(dropped)
    const batch = lost + waiting.join('')
    const undo = { waiting, characters, dropped }
    waiting = []
    characters = 0
    dropped = 0
    return { batch, undo }
  }
  const writeOut = async () => {
    while (waiting.length > 0) {
      const { batch, undo } = take()
      try {
        await append(path, batch)
      } catch {
        const later = waiting
        waiting = undo.waiting
        characters = undo.characters
        dropped += undo.dropped
        for (const text of later) keep(text)
        await pause(PAUSE_MS)
        return
      }
    }
  }
  const begin = () => {
    writing ??= writeOut().finally(() => {
      writing = undefined
    })
  }
  return {
    write(text) {
      keep(text)
      begin()
    },
    async close() {
      begin()
      await within(CLOSING_MS, writing)
    },
  }
}

async function append(path: string, text: string): Promise<void> {
  try {
    await appendFile(path, text)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    await mkdir(dirname(path), { recursive: true })
    await appendFile(path, text)
  }
}

/** As JSON: a person understands it too. */
function lostLines(count: number): string {
  return `${JSON.stringify({ level: 'warn', code: 'log.lost', lines: count, msg: `${count} lines of the log could not be written` })}\n`
}

/** Waits for the work, but not longer than that. */
async function within(ms: number, work: Promise<void> | undefined): Promise<void> {
  if (work === undefined) return
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    void work.finally(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** Keeps no program alive. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
}
