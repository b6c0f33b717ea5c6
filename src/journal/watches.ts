/** Which bridges watch, and when each said so last. */
import type { WatchJournal } from '../domain/watches.ts'
import { read, type Store, write } from './store.ts'

export function watchCalls(store: Store): WatchJournal {
  return {
    noteWatch: async (holder, routes) => {
      const row = { routes: JSON.stringify(routes) }
      await write(store, (tables, now) =>
        tables
          .insertInto('watches')
          .values({ holder, ...row, began_at: now, seen_at: now })
          .onConflict((conflict) => conflict.column('holder').doUpdateSet({ ...row, seen_at: now }))
          .execute(),
      )
    },
    forgetWatches: async (holders) => {
      if (holders.length === 0) return
      await write(store, (tables) => tables.deleteFrom('watches').where('holder', 'in', holders).execute())
    },
    watches: async () => {
      const rows = await read(store, (tables) =>
        tables.selectFrom('watches').selectAll().orderBy('began_at').orderBy('holder').execute(),
      )
      return rows.map(({ holder, routes, began_at: beganAt, seen_at: seenAt }) => ({
        holder,
        routes: JSON.parse(routes) as string[],
        beganAt,
        seenAt,
      }))
    },
  }
}
