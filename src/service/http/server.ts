/** The HTTP server: parses bodies, formats every error, and shuts down without losing answers. */
import { isUtf8 } from 'node:buffer'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import formbody from '@fastify/formbody'
import fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify'
import { createHostCheck } from '../../support/process.ts'
import { findEndpointsByPath } from '../endpoints.ts'
import type { Switches } from '../switches.ts'
import { type Answer, refuseWith } from './answers.ts'
import { answerUnrouted, endpointOf, sendAnswer } from './routes.ts'

/** Spec: not shown. */
const MAX_BODY_BYTES = 1024 * 1024

/** The longest time for a request to arrive whole. */
const REQUEST_TIMEOUT_MS = 60_000

/** The longest time for its header, and how often this is checked. */
const HEADER_LIMITS = { headersTimeout: 10_000, connectionsCheckingInterval: 1000 }

export async function createServer(
  logger: boolean | object,
  switches: Pick<Switches, 'trailingSlash'>,
  hostNames: readonly string[],
): Promise<FastifyInstance> {
  const app = fastify({
    logger: hideSecrets(logger),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: HEADER_LIMITS,
    clientErrorHandler: answerUnreadable,
    frameworkErrors: (_error, _request, reply) => void sendAnswer(reply, refuseWith(404, 'Not found.')),
  })
  app.removeAllContentTypeParsers()
  await app.register(formbody)
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      done(null, parseBody(request, bytes as Buffer))
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown'
      done(Object.assign(new Error(`JSON parse error - ${reason}`), { statusCode: 400 }))
    }
  })
  // only endpoints without a body reach this parser with another content type
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, _text, done) => {
    if (endpointOf(request)?.kind === 'act') done(null)
    else done(Object.assign(new Error('unsupported content type'), { statusCode: 415 }))
  })
  const isOwnHost = createHostCheck(hostNames)
  app.addHook('onRequest', (request, reply, goOn) => {
    if (isOwnHost(request.headers.host)) goOn()
    else sendAnswer(reply, refuseWith(421, 'The service does not answer under this host name.'))
  })
  app.addHook('onRequest', (request, reply, goOn) => {
    if (!request.is404) goOn()
    else sendAnswer(reply, findRedirect(request, switches) ?? answerUnrouted(request))
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const answer = answerToError(error)
    if (answer.status >= 500) request.log.error({ err: error }, 'request failed')
    return sendAnswer(reply, answer)
  })
  return app
}

/** An empty body is no body; the body of an acknowledge, close or reopen is ignored. */
function parseBody(request: FastifyRequest, bytes: Buffer): unknown {
  if (bytes.length === 0 || endpointOf(request)?.kind === 'act') return undefined
  // other bytes would be decoded to wrong letters
  if (!isUtf8(bytes)) throw new Error('the body is not in UTF-8')
  return JSON.parse(bytes.toString()) as unknown
}

/** Spec: not shown. Returns the address with the missing slash; undefined where paths are strict. */
function findRedirect({ url }: FastifyRequest, { trailingSlash }: Pick<Switches, 'trailingSlash'>) {
  if (trailingSlash === 'strict') return undefined
  const [path = '', ...query] = url.split('?')
  if (findEndpointsByPath(`${path}/`).length === 0) return undefined
  return { status: 301, headers: { location: [`${path}/`, ...query].join('?') } }
}

function hideSecrets(logger: boolean | object): boolean | object {
  if (typeof logger === 'boolean' && !logger) return false
  return { ...(typeof logger === 'object' ? logger : {}), serializers: { req: serializeRequest } }
}

/** Omits headers, body and query, which may hold secrets by error, at any address. */
function serializeRequest(request: FastifyRequest): object {
  const { method, url, host, ip } = request
  const [path = ''] = url.split('?', 1)
  return { method, url: path, host, remoteAddress: ip }
}

/** Answers unreadable requests. Logs none of their bytes, which may hold secrets. */
function answerUnreadable(error: { readonly code?: string }, socket: Socket): void {
  if (socket.writable) {
    const { status, detail } = UNREADABLE_ANSWERS[error.code ?? ''] ?? NOT_HTTP
    const body = JSON.stringify({ detail })
    const head = [`HTTP/1.1 ${status}`, 'Content-Type: application/json; charset=utf-8', 'Connection: close']
    socket.write([...head, `Content-Length: ${body.length}`, '', body].join('\r\n'))
  }
  socket.destroySoon()
}

const NOT_HTTP = { status: '400 Bad Request', detail: 'The request is not HTTP.' }

const UNREADABLE_ANSWERS: Readonly<Record<string, typeof NOT_HTTP>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', detail: 'The request took too long to arrive.' },
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    detail: 'The headers of the request are too large.',
  },
}

function answerToError(error: FastifyError): Answer {
  const status = error.statusCode ?? 500
  if (status === 413) return refuseWith(413, 'Request body is too large.')
  if (status === 415) return refuseWith(415, 'Unsupported media type in request.')
  if (status >= 400 && status < 500) return refuseWith(status, error.message)
  return refuseWith(500, 'A server error occurred.')
}

// Shutdown answers every complete request; a half-sent request cannot keep the server open.

/** An answer that its reader does not accept is cut off after this long. */
const MAX_SENDING_MS = 5_000

/**
 * Register it after all hooks that delay answers. It answers callers whose request has arrived whole, with
 * `Connection: close`, and breaks all other connections. Node would take an answer that is still being sent for a finished
 * one, and would wait forever for the rest of a partial request.
 */
export function registerShutdown(app: FastifyInstance): void {
  const connections = new Map<Socket, Set<ServerResponse>>()
  let closing = false
  app.server.on('connection', (socket: Socket) => {
    if (closing) {
      socket.destroy()
      return
    }
    connections.set(socket, new Set())
    socket.once('close', () => connections.delete(socket))
  })
  app.server.on('request', ({ socket }, response) => {
    const answers = connections.get(socket)
    answers?.add(response)
    response.once('close', () => {
      answers?.delete(response)
      if (closing && answers?.size === 0) socket.destroySoon()
    })
  })
  app.addHook('preClose', async () => {
    closing = true
    for (const [socket, answers] of connections)
      if (![...answers].some(({ req }) => req.complete)) socket.destroy()
    await Promise.race([waitUntilSent(connections), wait(MAX_SENDING_MS, undefined, { ref: false })])
  })
  app.addHook('onSend', async (_request, reply, payload) => {
    if (closing) {
      reply.header('connection', 'close')
      destroyAfterTimeout(reply.raw)
    }
    return payload
  })
}

/** Cuts off an answer that was made after closing began, because it keeps the server open until it is read. */
function destroyAfterTimeout(answer: ServerResponse): void {
  const { socket } = answer.req
  const timer = setTimeout(() => socket.destroy(), MAX_SENDING_MS).unref()
  answer.once('close', () => clearTimeout(timer))
}

/** Waits for finished answers; unfinished ones are sent later. */
async function waitUntilSent(connections: ReadonlyMap<Socket, ReadonlySet<ServerResponse>>): Promise<void> {
  const sending = [...connections].filter(([, answers]) =>
    [...answers].some(({ writableEnded }) => writableEnded),
  )
  await Promise.all(sending.map(([socket]) => new Promise((resolve) => socket.once('close', resolve))))
}
