/** Stores which bridge may work on a route, which routes are paused, which bridges are watching, and by which configuration. */
import { sql } from 'kysely'
import type { Journal } from '../domain/journal.ts'
import { type BridgeVersion, formatLeaseOwner, type Lease, type Watcher } from '../domain/lease.ts'
import type { Pause, PauseJournal } from '../domain/scheduled-run.ts'
import { BridgeError } from '../support/errors.ts'
import { digestPause } from './event-detail.ts'
import { appendEvent, insertDecision, selectDecisionDetail } from './events.ts'
import { omitNull } from './rows.ts'
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
  const requestReload = writes(({ db, now }, owners: readonly string[]) =>
    db.updateTable('watchers').set({ reload_requested_at: now }).where('owner', 'in', owners).execute(),
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
    saveHeartbeat: writes(async (tx, owner, routes) => {
      const { db, now } = tx
      const version = await noteVersion(tx)
      await sql`
        insert into watchers (owner, routes, began_at, seen_at, version)
        values (${owner}, ${JSON.stringify(routes)}, ${now}, ${now}, ${version})
        on conflict (owner) do update
        set routes = excluded.routes, seen_at = excluded.seen_at, version = excluded.version`.execute(db)
    }),
    requestReload: async (owners) => {
      if (owners.length > 0) await requestReload(owners)
    },
    // With the version: until the next heartbeat the watch would seem to work with the files from before.
    finishReload: writes(async (tx, owner, startedAt, failure) => {
      const version = await noteVersion(tx)
      await sql`
        update watchers set reloads = reloads + 1, reload_failure = ${failure ?? null}, version = ${version},
          reload_requested_at = case when reload_requested_at > ${startedAt} then reload_requested_at end
        where owner = ${owner}`.execute(tx.db)
    }),
    removeWatchers: async (owners) => {
      if (owners.length > 0) await removeWatchers(owners)
    },
    listWatchers: reads(async (db) => {
      const rows = await db.selectFrom('watchers').selectAll().orderBy('began_at').orderBy('owner').execute()
      return rows.map(toWatcher)
    }),
    listVersions: reads(async (db, ids) => {
      const rows = await db
        .selectFrom('versions')
        .selectAll()
        .where('id', 'in', ids)
        .orderBy('first_used_at')
        .orderBy('id')
        .execute()
      return rows.map(({ id, files, first_used_at }) => ({
        id,
        files: JSON.parse(files) as BridgeVersion['files'],
        firstUsedAt: first_used_at,
      }))
    }),
  } satisfies Partial<Journal>
}

// Pauses of routes.

export function createPauseJournal({ store, reads, writes }: BoundStore): PauseJournal {
  const listPauses = reads((db, route?: string) => selectPauses(db, store.clock.now(), route))
  return {
    pauseRoute: writes(async (tx, route, { until, ...decided }) => {
      const { db, now } = tx
      const decision = await insertDecision(db, now, { action: 'pause', ...decided, records: 0 })
      const ended = await endPauses(tx, route, decision)
      await db.insertInto('pauses').values({ decision_id: decision, route, until }).execute()
      await appendPauseEvent(tx, { kind: 'route-paused', route, decision, pauses: [...ended, decision] })
      return { decision, route, at: now, until, ...decided }
    }),
    resumeRoute: writes(async (tx, route, decided) => {
      const { db, now } = tx
      const [pause] = await selectPauses(db, now, route)
      if (pause === undefined) return undefined
      const decision = await insertDecision(db, now, { action: 'resume', ...decided, records: 0 })
      const pauses = await endPauses(tx, route, decision)
      await appendPauseEvent(tx, { kind: 'route-resumed', route, decision, pauses })
      return { pause, decision }
    }),
    listPauses: () => listPauses(),
    findPause: async (route) => (await listPauses(route))[0],
  }
}

/** Ends those that stand. Returns their numbers. */
async function endPauses({ db, now }: Tx, route: string, decision: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update pauses set ended_at = ${now}, ended_by = ${decision}
    where route = ${route} and ended_at is null and until > ${now}
    returning decision_id as id`.execute(db)
  return rows.map(({ id }) => id)
}

async function appendPauseEvent(
  { db, now }: Tx,
  {
    kind,
    route,
    decision,
    pauses: ids,
  }: {
    readonly kind: 'route-paused' | 'route-resumed'
    readonly route: string
    readonly decision: number
    readonly pauses: readonly number[]
  },
): Promise<void> {
  const rows = await db.selectFrom('pauses').selectAll().where('decision_id', 'in', ids).execute()
  const pauses = rows.map((row) => ({ id: row.decision_id, digest: digestPause(row) }))
  const detail = { decision: await selectDecisionDetail(db, decision), pauses }
  await appendEvent(db, now, { kind, route, detail })
}

async function selectPauses(db: Db, now: number, route?: string): Promise<Pause[]> {
  const { rows } = await sql<
    Row<'pauses'> & Pick<Row<'decisions'>, 'decided_by' | 'decided_at' | 'why' | 'via'>
  >`
    select pauses.*, decided_by, decided_at, why, via
    from pauses join decisions on decisions.id = pauses.decision_id
    where ended_at is null and until > ${now} and ${route === undefined ? sql`true` : sql`route = ${route}`}
    order by route`.execute(db)
  return rows.map(
    ({ decision_id: decision, route: of, until, decided_by: by, decided_at: at, why, via }) => ({
      decision,
      route: of,
      at,
      until,
      by,
      why,
      ...omitNull({ via }),
    }),
  )
}

function toWatcher(row: Row<'watchers'>): Watcher {
  return {
    owner: row.owner,
    routes: JSON.parse(row.routes) as string[],
    beganAt: row.began_at,
    seenAt: row.seen_at,
    ...(row.reloads > 0 && { reloads: row.reloads }),
    ...omitNull({
      version: row.version,
      reloadRequestedAt: row.reload_requested_at,
      reloadFailure: row.reload_failure,
    }),
  }
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

// Which configuration and mappings were at work: each version is stored once.

/** Notes the version at work in the transaction that uses it first. Returns its id, or null where it is not known. */
export async function noteVersion({ db, now, version }: Tx): Promise<string | null> {
  if (version === undefined) return null
  const { id, files } = version
  await sql`
    insert into versions (id, files, first_used_at) values (${id}, ${JSON.stringify(files)}, ${now})
    on conflict (id) do nothing`.execute(db)
  return id
}
