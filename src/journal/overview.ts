/** Counts files, records and deliveries: by state, route by route, and those of a range of time. */
import { sql } from 'kysely'
import type { ActiveRecord, ActiveWork, ActivityJournal, TimeRange } from '../domain/activity.ts'
import type { Journal, RouteOverview } from '../domain/journal.ts'
import { IS_UNFINISHED } from './deliveries.ts'
import { PRUNED_BODY } from './prune.ts'
import { isKeyInLane } from './records.ts'
import { omitNull } from './rows.ts'
import type { Db } from './schema.ts'
import type { BoundStore } from './store.ts'

export function createOverviewJournal({ store, reads }: BoundStore) {
  return {
    summarizeRoutes: reads((db) => summarizeRoutes(db, store.clock.now())),
    listUnfinishedRoutes: reads(selectUnfinishedRoutes),
    hasNoWork: reads(async (db, route) => {
      const { rows } = await sql`
        select 1 from leases where route = ${route} and owner is null
          and not exists (select 1 from files where route = ${route} and state <> 'closed')
          and not exists (select 1 from deliveries where route = ${route} and ${IS_UNFINISHED})
          and not exists (select 1 from redeliveries where route = ${route} and state = 'begun')`.execute(db)
      return rows.length > 0
    }),
  } satisfies Partial<Journal>
}

/** The conditions are those of the partial indexes on unfinished work. */
async function selectUnfinishedRoutes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ route: string }>`
    select route from files where state <> 'closed'
    union select route from deliveries where ${IS_UNFINISHED}
    union select route from redeliveries where state = 'begun'
    order by route`.execute(db)
  return rows.map(({ route }) => route)
}

async function summarizeRoutes(db: Db, now: number): Promise<RouteOverview[]> {
  const counts = await countStates(db)
  const leases = await db.selectFrom('leases').selectAll().execute()
  const owners = new Map(leases.filter(({ until }) => until > now).map(({ route, owner }) => [route, owner]))
  return [...new Set([...leases, ...counts].map(({ route }) => route))].toSorted().map((route) => {
    const of = (what: StateCount['what']) =>
      Object.fromEntries(
        counts
          .filter((it) => it.route === route && it.what === what)
          .map(({ state, count }) => [state, count]),
      )
    const owner = owners.get(route)
    return {
      route,
      files: of('files'),
      incoming: of('incoming'),
      outgoing: of('outgoing'),
      deliveries: of('deliveries'),
      ...(owner && { owner }),
    }
  })
}

interface StateCount {
  readonly what: 'files' | 'incoming' | 'outgoing' | 'deliveries'
  readonly route: string
  readonly state: string
  readonly count: number
}

async function countStates(db: Db): Promise<StateCount[]> {
  const { rows } = await sql<StateCount>`
    select 'files' as what, route, state, count(*) as count from files group by route, state
    union all
    select direction, route, state, count(*) from records where not (state in ('rejected', 'held') and corrected = 1)
    group by direction, route, state
    union all
    select 'deliveries', route, state, count(*) from deliveries group by route, state`.execute(db)
  return rows
}

// What passed through in a range of time, page by page.

export function createActivityJournal({ reads }: BoundStore): ActivityJournal {
  return {
    listActiveWork: reads(selectActiveWork),
    listActiveRecords: reads(selectActiveRecords),
    listAcceptedBodies: reads(async (db, { account, operations, lane, since }) => {
      const names = sql.join(operations.map((name) => sql.lit(name)))
      const { rows } = await sql<{ body: string }>`
        select bodies.body from records join bodies on bodies.record_id = records.id
        where operation in (${names}) and account = ${account} and owns_key = 1 and ${isKeyInLane(lane)}
          and state = 'accepted' and changed_at >= ${since} and body <> ${PRUNED_BODY}`.execute(db)
      return rows.map(({ body }) => body)
    }),
    hasAcknowledged: reads(async (db, { account, id, since }) => {
      const { rows } = await sql`
        select 1 from records where operation = 'export-orders' and account = ${account} and api_id = ${id}
          and direction = 'outgoing' and state = 'accepted' and changed_at >= ${since}`.execute(db)
      return rows.length > 0
    }),
  }
}

/** A file counts when it was received, a delivery when it was delivered. */
async function selectActiveWork(db: Db, range: TimeRange, after: ActiveWork | undefined, limit: number) {
  const { from, to } = range
  const { direction = '', id = '' } = after ?? {}
  const { rows } = await sql<ActiveWork>`
    select * from (
      select 'incoming' as direction, id, route, 0 as records from files
      where received_at >= ${from} and received_at < ${to}
      union all
      select 'outgoing', id, route, records from deliveries
      where delivered_at >= ${from} and delivered_at < ${to}
    ) where (direction, id) > (${direction}, ${id})
    order by direction, id limit ${limit}`.execute(db)
  return rows
}

async function selectActiveRecords(
  db: Db,
  { direction, id }: Pick<ActiveWork, 'direction' | 'id'>,
  afterNumber: number,
  limit: number,
): Promise<ActiveRecord[]> {
  const owner = sql.ref(direction === 'incoming' ? 'file_id' : 'delivery_id')
  const { rows } = await sql<ActiveRecord & { readonly body: string | null }>`
    select number, operation, account, state, bodies.body
    from records left join bodies on bodies.record_id = records.id
    where ${owner} = ${id} and number > ${afterNumber} order by number limit ${limit}`.execute(db)
  return rows.map(({ body, ...record }) =>
    body === PRUNED_BODY ? { ...record, isPruned: true } : { ...record, ...omitNull({ body }) },
  )
}
