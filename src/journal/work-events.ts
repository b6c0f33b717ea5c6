/** Events about files, deliveries and decisions: read back from the row that was just written. */
import { type Kysely, type Selectable, sql } from 'kysely'
import type { EventKind } from '../domain/audit.ts'
import { assert } from '../support/errors.ts'
import { chain } from './chain.ts'
import { decisionDigest, deliveryDigest, fileDigest } from './digests.ts'
import type { EventDetail, Mention } from './event-detail.ts'
import type { FileTable, Tables } from './schema.ts'

interface Told {
  readonly id: string
  /** By its new state when left out. */
  readonly kind?: EventKind
  /** What changed with it. */
  readonly more?: EventDetail
}

export async function chainFile(tables: Kysely<Tables>, now: number, told: Told): Promise<void> {
  const { id, more } = told
  // As plain SQL: this is asked at every step of every file.
  const [row] = (await sql<Selectable<FileTable>>`select * from files where id = ${id}`.execute(tables)).rows
  assert(row, `File ${id} is not in the journal.`)
  const { number, route, state, outcome } = row
  const file = { number, state, outcome, digest: fileDigest(row) }
  await chain(tables, now, {
    kind: told.kind ?? `file-${state}`,
    route,
    subject: id,
    detail: { file, ...more },
  })
}

export async function chainDelivery(tables: Kysely<Tables>, now: number, told: Told): Promise<void> {
  const { id, more } = told
  const row = await tables.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirst()
  assert(row, `Delivery ${id} is not in the journal.`)
  const { sequence, route, state } = row
  const delivery = { sequence, state, digest: deliveryDigest(row) }
  await chain(tables, now, {
    kind: told.kind ?? `delivery-${state}`,
    route,
    subject: id,
    detail: { delivery, ...more },
  })
}

/** With the state to which the delivery came. */
export async function chainDeliveryDecision(
  tables: Kysely<Tables>,
  now: number,
  { id, delivery }: { readonly id: number; readonly delivery: string },
): Promise<void> {
  const decision = await decisionDetail(tables, id)
  await chainDelivery(tables, now, { id: delivery, kind: 'decision-made', more: { decision } })
}

/** With the records in the states they came to, and the file, which may have been taken up again. */
export async function chainDecision(
  tables: Kysely<Tables>,
  now: number,
  { id, records }: { readonly id: number; readonly records: readonly Mention[] },
): Promise<void> {
  const row = await decisionRow(tables, id)
  assert(row.file_id !== null, `Decision ${id} is about no file.`)
  const decision = await decisionDetail(tables, id)
  await chainFile(tables, now, { id: row.file_id, kind: 'decision-made', more: { decision, records } })
}

/** What an event says of a decision. */
export async function decisionDetail(tables: Kysely<Tables>, id: number) {
  const row = await decisionRow(tables, id)
  return { id, action: row.action, digest: decisionDigest(row) }
}

async function decisionRow(tables: Kysely<Tables>, id: number) {
  const row = await tables.selectFrom('decisions').selectAll().where('id', '=', id).executeTakeFirst()
  assert(row, `Decision ${id} is not in the journal.`)
  return row
}
