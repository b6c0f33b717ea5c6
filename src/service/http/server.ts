/** The HTTP server: bodies read by their content type, and every error in the service's own words. */
import formbody from '@fastify/formbody'
import fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify'
import { type Answer, refused } from './answer.ts'
import { answerUnrouted, endpointOf, send } from './routes.ts'

/** Spec: not shown. */
const LARGEST_BODY_BYTES = 1024 * 1024

/** A request that has not arrived whole after this long is given up. */
const REQUEST_TIMEOUT_MS = 60_000

export async function createServer(logger: boolean | object): Promise<FastifyInstance> {
  const app = fastify({
    logger,
    bodyLimit: LARGEST_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    frameworkErrors: (_error, _request, reply) => void send(reply, refused(404, 'Not found.')),
  })
  app.removeAllContentTypeParsers()
  await app.register(formbody)
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    try {
      done(null, parseBody(request, String(text)))
    } catch (error) {
      done(new UnreadableBody(error instanceof Error ? error.message : 'unknown'))
    }
  })
  // only an endpoint that takes no body gets this far with another content type
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, _text, done) => {
    if (endpointOf(request)?.kind === 'act') done(null)
    else done(new UnsupportedBody())
  })
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) await send(reply, answerUnrouted(request))
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const answer = answerToError(error)
    if (answer.status >= 500) request.log.error({ err: error }, 'request failed')
    return send(reply, answer)
  })
  return app
}

/**
 * Tells callers that are still being answered to let go of their connection, which would keep the server from closing
 * for as long as they hold it. To be registered after whatever delays an answer.
 */
export function registerClosing(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onSend', async (_request, reply, payload) => {
    if (closing) reply.header('connection', 'close')
    return payload
  })
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
function parseBody(request: FastifyRequest, text: string): unknown {
  return text === '' || endpointOf(request)?.kind === 'act' ? undefined : (JSON.parse(text) as unknown)
}

function answerToError(error: FastifyError): Answer {
  const status = error.statusCode ?? 500
  if (status === 413) return refused(413, 'Request body is too large.')
  if (status === 415) return refused(415, 'Unsupported media type in request.')
  if (status >= 400 && status < 500) return refused(status, error.message)
  return refused(500, 'A server error occurred.')
}
