/** Endpoints over HTTP: who may call, what may be sent, and how an answer leaves. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Directory } from '../directory.ts'
import { type Answer, notFound, refused } from './answer.ts'
import type { Query } from './filters.ts'
import { shapeAnswer } from './forms.ts'
import type { QueuedHandler, ServiceCall } from './handling.ts'
import { endpointsAt } from './paths.ts'
import type { Throttle } from './rate-limit.ts'
import { type Caller, scopeRefusal } from './scopes.ts'
import { SERVED, SERVED_NAMES, type ServedEndpoint, type ServedName } from './served.ts'
import type { Switches } from './switches.ts'
import type { Tokens } from './tokens.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: ServedName
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

export interface RouteParts {
  readonly handlers: Readonly<Record<ServedName, QueuedHandler>>
  /** The handler of a read, over the data of some time ago; undefined where those are the same as now. */
  readonly staleHandler: (name: ServedName) => QueuedHandler | undefined
  readonly tokens: Tokens
  readonly throttle: Throttle
  readonly directory: Directory
  readonly switches: Switches
}

export function registerRoutes(app: FastifyInstance, parts: RouteParts): void {
  app.decorateRequest('account', 0)
  app.decorateRequest('mayWrite', false)
  app.decorateRequest('isStale', false)
  for (const name of SERVED_NAMES) {
    const endpoint = SERVED[name]
    app.route({
      method: endpoint.method,
      url: endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
      // a HEAD must not make what a GET makes
      exposeHeadRoute: endpoint.kind !== 'document',
      config: { endpoint: name },
      onRequest: (request, reply, goOn) => {
        const refusal = refusalOf(request, endpoint, parts)
        if (refusal === undefined) goOn()
        else send(reply, refusal)
      },
      handler: async (request, reply) => {
        const stale = request.isStale ? parts.staleHandler(name) : undefined
        const answer = await (stale ?? parts.handlers[name])(callOf(request, endpoint))
        return send(reply, shapeAnswer(answer, endpoint, parts.switches))
      },
    })
  }
}

/** The endpoint of a request, or undefined for an address that is none. */
export function endpointOf(request: FastifyRequest): ServedEndpoint | undefined {
  const { endpoint } = request.routeOptions.config
  return endpoint === undefined ? undefined : SERVED[endpoint]
}

/** An address that is no endpoint: either none at all, or one that knows other methods. */
export function answerUnrouted(request: FastifyRequest): Answer {
  const methods = endpointsAt(pathOf(request)).flatMap(({ method, kind }) =>
    method === 'GET' && kind !== 'document' ? ['GET', 'HEAD'] : [method],
  )
  if (methods.length === 0) return notFound()
  return refused(405, `Method "${request.method}" not allowed.`, { allow: methods.join(', ') })
}

/**
 * A hook that answers must be of the kind that says when to go on, and not say it: Fastify takes an answer whose caller
 * hangs up before it has left for one that was not given, and would go on to do what an asynchronous hook has refused.
 */
export function send(reply: FastifyReply, { status, body, headers = {} }: Answer): FastifyReply {
  return reply.code(status).headers(headers).send(body)
}

/** Spec: "the id in the path must belong to the caller's account". The answers to the others are not shown. */
function refusalOf(request: FastifyRequest, endpoint: ServedEndpoint, parts: RouteParts): Answer | undefined {
  if (endpoint.context !== 'none') {
    const caller = parts.tokens.callerOf(request.headers.authorization)
    if ('status' in caller) return caller
    request.account = caller.account
    request.mayWrite = caller.scope.has('write')
    const refusal = callerRefusal(request, { endpoint, caller, parts }) ?? throttleRefusal(caller, parts)
    if (refusal !== undefined) return refusal
  }
  const ids = idNames(endpoint).filter((name) => idIn(request, name) === undefined)
  return ids.length > 0 ? notFound() : wrongContentType(request, endpoint.kind)
}

interface Attempt {
  readonly endpoint: ServedEndpoint
  readonly caller: Caller
  readonly parts: RouteParts
}

function callerRefusal(request: FastifyRequest, { endpoint, caller, parts }: Attempt): Answer | undefined {
  const { context } = endpoint
  if (context === 'admin' && !caller.isAdmin) return forbidden()
  if (context === 'retailer' || context === 'brand') {
    const party = idIn(request, `${context}_id`)
    if (party === undefined) return notFound()
    if (!parts.directory.owns(caller.account, context, party)) return forbidden()
  }
  return scopeRefusal(caller, request.method)
}

/** The administration is let through, so that whoever has set a limit too low can take it back. */
function throttleRefusal({ clientId, isAdmin }: Caller, { throttle }: RouteParts): Answer | undefined {
  return isAdmin ? undefined : throttle(clientId)
}

function forbidden(): Answer {
  return refused(403, 'You do not have permission to perform this action.')
}

const CONTENT_TYPES: Partial<Record<ServedEndpoint['kind'], string>> = {
  token: 'application/x-www-form-urlencoded',
  create: 'application/json',
  update: 'application/json',
}

function wrongContentType(request: FastifyRequest, kind: ServedEndpoint['kind']): Answer | undefined {
  const given = request.headers['content-type']
  const expected = CONTENT_TYPES[kind]
  if (given === undefined || expected === undefined) return undefined
  const [type = ''] = given.split(';')
  if (type.trim().toLowerCase() === expected) return undefined
  return refused(415, `Unsupported media type "${type.trim()}" in request.`)
}

/** The ids in a path that name neither a retailer nor a brand: `id`, `carrier_id`. */
function idNames({ path }: ServedEndpoint): string[] {
  return [...path.matchAll(/\{(id|carrier_id)\}/g)].map(([, name = '']) => name)
}

function idIn(request: FastifyRequest, name: string): number | undefined {
  const text = paramOf(request, name)
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined
}

function paramOf(request: FastifyRequest, name: string): string {
  return (request.params as Readonly<Record<string, string | undefined>>)[name] ?? ''
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? ''
}

function callOf(request: FastifyRequest, { context }: ServedEndpoint): ServiceCall {
  return {
    account: request.account,
    mayWrite: request.mayWrite,
    party: idIn(request, `${context}_id`) ?? 0,
    id: idIn(request, 'id') ?? idIn(request, 'carrier_id') ?? 0,
    name: paramOf(request, 'name'),
    query: request.query as Query,
    address: `${request.protocol}://${request.host}${pathOf(request)}`,
    body: request.body,
  }
}
