/** A database in a thread of its own: while it waits for the disk, requests go on being sent. */
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import type { Executor } from './executor.ts'

export type Question =
  | { readonly ask: 'pragma'; readonly text: string }
  | { readonly ask: 'execute'; readonly text: string; readonly parameters: readonly unknown[] }
  | { readonly ask: 'close' }

export type Answer =
  | { readonly value: unknown }
  | { readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[] }
  | { readonly changes: number; readonly insertId: bigint }
  | { readonly failed: { readonly code?: string; readonly message: string } }

/** Throws nothing itself: a file that cannot be opened shows at the first question. */
export function openThreaded(path: string, busyTimeoutMs: number): Executor {
  const thread = new Worker(new URL('./database-thread.mjs', import.meta.url), {
    workerData: { path, busyTimeoutMs },
  })
  const asked = questions(thread)

  return {
    pragma: async (text) => valueOf(await asked({ ask: 'pragma', text })),
    async execute(text, parameters) {
      const answer = await asked({ ask: 'execute', text, parameters })
      if ('columns' in answer) return { rows: answer.rows.map((row) => rowOf(answer.columns, row)) }
      if ('changes' in answer) return { rows: [], changes: answer.changes, insertId: answer.insertId }
      throw new Error('the thread of the journal gave an answer to another question')
    },
    async close() {
      const ended = new Promise((resolve) => thread.once('exit', resolve))
      await asked({ ask: 'close' })
      thread.ref() // or the program ends here, with nothing left that it would wait for
      await ended
    },
  }
}

type GoodAnswer = Exclude<Answer, { readonly failed: unknown }>

interface Waiting {
  readonly resolve: (answer: GoodAnswer) => void
  readonly reject: (reason: Error) => void
}

/** The thread answers in the order of the questions. It keeps the program alive only while a question is open. */
function questions(thread: Worker): (question: Question) => Promise<GoodAnswer> {
  const waiting: Waiting[] = []
  let gone: Error | undefined
  thread.unref()
  thread.on('message', (answer: Answer) => {
    const first = waiting.shift()
    if (waiting.length === 0) thread.unref()
    if ('failed' in answer) first?.reject(errorOf(answer.failed))
    else first?.resolve(answer)
  })
  const end = (reason: Error) => {
    gone ??= reason
    for (const { reject } of waiting.splice(0)) reject(reason)
  }
  thread.on('error', (error) => end(error instanceof Error ? errorOf(error) : new Error(String(error))))
  thread.on('exit', () => end(new Error('the thread of the journal has ended')))

  return (question) =>
    new Promise((resolve, reject) => {
      if (gone) return reject(gone)
      waiting.push({ resolve, reject })
      thread.ref()
      thread.postMessage(question)
    })
}

function valueOf(answer: Answer): unknown {
  return 'value' in answer ? answer.value : undefined
}

/** What SQLite threw has lost its class on the way. */
function errorOf(failed: { readonly code?: unknown; readonly message: string }): Error {
  const { code, message } = failed
  const isSqlite = typeof code === 'string' && code.startsWith('SQLITE_')
  return isSqlite ? new Database.SqliteError(message, code) : new Error(message)
}

function rowOf(columns: readonly string[], row: readonly unknown[]): Record<string, unknown> {
  const made: Record<string, unknown> = {}
  for (const [position, column] of columns.entries()) made[column] = row[position]
  return made
}
