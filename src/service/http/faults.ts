/** Simulates the faults of real services, as the switches say: errors at random before or after the work, and stale reads. */
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceContext } from '../endpoints.ts'
import { type Answer, refuseWith } from './answers.ts'
import { formatHttpDate, refuseThrottled } from './rate-limit.ts'
import { endpointOf, sendAnswer } from './routes.ts'
import type { Endpoint } from '../../contract/endpoints.ts'
import { FAULT_NAMES, type FaultName, SWITCHES, type Switches } from '../switches.ts'
import { refuseUnauthorized } from '../access/tokens.ts'
import type { QueuedHandler } from './handler.ts'
import { openCopy, type Store } from '../store/store.ts'

export type FaultCounts = Record<FaultName, number>

export function createFaultCounts(): FaultCounts {
  return Object.fromEntries(FAULT_NAMES.map((name) => [name, 0])) as FaultCounts
}

/** Adds the faults as hooks around the handlers, and dates every answer by the service's clock. */
export function registerFaults(
  app: FastifyInstance,
  { switches, clock }: ServiceContext,
  { counts, hasStaleData }: { counts: FaultCounts; hasStaleData: () => boolean },
): void {
  const chances = createSeededRandom(switches, 0)
  // a separate sequence, so that jitter does not change which requests are struck
  const jitters = createSeededRandom(switches, 0x9e3779b9)
  /** Faults that will strike after the work; they already count, so that no more than allowed are chosen. */
  const chosen = new Map<FastifyRequest, FaultAfter>()
  const released = holdConnections(app)

  app.addHook('preHandler', (request, reply, goOn) => {
    const fault = struck() < switches.faultLimit ? chooseFault(request, switches, chances) : undefined
    if (fault !== undefined && isFaultBefore(fault)) {
      counts[fault] += 1
      FAULTS_BEFORE[fault]({ request, reply, released, refuse429: () => refuse429(chances()) })
      return
    }
    if (fault === 'staleRead') {
      request.isStale = hasStaleData()
      if (request.isStale) counts[fault] += 1
    } else if (fault !== undefined) chosen.set(request, fault)
    goOn()
  })

  app.addHook('onSend', async (request, reply, payload) => {
    reply.header('date', formatHttpDate(clock.now()))
    if (endpointOf(request) === undefined) return payload
    const held = switches.latencyMs + Math.round(switches.latencyJitterMs * jitters())
    if (held > 0) await clock.sleep(held)
    const fault = chosen.get(request)
    chosen.delete(request)
    if (fault === undefined || reply.statusCode >= 400) return payload
    // An answer without a body cannot be cut off.
    if (fault === 'truncatedJson' && !isText(payload)) return payload
    if (fault === 'redirectAfter' && request.method === 'GET') return payload
    counts[fault] += 1
    return FAULTS_AFTER[fault]({ request, reply, released }, payload)
  })

  function struck(): number {
    return Object.values(counts).reduce((sum, count) => sum + count, chosen.size)
  }

  function refuse429(chance: number): Answer {
    return refuseThrottled(chance < 0.5 ? 0 : 1, clock.now(), switches)
  }
}

function chooseFault(request: FastifyRequest, switches: Switches, next: () => number): FaultName | undefined {
  const endpoint = endpointOf(request)
  // Faults strike only the API itself, neither tokens nor the administration.
  if (endpoint === undefined || !endpoint.path.startsWith('/v1/')) return undefined
  return FAULT_NAMES.find(
    (name) => switches[name] > 0 && canStrike(name, endpoint, switches) && next() < switches[name],
  )
}

function canStrike(fault: FaultName, endpoint: Endpoint, { faultsStrike }: Switches): boolean {
  if (SWITCHES[fault].strikes === 'reading') return isReadOfParty(endpoint)
  return faultsStrike === 'all' || endpoint.method !== 'GET'
}

/** Whether older data can be shown: parties and carriers are always current. */
function isReadOfParty({ kind, context }: Endpoint): boolean {
  return (kind === 'one' || kind === 'list') && (context === 'retailer' || context === 'brand')
}

type FaultBefore = {
  [Name in FaultName]: (typeof SWITCHES)[Name]['strikes'] extends 'before' ? Name : never
}[FaultName]
type FaultAfter = Exclude<FaultName, FaultBefore | 'staleRead'>

function isFaultBefore(fault: FaultName): fault is FaultBefore {
  return SWITCHES[fault].strikes === 'before'
}

interface FaultTarget {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Resolves when the client gives up, or the service ends. */
  readonly released: (request: FastifyRequest) => Promise<void>
}

const SERVER_ERROR = refuseWith(500, 'A server error occurred.')

const GATEWAY_PAGE =
  '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>'

const FAULTS_BEFORE: Readonly<
  Record<FaultBefore, (struck: FaultTarget & { refuse429: () => Answer }) => unknown>
