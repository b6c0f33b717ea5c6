/** Counts files, records and deliveries: by state, route by route, and those of a range of time. */
import { type RawBuilder, sql } from 'kysely'
import type {
  ActiveRecord,
  ActiveWork,
  ActivityCounts,
  ActivityJournal,
  ActivityRequest,
  RecordsMark,
  ReportedWork,
  TimeRange,
  WorkSegment,
} from '../domain/activity.ts'
import { MEASURES } from '../contract/operations.ts'
import type { ProblemCode } from '../domain/problem.ts'
import type { DeliveryQuery, FileQuery, Journal, RouteOverview } from '../domain/journal.ts'
import { OUTCOMES, type StateCounts } from '../domain/record.ts'
import { IS_UNFINISHED, toDeliveryEntry } from './deliveries.ts'
import { selectFiles } from './files.ts'
import { isKeyInLane } from './records.ts'
import { jsonRows, omitNull, selectFirst, PRUNED_BODY } from './rows.ts'
import type { Db, Row } from './schema.ts'
import type { BoundStore } from './store.ts'

export function createOverviewJournal({ store, reads }: BoundStore) {
  return {
    summarizeRoutes: reads((db) => summarizeRoutes(db, store.clock.now())),
    listUnfinishedRoutes: reads(selectUnfinishedRoutes),
    hasNoWork: reads(async (db, route) => {
      const { rows } = await sql`
        select 1 from leases where route = ${route} and owner is null
          and not exists (select 1 from files where route = ${route} and state <> 'closed')
          and not exists (select 1 from deliveries where route = ${route} and ${IS_UNFINISHED})
          and not exists (select 1 from redeliveries where route = ${route} and state = 'begun')`.execute(db)
      return rows.length > 0
    }),
  } satisfies Partial<Journal>
}

/** The conditions are those of the partial indexes on unfinished work. */
async function selectUnfinishedRoutes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ route: string }>`
    select route from files where state <> 'closed'
    union select route from deliveries where ${IS_UNFINISHED}
    union select route from redeliveries where state = 'begun'
    order by route`.execute(db)
  return rows.map(({ route }) => route)
}

async function summarizeRoutes(db: Db, now: number): Promise<RouteOverview[]> {
  const counts = await countStates(db)
  const leases = await db.selectFrom('leases').selectAll().execute()
  const owners = new Map(leases.filter(({ until }) => until > now).map(({ route, owner }) => [route, owner]))
  return [...new Set([...leases, ...counts].map(({ route }) => route))].toSorted().map((route) => {
    const of = (what: StateCount['what']) =>
      Object.fromEntries(
        counts
          .filter((it) => it.route === route && it.what === what)
          .map(({ state, count }) => [state, count]),
      )
    const owner = owners.get(route)
    return {
      route,
      files: of('files'),
      incoming: of('incoming'),
      outgoing: of('outgoing'),
      deliveries: of('deliveries'),
      ...(owner && { owner }),
    }
  })
}

interface StateCount {
  readonly what: 'files' | 'incoming' | 'outgoing' | 'deliveries'
  readonly route: string
  readonly state: string
  readonly count: number
}

async function countStates(db: Db): Promise<StateCount[]> {
  const { rows } = await sql<StateCount>`
    select 'files' as what, route, state, count(*) as count from files group by route, state
    union all
    select direction, route, state, count(*) from records where not (state in ('rejected', 'held') and corrected = 1)
    group by direction, route, state
    union all
    select 'deliveries', route, state, count(*) from deliveries group by route, state`.execute(db)
  return rows
}

// What passed through in a range of time, page by page.

