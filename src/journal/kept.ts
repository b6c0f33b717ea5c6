/** Values that the API does not keep for us, remembered beside the orders they belong to. */
import { type Kysely, sql } from 'kysely'
import type { Journal, KeptValues } from '../domain/journal.ts'
import { batchOf } from './batch.ts'
import type { Tables } from './schema.ts'
import { type Store, read, write } from './store.ts'

export function keptCalls(store: Store): Pick<Journal, 'keepValues' | 'keptValues'> {
  return {
    keepValues: async (account, kept) => {
      if (kept.length > 0) await write(store, (tables, now) => keepValues(tables, { account, kept, now }))
    },
    keptValues: (account, keys) => read(store, (tables) => keptValues(tables, account, keys)),
  }
}

interface Keeping {
  readonly account: string
  readonly kept: readonly KeptValues[]
  readonly now: number
}

/** What is kept again is not written anew each time; that it was is noted once a day. */
const NOTED_EVERY_MS = 86_400_000

export async function keepValues(tables: Kysely<Tables>, { account, kept, now }: Keeping): Promise<void> {
  const cells = kept.flatMap(({ key, values }) =>
    Object.entries(values).map(([name, value]) => ({ key, name, value })),
  )
  if (cells.length === 0) return
  const batch = batchOf(cells, { key: (it) => it.key, name: (it) => it.name, value: (it) => it.value })
  await sql`
    insert into kept_values (account, key, name, value, kept_at)
    select ${account}, key, name, value, ${now} from ${batch} where true
    on conflict (account, key, name) do update set value = excluded.value, kept_at = excluded.kept_at
      where value <> excluded.value or kept_at < excluded.kept_at - ${NOTED_EVERY_MS}`.execute(tables)
}

async function keptValues(
  tables: Kysely<Tables>,
  account: string,
  keys: readonly string[],
): Promise<Map<string, Readonly<Record<string, string>>>> {
  const batch = batchOf([...new Set(keys)], { key: (key) => key })
  const { rows } = await sql<{ key: string; name: string; value: string }>`
    select kept_values.key, kept_values.name, kept_values.value
    from ${batch} cross join kept_values
    where kept_values.account = ${account} and kept_values.key = batch.key`.execute(tables)
  const found = new Map<string, Record<string, string>>()
  for (const { key, name, value } of rows) found.set(key, { ...found.get(key), [name]: value })
  return found
}
