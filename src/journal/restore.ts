/** Declares that the journal was restored from a backup: everything since its last event is in doubt. */
import { type RawBuilder, sql } from 'kysely'
import type { ChainHead, NewRestoration, RestorationJournal, RestorationResult } from '../domain/audit.ts'
import { formatLeaseOwner } from '../domain/lease.ts'
import { problem } from '../domain/problem.ts'
import { isoTime } from '../support/clock.ts'
import { BridgeError } from '../support/errors.ts'
import { appendDocumentEvent } from './documents.ts'
import { sumTexts } from './event-detail.ts'
import {
  appendDeliveryEvent,
  appendEvent,
  appendStateEvent,
  insertDecision,
  selectDecisionDetail,
} from './events.ts'
import { raiseCounters, removeOpenReservations } from './interchanges/numbers.ts'
import { type IdRuns, iterateIds, jsonRows, selectFirst, selectIdRuns } from './rows.ts'
import { selectIdentity } from './namings.ts'
import type { Db, Row } from './schema.ts'
import { type BoundStore, type RouteTx, type Tx, write } from './store.ts'

export function createRestorationJournal(bound: BoundStore): RestorationJournal {
  const { store, reads, writes, leasedIfChanged } = bound
  return {
    getHead: reads(selectChainHead),
    getBeginning: reads(selectBeginning),
    getEventHash: reads(async (db, event) => {
      const query = sql<{ hash: string }>`select hash from events where id = ${event}`
      return (await selectFirst(db, query))?.hash
    }),
    getIdTag: reads(async (db) => (await selectIdentity(db)).tag),
    hasMark: reads(async (db) => (await selectIdentity(db)).is_marked === 1),
    saveMarked: writes(async ({ db }) => {
      await db.updateTable('identity').set({ is_marked: 1 }).execute()
    }),
    getLastSequence: reads(findLastSequence),
    findUnknownFiles: reads(selectUnknownFiles),
    declareRestored: (restoration) => {
      const declare = async (db: Db, now: number) => {
        await assertNoActiveLease(db, now, restoration.isAlive)
        const asOf = restoration.isLost === true ? 0 : (await selectChainHead(db)).at
        return declareRestored(db, { ...restoration, asOf, now })
      }
      return write(store, declare, { isRehearsal: restoration.dryRun })
    },
    listDoubtfulRoutes: reads(selectDoubtfulRoutes),
    endDoubt: writes(endDoubt),
    markListRead: leasedIfChanged(async ({ db, route }) => {
      const { numAffectedRows = 0n } = await sql`
        update restored_routes set up_to_record = coalesce((
          select max(id) from records where route = ${route} and direction = 'outgoing'), 0)
        where route = ${route} and up_to_record is null`.execute(db)
      return numAffectedRows > 0n
    }),
  }
}

async function selectChainHead(db: Db): Promise<ChainHead> {
  const last = sql<ChainHead>`select id as event, hash, at from events order by id desc limit 1`
  return (await selectFirst(db, last)) ?? { event: 0, hash: '', at: 0 }
}

async function selectBeginning(db: Db): Promise<{ at: number; isUnused: boolean }> {
  const { rows } = await sql<{ at: number; unused: number }>`
    select at, not exists (select 1 from files) and not exists (select 1 from restored_routes) as unused
    from events order by id limit 1`.execute(db)
  return { at: rows[0]?.at ?? 0, isUnused: rows[0]?.unused === 1 }
}