export function createActivityJournal({ reads }: BoundStore): ActivityJournal {
  return {
    listActiveWork: reads(selectActiveWork),
    listActiveRecords: reads(selectActiveRecords),
    listReportedWork: reads(selectReportedWork),
    markRecords: reads(markRecords),
    countActivity: reads(countActivity),
    listAcceptedBodies: reads(async (db, { account, operations, lane, since }) => {
      const names = sql.join(operations.map((name) => sql.lit(name)))
      const { rows } = await sql<{ body: string }>`
        select bodies.body from records join bodies on bodies.record_id = records.id
        where operation in (${names}) and account = ${account} and owns_key = 1 and ${isKeyInLane(lane)}
          and state = 'accepted' and changed_at >= ${since} and body <> ${PRUNED_BODY}`.execute(db)
      return rows.map(({ body }) => body)
    }),
    hasAcknowledged: reads(async (db, { account, id, since }) => {
      const { rows } = await sql`
        select 1 from records where operation = 'export-orders' and account = ${account} and api_id = ${id}
          and direction = 'outgoing' and state = 'accepted' and changed_at >= ${since}
        union all
        select 1 from records where operation = 'acknowledge-order' and account = ${account} and owns_key = 1
          and ${isKeyInLane(id)} and state = 'accepted' and changed_at >= ${since}`.execute(db)
      return rows.length > 0
    }),
  }
}

/** A file counts when it was received, a delivery when it was delivered. */
async function selectActiveWork(db: Db, range: TimeRange, after: ActiveWork | undefined, limit: number) {
  const { from, to } = range
  const { direction = '', id = '' } = after ?? {}
  const { rows } = await sql<ActiveWork>`
    select * from (
      select 'incoming' as direction, id, route, 0 as records from files
      where received_at >= ${from} and received_at < ${to}
      union all
      select 'outgoing', id, route, records from deliveries
      where delivered_at >= ${from} and delivered_at < ${to}
    ) where (direction, id) > (${direction}, ${id})
    order by direction, id limit ${limit}`.execute(db)
  return rows
}

async function selectActiveRecords(
  db: Db,
  { direction, id }: Pick<ActiveWork, 'direction' | 'id'>,
  afterNumber: number,
  limit: number,
): Promise<ActiveRecord[]> {
  const owner = sql.ref(direction === 'incoming' ? 'file_id' : 'delivery_id')
  const { rows } = await sql<ActiveRecord & { readonly body: string | null }>`
    select number, operation, account, state, bodies.body
    from records left join bodies on bodies.record_id = records.id
    where ${owner} = ${id} and number > ${afterNumber} order by number limit ${limit}`.execute(db)
  return rows.map(({ body, ...record }) =>
    body === PRUNED_BODY ? { ...record, isPruned: true } : { ...record, ...omitNull({ body }) },
  )
}

async function selectReportedWork(
  db: Db,
  range: TimeRange,
  after: ReportedWork | undefined,
  limit: number,
): Promise<ReportedWork[]> {
  const works = await selectActiveWork(db, range, after && { ...after, records: 0 }, limit)
  const batch = jsonRows(works, { id: 'id', direction: 'direction' })
  const { rows } = await sql<{
    id: string
    last: number | null
    is_correction: number
    at: number | null
  }>`
    select batch.id, case batch.direction
        when 'incoming' then (select received_at from files where files.id = batch.id)
        else (select delivered_at from deliveries where deliveries.id = batch.id) end as at,
      case batch.direction
        when 'incoming' then (select max(number) from records where file_id = batch.id)
        else (select max(number) from records where delivery_id = batch.id) end as last,
      exists (select 1 from files where files.id = batch.id
        and (files.name like '%.rejects.%' or files.name like '%.exceptions.%'))
      or exists (select 1 from corrections where taken_as = batch.id) as is_correction
    from ${batch}`.execute(db)
  const found = new Map(rows.map((row) => [row.id, row]))
  return works.map(({ direction, id, route }) => {
    const { last = null, is_correction = 0, at = null } = found.get(id) ?? {}
    return { direction, id, route, lastNumber: last ?? 0, isCorrection: is_correction === 1, at: at ?? 0 }
  })
}

/** Every state at a place of its own. */
const STATE_PLACES = sql.lit(['planned', 'collected', 'sending', ...Object.keys(OUTCOMES)].join(' '))

