/** Compares records and their bodies with the events. */
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import {
  digestPlannedRecords,
  formatChange,
  type Mention,
  mapSums,
  sumPlannedRecord,
  sumText,
} from './event-detail.ts'
import { type IdRuns, iterateIds, jsonRows, PRUNED_BODY } from './rows.ts'
import type { Db, EventRow, Row } from './schema.ts'
import { createAttemptCheck } from './verify-attempts.ts'
import {
  BATCH_SIZE,
  createIdSet,
  type Mismatches,
  type ParsedEvent,
  type SeenRecords,
  selectRecords,
  splitIntoBatches,
  type Verifier,
} from './verify-check.ts'

export function createRecordCheck(db: Db, found: Mismatches) {
  const seen: SeenRecords = {
    state: createIdSet(),
    http: createIdSet(),
    apiId: createIdSet(),
    planned: createIdSet(),
    attached: createIdSet(),
    pruned: createIdSet(),
    there: createIdSet(),
  }
  const check: Verifier = { db, found, seen }
  const attempts = createAttemptCheck(check)
  const checkBodies = createBodyCheck(check)
  return {
    async checkPage(page: readonly ParsedEvent[]): Promise<void> {
      for (const parsed of page) {
        const { event, detail } = parsed
        for (const id of iterateIds(detail.pruned?.ids ?? [])) seen.pruned.add(id)
        for (const mention of detail.records ?? []) await checkMention(check, event, mention)
        if (detail.detached !== undefined) await checkDetached(check, event, detail.detached)
        if (detail.attached !== undefined) await checkAttached(check, event, detail.attached)
        await checkBodies(parsed)
        await attempts.checkEvent(parsed)
        if (detail.planned !== undefined) await checkPlanned(check, parsed, detail.planned)
        if (detail.removed !== undefined) await checkRemoved(check, event, detail.removed)
      }
    },
    async finish(): Promise<void> {
      await checkUnknownRecords(check)
      await attempts.finish()
    },
    compared: () => seen.there.size(),
  }
}

type RecordRow = Pick<Row<'records'>, 'id' | 'direction' | 'state' | 'http' | 'api_id' | 'owns_key'>

interface ExpectedRecord {
  readonly id: number
  readonly state: boolean
  readonly http: boolean
  /** Undefined where the event does not give it, or a later event did. */
  readonly apiId: string | undefined
}

async function checkMention(check: Verifier, event: EventRow, mention: Mention): Promise<void> {
  const { seen } = check
  const all = [...iterateIds(mention.ids)].map((id, place): ExpectedRecord => {
    const apiId = mention.api?.[place]
    return {
      id,
      state: seen.state.add(id),
      http: mention.http !== undefined && seen.http.add(id),
      apiId: apiId !== undefined && seen.apiId.add(id) ? apiId : undefined,
    }
  })
  const asked = all.filter(({ state, http, apiId }) => state || http || apiId !== undefined)
  for (const chunk of splitIntoBatches(asked)) await compareRecords(check, event, { mention, asked: chunk })
}

async function compareRecords(
  { db, found, seen }: Verifier,
  event: EventRow,
  { mention, asked }: { mention: Mention; asked: readonly ExpectedRecord[] },
): Promise<void> {
  const { rows } = await sql<RecordRow>`
    select records.id, direction, records.state, http, api_id, owns_key from ${jsonRows(asked, { id: 'id' })}
    cross join records where records.id = batch.id`.execute(db)
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const { id, state, http, apiId } of asked) {
    const row = byId.get(id)
    if (row === undefined) {
      if (state) found.add('record', id, `record ${id} is missing; it was ${mention.state}`, event)
      continue
    }
    seen.there.add(id)
    const differ = (what: string, is: unknown, was: unknown) =>
      found.add('record', id, `record ${id}: ${what} is ${String(is)}, and was ${String(was)}`, event)
    if (state && row.state !== mention.state) differ('its state', row.state, mention.state)
    else if (state) checkKey(found, event, row)
    if (http && row.http !== mention.http) differ('its HTTP status', row.http, mention.http)
    // The id with which an outgoing record was first seen identifies it, whatever id an answer has.
    const counts = row.direction === 'incoming' || event.kind === 'records-collected'
    if (apiId !== undefined && counts && row.api_id !== apiId) differ('its id at the API', row.api_id, apiId)
  }
}

