/** Finds everything about a key: records, resources, and keys that are spelt alike. */
import { type RawBuilder, sql } from 'kysely'
import type { Journal, WorkRef } from '../domain/journal.ts'
import type { KeyQuery, KeySuggestions, KeyTrace, TracedRecord } from '../domain/trace.ts'
import { normalizeForSearch, rankSimilarNames } from '../support/text.ts'
import { toWork } from './records.ts'
import {
  addResourcesByName,
  createLinkSet,
  expandLinks,
  type LinkSet,
  TRACED_KIND_LIST,
} from './resource-links.ts'
import { jsonRows, omitNull, selectFirst } from './rows.ts'
import type { Db, Row } from './schema.ts'
import { bindStore, type Store } from './store.ts'
import { selectTraced, selectTracedDetails, toTracedRecord, type TracedRow } from './trace-details.ts'

export function createTraceJournal(store: Store) {
  const { reads } = bindStore(store)
  return {
    traceKey: reads(traceKey),
    traceLine: reads(async (db, fileId, line, limit) => {
      const holdsLine = sql<boolean>`exists (select 1 from json_each(records.lines) as range
        where range.value ->> 0 <= ${line} and range.value ->> 1 >= ${line})`
      const its = selectTraced(db).where('file_id', '=', fileId).where(holdsLine)
      const rows = await its.orderBy('number').limit(limit).execute()
      return rows.map((row) => toTracedRecord(row, () => true))
    }),
    traceWork: reads(selectWorkRecords),
    traceDetails: reads(selectTracedDetails),
    suggestKeys: reads(suggestKeys),
    findSimilarNames: reads(findSimilarNames),
  } satisfies Partial<Journal>
}

async function traceKey(db: Db, key: string, query: KeyQuery): Promise<KeyTrace> {
  // Several cells stand together as they are shown: `HV-10001, 1Z999`.
  const parts = key.includes(', ') ? [key, ...key.split(', ')] : [key]
  const web = createLinkSet(parts)
  const named = new Set<string>()
  for (const part of parts) for (const id of await addResourcesByName(db, web, part)) named.add(id)
  const own = parseRecordNumber(key)
  const found = query.everywhere ? await searchRecords(db, key) : await findRecordsByKey(db, web)
  if (own !== undefined) found.add(own)
  await addRelatedOrders(db, web, found)
  await expandLinks(db, web)
  for (const id of await findLinkedRecords(db, web)) found.add(id)
  const isMeant = (row: TracedRow) => isMeantRecord(row, { key, named, own })
  const resources = [...web.resources.values()]
  return { ...(await selectLatestRecords(db, { ids: [...found], query, isMeant })), resources }
}

