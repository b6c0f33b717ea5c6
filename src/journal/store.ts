/** The only ways to read and write the tables: one call at a time, writes in a transaction, faults as failures. */
import { type Kysely, sql } from 'kysely'
import type { Lease } from '../domain/journal.ts'
import { BridgeError } from '../support/errors.ts'
import type { Clock } from '../support/clock.ts'
import { isSqliteError } from '../support/sqlite.ts'
import { patiently } from './patience.ts'
import type { Tables } from './schema.ts'
import { failureOfSqlite } from './sqlite-failures.ts'

export interface Store {
  readonly db: Kysely<Tables>
  readonly clock: Clock
}

/** Runs `work` in one transaction that first renews the lease, and so is undone as a whole when the lease is lost. */
export async function writeHolding<T>(
  store: Store,
  lease: Lease,
  work: (tables: Kysely<Tables>, now: number) => Promise<T>,
): Promise<T> {
  return write(store, async (tables, now) => {
    await renew(tables, lease, now)
    return work(tables, now)
  })
}

/**
 * As `writeHolding`, but where `work` gives false there was nothing to do, and the disk is left alone: a commit costs more than
 * all the looking. The lease was held then, and is not renewed.
 */
export async function writeWhatIsThere(
  store: Store,
  lease: Lease,
  work: (tables: Kysely<Tables>, now: number) => Promise<boolean>,
): Promise<void> {
  await transact(store, {
    work: async (tables, now) => {
      await renew(tables, lease, now)
      return work(tables, now)
    },
    isToStay: (didAnything) => didAnything,
  })
}

/** Runs `work` in one transaction; with `isRehearsal` nothing of it stays. */
export async function write<T>(
  store: Store,
  work: (tables: Kysely<Tables>, now: number) => Promise<T>,
  { isRehearsal = false } = {},
): Promise<T> {
  return transact(store, { work, isToStay: () => !isRehearsal })
}

interface Transaction<T> {
  readonly work: (tables: Kysely<Tables>, now: number) => Promise<T>
  readonly isToStay: (result: T) => boolean
}

/**
 * It takes the write lock before it reads anything: a transaction that begins with reading and then writes fails at once when
 * another process wrote in between.
 */
async function transact<T>(store: Store, { work, isToStay }: Transaction<T>): Promise<T> {
  return alone(store, async (tables) => {
    await patiently(store.clock, () => sql`begin immediate`.execute(tables))
    try {
      const result = await work(tables, store.clock.now())
      await (isToStay(result) ? sql`commit` : sql`rollback`).execute(tables)
      return result
    } catch (error) {
      await rollBack(tables)
      throw error
    }
  })
}

export async function read<T>(store: Store, work: (tables: Kysely<Tables>) => Promise<T>): Promise<T> {
  return alone(store, (tables) => patiently(store.clock, () => work(tables)))
}

/** Runs `work` while no other call of this journal is at the database. */
async function alone<T>(store: Store, work: (tables: Kysely<Tables>) => Promise<T>): Promise<T> {
  try {
    return await store.db.connection().execute(work)
  } catch (error) {
    throw asFailure(error)
  }
}

async function renew(tables: Kysely<Tables>, lease: Lease, now: number): Promise<void> {
  const { numAffectedRows } = await sql`
    update leases set until = ${now} + ttl_ms
    where route = ${lease.route} and token = ${lease.token} and holder is not null`.execute(tables)
  if (numAffectedRows === 0n) {
    throw new BridgeError('lease-lost', `Route ${lease.route} has been taken over by another bridge.`)
  }
}

async function rollBack(tables: Kysely<Tables>): Promise<void> {
  try {
    await sql`rollback`.execute(tables)
  } catch (error) {
    // A full disk or a failing one makes SQLite roll back by itself; what went wrong first is what counts.
    if (!isSqliteError(error)) throw error
  }
}

function asFailure(error: unknown): unknown {
  if (!isSqliteError(error)) return error
  return new BridgeError(failureOfSqlite(error.code), `The journal failed: ${error.message}.`, {
    cause: error,
  })
}
