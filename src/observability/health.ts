/** Tracks liveness and failing routes from events, and serves /livez, /readyz and /metrics over HTTP. */
import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import type { RouteFailure, RouteResults } from '../domain/alert.ts'
import type { BridgeEvent } from '../domain/event.ts'
import { type Clock, isoTime } from '../support/clock.ts'
import type { FailureCode } from '../support/errors.ts'
import { createHostCheck } from '../support/process.ts'
import { removeApiText } from './format.ts'

/** An event loop that has not come round for this long hangs. */
const HANG_MS = 120_000

/** Below this the journal may soon have no room. */
const FREE_BYTES_MIN = 20 * 1024 * 1024

interface LastPass {
  readonly at: number
  readonly failure?: string
}

export function createLiveness(clock: Clock, journalPath: string, routes: readonly string[]) {
  let beatAt = clock.now()
  const passes = new Map<string, LastPass>()
  return {
    observe: (event: BridgeEvent) => {
      // The next pass may take a while.
      if (event.kind === 'route-recovered') passes.set(event.route, { at: clock.now() })
      if (event.kind !== 'pass-ended') return
      const { route, failure } = event
      passes.set(route, { at: clock.now(), ...(failure === undefined ? {} : { failure }) })
    },
    /** Notes that the event loop turns; called every few seconds. */
    recordBeat: () => {
      beatAt = clock.now()
    },
    live: (): HealthReport => {
      const ok = clock.now() - beatAt <= HANG_MS
      return { ok, details: { live: ok, lastBeat: isoTime(beatAt) } }
    },
    ready: async (): Promise<HealthReport> => {
      const journal = await findJournalProblem(journalPath)
      const isFailing = ({ failure }: LastPass) => failure !== undefined && !EXPECTED_FAILURES.has(failure)
      const ok = journal === undefined && ![...passes.values()].some(isFailing)
      const lastPasses = routes.map((route) => [route, describePass(passes.get(route))])
      return { ok, details: { ready: ok, journal: journal ?? 'ok', routes: Object.fromEntries(lastPasses) } }
    },
  }
}

function describePass(pass: LastPass | undefined): unknown {
  if (pass === undefined) return { lastPass: null }
  const { at, failure } = pass
  return { lastPass: isoTime(at), ...(failure === undefined ? {} : { failure }) }
}

/** The known reason why the journal cannot be written; undefined when there is none. */
async function findJournalProblem(path: string): Promise<string | undefined> {
  if (path === ':memory:') return undefined
  try {
    await access(path, constants.W_OK)
    const { bavail, bsize } = await statfs(dirname(path))
    return bavail * bsize < FREE_BYTES_MIN ? 'the disk is full' : undefined
  } catch {
    return 'it cannot be written'
  }
}

// Routes that were tried, and those that failed.

export function trackFailures() {
  const failing = new Map<string, RouteFailure>()
  const tried = new Set<string>()
  return {
    observe(event: BridgeEvent) {
      if (event.kind === 'route-failed' && !EXPECTED_FAILURES.has(event.code)) {
        const { route, code, message, fix } = event
        failing.set(route, { route, code, message: removeApiText(message), fix })
        tried.add(route)
      }
      const isWell = event.kind === 'pass-ended' && event.failure === undefined && event.idle !== true
      if (event.kind !== 'route-recovered' && !isWell) return
      failing.delete(event.route)
      tried.add(event.route)
    },
    /** The routes tried so far, and the failures of those that fail. */
    tried: (): RouteResults => ({ routes: [...tried], failures: [...failing.values()] }),
  }
}

// Expected failures pass by themselves, or a person wanted them.

const EXPECTED_FAILURES: ReadonlySet<string> = new Set<FailureCode>([
  'lease-held',
  'lease-lost',
  'journal-busy',
  'interrupted',
  'time-over',
])

// The server: for supervisors and monitoring; it listens on this machine unless configured otherwise.

interface HealthReport {
  readonly ok: boolean
  /** Plain data without secrets. */
  readonly details: unknown
}

interface HealthOptions {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Names of this machine beside its own, for the `Host` of a request. */
  readonly hostNames: readonly string[]
  readonly live: () => HealthReport
  readonly ready: () => Promise<HealthReport>
  readonly metrics: { readonly text: () => Promise<string>; readonly contentType: string }
}

export type HealthServer = Awaited<ReturnType<typeof startHealthServer>>

/** How long a header and a whole request may take, and how often this is checked. */
const TIME_LIMITS = { headersTimeout: 5000, requestTimeout: 10_000, connectionsCheckingInterval: 1000 }

/** Throws when the server cannot listen on the address. */
export async function startHealthServer(options: HealthOptions) {
  const isOwnHost = createHostCheck([options.host, ...options.hostNames])
  // Loaded on demand: most commands serve nothing.
  const { createServer } = await import('node:http')
  const server = createServer(TIME_LIMITS, (request, response) => {
    if (!isOwnHost(request.headers.host)) {
      response.writeHead(421, { connection: 'close' }).end()
      return
    }
    handleRequest(options, request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  })
  server.maxConnections = 50
  await listenOn(server, options)
  // A connected monitor is no reason to keep running.
  server.unref()
  const { port, family, address } = server.address() as AddressInfo
  return {
    /** `http://127.0.0.1:9465` */
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const LISTEN_FIXES: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another program listens there, perhaps another watch; end that one or set health.listen to a free port, and start the watch anew',
  EACCES: 'this user may not listen there; set health.listen to a port from 1024 on',
  EADDRNOTAVAIL: 'this machine does not have that address; set health.listen to one that it has',
}

function listenOn(server: Server, { host, port }: HealthOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const fix = LISTEN_FIXES[error.code ?? '']
      reject(fix === undefined ? error : new Error(`${error.message}: ${fix}`, { cause: error }))
    })
    server.listen({ host, port }, () => {
      server.removeAllListeners('error')
      // A connection that cannot be accepted is no reason to stop.
      server.on('error', () => undefined)
      resolve()
    })
  })
}

async function handleRequest(options: HealthOptions, request: IncomingMessage, response: ServerResponse) {
  request.resume()
  response.setHeader('cache-control', 'no-store')
  response.setHeader('x-content-type-options', 'nosniff')
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end()
    return
  }
  const [path, query] = (request.url ?? '/').split('?', 2)
  if (query !== undefined) {
    response.writeHead(400, { 'content-type': 'text/plain; charset=utf-8' }).end('There is no parameter.\n')
  } else if (path === '/metrics') {
    const text = await options.metrics.text()
    response.writeHead(200, { 'content-type': options.metrics.contentType }).end(text)
  } else if (path === '/livez') sendReport(response, options.live())
  else if (path === '/readyz') sendReport(response, await options.ready())
  else
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('/livez /readyz /metrics\n')
}

function sendReport(response: ServerResponse, { ok, details }: HealthReport): void {
  response
    .writeHead(ok ? 200 : 503, { 'content-type': 'application/json; charset=utf-8' })
    .end(`${JSON.stringify(details)}\n`)
}
