/** /livez, /readyz and /metrics over HTTP: for supervisors and monitoring, on this machine unless told otherwise. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Verdict {
  readonly ok: boolean
  /** Plain data without secrets. */
  readonly details: unknown
}

export interface HealthOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly live: () => Verdict
  readonly ready: () => Promise<Verdict>
  readonly metrics: { readonly text: () => Promise<string>; readonly contentType: string }
}

export interface HealthServer {
  /** `http://127.0.0.1:9465` */
  readonly url: string
  close(): Promise<void>
}

/** Throws what keeps the address from being listened on. */
export async function serveHealth(options: HealthOptions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    answer(options, request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  })
  server.requestTimeout = 10_000
  server.headersTimeout = 5000
  server.maxConnections = 50
  await listen(server, options)
  // Whoever watches us is no reason to stay.
  server.unref()
  const { port, family, address } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const CURES: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another program listens there, perhaps another watch; end that one or set health.listen to a free port, and start the watch anew',
  EACCES: 'this user may not listen there; set health.listen to a port from 1024 on',
  EADDRNOTAVAIL: 'this machine does not have that address; set health.listen to one that it has',
}

function listen(server: Server, { host, port }: HealthOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const cure = CURES[error.code ?? '']
      reject(cure === undefined ? error : new Error(`${error.message}: ${cure}`, { cause: error }))
    })
    server.listen({ host, port }, () => {
      server.removeAllListeners('error')
      // A connection that cannot be taken is no reason to end.
      server.on('error', () => undefined)
      resolve()
    })
  })
}

async function answer(
  options: HealthOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  request.resume()
  response.setHeader('cache-control', 'no-store')
  response.setHeader('x-content-type-options', 'nosniff')
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end()
    return
  }
  const [path] = (request.url ?? '/').split('?', 1)
  if (path === '/metrics') {
    const text = await options.metrics.text()
    response.writeHead(200, { 'content-type': options.metrics.contentType }).end(text)
  } else if (path === '/livez') endWith(response, options.live())
  else if (path === '/readyz') endWith(response, await options.ready())
  else
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('/livez /readyz /metrics\n')
}

function endWith(response: ServerResponse, { ok, details }: Verdict): void {
  response
    .writeHead(ok ? 200 : 503, { 'content-type': 'application/json; charset=utf-8' })
    .end(`${JSON.stringify(details)}\n`)
}
