/** The environment of a round: a service with fixture data, a request recorder, and the user's routes. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { openBridge } from '../app/bridge.ts'
import type { Configuration } from '../config/configuration.ts'
import type { Credentials, Route } from '../config/routes.ts'
import type { Party } from '../domain/route.ts'
import type { Mapping } from '../mapping/load.ts'
import type { BlockSizes } from '../pipeline/context.ts'
import { createService, type Service, type ServiceImage } from '../service/service.ts'
import type { Switches } from '../service/switches.ts'
import { type Clock, systemClock } from '../support/clock.ts'
import { assert } from '../support/errors.ts'
import { combineWrappers, type PartsWrapper } from './crash-point.ts'
import { chooseAnswerForms, createRandom } from './fault-plan.ts'
import type { Fixture } from './fixture.ts'
import { createRequestRecorder } from './request-recorder.ts'
import type { NextNumber } from './document-sample.ts'
import { openStaging } from './staging.ts'

/** The setup that all worlds of one proof share. */
export interface WorldSetup {
  readonly configuration: Configuration
  readonly fixture: Fixture
  /** The service with the fixture data: to fill a database takes longer than to copy it. */
  readonly market: ServiceImage
  readonly serial: NextNumber
  /** The mappings of the configuration, compiled once for all bridges of this process. */
  readonly loadMappings: () => Promise<ReadonlyMap<string, Mapping>>
  /** Takes a part out of the bridge, for the tests of whether the proof detects that. */
  readonly sabotage?: PartsWrapper
}

interface WorldOptions {
  readonly folder: string
  /** Whether time jumps; real processes in this world need real time. */
  readonly swift: boolean
  /** The forms that the service answers in. */
  readonly forms: Partial<Switches>
  /** Nothing hangs in this world, so a busy machine may take its time for an answer. */
  readonly isCalm?: true
  /** Files are planned in blocks while they are sent, as usually only long ones are. */
  readonly inBlocks?: boolean
}

/** The files of a proof are short, so the blocks are too. */
const BLOCKS: BlockSizes = { fromBytes: 0, records: 2 }

export type World = Awaited<ReturnType<typeof openWorld>>

/** The leases of bridges in real processes; short, so that a stopped one soon loses its own. */
export const LEASE_MS = 600

/** More connections than these show nothing new, and a token must outlast them. */
const CONNECTIONS_MAX = 16

/** Short, because the service answers within milliseconds here. */
const TIMES = {
  swift: { timeoutMs: 400, lateAnswerMs: 1000, stableForMs: 500 },
  real: { timeoutMs: 1500, lateAnswerMs: 150, stableForMs: 20 },
} as const

const CALM_TIMEOUT_MS = 30_000

export async function openWorld(setup: WorldSetup, options: WorldOptions) {
  const { folder, swift, forms } = options
  const blocks = options.inBlocks === true ? BLOCKS : undefined
  const swiftly = swift ? createJumpingClock() : undefined
  const clock: Clock = swiftly ?? systemClock
  await mkdir(folder, { recursive: true })
  const service = await createService({ data: setup.market, clock, switches: forms })
  const recorder = createRequestRecorder(service)
  await service.listen()
  const credentialsOf = (party: Party) => findCredentials(service, party)
  const { baseUrl } = service
  const staging = openStaging(baseUrl, setup.fixture, clock, credentialsOf)
  const configuration = moveConfiguration(setup.configuration, { ...options, baseUrl, credentialsOf })
  for (const name of Object.keys(configuration.mailboxes))
    await mkdir(mailboxRoot(folder, name), { recursive: true })
  return {
    setup,
    folder,
    service,
    recorder,
    staging,
    configuration,
    blocks,
    /** Opens a bridge in this process. */
    open: async (wrap: PartsWrapper = {}) =>
      openBridge(configuration, {
        clock,
        mappings: await setup.loadMappings(),
        wrap: combineWrappers(wrap, setup.sabotage),
        ...(!swift && { leaseMs: LEASE_MS }),
        ...(blocks && { blocks }),
      }),
    /** Lets the lease of a dead bridge expire where other bridges cannot see that it is dead. */
    waitForLeaseExpiry: async () => {
      if (swiftly === undefined) await clock.sleep(LEASE_MS)
      else swiftly.skip(60_000)
    },
    /** Lets so much time pass that a bridge takes the files that were dropped before. */
    waitForStability: () => clock.sleep(TIMES[swift ? 'swift' : 'real'].stableForMs),
    pause: (ms: number) => clock.sleep(ms),
    now: () => clock.now(),
    close: async () => {
      await staging.close()
      await service.close()
    },
  }
}

/** Fills a service with the fixture data, for all worlds of a proof. */
export async function createMarket({ seed }: Fixture): Promise<ServiceImage> {
  const service = await createService({ data: ':memory:', clock: systemClock, seed })
  try {
    return await service.copy()
  } finally {
    await service.close()
  }
}

function findCredentials({ parties }: Service, { kind, id }: Party): Credentials {
  const party = parties.find((each) => each.kind === kind && each.id === id)
  assert(party?.clientSecret !== undefined, `${kind} ${id} is in the market`)
  return { clientId: party.clientId, clientSecret: party.clientSecret }
}

