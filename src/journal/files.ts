/** Incoming files: each change of state is one statement, guarded by the state it expects. */
import { type Kysely, sql } from 'kysely'
import type { FileContents, FileEntry, FileState, Journal, Lease, NewFile } from '../domain/journal.ts'
import { assert } from '../support/errors.ts'
import { type FileUpdate, entryOf, fileRow, selectFiles } from './file-rows.ts'
import { endNamings, replaceNamings } from './namings.ts'
import type { Tables } from './schema.ts'
import { refuseContradictions } from './contradictions.ts'
import { type Ids, idsWhere } from './ids.ts'
import { doubtNewRecords } from './restored-routes.ts'
import { type Store, read, writeHolding, writeWhatIsThere } from './store.ts'
import { firstWithContents, repeated } from './same-bytes.ts'
import { chainFile } from './work-events.ts'
import { NOT_FINAL } from './work.ts'

/** How many unfinished files one question is answered with; those behind them come up as these are closed. */
const UNFINISHED_LIMIT = 10_000

type FileCalls = Pick<
  Journal,
  | 'beginClaims'
  | 'fileReceived'
  | 'fileVanished'
  | 'beginPlan'
  | 'filePlanned'
  | 'fileUnusable'
  | 'fileSubmitted'
  | 'nameReport'
  | 'fileReported'
  | 'fileClosed'
  | 'file'
  | 'unfinishedFiles'
  | 'recentFiles'
>

export function fileCalls(store: Store): FileCalls {
  const move = (lease: Lease, id: string, from: FileState, changes: (now: number) => FileUpdate) =>
    writeHolding(store, lease, async (tables, now) => {
      await moveFile(tables, { id, route: lease.route, from }, changes(now))
      await chainFile(tables, now, { id })
    })

  return {
    beginClaims: (lease, files) =>
      writeHolding(store, lease, async (tables, now) => {
        for (const file of files) await beginClaim(tables, { route: lease.route, file, now })
      }),
    fileReceived: (lease, id, contents) =>
      writeHolding(store, lease, (tables, now) => receive(tables, { lease, id, ...contents, now })),
    fileVanished: (lease, id) =>
      move(lease, id, 'claiming', (now) => ({ state: 'closed', outcome: 'vanished', closed_at: now })),
    ...planCalls(store),
    fileSubmitted: (lease, id) =>
      writeHolding(store, lease, (tables, now) => submit(tables, lease.route, { id, now })),
    nameReport: (lease, id, reportName, namings) =>
      writeHolding(store, lease, async (tables, now) => {
        await replaceNamings(tables, id, namings)
        await moveFile(tables, { id, route: lease.route, from: 'submitted' }, { report_name: reportName })
        await chainFile(tables, now, { id, kind: 'report-named' })
      }),
    fileReported: (lease, id) =>
      writeHolding(store, lease, async (tables, now) => {
        await endNamings(tables, id)
        const changes = { state: 'reported', reported_at: now } as const
        await moveFile(tables, { id, route: lease.route, from: 'submitted' }, changes)
        await chainFile(tables, now, { id })
      }),
    fileClosed: (lease, id, archivedAs) =>
      move(lease, id, 'reported', (now) => ({
        state: 'closed',
        archived_as: archivedAs ?? null,
        closed_at: now,
      })),

    file: (id) => read(store, (tables) => fileEntry(tables, id)),
    unfinishedFiles: (route) => read(store, (tables) => unfinishedFiles(tables, route)),
    recentFiles: (limit, route) => read(store, (tables) => recentFiles(tables, limit, route)),
  }
}

async function beginClaim(
  tables: Kysely<Tables>,
  { route, file, now }: { readonly route: string; readonly file: NewFile; readonly now: number },
): Promise<void> {
  const { id, folder, name, size, modifiedAt } = file
  const seen = { id, route, folder, name, size, modified_at: modifiedAt }
  await tables
    .insertInto('files')
    .values({ ...seen, state: 'claiming', claimed_at: now })
    .execute()
  await chainFile(tables, now, { id })
}

