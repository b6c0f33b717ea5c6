/** Stores incoming files. Each change of state is one statement, guarded by the state it expects. */
import { type RawBuilder, sql, type Updateable } from 'kysely'
import type { FileContents, FileEntry, FileState } from '../domain/file.ts'
import type { Journal } from '../domain/journal.ts'
import { problem } from '../domain/problem.ts'
import type { PlannedRecord } from '../domain/record.ts'
import { isoTime } from '../support/clock.ts'
import { assert } from '../support/errors.ts'
import { refuseConflicts } from './conflicts.ts'
import { bindCorrection } from './corrections.ts'
import { appendFileEvent } from './events.ts'
import { noteVersion } from './leases.ts'
import { markCorrected } from './held-records.ts'
import { removeNamings, replaceNamings } from './namings.ts'
import { insertPlannedRecords, IS_OPEN } from './records.ts'
import { markNewRecordsUncertain } from './restore.ts'
import { exists, type IdRuns, omitNull, selectIdRuns } from './rows.ts'
import type { Db, Row, Tables } from './schema.ts'
import type { BoundStore, RouteTx } from './store.ts'

/** How many unfinished files one query returns; the others follow once these are closed. */
const MAX_UNFINISHED = 10_000

export function createFileJournal({ reads, leased, leasedIfChanged }: BoundStore) {
  return {
    startClaims: leased(async ({ db, now, route }, files) => {
      for (const { id, folder, name, size, modifiedAt } of files) {
        const seen = { id, route, folder, name, size, modified_at: modifiedAt }
        await db
          .insertInto('files')
          .values({ ...seen, state: 'claiming', claimed_at: now })
          .execute()
        await appendFileEvent(db, now, { id })
      }
    }),
    startRetake: leased(async ({ db, now, route }, id, of) => {
      const first = await db.selectFrom('files').selectAll().where('id', '=', of).executeTakeFirst()
      assert(first?.route === route && first.archived_as, `File ${of} of route ${route} is not archived.`)
      const { folder, name, size, modified_at, archived_as } = first
      const seen = { id, route, folder, name, size, modified_at, archived_as, retake_of: of }
      await db
        .insertInto('files')
        .values({ ...seen, state: 'claiming', claimed_at: now })
        .execute()
      await appendFileEvent(db, now, { id })
    }),
    markFileReceived: leased(receiveFile),
    markFileVanished: leased((tx, id) => {
      const changes = { state: 'closed', outcome: 'vanished', closed_at: tx.now } as const
      return moveFile(tx, id, 'claiming', changes)
    }),
    startPlanning: leasedIfChanged(async (tx, id) => {
      const { db, now } = tx
      await updateFile(tx, id, 'received', { state: 'received' })
      const removed = await removeRecords(db, id)
      if (removed.length === 0) return false
      await appendFileEvent(db, now, { id, kind: 'plan-discarded', more: { removed } })
      return true
    }),
    addRecords: leased(async (tx, id, records) => {
      await addRecords(tx, id, records)
    }),
    markFilePlanned: leased(async (tx, id, { keyColumns, headerLines, encoding, keyed, total = null }) => {
      const { db, now } = tx
      const key_columns = JSON.stringify(keyColumns)
      const version = await noteVersion(tx)
      const found = {
        key_columns,
        header_lines: headerLines,
        encoding,
        planned_at: now,
        version,
        record_total: total,
      }
      await updateFile(tx, id, 'received', { state: 'planned', ...found })
      await refuseConflicts(db, { fileId: id, now, keyed })
      await appendFileEvent(db, now, { id })
      await markNewRecordsUncertain(tx, id)
    }),
    markFileUnusable: leased(async (tx, id, problems) => {
      const { db, now } = tx
      const found = { outcome: 'unusable', problems: JSON.stringify(problems), submitted_at: now } as const
      await updateFile(tx, id, 'received', { state: 'submitted', ...found })
      await appendFileEvent(db, now, { id, more: { removed: await removeRecords(db, id) } })
    }),
    markFileSubmitted: leased(submitFile),
    saveReportName: leased(async (tx, id, reportName, namings) => {
      const { db, now } = tx
      await replaceNamings(db, id, namings)
      await updateFile(tx, id, 'submitted', { report_name: reportName })
      await appendFileEvent(db, now, { id, kind: 'report-named' })
    }),
    markFileReported: leased(async (tx, id) => {
      await removeNamings(tx.db, id)
      await moveFile(tx, id, 'submitted', { state: 'reported', reported_at: tx.now } as const)
    }),
    markFileClosed: leased((tx, id, archivedAs, isSourceRemoved = false) => {
      const closing = { state: 'closed', closed_at: tx.now, source_removed: Number(isSourceRemoved) } as const
      return moveFile(tx, id, 'reported', { ...closing, archived_as: archivedAs ?? null })
    }),

    getFile: reads(findFile),
    listUnfinishedFiles: reads((db, route) => {
      const isUnfinished = sql`files.route = ${route} and files.state <> 'closed'`
      return selectFiles(db, sql`${isUnfinished} order by files.number limit ${MAX_UNFINISHED}`)
    }),
    listRecentFiles: reads((db, limit, route) => {
      const condition = route === undefined ? sql`true` : sql`files.route = ${route}`
      return selectFiles(db, sql`${condition} order by files.number desc limit ${limit}`)
    }),
    findFilesByName: reads((db, nameOrId, limit) => {
      const condition = sql`(files.id = ${nameOrId} or files.name = ${nameOrId})`
      return selectFiles(db, sql`${condition} order by files.number desc limit ${limit}`)
    }),
    isFileTaken: reads((db, route, { name, size, modifiedAt }) =>
      exists(
        db,
        sql`files where route = ${route} and name = ${name} and size = ${size}
          and modified_at = ${modifiedAt} and outcome is not 'vanished' and part_of is null`,
      ),
    ),
    findFirstWithContents: reads(findFirstWithContents),
  } satisfies Partial<Journal>
}

