/** What was planned of records, as the chain holds it, against the tables: what they are, and what was to be sent. */
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { batchOf } from './batch.ts'
import { plannedDigest, plannedSum } from './digests.ts'
import { FORGOTTEN_BODY } from './forgotten-words.ts'
import type { Summed } from './event-detail.ts'
import { eachOf } from './ids.ts'
import type { EventTable } from './schema.ts'
import { changeText, sumOf } from './sums.ts'
import type { Check, Told } from './verify-check.ts'

interface PlannedRow {
  readonly id: number
  readonly file_id: string | null
  readonly number: number
  readonly operation: string
  readonly account: string
  readonly natural_key: string | null
  readonly body_hash: string | null
  readonly route: string
  readonly body: string | null
  readonly note: string | null
  readonly target: string | null
  readonly changes: string | null
  readonly file_number: number | null
  readonly own_number: number | null
}

export async function checkPlanned(
  check: Check,
  told: Told,
  { ids, digest, sums }: NonNullable<Told['detail']['planned']>,
): Promise<void> {
  const { tables, found, met } = check
  const { event } = told
  const all = [...eachOf(ids)]
  // Of a plan that was thrown away the ids may have been given again.
  const isOld = all.some((id) => met.planned.has(id))
  for (const id of all) met.planned.add(id)
  if (isOld) return
  const { rows } = await sql<PlannedRow>`
    select records.id, file_id, number, operation, account, natural_key, body_hash, route,
      bodies.body, note, target, changes,
      file_number, (select files.number from files where files.id = records.file_id) as own_number
    from ${batchOf(all, { id: (id) => id })} cross join records left join bodies on bodies.record_id = records.id
    where records.id = batch.id order by records.id`.execute(tables)
  const wasSent = sentIn(told)
  for (const row of rows) {
    checkRoute(check, event, row)
    if (wasSent.has(row.id)) checkBody(check, event, row)
  }
  checkTexts(check, told, rows)
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

/** Those of the records of an event that were to be sent. The others have no body. */
function sentIn({ detail }: Told): ReadonlySet<number> {
  const planned = (detail.records ?? []).filter(({ state }) => state === 'planned')
  return new Set(planned.flatMap(({ ids }) => [...eachOf(ids)]))
}

function checkRoute({ found }: Check, event: EventTable, { id, route }: PlannedRow): void {
  if (route === event.route) return
  found.add('record', id, `record ${id}: its route is ${route}, and was ${String(event.route)}`, event)
}

function checkBody({ found, met }: Check, event: EventTable, { id, body, body_hash }: PlannedRow): void {
  if (met.forgotten.has(id) && body === FORGOTTEN_BODY) return
  if (body === null) found.add('record', id, `record ${id}: its body is missing`, event)
  else if (hash('sha256', body) !== body_hash) {
    found.add('record', id, `record ${id}: its body is not what was planned`, event)
  }
}

/** What goes beside the bodies, and does with them when they are missing. */
function checkTexts({ found, met }: Check, { event, detail }: Told, rows: readonly PlannedRow[]): void {
  const notes = sumsIn(detail.notes)
  const changes = sumsIn(detail.changes)
  for (const row of rows) {
    const { id, body, note, target, changes: values } = row
    if (body === null) continue
    if (!met.forgotten.has(id) && notes.get(id) !== (note === null ? undefined : sumOf(id, note))) {
      found.add('record', id, `record ${id}: its note is not what was planned`, event)
    }
    const change = target === null ? undefined : changeText(target, JSON.parse(values ?? '[]') as string[])
    const isOfItsFile = target === null || row.file_number === row.own_number
    if (!isOfItsFile || changes.get(id) !== (change === undefined ? undefined : sumOf(id, change))) {
      found.add('record', id, `record ${id}: what it changes is not what was planned`, event)
    }
  }
}

function sumsIn(texts: Summed | undefined): ReadonlyMap<number, string | undefined> {
  return new Map([...eachOf(texts?.ids ?? [])].map((id, place) => [id, texts?.sums[place]]))
}
