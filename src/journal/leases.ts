/** Stores which bridge may work on a route, and which bridges are watching. */
import { sql } from 'kysely'
import type { Journal } from '../domain/journal.ts'
import { formatLeaseOwner, type Lease } from '../domain/lease.ts'
import { BridgeError } from '../support/errors.ts'
import { appendEvent } from './events.ts'
import type { Db, Row } from './schema.ts'
import type { BoundStore, Tx } from './store.ts'

export function createLeaseJournal({ store, reads, writes, leased }: BoundStore) {
  const acquire = writes(acquireLease)
  const release = writes(({ db, now }, { route, token }: Lease) => {
    const isOwn = sql`route = ${route} and token = ${token}`
    return sql`update leases set owner = null, until = ${now} where ${isOwn}`.execute(db)
  })
  const removeWatchers = writes(({ db }, owners: readonly string[]) =>
    db.deleteFrom('watchers').where('owner', 'in', owners).execute(),
  )
  return {
    acquireLease: async (route, owner, ttlMs, isAlive) => {
      const taken = await acquire({ route, owner, ttlMs, isAlive })
      if ('token' in taken) return taken
      const worker = formatLeaseOwner(taken.owner)
      throw new BridgeError('lease-held', `Route ${route} is being worked on by ${worker}.`)
    },
    getLeaseOwner: reads(async (db, route) => {
      const row = await findLease(db, route)
      if (!row?.owner || row.until <= store.clock.now()) return undefined
      return { owner: row.owner, renewedAt: row.until - row.ttl_ms }
    }),
    renewLease: leased(() => Promise.resolve()),
    releaseLease: async (lease) => void (await release(lease)),
    saveHeartbeat: writes(async ({ db, now }, owner, routes) => {
      await sql`
        insert into watchers (owner, routes, began_at, seen_at)
        values (${owner}, ${JSON.stringify(routes)}, ${now}, ${now})
        on conflict (owner) do update set routes = excluded.routes, seen_at = excluded.seen_at`.execute(db)
    }),
    removeWatchers: async (owners) => {
      if (owners.length > 0) await removeWatchers(owners)
    },
    listWatchers: reads(async (db) => {
      const all = db
        .selectFrom('watchers')
        .select(['owner', 'routes', 'began_at as beganAt', 'seen_at as seenAt'])
      const rows = await all.orderBy('began_at').orderBy('owner').execute()
      return rows.map((row) => ({ ...row, routes: JSON.parse(row.routes) as string[] }))
    }),
  } satisfies Partial<Journal>
}

interface LeaseRequest extends Omit<Lease, 'token'> {
  readonly owner: string
  readonly isAlive: (owner: string) => boolean
}

async function acquireLease(
  { db, now }: Tx,
  { route, owner, ttlMs, isAlive }: LeaseRequest,
): Promise<Lease | { readonly owner: string }> {
  const last = await findLease(db, route)
  if (last?.owner && last.until > now && isAlive(last.owner)) {
    await limitLeaseTime(db, last, now)
    return { owner: last.owner }
  }
  const token = (last?.token ?? 0) + 1
  await sql`
    insert into leases (route, token, owner, ttl_ms, until) values (${route}, ${token}, ${owner}, ${ttlMs}, ${now + ttlMs})
    on conflict (route) do update set token = excluded.token, owner = excluded.owner,
      ttl_ms = excluded.ttl_ms, until = excluded.until`.execute(db)
  if (last?.owner)
    await appendEvent(db, now, { kind: 'lease-taken-over', route, detail: { lease: { token } } })
  return { route, token, ttlMs }
}

function findLease(db: Db, route: string) {
  return db.selectFrom('leases').selectAll().where('route', '=', route).executeTakeFirst()
}

/**
 * A lease that ends later than its length allows was renewed before the clock was set back. It gets its usual length from
 * now on, in which its owner renews it; otherwise a dead owner would keep the route until the clock has caught up.
 */
async function limitLeaseTime(db: Db, { route, until, ttl_ms }: Row<'leases'>, now: number): Promise<void> {
  if (until <= now + ttl_ms) return
  await sql`update leases set until = ${now + ttl_ms} where route = ${route}`.execute(db)
}
