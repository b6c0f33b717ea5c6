/** Lists: parses the query, finds the matching resources, and wraps a page in its envelope. */
import { type Filters, MAX_PAGE_SIZE } from '../../contract/filters.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import type { ListName } from '../store/list-counts.ts'
import { countRows, type Position, readSlice, type Slice } from '../store/list-reader.ts'
import type { ServiceContext } from '../endpoints.ts'
import { type Answer, gatherErrors, type FieldErrors, refuseWith } from './answers.ts'
import { lastValue, type Query, readConditions } from './filters.ts'
import type { Switches } from '../switches.ts'
import type { ServiceCall } from './handler.ts'

/** Spec: not shown. */
export const DEFAULT_PAGE_SIZE = 50

/**
 * Answers a page of the resources with `read`. Spec: limit is at most 250; the envelope, the default and later pages are
 * not shown. Our choice: an envelope with `count`, `next`, `previous` and `results`; a larger limit counts as 250; `page`
 * counts from 1; in the order of the ids. The links continue after or before an id, so that a client that follows them sees
 * every resource that exists all the time exactly once, even while the list changes.
 */
export function answerList(
  { store, switches }: ServiceContext,
  call: ServiceCall,
  { list, filters }: { readonly list: ListName; readonly filters: Filters },
  read: (ids: readonly number[]) => readonly unknown[],
): Answer {
  const errors = gatherErrors()
  const selection = { list, ownerId: call.party, ...readConditions(call.query, filters, errors) }
  const limit = readLimit(call.query, errors)
  const position = readPosition(call.query, errors)
  if (position.after !== undefined && position.before !== undefined) {
    errors.add(['before'], 'A page goes on after an id or before one, not both.')
  }
  if (errors.hasErrors()) return errors.toAnswer()
  const count = countRows(store, selection)
  if (isBeyondLastPage(position, count, limit)) return refuseWith(404, 'Invalid page.')
  const slice = readSlice(store, selection, position, limit)
  return { status: 200, body: wrapPage(call, { count, slice, position, switches }, read(slice.ids)) }
}

/** Answers a page of a list in memory. */
export function answerSmallList(call: ServiceCall, items: readonly unknown[]): Answer {
  const errors = gatherErrors()
  const limit = readLimit(call.query, errors)
  const { page } = readPosition(call.query, errors)
  if (errors.hasErrors()) return errors.toAnswer()
  if (isBeyondLastPage({ page }, items.length, limit)) return refuseWith(404, 'Invalid page.')
  const skip = (page - 1) * limit
  const body = {
    count: items.length,
    next: skip + limit < items.length ? createLink(call, { page: page + 1 }) : null,
    previous: page > 1 ? createLink(call, { page: page - 1 }) : null,
    results: items.slice(skip, skip + limit),
  }
  return { status: 200, body }
}

function readPosition(query: Query, errors: FieldErrors): Position {
  const page = lastValue(query['page']) ?? '1'
  return {
    page: /^\d{1,9}$/.test(page) ? Number(page) : 0,
    ...readAnchor('after', query, errors),
    ...readAnchor('before', query, errors),
  }
}

function readAnchor(name: 'after' | 'before', query: Query, errors: FieldErrors) {
  const value = lastValue(query[name])
  if (value === undefined) return {}
  if (/^\d{1,15}$/.test(value)) return { [name]: Number(value) }
  errors.add([name], `"${value}" is not an id.`)
  return {}
}

function isBeyondLastPage({ page, after, before }: Position, count: number, limit: number): boolean {
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

function wrapPage(call: ServiceCall, { count, slice, position, switches }: Page, rows: readonly unknown[]) {
  const { page } = position
  const isAnchored = switches.paging === 'anchored'
  // an empty page links to the position at which it would have begun
  const first = slice.ids[0] ?? (position.after === undefined ? undefined : position.after + 1)
  const last =
    slice.ids.at(-1) ?? (position.before === undefined ? undefined : Math.max(0, position.before - 1))
  const next = omitUndefined({ page: page + 1, after: isAnchored ? last : undefined })
  const previous = omitUndefined({ page: Math.max(1, page - 1), before: isAnchored ? first : undefined })
  return {
    count,
    next: slice.hasMore ? createLink(call, next) : null,
    previous: slice.hasEarlier ? createLink(call, previous) : null,
    results: rows,
  }
}

/** Links the same query for another page; the first page has no number. */
function createLink({ query, address }: ServiceCall, { page, after, before }: Position): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (POSITION_PARAMETERS.has(name) || value === undefined) continue
    for (const one of typeof value === 'string' ? [value] : value) parameters.append(name, one)
  }
  if (page > 1 || before !== undefined) parameters.append('page', String(page))
  if (after !== undefined) parameters.append('after', String(after))
  if (before !== undefined) parameters.append('before', String(before))
  const text = parameters.toString()
  return text === '' ? address : `${address}?${text}`
}

const POSITION_PARAMETERS: ReadonlySet<string> = new Set(['page', 'after', 'before'])

function readLimit(query: Query, errors: FieldErrors): number {
  const asked = lastValue(query['limit'])
  if (asked === undefined) return DEFAULT_PAGE_SIZE
  if (!/^\d{1,9}$/.test(asked) || Number(asked) < 1) {
    errors.add(['limit'], `"${asked}" is not a number from 1 to ${MAX_PAGE_SIZE}.`)
    return DEFAULT_PAGE_SIZE
  }
  return Math.min(Number(asked), MAX_PAGE_SIZE)
}