/** `#12`, the journal's own number of a record. */
function parseRecordNumber(key: string): number | undefined {
  const [, digits] = /^#(\d{1,15})$/.exec(key) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** What is made for an order is in its lane, and what makes the order has its number for a key. */
async function addRelatedOrders(db: Db, web: LinkSet, found: ReadonlySet<number>): Promise<void> {
  const rows = await selectTraced(db)
    .where('id', 'in', [...found].slice(0, MAX_RELATED))
    .execute()
  for (const { direction, operation, lane, step, natural_key, api_id } of rows) {
    const kind = getKeyPrefixKind(operation)
    if (direction === 'outgoing') web.ids.add(`${getExportedKind(operation)} ${api_id}`)
    else if (operation === 'create-order' && api_id !== null) web.ids.add(`order ${api_id}`)
    // In a file with several steps all that is of an order has its id for a lane.
    else if (lane !== null && (kind !== undefined || step !== null)) web.ids.add(`${kind ?? 'order'} ${lane}`)
    if (natural_key !== null && kind === undefined) web.keys.add(natural_key)
  }
}

/** Of so many records the orders behind them are looked for. */
const MAX_RELATED = 20

async function selectLatestRecords(
  db: Db,
  { ids, query, isMeant }: { ids: readonly number[]; query: KeyQuery; isMeant: (row: TracedRow) => boolean },
): Promise<Omit<KeyTrace, 'resources'>> {
  const { route, limit } = query
  const all = sql<boolean>`records.id in (select value from json_each(${JSON.stringify(ids)}))`
  const its = route === undefined ? all : sql<boolean>`${all} and records.route = ${route}`
  const counted = await selectFirst(
    db,
    sql<{ total: number }>`select count(*) as total from records where ${its}`,
  )
  const rows = await selectTraced(db).where(its).orderBy('id', 'desc').limit(limit).execute()
  return {
    records: rows.toReversed().map((row) => toTracedRecord(row, isMeant)),
    earlier: (counted?.total ?? 0) - rows.length,
  }
}

interface KeyMatch {
  readonly key: string
  /** The ids at the API that go by the key. */
  readonly named: ReadonlySet<string>
  readonly own: number | undefined
}

function isMeantRecord(row: TracedRow, { key, named, own }: KeyMatch): boolean {
  const isOwn = row.id === own || row.api_id === key || row.natural_key === key
  const cells = JSON.parse(row.key_values) as string[]
  if (isOwn || cells.includes(key) || cells.filter((cell) => cell !== '').join(', ') === key) return true
  if (row.direction === 'outgoing') return named.has(`${getExportedKind(row.operation)} ${row.api_id}`)
  // What made it goes by the number it has there too, when its cells are pruned. An order has that for its key.
  const kind = row.operation.replace(/^create-/, '')
  return kind !== 'order' && named.has(`${kind} ${row.api_id}`)
}

async function selectWorkRecords(db: Db, work: WorkRef, limit: number): Promise<TracedRecord[]> {
  const { condition } = toWork(work)
  const all = selectTraced(db).where(condition).orderBy('number')
  const ended = ['accepted', 'duplicate', 'exported', 'skipped'] as const
  const troubled = await all.where('state', 'not in', ended).limit(limit).execute()
  const room = limit - troubled.length
  const others = await all.where('state', 'in', ended).limit(room).execute()
  return [...troubled, ...others].map((row) => toTracedRecord(row, () => true))
}

// Finds the records of a set of keys and ids, by the indexes there are.

/** How many records of one sort are looked at. */
const MAX_FOUND = 1000

/** The ids of all records of the web, in no order. */
async function findLinkedRecords(db: Db, web: LinkSet): Promise<Set<number>> {
  const lanes = await selectOperationAccounts(db, sql`owns_key = 1`)
  return new Set([
    ...(await selectIdsByKeys(db, web, lanes)),
    ...(await selectIdsByKeyPrefix(db, web, lanes)),
    ...(await selectIdsByApiId(db, web)),
    ...(await selectIdsByCells(db, [...web.keys])),
  ])
}

/** The ids of the records that have one of the keys themselves. */
async function findRecordsByKey(db: Db, web: LinkSet): Promise<Set<number>> {
  return new Set(await selectIdsByKeys(db, web, await selectOperationAccounts(db, sql`owns_key = 1`)))
}

/** Looks through all records for the cell, the id or the key. */
async function searchRecords(db: Db, key: string): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select id from records
    where instr(key_values, ${JSON.stringify(key)}) > 0 or natural_key = ${key} or api_id = ${key}
      or substr(natural_key, -length(${key}) - 1) = ' ' || ${key}
    limit ${MAX_FOUND}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** What operations and accounts there are records of: an index begins with these. */
type Lane = Pick<Row<'records'>, 'operation' | 'account'>

/**
 * Steps from pair to pair through the index, however many records there are of each; `its` is the condition of the index.
 * One comparison of both columns would read all records of an operation.
 */
async function selectOperationAccounts(db: Db, its: RawBuilder<boolean>): Promise<Lane[]> {
  const { rows } = await sql<Lane>`
    with recursive lanes (operation, account) as (
      select * from (select operation, account from records where ${its} order by operation, account limit 1)
      union all
      select next.operation, next.account from lanes join records as next on next.rowid = coalesce(
        (select rowid from records
          where ${its} and operation = lanes.operation and account > lanes.account
          order by account limit 1),
        (select rowid from records where ${its} and operation > lanes.operation order by operation, account limit 1))
      limit ${MAX_OPERATION_ACCOUNTS}
    )
    select operation, account from lanes`.execute(db)
  return rows
}

const MAX_OPERATION_ACCOUNTS = 200

interface LaneKey extends Lane {
  readonly key: string
}

/** The records of operations and accounts that a condition, which may compare with `batch.key`, holds for. */
async function selectIdsByLane(db: Db, asked: readonly LaneKey[], condition: RawBuilder<unknown>) {
  const batch = jsonRows(asked, { operation: 'operation', account: 'account', key: 'key' })
  const { rows } = await sql<{ id: number }>`
    select records.id from ${batch} cross join records
    where records.operation = batch.operation and records.account = batch.account and ${condition}
    limit ${MAX_FOUND}`.execute(db)
  return rows.map(({ id }) => id)
}

async function selectIdsByKeys(db: Db, { keys }: LinkSet, lanes: readonly Lane[]): Promise<number[]> {
  const asked = lanes.flatMap((lane) => [...keys].map((key) => ({ ...lane, key })))
  return selectIdsByLane(db, asked, sql`records.natural_key = batch.key and records.owns_key = 1`)
}

/** What is made for an order, or changes something, has the id of that at the beginning of its key. */
const KEY_PREFIX_KINDS: ReadonlyMap<string, string> = new Map([
  ['create-shipment', 'order'],
  ['create-cancel', 'order'],
  ['close-order', 'order'],
  ['reopen-order', 'order'],
  ['update-variant', 'variant'],
])

function getKeyPrefixKind(operation: string): string | undefined {
  return KEY_PREFIX_KINDS.get(operation) ?? /^acknowledge-(.+)$/.exec(operation)?.[1]
}

async function selectIdsByKeyPrefix(db: Db, { ids }: LinkSet, lanes: readonly Lane[]): Promise<number[]> {
  const asked = lanes.flatMap((lane) => {
    const kind = getKeyPrefixKind(lane.operation)
    return kind === undefined ? [] : filterIdsOfKind(ids, kind).map((key) => ({ ...lane, key }))
  })
  const isOfOne = sql`records.owns_key = 1
    and records.natural_key > batch.key || ' ' and records.natural_key < batch.key || '!'`
  return selectIdsByLane(db, asked, isOfOne)
}

/** Outgoing records, by the operation that exports their kind. */
async function selectIdsByApiId(db: Db, { ids }: LinkSet): Promise<number[]> {
  const lanes = await selectOperationAccounts(db, sql`direction = 'outgoing'`)
  const asked = lanes.flatMap((lane) =>
    filterIdsOfKind(ids, getExportedKind(lane.operation)).map((key) => ({ ...lane, key })),
  )
  return selectIdsByLane(db, asked, sql`records.api_id = batch.key and records.direction = 'outgoing'`)
}

/** `shipment` for `export-shipments`. */
function getExportedKind(operation: string): string {
  return operation.replace(/^export-/, '').replace(/s$/, '')
}

function filterIdsOfKind(ids: ReadonlySet<string>, kind: string): string[] {
  return [...ids].filter((each) => each.startsWith(`${kind} `)).map((each) => each.slice(kind.length + 1))
}

/** What was refused or is held has no key, or has let go of it; the cells of its file tell. */
async function selectIdsByCells(db: Db, keys: readonly string[]): Promise<number[]> {
  const cells = keys.slice(0, MAX_CELLS).map((key) => sql`instr(key_values, ${JSON.stringify(key)}) > 0`)
  const isOne = sql`(${sql.join(cells, sql` or `)})`
  const { rows } = await sql<{ id: number }>`
    select id from records where state = 'rejected' and ${isOne}
    union all
    select id from records where state = 'held' and file_id is not null and ${isOne}
    limit ${MAX_FOUND}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Each costs a look at all that was refused. */
const MAX_CELLS = 10

// Finds names that are spelt like one that is unknown.

/** How many names of each sort are compared. */
const MAX_COMPARED = 2000

/** What begins alike is looked for by the indexes; of files and deliveries the latest are compared. */
async function findSimilarNames(db: Db, key: string, limit: number): Promise<string[]> {
  const heads = jsonRows(listPrefixes(key), { head: (head) => head })
  const { rows } = await sql<{ name: string }>`
    select distinct name from (
      select * from (select name from files order by number desc limit ${MAX_COMPARED})
      union all
      select * from (select name from deliveries order by composed_at desc limit ${MAX_COMPARED})
      union all
      select * from (
        select key as name from ${heads} cross join resource_keys
        where kind in (${TRACED_KIND_LIST}) and key >= head and key < head || char(1114111) limit ${MAX_COMPARED})
      union all
      select * from (
        select substr(one, 6) as name from ${heads} cross join resource_links
        where one >= 'name ' || head and one < 'name ' || head || char(1114111) limit ${MAX_COMPARED})
      union all
      select * from (
        select coalesce(key_values ->> '$[0]', '') as name from records
        where state = 'rejected' and file_id is not null limit ${MAX_COMPARED})
      union all
      select * from (
        select coalesce(key_values ->> '$[0]', '') as name from records
        where state = 'held' and file_id is not null limit ${MAX_COMPARED})
    ) where name <> ''`.execute(db)
  return rankSimilarNames(
    key,
    rows.map(({ name }) => name),
    limit,
  )
}

/** Names come in the case that they were typed in, or in another. */
function listPrefixes(key: string): string[] {
  const head = key.slice(0, Math.max(1, Math.ceil(key.length / 2)))
  return [...new Set([head, head.toUpperCase(), head.toLowerCase()])]
}

/** Looks through all names: a question for when nothing was found, and no index has them without dashes. */
async function suggestKeys(db: Db, key: string, limit: number): Promise<KeySuggestions> {
  const spoken = normalizeForSearch(key)
  const found = spoken === '' ? [] : await selectNamesLike(db, key)
  const same = [...new Set(found)].filter((name) => name !== key && normalizeForSearch(name) === spoken)
  const { rows } = await sql<{ until: number | null }>`
    select max(ended_at) as until from (
      select closed_at as ended_at from files where pruned_at is not null
      union all
      select coalesce(acknowledged_at, delivered_at) from deliveries where pruned_at is not null)`.execute(db)
  return { same: same.slice(0, limit), ...omitNull({ prunedUntil: rows[0]?.until ?? null }) }
}

/** The database leaves out all zeros, which lets through too many names, and none too few. */
async function selectNamesLike(db: Db, key: string): Promise<string[]> {
  const bare = key.toLowerCase().replaceAll(/[\s_0-]/g, '')
  // Within a list of cells.
  const cell = JSON.stringify(bare)
  const { rows } = await sql<{ name: string | null; cells: string | null }>`
    select name, null as cells from files where ${normalizeColumn('name')} = ${bare}
    union select name, null from deliveries where ${normalizeColumn('name')} = ${bare}
    union select key, null from resource_keys where kind in (${TRACED_KIND_LIST}) and ${normalizeColumn('key')} = ${bare}
    union select substr(one, 6), null from resource_links where one like 'name %' and ${normalizeColumn('substr(one, 6)')} = ${bare}
    union select natural_key, null from records where ${normalizeColumn('natural_key')} = ${bare}
    union select null, key_values from records where instr(${normalizeColumn('key_values')}, ${cell}) > 0
    limit ${MAX_COMPARED}`.execute(db)
  return rows.flatMap(({ name, cells }) => (cells === null ? (name ?? []) : (JSON.parse(cells) as string[])))
}

function normalizeColumn(column: string): RawBuilder<string> {
  return sql.raw(`lower(replace(replace(replace(replace(${column}, '-', ''), '_', ''), ' ', ''), '0', ''))`)
}
