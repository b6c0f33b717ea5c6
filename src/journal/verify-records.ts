/** Records as the chain says they are, against the table. */
import { type Kysely, sql } from 'kysely'
import { batchOf } from './batch.ts'
import type { Mention } from './event-detail.ts'
import type { Findings } from './findings.ts'
import { idSet } from './id-set.ts'
import { eachOf, type Ids } from './ids.ts'
import type { EventTable, Tables } from './schema.ts'
import { attemptCheck } from './verify-attempts.ts'
import { bodyCheck } from './verify-bodies.ts'
import { AT_ONCE, type Check, inParts, type Met, type Told } from './verify-check.ts'
import { checkKey } from './verify-keys.ts'
import { checkPlanned } from './verify-planned.ts'

export function recordCheck(tables: Kysely<Tables>, found: Findings) {
  const met: Met = {
    state: idSet(),
    http: idSet(),
    apiId: idSet(),
    planned: idSet(),
    attached: idSet(),
    forgotten: idSet(),
    there: idSet(),
  }
  const check: Check = { tables, found, met }
  const attempts = attemptCheck(check)
  const checkBodies = bodyCheck(check)
  /** Records up to this one may be older than the chain. */
  let before = { count: 0, last: 0 }
  let firstRemoved = Infinity
  return {
    async look(page: readonly Told[]): Promise<void> {
      for (const told of page) {
        const { event, detail } = told
        for (const id of eachOf(detail.forgotten?.ids ?? [])) met.forgotten.add(id)
        for (const mention of detail.records ?? []) await checkMention(check, event, mention)
        if (detail.attached !== undefined) await checkAttached(check, event, detail.attached)
        await checkBodies(told)
        await attempts.look(told)
        if (detail.planned !== undefined) await checkPlanned(check, told, detail.planned)
        if (detail.removed !== undefined) {
          await checkRemoved(check, event, detail.removed)
          for (const id of eachOf(detail.removed)) firstRemoved = Math.min(firstRemoved, id)
        }
        if (detail.before !== undefined) before = detail.before.records
      }
    },
    async finish(): Promise<void> {
      await checkStrangers(check, before.last)
      await attempts.finish()
      // Ids of what was thrown away are given again.
      if (firstRemoved > before.last) await checkOlder(check, before)
    },
    compared: () => met.there.size(),
  }
}

interface RecordRow {
  readonly id: number
  readonly direction: 'incoming' | 'outgoing'
  readonly state: string
  readonly http: number | null
  readonly api_id: string | null
  readonly holds_key: number
}

interface Asked {
  readonly id: number
  readonly state: boolean
  readonly http: boolean
  /** Undefined where nothing is said of it, or a later event said it. */
  readonly apiId: string | undefined
}

async function checkMention(check: Check, event: EventTable, mention: Mention): Promise<void> {
  const { met } = check
  let place = 0
  let asked: Asked[] = []
  for (const id of eachOf(mention.ids)) {
    const apiId = mention.api?.[place++]
    const ask = {
      id,
      state: !met.state.has(id),
      http: mention.http !== undefined && !met.http.has(id),
      apiId: apiId !== undefined && !met.apiId.has(id) ? apiId : undefined,
    }
    met.state.add(id)
    if (mention.http !== undefined) met.http.add(id)
    if (apiId !== undefined) met.apiId.add(id)
    if (ask.state || ask.http || ask.apiId !== undefined) asked.push(ask)
    if (asked.length === AT_ONCE) {
      await compare(check, event, { mention, asked })
      asked = []
    }
  }
  if (asked.length > 0) await compare(check, event, { mention, asked })
}

async function compare(
  { tables, found, met }: Check,
  event: EventTable,
  { mention, asked }: { mention: Mention; asked: readonly Asked[] },
): Promise<void> {
  const { rows } = await sql<RecordRow>`
    select records.id, direction, records.state, http, api_id, holds_key from ${batchOf(asked, { id: ({ id }) => id })}
    cross join records where records.id = batch.id`.execute(tables)
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const { id, state, http, apiId } of asked) {
    const row = byId.get(id)
    if (row === undefined) {
      if (state) found.add('record', id, `record ${id} is missing; it was ${mention.state}`, event)
      continue
    }
    met.there.add(id)
    const differ = (what: string, is: unknown, was: unknown) =>
      found.add('record', id, `record ${id}: ${what} is ${String(is)}, and was ${String(was)}`, event)
    if (state && row.state !== mention.state) differ('its state', row.state, mention.state)
    else if (state) checkKey(found, event, row)
    if (http && row.http !== mention.http) differ('its HTTP status', row.http, mention.http)
    // An outgoing record is known by the id it was seen with, whatever an answer says.
    const counts = row.direction === 'incoming' || event.kind === 'records-collected'
    if (apiId !== undefined && counts && row.api_id !== apiId) differ('its id at the API', row.api_id, apiId)
  }
}

/** A record is in one delivery for ever. */
async function checkAttached({ tables, found, met }: Check, event: EventTable, ids: Ids): Promise<void> {
  for (const some of inParts([...eachOf(ids)].filter((id) => !met.attached.has(id)))) {
    const { rows } = await sql<{ id: number; delivery_id: string | null }>`
      select records.id, delivery_id from ${batchOf(some, { id: (id) => id })} cross join records
      where records.id = batch.id and delivery_id is not ${event.subject}`.execute(tables)
    for (const { id, delivery_id } of rows) {
      const message = `record ${id} belongs to the delivery ${String(delivery_id)}, and was in ${String(event.subject)}`
      found.add('record', id, message, event)
    }
    for (const id of some) met.attached.add(id)
  }
}

async function checkRemoved({ tables, found, met }: Check, event: EventTable, ids: Ids): Promise<void> {
  const gone = [...eachOf(ids)].filter((id) => !met.state.has(id))
  for (const some of inParts(gone)) {
    const { rows } = await sql<{ id: number }>`
      select records.id from ${batchOf(some, { id: (id) => id })} cross join records
      where records.id = batch.id`.execute(tables)
    for (const { id } of rows) {
      met.there.add(id)
      found.add('record', id, `record ${id} is there, and was thrown away with its plan`, event)
    }
    for (const id of some) {
      met.state.add(id)
      met.planned.add(id)
    }
  }
}

/** Records that no event tells of. */
async function checkStrangers(check: Check, older: number): Promise<void> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from records`.execute(check.tables)
  if ((rows[0]?.count ?? 0) > check.met.there.size()) await nameStrangers(check, older)
}

/** Of those that are older than the chain it is only known how many there were. */
async function checkOlder(
  { tables, found }: Check,
  before: { readonly count: number; readonly last: number },
): Promise<void> {
  if (before.count === 0) return
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from records where id <= ${before.last}`.execute(tables)
  const missing = before.count - (rows[0]?.count ?? 0)
  if (missing > 0) found.add('record', '', `${missing} records that are older than the chain are missing`)
}

async function nameStrangers({ tables, found, met }: Check, older: number): Promise<void> {
  let after = older
  for (;;) {
    const { rows } = await sql<{ id: number }>`
      select id from records where id > ${after} order by id limit ${AT_ONCE}`.execute(tables)
    const last = rows.at(-1)
    if (last === undefined) return
    for (const { id } of rows) {
      if (!met.there.has(id)) found.add('record', id, `record ${id} was put there: no event tells of it`)
    }
    after = last.id
  }
}
