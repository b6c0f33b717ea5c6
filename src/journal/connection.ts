/** Opens the SQLite file behind the journal, durable and safe to share between processes of one machine. */
import { statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Kysely, SqliteDialect } from 'kysely'
import { BridgeError } from '../support/errors.ts'
import type { Clock } from '../support/clock.ts'
import { makeFolderDurably } from '../support/durable.ts'
import { type Database, isSqliteError, openDatabase, type Statement } from '../support/sqlite.ts'
import { BUSY_TIMEOUT_MS, patiently } from './patience.ts'
import type { Tables } from './schema.ts'
import { failureOfSqlite } from './sqlite-failures.ts'

/** Four times SQLite's own: a record with its body fills several small pages, and each page is a write of its own. */
const PAGE_BYTES = 16 * 1024
/** Pages in the log before they are moved into the database: 16 MiB. Fewer move hot pages more often. */
const CHECKPOINT_PAGES = 1000
/** With SQLite's own 2 MiB the index of keys is read from the disk again and again. */
const CACHE_KIB = 32 * 1024
const STATEMENTS_KEPT = 200

export async function connect(path: string, clock: Clock): Promise<Kysely<Tables>> {
  if (path !== ':memory:') prepareFolder(dirname(resolve(path)))
  let database: Database | undefined
  try {
    const opened = openDatabase(path, { timeout: BUSY_TIMEOUT_MS })
    database = opened
    // Says something only to a journal that is made now; one that is there keeps its own.
    database.pragma(`page_size = ${PAGE_BYTES}`)
    await patiently(clock, () => useWriteAheadLog(opened))
    database.pragma('synchronous = FULL')
    database.pragma('foreign_keys = on')
    // What is removed or written over is not left in the file for everybody to read.
    database.pragma('secure_delete = on')
    database.pragma(`cache_size = -${CACHE_KIB}`)
    database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  } catch (error) {
    database?.close()
    throw unusable(path, error)
  }
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: keepingStatements(database) }) })
}

function prepareFolder(folder: string): void {
  try {
    makeFolderDurably(folder)
  } catch (error) {
    throw unusable(folder, error)
  }
  const network = networkFileSystem(folder, statfsSync(folder).type)
  if (network === undefined) return
  throw new BridgeError(
    'journal-unusable',
    `The journal may not lie on a network share, where SQLite damages its files: ${folder} is on ${network}. ` +
      'Set `journal` to a folder on a disk of this machine.',
  )
}

/** Numbers by which Linux tells its network file systems. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
])

/** The kind of network share a folder is on; undefined for a disk of this machine. */
export function networkFileSystem(folder: string, type: number): string | undefined {
  if (folder.startsWith('\\\\')) return 'a Windows share'
  return NETWORK_FILE_SYSTEMS.get(type >>> 0)
}

/** Of several processes opening a new file at once one switches it; SQLite tells the others without waiting. */
async function useWriteAheadLog(database: Database): Promise<void> {
  const mode = database.pragma('journal_mode = wal', { simple: true })
  if (mode !== 'wal' && mode !== 'memory') {
    throw new BridgeError('journal-unusable', 'The journal is on a file system without shared memory.')
  }
}

/** Preparing costs more than many of our statements do; their texts are few, because data goes in as parameters. */
function keepingStatements(database: Database) {
  const kept = new Map<string, Statement>()
  return {
    prepare(text: string) {
      let statement = kept.get(text)
      if (!statement) {
        if (kept.size === STATEMENTS_KEPT) kept.clear()
        statement = database.prepare<unknown[]>(text)
        kept.set(text, statement)
      }
      return statement
    },
    close() {
      kept.clear()
      database.close()
    },
  }
}

function unusable(path: string, cause: unknown): BridgeError {
  if (cause instanceof BridgeError) return cause
  const why = cause instanceof Error ? cause.message : String(cause)
  const fromSqlite = isSqliteError(cause) ? failureOfSqlite(cause.code) : 'bug'
  const code = fromSqlite === 'bug' ? 'journal-unusable' : fromSqlite
  return new BridgeError(code, `The journal ${path} cannot be opened: ${why}`, { cause })
}
