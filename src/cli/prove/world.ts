/** One small world: a service with a market in it, a witness, and the user's routes with everything else replaced. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Bridge, openBridge } from '../../bridge/bridge.ts'
import type { BridgeOptions } from '../../bridge/options.ts'
import type { Configuration } from '../../config/configuration.ts'
import type { Credentials, OutboundRoute, Route } from '../../config/routes.ts'
import type { Party } from '../../domain/route.ts'
import type { Switches } from '../../service/http/switches.ts'
import { createService, type Service } from '../../service/service.ts'
import { type Clock, systemClock } from '../../support/clock.ts'
import { assert } from '../../support/errors.ts'
import { newId } from '../context.ts'
import { VERSION } from '../version.ts'
import { type Wrap, wrappedBoth } from './death.ts'
import type { Serial } from './keys.ts'
import type { Market } from './market.ts'
import { openStaging, type Staging } from './staging.ts'
import { swiftClock } from './swift-clock.ts'
import { hireWitness, type Witness } from './witness.ts'

/** What all worlds of one proof share. */
export interface Ground {
  readonly configuration: Configuration
  readonly market: Market
  readonly serial: Serial
  /** Takes something out of the bridge, for the tests that see whether the proof notices. */
  readonly sabotage?: Wrap
}

export interface WorldOptions {
  readonly folder: string
  /** Whether time jumps, or passes as for the real processes that work in this world. */
  readonly swift: boolean
  /** The forms of answers the service gives here. */
  readonly forms: Partial<Switches>
  /** Nothing hangs here, so that a busy machine may take its time for an answer. */
  readonly isCalm?: true
}

export interface World {
  readonly ground: Ground
  readonly folder: string
  readonly service: Service
  readonly witness: Witness
  readonly staging: Staging
  readonly configuration: Configuration
  /** Opens a bridge in this process. */
  readonly open: (wrap?: Wrap) => Promise<Bridge>
  /** Lets a dead one's lease run out, where nobody sees that it is dead. */
  readonly letLeaseRunOut: () => Promise<void>
  readonly pause: (ms: number) => Promise<void>
  readonly close: () => Promise<void>
}

/** Leases of bridges in a real process; short, so that a stopped one loses its own soon. */
export const LEASE_MS = 600

/** More at once than these show nothing new, and a token must outlast them. */
const CONNECTIONS_MAX = 16

/** What the service does before it answers takes milliseconds here. */
const TIMES = {
  swift: { timeoutMs: 400, lateAnswerMs: 1000, settleMs: 500 },
  real: { timeoutMs: 1500, lateAnswerMs: 150, settleMs: 20 },
} as const

const CALM_TIMEOUT_MS = 30_000

export async function openWorld(ground: Ground, options: WorldOptions): Promise<World> {
  const { folder, swift, forms } = options
  const swiftly = swift ? swiftClock() : undefined
  const clock: Clock = swiftly ?? systemClock
  await mkdir(folder, { recursive: true })
  const service = await createService({ data: ':memory:', clock, seed: ground.market.seed, switches: forms })
  const witness = hireWitness(service)
  await service.listen()
  const credentialsOf = (party: Party) => credentialsIn(service, party)
  const { baseUrl } = service
  const staging = openStaging({ baseUrl, market: ground.market, clock, credentialsOf })
  const configuration = movedInto(ground.configuration, { ...options, baseUrl, credentialsOf })
  await Promise.all(
    Object.keys(configuration.mailboxes).map((name) => mkdir(mailboxIn(folder, name), { recursive: true })),
  )
  return {
    ground,
    folder,
    service,
    witness,
    staging,
    configuration,
    open: (wrap) => openBridge(configuration, bridgeOptions(clock, swift, bothWraps(wrap, ground.sabotage))),
    letLeaseRunOut: async () => {
      if (swiftly === undefined) await clock.sleep(LEASE_MS)
      else swiftly.skip(60_000)
    },
    pause: (ms) => clock.sleep(ms),
    close: async () => {
      await staging.close()
      await service.close()
    },
  }
}

function bothWraps(wrap: Wrap | undefined, sabotage: Wrap | undefined): Wrap | undefined {
  return wrap === undefined ? sabotage : wrappedBoth(wrap, sabotage)
}

function bridgeOptions(clock: Clock, swift: boolean, wrap: Wrap | undefined): BridgeOptions {
  return {
    clock,
    random: Math.random,
    newId,
    notify: () => undefined,
    version: VERSION,
    ...(swift ? {} : { leaseMs: LEASE_MS }),
    ...(wrap === undefined ? {} : { wrap }),
  }
}

function credentialsIn({ seeded }: Service, { kind, id }: Party): Credentials {
  const party = seeded.find((each) => each.kind === kind && each.id === id)
  assert(party?.clientSecret !== undefined, `${kind} ${id} is in the market`)
  return { clientId: party.clientId, clientSecret: party.clientSecret }
}

interface Moving extends WorldOptions {
  readonly baseUrl: string
  readonly credentialsOf: (party: Party) => Credentials
}

/** The same routes at the service of this world, with journal, state and mailboxes in its folder. */
function movedInto(configuration: Configuration, moving: Moving): Configuration {
  const { folder, swift, isCalm, baseUrl, credentialsOf } = moving
  const connections = Math.min(configuration.api.connections, CONNECTIONS_MAX)
  const { settleMs, ...usual } = TIMES[swift ? 'swift' : 'real']
  const times = isCalm === true ? { ...usual, timeoutMs: CALM_TIMEOUT_MS } : usual
  const [first] = configuration.routes
  assert(first, 'a configuration has routes')
  return {
    // The service of a proof promises nothing of its 503, whatever the API of the user does.
    api: { ...times, baseUrl, connections, trusts503: false, credentials: credentialsOf(first.party) },
    journal: { type: 'sqlite', path: join(folder, 'state', 'journal.db') },
    stateFolder: join(folder, 'state'),
    mailboxes: Object.fromEntries(
      Object.keys(configuration.mailboxes).map((name) => [
        name,
        { type: 'directory', path: mailboxIn(folder, name) },
      ]),
    ),
    routes: configuration.routes.map((route): Route => {
      const own = { credentials: credentialsOf(route.party) }
      if (route.direction === 'outbound') return { ...route, ...own, acknowledge: takenAtOnce(route) }
      return { ...route, ...own, from: { ...route.from, settleMs } }
    }),
  }
}

/** Nobody in this world takes files away or confirms them: what waits for that goes on as soon as a file is in place. */
function takenAtOnce({ acknowledge }: OutboundRoute): OutboundRoute['acknowledge'] {
  return acknowledge === 'never' ? 'never' : 'delivered'
}

/** A folder of one of the world's mailboxes. */
export function placeIn(world: World, mailbox: string, folder: string): string {
  return join(mailboxIn(world.folder, mailbox), folder)
}

/** Whatever a mailbox is otherwise, in a world it is a directory. */
function mailboxIn(folder: string, name: string): string {
  return join(folder, 'mailboxes', name)
}
