/** Declaring that the journal was restored: what may have happened since its last event is in doubt from then on. */
import { type Kysely, sql } from 'kysely'
import { problem } from '../domain/problem.ts'
import type { NewRestoration, Restored } from '../domain/restoring.ts'
import { isoTime } from '../support/clock.ts'
import { chain } from './chain.ts'
import { chainDocuments } from './document-events.ts'
import { eachOf, type Ids, idsWhere } from './ids.ts'
import { chainState } from './record-events.ts'
import { doubtRecords, heldSince, lastSequence, lostInBackup } from './restored-routes.ts'
import type { DocumentTable, Tables } from './schema.ts'
import { chainDelivery, decisionDetail } from './work-events.ts'

export interface Restoring extends Pick<NewRestoration, 'by' | 'why' | 'skip' | 'routes'> {
  /** The time of the last event. */
  readonly asOf: number
  readonly now: number
}

export async function declareRestored(tables: Kysely<Tables>, restoring: Restoring): Promise<Restored> {
  const { asOf } = restoring
  await tables.updateTable('leases').set({ holder: null }).execute()
  const { uncertain, held } = await doubtIncoming(tables, restoring)
  const deliveries = await holdComposed(tables, restoring)
  const removed = await removeUnbound(tables)
  const documents = await endDocuments(tables, restoring)
  const sequences = await noteRoutes(tables, restoring)
  await sql`update identity set tag = lower(hex(randomblob(3)))`.execute(tables)
  await noteDecision(tables, restoring, { records: uncertain + held, removed })
  return { asOf, uncertain, held, deliveries, removed: countOf(removed), documents, sequences }
}

function countOf(ids: Ids): number {
  return [...eachOf(ids)].length
}

interface OpenFile {
  readonly id: string
  readonly route: string
}

/** Of files that are not planned yet the records are in doubt once they are: see `doubtNewRecords`. */
async function doubtIncoming(
  tables: Kysely<Tables>,
  restoring: Restoring,
): Promise<Pick<Restored, 'uncertain' | 'held'>> {
  const { rows: files } = await sql<OpenFile>`
    select id, route from files where state = 'planned'
    union
    select files.id, files.route from records cross join files
    where records.state = 'held' and records.file_id is not null and files.id = records.file_id`.execute(
    tables,
  )
  const sum = { uncertain: 0, held: 0 }
  for (const file of files) {
    const repeatable = await doubtOpen(tables, file, { ...restoring, isRepeatable: true })
    sum.held += countOf(repeatable)
    sum.uncertain += countOf(await doubtOpen(tables, file, { ...restoring, isRepeatable: false }))
    await doubtHeld(tables, file, restoring)
  }
  return sum
}

/**
 * Those without an outcome become uncertain. A change that may be repeated is held instead: a later one may have overtaken it, and
 * sending it now would undo that.
 */
async function doubtOpen(
  tables: Kysely<Tables>,
  { id: fileId, route }: OpenFile,
  { asOf, now, isRepeatable }: Restoring & { readonly isRepeatable: boolean },
): Promise<Ids> {
  const isMeant = isRepeatable ? sql`bodies.target is not null` : sql`bodies.target is null`
  const its = sql`records.file_id = ${fileId} and records.state in ('planned', 'sending', 'deferred', 'uncertain')
    and exists (select 1 from bodies where bodies.record_id = records.id and ${isMeant})`
  const ids = await doubtRecords(tables, { route, fileId, its, asOf, now, isNoteOld: true })
  const state = isRepeatable ? 'held' : 'uncertain'
  const problems = isRepeatable ? overtaken(asOf) : lostInBackup(asOf)
  await sql`
    update records set state = ${state}, problems = ${problems}, changed_at = ${now}
    where id in (select value from json_each(${JSON.stringify([...eachOf(ids)])}))`.execute(tables)
  if (isRepeatable)
    await chainState(tables, now, { kind: 'records-settled', route, subject: fileId, state, ids })
  return ids
}

function overtaken(asOf: number): string {
  const message = `The journal was restored from a backup of ${isoTime(asOf)}: it may have been sent since, and a later change may have overtaken it.`
  return JSON.stringify([problem('outcome-unprovable', {}, message)])
}

