/** All access to the tables goes through here: one call at a time, writes in a transaction, faults as failures. */
import { sql } from 'kysely'
import type { BridgeVersion, Lease } from '../domain/lease.ts'
import type { Clock } from '../support/clock.ts'
import { BridgeError } from '../support/errors.ts'
import { isSqliteError } from '../support/sqlite.ts'
import { retryWhileBusy, toFailureCode } from './connection.ts'
import type { Db } from './schema.ts'

export interface Store {
  readonly db: Db
  readonly clock: Clock
  /** Of the database file, for messages. */
  readonly path: string
  /** Whether the file there is still the one that was opened. */
  readonly isInPlace: () => boolean
  /** The configuration and mappings at work; left out where they are not known. */
  readonly version?: BridgeVersion
}

export interface Tx {
  readonly db: Db
  readonly now: number
  readonly version?: BridgeVersion
}

/** A transaction that renewed the lease of a route first, so that a lost lease undoes all of it. */
export interface RouteTx extends Tx {
  readonly route: string
}

/** A store with the functions that make methods of the journal. */
export type BoundStore = ReturnType<typeof bindStore>

/** Turns functions of the database into methods of the journal. */
export function bindStore(store: Store) {
  const { version } = store
  const shared = version === undefined ? {} : { version }
  const runLeased = <Args extends unknown[], T>(
    work: (tx: RouteTx, ...args: Args) => Promise<T>,
    shouldCommit: (result: T) => boolean,
  ) => {
    return ({ route, token }: Lease, ...args: Args): Promise<T> => {
      const renewAndWork = async (db: Db, now: number) => {
        await renewLease(db, { route, token, now })
        return work({ ...shared, db, now, route }, ...args)
      }
      return runTransaction(store, renewAndWork, shouldCommit)
    }
  }
  return {
    store,
    reads: <Args extends unknown[], T>(work: (db: Db, ...args: Args) => Promise<T>) => {
      return (...args: Args): Promise<T> => read(store, (db) => work(db, ...args))
    },
    writes: <Args extends unknown[], T>(work: (tx: Tx, ...args: Args) => Promise<T>) => {
      return (...args: Args): Promise<T> => write(store, (db, now) => work({ ...shared, db, now }, ...args))
    },
    leased: <Args extends unknown[], T>(work: (tx: RouteTx, ...args: Args) => Promise<T>) =>
      runLeased(work, () => true),
    /** `work` returns false if it changed nothing: then there is no commit, which costs more than reading, and no renewal. */
    leasedIfChanged: <Args extends unknown[]>(work: (tx: RouteTx, ...args: Args) => Promise<boolean>) => {
      const run = runLeased(work, (didAnything) => didAnything)
      return async (lease: Lease, ...args: Args): Promise<void> => void (await run(lease, ...args))
    },
  }
}

/** Runs `work` in one transaction; with `isRehearsal` the transaction is rolled back. */
export async function write<T>(
  store: Store,
  work: (db: Db, now: number) => Promise<T>,
  { isRehearsal = false } = {},
): Promise<T> {
  return runTransaction(store, work, () => !isRehearsal)
}

/** Takes the write lock first: a transaction that reads before it writes fails when another process wrote in between. */
async function runTransaction<T>(
  store: Store,
  work: (db: Db, now: number) => Promise<T>,
  shouldCommit: (result: T) => boolean,
): Promise<T> {
  return runExclusively(store, async (db) => {
    await retryWhileBusy(store.clock, () => sql`begin immediate`.execute(db))
    try {
      const result = await work(db, store.clock.now())
      // Else a watch would go on sending, and no trace of it would be left when it ends.
      if (!store.isInPlace()) throw journalGoneError(store)
      await (shouldCommit(result) ? sql`commit` : sql`rollback`).execute(db)
      return result
    } catch (error) {
      await rollBack(db)
      throw error
    }
  })
}

function journalGoneError({ path }: Store): BridgeError {
  const message = `The journal ${path} was deleted or replaced while it was in use.`
  const fix =
    'Stop every bridge, put the journal back, or a backup; if it is lost: `dropbridge restored --dry-run`.'
  return new BridgeError('journal-missing', message, { fix })
}

export async function read<T>(store: Store, work: (db: Db) => Promise<T>): Promise<T> {
  return runExclusively(store, (db) => retryWhileBusy(store.clock, () => work(db)))
}

/** Runs `work` while no other call of this journal uses the database. */
async function runExclusively<T>(store: Store, work: (db: Db) => Promise<T>): Promise<T> {
  try {
    return await store.db.connection().execute(work)
  } catch (error) {
    if (!isSqliteError(error)) throw error
    throw new BridgeError(toFailureCode(error.code), `The journal ${store.path} failed: ${error.message}.`, {
      cause: error,
    })
  }
}

async function renewLease(db: Db, { route, token, now }: { route: string; token: number; now: number }) {
  const { numAffectedRows } = await sql`
    update leases set until = ${now} + ttl_ms
    where route = ${route} and token = ${token} and owner is not null`.execute(db)
  if (numAffectedRows === 0n) {
    throw new BridgeError('lease-lost', `Route ${route} has been taken over by another bridge.`)
  }
}

async function rollBack(db: Db): Promise<void> {
  try {
    await sql`rollback`.execute(db)
  } catch (error) {
    // On a full or failing disk SQLite rolls back by itself; then the first error counts, and not this one.
    if (!isSqliteError(error)) throw error
  }
}

// better-sqlite3 is synchronous, so long loops must yield to the event loop.

/** Lets signals, timers and sockets go first. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
