/** The HTTP server: bodies read by their content type, and every error in the service's own words. */
import { isUtf8 } from 'node:buffer'
import type { Socket } from 'node:net'
import formbody from '@fastify/formbody'
import fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify'
import { type Answer, refused } from './answer.ts'
import { endpointsAt } from './paths.ts'
import { answerUnrouted, endpointOf, send } from './routes.ts'
import type { Switches } from './switches.ts'

/** Spec: not shown. */
const LARGEST_BODY_BYTES = 1024 * 1024

/** A request that has not arrived whole after this long is given up. */
const REQUEST_TIMEOUT_MS = 60_000

export async function createServer(
  logger: boolean | object,
  switches: Pick<Switches, 'trailingSlash'>,
): Promise<FastifyInstance> {
  const app = fastify({
    logger: discreet(logger),
    bodyLimit: LARGEST_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    clientErrorHandler: answerUnreadable,
    frameworkErrors: (_error, _request, reply) => void send(reply, refused(404, 'Not found.')),
  })
  app.removeAllContentTypeParsers()
  await app.register(formbody)
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      done(null, parseBody(request, bytes as Buffer))
    } catch (error) {
      done(new UnreadableBody(error instanceof Error ? error.message : 'unknown'))
    }
  })
  // only an endpoint that takes no body gets this far with another content type
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, _text, done) => {
    if (endpointOf(request)?.kind === 'act') done(null)
    else done(new UnsupportedBody())
  })
  app.addHook('onRequest', (request, reply, goOn) => {
    if (!request.is404) goOn()
    else send(reply, redirectOf(request, switches) ?? answerUnrouted(request))
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const answer = answerToError(error)
    if (answer.status >= 500) request.log.error({ err: error }, 'request failed')
    return send(reply, answer)
  })
  return app
}

class UnreadableBody extends Error {
  readonly statusCode = 400

  constructor(reason: string) {
    super(`JSON parse error - ${reason}`)
  }
}

class UnsupportedBody extends Error {
  readonly statusCode = 415
}

/** An empty body is no body, and what is sent along with an acknowledge, close or reopen is not looked at. */
function parseBody(request: FastifyRequest, bytes: Buffer): unknown {
  if (bytes.length === 0 || endpointOf(request)?.kind === 'act') return undefined
  // read all the same, it would be kept with the wrong letters
  if (!isUtf8(bytes)) throw new Error('the body is not in UTF-8')
  return JSON.parse(bytes.toString()) as unknown
}

/** Spec: not shown. Where the paths are strict there is none; else the address with the slash that is missing. */
function redirectOf(
  { url }: FastifyRequest,
  { trailingSlash }: Pick<Switches, 'trailingSlash'>,
): Answer | undefined {
  if (trailingSlash === 'strict') return undefined
  const [path = '', ...query] = url.split('?')
  if (endpointsAt(`${path}/`).length === 0) return undefined
  return { status: 301, headers: { location: [`${path}/`, ...query].join('?') } }
}

/** A logger that notes of a request what helps to find it and nothing that must stay secret. */
function discreet(logger: boolean | object): boolean | object {
  if (typeof logger === 'boolean' && !logger) return false
  return { ...(typeof logger === 'object' ? logger : {}), serializers: { req: loggedRequest } }
}

/** Without headers, body and query, where secrets may have gone by mistake, at whatever address. */
function loggedRequest(request: FastifyRequest): object {
  const { method, url, host, ip } = request
  const [path = ''] = url.split('?', 1)
  return { method, url: path, host, remoteAddress: ip }
}

/**
 * What is not HTTP, is too long or too slow to be read. Nothing of it is logged: the bytes that came hold whatever its caller sent
 * along.
 */
function answerUnreadable(error: { readonly code?: string }, socket: Socket): void {
  if (socket.writable) {
    const { words, detail } = UNREADABLE[error.code ?? ''] ?? NOT_HTTP
    const body = JSON.stringify({ detail })
    const head = [`HTTP/1.1 ${words}`, 'Content-Type: application/json; charset=utf-8', 'Connection: close']
    socket.write([...head, `Content-Length: ${body.length}`, '', body].join('\r\n'))
  }
  socket.destroySoon()
}

const NOT_HTTP = { words: '400 Bad Request', detail: 'The request is not HTTP.' }

const UNREADABLE: Readonly<Record<string, typeof NOT_HTTP>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { words: '408 Request Timeout', detail: 'The request took too long to arrive.' },
  HPE_HEADER_OVERFLOW: {
    words: '431 Request Header Fields Too Large',
    detail: 'The headers of the request are too large.',
  },
}

function answerToError(error: FastifyError): Answer {
  const status = error.statusCode ?? 500
  if (status === 413) return refused(413, 'Request body is too large.')
  if (status === 415) return refused(415, 'Unsupported media type in request.')
  if (status >= 400 && status < 500) return refused(status, error.message)
  return refused(500, 'A server error occurred.')
}
