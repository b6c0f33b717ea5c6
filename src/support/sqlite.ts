/** Opens SQLite databases with the binding that fits the running Node. Only this file knows that there are two. */
import { createRequire } from 'node:module'
import type BetterSqlite3 from 'better-sqlite3'
import { BridgeError } from './errors.ts'

export type Database = BetterSqlite3.Database
export type Statement<Parameters extends unknown[] = unknown[], Row = unknown> = BetterSqlite3.Statement<
  Parameters,
  Row
>

export interface SqliteError extends Error {
  /** SQLite's result code, such as `SQLITE_BUSY`. */
  readonly code: string
}

/** The first Node that better-sqlite3 13 supports. */
const FIRST_NODE_OF_13 = 22

/**
 * better-sqlite3 13 is an optional dependency that npm leaves out on Node 20, where it crashes. Node 20 gets better-sqlite3 12,
 * which aborts the process on Node 24.19 and later; `node20/install.mjs` installs it into this folder.
 */
const NODE20_FOLDER = '../../node_modules/.sqlite-node20/'

/**
 * Opens a database file, and creates it unless `fileMustExist` or `readonly` is set; or opens the bytes of one. Throws
 * `sqlite-missing` when the binding cannot be loaded, and otherwise the errors of better-sqlite3.
 */
export function openDatabase(path: string | Buffer, options: BetterSqlite3.Options = {}): Database {
  const Constructor = loadBinding()
  try {
    return flushingFully(new Constructor(path, options))
  } catch (error) {
    // The native module is loaded with the first database, so a missing or unfit one fails here.
    if (!isSqliteError(error)) probe(Constructor)
    throw error
  }
}

/** On macOS an ordinary `fsync` leaves data in the cache of the disk. Elsewhere both settings change nothing. */
function flushingFully(database: Database): Database {
  database.pragma('fullfsync = on')
  database.pragma('checkpoint_fullfsync = on')
  return database
}

/** Whether SQLite reported the error. False for a misuse that better-sqlite3 reports, such as a closed database. */
export function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && error.name === 'SqliteError'
}

function loadBinding(): typeof BetterSqlite3 {
  const major = Number(process.versions.node.split('.')[0])
  const from = major < FIRST_NODE_OF_13 ? new URL(NODE20_FOLDER, import.meta.url) : import.meta.url
  try {
    return createRequire(from)('better-sqlite3') as typeof BetterSqlite3
  } catch (error) {
    throw missing(error)
  }
}

function probe(Constructor: typeof BetterSqlite3): void {
  try {
    new Constructor(':memory:').close()
  } catch (error) {
    throw missing(error)
  }
}

function missing(cause: unknown): BridgeError {
  const [reason] = (cause instanceof Error ? cause.message : String(cause)).split('\n')
  const here = `Node ${process.versions.node} on ${process.platform} ${process.arch}`
  return new BridgeError('sqlite-missing', `SQLite cannot be loaded by ${here}: ${reason}`, { cause })
}
