/** Lists: whatever the envelope and the way to the next page, every resource comes once. */
import type { Resource } from '../domain/api.ts'
import { BridgeError } from '../support/errors.ts'
import type { Base } from './requests.ts'

export interface ListOptions {
  readonly base: Base
  /** The path of the list without a query. */
  readonly resource: string
  /** The whole first path. */
  readonly first: string
  /** How many resources a page was asked to hold. */
  readonly limit: number
  readonly firstPage: number
}

export interface PageAnswer {
  readonly body: unknown
  readonly link?: string
}

/** More pages than any list has; a list that goes on beyond is an error, because its end would be a false one. */
const MOST_PAGES = 10_000

/** Reads page after page with `read`, which gives undefined for a page that is not there. */
export async function* readPages(
  options: ListOptions,
  read: (path: string) => Promise<PageAnswer | undefined>,
): AsyncGenerator<readonly Resource[], void, undefined> {
  const seen = new Set<string | number>()
  let path = options.first
  let count: number | undefined
  for (let number = 0; number < MOST_PAGES; number += 1) {
    const answer = await read(path)
    if (answer === undefined) {
      if (number === 0) throw unusableAnswer(options.resource, 'HTTP 404')
      return mustBeWhole(options.resource, count, seen.size)
    }
    const page = readPage(answer, options.resource)
    const fresh = page.items.filter((item) => isNew(item, seen))
    count = page.count
    if (fresh.length === 0) return mustBeWhole(options.resource, count, seen.size)
    yield fresh
    const next = nextPath(page, {
      ...options,
      current: path,
      nextNumber: options.firstPage + number + 1,
      seen: seen.size,
    })
    if (next === undefined) return
    path = next
  }
  throw unusableAnswer(options.resource, `the list goes on after ${MOST_PAGES} pages`)
}

/** A list that ends before its own count would make what is missing look like proven absent. */
function mustBeWhole(resource: string, count: number | undefined, seen: number): void {
  if (count === undefined || count <= seen) return
  throw unusableAnswer(resource, `the list says that it holds ${count} and gives only ${seen}`)
}

interface Page {
  readonly items: readonly Resource[]
  readonly next: string | undefined
  /** Whether the answer says that there is no next page, rather than not saying. */
  readonly saysLast: boolean
  readonly count: number | undefined
}

const LIST_KEYS = ['results', 'data', 'items', 'objects']

/** Spec: not shown. A bare array, or an object with the array under a usual name or as its only array. */
function readPage({ body, link }: PageAnswer, resource: string): Page {
  const envelope: Resource = isObject(body) ? body : {}
  const items = Array.isArray(body) ? (body as unknown[]) : listIn(envelope)
  if (items === undefined) throw unusableAnswer(resource, 'the answer is not a list')
  if (!items.every(isObject)) throw unusableAnswer(resource, 'the list holds something that is not an object')
  const { next, count } = envelope
  return {
    items,
    next: typeof next === 'string' && next !== '' ? next : linkedNext(link),
    saysLast: next === null,
    count: typeof count === 'number' ? count : undefined,
  }
}

function listIn(envelope: Resource): readonly unknown[] | undefined {
  const named = LIST_KEYS.map((key) => envelope[key]).find(Array.isArray)
  if (named !== undefined) return named
  const arrays = Object.values(envelope).filter(Array.isArray)
  return arrays.length === 1 ? arrays[0] : undefined
}

function isObject(value: unknown): value is Resource {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `<https://…?page=2>; rel="next"` */
function linkedNext(link: string | undefined): string | undefined {
  for (const part of link?.split(/,(?=\s*<)/) ?? []) {
    const [target = '', ...params] = part.split(';')
    if (params.some((param) => /^\s*rel\s*=\s*"?next"?\s*$/i.test(param))) return target.trim().slice(1, -1)
  }
  return undefined
}

/** Ids are numbers or text with digits in it, and both are the same id. What has no id is known by its contents. */
function isNew(item: Resource, seen: Set<string | number>): boolean {
  const { id } = item
  const numeric = typeof id === 'string' && /^[1-9]\d{0,14}$/.test(id)
  const key =
    typeof id === 'number' ? id : numeric ? Number(id) : typeof id === 'string' ? id : JSON.stringify(item)
  if (seen.has(key)) return false
  seen.add(key)
  return true
}

interface Position extends ListOptions {
  readonly current: string
  readonly nextNumber: number
  /** How many different resources have come so far. */
  readonly seen: number
}

function nextPath(page: Page, position: Position): string | undefined {
  const { base, resource, first, limit, nextNumber, seen } = position
  if (page.next !== undefined) return followed(page.next, position)
  const more = page.count === undefined ? !page.saysLast && page.items.length >= limit : page.count > seen
  if (!more) return undefined
  const url = new URL(first, base.origin)
  url.searchParams.set('page', String(nextNumber))
  return resource + url.search
}

/** Below our own base a link is followed as it is; of any other only the query counts, and the token stays at home. */
function followed(next: string, { base, resource, current }: Position): string | undefined {
  const from = base.origin + current
  if (!URL.canParse(next, from)) throw unusableAnswer(resource, 'the link to the next page is not an address')
  const url = new URL(next, from)
  const isOurs = url.origin === base.origin && url.pathname.startsWith(`${base.prefix}/`)
  return (isOurs ? url.pathname : resource) + url.search
}

/** The failure of a read whose answer is not what it should be. */
export function unusableAnswer(resource: string, why: string): BridgeError {
  return new BridgeError('api-answer-unusable', `The answer to GET ${resource} cannot be used: ${why}`)
}
