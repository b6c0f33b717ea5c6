/** Endpoints over HTTP: checks the caller and the request, and sends the answer. */
import type { Endpoint } from '../../contract/endpoints.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TradeDirectory } from '../trade/directory.ts'
import { type Answer, refuseNotFound, refuseWith } from './answers.ts'
import { listQueryParameters, type Query, refuseUnknownParameters } from './filters.ts'
import type { QueuedHandler, ServiceCall } from './handler.ts'
import {
  findEndpointsByPath,
  SERVED_ENDPOINT_NAMES,
  SERVED_ENDPOINTS,
  type ServedEndpointName,
} from '../endpoints.ts'
import type { Throttle } from './rate-limit.ts'
import { type Caller, refuseScope, type Tokens } from '../access/tokens.ts'
import type { Switches } from '../switches.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: ServedEndpointName
  }
  interface FastifyRequest {
    /** The account of the token; 0 until it is known. */
    account: number
    /** Whether the token has the scope `write`. */
    mayWrite: boolean
    /** Whether it is answered from older data. */
    isStale: boolean
  }
}

interface RouteOptions {
  readonly handlers: Readonly<Record<ServedEndpointName, QueuedHandler>>
  /** The handler of a read over older data; undefined where these equal the present ones. */
  readonly staleHandler: (name: ServedEndpointName) => QueuedHandler | undefined
  readonly tokens: Tokens
  readonly throttle: Throttle
  readonly directory: TradeDirectory
  readonly switches: Switches
}

export function registerRoutes(app: FastifyInstance, parts: RouteOptions): void {
  app.decorateRequest('account', 0)
  app.decorateRequest('mayWrite', false)
  app.decorateRequest('isStale', false)
  for (const name of SERVED_ENDPOINT_NAMES) {
    const endpoint = SERVED_ENDPOINTS[name]
    app.route({
      method: endpoint.method,
      url: endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
      // a HEAD must not make what a GET makes
      exposeHeadRoute: endpoint.kind !== 'document',
      config: { endpoint: name },
      onRequest: (request, reply, goOn) => {
        const refusal = refuseRequest(request, endpoint, parts)
        if (refusal === undefined) goOn()
        else sendAnswer(reply, refusal)
      },
      handler: async (request, reply) => {
        const stale = request.isStale ? parts.staleHandler(name) : undefined
        const answer = await (stale ?? parts.handlers[name])(toServiceCall(request, endpoint))
        return sendAnswer(reply, applyAnswerForm(answer, endpoint, parts.switches))
      },
    })
  }
}

export function endpointOf(request: FastifyRequest): Endpoint | undefined {
  const { endpoint } = request.routeOptions.config
  return endpoint === undefined ? undefined : SERVED_ENDPOINTS[endpoint]
}

/** Answers a request without an endpoint: an unknown address, or one with other methods. */
export function answerUnrouted(request: FastifyRequest): Answer {
  const methods = findEndpointsByPath(readPath(request)).flatMap(({ method, kind }) =>
    method === 'GET' && kind !== 'document' ? ['GET', 'HEAD'] : [method],
  )
  if (methods.length === 0) return refuseNotFound()
  return refuseWith(405, `Method "${request.method}" not allowed.`, { allow: methods.join(', ') })
}

/**
 * A hook that answers must be a callback hook and not call `done`: if the caller hangs up before the answer is sent,
 * Fastify assumes that an asynchronous hook did not answer, and runs the handler that the hook has refused.
 */
export function sendAnswer(reply: FastifyReply, { status, body, headers = {} }: Answer): FastifyReply {
  return reply.code(status).headers(headers).send(body)
}

/** Spec: "the id in the path must belong to the caller's account". The answers to the others are not shown. */
function refuseRequest(request: FastifyRequest, endpoint: Endpoint, parts: RouteOptions): Answer | undefined {
  if (endpoint.context !== 'none') {
    const caller = parts.tokens.findCaller(request.headers.authorization)
    if ('status' in caller) return caller
    request.account = caller.account
    request.mayWrite = caller.scope.has('write')
    // the administration has no limit, so that an administrator can raise a limit that is too low
    const throttle = caller.isAdmin ? undefined : parts.throttle
    const refusal = refuseCaller(request, endpoint, caller, parts.directory) ?? throttle?.(caller.clientId)
    if (refusal !== undefined) return refusal
  }
  const unknown = parts.switches.unknownParameters === 'refuse' ? findUnknown(request, endpoint) : undefined
  if (unknown !== undefined) return unknown
  const ids = idNames(endpoint).filter((name) => readId(request, name) === undefined)
  return ids.length > 0 ? refuseNotFound() : refuseContentType(request, endpoint.kind)
}

function findUnknown(request: FastifyRequest, endpoint: Endpoint): Answer | undefined {
  return refuseUnknownParameters(request.query as Query, listQueryParameters(endpoint))
}

function refuseCaller(
  request: FastifyRequest,
  { context }: Endpoint,
  caller: Caller,
  directory: TradeDirectory,
): Answer | undefined {
  if (context === 'admin' && !caller.isAdmin) return refuseForbidden()
  if (context === 'retailer' || context === 'brand') {
    const party = readId(request, `${context}_id`)
    if (party === undefined) return refuseNotFound()
    if (!directory.ownsParty(caller.account, context, party)) return refuseForbidden()
  }
  return refuseScope(caller, request.method)
}