/** A record that its partner refused leaves its delivery when a person has it sent anew. */
async function checkDetached({ db, found, seen }: Verifier, event: EventRow, ids: IdRuns): Promise<void> {
  const latest = [...iterateIds(ids)].filter((id) => seen.attached.add(id))
  const rows = selectRecords<Pick<Row<'records'>, 'id' | 'delivery_id'>>(
    db,
    latest,
    sql`records.id, delivery_id`,
  )
  for await (const { id, delivery_id } of rows) {
    if (delivery_id === null) continue
    const message = `record ${id} belongs to the delivery ${delivery_id}, and was taken out of ${String(event.subject)}`
    found.add('record', id, message, event)
  }
}

/** A record stays in its delivery, unless a person has it sent anew. */
async function checkAttached({ db, found, seen }: Verifier, event: EventRow, ids: IdRuns): Promise<void> {
  const rows = selectRecords<Pick<Row<'records'>, 'id' | 'delivery_id'>>(
    db,
    [...iterateIds(ids)].filter((id) => seen.attached.add(id)),
    sql`records.id, delivery_id`,
  )
  for await (const { id, delivery_id } of rows) {
    if (delivery_id === event.subject) continue
    const message = `record ${id} belongs to the delivery ${String(delivery_id)}, and was in ${String(event.subject)}`
    found.add('record', id, message, event)
  }
}

async function checkRemoved({ db, found, seen }: Verifier, event: EventRow, ids: IdRuns): Promise<void> {
  const gone = [...iterateIds(ids)].filter((id) => seen.state.add(id))
  for await (const { id } of selectRecords<{ id: number }>(db, gone, sql`records.id`)) {
    seen.there.add(id)
    found.add('record', id, `record ${id} is there, and was thrown away with its plan`, event)
  }
  for (const id of gone) seen.planned.add(id)
}

/** Reports records without any event. */
async function checkUnknownRecords({ db, found, seen }: Verifier): Promise<void> {
  const { rows: counted } = await sql<{ count: number }>`select count(*) as count from records`.execute(db)
  if ((counted[0]?.count ?? 0) <= seen.there.size()) return
  for (let after: number | undefined = 0; after !== undefined;) {
    const { rows } = await sql<{ id: number }>`
      select id from records where id > ${after} order by id limit ${BATCH_SIZE}`.execute(db)
    for (const { id } of rows) {
      if (!seen.there.has(id))
        found.add('record', id, `record ${id} has no event: it was added to the table directly`)
    }
    after = rows.at(-1)?.id
  }
}

// The plan: the identity of each record, and its request.

type PlannedRow = Pick<
  Row<'records'>,
  'id' | 'file_id' | 'number' | 'operation' | 'account' | 'natural_key'
> &
  Pick<Row<'records'>, 'body_hash' | 'route'> & {
    // Null where the record has no body.
    readonly [Column in 'body' | 'note' | 'target' | 'changes']: string | null
  } & { readonly file_number: number | null; readonly own_number: number | null }

async function checkPlanned(
  check: Verifier,
  parsed: ParsedEvent,
  { ids, digest, sums }: NonNullable<ParsedEvent['detail']['planned']>,
): Promise<void> {
  const { db, found, seen } = check
  const { event } = parsed
  const all = [...iterateIds(ids)]
  // The ids of a discarded plan may have been given again.
  const isOld = all.some((id) => seen.planned.has(id))
  for (const id of all) seen.planned.add(id)
  if (isOld) return
  const { rows } = await sql<PlannedRow>`
    select records.id, file_id, number, operation, account, natural_key, body_hash, route,
      bodies.body, note, target, changes,
      file_number, (select files.number from files where files.id = records.file_id) as own_number
    from ${jsonRows(all, { id: (id) => id })} cross join records left join bodies on bodies.record_id = records.id
    where records.id = batch.id order by records.id`.execute(db)
  const wasSent = listSentIds(parsed)
  for (const row of rows) {
    checkRoute(check, event, row)
    if (wasSent.has(row.id)) checkBody(check, event, row)
  }
  checkTexts(check, parsed, rows)
  const isWhole = digestPlannedRecords(event.subject ?? '', rows.map(toIdentity)).digest === digest
  const areItsOwn = rows.every(({ file_id }) => file_id === event.subject)
  if (isWhole && areItsOwn) return
  const places = new Map(all.map((id, place) => [id, place]))
  const changed = rows.filter((row) => {
    const place = places.get(row.id) ?? 0
    return row.file_id !== event.subject || sumPlannedRecord(toIdentity(row)) !== sums[place]
  })
  for (const { id } of changed) {
    const message = `record ${id}: its number, key, account, operation, file or body hash is not what was planned`
    found.add('record', id, message, event)
  }
  // A missing record is reported by the check of its state.
  if (changed.length > 0 || rows.length < all.length) return
  const range = `records ${all[0]} to ${all.at(-1)}`
  found.add('record', all[0] ?? 0, `${range}: one of them is not what was planned`, event)
}

