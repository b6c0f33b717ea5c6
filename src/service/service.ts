/** The order-fulfilment API itself: composes its parts, starts and stops it. */
import { once } from 'node:events'
import { createServer as createTcpServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../support/clock.ts'
import { assert, BridgeError } from '../support/errors.ts'
import { replaceStartupClients, type StartupClients } from './access/clients.ts'
import { createGuessLimit, createTokens } from './access/tokens.ts'
import { createHandlers, createResourceHandlers } from './handlers.ts'
import { createFaultCounts, createStaleReads, type FaultCounts, registerFaults } from './http/faults.ts'
import { createThrottle, skewClock } from './http/rate-limit.ts'
import { registerRoutes } from './http/routes.ts'
import { createServer, registerShutdown } from './http/server.ts'
import { countResources, readIntroduction } from './admin/handlers.ts'
import { sampleSeed } from './sample-seed.ts'
import { type Seed, seedIfEmpty } from './seed.ts'
import { openImage, openStore, type Store } from './store/store.ts'
import { createWriteQueue } from './store/write-queue.ts'
import { createSwitches, type Switches } from './switches.ts'
import { createTradeDirectory } from './trade/directory.ts'

/** A copy of a service's state, from which another service can continue. */
export interface ServiceImage {
  readonly database: Uint8Array
  /** Includes the secrets that the service knew. */
  readonly clients: StartupClients
}

export interface ServiceOptions {
  /** The folder of the database, created when missing; `:memory:` keeps nothing, and neither does an image. */
  readonly data: string | ServiceImage
  readonly clock: Clock
  /** 127.0.0.1 by default. */
  readonly host?: string
  /** 0, which takes any free port, by default. */
  readonly port?: number
  /** Names under which it answers, beside those of this machine and all addresses. */
  readonly hostNames?: readonly string[]
  /** A logger for Fastify; silent by default. */
  readonly logger?: boolean | object
  /** The contents of a fresh database; the sample market by default. */
  readonly seed?: Seed
  readonly tokenLifetimeSeconds?: number
  readonly switches?: Partial<Switches>
  /** Makes another client for every account, because the secrets of the earlier ones are lost. */
  readonly newClients?: boolean
}

export type Service = Awaited<ReturnType<typeof createService>>

/** Seconds, as in the public documentation of the API. */
const TOKEN_SECONDS = 36_000

export async function createService(options: ServiceOptions) {
  const { data } = options
  const store = typeof data === 'string' ? openStore(data) : openImage(data.database)
  try {
    return await composeService(options, store)
  } catch (error) {
    store.close()
    throw error
  }
}

async function composeService(options: ServiceOptions, store: Store) {
  const { host = '127.0.0.1', port = 0, tokenLifetimeSeconds: lifetimeSeconds = TOKEN_SECONDS } = options
  const switches = createSwitches(options.switches)
  const clock = skewClock(options.clock, switches)
  const clients = openClients(options, store, clock)
  const app = await createServer(options.logger ?? false, switches, [host, ...(options.hostNames ?? [])])
  const faults = createFaultCounts()
  const directory = createTradeDirectory(store)
  const context = { store, directory, clock, switches }
  const stale = createStaleReads({ store, clock: options.clock, switches }, (copy) =>
    createResourceHandlers({ ...context, store: copy }),
  )
  registerFaults(app, context, { counts: faults, hasStaleData: stale.hasStaleData })
  registerShutdown(app)
  await registerOpenApi(app)
  const tokens = createTokens({
    store,
    clock,
    lifetimeSeconds,
    switches,
    guesses: createGuessLimit(options.clock, switches),
  })
  const refresh = () => {
    directory.refresh()
    tokens.refresh()
  }
  const queue = createWriteQueue(store, refresh, stale.beforeWrites)
  registerRoutes(app, {
    handlers: createHandlers(context, { tokens, queue, faults }),
    staleHandler: (name) => stale.handlers()?.[name],
    tokens,
    directory,
    switches,
    throttle: createThrottle(clock, switches),
  })
  app.addHook('onClose', async () => {
    // Callers that hung up do not keep the server open, but their queued writes must still run.
    await queue.idle()
    stale.close()
    store.close()
  })

  let baseUrl: string | undefined
  return {
    app,
    /** Known once the service listens. */
    get baseUrl() {
      assert(baseUrl !== undefined, 'the service has no address before it listens')
      return baseUrl
    },
    /** The parties that may log in; with secrets only of clients made just now. */
    parties: clients.parties,
    /** The client of the administration; with its secret only when it was made just now. */
    admin: clients.admin,
    /** May change at any time; a change takes effect with the next request. */
    switches,
    /** How often each fault has struck. */
    faults: faults as Readonly<FaultCounts>,
    /** Resolves to the base address. Throws `usage-wrong` when it cannot listen on the address. */
    listen: async () => {
      baseUrl ??= await listen(app, host, port)
      return baseUrl
    },
    /** Answers what is in flight, then closes the database. May be repeated. */
    close: (): Promise<void> => app.close(),
    counts: () => countResources(store),
    /** Resolves after all requests are done. Leaves out switches, faults and unwritten tokens. */
    copy: async (): Promise<ServiceImage> => {
      await queue.idle()
      return { database: store.copy(), clients }
    },
    introduction: () => readIntroduction(store, directory, clients.parties),
  }
}

function openClients({ data, seed, newClients }: ServiceOptions, store: Store, clock: Clock): StartupClients {
  const known = typeof data === 'string' ? seedIfEmpty(store, seed ?? sampleSeed(), clock) : data.clients
  return newClients === true ? replaceStartupClients(store) : known
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    return await app.listen({ host, port })
  } catch (error) {
    throw cannotListenError(host, port, error)
  }
}

function cannotListenError(host: string, port: number, cause: unknown): BridgeError {
  const isTaken = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE'
  const why = isTaken ? ': another program listens there' : ''
  const fix = isTaken ? 'Stop that program, or choose another port: `--port 8081`.' : undefined
  return new BridgeError('usage-wrong', `The service cannot listen on ${host}, port ${port}${why}.`, {
    cause,
    fix,
  })
}

/** Throws `usage-wrong` when another program has the port or the address is not one of this machine. */
export async function assertCanListen(host: string, port: number): Promise<void> {
  const probe = createTcpServer()
  try {
    probe.listen({ host, port })
    await once(probe, 'listening')
  } catch (error) {
    throw cannotListenError(host, port, error)
  } finally {
    probe.close()
  }
}

// The OpenAPI document and the page made of it, for everybody: neither needs a token.

/** Loads the modules and makes both on the first request, so that they do not slow the start of the service. */
async function registerOpenApi(app: FastifyInstance): Promise<void> {
  const document = memoize(async () => (await import('./openapi/document.ts')).createOpenApi())
  const json = memoize(async () => JSON.stringify(await document()))
  const page = memoize(async () => {
    const { renderPage, CONTENT_SECURITY_POLICY } = await import('./openapi/page.ts')
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
