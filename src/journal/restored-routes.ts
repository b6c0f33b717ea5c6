/** What is in doubt on a route after its journal was restored: new records may have been sent, new deliveries delivered. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Lease } from '../domain/lease.ts'
import { problem } from '../domain/problem.ts'
import { isoTime } from '../support/clock.ts'
import { chain } from './chain.ts'
import { type Ids, eachOf, idsWhere } from './ids.ts'
import { chainState } from './record-events.ts'
import type { RestoredRouteTable } from './restored-tables.ts'
import type { Tables } from './schema.ts'
import { summed } from './sums.ts'
import { chainDelivery } from './work-events.ts'

export async function restoredRoute(
  tables: Kysely<Tables>,
  route: string,
): Promise<RestoredRouteTable | undefined> {
  return tables.selectFrom('restored_routes').selectAll().where('route', '=', route).executeTakeFirst()
}

/** The last one that was given or skipped; 0 before the first. */
export async function lastSequence(tables: Kysely<Tables>, route: string): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select max(coalesce((select max(sequence) from deliveries where route = ${route}), 0),
      coalesce((select at_least from restored_routes where route = ${route}), 0)) as last`.execute(tables)
  return rows[0]?.last ?? 0
}

/** Nothing was noted that an order could be compared with. What was noted by now may have been noted after the sending. */
const NO_NOTE = '{}'

interface Doubting {
  readonly route: string
  readonly fileId: string
  /** The records, as a condition. */
  readonly its: RawBuilder<unknown>
  /** The time of the last event before what is in doubt. */
  readonly asOf: number
  readonly now: number
  /** Whether what was noted when they were planned is from before what is in doubt. */
  readonly isNoteOld: boolean
}

/**
 * Gives each of the records an attempt that may have taken effect, from `asOf` on. Their states are the caller's. The chain
 * tells it as a begun attempt whose answer was lost.
 */
export async function doubtRecords(tables: Kysely<Tables>, doubting: Doubting): Promise<Ids> {
  const { route, fileId, its, asOf, now, isNoteOld } = doubting
  const ids = await idsWhere(tables, its)
  if (ids.length === 0) return ids
  const all = sql`records.id in (select value from json_each(${JSON.stringify([...eachOf(ids)])}))`
  await sql`update records set attempts = attempts + 1 where ${all}`.execute(tables)
  const note = isNoteOld ? sql`coalesce(bodies.note, ${NO_NOTE})` : sql`${NO_NOTE}`
  const { rows } = await sql<{ id: number; text: string }>`
    insert into attempts (record_id, attempt, began_at, note, ended_at, result)
    select records.id, records.attempts, ${asOf}, ${note}, ${now}, 'uncertain'
    from records left join bodies on bodies.record_id = records.id where ${all}
    returning record_id as id, note as text`.execute(tables)
  await chainState(tables, now, { kind: 'records-begun', route, subject: fileId, state: 'sending', ids })
  await chain(tables, now, { kind: 'attempts-noted', route, detail: { notes: summed(rows) } })
  await chainState(tables, now, { kind: 'records-answered', route, subject: fileId, state: 'uncertain', ids })
  return ids
}

export function lostInBackup(asOf: number): string {
  const message = `The journal was restored from a backup of ${isoTime(asOf)}, so it may have been sent since.`
  return JSON.stringify([problem('answer-lost', {}, message)])
}

/** planned → uncertain, all of a file that was just planned: the file may have come before, and been forgotten with the backup. */
export async function doubtNewRecords(
  tables: Kysely<Tables>,
  { route }: Lease,
  { fileId, now }: { readonly fileId: string; readonly now: number },
): Promise<void> {
  const restored = await restoredRoute(tables, route)
  if (restored?.looks_up !== 1) return
  const { as_of: asOf } = restored
  // What may be repeated does no harm when it is sent once more.
  const its = sql`records.file_id = ${fileId} and records.state = 'planned'
    and exists (select 1 from bodies where bodies.record_id = records.id and bodies.target is null)`
  const ids = await doubtRecords(tables, { route, fileId, its, asOf, now, isNoteOld: false })
  await sql`
    update records set state = 'uncertain', problems = ${lostInBackup(asOf)}, changed_at = ${restored.declared_at}
    where id in (select value from json_each(${JSON.stringify([...eachOf(ids)])}))`.execute(tables)
}

/** Holds a delivery that was just composed, where it may have been delivered and forgotten with the backup. */
export async function holdIfDoubtful(
  tables: Kysely<Tables>,
  { route }: Lease,
  { id, now }: { readonly id: string; readonly now: number },
): Promise<{ readonly held?: string }> {
  const restored = await restoredRoute(tables, route)
  if (restored === undefined || !(await isDoubtful(tables, id, restored))) return {}
  const held = mayBeElsewhere(restored.as_of)
  await tables.updateTable('deliveries').set({ held }).where('id', '=', id).execute()
  await chainDelivery(tables, now, { id, kind: 'delivery-held' })
  return { held }
}

export function heldSince(asOf: number): string {
  return `the journal was restored from a backup of ${isoTime(asOf)}, so it may have been delivered since`
}

/** Of a file that was composed after the restoration: its name is new, and its records may not be. */
function mayBeElsewhere(asOf: number): string {
  return `the journal was restored from a backup of ${isoTime(asOf)}, so its records may have been delivered since, in files of other names`
}

/** Of a report that is bound to a turn, the turn tells: it was due before the restoration was declared. */
async function isDoubtful(
  tables: Kysely<Tables>,
  id: string,
  { up_to_record: upTo, declared_at: declaredAt }: RestoredRouteTable,
): Promise<boolean> {
  const { rows } = await sql<{ doubtful: number }>`
    select exists (select 1 from records where delivery_id = ${id} and id <= coalesce(${upTo}, id))
      or exists (select 1 from turns where delivery_id = ${id} and due_at <= ${declaredAt}) as doubtful`.execute(
    tables,
  )
  return rows[0]?.doubtful === 1
}
