/** The order-fulfilment API itself: the composition of its parts, and its life from start to end. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../support/clock.ts'
import { assert, BridgeError } from '../support/errors.ts'
import { createCounts, type ServiceCounts } from './counts.ts'
import { readDirectory } from './directory.ts'
import { createHandlers } from './handlers.ts'
import { endpointOf, registerRoutes } from './http/routes.ts'
import { type Seed, sampleSeed } from './seed.ts'
import { type SeededParty, seedWhenFresh } from './store/seeding.ts'
import { createServer, registerClosing } from './http/server.ts'
import { openStore, type Store } from './store/store.ts'
import { type FaultCounts, noFaults, registerFaults, SWITCHES, type Switches } from './http/switches.ts'
import { createTokens } from './http/tokens.ts'
import { createWriteQueue } from './store/write-queue.ts'

export interface ServiceOptions {
  /** The folder of the database, made when it is missing; `:memory:` keeps nothing. */
  readonly data: string
  readonly clock: Clock
  /** 127.0.0.1 unless told. */
  readonly host?: string
  /** 0, which takes any free port, unless told. */
  readonly port?: number
  /** What Fastify takes as a logger; silent unless told. */
  readonly logger?: boolean | object
  /** What a fresh database starts with; the sample market unless told. */
  readonly seed?: Seed
  readonly tokenLifetimeSeconds?: number
  readonly switches?: Partial<Switches>
}

export interface Service {
  readonly app: FastifyInstance
  /** Known once the service listens. */
  readonly baseUrl: string
  /** Who may log in; with the secrets only when the database was seeded just now. */
  readonly seeded: readonly SeededParty[]
  /** May be turned at any time; a change takes effect with the next request. */
  readonly switches: Switches
  /** How often each fault has struck. */
  readonly faults: Readonly<FaultCounts>
  /** Resolves to the base address. Throws `usage-wrong` when the address cannot be listened on. */
  listen(): Promise<string>
  /** Answers what is in flight, then closes the database. May be repeated. */
  close(): Promise<void>
  counts(): ServiceCounts
}

/** Seconds; what the public documentation of the API shows. */
const TOKEN_LIFETIME_SECONDS = 36_000

export async function createService(options: ServiceOptions): Promise<Service> {
  const store = openStore(options.data)
  try {
    return await composeService(options, store)
  } catch (error) {
    store.close()
    throw error
  }
}

async function composeService(options: ServiceOptions, store: Store): Promise<Service> {
  const { clock, host = '127.0.0.1', port = 0 } = options
  const seeded = seedWhenFresh(store, options.seed ?? sampleSeed())
  const directory = readDirectory(store)
  const lifetimeSeconds = options.tokenLifetimeSeconds ?? TOKEN_LIFETIME_SECONDS
  const tokens = createTokens({ store, clock, lifetimeSeconds })
  const handlers = createHandlers({ store, directory, clock, tokens })
  const queue = createWriteQueue(store)
  const switches: Switches = { ...SWITCHES, ...options.switches }
  const faults = noFaults()

  const app = await createServer(options.logger ?? false)
  registerFaults(app, { switches, counts: faults, clock, isMutation })
  registerClosing(app)
  registerRoutes(app, { handlers, queue, tokens, directory, switches })
  app.addHook('onClose', async () => store.close())

  let baseUrl: string | undefined
  return {
    app,
    get baseUrl() {
      assert(baseUrl !== undefined, 'the service has no address before it listens')
      return baseUrl
    },
    seeded,
    switches,
    faults,
    listen: async () => {
      baseUrl ??= await listen(app, host, port)
      return baseUrl
    },
    close: () => app.close(),
    counts: createCounts(store),
  }
}

function isMutation(request: FastifyRequest): boolean {
  const kind = endpointOf(request)?.kind
  return kind === 'create' || kind === 'act'
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    return await app.listen({ host, port })
  } catch (error) {
    throw new BridgeError('usage-wrong', `The service cannot listen on ${host}, port ${port}.`, {
      cause: error,
    })
  }
}
