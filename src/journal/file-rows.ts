/** Rows of the file table as entries of the journal. */
import { type Kysely, sql, type Updateable } from 'kysely'
import type { FileEntry } from '../domain/journal.ts'
import { present } from './present.ts'
import type { FileTable, Tables } from './schema.ts'

export type FileUpdate = Updateable<FileTable>

/** Files with the one they repeat. */
export function selectFiles(tables: Kysely<Tables>) {
  return tables
    .selectFrom('files')
    .leftJoin('files as earlier', 'earlier.id', 'files.duplicate_of')
    .selectAll('files')
    .select(['earlier.name as first_name', 'earlier.received_at as first_received_at'])
}

type FileRow = Awaited<ReturnType<ReturnType<typeof selectFiles>['execute']>>[number]

/** As plain SQL: one file is asked for at every step of it. */
const ONE_FILE = sql.raw(`
  select files.*, earlier.name as first_name, earlier.received_at as first_received_at
  from files left join files as earlier on earlier.id = files.duplicate_of where files.id =`)

export async function fileRow(tables: Kysely<Tables>, id: string): Promise<FileRow | undefined> {
  const { rows } = await sql<FileRow>`${ONE_FILE} ${id}`.execute(tables)
  return rows[0]
}

export function entryOf(row: FileRow): FileEntry {
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
    ...present({
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
    }),
    ...(row.reports === 0 ? {} : { reports: row.reports }),
  }
}