/** A subquery for each segment: no rows are sorted, which takes most of the time of `countActivity`. */
async function markRecords(
  db: Db,
  direction: ActiveWork['direction'],
  segments: readonly WorkSegment[],
): Promise<RecordsMark[]> {
  const { batch, isOwn } = chooseRecords(direction, segments)
  // An integer of SQLite has room for the times of a segment, one of JavaScript only for what is left of them.
  const sums = sql`total(changed_at % 1000000000), total(attempts), total(corrected), total(instr(${STATE_PLACES}, state))`
  const { rows } = await sql<{ id: string; sums: string }>`
    select batch.id, (select json_array(${sums}) from records where ${isOwn}) as sums from ${batch}`.execute(
    db,
  )
  return rows.map(({ id, sums: text }) => ({ work: id, sums: JSON.parse(text) as number[] }))
}

function chooseRecords(direction: ActiveWork['direction'], segments: readonly WorkSegment[]) {
  const owner = sql.ref(direction === 'incoming' ? 'records.file_id' : 'records.delivery_id')
  const batch = jsonRows(segments, { id: 'id', first: 'first', last: 'last' })
  return { batch, isOwn: sql`${owner} = batch.id and records.number between batch.first and batch.last` }
}

async function countActivity(
  db: Db,
  direction: ActiveWork['direction'],
  segments: readonly WorkSegment[],
  { states }: ActivityRequest,
): Promise<ActivityCounts> {
  const { batch, isOwn } = chooseRecords(direction, segments)
  const own = sql`${batch} cross join records`
  const counted = await sql<
    Omit<ActivityCounts['records'][number], 'isCorrected'> & { readonly isCorrected: number }
  >`
    select batch.id as work, operation, account, state, corrected as "isCorrected", count(*) as records,
      sum(attempts > 0) as sent
    from ${own} where ${isOwn} group by 1, 2, 3, 4, 5`.execute(db)
  const isMeant = sql`records.state in (${sql.join(states.map((state) => sql.lit(state)))})`
  const summed: AmountRow[] = []
  const operations = new Set(counted.rows.map(({ operation }) => operation))
  for (const place of AMOUNT_PLACES) {
    if (!operations.has(place.operation)) continue
    const isSummed = sql`${isOwn} and ${isMeant} and operation = ${place.operation}`
    const { rows: kept } = await sql<AmountRow & { readonly known: number }>`
      select batch.id as work, operation, account, cast(coalesce(sum(cents), 0) as text) as cents, count(cents) as known,
        sum(cents is null) as unknown
      from ${own} left join bodies on bodies.record_id = records.id where ${isSummed} group by 1, 2, 3`.execute(
      db,
    )
    summed.push(...kept.filter(({ known }) => known > 0).map((row) => ({ ...row, unknown: 0 })))
    if (kept.every(({ unknown }) => unknown === 0)) continue
    const { rows } = await sql<AmountRow>`
      ${priceRecords(place, own, sql`${isSummed} and bodies.cents is null`)} select work, operation, account,
        cast(coalesce(sum(cents), 0) as text) as cents, sum(cents is null) as unknown
      from priced group by 1, 2, 3`.execute(db)
    summed.push(...rows)
  }
  const records = counted.rows.map((row) => ({ ...row, isCorrected: row.isCorrected === 1 }))
  const amounts = summed.map((row) => ({ ...row, cents: BigInt(row.cents) }))
  const answers = await sql<
    Omit<ActivityCounts['answers'][number], 'seconds'> & { readonly seconds: number | null }
  >`
    with answered as (
      select batch.id as work, operation, account, records.id as record, max(ended_at) as ended_at,
        max(ended_at - began_at) as ms
      from ${own} cross join attempts
      where ${isOwn} and attempts.record_id = records.id and attempts.http is not null group by records.id)
    select work, operation, account, (ended_at - received_at) / 1000 as seconds, count(*) as records, record,
      max(ms) as ms
    from answered left join files on files.id = work group by 1, 2, 3, 4`.execute(db)
  const reasons = await sql<{
    work: string
    code: ProblemCode
    column: string | null
    records: number
    corrected: number
  }>`
    select batch.id as work, problem.value ->> '$.code' as code, problem.value ->> '$.place.column' as "column",
      count(distinct records.id) as records,
      count(distinct case when corrected = 1 then records.id end) as corrected
    from ${own} cross join json_each(records.problems) as problem
    where ${isOwn} and records.state in ('rejected', 'held') group by 1, 2, 3`.execute(db)
  return {
    records,
    amounts,
    answers: answers.rows.map(({ seconds, ...row }) => ({ ...row, ...omitNull({ seconds }) })),
    reasons: reasons.rows.map(({ column, ...row }) => ({ ...row, ...omitNull({ column }) })),
  }
}