function refuseForbidden(): Answer {
  return refuseWith(403, 'You do not have permission to perform this action.')
}

const CONTENT_TYPES: Partial<Record<Endpoint['kind'], string>> = {
  token: 'application/x-www-form-urlencoded',
  create: 'application/json',
  update: 'application/json',
}

function refuseContentType(request: FastifyRequest, kind: Endpoint['kind']): Answer | undefined {
  const given = request.headers['content-type']
  const expected = CONTENT_TYPES[kind]
  if (given === undefined || expected === undefined) return undefined
  const [type = ''] = given.split(';')
  if (type.trim().toLowerCase() === expected) return undefined
  return refuseWith(415, `Unsupported media type "${type.trim()}" in request.`)
}

/** The ids in a path that name neither a retailer nor a brand: `id`, `carrier_id`. */
function idNames({ path }: Endpoint): string[] {
  return [...path.matchAll(/\{(id|carrier_id)\}/g)].map(([, name = '']) => name)
}

function readId(request: FastifyRequest, name: string): number | undefined {
  const text = readParam(request, name)
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined
}

function readParam(request: FastifyRequest, name: string): string {
  return (request.params as Readonly<Record<string, string | undefined>>)[name] ?? ''
}

function readPath(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? ''
}

function toServiceCall(request: FastifyRequest, { context }: Endpoint): ServiceCall {
  return {
    account: request.account,
    mayWrite: request.mayWrite,
    party: readId(request, `${context}_id`) ?? 0,
    id: readId(request, 'id') ?? readId(request, 'carrier_id') ?? 0,
    name: readParam(request, 'name'),
    query: request.query as Query,
    address: `${request.protocol}://${request.host}${readPath(request)}`,
    body: request.body,
    ip: request.ip,
  }
}

// Rewrites answers into the form that the switches choose. Spec: not shown, or shown in several forms.

interface Page {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly unknown[]
}

/** Leaves refusals, tokens, documents and answers outside of the API unchanged. */
export function applyAnswerForm(
  answer: Answer,
  endpoint: Pick<Endpoint, 'kind' | 'path'>,
  switches: Switches,
): Answer {
  const { kind, path } = endpoint
  if (answer.status >= 400 || kind === 'document' || !path.startsWith('/v1/')) return answer
  if (kind === 'act' && switches.actAnswer === 204) return { status: 204 }
  const rewritten = rewriteAnswer(answer, switches)
  if (kind === 'create') return { ...rewritten, status: switches.createAnswer }
  return kind === 'list' ? ENVELOPES[switches.envelope](rewritten.body as Page, rewritten) : rewritten
}

const ENVELOPES: Readonly<Record<Switches['envelope'], (page: Page, answer: Answer) => Answer>> = {
  object: (_, answer) => answer,
  array: ({ results }, answer) => ({ ...answer, body: results }),
  data: ({ results, count, next, previous }, answer) => ({
    ...answer,
    body: { data: results, links: { next, prev: previous }, meta: { count } },
  }),
  link: ({ results, next, previous }, answer) => {
    const links = [formatLink(next, 'next'), formatLink(previous, 'prev')].filter((it) => it !== undefined)
    const headers = links.length === 0 ? {} : { link: links.join(', ') }
    return { ...answer, body: results, headers: { ...answer.headers, ...headers } }
  },
}

function formatLink(address: string | null, relation: 'next' | 'prev'): string | undefined {
  return address === null ? undefined : `<${address}>; rel="${relation}"`
}

const ENUM_FIELDS: ReadonlySet<string> = new Set(['status', 'level', 'type', 'owner_type', 'created_by'])

/** A number is exact up to 15 digits; a longer UPC, or one with other characters, stays text. */
const NUMERIC_UPC = /^\d{1,15}$/

/** No resource is nested this deep; deeper values stay unchanged. */
const MAX_DEPTH = 20

function rewriteAnswer(answer: Answer, { ids, upc, enumCase }: Switches): Answer {
  if (ids === 'number' && upc === 'text' && enumCase === 'as-is') return answer

  function rewriteField(name: string, value: unknown, depth: number): unknown {
    if (typeof value === 'number')
      return ids === 'text' && (name === 'id' || name.endsWith('_id')) ? String(value) : value
    if (typeof value === 'string') return rewriteText(name, value)
    return rewriteDeep(value, depth)
  }

  function rewriteText(name: string, value: string): unknown {
    if (name === 'upc' && upc === 'number' && NUMERIC_UPC.test(value)) return Number(value)
    if (enumCase === 'as-is' || !ENUM_FIELDS.has(name)) return value
    return enumCase === 'lower' ? value.toLowerCase() : value.toUpperCase()
  }

  function rewriteDeep(value: unknown, depth: number): unknown {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value
    if (Array.isArray(value)) return value.map((item) => rewriteDeep(item, depth + 1))
    const fields = Object.entries(value).map(([name, field]) => [name, rewriteField(name, field, depth + 1)])
    return Object.fromEntries(fields) as unknown
  }

  return { ...answer, body: rewriteDeep(answer.body, 0) }
}
