/** Stores packing slips and labels: requested before they are fetched, and named before they are delivered. */
import { type RawBuilder, sql } from 'kysely'
import type { JournalEventKind } from '../domain/audit.ts'
import { namesTakenError, USED_NAMES_MAX } from '../domain/mailbox.ts'
import {
  type CreatedShipment,
  type DocumentId,
  type DocumentIntent,
  type DocumentJournal,
  type DocumentNaming,
  type DocumentQuery,
  type DocumentResult,
  type MissingDocuments,
  namingSubject,
  type ShipmentQuery,
} from '../domain/shipping-document.ts'
import { assert } from '../support/errors.ts'
import { appendEvent } from './events.ts'
import { removeNamings, replaceNamings } from './namings.ts'
import { jsonRows, omitNull, PRUNED_BODY } from './rows.ts'
import type { Db, Row } from './schema.ts'
import type { BoundStore, RouteTx } from './store.ts'

export function createDocumentJournal({ reads, leased }: BoundStore): DocumentJournal {
  return {
    listCreatedShipments: reads(selectCreatedShipments),
    requestDocuments: leased(async ({ db, now, route }, intents) => {
      const batch = jsonRows(intents, {
        record_id: 'recordId',
        kind: 'kind',
        mailbox: 'mailbox',
        folder: 'folder',
      })
      await sql`
        insert into documents (record_id, kind, mailbox, folder, state, changed_at)
        select batch.record_id, batch.kind, batch.mailbox, batch.folder, 'wanted', ${now}
        from ${batch} join records on records.id = batch.record_id and records.route = ${route}
        where true on conflict do nothing`.execute(db)
      await appendDocumentEvent(db, now, { kind: 'documents-wanted', route, ids: intents })
    }),
    findDocuments: reads(selectDocuments),
    listMissingDocuments: reads(selectMissingDocuments),
    reserveDocumentNames: leased(async ({ db, now, route }, namings) => {
      const named = []
      for (const naming of namings) {
        const found = await reserveName(db, route, naming)
        named.push(found)
        if (naming.staged === undefined) continue
        const { working, evidence } = naming.staged
        await replaceNamings(db, namingSubject(naming), [{ name: found.name, working, evidence }])
      }
      await appendDocumentEvent(db, now, { kind: 'documents-named', route, ids: namings })
      return named
    }),
    saveDocumentResults: leased(saveDocumentResults),
    listDocuments: reads(selectRecordDocuments),
  }
}

interface ShipmentRow extends Pick<Row<'records'>, 'api_id' | 'key_values'> {
  readonly record_id: number
  readonly file_id: string
  readonly file_name: string
  readonly body: string
  readonly answer: string | null
}

const SHIPMENT_COLUMNS = sql`records.id as record_id, records.file_id, files.name as file_name, records.api_id,
  records.key_values, bodies.body, answers.answer`

