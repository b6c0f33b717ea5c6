/** Packing slips and labels: wanted before they are asked for, named before they are left anywhere. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Lease } from '../domain/journal.ts'
import { namingSubject } from '../domain/shipping-document.ts'
import type {
  CreatedShipment,
  DocumentIntent,
  DocumentJournal,
  DocumentKind,
  DocumentNaming,
  DocumentQuery,
  DocumentResult,
  DocumentState,
  ShipmentQuery,
  ShippingDocument,
} from '../domain/shipping-document.ts'
import { assert, BridgeError } from '../support/errors.ts'
import { batchOf } from './batch.ts'
import { chainDocuments } from './document-events.ts'
import { FORGOTTEN_BODY } from './forgotten-words.ts'
import { endNamings, replaceNamings } from './namings.ts'
import { present } from './present.ts'
import type { Tables } from './schema.ts'
import { read, type Store, writeHolding } from './store.ts'

export function documentCalls(store: Store): DocumentJournal {
  return {
    createdShipments: (query, afterId, limit) =>
      read(store, (tables) => createdShipments(tables, query, { afterId, limit })),
    wantDocuments: (lease, intents) =>
      writeHolding(store, lease, async (tables, now) => {
        const batch = batchOf(intents, {
          record_id: ({ recordId }) => recordId,
          kind: ({ kind }) => kind,
          mailbox: ({ mailbox }) => mailbox,
          folder: ({ folder }) => folder,
        })
        await sql`
          insert into documents (record_id, kind, mailbox, folder, state, changed_at)
          select batch.record_id, batch.kind, batch.mailbox, batch.folder, 'wanted', ${now}
          from ${batch} join records on records.id = batch.record_id and records.route = ${lease.route}
          where true on conflict do nothing`.execute(tables)
        await chainDocuments(tables, now, { kind: 'documents-wanted', route: lease.route, ids: intents })
      }),
    findDocuments: (query, after, limit) =>
      read(store, (tables) => findDocuments(tables, query, { after, limit })),
    nameDocuments: (lease, namings) =>
      writeHolding(store, lease, async (tables, now) => {
        const named = []
        for (const naming of namings) {
          const found = await reserveName(tables, lease, naming)
          named.push(found)
          if (naming.staged === undefined) continue
          const { working, evidence } = naming.staged
          await replaceNamings(tables, namingSubject(naming), [{ name: found.name, working, evidence }])
        }
        await chainDocuments(tables, now, { kind: 'documents-named', route: lease.route, ids: namings })
        return named
      }),
    endDocuments: (lease, results) =>
      writeHolding(store, lease, (tables, now) => endDocuments(tables, lease, { results, now })),
    documentsOf: (recordIds) => read(store, (tables) => documentsOf(tables, recordIds)),
  }
}

interface ShipmentRow {
  readonly record_id: number
  readonly file_id: string
  readonly file_name: string
  readonly api_id: string | null
  readonly key_values: string
  readonly body: string
  readonly answer: string | null
}

const SHIPMENT_COLUMNS = sql`records.id as record_id, records.file_id, files.name as file_name, records.api_id,
  records.key_values, bodies.body, answers.answer`

/** Accepted shipments with their files; `first` is the table that the question starts from. */
function shipmentsFrom(first: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${first} join bodies on bodies.record_id = records.id join files on files.id = records.file_id
    left join answers on answers.record_id = records.id`
}

async function createdShipments(
  tables: Kysely<Tables>,
  query: ShipmentQuery,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<CreatedShipment[]> {
  const { rows } = await sql<ShipmentRow>`
    select ${SHIPMENT_COLUMNS} from ${shipmentsFrom(sql`records`)}
    where ${meant(query)} and records.id > ${afterId} order by records.id limit ${limit}`.execute(tables)
  return rows.map(shipmentOf)
}

/** The shipments of a question, as a condition. */
function meant(query: ShipmentQuery): RawBuilder<boolean> {
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

function shipmentOf(row: ShipmentRow): CreatedShipment {
  return {
    recordId: row.record_id,
    fileId: row.file_id,
    fileName: row.file_name,
    keyValues: JSON.parse(row.key_values),
    body: row.body,
    ...(row.body === FORGOTTEN_BODY ? { isForgotten: true } : {}),
    ...present({ shipmentId: row.api_id, answer: row.answer }),
  }
}

interface DocumentRow {
  readonly record_id: number
  readonly kind: DocumentKind
  readonly mailbox: string
  readonly folder: string
  readonly name: string | null
  readonly state: DocumentState
  readonly problem: string | null
}

/** As conditions; with the first two an index holds just these. */
const WHICH = {
  new: sql<boolean>`documents.state <> 'delivered' and documents.state = 'wanted' and documents.problem is null`,
  missing: sql<boolean>`documents.state <> 'delivered'`,
  all: sql<boolean>`true`,
} as const satisfies Record<DocumentQuery['which'], RawBuilder<boolean>>

async function findDocuments(
  tables: Kysely<Tables>,
  query: DocumentQuery,
  { after, limit }: { after: { recordId: number; kind: string } | undefined; limit: number },
): Promise<ShippingDocument[]> {
  const { recordId, kind } = after ?? { recordId: 0, kind: '' }
  const { rows } = await sql<ShipmentRow & DocumentRow>`
    select ${SHIPMENT_COLUMNS}, documents.kind, documents.mailbox, documents.folder, documents.name,
      documents.state, documents.problem
    from ${shipmentsFrom(sql`documents join records on records.id = documents.record_id`)}
    where ${meant(query)} and ${WHICH[query.which]} and bodies.body <> ${FORGOTTEN_BODY}
      and (documents.record_id, documents.kind) > (${recordId}, ${kind})
    order by documents.record_id, documents.kind limit ${limit}`.execute(tables)
  return rows.map((row) => ({ ...shipmentOf(row), ...documentOf(row), mailbox: row.mailbox }))
}

function documentOf(row: DocumentRow) {
  return {
    recordId: row.record_id,
    kind: row.kind,
    folder: row.folder,
    state: row.state,
    ...present({ name: row.name, problem: row.problem === null ? null : JSON.parse(row.problem) }),
  }
}

/** How many names of one document are tried. */
const NAMES_MAX = 10_000

async function reserveName(
  tables: Kysely<Tables>,
  { route }: Lease,
  { recordId, kind, mailbox, folder, nameFor, fromTurn }: DocumentNaming,
): Promise<{ name: string; turn: number }> {
  for (let turn = fromTurn; turn < fromTurn + NAMES_MAX; turn++) {
    const name = nameFor(turn)
    // What is said of a copy that was left holds until another one is.
    const { numAffectedRows } = await sql`
      update documents set
        name = iif(state = 'delivered', name, ${name}),
        mailbox = iif(state = 'delivered', mailbox, ${mailbox}),
        folder = iif(state = 'delivered', folder, ${folder}),
        state = iif(state = 'delivered', state, 'wanted')
      where record_id = ${recordId} and kind = ${kind}
        and exists (select 1 from records where records.id = documents.record_id and records.route = ${route})
        and not ${isOfAnother({ recordId, kind, mailbox, folder, name })}`.execute(tables)
    if (numAffectedRows === 1n) return { name, turn }
  }
  throw new BridgeError('cannot-write', `${NAMES_MAX} names like ${nameFor(1)} are taken already.`)
}

async function endDocuments(
  tables: Kysely<Tables>,
  { route }: Lease,
  { results, now }: { results: readonly DocumentResult[]; now: number },
): Promise<void> {
  const batch = batchOf(results, {
    record_id: ({ recordId }) => recordId,
    kind: ({ kind }) => kind,
    state: ({ state }) => state,
    problem: ({ problem }) => (problem === undefined ? null : JSON.stringify(problem)),
  })
  const { numAffectedRows } = await sql`
    update documents set state = batch.state, problem = batch.problem, changed_at = ${now}
    from ${batch} join records on records.id = batch.record_id and records.route = ${route}
    where documents.record_id = batch.record_id and documents.kind = batch.kind`.execute(tables)
  assert(Number(numAffectedRows) === results.length, `Route ${route} ends documents that it does not have.`)
  for (const result of results) {
    if (result.state !== 'delivered') continue
    await notePlace(tables, result)
    await endNamings(tables, namingSubject(result))
  }
  await chainDocuments(tables, now, { kind: 'documents-ended', route, ids: results })
}

/** The name of a further copy was not kept for it: where another document has it by now, that of the earlier one stays. */
async function notePlace(
  tables: Kysely<Tables>,
  { recordId, kind, mailbox, folder, name }: DocumentResult,
): Promise<void> {
  if (mailbox === undefined || folder === undefined || name === undefined) return
  await sql`
    update documents set name = ${name}, mailbox = ${mailbox}, folder = ${folder}
    where record_id = ${recordId} and kind = ${kind}
      and (name is not ${name} or mailbox <> ${mailbox} or folder <> ${folder})
      and not ${isOfAnother({ recordId, kind, mailbox, folder, name })}`.execute(tables)
}

/** Whether another document has the name in the folder, as a condition. */
function isOfAnother(place: DocumentIntent & { readonly name: string }): RawBuilder<boolean> {
  const { recordId, kind, mailbox, folder, name } = place
  return sql<boolean>`exists (
    select 1 from documents as other
    where other.mailbox = ${mailbox} and other.folder = ${folder} and other.name = ${name} collate nocase
      and other.name is not null and (other.record_id <> ${recordId} or other.kind <> ${kind}))`
}

async function documentsOf(tables: Kysely<Tables>, recordIds: readonly number[]) {
  const batch = batchOf(recordIds, { record_id: (id) => id })
  const { rows } = await sql<DocumentRow>`
    select documents.* from ${batch} cross join documents
    where documents.record_id = batch.record_id
    order by documents.record_id, documents.kind`.execute(tables)
  return rows.map(documentOf)
}
