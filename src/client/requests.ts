/** Builds requests by path from calls by name, from the table of endpoints. */
import { type Endpoint, ENDPOINTS } from '../contract/endpoints.ts'
import type { Call } from '../domain/api.ts'
import { assert, BridgeError } from '../support/errors.ts'
import type { Mutable } from '../support/object-paths.ts'
import { type Exchange, getHeader, type TransportRequest } from './transport.ts'

export interface Request extends TransportRequest {
  /** The party of the data, for messages: `retailer 1000`. */
  readonly party: string
  /** The path without its query, for messages. */
  readonly resource: string
  /** Whether it reads a list and so concerns no single record. */
  readonly isList: boolean
  /** Whether a second call has no further effect: all calls but those that create. */
  readonly isRepeatable: boolean
}

/** The parsed address of the API. */
export interface BaseUrl {
  readonly origin: string
  /** The part of the path before the API's own, without a slash at the end. */
  readonly prefix: string
}

export function parseBaseUrl(baseUrl: string): BaseUrl {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    const message = 'api.baseUrl is not an address such as https://api.example.com'
    throw new BridgeError('configuration-invalid', message)
  }
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') }
}

/** Makes a function that builds requests; parses the paths of all endpoints once, here. */
export function compileRequests(prefix: string): (call: Call) => Request {
  const endpoints = Object.entries<Endpoint>(ENDPOINTS)
  const compiled = new Map(endpoints.map(([name, endpoint]) => [name, compile(endpoint, prefix)]))
  return (call) => {
    const endpoint = compiled.get(call.endpoint)
    assert(endpoint !== undefined, `no endpoint is called "${call.endpoint}"`)
    return endpoint(call)
  }
}

/** `/v1/brands/{brand_id}/orders/` becomes literals with the names of the values between them. */
function compile({ kind, method, path, context }: Endpoint, prefix: string): (call: Call) => Request {
  const parts = path.split(/[{}]/)
  const names = parts.filter((_, index) => index % 2 === 1)
  const [start = '', ...following] = parts.filter((_, index) => index % 2 === 0)
  const head = prefix + start
  const hasParty = context === 'retailer' || context === 'brand'

  return ({ params = {}, query, body }) => {
    let resource = head
    for (const [index, name] of names.entries()) {
      resource += encodeParam(name, params[name], path) + (following[index] ?? '')
    }
    const search = query === undefined ? '' : encodeQuery(query)
    const request: Mutable<Request> = {
      isList: kind === 'list',
      isRepeatable: kind !== 'create',
      wantsFile: kind === 'document',
      method,
      path: search === '' ? resource : `${resource}?${search}`,
      party: hasParty ? `${context} ${params[`${context}_id`]}` : 'its own account',
      resource,
    }
    if (body !== undefined) request.body = body
    return request
  }
}

/** Encodes an id as one step of the path, so that it cannot lead elsewhere. */
function encodeParam(name: string, value: string | number | undefined, path: string): string {
  if (typeof value === 'number') return String(value)
  assert(value !== undefined, `${name} is missing for ${path}`)
  assert(value !== '' && value !== '.' && value !== '..', `${name} of ${path} cannot be "${value}"`)
  return encodeURIComponent(value)
}

/** A list repeats its name; flags are 1 and 0. Spec: "List filters". */
function encodeQuery(query: NonNullable<Call['query']>): string {
  const pairs: string[] = []
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      const text = encodeURIComponent(typeof item === 'boolean' ? Number(item) : item)
      pairs.push(`${encodeURIComponent(name)}=${text}`)
    }
  }
  return pairs.join('&')
}

// The client never follows a redirect: the token must not leave its origin.

/** Throws `api-redirected` with only the origin, because the rest of an address may hold secrets. */
export function refuseRedirect(exchange: Exchange, resource: string, { origin }: BaseUrl): void {
  if (exchange.ended !== 'answer' || exchange.status < 300 || exchange.status >= 400) return
  const location = getHeader(exchange, 'location') ?? ''
  const target = URL.canParse(location, origin)
    ? new URL(location, origin).origin
    : 'an address that cannot be read'
  throw new BridgeError('api-redirected', `${resource} redirects to ${target} (HTTP ${exchange.status})`)
}
