/** Serves the OpenAPI document and the page made of it, to everybody: neither needs a token. */
import type { FastifyInstance } from 'fastify'
import { CONTENT_SECURITY_POLICY } from './page-style.ts'

/** Loads the modules and makes both on the first request, so that they do not slow the start of the service. */
export async function registerOpenApi(app: FastifyInstance): Promise<void> {
  const document = memoize(async () => (await import('./document.ts')).createOpenApi())
  const json = memoize(async () => JSON.stringify(await document()))
  const page = memoize(async () => (await import('./page.ts')).renderPage(await document()))

  app.get('/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(await json()),
  )
  app.get('/docs/', async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .headers({ 'content-security-policy': CONTENT_SECURITY_POLICY, 'x-content-type-options': 'nosniff' })
      .send(await page()),
  )
  app.get('/docs', async (_request, reply) => reply.redirect('/docs/', 301))
}

function memoize<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined
  return () => (made ??= make())
}