/** Finds the first file and marks this one in one write transaction, so that two equal files cannot both be first. */
/** Returns the id of the first; the others follow in their order. */
export async function addRecords(
  tx: RouteTx,
  fileId: string,
  records: readonly PlannedRecord[],
): Promise<number> {
  const { state, firstId } = await insertPlannedRecords(tx, fileId, records)
  // Of a file that is only being planned, they are marked when it is planned.
  if (state === 'planned') await markNewRecordsUncertain(tx, fileId, firstId)
  return firstId
}

async function receiveFile(tx: RouteTx, id: string, contents: FileContents): Promise<FileEntry> {
  const { db, now, route } = tx
  const { sha256, bytes, mayRepeat = false } = contents
  const first = mayRepeat ? undefined : await findFirstWithContents(db, route, sha256, id)
  const received = { sha256, size: bytes, received_at: now }
  const outcome: FileUpdate = first
    ? {
        state: 'submitted',
        outcome: 'duplicate',
        duplicate_of: first.id,
        submitted_at: now,
        problems: createRepeatedProblems(first),
      }
    : { state: 'received' }
  await bindCorrection(tx, id, sha256)
  await moveFile(tx, id, 'claiming', { ...received, ...outcome })
  const entry = await findFile(db, id)
  assert(entry, `File ${id} is in the journal and cannot be read from it.`)
  return entry
}

async function submitFile(tx: RouteTx, id: string): Promise<boolean> {
  const { db, now, route } = tx
  const { numAffectedRows } = await sql`
    update files set state = 'submitted', outcome = 'processed', submitted_at = ${now}
    where id = ${id} and route = ${route} and state = 'planned' and ${HAS_ALL_RECORDS}
      and not exists (select 1 from records where records.file_id = files.id and ${IS_OPEN})`.execute(db)
  if (numAffectedRows === 1n) {
    await markCorrected(tx, id)
    await appendFileEvent(db, now, { id })
    return true
  }
  // Leaves the state as it is, or stops the program when the file is not planned at all.
  await updateFile(tx, id, 'planned', { state: 'planned' })
  return false
}

/** Condition on `files`: no record of the file is still to be added. The numbers of its records have no gaps. */
const HAS_ALL_RECORDS = sql<boolean>`(files.record_total is null
  or files.record_total = (select coalesce(max(records.number), 0) from records where records.file_id = files.id))`

async function moveFile(tx: RouteTx, id: string, from: FileState, changes: FileUpdate): Promise<void> {
  await updateFile(tx, id, from, changes)
  await appendFileEvent(tx.db, tx.now, { id })
}

/** Stops the program when the file is not one of the route, in this state. */
export async function updateFile({ db, route }: RouteTx, id: string, from: FileState, changes: FileUpdate) {
  const { numUpdatedRows } = await db
    .updateTable('files')
    .set(changes)
    .where('id', '=', id)
    .where('route', '=', route)
    .where('state', '=', from)
    .executeTakeFirst()
  assert(numUpdatedRows === 1n, `File ${id} of route ${route} should be ${from} and is not.`)
}

