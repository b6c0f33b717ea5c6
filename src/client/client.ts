/** The API over HTTP: calls by the name of their endpoint, with what is certain about each. */
import { setMaxListeners } from 'node:events'
import { LARGEST_PAGE } from '../contract/filters.ts'
import type { Api, CallResult, DocumentAnswer, Resource } from '../domain/api.ts'
import type { Clock } from '../support/clock.ts'
import { BridgeError } from '../support/errors.ts'
import {
  againUnlessAnswered,
  againWhenNotApplied,
  describeAnswer,
  isSuccess,
  type Judged,
} from './certainty.ts'
import { readPages, unusableAnswer } from './pages.ts'
import { compileRequests, readBase, type Request } from './requests.ts'
import { createHost, type Host } from './host.ts'
import { createRetry, DEFAULT_RETRY, type RetryLimits } from './retry.ts'
import { createSession } from './session.ts'
import { createTokens } from './tokens.ts'
import { openWire } from './wire.ts'

export interface ClientOptions {
  /** May have a path, below which the API's own paths begin. */
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly clock: Clock
  /** From 0 up to 1. */
  readonly random: () => number
  /** For the user agent. */
  readonly version?: string
  /** The deadline of one attempt, from the moment it has a connection to the last byte of its answer. */
  readonly timeoutMs?: number
  readonly connections?: number
  readonly retry?: Partial<RetryLimits>
  /** Whether the API promises that it did nothing when it answers 503 with a time to come back. False when left out. */
  readonly trusts503?: boolean
  /** The health of the host, where others talk to it too. */
  readonly host?: Host
}

export interface Client extends Api {
  /**
   * Ends all waiting for another try: what was not applied is given back as it is. What is in flight may take
   * `withinMs` more, and is cut off then; its answers are lost.
   */
  hurry(withinMs: number): void
}

const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_CONNECTIONS = 16

export function createClient(options: ClientOptions): Client {
  const { clock, random, timeoutMs = DEFAULT_TIMEOUT_MS, connections = DEFAULT_CONNECTIONS } = options
  const { trusts503 = false } = options
  const base = readBase(options.baseUrl)
  const userAgent = options.version === undefined ? 'dropbridge' : `dropbridge/${options.version}`
  const stop = new AbortController()
  setMaxListeners(0, stop.signal) // every call that waits listens, and any number may wait
  const limits = { ...DEFAULT_RETRY, ...options.retry }
  const host = options.host ?? createHost(clock)
  const retry = createRetry({ limits, clock, random, mayRetry: () => host.mayRetry(), stop: stop.signal })
  const wire = openWire({ origin: base.origin, clock, timeoutMs, connections })
  const { clientId, clientSecret } = options
  const tokens = createTokens({ wire, retry, clock, base, host, userAgent, clientId, clientSecret })
  const attempt = createSession({ wire, tokens, clock, base, host, userAgent, trusts503 })
  const requestFor = compileRequests(base.prefix)
  let cutting: NodeJS.Timeout | undefined

  async function read(request: Request, guessed = false): Promise<Answered | undefined> {
    const result = await retry.repeat(() => attempt(request), againUnlessAnswered)
    return guessed && isRefused(result) ? undefined : usable(result, request)
  }

  return {
    async send(call, permit) {
      const request = requestFor(call)
      try {
        return await retry.repeat(() => attempt(request, permit), againWhenNotApplied)
      } catch (error) {
        return withoutToken(error)
      }
    },

    async get(call) {
      const request = requestFor(call)
      const answer = await read(request)
      if (answer === undefined) return undefined
      if (!isResource(answer.body)) throw unusableAnswer(request.resource, 'it is not an object')
      return answer.body
    },

    async document(call) {
      const request = requestFor(call)
      return documentIn(await retry.repeat(() => attempt(request), againUnlessAnswered), request)
    },

    list(call) {
      const query = { ...call.query, limit: call.query?.['limit'] ?? LARGEST_PAGE }
      const request = requestFor({ ...call, query })
      const { resource, path: first } = request
      const position = { limit: Number(query.limit), firstPage: Number(call.query?.['page'] ?? 1) }
      const list = { base, resource, first, ...position }
      return readPages(list, (path, guessed) => read({ ...request, path }, guessed))
    },

    clockOffsetMs: () => wire.clockOffsetMs(),

    hurry(withinMs) {
      stop.abort()
      // A real timer whatever the clock: it is about sockets, and keeps no program alive.
      cutting ??= setTimeout(() => void wire.cut(), withinMs).unref()
    },

    async close() {
      stop.abort()
      await wire.close()
      clearTimeout(cutting)
    },
  }
}

type Answered = Extract<Judged, { certainty: 'answered' }>

/** When no token was to be had just now, nothing was sent: the record can wait. Anything else is thrown on. */
function withoutToken(error: unknown): CallResult {
  const passes =
    error instanceof BridgeError && (error.code === 'api-unreachable' || error.code === 'api-answer-unusable')
  if (!passes) throw error
  return { certainty: 'not-applied', detail: error.message }
}

/** The answer to a read; undefined for 404; everything else is a failure. */
function usable(result: Judged, request: Request): Answered | undefined {
  if (result.certainty !== 'answered') throw withoutAnswer(result, request)
  if (result.status === 404) return undefined
  if (!isSuccess(result.status)) throw unusableAnswer(request.resource, describeAnswer(result))
  return result
}

/** Some APIs refuse the number of a page that they do not have. */
function isRefused(result: Judged): boolean {
  return result.certainty === 'answered' && result.status === 400
}

function documentIn(result: Judged, request: Request): DocumentAnswer {
  if (result.certainty !== 'answered') throw withoutAnswer(result, request)
  const { status, file } = result
  if (file !== undefined) return { made: true, ...file }
  return { made: false, status, detail: describeAnswer(result) }
}

function withoutAnswer(result: Exclude<Judged, Answered>, { resource }: Request): BridgeError {
  if (isSuccess(result.status)) return unusableAnswer(resource, result.detail)
  return new BridgeError('api-unreachable', `The API gave no answer to GET ${resource}: ${result.detail}`)
}

function isResource(value: unknown): value is Resource {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
