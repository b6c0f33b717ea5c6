// @ts-check
/**
 * The thread of a journal that lies on a disk: SQLite waits for the disk at every commit, and whoever shares its thread
 * waits with it. Plain JavaScript, because a thread is loaded from its file, whatever compiles the rest while it runs.
 * It answers one question at a time, in their order; `threaded.ts` is the other end.
 */
import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'

/** Texts of statements are few, because data goes in as parameters. */
const STATEMENTS_KEPT = 200

const database = new Database(workerData.path, { timeout: workerData.busyTimeoutMs })
/** @type {Map<string, { statement: Database.Statement<unknown[]>, columns: string[] | undefined }>} */
const kept = new Map()

/** Rows come as lists, which are cheaper to hand over than objects that repeat the names. @param {string} text */
function prepare(text) {
  const known = kept.get(text)
  if (known) return known
  if (kept.size === STATEMENTS_KEPT) kept.clear()
  const statement = database.prepare(text)
  const columns = statement.reader ? statement.columns().map(({ name }) => name) : undefined
  if (columns) statement.raw(true)
  const prepared = { statement, columns }
  kept.set(text, prepared)
  return prepared
}

/** @param {import('./threaded.ts').Question} question @returns {import('./threaded.ts').Answer} */
function answer(question) {
  switch (question.ask) {
    case 'pragma':
      return { value: database.pragma(question.text, { simple: true }) }
    case 'execute': {
      const { statement, columns } = prepare(question.text)
      if (columns) return { columns, rows: /** @type {unknown[][]} */ (statement.all(question.parameters)) }
      const { changes, lastInsertRowid } = statement.run(question.parameters)
      return { changes, insertId: BigInt(lastInsertRowid) }
    }
    case 'close':
      kept.clear()
      database.close()
      return { value: undefined }
  }
}

parentPort?.on('message', (/** @type {import('./threaded.ts').Question} */ question) => {
  try {
    parentPort?.postMessage(answer(question))
  } catch (error) {
    const { code, message } = /** @type {{ code?: unknown, message: string }} */ (error)
    parentPort?.postMessage({ failed: { ...(typeof code === 'string' ? { code } : {}), message } })
  }
  if (question.ask === 'close') parentPort?.close()
})
