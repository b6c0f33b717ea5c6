/** The order-fulfilment API itself: the composition of its parts, and its life from start to end. */
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../support/clock.ts'
import { assert, BridgeError } from '../support/errors.ts'
import { createAdminHandlers } from './admin/handlers.ts'
import { createCounts, type ServiceCounts } from './counts.ts'
import { createDirectory, type Directory } from './directory.ts'
import { createHandlers, createResourceHandlers } from './handlers.ts'
import { registerClosing } from './http/closing.ts'
import { skewed } from './http/dates.ts'
import { type FaultCounts, noFaults, registerFaults } from './http/faults.ts'
import type { QueuedHandler } from './http/handling.ts'
import { createThrottle } from './http/rate-limit.ts'
import { registerRoutes } from './http/routes.ts'
import { createServer } from './http/server.ts'
import { createSwitches, type Switches } from './http/switches.ts'
import { createTokens } from './http/tokens.ts'
import { registerOpenApi } from './openapi/serving.ts'
import { createLaggingData, type LaggingData } from './lagging.ts'
import { createIntroduction, type Introduction } from './introduction.ts'
import { createResources } from './resources.ts'
import { sampleSeed } from './sample-seed.ts'
import type { Seed } from './seed.ts'
import { replaceToldClients, type ToldClient, type ToldParty } from './store/clients.ts'
import { seedWhenFresh } from './store/seeding.ts'
import { openStore, type Store } from './store/store.ts'
import { createWriteQueue, type WriteQueue } from './store/write-queue.ts'

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
  /** Makes another client for every account, because the secrets of the earlier ones are lost. */
  readonly newClients?: boolean
}

export interface Service {
  readonly app: FastifyInstance
  /** Known once the service listens. */
  readonly baseUrl: string
  /** Who may log in; with the secrets only of clients made just now. */
  readonly seeded: readonly ToldParty[]
  /** Who may call the administration; with the secret only when the client was made just now. */
  readonly admin: ToldClient
  /** May be turned at any time; a change takes effect with the next request. */
  readonly switches: Switches
  /** How often each fault has struck. */
  readonly faults: Readonly<FaultCounts>
  /** Resolves to the base address. Throws `usage-wrong` when the address cannot be listened on. */
  listen(): Promise<string>
  /** Answers what is in flight, then closes the database. May be repeated. */
  close(): Promise<void>
  counts(): ServiceCounts
  introduction(): Introduction
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
  const { host = '127.0.0.1', port = 0 } = options
  const switches = createSwitches(options.switches)
  const clock = skewed(options.clock, switches)
  const known = seedWhenFresh(store, options.seed ?? sampleSeed(), clock)
  const told = options.newClients === true ? replaceToldClients(store) : known
  const app = await createServer(options.logger ?? false, switches)
  const faults = noFaults()
  const directory = createDirectory(store)
  const lagging = createLaggingData({
    store,
    clock: options.clock,
    switches,
    handlersOf: (copy) =>
      createResourceHandlers(createResources({ store: copy, directory, clock, switches })),
  })
  registerFaults(app, { switches, counts: faults, clock, isLagging: lagging.isLagging })
  registerClosing(app)
  await registerOpenApi(app)
  const queue = registerEndpoints(app, { options, store, switches, clock, directory, faults, lagging })
  app.addHook('onClose', async () => {
    // Whoever hung up keeps the server open no longer, and what was asked is still to be done.
    await queue.settled()
    lagging.close()
    store.close()
  })

  let baseUrl: string | undefined
  return {
    app,
    get baseUrl() {
      assert(baseUrl !== undefined, 'the service has no address before it listens')
      return baseUrl
    },
    seeded: told.parties,
    admin: told.admin,
    switches,
    faults,
    listen: async () => {
      baseUrl ??= await listen(app, host, port)
      return baseUrl
    },
    close: () => app.close(),
    counts: createCounts(store),
    introduction: createIntroduction(store, directory, told.parties),
  }
}

interface EndpointParts {
  readonly options: ServiceOptions
  readonly store: Store
  readonly switches: Switches
  readonly clock: Clock
  readonly directory: Directory
  readonly faults: FaultCounts
  readonly lagging: LaggingData<Readonly<Partial<Record<string, QueuedHandler>>>>
}

function registerEndpoints(app: FastifyInstance, parts: EndpointParts): WriteQueue {
  const { options, store, switches, clock, directory, faults, lagging } = parts
  const lifetimeSeconds = options.tokenLifetimeSeconds ?? TOKEN_LIFETIME_SECONDS
  const resources = createResources({ store, directory, clock, switches })
  const tokens = createTokens({ store, clock, lifetimeSeconds, switches })
  const refresh = () => {
    directory.refresh()
    tokens.refresh()
  }
  const queue = createWriteQueue(store, refresh, lagging.beforeWrites)
  const served = { resources, tokens, queue }
  const handlers = { ...createHandlers(served), ...createAdminHandlers({ ...served, faults }) }
  registerRoutes(app, {
    handlers,
    staleHandler: (name) => lagging.handlers()?.[name],
    tokens,
    directory,
    switches,
    throttle: createThrottle({ clock, switches }),
  })
  return queue
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
