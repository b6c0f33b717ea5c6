/** Lists: what a query asks for, which resources match, and the envelope a page comes in. */
import { type Filters, LARGEST_PAGE } from '../../contract/filters.ts'
import type { ListName } from '../store/listed.ts'
import { createListReader, type Slice } from '../store/list-reader.ts'
import type { Store } from '../store/store.ts'
import { type Answer, refused } from './answer.ts'
import { createFieldErrors, type FieldErrors } from './field-errors.ts'
import { lastOf, type Query, readConditions } from './filters.ts'
import type { Switches } from './switches.ts'

/** Spec: not shown. */
export const PAGE_WHEN_NOT_ASKED = 50

/** A query for a list, and the address it came to, without the query. */
export interface ListCall {
  readonly query: Query
  readonly address: string
}

/** What to list: the rows of a list that belong to a party. */
export interface ListSource {
  readonly list: ListName
  readonly ownerId: number
  readonly filters: Filters
}

/** Answers a page of the resources with `read`. */
export type AnswerList = (
  call: ListCall,
  source: ListSource,
  read: (ids: readonly number[]) => readonly unknown[],
) => Answer

/**
 * Spec: limit is at most 250; the envelope, the default and later pages are not shown. Our choice: an envelope with
 * `count`, `next`, `previous` and `results`; a larger limit is taken for 250; `page` counts from 1; in the order of
 * the ids. The links say after or before which id they go on, so that whoever follows them sees every resource that
 * was there all the time once, whatever happens to the list meanwhile.
 */
export function createLists(store: Store, switches: Switches): AnswerList {
  const reader = createListReader(store)
  return (call, source, read) => {
    const errors = createFieldErrors()
    const selection = {
      list: source.list,
      ownerId: source.ownerId,
      ...readConditions(call.query, source, errors),
    }
    const limit = limitOf(call.query, errors)
    const position = positionOf(call.query, errors)
    if (position.after !== undefined && position.before !== undefined) {
      errors.add(['before'], 'A page goes on after an id or before one, not both.')
    }
    if (errors.any()) return errors.answer()
    const count = reader.count(selection)
    if (isBeyond(position, count, limit)) return refused(404, 'Invalid page.')
    const slice = reader.slice(selection, { ...position, limit })
    return { status: 200, body: envelopeOf(call, { count, slice, position, switches }, read(slice.ids)) }
  }
}

/** A list that is in memory. */
export function answerSmallList(call: ListCall, items: readonly unknown[]): Answer {
  const errors = createFieldErrors()
  const limit = limitOf(call.query, errors)
  const { page } = positionOf(call.query, errors)
  if (errors.any()) return errors.answer()
  if (isBeyond({ page }, items.length, limit)) return refused(404, 'Invalid page.')
  const skip = (page - 1) * limit
  const body = {
    count: items.length,
    next: skip + limit < items.length ? linkTo(call, { page: page + 1 }) : null,
    previous: page > 1 ? linkTo(call, { page: page - 1 }) : null,
    results: items.slice(skip, skip + limit),
  }
  return { status: 200, body }
}

/** Which page; by its number alone, or by the id it goes on from. */
interface Position {
  readonly page: number
  readonly after?: number
  readonly before?: number
}

function positionOf(query: Query, errors: FieldErrors): Position {
  const page = lastOf(query['page']) ?? '1'
  return {
    page: /^\d{1,9}$/.test(page) ? Number(page) : 0,
    ...anchorOf('after', query, errors),
    ...anchorOf('before', query, errors),
  }
}

function anchorOf(
  name: 'after' | 'before',
  query: Query,
  errors: FieldErrors,
): { [Name in typeof name]?: number } {
  const value = lastOf(query[name])
  if (value === undefined) return {}
  if (/^\d{1,15}$/.test(value)) return { [name]: Number(value) }
  errors.add([name], `"${value}" is not an id.`)
  return {}
}

function isBeyond({ page, after, before }: Position, count: number, limit: number): boolean {
  if (page < 1) return true
  const isAnchored = after !== undefined || before !== undefined
  return !isAnchored && page > Math.max(1, Math.ceil(count / limit))
}

interface Page {
  readonly count: number
  readonly slice: Slice
  readonly position: Position
  readonly switches: Switches
}

function envelopeOf(call: ListCall, { count, slice, position, switches }: Page, results: readonly unknown[]) {
  const { page } = position
  const isAnchored = switches.paging === 'anchored'
  // a page that has become empty goes on from where it was to be
  const first = slice.ids[0] ?? (position.after === undefined ? undefined : position.after + 1)
  const last =
    slice.ids.at(-1) ?? (position.before === undefined ? undefined : Math.max(0, position.before - 1))
  const next = { page: page + 1, ...(isAnchored && last !== undefined ? { after: last } : {}) }
  const previous = {
    page: Math.max(1, page - 1),
    ...(isAnchored && first !== undefined ? { before: first } : {}),
  }
  return {
    count,
    next: slice.hasMore ? linkTo(call, next) : null,
    previous: slice.hasEarlier ? linkTo(call, previous) : null,
    results,
  }
}

/** The same query for another page; the first page by number is the one without a number. */
function linkTo({ query, address }: ListCall, { page, after, before }: Position): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (POSITION.has(name) || value === undefined) continue
    for (const one of typeof value === 'string' ? [value] : value) parameters.append(name, one)
  }
  if (page > 1 || before !== undefined) parameters.append('page', String(page))
  if (after !== undefined) parameters.append('after', String(after))
  if (before !== undefined) parameters.append('before', String(before))
  const text = parameters.toString()
  return text === '' ? address : `${address}?${text}`
}

const POSITION: ReadonlySet<string> = new Set(['page', 'after', 'before'])

function limitOf(query: Query, errors: FieldErrors): number {
  const asked = lastOf(query['limit'])
  if (asked === undefined) return PAGE_WHEN_NOT_ASKED
  if (!/^\d{1,9}$/.test(asked) || Number(asked) < 1) {
    errors.add(['limit'], `"${asked}" is not a number from 1 to ${LARGEST_PAGE}.`)
    return PAGE_WHEN_NOT_ASKED
  }
  return Math.min(Number(asked), LARGEST_PAGE)
}
