/** What was planned of records, as the chain holds it, against the tables: what they are, and what was to be sent. */
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { batchOf } from './batch.ts'
import { plannedDigest, plannedSum } from './digests.ts'
import { FORGOTTEN_BODY } from './forgotten-words.ts'
import { eachOf } from './ids.ts'
import type { EventTable } from './schema.ts'
import type { Check, Told } from './verify-check.ts'

interface PlannedRow {
  readonly id: number
  readonly file_id: string | null
  readonly number: number
  readonly operation: string
  readonly account: string
  readonly natural_key: string | null
  readonly body_hash: string | null
  readonly body: string | null
}

export async function checkPlanned(
  check: Check,
  event: EventTable,
  { ids, digest, sums }: NonNullable<Told['detail']['planned']>,
): Promise<void> {
  const { tables, found, met } = check
  const all = [...eachOf(ids)]
  // Of a plan that was thrown away the ids may have been given again.
  const isOld = all.some((id) => met.planned.has(id))
  for (const id of all) met.planned.add(id)
  if (isOld) return
  const { rows } = await sql<PlannedRow>`
    select records.id, file_id, number, operation, account, natural_key, body_hash, bodies.body
    from ${batchOf(all, { id: (id) => id })} cross join records left join bodies on bodies.record_id = records.id
    where records.id = batch.id order by records.id`.execute(tables)
  for (const row of rows) checkBody(check, event, row)
  const records = rows.map(identityOf)
  const isWhole = plannedDigest(event.subject ?? '', records).digest === digest
  const areItsOwn = rows.every(({ file_id }) => file_id === event.subject)
  if (isWhole && areItsOwn) return
  const places = new Map(all.map((id, place) => [id, place]))
  const changed = rows.filter((row) => {
    const place = places.get(row.id) ?? 0
    return row.file_id !== event.subject || plannedSum(identityOf(row)) !== sums[place]
  })
  for (const { id } of changed) {
    const message = `record ${id}: its number, key, account, operation, file or body hash is not what was planned`
    found.add('record', id, message, event)
  }
  // A record that is missing is told by what the chain says of its state.
  if (changed.length > 0 || rows.length < all.length) return
  const range = `records ${all[0]} to ${all.at(-1)}`
  found.add('record', all[0] ?? 0, `${range}: one of them is not what was planned`, event)
}

function identityOf({ number, operation, account, natural_key, body_hash }: PlannedRow) {
  return { number, operation, account, naturalKey: natural_key, bodyHash: body_hash }
}

function checkBody({ found, met }: Check, event: EventTable, { id, body, body_hash }: PlannedRow): void {
  if (body === null) return
  if (met.forgotten.has(id) && body === FORGOTTEN_BODY) return
  if (hash('sha256', body) === body_hash) return
  found.add('record', id, `record ${id}: its body is not what was planned`, event)
}
