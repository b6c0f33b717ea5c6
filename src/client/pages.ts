/** Lists: returns every resource once, for any envelope and any way to the next page. */
import type { Resource } from '../domain/api.ts'
import { BridgeError } from '../support/errors.ts'
import type { BaseUrl } from './requests.ts'
import { isObject } from '../support/object-paths.ts'

interface ListOptions {
  readonly base: BaseUrl
  /** The path of the list without a query. */
  readonly resource: string
  /** The whole first path. */
  readonly first: string
  /** The requested size of a page. */
  readonly limit: number
  readonly firstPage: number
}

interface PageAnswer {
  readonly body: unknown
  readonly link?: string
}

/** More pages than any list has; a longer list is an error, because cutting it off would look like its end. */
const MOST_PAGES = 10_000

/** `read` returns undefined for a missing page; the API may also refuse a page that is only `guessed`. */
export async function* readPages(
  options: ListOptions,
  read: (path: string, guessed: boolean) => Promise<PageAnswer | undefined>,
): AsyncGenerator<readonly Resource[], void, undefined> {
  const seen = new Set<string | number>()
  let next: NextPage = { path: options.first, guessed: false }
  let count: number | undefined
  let countsAll = false
  for (let number = 0; number < MOST_PAGES; number += 1) {
    const answer = await read(next.path, next.guessed)
    if (answer === undefined) {
      if (number === 0) throw unusableAnswerError(options.resource, 'HTTP 404')
      return assertComplete(options.resource, count, seen.size)
    }
    const page = readPage(answer, options.resource)
    const fresh = page.items.filter((item) => isNew(item, seen))
    count = page.count
    countsAll ||= count !== undefined && count > page.items.length
    if (fresh.length === 0) return assertComplete(options.resource, count, seen.size)
    yield fresh
    const position = { current: next.path, nextNumber: options.firstPage + number + 1 }
    const following = findNextPage(page, { ...options, ...position, seen: seen.size, countsAll })
    if (following === undefined) return
    next = following
  }
  throw unusableAnswerError(options.resource, `the list goes on after ${MOST_PAGES} pages`)
}

/** Refuses a list that ends before its own count: missing resources would look like proven absent. */
function assertComplete(resource: string, count: number | undefined, seen: number): void {
  if (count === undefined || count <= seen) return
  throw unusableAnswerError(resource, `the list says that it holds ${count} and gives only ${seen}`)
}

interface Page {
  readonly items: readonly Resource[]
  readonly next: string | undefined
  /** Whether the answer states that there is no next page. */
  readonly isLast: boolean
  readonly count: number | undefined
}

const LIST_KEYS = ['results', 'data', 'items', 'objects']

/** Spec: not shown. A bare array, or an object with the array under a usual name, its own, or as its only array. */
function readPage({ body, link }: PageAnswer, resource: string): Page {
  const envelope: Resource = isObject(body) ? body : {}
  const items = Array.isArray(body) ? (body as unknown[]) : findList(envelope, resource)
  if (items === undefined) throw unusableAnswerError(resource, 'the answer is not a list')
  if (!items.every(isObject))
    throw unusableAnswerError(resource, 'the list holds something that is not an object')
  const next = getEnvelopeField(envelope, 'next', 'links')
  const count = getEnvelopeField(envelope, 'count', 'meta')
  return {
    items,
    next: typeof next === 'string' && next !== '' ? next : parseNextLink(link),
    isLast: next === null || hasPageLinks(link),
    count: typeof count === 'number' ? count : undefined,
  }
}

/** Returns a field of the envelope or of a part of it. */
function getEnvelopeField(envelope: Resource, field: string, part: string): unknown {
  const { [part]: inner } = envelope
  const own = envelope[field]
  return own ?? (isObject(inner) && inner[field] !== undefined ? inner[field] : own)
}

/** `{"errors": []}` is not a list: an array under an unusual name must hold resources to count as one. */
function findList(envelope: Resource, resource: string): readonly unknown[] | undefined {
  const own = resource.split('/').findLast((part) => part !== '') ?? ''
  const named = [...LIST_KEYS, own].map((key) => envelope[key]).find(Array.isArray)
  if (named !== undefined) return named
  const [only, another] = Object.values(envelope).filter(Array.isArray) as unknown[][]
  if (only === undefined || another !== undefined || only.length === 0) return undefined
  return only.every((item) => isObject(item) && item['id'] !== undefined) ? only : undefined
}

/** `<https://…?page=2>; rel="next"` */
function parseNextLink(link: string | undefined): string | undefined {
  for (const part of link?.split(/,(?=\s*<)/) ?? []) {
    const [target = '', ...params] = part.split(';')
    if (params.some((param) => /^\s*rel\s*=\s*"?next"?\s*$/i.test(param))) return target.trim().slice(1, -1)
  }
  return undefined
}

/** A header with links to other pages would also link to a next page. */
function hasPageLinks(link: string | undefined): boolean {
  return link !== undefined && /\brel\s*=\s*"?(?:prev|previous|first|last)\b/i.test(link)
}

/** Ids are numbers or text with digits in it, and both are the same id. Resources without an id are compared by contents. */
function isNew(item: Resource, seen: Set<string | number>): boolean {
  const { id } = item
  const numeric = typeof id === 'string' && /^[1-9]\d{0,14}$/.test(id)
  const key =
    typeof id === 'number' ? id : numeric ? Number(id) : typeof id === 'string' ? id : JSON.stringify(item)
  if (seen.has(key)) return false
  seen.add(key)
  return true
}

interface PagePosition extends ListOptions {
  readonly current: string
  readonly nextNumber: number
  /** How many different resources were read so far. */
  readonly seen: number
  /** Whether a page had a count above its own size: then the count is that of the list and not of the page. */
  readonly countsAll: boolean
}

interface NextPage {
  readonly path: string
  /** No answer names such a page, and the one before was not full. */
  readonly guessed: boolean
}

/** A page below the requested size may be the API's largest one, so it does not end a list by itself. */
function findNextPage(page: Page, position: PagePosition): NextPage | undefined {
  const { base, resource, first, limit, nextNumber, seen, countsAll } = position
  if (page.next !== undefined) return { path: resolveNextLink(page.next, position), guessed: false }
  const hasMore = page.count !== undefined && page.count > seen
  if (!hasMore && (page.isLast || (countsAll && page.count !== undefined))) return undefined
  const url = new URL(first, base.origin)
  url.searchParams.set('page', String(nextNumber))
  return { path: resource + url.search, guessed: !hasMore && page.items.length < limit }
}

/** Follows a link below the base address; of any other link only the query counts, so that the token goes nowhere else. */
function resolveNextLink(next: string, { base, resource, current }: PagePosition): string {
  const from = base.origin + current
  if (!URL.canParse(next, from))
    throw unusableAnswerError(resource, 'the link to the next page is not an address')
  const url = new URL(next, from)
  const isBelowBase = url.origin === base.origin && url.pathname.startsWith(`${base.prefix}/`)
  return (isBelowBase ? url.pathname : resource) + url.search
}

/** The failure of a read with an unusable answer. */
export function unusableAnswerError(resource: string, why: string): BridgeError {
  return new BridgeError('api-answer-unusable', `The answer to GET ${resource} cannot be used: ${why}`)
}
