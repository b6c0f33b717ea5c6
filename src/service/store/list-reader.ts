/** Reads parts of lists: how many rows match, and the ids of a page anywhere in the list. */
import { type RawBuilder, sql } from 'kysely'
import { BLOCK_BITS, LISTS, LIST_STATUSES, type ListDefinition, type ListName } from './list-counts.ts'
import { build, type Store } from './store.ts'

export interface Conditions {
  /** 1 or 0; all rows when left out. */
  readonly acknowledged?: 0 | 1
  /** All rows when left out. */
  readonly statuses?: readonly string[]
  /** Conditions on the columns of the list, which goes by the name `listed`. */
  readonly conditions: readonly RawBuilder<unknown>[]
}

export interface Selection extends Conditions {
  readonly list: ListName
  readonly ownerId: number
}

/** Which page: by its number, counted from 1, or by the id after or before which it begins. */
export interface Position {
  readonly page: number
  readonly after?: number
  readonly before?: number
}

export interface Slice {
  readonly ids: readonly number[]
  readonly hasMore: boolean
  readonly hasEarlier: boolean
}

/**
 * Counts a selection by acknowledgement and status in constant time: triggers count its rows, and each combination of the
 * two is a range of one index. Any other condition scans the list.
 */
export function countRows(store: Store, selection: Selection): number {
  if (selection.conditions.length === 0)
    return readBlocks(store, selection).reduce((sum, { count }) => sum + count, 0)
  const rows = store.all(sql<{ count: number }>`select count(*) as count ${selectMatching(selection, [])}`)
  return rows[0]?.count ?? 0
}

/** The ids are in order. */
export function readSlice(store: Store, selection: Selection, position: Position, limit: number): Slice {
  const { page, after, before } = position
  if (before !== undefined) {
    const range = { from: 0, below: before, limit: limit + 1, skip: 0, descending: true }
    const found = readIds(store, selection, range)
    return { ids: found.slice(0, limit).toReversed(), hasMore: true, hasEarlier: found.length > limit }
  }
  const skipped = after === undefined ? (page - 1) * limit : 0
  const start = after === undefined ? findStart(store, selection, skipped) : { from: after + 1, skip: 0 }
  const found = readIds(store, selection, { ...start, limit: limit + 1, descending: false })
  return {
    ids: found.slice(0, limit),
    hasMore: found.length > limit,
    hasEarlier: after !== undefined || skipped > 0,
  }
}

function readBlocks(store: Store, selection: Selection): { block: number; count: number }[] {
  const { list, ownerId } = selection
  const keys = listKeys(selection).map(([acknowledged, status]) => sql`(${acknowledged}, ${status})`)
  return store.all(
    build
      .selectFrom('list_counts')
      .select(['block', sql<number>`sum(count)`.as('count')])
      .where('list', '=', list)
      .where('owner_id', '=', ownerId)
      .where(sql<boolean>`(is_acknowledged, status) in (values ${sql.join(keys)})`)
      .groupBy('block')
      .orderBy('block'),
  )
}

/** Lists every requested combination of acknowledgement and status. */
function listKeys({ list, acknowledged, statuses }: Selection): [acknowledged: 0 | 1, status: string][] {
  const { isAcknowledged, hasStatus }: ListDefinition = LISTS[list]
  const flags: readonly (0 | 1)[] = acknowledged === undefined ? [0, 1] : [acknowledged]
  const names = hasStatus ? (statuses ?? LIST_STATUSES) : ['']
  const listed = isAcknowledged ? flags : [0 as const]
  return listed.flatMap((flag) => names.map((name): [0 | 1, string] => [flag, name]))
}

/** Finds the start behind the skipped rows: the id `from`, with `skip` more rows to leave out. */
function findStart(store: Store, selection: Selection, skipped: number): { from: number; skip: number } {
  if (skipped === 0 || selection.conditions.length > 0) return { from: 0, skip: skipped }
  let left = skipped
  for (const { block, count } of readBlocks(store, selection)) {
    if (left < count) return { from: block * 2 ** BLOCK_BITS, skip: left }
    left -= count
  }
  return { from: Number.MAX_SAFE_INTEGER, skip: 0 }
}

interface Range {
  readonly from: number
  readonly below?: number
  readonly skip: number
  readonly limit: number
  readonly descending: boolean
}

function readIds(store: Store, selection: Selection, range: Range): number[] {
  const order = sql.raw(range.descending ? 'order by id desc' : 'order by id')
  const needed = range.limit + range.skip
  const parts = listSources(selection, range).map(
    (source) => sql`select * from (select id ${source} ${order} limit ${needed})`,
  )
  const union = sql.join(parts, sql` union all `)
  const page = sql<{
    id: number
  }>`select id from (${union}) ${order} limit ${range.limit} offset ${range.skip}`
  return store.all(page).map(({ id }) => id)
}

/** Lists the sources of ids: a range of the index for each combination, or all rows that match. */
function listSources(selection: Selection, { from, below }: Range): RawBuilder<unknown>[] {
  const range = [sql`id >= ${from}`, ...(below === undefined ? [] : [sql`id < ${below}`])]
  if (selection.conditions.length > 0) return [selectMatching(selection, range)]
  return listKeys(selection).map(([acknowledged, status]) =>
    selectMatching({ ...selection, acknowledged, ...(status === '' ? {} : { statuses: [status] }) }, range),
  )
}

function selectMatching(selection: Selection, range: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  const { list, ownerId, acknowledged, statuses, conditions: filters } = selection
  const { from, owner, isAcknowledged }: ListDefinition = LISTS[list]
  const conditions = [
    sql`${sql.ref(owner)} = ${ownerId}`,
    ...(acknowledged === undefined || !isAcknowledged ? [] : [sql`is_acknowledged = ${acknowledged}`]),
    ...(statuses === undefined ? [] : [sql`status in (${sql.join(statuses)})`]),
    ...filters,
    ...range,
  ]
  return sql`from ${sql.table(from)} as listed where ${sql.join(conditions, sql` and `)}`
}
