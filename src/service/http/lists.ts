/** Lists: what a query asks for, which resources match, and the envelope a page comes in. */
import { type RawBuilder, sql } from 'kysely'
import { type Filter, type Filters, LARGEST_PAGE, TIME_OPERATORS } from '../../contract/filters.ts'
import { type Answer, refused } from './answer.ts'
import { createFieldErrors, type FieldErrors } from './field-errors.ts'
import type { Store } from '../store/store.ts'

/** Spec: not shown. */
const PAGE_WHEN_NOT_ASKED = 50

export type Query = Readonly<Record<string, string | readonly string[] | undefined>>

/** A query for a list, and the address it came to, without the query. */
export interface ListCall {
  readonly query: Query
  readonly address: string
}

/** What to list: the rows of a table that belong to a party. */
export interface ListSource {
  readonly table: 'orders' | 'shipments' | 'invoices'
  readonly owner: 'retailer_id' | 'brand_id'
  readonly ownerId: number
  readonly filters: Filters
}

/**
 * Spec: limit is at most 250; the envelope, the default and later pages are not shown. Our choice: an envelope with
 * `count`, `next`, `previous` and `results`; a larger limit is taken for 250; `page` counts from 1; in the order of
 * the ids, which does not change while the data does.
 */
export function answerList(
  store: Store,
  call: ListCall,
  source: ListSource,
  read: (ids: readonly number[]) => readonly unknown[],
): Answer {
  const errors = createFieldErrors()
  const conditions = [
    sql`${sql.ref(source.owner)} = ${source.ownerId}`,
    ...conditionsOf(call.query, source.filters, errors),
  ]
  const limit = limitOf(call.query, errors)
  if (errors.any()) return errors.answer()
  const matching = store.build
    .selectFrom(sql.table(source.table).as('listed'))
    .where(sql<boolean>`${sql.join(conditions, sql` and `)}`)
  const count = store.all(matching.select(sql<number>`count(*)`.as('count')))[0]?.count ?? 0
  return answerPage(call, { count, limit }, (skip) => {
    const id = sql<number>`id`
    const rows = store.all(matching.select(id.as('id')).orderBy(id).limit(limit).offset(skip))
    return read(rows.map((row) => row.id))
  })
}

/** A list that is in memory. */
export function answerSmallList(call: ListCall, items: readonly unknown[]): Answer {
  const errors = createFieldErrors()
  const limit = limitOf(call.query, errors)
  if (errors.any()) return errors.answer()
  return answerPage(call, { count: items.length, limit }, (skip) => items.slice(skip, skip + limit))
}

function answerPage(
  call: ListCall,
  { count, limit }: { count: number; limit: number },
  resultsFrom: (skip: number) => readonly unknown[],
): Answer {
  const lastPage = Math.max(1, Math.ceil(count / limit))
  const asked = lastOf(call.query['page']) ?? '1'
  const page = /^\d{1,9}$/.test(asked) ? Number(asked) : 0
  if (page < 1 || page > lastPage) return refused(404, 'Invalid page.')
  const body = {
    count,
    next: page < lastPage ? linkTo(call, page + 1) : null,
    previous: page > 1 ? linkTo(call, page - 1) : null,
    results: resultsFrom((page - 1) * limit),
  }
  return { status: 200, body }
}

/** The same query for another page; the first page is the one without a number. */
function linkTo({ query, address }: ListCall, page: number): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (name === 'page' || value === undefined) continue
    for (const one of typeof value === 'string' ? [value] : value) parameters.append(name, one)
  }
  if (page > 1) parameters.append('page', String(page))
  const text = parameters.toString()
  return text === '' ? address : `${address}?${text}`
}

function limitOf(query: Query, errors: FieldErrors): number {
  const asked = lastOf(query['limit'])
  if (asked === undefined) return PAGE_WHEN_NOT_ASKED
  if (!/^\d{1,9}$/.test(asked) || Number(asked) < 1) {
    errors.add(['limit'], `"${asked}" is not a number from 1 to ${LARGEST_PAGE}.`)
    return PAGE_WHEN_NOT_ASKED
  }
  return Math.min(Number(asked), LARGEST_PAGE)
}

type Condition = RawBuilder<unknown>

/** Parameters that are no filters of the list are ignored. Spec: not shown. */
function conditionsOf(query: Query, filters: Filters, errors: FieldErrors): Condition[] {
  return Object.entries(filters).flatMap(([name, filter]) =>
    CONDITIONS[filter.kind](name, { query, filter, errors }),
  )
}

interface Asked {
  readonly query: Query
  readonly filter: Filter
  readonly errors: FieldErrors
}

const CONDITIONS: Readonly<Record<Filter['kind'], (name: string, asked: Asked) => Condition[]>> = {
  text: (name, { query }) => {
    const value = lastOf(query[name])
    return value === undefined ? [] : [sql`${sql.ref(name)} = ${value}`]
  },
  flag: (name, { query, errors }) => {
    const value = lastOf(query[name])
    if (value === undefined) return []
    const flag = FLAGS[value.toLowerCase()]
    if (flag === undefined) errors.add([name], `"${value}" is not one of 1, 0, true, false.`)
    return [sql`${sql.ref(name)} = ${flag}`]
  },
  choice: (name, { query, filter, errors }) => {
    const allowed = filter.kind === 'choice' ? filter.values : []
    const values = [...new Set(allOf(query[name]))]
    for (const value of values) {
      if (!allowed.includes(value)) errors.add([name], `"${value}" is not one of ${allowed.join(', ')}.`)
    }
    return values.length === 0 ? [] : [sql`${sql.ref(name)} in (${sql.join(values)})`]
  },
  time: (name, { query, errors }) =>
    TIME_OPERATORS.flatMap((operator) => {
      const parameter = `${name}_${operator}`
      const value = lastOf(query[parameter])
      if (value === undefined) return []
      if (!/^\d{1,12}(\.\d{1,6})?$/.test(value)) {
        errors.add([parameter], `"${value}" is not an epoch timestamp in seconds, such as 1763683200.`)
      }
      return [sql`${sql.ref(name)} ${sql.raw(COMPARISONS[operator])} ${Math.round(Number(value) * 1000)}`]
    }),
}

const FLAGS: Readonly<Record<string, 0 | 1>> = { '1': 1, '0': 0, true: 1, false: 0 }

const COMPARISONS = { lt: '<', lte: '<=', gt: '>', gte: '>=' } as const

/** A parameter that is given several times counts as its last. */
function lastOf(value: Query[string]): string | undefined {
  return allOf(value).at(-1)
}

function allOf(value: Query[string]): readonly string[] {
  if (value === undefined) return []
  return typeof value === 'string' ? [value] : value
}