function planCalls(store: Store): Pick<FileCalls, 'beginPlan' | 'filePlanned' | 'fileUnusable'> {
  return {
    beginPlan: (lease, id) =>
      writeWhatIsThere(store, lease, async (tables, now) => {
        await moveFile(tables, { id, route: lease.route, from: 'received' }, { state: 'received' })
        const removed = await forgetRecords(tables, id)
        if (removed.length === 0) return false
        await chainFile(tables, now, { id, kind: 'plan-thrown-away', more: { removed } })
        return true
      }),
    filePlanned: (lease, id, { keyColumns, headerLines, encoding }) =>
      writeHolding(store, lease, async (tables, now) => {
        const key_columns = JSON.stringify(keyColumns)
        const found = { key_columns, header_lines: headerLines, encoding, planned_at: now }
        await moveFile(tables, { id, route: lease.route, from: 'received' }, { state: 'planned', ...found })
        await refuseContradictions(tables, id, now)
        await chainFile(tables, now, { id })
        await doubtNewRecords(tables, lease, { fileId: id, now })
      }),
    fileUnusable: (lease, id, problems) =>
      writeHolding(store, lease, async (tables, now) => {
        const changes = {
          outcome: 'unusable',
          problems: JSON.stringify(problems),
          submitted_at: now,
        } as const
        await moveFile(
          tables,
          { id, route: lease.route, from: 'received' },
          { state: 'submitted', ...changes },
        )
        const removed = await forgetRecords(tables, id)
        await chainFile(tables, now, { id, more: { removed } })
      }),
  }
}

interface Receipt extends FileContents {
  readonly lease: Lease
  readonly id: string
  readonly now: number
}

/** The look for a first one and the mark are in one write transaction, so two of a kind cannot both be first. */
async function receive(
  tables: Kysely<Tables>,
  { lease, id, sha256, bytes, mayRepeat = false, now }: Receipt,
): Promise<FileEntry> {
  const first = mayRepeat
    ? undefined
    : await firstWithContents(tables, { route: lease.route, sha256, notId: id })
  const received = { sha256, size: bytes, received_at: now }
  const fate: FileUpdate = first
    ? {
        state: 'submitted',
        outcome: 'duplicate',
        duplicate_of: first.id,
        submitted_at: now,
        problems: repeated(first),
      }
    : { state: 'received' }
  await moveFile(tables, { id, route: lease.route, from: 'claiming' }, { ...received, ...fate })
  await chainFile(tables, now, { id })
  const entry = await fileEntry(tables, id)
  assert(entry, `File ${id} is in the journal and cannot be read from it.`)
  return entry
}

async function submit(
  tables: Kysely<Tables>,
  route: string,
  { id, now }: { id: string; now: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update files set state = 'submitted', outcome = 'processed', submitted_at = ${now}
    where id = ${id} and route = ${route} and state = 'planned'
      and not exists (select 1 from records where records.file_id = files.id and ${NOT_FINAL})`.execute(
    tables,
  )
  if (numAffectedRows === 1n) {
    await chainFile(tables, now, { id })
    return true
  }
  // Stays as it is, or stops the program when it is not a planned file at all.
  await moveFile(tables, { id, route, from: 'planned' }, { state: 'planned' })
  return false
}

async function moveFile(
  tables: Kysely<Tables>,
  { id, route, from }: { id: string; route: string; from: FileState },
  changes: FileUpdate,
): Promise<void> {
  const { numUpdatedRows } = await tables
    .updateTable('files')
    .set(changes)
    .where('id', '=', id)
    .where('route', '=', route)
    .where('state', '=', from)
    .executeTakeFirst()
  assert(numUpdatedRows === 1n, `File ${id} of route ${route} should be ${from} and is not.`)
}

/** Gives the ids of those that are gone. */
async function forgetRecords(tables: Kysely<Tables>, id: string): Promise<Ids> {
  const removed = await idsWhere(tables, sql`file_id = ${id}`)
  await tables.deleteFrom('records').where('file_id', '=', id).execute()
  return removed
}

async function fileEntry(tables: Kysely<Tables>, id: string): Promise<FileEntry | undefined> {
  const row = await fileRow(tables, id)
  return row && entryOf(row)
}

async function unfinishedFiles(tables: Kysely<Tables>, route: string): Promise<FileEntry[]> {
  const rows = await selectFiles(tables)
    .where('files.route', '=', route)
    .where(sql<boolean>`files.state <> 'closed'`)
    .orderBy('files.number')
    .limit(UNFINISHED_LIMIT)
    .execute()
  return rows.map(entryOf)
}

async function recentFiles(tables: Kysely<Tables>, limit: number, route?: string): Promise<FileEntry[]> {
  const all = selectFiles(tables).orderBy('files.number', 'desc').limit(limit)
  const rows = await (route === undefined ? all : all.where('files.route', '=', route)).execute()
  return rows.map(entryOf)
}
