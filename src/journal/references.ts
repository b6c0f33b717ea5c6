/** The ids the bridge has seen for what files call by other names. Not bound to a route, hence to no lease. */
import { sql } from 'kysely'
import type { Journal, KnownReference } from '../domain/journal.ts'
import { batchOf } from './batch.ts'
import { type Store, read, write } from './store.ts'

export function referenceCalls(store: Store): Pick<Journal, 'rememberReferences' | 'findReferences'> {
  return {
    async rememberReferences(account, kind, references) {
      const batch = batchOf(references, {
        key: (reference) => reference.key,
        id: (reference) => reference.id,
      })
      await write(store, (tables) =>
        sql`
          insert into reference_ids (account, kind, key, id)
          select ${account}, ${kind}, key, id from ${batch} where true
          on conflict do nothing`.execute(tables),
      )
    },

    async findReferences(account, kind, keys) {
      const batch = batchOf([...new Set(keys)], { key: (key) => key })
      return read(store, async (tables) => {
        const { rows } = await sql<KnownReference>`
          select reference_ids.key, reference_ids.id
          from ${batch} cross join reference_ids
          where account = ${account} and kind = ${kind} and reference_ids.key = batch.key
          order by reference_ids.key, reference_ids.id`.execute(tables)
        return rows
      })
    },
  }
}