async function selectUnknownFiles(db: Db, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select batch.id from ${jsonRows(ids, { id: (id) => id })} left join files on files.id = batch.id
    where files.id is null`.execute(db)
  return rows.map(({ id }) => id)
}

/** A bridge at work would send records that are declared to be in doubt. */
async function assertNoActiveLease(db: Db, now: number, isAlive: (owner: string) => boolean): Promise<void> {
  const leases = await db.selectFrom('leases').selectAll().where('until', '>', now).execute()
  for (const { route, owner } of leases) {
    if (owner === null || !isAlive(owner)) continue
    const message = `Route ${route} is being worked on by ${formatLeaseOwner(owner)}; end that first.`
    throw new BridgeError('lease-held', message)
  }
}

async function selectDoubtfulRoutes(db: Db) {
  const { rows } = await sql<{ route: string; since: number }>`
    select route, declared_at as since from restored_routes where verifies = 1 order by route`.execute(db)
  return rows
}

async function endDoubt({ db, now }: Tx, { by, why }: { by: string; why: string }): Promise<number> {
  const routes = await selectDoubtfulRoutes(db)
  if (routes.length === 0) return 0
  await db.updateTable('restored_routes').set({ verifies: 0 }).execute()
  const decided = { action: 'doubt-ended', by, why, records: 0 } as const
  const decision = await selectDecisionDetail(db, await insertDecision(db, now, decided))
  await appendEvent(db, now, { kind: 'journal-restored', detail: { decision } })
  return routes.length
}

interface RestorationInput extends Pick<NewRestoration, 'by' | 'why' | 'skip' | 'routes'> {
  readonly asOf: number
  readonly now: number
}

async function declareRestored(db: Db, input: RestorationInput): Promise<RestorationResult> {
  const { asOf, by, why, now } = input
  await db.updateTable('leases').set({ owner: null }).execute()
  const { uncertain, held } = await markIncomingUncertain(db, input)
  const deliveries = await holdComposedDeliveries(db, input)
  const removed = await removeUndeliveredRecords(db)
  const documents = await cancelRequestedDocuments(db, input)
  const sequences = await saveRestoredRoutes(db, input)
  const counters = await raiseCounters(db, now, input.skip)
  await removeOpenReservations(db, now)
  await sql`update identity set tag = lower(hex(randomblob(3)))`.execute(db)
  const decided = { action: 'restored', by, why, records: uncertain + held } as const
  const decision = await selectDecisionDetail(db, await insertDecision(db, now, decided))
  await appendEvent(db, now, { kind: 'journal-restored', detail: { decision, removed } })
  return { asOf, uncertain, held, deliveries, removed: countIds(removed), documents, counters, sequences }
}

function countIds(ids: IdRuns): number {
  return [...iterateIds(ids)].length
}

type OpenFile = Pick<Row<'files'>, 'id' | 'route'>

/** A file that is not planned yet gets its records marked after planning: see `markNewRecordsUncertain`. */
async function markIncomingUncertain(db: Db, input: RestorationInput) {
  const { rows: files } = await sql<OpenFile>`
    select id, route from files where state = 'planned'
    union
    select files.id, files.route from records cross join files
    where records.state = 'held' and records.file_id is not null and files.id = records.file_id`.execute(db)
  const sum = { uncertain: 0, held: 0 }
  for (const file of files) {
    const repeatable = await markOpenRecordsUncertain(db, file, { ...input, isRepeatable: true })
    sum.held += countIds(repeatable)
    sum.uncertain += countIds(await markOpenRecordsUncertain(db, file, { ...input, isRepeatable: false }))
    await markHeldRecordsUncertain(db, file, input)
  }
  return sum
}

/** Marks open records as uncertain; holds a repeatable change, because a later one may have superseded it. */
async function markOpenRecordsUncertain(
  db: Db,
  { id: fileId, route }: OpenFile,
  { asOf, now, isRepeatable }: RestorationInput & { readonly isRepeatable: boolean },
): Promise<IdRuns> {
  const hasTarget = isRepeatable ? sql`bodies.target is not null` : sql`bodies.target is null`
  const condition = sql`records.file_id = ${fileId} and records.state in ('planned', 'sending', 'deferred', 'uncertain')
    and exists (select 1 from bodies where bodies.record_id = records.id and ${hasTarget})`
  const ids = await addUncertainAttempts(db, { route, fileId, condition, asOf, now, isNoteOld: true })
  const state = isRepeatable ? 'held' : 'uncertain'
  const message = `${formatLoss(asOf)}: it may have been sent since, and a later change may have overtaken it.`
  const overtaken = JSON.stringify([problem('outcome-unprovable', {}, message)])
  const problems = isRepeatable ? overtaken : createLostProblems(asOf)
  await sql`
    update records set state = ${state}, problems = ${problems}, changed_at = ${now}
    where id in (select value from json_each(${JSON.stringify([...iterateIds(ids)])}))`.execute(db)
  if (isRepeatable)
    await appendStateEvent(db, now, { kind: 'records-reconciled', route, subject: fileId, state, ids })
  return ids
}

/** The records stay held. One that a person released after the backup is looked up when it is released again. */
async function markHeldRecordsUncertain(
  db: Db,
  { id: fileId, route }: OpenFile,
  { asOf, now }: RestorationInput,
): Promise<void> {
  const condition = sql`records.file_id = ${fileId} and records.state = 'held' and records.owns_key = 0
    and exists (select 1 from bodies where bodies.record_id = records.id)`
  const ids = await addUncertainAttempts(db, { route, fileId, condition, asOf, now, isNoteOld: true })
  await appendStateEvent(db, now, { kind: 'records-held', route, subject: fileId, state: 'held', ids })
}

async function holdComposedDeliveries(db: Db, { asOf, now }: RestorationInput): Promise<number> {
  await endOpenRedeliveries(db, now)
  const held = `${formatLoss(asOf)}, so it may have been delivered since`
  const { rows } = await sql<{ id: string }>`
    update deliveries set held = ${held} where state = 'composed' and held is null returning id`.execute(db)
  for (const { id } of rows) await appendDeliveryEvent(db, now, { id, kind: 'delivery-held' })
  return rows.length
}

/** The second file may have been delivered since the backup: it is not delivered again unless a person asks. */
async function endOpenRedeliveries(db: Db, now: number): Promise<void> {
  const { rows } = await sql<{ delivery: string }>`
    update redeliveries set state = 'unclear', ended_at = ${now} where state = 'begun'
    returning delivery_id as delivery`.execute(db)
  for (const { delivery } of rows)
    await appendDeliveryEvent(db, now, { id: delivery, kind: 'redelivery-ended' })
}

/** The API lists the records again that still have to go out; it does not list those acknowledged since. */
async function removeUndeliveredRecords(db: Db): Promise<IdRuns> {
  const isUnbound = sql`records.direction = 'outgoing' and records.delivery_id is null`
  const ids = await selectIdRuns(db, isUnbound)
  await sql`delete from records where ${isUnbound}`.execute(db)
  return ids
}

/** The documents may be delivered already. They count as missing, so that they are fetched only when a person asks. */
async function cancelRequestedDocuments(db: Db, { asOf, now }: RestorationInput): Promise<number> {
  const message = `${formatLoss(asOf)}, so it may have been delivered since.`
  const missing = problem('document-missing', {}, message)
  const { rows } = await sql<Pick<Row<'documents'>, 'record_id' | 'kind'> & { readonly route: string }>`
    update documents set problem = ${JSON.stringify(missing)}, changed_at = ${now}
    where state = 'wanted' and problem is null
    returning record_id, kind, (select route from records where records.id = record_id) as route`.execute(db)
  for (const route of new Set(rows.map((row) => row.route))) {
    const own = rows.filter((row) => row.route === route)
    const ids = own.map(({ record_id: recordId, kind }) => ({ recordId, kind }))
    await appendDocumentEvent(db, now, { kind: 'documents-ended', route, ids })
  }
  return rows.length
}

/** After a second restoration the earlier backup counts: records that were in doubt before still are. */
async function saveRestoredRoutes(db: Db, { routes, skip, asOf, now }: RestorationInput) {
  const sequences: { route: string; next: number }[] = []
  for (const { name, direction, highest = 0 } of routes) {
    const last = await findLastSequence(db, name)
    const atLeast = direction === 'inbound' ? 0 : Math.max(last + skip, highest)
    await sql`
      insert into restored_routes (route, as_of, declared_at, verifies, minimum_sequence, up_to_record)
      values (${name}, ${asOf}, ${now}, ${direction === 'inbound' ? 1 : 0}, ${atLeast}, null)
      on conflict (route) do update set
        as_of = case when verifies = 1 then min(as_of, excluded.as_of) else excluded.as_of end,
        declared_at = excluded.declared_at, verifies = excluded.verifies, minimum_sequence = excluded.minimum_sequence,
        up_to_record = null`.execute(db)
    if (direction === 'outbound') sequences.push({ route: name, next: atLeast + 1 })
  }
  return sequences
}

// Doubt on a restored route: new records may have been sent, and new deliveries delivered.

async function findRestoredRoute(db: Db, route: string): Promise<Row<'restored_routes'> | undefined> {
  return db.selectFrom('restored_routes').selectAll().where('route', '=', route).executeTakeFirst()
}

/** The last sequence number that was given or skipped; 0 before the first. */
export async function findLastSequence(db: Db, route: string): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select max(coalesce((select max(sequence) from deliveries where route = ${route}), 0),
      coalesce((select minimum_sequence from restored_routes where route = ${route}), 0)) as last`.execute(db)
  return rows[0]?.last ?? 0
}

