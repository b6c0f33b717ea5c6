/** Makes the tables of a new journal, and refuses files of another program or of a newer version. */
import { sql } from 'kysely'
import { BridgeError } from '../support/errors.ts'
import { appendEvent } from './events.ts'
import { FIRST_SCHEMA } from './first-schema.ts'
import type { Db } from './schema.ts'
import { type Store, write } from './store.ts'

/** The version of the tables. After the first release, each change is a numbered step of its own, forward only. */
const VERSION = 1

const NONE = { count: 0, last: 0 }

/** Always takes the write lock: a read-only journal fails on opening, and only one of several bridges makes the tables. */
export async function migrate(store: Store): Promise<void> {
  await write(store, async (db, now) => {
    if ((await readVersion(db)) === VERSION) return
    await sql`create table if not exists migration (
  id integer primary key,
  name text not null,
  applied_at integer not null
) strict`.execute(db)
    await db.insertInto('migration').values({ id: VERSION, name: 'first', applied_at: now }).execute()
    for (const statement of FIRST_SCHEMA.split(';\n')) await sql.raw(statement).execute(db)
    const before = { files: NONE, records: NONE, deliveries: NONE }
    await appendEvent(db, now, { kind: 'chain-began', detail: { before } })
  })
}

/** 0 before the first. A typing error in the setting `journal` must not change another program's database. */
export async function readVersion(db: Db): Promise<number> {
  const { rows: tables } = await sql<{ own_tables: number; all_tables: number }>`
    select count(*) as all_tables, count(case when name = 'migration' then 1 end) as own_tables
    from sqlite_schema where type = 'table'`.execute(db)
  const { all_tables: all = 0, own_tables: own = 0 } = tables[0] ?? {}
  if (own === 0 && all === 0) return 0
  if (own === 0) {
    const fix = 'Correct the path in `journal`.'
    throw new BridgeError('journal-unusable', 'The journal is a SQLite database of some other program.', {
      fix,
    })
  }
  const { rows } = await sql<{ latest: number | null }>`select max(id) as latest from migration`.execute(db)
  const latest = rows[0]?.latest ?? 0
  if (latest <= VERSION) return latest
  throw new BridgeError(
    'journal-newer',
    `The journal has tables of version ${latest}, and this version of dropbridge knows only ${VERSION}.`,
  )
}