interface AmountRow {
  readonly work: string
  readonly operation: string
  readonly account: string
  readonly cents: string
  readonly unknown: number
}

/** Where the records of an operation have their amount: their own, or those of their lines. */
type AmountPlace =
  | { readonly operation: string; readonly amount: string }
  | { readonly operation: string; readonly lines: string; readonly prices: readonly string[] }

const AMOUNT_PLACES: readonly AmountPlace[] = Object.entries(MEASURES).flatMap(
  ([operation, { amount, lines, prices }]): AmountPlace[] => {
    if (amount !== undefined) return [{ operation, amount }]
    return lines === undefined || prices === undefined ? [] : [{ operation, lines, prices }]
  },
)

/** Keeps the amounts of records beside their bodies, of those that have none there yet. `batch` has their ids. */
export async function keepAmounts(db: Db, batch: RawBuilder<unknown>): Promise<void> {
  const own = sql`${batch} cross join records`
  for (const place of AMOUNT_PLACES) {
    const isKept = sql`records.id = batch.id and operation = ${place.operation} and bodies.cents is null`
    await sql`
      ${priceRecords(place, own, isKept)}
      update bodies set cents = priced.cents from priced
      where bodies.record_id = priced.record and priced.cents is not null`.execute(db)
  }
}

/** Whole cents, so that sums are exact: an amount of the API is text with two decimals. Null for anything else. */
const toCents = (text: RawBuilder<unknown>) => sql`case when ${text} glob '*[0-9].[0-9][0-9]'
  and ${text} not glob '*[^0-9.]*' then cast(replace(${text}, '.', '') as integer) end`

/** The records as `priced`, with their cents. Each step is materialized: else SQLite reads the JSON once for each use. */
function priceRecords(
  place: AmountPlace,
  own: RawBuilder<unknown>,
  isSummed: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const columns = sql`batch.id as work, operation, account, records.id as record`
  const bodies = sql`${own} left join bodies on bodies.record_id = records.id`
  if ('amount' in place)
    return sql`with amounts as materialized (
        select ${columns}, bodies.body ->> ${`$.${place.amount}`} as amount from ${bodies} where ${isSummed}),
      priced as materialized (select work, operation, account, record, ${toCents(sql`amount`)} as cents from amounts)`
  const price = sql`coalesce(${sql.join(place.prices.map((name) => sql`line.value ->> ${`$.${name}`}`))}, '')`
  const cents = sql`case typeof(quantity) when 'integer' then quantity * ${toCents(sql`price`)} end`
  // Spec: further packages of one item do not count.
  return sql`with lines as materialized (
      select ${columns}, line.value ->> '$.quantity' as quantity, ${price} as price
      from ${bodies} left join json_each(bodies.body, ${`$.${place.lines}`}) as line
      where ${isSummed} and coalesce(line.value ->> '$.part', 1) <= 1),
    priced as materialized (
      select work, operation, account, record, case when count(*) = count(${cents}) then sum(${cents}) end as cents
      from lines group by record)`
}

// Lists that people read page by page. A page begins after an entry, so that new ones do not shift it.

