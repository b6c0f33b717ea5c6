/** Serves the OpenAPI document and the page made of it, to everybody: neither needs a token. */
import type { FastifyInstance } from 'fastify'

/** Loads the modules and makes both on the first request, so that they do not slow the start of the service. */
export async function registerOpenApi(app: FastifyInstance): Promise<void> {
  const document = memoize(async () => (await import('./document.ts')).createOpenApi())
  const json = memoize(async () => JSON.stringify(await document()))
  const page = memoize(async () => {
    const { renderPage, CONTENT_SECURITY_POLICY } = await import('./page.ts')
    return { body: renderPage(await document()), policy: CONTENT_SECURITY_POLICY }
  })

  app.get('/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(await json()),
  )
  app.get('/docs/', async (_request, reply) => {
    const { body, policy } = await page()
    return reply
      .type('text/html; charset=utf-8')
      .headers({ 'content-security-policy': policy, 'x-content-type-options': 'nosniff' })
      .send(body)
  })
  app.get('/docs', async (_request, reply) => reply.redirect('/docs/', 301))
}

function memoize<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined
  return () => (made ??= make())
}
