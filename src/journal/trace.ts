/** Following one record, order or file through all there is of it. */
import { type Kysely, sql } from 'kysely'
import type { Journal, WorkOf } from '../domain/journal.ts'
import type { KeyQuery, KeyTrace, TracedRecord, TraceJournal } from '../domain/trace.ts'
import { deliveriesCalled } from './delivery-rows.ts'
import type { Tables } from './schema.ts'
import { type Store, read } from './store.ts'
import { traceDetails } from './trace-details.ts'
import { namesNear, whatMayBeMeant } from './trace-names.ts'
import {
  kindAhead,
  kindExported,
  kindMade,
  recordsAnywhere,
  recordsKeyed,
  recordsOf,
} from './trace-records.ts'
import { selectTraced, type TracedRow, tracedOf } from './trace-rows.ts'
import { addNamed, newWeb, spread, type Web } from './trace-web.ts'
import { firstWithContents } from './same-bytes.ts'
import { holderOf } from './leases.ts'
import { workOf } from './work.ts'

export function traceCalls(store: Store): TraceJournal & Pick<Journal, 'deliveriesCalled'> {
  return {
    traceKey: (key, query) => read(store, (tables) => traceKey(tables, key, query)),
    traceLine: (fileId, line, limit) =>
      read(store, async (tables) => {
        const rows = await selectTraced(tables)
          .where('file_id', '=', fileId)
          .where(
            sql<boolean>`exists (select 1 from json_each(records.lines) as range
              where range.value ->> 0 <= ${line} and range.value ->> 1 >= ${line})`,
          )
          .orderBy('number')
          .limit(limit)
          .execute()
        return rows.map((row) => tracedOf(row, () => true))
      }),
    traceWork: (work, limit) => read(store, (tables) => traceWork(tables, work, limit)),
    traceDetails: (recordIds) => read(store, (tables) => traceDetails(tables, recordIds)),
    deliveriesCalled: (nameOrId, limit) => read(store, (tables) => deliveriesCalled(tables, nameOrId, limit)),
    firstWithBytes: (route, sha256) =>
      read(store, async (tables) => {
        const first = await firstWithContents(tables, { route, sha256, notId: '' })
        return first && { id: first.id, name: first.name, receivedAt: first.received_at }
      }),
    holderOf: (route) => read(store, (tables) => holderOf(tables, route, store.clock.now())),
    whatMayBeMeant: (key, limit) => read(store, (tables) => whatMayBeMeant(tables, key, limit)),
    namesNear: (key, limit) => read(store, (tables) => namesNear(tables, key, limit)),
  }
}

async function traceKey(tables: Kysely<Tables>, key: string, query: KeyQuery): Promise<KeyTrace> {
  // Several cells stand together as they are shown: `HV-10001, 1Z999`.
  const parts = key.includes(', ') ? [key, ...key.split(', ')] : [key]
  const web = newWeb(parts)
  const named = new Set<string>()
  for (const part of parts) for (const id of await addNamed(tables, web, part)) named.add(id)
  const own = ownRecord(key)
  const found = query.everywhere ? await recordsAnywhere(tables, key) : await recordsKeyed(tables, web)
  if (own !== undefined) found.add(own)
  await addOrdersBehind(tables, web, found)
  await spread(tables, web)
  for (const id of await recordsOf(tables, web)) found.add(id)
  const isMeant = (row: TracedRow) => meant(row, { key, named, own })
  const resources = [...web.resources.values()]
  return { ...(await latest(tables, { ids: [...found], query, isMeant })), resources }
}

/** `#12`, the journal's own number of a record. */
function ownRecord(key: string): number | undefined {
  const [, digits] = /^#(\d{1,15})$/.exec(key) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** What is made for an order is in its lane, and what makes the order has its number for a key. */
async function addOrdersBehind(tables: Kysely<Tables>, web: Web, found: ReadonlySet<number>): Promise<void> {
  const rows = await selectTraced(tables)
    .where('id', 'in', [...found].slice(0, BEHIND_MAX))
    .execute()
  for (const { direction, operation, lane, step, natural_key, api_id } of rows) {
    const kind = kindAhead(operation)
    if (direction === 'outgoing') web.ids.add(`${kindExported(operation)} ${api_id}`)
    else if (operation === 'create-order' && api_id !== null) web.ids.add(`order ${api_id}`)
    // In a file with several steps all that is of an order has its id for a lane.
    else if (lane !== null && (kind !== undefined || step !== null)) web.ids.add(`${kind ?? 'order'} ${lane}`)
    if (natural_key !== null && kind === undefined) web.keys.add(natural_key)
  }
}

/** Of so many records the orders behind them are looked for. */
const BEHIND_MAX = 20

async function latest(
  tables: Kysely<Tables>,
  { ids, query, isMeant }: { ids: readonly number[]; query: KeyQuery; isMeant: (row: TracedRow) => boolean },
): Promise<Omit<KeyTrace, 'resources'>> {
  const { route, limit } = query
  const all = sql<boolean>`records.id in (select value from json_each(${JSON.stringify(ids)}))`
  const its = route === undefined ? all : sql<boolean>`${all} and records.route = ${route}`
  const { total } = await tables
    .selectFrom('records')
    .select((is) => is.fn.countAll<number>().as('total'))
    .where(its)
    .executeTakeFirstOrThrow()
  const rows = await selectTraced(tables).where(its).orderBy('id', 'desc').limit(limit).execute()
  return {
    records: rows.toReversed().map((row) => tracedOf(row, isMeant)),
    earlier: total - rows.length,
  }
}

interface Asked {
  readonly key: string
  /** The ids at the API that go by the key. */
  readonly named: ReadonlySet<string>
  readonly own: number | undefined
}

function meant(row: TracedRow, { key, named, own }: Asked): boolean {
  const isOwn = row.id === own || row.api_id === key || row.natural_key === key
  const cells = JSON.parse(row.key_values) as string[]
  if (isOwn || cells.includes(key) || cells.filter((cell) => cell !== '').join(', ') === key) return true
  if (row.direction === 'outgoing') return named.has(`${kindExported(row.operation)} ${row.api_id}`)
  // What made it goes by the number it has there too, when its cells are forgotten. An order has that for its key.
  const kind = kindMade(row.operation)
  return kind !== 'order' && named.has(`${kind} ${row.api_id}`)
}

async function traceWork(tables: Kysely<Tables>, work: WorkOf, limit: number): Promise<TracedRecord[]> {
  const { its } = workOf(work)
  const troubled = await selectTraced(tables)
    .where(its)
    .where('state', 'not in', ['accepted', 'duplicate', 'exported', 'skipped'])
    .orderBy('number')
    .limit(limit)
    .execute()
  const others = await selectTraced(tables)
    .where(its)
    .where('state', 'in', ['accepted', 'duplicate', 'exported', 'skipped'])
    .orderBy('number')
    .limit(limit - troubled.length)
    .execute()
  return [...troubled, ...others].map((row) => tracedOf(row, () => true))
}