/** Accepted shipments with their files; `first` is the table that the query starts from. */
function joinShipmentTables(first: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${first} join bodies on bodies.record_id = records.id join files on files.id = records.file_id
    left join answers on answers.record_id = records.id`
}

async function selectCreatedShipments(db: Db, query: ShipmentQuery, afterId: number, limit: number) {
  const { rows } = await sql<ShipmentRow>`
    select ${SHIPMENT_COLUMNS} from ${joinShipmentTables(sql`records`)}
    where ${shipmentCondition(query)} and records.id > ${afterId}
    order by records.id limit ${limit}`.execute(db)
  return rows.map(toCreatedShipment)
}

function shipmentCondition(query: ShipmentQuery): RawBuilder<boolean> {
  const { route, fileId, fileName, purchaseOrderNumber, shipmentId } = query
  const conditions = [
    sql<boolean>`records.route = ${route} and records.state = 'accepted' and records.operation = 'create-shipment'`,
  ]
  if (fileId !== undefined) conditions.push(sql`records.file_id = ${fileId}`)
  if (fileName !== undefined) conditions.push(sql`files.name = ${fileName}`)
  if (shipmentId !== undefined) conditions.push(sql`records.api_id = ${shipmentId}`)
  if (purchaseOrderNumber !== undefined) {
    conditions.push(sql`(answers.answer ->> 'purchase_order_number' = ${purchaseOrderNumber}
      or exists (select 1 from json_each(records.key_values) where value = ${purchaseOrderNumber}))`)
  }
  return sql<boolean>`${sql.join(conditions, sql` and `)}`
}

function toCreatedShipment(row: ShipmentRow): CreatedShipment {
  return {
    recordId: row.record_id,
    fileId: row.file_id,
    fileName: row.file_name,
    keyValues: JSON.parse(row.key_values),
    body: row.body,
    ...(row.body === PRUNED_BODY ? { isPruned: true } : {}),
    ...omitNull({ shipmentId: row.api_id, answer: row.answer }),
  }
}

type DocumentRow = Omit<Row<'documents'>, 'changed_at'>

/** Conditions on `documents`; the first two begin with those of partial indexes. */
const DOCUMENT_CONDITIONS = {
  new: sql<boolean>`documents.state <> 'delivered' and documents.state = 'wanted' and documents.problem is null`,
  missing: sql<boolean>`documents.state <> 'delivered'`,
  all: sql<boolean>`true`,
} as const satisfies Record<DocumentQuery['which'], RawBuilder<boolean>>

async function selectDocuments(db: Db, query: DocumentQuery, after: DocumentId | undefined, limit: number) {
  const { recordId, kind } = after ?? { recordId: 0, kind: '' }
  const { rows } = await sql<ShipmentRow & DocumentRow>`
    select ${SHIPMENT_COLUMNS}, documents.kind, documents.mailbox, documents.folder, documents.name,
      documents.state, documents.problem
    from ${joinShipmentTables(sql`documents join records on records.id = documents.record_id`)}
    where ${shipmentCondition(query)} and ${DOCUMENT_CONDITIONS[query.which]} and bodies.body <> ${PRUNED_BODY}
      and (documents.record_id, documents.kind) > (${recordId}, ${kind})
    order by documents.record_id, documents.kind limit ${limit}`.execute(db)
  return rows.map((row) => ({ ...toCreatedShipment(row), ...toDocument(row) }))
}

async function selectMissingDocuments(db: Db, limit: number): Promise<MissingDocuments[]> {
  const { rows } = await sql<Omit<MissingDocuments, 'problem'> & { readonly problem: string }>`
    select files.route, files.id as "fileId", files.name as "fileName", count(*) as count,
      min(documents.changed_at) as since, documents.problem
    from documents join records on records.id = documents.record_id
      join bodies on bodies.record_id = records.id join files on files.id = records.file_id
    where ${DOCUMENT_CONDITIONS.missing} and documents.state = 'wanted' and documents.problem is not null
      and bodies.body <> ${PRUNED_BODY}
    group by files.id order by since, files.number limit ${limit}`.execute(db)
  return rows.map((row) => ({ ...row, problem: JSON.parse(row.problem) }))
}

function toDocument(row: DocumentRow) {
  return {
    recordId: row.record_id,
    kind: row.kind,
    mailbox: row.mailbox,
    folder: row.folder,
    state: row.state,
    ...omitNull({ name: row.name, problem: row.problem === null ? null : JSON.parse(row.problem) }),
  }
}

async function reserveName(
  db: Db,
  route: string,
  { recordId, kind, mailbox, folder, nameFor, fromAttempt }: DocumentNaming,
): Promise<{ name: string; attempt: number }> {
  for (let attempt = fromAttempt; attempt < fromAttempt + USED_NAMES_MAX; attempt++) {
    const name = nameFor(attempt)
    // The name of a delivered copy stays until another copy is delivered.
    const { numAffectedRows } = await sql`
      update documents set
        name = iif(state = 'delivered', name, ${name}),
        mailbox = iif(state = 'delivered', mailbox, ${mailbox}),
        folder = iif(state = 'delivered', folder, ${folder}),
        state = iif(state = 'delivered', state, 'wanted')
      where record_id = ${recordId} and kind = ${kind}
        and exists (select 1 from records where records.id = documents.record_id and records.route = ${route})
        and not ${isNameTaken({ recordId, kind, mailbox, folder, name })}`.execute(db)
    if (numAffectedRows === 1n) return { name, attempt }
  }
  throw namesTakenError(nameFor(1), USED_NAMES_MAX)
}

async function saveDocumentResults({ db, now, route }: RouteTx, results: readonly DocumentResult[]) {
  const batch = jsonRows(results, {
    record_id: 'recordId',
    kind: 'kind',
    state: 'state',
    problem: ({ problem }) => (problem === undefined ? null : JSON.stringify(problem)),
  })
  const { numAffectedRows } = await sql`
    update documents set state = batch.state, problem = batch.problem, changed_at = ${now}
    from ${batch} join records on records.id = batch.record_id and records.route = ${route}
    where documents.record_id = batch.record_id and documents.kind = batch.kind`.execute(db)
  assert(Number(numAffectedRows) === results.length, `Route ${route} ends documents that it does not have.`)
  for (const result of results) {
    if (result.state !== 'delivered') continue
    await savePlace(db, result)
    await removeNamings(db, namingSubject(result))
  }
  await appendDocumentEvent(db, now, { kind: 'documents-ended', route, ids: results })
}

/** The name of a further copy is not reserved: if another document has it by now, the earlier name stays. */
async function savePlace(db: Db, { recordId, kind, mailbox, folder, name }: DocumentResult): Promise<void> {
  if (mailbox === undefined || folder === undefined || name === undefined) return
  await sql`
    update documents set name = ${name}, mailbox = ${mailbox}, folder = ${folder}
    where record_id = ${recordId} and kind = ${kind}
      and (name is not ${name} or mailbox <> ${mailbox} or folder <> ${folder})
      and not ${isNameTaken({ recordId, kind, mailbox, folder, name })}`.execute(db)
}

/** Whether another document has the name in the folder, as a condition. */
function isNameTaken(place: DocumentIntent & { readonly name: string }): RawBuilder<boolean> {
  const { recordId, kind, mailbox, folder, name } = place
  return sql<boolean>`exists (
    select 1 from documents as other
    where other.mailbox = ${mailbox} and other.folder = ${folder} and other.name = ${name} collate nocase
      and other.name is not null and (other.record_id <> ${recordId} or other.kind <> ${kind}))`
}

async function selectRecordDocuments(db: Db, recordIds: readonly number[]) {
  const batch = jsonRows(recordIds, { record_id: (id) => id })
  const { rows } = await sql<DocumentRow>`
    select documents.* from ${batch} cross join documents
    where documents.record_id = batch.record_id
    order by documents.record_id, documents.kind`.execute(db)
  return rows.map(toDocument)
}

// Events about documents, read back from the rows that were just written.

/** Appends no event when none of the documents exists. */
export async function appendDocumentEvent(
  db: Db,
  now: number,
  { kind, route, ids }: { kind: JournalEventKind; route: string; ids: readonly DocumentId[] },
): Promise<void> {
  const batch = jsonRows(ids, { record_id: 'recordId', kind: 'kind' })
  const { rows } = await sql<Pick<Row<'documents'>, 'record_id' | 'kind' | 'state'>>`
    select documents.record_id, documents.kind, documents.state from ${batch} cross join documents
    where documents.record_id = batch.record_id and documents.kind = batch.kind`.execute(db)
  if (rows.length === 0) return
  const documents = rows.map((row) => [row.record_id, row.kind, row.state] as const)
  await appendEvent(db, now, { kind, route, detail: { documents } })
}