async function removeRecords(db: Db, id: string): Promise<IdRuns> {
  const removed = await selectIdRuns(db, sql`file_id = ${id}`)
  await db.deleteFrom('records').where('file_id', '=', id).execute()
  return removed
}

async function findFile(db: Db, id: string): Promise<FileEntry | undefined> {
  const [file] = await selectFiles(db, sql`files.id = ${id}`)
  return file
}

type FileUpdate = Updateable<Tables['files']>

type FileRow = Row<'files'> & {
  readonly first_name: string | null
  readonly first_received_at: number | null
  readonly corrected_id: string | null
  readonly corrected_name: string | null
}

/** Files, each with the file that it repeats, or whose rows were corrected in it. Plain SQL, because every step of every file reads it. */
export async function selectFiles(db: Db, condition: RawBuilder<unknown>): Promise<FileEntry[]> {
  const { rows } = await sql<FileRow>`
    select files.*, earlier.name as first_name, earlier.received_at as first_received_at,
      corrected.id as corrected_id, corrected.name as corrected_name
    from files left join files as earlier on earlier.id = files.duplicate_of
      left join corrections on corrections.taken_as = files.id
      left join files as corrected on corrected.id = corrections.file_id
    where ${condition}`.execute(db)
  return rows.map(toFileEntry)
}

function toFileEntry(row: FileRow): FileEntry {
  const first = row.duplicate_of !== null && {
    duplicateOf: { id: row.duplicate_of, name: row.first_name ?? '', receivedAt: row.first_received_at ?? 0 },
  }
  return {
    id: row.id,
    route: row.route,
    folder: row.folder,
    name: row.name,
    size: row.size,
    modifiedAt: row.modified_at,
    state: row.state,
    problems: JSON.parse(row.problems),
    keyColumns: JSON.parse(row.key_columns),
    headerLines: row.header_lines,
    claimedAt: row.claimed_at,
    ...first,
    ...omitNull({
      outcome: row.outcome,
      sha256: row.sha256,
      encoding: row.encoding,
      reportName: row.report_name,
      archivedAs: row.archived_as,
      receivedAt: row.received_at,
      plannedAt: row.planned_at,
      submittedAt: row.submitted_at,
      closedAt: row.closed_at,
      takenUpAt: row.taken_up_at,
      retakeOf: row.retake_of,
      partOf: row.part_of,
      version: row.version,
      recordTotal: row.record_total,
    }),
    ...(row.corrected_id !== null && {
      correctionOf: { id: row.corrected_id, name: row.corrected_name ?? '' },
    }),
    ...(row.reports === 0 ? {} : { reports: row.reports }),
    ...(row.source_removed === 0 ? {} : { isSourceRemoved: true }),
  }
}

type FirstFile = Pick<Row<'files'>, 'id' | 'name'> & { readonly receivedAt: number }

/**
 * The earliest other file with these bytes that makes a second one pointless: it is not planned yet, or some of it was
 * sent or will be. If all its records were refused, held by the mapping, or held as dependents of refused records,
 * delivering the file again is a useful second try. The records of a file of interchanges are those of its parts.
 */
async function findFirstWithContents(db: Db, route: string, sha256: string, notId = '') {
  const { rows } = await sql<FirstFile>`
    select id, name, received_at as "receivedAt" from files
    where route = ${route} and sha256 = ${sha256} and id <> ${notId} and part_of is null
      and (outcome is null or outcome = 'processed')
      and (state = 'received' or exists (
        select 1 from files as part where part.part_of = files.id and part.state = 'received'
      ) or exists (
        select 1 from records where records.file_id in (
            select files.id union all select part.id from files as part where part.part_of = files.id)
          and records.state not in ('rejected', 'skipped')
          and (records.state <> 'held' or (records.natural_key is not null
            and coalesce(records.problems ->> '$[0].code', '') <> 'earlier-step-failed'))))
    order by number limit 1`.execute(db)
  return rows[0]
}

/** The problems, as text, of a file that arrives a second time. */
function createRepeatedProblems({ name, receivedAt }: FirstFile): string {
  const message = `The same bytes came before as ${name} on ${isoTime(receivedAt)}. Nothing of this file was sent.`
  return JSON.stringify([problem('file-repeated', {}, message)])
}