interface MoveOptions extends WorldOptions {
  readonly baseUrl: string
  readonly credentialsOf: (party: Party) => Credentials
}

/** The same routes at the service of this world, with journal, state and mailboxes in its folder. */
function moveConfiguration(configuration: Configuration, moving: MoveOptions): Configuration {
  const { folder, swift, isCalm, baseUrl, credentialsOf } = moving
  const connections = Math.min(configuration.api.connections, CONNECTIONS_MAX)
  const { stableForMs, ...usual } = TIMES[swift ? 'swift' : 'real']
  const times = isCalm === true ? { ...usual, timeoutMs: CALM_TIMEOUT_MS } : usual
  const [first] = configuration.routes
  assert(first, 'a configuration has routes')
  const { edi } = configuration
  const inboxes = edi?.inboxes.map((inbox) => ({ ...inbox, from: { ...inbox.from, stableForMs } })) ?? []
  const mailboxes = Object.keys(configuration.mailboxes).map((name) => {
    return [name, { type: 'directory' as const, path: mailboxRoot(folder, name) }]
  })
  return {
    // The service of a proof makes no promise about its 503, whatever the user's API does.
    api: { ...times, baseUrl, connections, trusts503: false, credentials: credentialsOf(first.party) },
    journal: { type: 'sqlite', path: join(folder, 'state', 'journal.db') },
    stateFolder: join(folder, 'state'),
    mailboxes: Object.fromEntries(mailboxes) as Configuration['mailboxes'],
    ...(edi && { edi: { ...edi, inboxes } }),
    routes: configuration.routes.map((route): Route => {
      const own = { credentials: credentialsOf(route.party) }
      if (route.direction === 'inbound') return { ...route, ...own, from: { ...route.from, stableForMs } }
      // A partner in this world answers interchanges. No consumer takes or confirms files: a route that waits for that continues
      // once a file is in place.
      const isKept = route.acknowledge === 'never' || route.acknowledge === 'answered'
      return { ...route, ...own, acknowledge: isKept ? route.acknowledge : 'delivered' }
    }),
  }
}

export function mailboxFolder(world: World, mailbox: string, folder: string): string {
  return join(mailboxRoot(world.folder, mailbox), folder)
}

/** In a world every mailbox is a directory. */
function mailboxRoot(folder: string, name: string): string {
  return join(folder, 'mailboxes', name)
}

// A foreign program drops files.

/** Makes a name that matches the pattern. */
export function createFileName(match: string, word: string): string {
  return (match.includes('*') ? match.replace('*', word).replaceAll('*', '') : match).replaceAll('?', 'x')
}

/** Renames the finished file, so that its name appears with the whole contents. */
export async function dropFile(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  await mkdir(folder, { recursive: true })
  const working = join(folder, `.${name}.part`)
  await writeFile(working, bytes)
  await rename(working, join(folder, name))
}

// Worlds of one route: replaced after some rounds, and after each round that failed.

export type Worlds = ReturnType<typeof openWorlds>

interface WorldsOptions {
  readonly folder: string
  readonly seed: number
  readonly route: string
  /** The purpose of the worlds; part of their folders' names. */
  readonly word: string
  readonly swift: boolean
  /** Each round has a new world. */
  readonly onlyOnce: boolean
}

/** After this many rounds a world is replaced: it gets slower with its contents. */
const ROUNDS_IN_WORLD = 25

export function openWorlds(setup: WorldSetup, options: WorldsOptions) {
  const { seed, route, word, swift, onlyOnce } = options
  let open: World | undefined
  let rounds = 0
  let made = 0
  const folder = () => join(options.folder, route, `${word}-${made}`)
  const leave = async (keeps: boolean) => {
    const before = open
    open = undefined
    await before?.close()
    if (before !== undefined && !keeps) await rm(folder(), { recursive: true, force: true })
  }
  return {
    folder,
    /** Keeps the folder of a failed world; the next round has a new one. */
    leaveBehind: () => leave(true),
    close: () => leave(false),
    /** The open world, or a new one after some rounds. */
    async next(): Promise<World> {
      if (rounds >= (onlyOnce ? 1 : ROUNDS_IN_WORLD)) await leave(false)
      if (open !== undefined) {
        rounds++
        return open
      }
      rounds = 1
      made++
      const forms = made % 2 === 0 ? chooseAnswerForms(createRandom(seed, route, word, made)) : {}
      const inBlocks = made % 4 < 2
      open = await openWorld(setup, { folder: folder(), swift, forms, inBlocks })
      return open
    },
  }
}

// A clock that jumps instead of waiting, so that hundreds of crashes take seconds.

/** How often a sleep yields: enough for the service in this process to finish a request that no caller awaits. */
const EVENT_LOOP_TURNS = 20

function createJumpingClock() {
  let skipped = 0
  const skip = (ms: number) => {
    skipped += Math.ceil(ms)
  }
  return {
    now: () => Date.now() + skipped,
    /** Lets time pass at once. */
    skip,
    sleep: async (ms: number) => {
      skip(ms)
      for (let turn = 0; turn < EVENT_LOOP_TURNS; turn++) await setImmediate()
    },
  }
}
