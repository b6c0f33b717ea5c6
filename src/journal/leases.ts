/** Who may work on a route. */
import type { Kysely } from 'kysely'
import type { Journal } from '../domain/journal.ts'
import { holderInWords } from '../domain/lease.ts'
import { BridgeError } from '../support/errors.ts'
import { chain } from './chain.ts'
import type { Tables } from './schema.ts'
import { type Store, write, writeHolding } from './store.ts'

export function leaseCalls(store: Store): Pick<Journal, 'takeLease' | 'renewLease' | 'releaseLease'> {
  return {
    async takeLease(route, holder, ttlMs, isAlive) {
      const taken = await write(store, async (tables, now) => {
        const last = await tables
          .selectFrom('leases')
          .selectAll()
          .where('route', '=', route)
          .executeTakeFirst()
        if (last?.holder && last.until > now && isAlive(last.holder)) {
          await notLongerThanTaken(tables, last, now)
          return { heldBy: last.holder }
        }
        const token = (last?.token ?? 0) + 1
        const row = { token, holder, ttl_ms: ttlMs, until: now + ttlMs }
        await tables
          .insertInto('leases')
          .values({ route, ...row })
          .onConflict((conflict) => conflict.column('route').doUpdateSet(row))
          .execute()
        if (last?.holder)
          await chain(tables, now, { kind: 'lease-taken-over', route, detail: { lease: { token } } })
        return { route, token, ttlMs }
      })
      if (!('heldBy' in taken)) return taken
      throw new BridgeError(
        'lease-held',
        `Route ${route} is being worked on by ${holderInWords(taken.heldBy)}.`,
      )
    },

    async renewLease(lease) {
      await writeHolding(store, lease, () => Promise.resolve())
    },

    async releaseLease({ route, token }) {
      await write(store, (tables, now) =>
        tables
          .updateTable('leases')
          .set({ holder: null, until: now })
          .where('route', '=', route)
          .where('token', '=', token)
          .execute(),
      )
    },
  }
}

/**
 * A lease that ends later than it could was renewed before the clock was set back. From now on it has its usual time, in
 * which whoever holds it renews it; or else a dead holder would keep everybody out until the clock is there again.
 */
async function notLongerThanTaken(
  tables: Kysely<Tables>,
  { route, until, ttl_ms: ttlMs }: { route: string; until: number; ttl_ms: number },
  now: number,
): Promise<void> {
  if (until <= now + ttlMs) return
  await tables
    .updateTable('leases')
    .set({ until: now + ttlMs })
    .where('route', '=', route)
    .execute()
}

/** Undefined when the lease was given back, or its time is over. */
export async function holderOf(
  tables: Kysely<Tables>,
  route: string,
  now: number,
): Promise<{ holder: string; renewedAt: number } | undefined> {
  const row = await tables.selectFrom('leases').selectAll().where('route', '=', route).executeTakeFirst()
  if (!row?.holder || row.until <= now) return undefined
  return { holder: row.holder, renewedAt: row.until - row.ttl_ms }
}
