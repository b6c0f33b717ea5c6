/** Finds everything about a key: records, resources, and similar keys. */
import { type RawBuilder, sql } from 'kysely'
import { findTargetField, hasBodyField, isInbound } from '../contract/operations.ts'
import type { CorrectionLink } from '../domain/decision.ts'
import type { Journal, KnownName, WorkRef } from '../domain/journal.ts'
import type { KeyQuery, KeySuggestions, KeyTrace, TracedRecord } from '../domain/trace.ts'
import { normalizeForSearch, rankSimilarNames } from '../support/text.ts'
import { selectCorrectionLinks } from './corrections.ts'
import { toWork } from './records.ts'
import {
  addResourcesByName,
  createLinkSet,
  expandLinks,
  type LinkSet,
  TRACED_KIND_LIST,
} from './resource-links.ts'
import { selectDismissedIds } from './held-records.ts'
import { jsonRows, omitNull, selectFirst } from './rows.ts'
import type { Db, Row } from './schema.ts'
import type { BoundStore } from './store.ts'
import {
  countProblems,
  proveRecord,
  selectRecordPage,
  selectTraced,
  selectTracedDetails,
  toTracedRecord,
  type TracedRow,
} from './trace-details.ts'
import { readConsistently } from './verify-check.ts'

export function createTraceJournal({ reads }: BoundStore) {
  return {
    traceKey: reads(traceKey),
    traceLine: reads(async (db, fileId, line, limit) => {
      const holdsLine = sql<boolean>`exists (select 1 from json_each(records.lines) as range
        where range.value ->> 0 <= ${line} and range.value ->> 1 >= ${line})`
      const query = selectTraced(db).where('file_id', '=', fileId).where(holdsLine)
      const rows = await query.orderBy('number').limit(limit).execute()
      return rows.map((row) => toTracedRecord(row, () => true))
    }),
    traceWork: reads(selectWorkRecords),
    traceDetails: reads(selectTracedDetails),
    proveRecord: reads((db, id) => readConsistently(db, () => proveRecord(db, id))),
    suggestKeys: reads(suggestKeys),
    findSimilarNames: reads(findSimilarNames),
    listTracedRecords: reads(async (db, ids) => {
      if (ids.length === 0) return []
      const rows = await selectTraced(db).where('id', 'in', ids).orderBy('id').execute()
      return rows.map((row) => toTracedRecord(row, () => true))
    }),
    listDecidedRecords: reads(async (db, decisionId, after, limit) => {
      const isDecided = sql<boolean>`records.id in (
        select record_id from decided_records where decision_id = ${decisionId} and record_id > ${after})`
      const rows = await selectTraced(db).where(isDecided).orderBy('id').limit(limit).execute()
      return rows.map((row) => toTracedRecord(row, () => true))
    }),
    listRecords: reads(selectRecordPage),
    countProblems: reads(countProblems),
    findNamesByPrefix: reads(findNamesByPrefix),
  } satisfies Partial<Journal>
}

async function traceKey(db: Db, key: string, query: KeyQuery): Promise<KeyTrace> {
  // A key may be several cells as reports show them: `HV-10001, 1Z999`.
  const parts = key.includes(', ') ? [key, ...key.split(', ')] : [key]
  const links = createLinkSet(parts)
  const named = new Set<string>()
  for (const part of parts) for (const id of await addResourcesByName(db, links, part)) named.add(id)
  const own = parseRecordNumber(key)
  const found = query.everywhere ? await searchRecords(db, key) : await findRecordsByKey(db, links)
  if (own !== undefined) found.add(own)
  for (const id of await selectAcceptedIds(db, key)) found.add(id)
  for (const id of await selectDismissedIds(db, key)) found.add(id)
  await addRelatedOrders(db, links, found)
  await expandLinks(db, links)
  for (const id of await findLinkedRecords(db, links, query)) found.add(id)
  const corrected = await selectCorrectionLinks(db, [...found].slice(0, MAX_FOUND))
  const pairs = corrected.flatMap((link) => link.pairs)
  for (const { from, to = from } of pairs) found.add(from).add(to)
  const isMeant = (row: TracedRow) => isMeantRecord(row, { key, named, own })
  const resources = [...links.resources.values()]
  const { records, earlier } = await selectLatestRecords(db, { ids: [...found], query, isMeant })
  return { records: markCorrectedMeant(records, pairs), earlier, resources }
}

