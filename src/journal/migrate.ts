/** Brings the tables up to what this version knows: numbered steps, forward only, each in a transaction of its own. */
import { type Kysely, sql } from 'kysely'
import { BridgeError } from '../support/errors.ts'
import { first } from './migrations/001-first.ts'
import { references } from './migrations/002-references.ts'
import { documents } from './migrations/004-documents.ts'
import { holds } from './migrations/003-holds.ts'
import { notices } from './migrations/013-notices.ts'
import { takenFiles } from './migrations/014-taken-files.ts'
import { failingRoutes } from './migrations/015-failing-routes.ts'
import { watches } from './migrations/016-watches.ts'
import { turnsAhead } from './migrations/017-turns-ahead.ts'
import { joinedTurn } from './migrations/018-joined-turn.ts'
import { namings } from './migrations/019-namings.ts'
import { restored } from './migrations/020-restored.ts'
import { reports } from './migrations/006-reports.ts'
import { steps } from './migrations/005-steps.ts'
import { superseded } from './migrations/007-superseded.ts'
import { events } from './migrations/008-events.ts'
import { support } from './migrations/009-support.ts'
import { ties } from './migrations/010-ties.ts'
import { turns } from './migrations/011-turns.ts'
import { attention } from './migrations/012-attention.ts'
import type { Tables } from './schema.ts'
import { type Store, write } from './store.ts'

interface Migration {
  readonly id: number
  readonly name: string
  readonly statements: readonly string[]
  /** What words of SQL alone cannot do. */
  readonly afterwards?: (tables: Kysely<Tables>, now: number) => Promise<void>
}

const MIGRATIONS: readonly Migration[] = [
  first,
  references,
  holds,
  documents,
  steps,
  reports,
  superseded,
  events,
  support,
  ties,
  turns,
  attention,
  notices,
  takenFiles,
  failingRoutes,
  watches,
  turnsAhead,
  joinedTurn,
  namings,
  restored,
]

/** Safe when several bridges open a new journal at once: each step is looked for again under the write lock. */
export async function migrate(store: Store): Promise<void> {
  for (let step = 0; step <= MIGRATIONS.length; step++) {
    if (!(await applyNext(store))) return
  }
}

/**
 * False when nothing is left to do. Takes the write lock even then, so that a journal that cannot be written is
 * found out on opening.
 */
async function applyNext(store: Store): Promise<boolean> {
  return write(store, async (tables, now) => {
    await refuseForeignTables(tables)
    await sql`create table if not exists migration (
  id integer primary key,
  name text not null,
  applied_at integer not null
) strict`.execute(tables)
    const next = nextAfter(await latestApplied(tables))
    if (!next) return false
    // Its own row first: should two migrators ever meet, they clash here and not half-way.
    await tables.insertInto('migration').values({ id: next.id, name: next.name, applied_at: now }).execute()
    for (const statement of next.statements) await sql.raw(statement).execute(tables)
    await next.afterwards?.(tables, now)
    return true
  })
}

/** A typing slip in `journal` must not put our tables into somebody else's database. */
async function refuseForeignTables(tables: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ ours: number; all_tables: number }>`
    select count(*) as all_tables, count(case when name = 'migration' then 1 end) as ours
    from sqlite_schema where type = 'table'`.execute(tables)
  const counted = rows[0]
  if (counted && counted.all_tables > 0 && counted.ours === 0) {
    throw new BridgeError('journal-unusable', 'The journal is a SQLite database of some other program.')
  }
}

async function latestApplied(tables: Kysely<Tables>): Promise<number> {
  const row = await tables
    .selectFrom('migration')
    .select((is) => is.fn.max('id').as('latest'))
    .executeTakeFirst()
  return row?.latest ?? 0
}

function nextAfter(latest: number): Migration | undefined {
  const newest = MIGRATIONS.at(-1)?.id ?? 0
  if (latest > newest) {
    throw new BridgeError(
      'journal-newer',
      `The journal has tables of version ${latest}, and this version of dropbridge knows only ${newest}.`,
    )
  }
  return MIGRATIONS.find((migration) => migration.id > latest)
}