/** No snapshot to compare an order with: a snapshot made now may be from after the sending. */
const EMPTY_NOTE = '{}'

interface UncertainAttemptInput {
  readonly route: string
  readonly fileId: string
  readonly condition: RawBuilder<unknown>
  /** The time of the last event before the doubt begins. */
  readonly asOf: number
  readonly now: number
  /** Whether the notes from planning are from before the doubt begins. */
  readonly isNoteOld: boolean
}

/** Gives each record an attempt that began at `asOf` and lost its answer. The caller sets their states. */
async function addUncertainAttempts(db: Db, input: UncertainAttemptInput): Promise<IdRuns> {
  const { route, fileId, condition, asOf, now, isNoteOld } = input
  const ids = await selectIdRuns(db, condition)
  if (ids.length === 0) return ids
  const all = sql`records.id in (select value from json_each(${JSON.stringify([...iterateIds(ids)])}))`
  await sql`update records set attempts = attempts + 1 where ${all}`.execute(db)
  const note = isNoteOld ? sql`coalesce(bodies.note, ${EMPTY_NOTE})` : sql`${EMPTY_NOTE}`
  const { rows } = await sql<{ id: number; text: string }>`
    insert into attempts (record_id, attempt, began_at, note, ended_at, result)
    select records.id, records.attempts, ${asOf}, ${note}, ${now}, 'uncertain'
    from records left join bodies on bodies.record_id = records.id where ${all}
    returning record_id as id, note as text`.execute(db)
  const event = { route, subject: fileId, ids }
  await appendStateEvent(db, now, { kind: 'attempts-started', ...event, state: 'sending' })
  await appendEvent(db, now, { kind: 'attempts-noted', route, detail: { notes: sumTexts(rows) } })
  await appendStateEvent(db, now, { kind: 'records-answered', ...event, state: 'uncertain' })
  return ids
}