> = {
  resetBefore: ({ request, reply }) => {
    reply.hijack()
    request.raw.socket.destroy()
  },
  hang: ({ request, reply, released }) => {
    reply.hijack()
    void released(request)
  },
  error500Before: ({ reply }) => sendAnswer(reply, SERVER_ERROR),
  html502Before: ({ reply }) => answerAsGateway(reply).send(GATEWAY_PAGE),
  tooMany429: ({ reply, refuse429 }) => sendAnswer(reply, refuse429()),
  expiredToken: ({ reply }) => sendAnswer(reply, refuseUnauthorized('Invalid or expired token.')),
}

const FAULTS_AFTER: Readonly<Record<FaultAfter, (struck: FaultTarget, payload: unknown) => unknown>> = {
  loseAnswer: ({ request }, payload) => {
    request.raw.socket.destroy()
    return payload
  },
  hangAfter: async ({ request, released }, payload) => {
    await released(request)
    return payload
  },
  error500After: ({ reply }) => {
    reply.code(SERVER_ERROR.status).type('application/json; charset=utf-8')
    return JSON.stringify(SERVER_ERROR.body)
  },
  html502: ({ reply }) => {
    answerAsGateway(reply)
    return GATEWAY_PAGE
  },
  redirectAfter: ({ reply }) => {
    reply.code(302).header('location', '/login/').type('text/html; charset=utf-8')
    return ''
  },
  wait503After: ({ reply }) => {
    reply.code(503).header('retry-after', '1').type('application/json; charset=utf-8')
    return JSON.stringify({ detail: 'upstream request timeout' })
  },
  truncatedJson: (_, payload) =>
    isText(payload) ? payload.slice(0, Math.floor(payload.length / 2)) : payload,
}

function isText(payload: unknown): payload is string | Buffer {
  return typeof payload === 'string' || Buffer.isBuffer(payload)
}

function answerAsGateway(reply: FastifyReply): FastifyReply {
  return reply.code(502).type('text/html; charset=utf-8')
}

/** Holds connections without an answer and releases them at the end, so that waiting clients do not block shutdown. */
function holdConnections(app: FastifyInstance): FaultTarget['released'] {
  const held = new Set<Socket>()
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
    for (const socket of held) socket.destroy()
  })
  return ({ raw: { socket } }) =>
    new Promise((resolve) => {
      if (closing) socket.destroy()
      if (socket.destroyed) return resolve()
      held.add(socket)
      socket.once('close', () => {
        held.delete(socket)
        resolve()
      })
    })
}

/** Creates random numbers from 0 to 1 that are the same for the same seed; a new seed restarts the sequence. */
function createSeededRandom(switches: Pick<Switches, 'faultSeed'>, salt: number): () => number {
  let seed = switches.faultSeed
  let next = createRandom(seed ^ salt)
  return () => {
    if (seed !== switches.faultSeed) {
      seed = switches.faultSeed
      next = createRandom(seed ^ salt)
    }
    return next()
  }
}

/** A linear congruential generator (Numerical Recipes). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

// Serves reads from an earlier state of the database, like a replica that lags behind.

/** A copy is as large as the database, and there is one for each commit. */
const MAX_COPIES = 50

type Handlers = Readonly<Partial<Record<string, QueuedHandler>>>

interface DatabaseCopy {
  readonly bytes: Uint8Array
  /** When the first commit happened that the copy lacks. */
  readonly replacedAt: number
  open?: { readonly store: Store; readonly handlers: Handlers }
}

/** `handlersOf` makes the handlers over a copy. */
export function createStaleReads(
  { store, clock, switches }: Pick<ServiceContext, 'store' | 'clock' | 'switches'>,
  handlersOf: (store: Store) => Handlers,
) {
  /** Oldest first. */
  let copies: DatabaseCopy[] = []

  function forget(isOver: (copy: DatabaseCopy, index: number) => boolean): void {
    const over = new Set(copies.filter(isOver))
    copies = copies.filter((copy) => !over.has(copy))
    for (const { open } of over) open?.store.close()
  }

  function oldest(): DatabaseCopy | undefined {
    const since = clock.now() - switches.readLagMs
    forget(({ replacedAt }) => switches.staleRead === 0 || replacedAt <= since)
    return copies[0]
  }

  return {
    /** Call it right before each commit. */
    beforeWrites: (): void => {
      if (switches.staleRead === 0 && copies.length === 0) return
      oldest()
      if (switches.staleRead === 0) return
      copies.push({ bytes: store.copy(), replacedAt: clock.now() })
      forget((_, index) => index < copies.length - MAX_COPIES)
    },
    hasStaleData: (): boolean => oldest() !== undefined,
    /** The handlers over the data of `readLagMs` ago; undefined when these are unchanged since. */
    handlers: (): Handlers | undefined => {
      const copy = oldest()
      if (copy === undefined) return undefined
      if (copy.open === undefined) {
        const opened = openCopy(copy.bytes)
        copy.open = { store: opened, handlers: handlersOf(opened) }
      }
      return copy.open.handlers
    },
    close: (): void => forget(() => true),
  }
}