export function createListJournal({ reads }: BoundStore) {
  return {
    listFiles: reads((db, query, after, limit) => {
      const isLater = sql`files.number < (select number from files as last where last.id = ${after ?? ''})`
      const isAfter = after === undefined ? sql`true` : isLater
      return selectFiles(
        db,
        sql`${isAfter} and ${matchesFile(query)} order by files.number desc limit ${limit}`,
      )
    }),
    countFiles: reads((db, query, limit) => countUpTo(db, sql`files where ${matchesFile(query)}`, limit)),
    countRecordsOfFiles: reads(countRecordsOfFiles),
    listDeliveries: reads(async (db, query, after, limit) => {
      const last = sql`select composed_at, sequence, id from deliveries as last where last.id = ${after ?? ''}`
      const isAfter = after === undefined ? sql`true` : sql`(composed_at, sequence, id) < (${last})`
      const { rows } = await sql<Row<'deliveries'>>`
        select * from deliveries where ${isAfter} and ${matchesDelivery(query)}
        order by composed_at desc, sequence desc, id desc limit ${limit}`.execute(db)
      return rows.map((row) => ({
        ...toDeliveryEntry(row),
        ...omitNull({ acknowledgeBy: row.acknowledge_by }),
      }))
    }),
    countDeliveries: reads((db, query, limit) =>
      countUpTo(db, sql`deliveries where ${matchesDelivery(query)}`, limit),
    ),
    countAllDecisions: reads((db) => countUpTo(db, sql`decisions`, Number.MAX_SAFE_INTEGER)),
  } satisfies Partial<Journal>
}

async function countUpTo(db: Db, rows: RawBuilder<unknown>, limit: number): Promise<number> {
  const counting = sql<{
    count: number
  }>`select count(*) as count from (select 1 from ${rows} limit ${limit})`
  return (await selectFirst(db, counting))?.count ?? 0
}

/** Condition on `files`. Each sort of trouble has a partial index that begins with the file. */
function matchesFile({ route, name, from, to, isTroubled }: FileQuery): RawBuilder<unknown> {
  const at = sql`coalesce(files.received_at, files.claimed_at)`
  const conditions = [
    ...(route === undefined ? [] : [sql`files.route = ${route}`]),
    ...(name === undefined ? [] : [sql`instr(lower(files.name), lower(${name})) > 0`]),
    ...(from === undefined ? [] : [sql`${at} >= ${from}`]),
    ...(to === undefined ? [] : [sql`${at} < ${to}`]),
    ...(isTroubled === undefined ? [] : [HAS_TROUBLE]),
  ]
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}

const HAS_TROUBLE = sql`(files.outcome in ('unusable', 'vanished') or files.source_removed = 1
  or exists (select 1 from records indexed by records_rejected
    where records.file_id = files.id and records.state = 'rejected' and records.corrected = 0)
  or exists (select 1 from records indexed by records_held
    where records.file_id = files.id and records.state = 'held' and records.file_id is not null and records.corrected = 0)
  or exists (select 1 from records indexed by records_blocking
    where records.file_id = files.id and records.state in ('uncertain', 'deferred')))`

async function countRecordsOfFiles(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StateCounts>> {
  const batch = jsonRows([...new Set(ids)], { id: (id) => id })
  const { rows } = await sql<{ file_id: string; state: string; count: number }>`
    select records.file_id, records.state, count(*) as count from ${batch} cross join records
    where records.file_id = batch.id group by records.file_id, records.state`.execute(db)
  const counts = new Map<string, StateCounts>(ids.map((id) => [id, {}]))
  for (const { file_id, state, count } of rows)
    counts.set(file_id, { ...counts.get(file_id), [state]: count })
  return counts
}

function matchesDelivery({ id, route, state }: DeliveryQuery): RawBuilder<unknown> {
  const isMeant =
    state === 'waiting'
      ? sql`state = 'delivered' and confirmed_at is null`
      : state === 'held'
        ? sql`held is not null`
        : sql`state = ${state ?? ''}`
  const conditions = [
    ...(id === undefined ? [] : [sql`id = ${id}`]),
    ...(route === undefined ? [] : [sql`route = ${route}`]),
    ...(state === undefined ? [] : [isMeant]),
  ]
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}