/** The reason of a doubt. A new journal has no time up to which it knows what was done. */
function formatLoss(asOf: number): string {
  return asOf === 0
    ? 'An earlier journal was lost'
    : `The journal was restored from a backup of ${isoTime(asOf)}`
}

function createLostProblems(asOf: number): string {
  const message = `${formatLoss(asOf)}, so it may have been sent since.`
  return JSON.stringify([problem('answer-lost', {}, message)])
}

/** Whether new records of the route are looked up before they are sent. */
export async function doubtsNewRecords({ db, route }: RouteTx): Promise<boolean> {
  return (await findRestoredRoute(db, route))?.verifies === 1
}

/** planned → uncertain, for all records of a new file: it may have arrived before and be missing from the backup. */
export async function markNewRecordsUncertain({ db, now, route }: RouteTx, fileId: string, fromId = 0) {
  const restored = await findRestoredRoute(db, route)
  if (restored?.verifies !== 1) return
  const { as_of: asOf } = restored
  // A repeatable record may safely be sent once more.
  const condition = sql`records.file_id = ${fileId} and records.state = 'planned' and records.id >= ${fromId}
    and exists (select 1 from bodies where bodies.record_id = records.id and bodies.target is null)`
  const ids = await addUncertainAttempts(db, { route, fileId, condition, asOf, now, isNoteOld: false })
  await sql`
    update records set state = 'uncertain', problems = ${createLostProblems(asOf)}, changed_at = ${restored.declared_at}
    where id in (select value from json_each(${JSON.stringify([...iterateIds(ids)])}))`.execute(db)
}

/** Holds a delivery that was just composed if it may have been delivered and be missing from the backup. */
export async function holdIfMaybeDelivered({ db, now, route }: RouteTx, id: string) {
  const restored = await findRestoredRoute(db, route)
  if (restored === undefined || !(await mayBeDelivered(db, id, restored))) return {}
  // The name of the delivery is new, but its records may not be.
  const held = `${formatLoss(restored.as_of)}, so its records may have been delivered since, under another file name`
  await db.updateTable('deliveries').set({ held }).where('id', '=', id).execute()
  await appendDeliveryEvent(db, now, { id, kind: 'delivery-held' })
  return { held }
}

/**
 * A report that is bound to a run is in doubt if the run was due before the restoration was declared; an answer, if its file
 * was taken before that.
 */
async function mayBeDelivered(
  db: Db,
  id: string,
  { up_to_record: upTo, declared_at: declaredAt }: Row<'restored_routes'>,
): Promise<boolean> {
  const query = sql<{ doubtful: number }>`
    select exists (select 1 from records where delivery_id = ${id} and id <= coalesce(${upTo}, id))
      or exists (select 1 from scheduled_runs where delivery_id = ${id} and due_at <= ${declaredAt})
      or exists (
        select 1 from interchange_answers join files on files.id = interchange_answers.file_id
        where delivery_id = ${id} and files.claimed_at <= ${declaredAt}) as doubtful`
  return (await selectFirst(db, query))?.doubtful === 1
}
