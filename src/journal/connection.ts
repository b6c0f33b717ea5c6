/** Opens the SQLite file behind the journal, retries while another process writes, and translates errors. */
import { accessSync, closeSync, constants, existsSync, openSync, statfsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Kysely, SqliteDialect } from 'kysely'
import type { Clock } from '../support/clock.ts'
import { BridgeError, type FailureCode, hasSystemCode } from '../support/errors.ts'
import { readDiskSpace } from '../support/disk.ts'
import { makeFolderDurably, PRIVATE_FILE } from '../support/files.ts'
import { type Database, isSqliteError, openDatabase, type Statement } from '../support/sqlite.ts'
import type { Db, Tables } from './schema.ts'

/** Four times SQLite's default: a record with its body fills several small pages, and each page is a separate write. */
const PAGE_BYTES = 16 * 1024

/** Pages in the log before they are moved into the database: 16 MiB. Fewer move hot pages more often. */
const CHECKPOINT_PAGES = 1000

/**
 * Four times SQLite's default, with which the index of keys was read again and again. More takes memory and saves no time: the
 * system has the file in its own cache.
 */
const CACHE_KIB = 8 * 1024

const MAX_CACHED_STATEMENTS = 200

/** `isCheck`: the file exists, and may be of another program; nothing of it is changed, and SQLite refuses to write. */
export async function openConnection(path: string, clock: Clock, isCheck = false): Promise<Connection> {
  let database: Database | undefined
  try {
    if (path !== ':memory:' && !isCheck) prepareFolder(dirname(resolve(path)))
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      const held = join(path, 'journal.db')
      const fix = existsSync(held)
        ? `The journal is in it: write \`journal: sqlite:${held}\`.`
        : `Name a file in the folder: \`journal: sqlite:${held}\`. Keep the journal that you have.`
      throw new BridgeError('journal-unusable', `The journal ${path} is a folder.`, { fix })
    }
    if (path !== ':memory:' && !isCheck) createPrivateFile(path)
    const opened = openDatabase(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: isCheck, readonly: isCheck })
    database = opened
    // Affects only a journal that is created now; an existing one keeps its page size. It stands before the size of the cache,
    // which SQLite counts in pages of the size that it knows by then.
    if (!isCheck) database.pragma(`page_size = ${PAGE_BYTES}`)
    database.pragma(`cache_size = -${CACHE_KIB}`)
    if (isCheck) return bindConnection(database)
    await retryWhileBusy(clock, () => enableWriteAheadLog(opened))
    database.pragma('synchronous = FULL')
    database.pragma('foreign_keys = on')
    // Removed or overwritten contents must not stay readable in the file.
    database.pragma('secure_delete = on')
    database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  } catch (error) {
    database?.close()
    const space = await readDiskSpace(dirname(resolve(path)))
    if (space?.isFull) {
      const message = `The journal ${path} cannot be opened: its disk is full.`
      throw new BridgeError('cannot-write', message, { cause: error })
    }
    throw toOpenError(path, error)
  }
  return bindConnection(database)
}

interface Connection {
  readonly db: Db
  /** Whether the file at the path is still the one that was opened: what is written into a deleted one is lost. */
  readonly isInPlace: () => boolean
  /** Another number after each commit of another connection; of the same process, too. */
  readonly readDataVersion: () => number
}

function bindConnection(database: Database): Connection {
  const { memory, name: path } = database
  const findFile = () => (memory ? undefined : statSync(path, { throwIfNoEntry: false })?.ino)
  const opened = findFile()
  return {
    isInPlace: () => findFile() === opened,
    db: new Kysely<Tables>({ dialect: new SqliteDialect({ database: cacheStatements(database) }) }),
    readDataVersion: () => Number(database.pragma('data_version', { simple: true })),
  }
}

function prepareFolder(folder: string): void {
  try {
    makeFolderDurably(folder)
  } catch (error) {
    if (hasSystemCode(error, 'EEXIST', 'ENOTDIR')) throw fileInTheWayError(folder)
    throw toOpenError(`folder ${folder}`, error)
  }
  const network = findNetworkFileSystem(folder, statfsSync(folder).type)
  if (network === undefined) return
  throw new BridgeError(
    'journal-unusable',
    `The journal may not lie on a network share, where SQLite damages its files: ${folder} is on ${network}. ` +
      'Set `journal` to a folder on a disk of this machine.',
  )
}

function fileInTheWayError(folder: string): BridgeError {
  const message = `The journal cannot be opened: ${folder} is a file, or a folder above it is one.`
  const fix = 'Move that file away, or write another path in `journal`.'
  return new BridgeError('journal-unusable', message, { fix })
}

