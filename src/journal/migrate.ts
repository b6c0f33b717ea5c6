/** Makes the tables of a new journal, and refuses files of another program or of a newer version. */
import { sql } from 'kysely'
import { BridgeError } from '../support/errors.ts'
import { appendEvent } from './events.ts'
import { FIRST_SCHEMA } from './first-schema.ts'
import type { Db } from './schema.ts'
import { read, type Store, write } from './store.ts'

/** The version of the tables. After the first release, each change is a numbered step of its own, forward only. */
const VERSION = 1

const NONE = { count: 0, last: 0 }

/** Always takes the write lock: a read-only journal fails on opening, and only one of several bridges makes the tables. */
export async function migrate(store: Store): Promise<void> {
  await write(store, async (db, now) => {
    await hasOwnTables(db)
    await sql`create table if not exists migration (
  id integer primary key,
  name text not null,
  applied_at integer not null
) strict`.execute(db)
    if ((await readVersion(db)) === VERSION) return
    await db.insertInto('migration').values({ id: VERSION, name: 'first', applied_at: now }).execute()
    for (const statement of FIRST_SCHEMA.split(';\n')) await sql.raw(statement).execute(db)
    const before = { files: NONE, records: NONE, deliveries: NONE }
    await appendEvent(db, now, { kind: 'chain-began', detail: { before } })
  })
}

/** Whether the journal has its tables, of this version. Throws as `migrate` does, and changes nothing. */
export function isMigrated(store: Store): Promise<boolean> {
  return read(store, async (db) => (await hasOwnTables(db)) && (await readVersion(db)) === VERSION)
}

async function readVersion(db: Db): Promise<number> {
  const { rows } = await sql<{ latest: number | null }>`select max(id) as latest from migration`.execute(db)
  const latest = rows[0]?.latest ?? 0
  if (latest <= VERSION) return latest
  throw new BridgeError(
    'journal-newer',
    `The journal has tables of version ${latest}, and this version of dropbridge knows only ${VERSION}.`,
  )
}

/** A typing error in the setting `journal` must not put the bridge's tables into another program's database. */
async function hasOwnTables(db: Db): Promise<boolean> {
  const { rows } = await sql<{ own_tables: number; all_tables: number }>`
    select count(*) as all_tables, count(case when name = 'migration' then 1 end) as own_tables
    from sqlite_schema where type = 'table'`.execute(db)
  const counted = rows[0]
  if (counted && counted.all_tables > 0 && counted.own_tables === 0) {
    throw new BridgeError('journal-unusable', 'The journal is a SQLite database of some other program.', {
      fix: 'Correct the path in `journal`.',
    })
  }
  return counted !== undefined && counted.own_tables > 0
}
