/** The endpoints of the contract over HTTP: who may call, what may be sent, and how an answer leaves. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Endpoint, type EndpointName, ENDPOINTS } from '../../contract/endpoints.ts'
import { type Answer, notFound, refused } from './answer.ts'
import type { Directory } from '../directory.ts'
import type { Handler, ServiceCall } from '../handlers.ts'
import type { Query } from './lists.ts'
import type { Switches } from './switches.ts'
import type { Tokens } from './tokens.ts'
import type { WriteQueue } from '../store/write-queue.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: EndpointName
  }
  interface FastifyRequest {
    /** The account of the token; 0 until it is known. */
    account: number
  }
}

export interface RouteParts {
  readonly handlers: Readonly<Record<EndpointName, Handler>>
  readonly queue: WriteQueue
  readonly tokens: Tokens
  readonly directory: Directory
  readonly switches: Switches
}

export function registerRoutes(app: FastifyInstance, parts: RouteParts): void {
  app.decorateRequest('account', 0)
  for (const name of Object.keys(ENDPOINTS) as EndpointName[]) {
    const endpoint: Endpoint = ENDPOINTS[name]
    app.route({
      method: endpoint.method,
      url: endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
      config: { endpoint: name },
      onRequest: async (request, reply) => {
        const refusal = refusalOf(request, endpoint, parts)
        if (refusal !== undefined) await send(reply, refusal)
      },
      handler: async (request, reply) => {
        const call = callOf(request, endpoint)
        const handle = () => parts.handlers[name](call)
        const answer = WRITES.has(endpoint.kind) ? await parts.queue.run(handle) : handle()
        return send(reply, asSwitched(answer, endpoint, parts.switches))
      },
    })
  }
}

/** The kinds of endpoint that change something, and so run in the write queue. */
const WRITES: ReadonlySet<Endpoint['kind']> = new Set(['token', 'create', 'act'])

/** The endpoint of a request, or undefined for an address that is none. */
export function endpointOf(request: FastifyRequest): Endpoint | undefined {
  const { endpoint } = request.routeOptions.config
  return endpoint === undefined ? undefined : ENDPOINTS[endpoint]
}

/** An address that is no endpoint: either none at all, or one that knows other methods. */
export function answerUnrouted(request: FastifyRequest): Answer {
  const path = pathOf(request)
  const methods = Object.values(ENDPOINTS)
    .filter((endpoint) => pathPattern(endpoint.path).test(path))
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  if (methods.length === 0) return notFound()
  return refused(405, `Method "${request.method}" not allowed.`, { allow: methods.join(', ') })
}

function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)
}

export function send(reply: FastifyReply, { status, body, headers = {} }: Answer): FastifyReply {
  return reply.code(status).headers(headers).send(body)
}

/** Spec: "the id in the path must belong to the caller's account". The answers to the others are not shown. */
function refusalOf(request: FastifyRequest, endpoint: Endpoint, parts: RouteParts): Answer | undefined {
  if (endpoint.context !== 'none') {
    const account = parts.tokens.accountOf(request.headers.authorization)
    if (typeof account !== 'number') return account
    request.account = account
  }
  if (endpoint.context === 'retailer' || endpoint.context === 'brand') {
    const party = idIn(request, `${endpoint.context}_id`)
    if (party === undefined) return notFound()
    if (!parts.directory.owns(request.account, endpoint.context, party)) {
      return refused(403, 'You do not have permission to perform this action.')
    }
  }
  if (endpoint.path.includes('{id}') && idIn(request, 'id') === undefined) return notFound()
  return wrongContentType(request, endpoint.kind)
}

const CONTENT_TYPES: Partial<Record<Endpoint['kind'], string>> = {
  token: 'application/x-www-form-urlencoded',
  create: 'application/json',
}

function wrongContentType(request: FastifyRequest, kind: Endpoint['kind']): Answer | undefined {
  const given = request.headers['content-type']
  const expected = CONTENT_TYPES[kind]
  if (given === undefined || expected === undefined) return undefined
  const [type = ''] = given.split(';')
  if (type.trim().toLowerCase() === expected) return undefined
  return refused(415, `Unsupported media type "${type.trim()}" in request.`)
}

function idIn(request: FastifyRequest, name: string): number | undefined {
  const text = (request.params as Readonly<Record<string, string | undefined>>)[name] ?? ''
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? ''
}

function callOf(request: FastifyRequest, { context }: Endpoint): ServiceCall {
  return {
    account: request.account,
    party: idIn(request, `${context}_id`) ?? 0,
    id: idIn(request, 'id') ?? 0,
    query: request.query as Query,
    address: `${request.protocol}://${request.host}${pathOf(request)}`,
    body: request.body,
  }
}

function asSwitched(answer: Answer, { kind }: Endpoint, switches: Switches): Answer {
  if (answer.status >= 400) return answer
  if (kind === 'act' && switches.actAnswer === 204) return { status: 204 }
  if (kind !== 'list' || switches.envelope === 'object') return answer
  return { status: answer.status, body: (answer.body as { results: unknown }).results }
}