/** They stay held. What a person released and the backup forgot is looked up when it is released again. */
async function doubtHeld(
  tables: Kysely<Tables>,
  { id: fileId, route }: OpenFile,
  { asOf, now }: Restoring,
): Promise<void> {
  const its = sql`records.file_id = ${fileId} and records.state = 'held' and records.holds_key = 0
    and exists (select 1 from bodies where bodies.record_id = records.id)`
  const ids = await doubtRecords(tables, { route, fileId, its, asOf, now, isNoteOld: true })
  await chainState(tables, now, { kind: 'records-held', route, subject: fileId, state: 'held', ids })
}

async function holdComposed(tables: Kysely<Tables>, { asOf, now }: Restoring): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    update deliveries set held = ${heldSince(asOf)} where state = 'composed' and held is null returning id`.execute(
    tables,
  )
  for (const { id } of rows) await chainDelivery(tables, now, { id, kind: 'delivery-held' })
  return rows.length
}

/** The API lists again those that are still to go out; what was acknowledged since is not listed any more. */
async function removeUnbound(tables: Kysely<Tables>): Promise<Ids> {
  const isUnbound = sql`records.direction = 'outgoing' and records.delivery_id is null`
  const ids = await idsWhere(tables, isUnbound)
  await sql`delete from records where ${isUnbound}`.execute(tables)
  return ids
}

/** They may lie in their places already. As what could not be had, they are fetched when a person asks for them. */
async function endDocuments(tables: Kysely<Tables>, { asOf, now }: Restoring): Promise<number> {
  const message = `The journal was restored from a backup of ${isoTime(asOf)}, so it may have been delivered since.`
  const missing = problem('document-missing', {}, message)
  const { rows } = await sql<Pick<DocumentTable, 'record_id' | 'kind'> & { readonly route: string }>`
    update documents set problem = ${JSON.stringify(missing)}, changed_at = ${now}
    where state = 'wanted' and problem is null
    returning record_id, kind, (select route from records where records.id = record_id) as route`.execute(
    tables,
  )
  for (const route of new Set(rows.map((row) => row.route))) {
    const own = rows.filter((row) => row.route === route)
    const ids = own.map(({ record_id: recordId, kind }) => ({ recordId, kind }))
    await chainDocuments(tables, now, { kind: 'documents-ended', route, ids })
  }
  return rows.length
}

/** Of a second restoration the earlier backup counts: what was in doubt before is in doubt still. */
async function noteRoutes(
  tables: Kysely<Tables>,
  { routes, skip, asOf, now }: Restoring,
): Promise<Restored['sequences']> {
  const sequences: { route: string; next: number }[] = []
  for (const { name, direction, highest = 0 } of routes) {
    const isOutbound = direction === 'outbound'
    const last = await lastSequence(tables, name)
    const atLeast = isOutbound ? Math.max(last + skip, highest) : 0
    const row = {
      route: name,
      as_of: asOf,
      declared_at: now,
      looks_up: isOutbound ? 0 : 1,
      at_least: atLeast,
    }
    await tables
      .insertInto('restored_routes')
      .values({ ...row, up_to_record: null })
      .onConflict((conflict) =>
        conflict.column('route').doUpdateSet({
          as_of: sql`case when restored_routes.looks_up = 1 then min(restored_routes.as_of, ${asOf}) else ${asOf} end`,
          declared_at: now,
          looks_up: row.looks_up,
          at_least: atLeast,
          up_to_record: null,
        }),
      )
      .execute()
    if (isOutbound) sequences.push({ route: name, next: atLeast + 1 })
  }
  return sequences
}

async function noteDecision(
  tables: Kysely<Tables>,
  { by, why, now }: Restoring,
  { records, removed }: { readonly records: number; readonly removed: Ids },
): Promise<void> {
  const row = { action: 'restored', decided_by: by, why, decided_at: now, records } as const
  const { id } = await tables.insertInto('decisions').values(row).returning('id').executeTakeFirstOrThrow()
  const decision = await decisionDetail(tables, id)
  await chain(tables, now, { kind: 'journal-restored', detail: { decision, removed } })
}
