/** Counts files, records and deliveries by state, route by route. */
import { sql } from 'kysely'
import type { Journal, RouteOverview } from '../domain/journal.ts'
import { IS_UNFINISHED } from './deliveries.ts'
import type { Db } from './schema.ts'
import type { BoundStore } from './store.ts'

export function createOverviewJournal({ store, reads }: BoundStore) {
  return {
    summarizeRoutes: reads((db) => summarizeRoutes(db, store.clock.now())),
    listUnfinishedRoutes: reads(selectUnfinishedRoutes),
  } satisfies Partial<Journal>
}

/** The conditions are those of the partial indexes on unfinished work. */
async function selectUnfinishedRoutes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ route: string }>`
    select route from files where state <> 'closed'
    union select route from deliveries where ${IS_UNFINISHED}
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
    select direction, route, state, count(*) from records where not (state = 'rejected' and corrected = 1)
    group by direction, route, state
    union all
    select 'deliveries', route, state, count(*) from deliveries group by route, state`.execute(db)
  return rows
}
