/** Whether the journal is older than the world, and what is done when a person says so. */
import { type Kysely, sql } from 'kysely'
import { holderInWords } from '../domain/lease.ts'
import type { Head, RestoringJournal } from '../domain/restoring.ts'
import { assert, BridgeError } from '../support/errors.ts'
import { batchOf } from './batch.ts'
import { lastSequence } from './restored-routes.ts'
import { chain } from './chain.ts'
import { declareRestored } from './restore.ts'
import type { Tables } from './schema.ts'
import { read, type Store, write, writeWhatIsThere } from './store.ts'
import { decisionDetail } from './work-events.ts'

export function restoringCalls(store: Store): RestoringJournal {
  return {
    head: () => read(store, headWithTime),
    hashOfEvent: (event) =>
      read(store, async (tables) => {
        const row = await tables
          .selectFrom('events')
          .select('hash')
          .where('id', '=', event)
          .executeTakeFirst()
        return row?.hash
      }),
    tag: () => read(store, async (tables) => (await identityOf(tables)).tag),
    isMarked: () => read(store, async (tables) => (await identityOf(tables)).is_marked === 1),
    noteMarked: async () => {
      await write(store, (tables) => tables.updateTable('identity').set({ is_marked: 1 }).execute())
    },
    lastSequence: (route) => read(store, (tables) => lastSequence(tables, route)),
    unknownFiles: (ids) => read(store, (tables) => unknownFiles(tables, ids)),
    declareRestored: (restoration) =>
      write(
        store,
        async (tables, now) => {
          await unlessWorkedOn(tables, now, restoration.isAlive)
          return declareRestored(tables, { ...restoration, asOf: (await headWithTime(tables)).at, now })
        },
        { isRehearsal: restoration.dryRun },
      ),
    doubtfulRoutes: () => read(store, doubtfulRoutes),
    endDoubt: (said) => write(store, (tables, now) => endDoubt(tables, { ...said, now })),
    noteListed: (lease) =>
      writeWhatIsThere(store, lease, async (tables) => {
        const { numAffectedRows = 0n } = await sql`
          update restored_routes set up_to_record = coalesce((
            select max(id) from records where route = ${lease.route} and direction = 'outgoing'), 0)
          where route = ${lease.route} and up_to_record is null`.execute(tables)
        return numAffectedRows > 0n
      }),
  }
}

export async function headWithTime(tables: Kysely<Tables>): Promise<Head> {
  const row = await tables
    .selectFrom('events')
    .select(['id', 'hash', 'at'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return { event: row?.id ?? 0, hash: row?.hash ?? '', at: row?.at ?? 0 }
}

async function identityOf(tables: Kysely<Tables>): Promise<Tables['identity']> {
  const row = await tables.selectFrom('identity').selectAll().executeTakeFirst()
  assert(row, 'a journal has an identity')
  return row
}

async function unknownFiles(tables: Kysely<Tables>, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select batch.id from ${batchOf(ids, { id: (id) => id })} left join files on files.id = batch.id
    where files.id is null`.execute(tables)
  return rows.map(({ id }) => id)
}

/** A bridge that is at work would send what is declared to be in doubt. */
async function unlessWorkedOn(
  tables: Kysely<Tables>,
  now: number,
  isAlive: (holder: string) => boolean,
): Promise<void> {
  const leases = await tables.selectFrom('leases').selectAll().where('until', '>', now).execute()
  for (const { route, holder } of leases) {
    if (holder === null || !isAlive(holder)) continue
    const message = `Route ${route} is being worked on by ${holderInWords(holder)}; end that first.`
    throw new BridgeError('lease-held', message)
  }
}

async function doubtfulRoutes(tables: Kysely<Tables>) {
  const rows = await tables
    .selectFrom('restored_routes')
    .select(['route', 'declared_at as since'])
    .where('looks_up', '=', 1)
    .orderBy('route')
    .execute()
  return rows
}

async function endDoubt(
  tables: Kysely<Tables>,
  { by, why, now }: { readonly by: string; readonly why: string; readonly now: number },
): Promise<number> {
  const routes = await doubtfulRoutes(tables)
  if (routes.length === 0) return 0
  await tables.updateTable('restored_routes').set({ looks_up: 0 }).execute()
  const row = { action: 'doubt-ended', decided_by: by, why, decided_at: now, records: 0 } as const
  const { id } = await tables.insertInto('decisions').values(row).returning('id').executeTakeFirstOrThrow()
  const decision = await decisionDetail(tables, id)
  await chain(tables, now, { kind: 'journal-restored', detail: { decision } })
  return routes.length
}