/** Whether there is something at the path that only opening it can judge. */
export function isJournalWritten(path: string): boolean {
  try {
    const file = statSync(path, { throwIfNoEntry: false })
    return file !== undefined && (file.size > 0 || file.isDirectory())
  } catch {
    return true
  }
}

/** SQLite gives its -wal and -shm the mode of the journal. The mode of an existing journal is its owner's choice. */
function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', PRIVATE_FILE))
  } catch (error) {
    // SQLite says better why it cannot be opened.
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}

/** The numbers by which Linux identifies network file systems. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
])

/** The kind of network share that holds a folder; undefined for a disk of this machine. */
export function findNetworkFileSystem(folder: string, type: number): string | undefined {
  return folder.startsWith('\\\\') ? 'a Windows share' : NETWORK_FILE_SYSTEMS.get(type >>> 0)
}

/** Of several processes that open a new file at once, one switches it; the others get SQLITE_BUSY without waiting. */
async function enableWriteAheadLog(database: Database): Promise<void> {
  const mode = database.pragma('journal_mode = wal', { simple: true })
  if (mode !== 'wal' && mode !== 'memory') {
    throw new BridgeError('journal-unusable', 'The journal is on a file system without shared memory.')
  }
}

/** Compiling costs more than many statements do. There are few texts, because data goes in as parameters. */
function cacheStatements(database: Database) {
  const statements = new Map<string, Statement>()
  return {
    prepare(text: string) {
      let statement = statements.get(text)
      if (!statement) {
        if (statements.size === MAX_CACHED_STATEMENTS) statements.clear()
        statement = database.prepare<unknown[]>(text)
        statements.set(text, statement)
      }
      return statement
    },
    close() {
      statements.clear()
      database.close()
    },
  }
}

function toOpenError(path: string, cause: unknown): BridgeError {
  if (cause instanceof BridgeError) return cause
  if (hasSystemCode(cause, 'ENOTDIR')) return fileInTheWayError(dirname(path))
  const why = cause instanceof Error ? cause.message : String(cause)
  const fromSqlite = isSqliteError(cause) ? toFailureCode(cause.code) : 'bug'
  const code = fromSqlite === 'bug' ? 'journal-unusable' : fromSqlite
  const errno = cause instanceof Error && 'code' in cause ? cause.code : undefined
  // As after one run under sudo. SQLite names no reason.
  const isClosed =
    errno === 'EACCES' || errno === 'EPERM' || (errno === 'SQLITE_CANTOPEN' && !mayWrite(dirname(path)))
  const rights = isClosed
    ? `Give the folder ${dirname(path)} and its files to the user of the bridge: chown -R USER.`
    : undefined
  return new BridgeError(code, `The journal ${path} cannot be opened: ${why}`, { cause, fix: rights })
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** SQLite's own wait blocks the whole program, and with it a transaction of the bridge that SQLite may be waiting for. */
const BUSY_TIMEOUT_MS = 20

const BUSY_TRIES = 125

const BUSY_PAUSE_MS = 20

/** Tries for five seconds while the database is busy; a busy `attempt` must not have changed anything. */
export async function retryWhileBusy<T>(clock: Clock, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(isSqliteError(error) && error.code.startsWith('SQLITE_BUSY')) || tries === BUSY_TRIES) throw error
      await clock.sleep(BUSY_PAUSE_MS)
    }
  }
}

// What the result codes of SQLite mean for the person who runs the bridge.

/** By the beginning of the code; all other codes mean that the journal cannot be used as it is. */
const FAILURE_CODES: readonly (readonly [start: string, FailureCode])[] = [
  ['SQLITE_FULL', 'cannot-write'],
  ['SQLITE_BUSY', 'journal-busy'],
  ['SQLITE_LOCKED', 'journal-busy'],
  ['SQLITE_CORRUPT', 'journal-damaged'],
  ['SQLITE_NOTADB', 'journal-damaged'],
  // Bugs of the bridge.
  ['SQLITE_CONSTRAINT', 'bug'],
  ['SQLITE_ERROR', 'bug'],
  ['SQLITE_MISUSE', 'bug'],
  ['SQLITE_RANGE', 'bug'],
  ['SQLITE_MISMATCH', 'bug'],
]

export function toFailureCode(sqliteCode: string): FailureCode {
  return FAILURE_CODES.find(([start]) => sqliteCode.startsWith(start))?.[1] ?? 'journal-unusable'
}