/** A refused record is as much of the key as the one that came of its correction, which may have changed the key. */
function markCorrectedMeant(
  records: readonly TracedRecord[],
  pairs: CorrectionLink['pairs'],
): readonly TracedRecord[] {
  const meant = new Set(records.flatMap(({ id, isMeant }) => (isMeant ? [id] : [])))
  return records.map((record) =>
    pairs.some(({ from, to }) => from === record.id && to !== undefined && meant.has(to))
      ? { ...record, isMeant: true }
      : record,
  )
}

/** `#12`, the journal's own number of a record. */
function parseRecordNumber(key: string): number | undefined {
  const [, digits] = /^#(\d{1,15})$/.exec(key) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** A record that is created for an order is in its lane; a record that creates the order has its number as its key. */
async function addRelatedOrders(db: Db, links: LinkSet, found: ReadonlySet<number>): Promise<void> {
  if (found.size === 0) return
  const rows = await selectTraced(db)
    .where('id', 'in', [...found].slice(0, MAX_RELATED))
    .execute()
  for (const { direction, operation, lane, step, natural_key, api_id } of rows) {
    const kind = getKeyPrefixKind(operation)
    if (direction === 'outgoing') links.ids.add(`${getExportedKind(operation)} ${api_id}`)
    else if (operation === 'create-order' && api_id !== null) links.ids.add(`order ${api_id}`)
    // In a file with several steps, the lane of every record of an order is the id of the order.
    else if (lane !== null && (kind !== undefined || step !== null))
      links.ids.add(`${kind ?? 'order'} ${lane}`)
    if (natural_key !== null && kind === undefined) links.keys.add(natural_key)
  }
}

/** For how many records the related orders are looked up. */
const MAX_RELATED = 20

async function selectLatestRecords(
  db: Db,
  { ids, query, isMeant }: { ids: readonly number[]; query: KeyQuery; isMeant: (row: TracedRow) => boolean },
): Promise<Omit<KeyTrace, 'resources'>> {
  const { route, limit } = query
  const all = sql<boolean>`records.id in (select value from json_each(${JSON.stringify(ids)}))`
  const condition = route === undefined ? all : sql<boolean>`${all} and records.route = ${route}`
  const counting = sql<{ total: number }>`select count(*) as total from records where ${condition}`
  const counted = await selectFirst(db, counting)
  const rows = await selectTraced(db).where(condition).orderBy('id', 'desc').limit(limit).execute()
  return {
    records: rows.toReversed().map((row) => toTracedRecord(row, isMeant)),
    earlier: (counted?.total ?? 0) - rows.length,
  }
}

interface KeyMatch {
  readonly key: string
  /** The API ids of the resources with this name. */
  readonly named: ReadonlySet<string>
  readonly own: number | undefined
}

function isMeantRecord(row: TracedRow, { key, named, own }: KeyMatch): boolean {
  const isOwn = row.id === own || row.api_id === key || row.natural_key === key
  const cells = JSON.parse(row.key_values) as string[]
  if (isOwn || cells.includes(key) || cells.filter((cell) => cell !== '').join(', ') === key) return true
  if (row.direction === 'outgoing') return named.has(`${getExportedKind(row.operation)} ${row.api_id}`)
  // Once its cells are pruned, a record is found by its resource, which has the name too. An order has the name as its key.
  const kind = row.operation.replace(/^create-/, '')
  return kind !== 'order' && named.has(`${kind} ${row.api_id}`)
}

async function selectWorkRecords(db: Db, work: WorkRef, limit: number): Promise<TracedRecord[]> {
  const { condition } = toWork(work)
  const all = selectTraced(db).where(condition).orderBy('number')
  const ended = ['accepted', 'duplicate', 'exported', 'skipped'] as const
  const unfinished = await all.where('state', 'not in', ended).limit(limit).execute()
  const room = limit - unfinished.length
  const finished = await all.where('state', 'in', ended).limit(room).execute()
  return [...unfinished, ...finished].map((row) => toTracedRecord(row, () => true))
}

// Finds the records of a set of keys and ids, through the existing indexes.

/** How many records of one sort are read. */
const MAX_FOUND = 1000

/** The ids of all records that belong to the links, unordered. */
async function findLinkedRecords(db: Db, links: LinkSet, { isQuick }: KeyQuery): Promise<Set<number>> {
  const lanes = await selectOperationAccounts(db, sql`owns_key = 1`)
  return new Set([
    ...(await selectIdsByKeys(db, links, lanes)),
    ...(await selectIdsByKeyPrefix(db, links, lanes)),
    ...(await selectIdsByApiId(db, links)),
    ...(await (isQuick ? selectUncorrectedIds : selectIdsByCells)(db, [...links.keys])),
  ])
}

/** The ids of the records that have one of the keys themselves. */
async function findRecordsByKey(db: Db, links: LinkSet): Promise<Set<number>> {
  return new Set(await selectIdsByKeys(db, links, await selectOperationAccounts(db, sql`owns_key = 1`)))
}

/** Records that the API gave this id, also those that no list of it has shown yet. */
async function selectAcceptedIds(db: Db, apiId: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from records indexed by records_accepted_by_id
    where direction = 'incoming' and api_id is not null and api_id = ${apiId} order by id desc limit ${MAX_SAME_ID}`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** Orders, parcels and invoices of several accounts may have one id; and a change has that of what it changes. */
const MAX_SAME_ID = 50

/** Searches all records for the cell, the id or the key. */
async function searchRecords(db: Db, key: string): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select id from records
    where instr(key_values, ${JSON.stringify(key)}) > 0 or natural_key = ${key} or api_id = ${key}
      or substr(natural_key, -length(${key}) - 1) = ' ' || ${key}
    limit ${MAX_FOUND}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** An operation and an account with records: the indexes begin with these. */
type Lane = Pick<Row<'records'>, 'operation' | 'account'>

/**
 * Steps from pair to pair through the index, whatever the number of records of each; `filter` is the condition of the
 * index. Comparing both columns at once would read all records of an operation.
 */
async function selectOperationAccounts(db: Db, filter: RawBuilder<boolean>): Promise<Lane[]> {
  const { rows } = await sql<Lane>`
    with recursive lanes (operation, account) as (
      select * from (select operation, account from records where ${filter} order by operation, account limit 1)
      union all
      select next.operation, next.account from lanes join records as next on next.rowid = coalesce(
        (select rowid from records
          where ${filter} and operation = lanes.operation and account > lanes.account
          order by account limit 1),
        (select rowid from records where ${filter} and operation > lanes.operation order by operation, account limit 1))
      limit ${MAX_OPERATION_ACCOUNTS}
    )
    select operation, account from lanes`.execute(db)
  return rows
}

const MAX_OPERATION_ACCOUNTS = 200

interface LaneKey extends Lane {
  readonly key: string
}

/** The records of operations and accounts that meet a condition, which may use `batch.key`. */
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

/** The key of a change begins with the id of the resource, and the key of what is created for an order with that of the order. */
function getKeyPrefixKind(operation: string): string | undefined {
  const isForOrder = isInbound(operation) && hasBodyField(operation, 'order_id')
  return isForOrder ? 'order' : findTargetField(operation)?.replace(/_id$/, '')
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

/** Refused and held records own no key, so they are found by their cells. */
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

/** Refused records that wait for a correction, and held ones, by their first cell. Both indexes begin with the route. */
async function selectUncorrectedIds(db: Db, keys: readonly string[]): Promise<number[]> {
  const heads = jsonRows(keys.slice(0, MAX_CELLS), { head: (key) => JSON.stringify([key]).slice(0, -1) })
  const { rows } = await sql<{ id: number }>`
    with recursive routes (route) as (${ROUTES})
    select records.id from routes cross join ${heads} cross join records indexed by records_uncorrected
    where ${HAS_FIRST_CELL} and records.state = 'rejected' and records.corrected = 0 and records.file_id is not null
    union all
    select records.id from routes cross join ${heads} cross join records indexed by records_held_by_key
    where ${HAS_FIRST_CELL} and records.state = 'held' and records.file_id is not null
    limit ${MAX_FOUND}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Condition on `records` of `routes`, beside `head`: the first of its key cells. */
const HAS_FIRST_CELL = sql<boolean>`(records.route = routes.route and records.key_values >= head
  and records.key_values < head || 'z' and substr(records.key_values, length(head) + 1, 1) in (',', ']'))`

/** The routes that have files, one step through the index each. */
const ROUTES = sql`
  select min(route) from files
  union all
  select (select min(route) from files where files.route > routes.route) from routes
  where routes.route is not null limit ${sql.lit(1000)}`

/** Each cell costs a search of all refused and held records. */
const MAX_CELLS = 10

// Finds names that are spelt like an unknown one.

/** How many names of each sort are compared. */
const MAX_COMPARED = 2000

/** Indexes find names with the same beginning; of files and deliveries the latest are compared. */
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
  const names = rows.map(({ name }) => name)
  return rankSimilarNames(key, names, limit)
}

/** Names may be in the case in which they were typed, or in another. */
function listPrefixes(key: string): string[] {
  const head = key.slice(0, Math.max(1, Math.ceil(key.length / 2)))
  return [...new Set([head, head.toUpperCase(), head.toLowerCase()])]
}

/** Searches all names, when nothing else was found: no index has them without dashes. */
async function suggestKeys(db: Db, key: string, limit: number): Promise<KeySuggestions> {
  const normalized = normalizeForSearch(key)
  const found = normalized === '' ? [] : await selectNamesLike(db, key)
  const same = [...new Set(found)].filter((name) => name !== key && normalizeForSearch(name) === normalized)
  const { rows } = await sql<{ until: number | null }>`
    select max(ended_at) as until from (
      select closed_at as ended_at from files where pruned_at is not null
      union all
      select coalesce(acknowledged_at, delivered_at) from deliveries where pruned_at is not null)`.execute(db)
  return { same: same.slice(0, limit), ...omitNull({ prunedUntil: rows[0]?.until ?? null }) }
}

/** The database removes all zeros, so it returns too many names, but never too few. */
async function selectNamesLike(db: Db, key: string): Promise<string[]> {
  const bare = key.toLowerCase().replaceAll(/[\s_0-]/g, '')
  // As in a JSON list of cells.
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

// Names by their beginning, through the indexes.

async function findNamesByPrefix(db: Db, text: string, limit: number): Promise<KnownName[]> {
  const lanes = await selectOperationAccounts(db, sql`owns_key = 1`)
  const typed = [...new Set([text, text.toUpperCase(), text.toLowerCase()])]
  const heads = jsonRows(typed, { head: (head) => head })
  const asked = lanes.flatMap((lane) => typed.map((head) => ({ ...lane, head })))
  const byKey = jsonRows(asked, { operation: 'operation', account: 'account', head: 'head' })
  const cells = jsonRows(typed, { head: (head) => JSON.stringify([head]).slice(0, -2) })
  const { rows } = await sql<{ kind: KnownName['kind']; name: string; id: string | null }>`
    with recursive routes (route) as (${ROUTES})
    select kind, name, id from (
      select * from (select 'file' as kind, name, id from ${heads} cross join files
        where files.name >= head and files.name < head || char(1114111) order by number desc limit ${limit})
      union all
      select * from (select 'delivery', name, id from ${heads} cross join deliveries
        where deliveries.name >= head and deliveries.name < head || char(1114111) order by composed_at desc limit ${limit})
      union all
      select * from (select 'record', natural_key, records.id from ${byKey} cross join records
        where records.operation = batch.operation and records.account = batch.account and records.owns_key = 1
          and records.natural_key >= head and records.natural_key < head || char(1114111) limit ${limit})
      union all
      select * from (
        select 'record', key_values ->> '$[0]', records.id
        from routes cross join ${cells} cross join records indexed by records_uncorrected
        where records.route = routes.route and records.key_values >= head and records.key_values < head || char(1114111)
          and records.state = 'rejected' and records.corrected = 0 and records.file_id is not null limit ${limit})
      union all
      select * from (select distinct 'resource', key, null from ${heads} cross join resource_keys
        where kind in (${TRACED_KIND_LIST}) and key >= head and key < head || char(1114111) limit ${limit})
    )`.execute(db)
  return rows.map(({ kind, name, id }) => ({
    kind,
    name,
    ...omitNull({ id: id === null ? null : String(id) }),
  }))
}
