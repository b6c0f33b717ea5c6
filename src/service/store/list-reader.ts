/** Reads parts of lists: how many rows match, and the ids of a page, wherever in the list it lies. */
import { type RawBuilder, sql } from 'kysely'
import { BLOCK_BITS, LISTED, LISTED_STATUSES, type Listed, type ListName } from './listed.ts'
import type { Store } from './store.ts'

export interface Conditions {
  /** 1 or 0; all rows when left out. */
  readonly acknowledged?: 0 | 1
  /** All rows when left out. */
  readonly statuses?: readonly string[]
  /** Conditions on the columns of the list, which goes by the name `listed`. */
  readonly others: readonly RawBuilder<unknown>[]
}

export interface Selection extends Conditions {
  readonly list: ListName
  readonly ownerId: number
}

/** A page by its number, counted from 1, or the one that follows or goes before an id. */
export interface SliceRequest {
  readonly page: number
  readonly after?: number
  readonly before?: number
  readonly limit: number
}

export interface Slice {
  readonly ids: readonly number[]
  /** Whether there are rows behind it. */
  readonly hasMore: boolean
  /** Whether there are rows in front of it. */
  readonly hasEarlier: boolean
}

export interface ListReader {
  count(selection: Selection): number
  /** In the order of the ids. */
  slice(selection: Selection, request: SliceRequest): Slice
}

/**
 * A selection by acknowledgement and status alone costs the same whatever the length of the list: its rows are counted
 * already, and each combination of the two is a range of one index. Any other condition is looked up in the list.
 */
export function createListReader(store: Store): ListReader {
  function count(selection: Selection): number {
    if (selection.others.length > 0) return countMatching(store, selection)
    return sumOf(blocksOf(store, selection))
  }

  function slice(selection: Selection, { page, after, before, limit }: SliceRequest): Slice {
    if (before !== undefined) {
      const found = idsOf(store, selection, {
        from: 0,
        below: before,
        limit: limit + 1,
        skip: 0,
        descending: true,
      })
      return { ids: found.slice(0, limit).toReversed(), hasMore: true, hasEarlier: found.length > limit }
    }
    const skipped = after === undefined ? (page - 1) * limit : 0
    const start = after === undefined ? startOf(store, selection, skipped) : { from: after + 1, skip: 0 }
    const found = idsOf(store, selection, { ...start, limit: limit + 1, descending: false })
    return {
      ids: found.slice(0, limit),
      hasMore: found.length > limit,
      hasEarlier: after !== undefined || skipped > 0,
    }
  }

  return { count, slice }
}

interface Block {
  readonly block: number
  readonly count: number
}

function blocksOf({ all, build }: Store, selection: Selection): Block[] {
  const { list, ownerId } = selection
  const keys = keysOf(selection).map(([acknowledged, status]) => sql`(${acknowledged}, ${status})`)
  return all(
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

function sumOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { count }) => sum + count, 0)
}

/** Every combination of acknowledgement and status that is asked for. */
function keysOf({ list, acknowledged, statuses }: Selection): [acknowledged: number, status: string][] {
  const { isAcknowledged, hasStatus }: Listed = LISTED[list]
  const flags = !isAcknowledged ? [0] : acknowledged === undefined ? [0, 1] : [acknowledged]
  const names = hasStatus ? (statuses ?? LISTED_STATUSES) : ['']
  return flags.flatMap((flag) => names.map((name): [number, string] => [flag, name]))
}

/** Where to begin so that as many rows are skipped: at the id `from`, with `skip` rows still to be left out. */
function startOf(store: Store, selection: Selection, skipped: number): { from: number; skip: number } {
  if (skipped === 0 || selection.others.length > 0) return { from: 0, skip: skipped }
  let left = skipped
  for (const { block, count } of blocksOf(store, selection)) {
    if (left < count) return { from: block * 2 ** BLOCK_BITS, skip: left }
    left -= count
  }
  return { from: Number.MAX_SAFE_INTEGER, skip: 0 }
}

interface Range {
  /** The lowest id. */
  readonly from: number
  /** Ids below this one. */
  readonly below?: number
  readonly skip: number
  readonly limit: number
  readonly descending: boolean
}

function idsOf({ query }: Store, selection: Selection, range: Range): number[] {
  const order = sql.raw(range.descending ? 'order by id desc' : 'order by id')
  const needed = range.limit + range.skip
  const parts = sourcesOf(selection, range).map(
    (source) => sql`select * from (select id ${source} ${order} limit ${needed})`,
  )
  const union = sql.join(parts, sql` union all `)
  return query(
    sql<{ id: number }>`select id from (${union}) ${order} limit ${range.limit} offset ${range.skip}`,
  ).map(({ id }) => id)
}

function countMatching({ query }: Store, selection: Selection): number {
  const rows = query(sql<{ count: number }>`select count(*) as count ${matchingRows(selection, [])}`)
  return rows[0]?.count ?? 0
}

/** Where the ids come from: a range of the index for each combination, or all rows that match. */
function sourcesOf(selection: Selection, { from, below }: Range): RawBuilder<unknown>[] {
  const range = [sql`id >= ${from}`, ...(below === undefined ? [] : [sql`id < ${below}`])]
  if (selection.others.length > 0) return [matchingRows(selection, range)]
  return keysOf(selection).map(([acknowledged, status]) =>
    matchingRows(
      {
        ...selection,
        acknowledged: acknowledged === 1 ? 1 : 0,
        ...(status === '' ? {} : { statuses: [status] }),
      },
      range,
    ),
  )
}

function matchingRows(selection: Selection, range: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  const { list, ownerId, acknowledged, statuses, others } = selection
  const { from, owner, isAcknowledged }: Listed = LISTED[list]
  const conditions = [
    sql`${sql.ref(owner)} = ${ownerId}`,
    ...(acknowledged === undefined || !isAcknowledged ? [] : [sql`is_acknowledged = ${acknowledged}`]),
    ...(statuses === undefined ? [] : [sql`status in (${sql.join(statuses)})`]),
    ...others,
    ...range,
  ]
  return sql`from ${sql.table(from)} as listed where ${sql.join(conditions, sql` and `)}`
}