function toIdentity({ number, operation, account, natural_key, body_hash }: PlannedRow) {
  return { number, operation, account, naturalKey: natural_key, bodyHash: body_hash }
}

/** The records of an event that had to be sent. The others have no body. */
function listSentIds({ detail }: ParsedEvent): ReadonlySet<number> {
  const planned = (detail.records ?? []).filter(({ state }) => state === 'planned')
  return new Set(planned.flatMap(({ ids }) => [...iterateIds(ids)]))
}

function checkRoute(
  { found }: Verifier,
  event: EventRow,
  { id, route }: { readonly id: number; readonly route: string },
): void {
  if (route === event.route) return
  found.add('record', id, `record ${id}: its route is ${route}, and was ${String(event.route)}`, event)
}

function checkBody({ found, seen }: Verifier, event: EventRow, { id, body, body_hash }: PlannedRow): void {
  if (seen.pruned.has(id) && body === PRUNED_BODY) return
  if (body === null) found.add('record', id, `record ${id}: its body is missing`, event)
  else if (hash('sha256', body) !== body_hash) {
    found.add('record', id, `record ${id}: its body is not what was planned`, event)
  }
}

/** Compares the texts beside the bodies. A missing body is reported already, and its texts are missing with it. */
function checkTexts({ found, seen }: Verifier, { event, detail }: ParsedEvent, rows: readonly PlannedRow[]) {
  const notes = mapSums(detail.notes)
  const changes = mapSums(detail.changes)
  for (const row of rows) {
    const { id, body, note, target, changes: values } = row
    if (body === null) continue
    if (!seen.pruned.has(id) && notes.get(id) !== (note === null ? undefined : sumText(id, note))) {
      found.add('record', id, `record ${id}: its note is not what was planned`, event)
    }
    const change = target === null ? undefined : formatChange(target, JSON.parse(values ?? '[]') as string[])
    const isOfItsFile = target === null || row.file_number === row.own_number
    if (!isOfItsFile || changes.get(id) !== (change === undefined ? undefined : sumText(id, change))) {
      found.add('record', id, `record ${id}: what it changes is not what was planned`, event)
    }
  }
}

// The bodies that the API showed of outgoing records.

function createBodyCheck(check: Verifier) {
  const { db, found, seen } = check
  const compared = createIdSet()
  return async ({ event, detail }: ParsedEvent): Promise<void> => {
    if (detail.bodies === undefined) return
    const sums = mapSums(detail.bodies)
    const asked = [...sums.keys()].filter((id) => compared.add(id))
    const columns = sql`records.id, records.route, bodies.body`
    const bodies = sql`left join bodies on bodies.record_id = records.id`
    const rows = selectRecords<{ id: number; route: string; body: string | null }>(db, asked, columns, bodies)
    for await (const row of rows) {
      const { id, body } = row
      checkRoute(check, event, row)
      if (seen.pruned.has(id) && body === PRUNED_BODY) continue
      if (body === null) found.add('record', id, `record ${id}: its body is missing`, event)
      else if (sumText(id, body) !== sums.get(id)) {
        found.add('record', id, `record ${id}: its body is not what the API showed`, event)
      }
    }
  }
}

// Whether a record owns its key, by its latest event. A key that is wrongly free may be posted again.

function checkKey(found: Mismatches, event: EventRow, record: RecordRow): void {
  const { id, owns_key } = record
  const shouldOwn = shouldOwnKey(record, event)
  if (shouldOwn === (owns_key === 1)) return
  const message = shouldOwn
    ? `record ${id}: it does not own its key, so a duplicate may be sent`
    : `record ${id}: it owns its key, which was released`
  found.add('record', id, message, event)
}

const OWNING_STATES: readonly string[] = ['planned', 'sending', 'uncertain', 'deferred', 'accepted']

/** The same rule as in all code that changes the state of a record. */
function shouldOwnKey({ direction, state }: RecordRow, { kind }: EventRow): boolean {
  if (direction === 'outgoing') return false
  if (OWNING_STATES.includes(state)) return true
  // A record that was sent keeps its key, whatever its outcome; one that was not sent has none.
  const wasSent = kind === 'records-answered' || kind === 'records-reconciled'
  return wasSent && (state === 'held' || state === 'duplicate')
}
