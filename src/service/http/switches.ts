/** The places where the spec leaves a choice, and the faults of real services, each a switch that can be turned. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../support/clock.ts'

/** Every switch with the value it has when nobody turns it. */
export const SWITCHES = {
  /** Spec: not shown. A list comes as an object with `results`, or as a bare array. */
  envelope: 'object' as 'object' | 'array',
  /** Spec: not shown. Acknowledge, close and reopen answer the whole resource, or nothing. */
  actAnswer: 200 as 200 | 204,
  /** How long every answer is held back after the work is done. */
  latencyMs: 0,
  /** How likely each fault is for a create or an act, 0 to 1. At most one strikes a request. */
  /** The connection breaks before anything is done. */
  resetBefore: 0,
  /** 500, and nothing was done. */
  error500Before: 0,
  /** 429 with a Retry-After of 0 or 1 seconds, and nothing was done. */
  tooMany429: 0,
  /** 401 as for an expired token, and nothing was done. */
  expiredToken: 0,
  /** It is done, and the connection breaks instead of an answer. */
  loseAnswer: 0,
  /** It is done, and the answer is 500. */
  error500After: 0,
  /** It is done, and a gateway answers 502 with a page of HTML. */
  html502: 0,
  /** It is done, and the answer is cut off in the middle of its JSON. */
  truncatedJson: 0,
  /** As many faults strike in all. */
  faultLimit: Number.MAX_SAFE_INTEGER,
  /** Decides which requests are struck; read once, when the service is made. */
  faultSeed: 1,
}

export type Switches = typeof SWITCHES

/** The faults in the order in which they are tried, and when they strike. */
const FAULTS = {
  resetBefore: 'before',
  error500Before: 'before',
  tooMany429: 'before',
  expiredToken: 'before',
  loseAnswer: 'after',
  error500After: 'after',
  html502: 'after',
  truncatedJson: 'after',
} as const satisfies Partial<Record<keyof Switches, 'before' | 'after'>>

export type FaultName = keyof typeof FAULTS

/** How often each fault has struck. */
export type FaultCounts = Record<FaultName, number>

export interface FaultParts {
  /** Read at every request, so that turning one takes effect at once. */
  readonly switches: Switches
  readonly counts: FaultCounts
  readonly clock: Clock
  /** Whether faults can strike the request: a create or an act. */
  readonly isMutation: (request: FastifyRequest) => boolean
}

export function noFaults(): FaultCounts {
  const names = Object.keys(FAULTS) as FaultName[]
  return Object.fromEntries(names.map((name) => [name, 0])) as FaultCounts
}

/** Hooks the faults in around the handlers: some before the work, some instead of the answer to work that succeeded. */
export function registerFaults(app: FastifyInstance, parts: FaultParts): void {
  const { switches, counts, clock, isMutation } = parts
  const random = createRandom(switches.faultSeed)
  const chosen = new WeakMap<FastifyRequest, FaultName>()

  app.addHook('preHandler', async (request, reply) => {
    if (!isMutation(request)) return
    const fault = chooseFault(parts, random)
    if (fault === undefined) return
    if (FAULTS[fault] === 'after') chosen.set(request, fault)
    else {
      counts[fault] += 1
      await BEFORE[fault as keyof typeof BEFORE](request, reply, random)
    }
  })

  app.addHook('onSend', async (request, reply, payload) => {
    if (switches.latencyMs > 0) await clock.sleep(switches.latencyMs)
    const fault = chosen.get(request)
    if (fault === undefined || reply.statusCode >= 400) return payload
    counts[fault] += 1
    return AFTER[fault as keyof typeof AFTER](request, reply, typeof payload === 'string' ? payload : '')
  })
}

function chooseFault({ switches, counts }: FaultParts, random: () => number): FaultName | undefined {
  const struck = Object.values(counts).reduce((sum, count) => sum + count, 0)
  if (struck >= switches.faultLimit) return undefined
  return (Object.keys(FAULTS) as FaultName[]).find((name) => switches[name] > 0 && random() < switches[name])
}

type BeforeName = { [Name in FaultName]: (typeof FAULTS)[Name] extends 'before' ? Name : never }[FaultName]
type AfterName = Exclude<FaultName, BeforeName>

const BEFORE: Record<
  BeforeName,
  (request: FastifyRequest, reply: FastifyReply, random: () => number) => unknown
> = {
  resetBefore: (request, reply) => {
    reply.hijack()
    request.raw.socket.destroy()
  },
  error500Before: (_, reply) => reply.code(500).send({ detail: 'A server error occurred.' }),
  tooMany429: (_, reply, random) =>
    reply
      .code(429)
      .header('retry-after', random() < 0.5 ? '0' : '1')
      .send({ detail: 'Request was throttled.' }),
  expiredToken: (_, reply) =>
    reply
      .code(401)
      .header('www-authenticate', 'Bearer realm="api"')
      .send({ detail: 'Invalid or expired token.' }),
}

const AFTER: Record<AfterName, (request: FastifyRequest, reply: FastifyReply, payload: string) => string> = {
  loseAnswer: (request, _, payload) => {
    request.raw.socket.destroy()
    return payload
  },
  error500After: (_, reply) => {
    reply.code(500)
    return JSON.stringify({ detail: 'A server error occurred.' })
  },
  html502: (_, reply) => {
    reply.code(502).type('text/html; charset=utf-8')
    return '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>'
  },
  truncatedJson: (_, __, payload) => payload.slice(0, Math.floor(payload.length / 2)),
}

/** Numbers from 0 to 1 that are the same for the same seed: a linear congruential generator (Numerical Recipes). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
