/** Events about packing slips and labels: read back from the rows that were just written. */
import { type Kysely, sql } from 'kysely'
import type { EventKind } from '../domain/audit.ts'
import type { DocumentId } from '../domain/shipping-document.ts'
import { batchOf } from './batch.ts'
import { chain } from './chain.ts'
import type { DocumentTable, Tables } from './schema.ts'

interface Told {
  readonly kind: EventKind
  readonly route: string
  readonly ids: readonly DocumentId[]
}

/** Nothing when none of them is there. */
export async function chainDocuments(
  tables: Kysely<Tables>,
  now: number,
  { kind, route, ids }: Told,
): Promise<void> {
  const batch = batchOf(ids, { record_id: ({ recordId }) => recordId, kind: (id) => id.kind })
  const { rows } = await sql<Pick<DocumentTable, 'record_id' | 'kind' | 'state'>>`
    select documents.record_id, documents.kind, documents.state from ${batch} cross join documents
    where documents.record_id = batch.record_id and documents.kind = batch.kind`.execute(tables)
  if (rows.length === 0) return
  const documents = rows.map((row) => [row.record_id, row.kind, row.state] as const)
  await chain(tables, now, { kind, route, detail: { documents } })
}
