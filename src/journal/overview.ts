/** How much of what is where, route by route. */
import { type Kysely, sql } from 'kysely'
import type { Journal, RouteOverview } from '../domain/journal.ts'
import { UNFINISHED } from './delivery-rows.ts'
import type { Tables } from './schema.ts'
import { type Store, read } from './store.ts'

export function overviewCalls(store: Store): Pick<Journal, 'overview' | 'unfinishedRoutes'> {
  return {
    overview: () => read(store, (tables) => overview(tables, store.clock.now())),
    unfinishedRoutes: () => read(store, unfinishedRoutes),
  }
}

/** The conditions are those of the indexes that hold nothing but what is unfinished. */
async function unfinishedRoutes(tables: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ route: string }>`
    select route from files where state <> 'closed'
    union select route from deliveries where ${UNFINISHED}
    order by route`.execute(tables)
  return rows.map(({ route }) => route)
}

async function overview(tables: Kysely<Tables>, now: number): Promise<RouteOverview[]> {
  const counts = await countAll(tables)
  const leases = await tables.selectFrom('leases').selectAll().execute()
  const holders = new Map(
    leases.filter(({ until }) => until > now).map(({ route, holder }) => [route, holder]),
  )
  const routes = new Set([...leases, ...counts].map(({ route }) => route))
  return [...routes].toSorted().map((route) => {
    const of = (what: Counted['what']) =>
      Object.fromEntries(
        counts
          .filter((it) => it.route === route && it.what === what)
          .map(({ state, count }) => [state, count]),
      )
    const heldBy = holders.get(route)
    return {
      route,
      files: of('files'),
      incoming: of('incoming'),
      outgoing: of('outgoing'),
      deliveries: of('deliveries'),
      ...(heldBy && { heldBy }),
    }
  })
}

interface Counted {
  readonly what: 'files' | 'incoming' | 'outgoing' | 'deliveries'
  readonly route: string
  readonly state: string
  readonly count: number
}

async function countAll(tables: Kysely<Tables>): Promise<Counted[]> {
  const { rows } = await sql<Counted>`
    select 'files' as what, route, state, count(*) as count from files group by route, state
    union all
    select direction, route, state, count(*) from records group by direction, route, state
    union all
    select 'deliveries', route, state, count(*) from deliveries group by route, state`.execute(tables)
  return rows
}
