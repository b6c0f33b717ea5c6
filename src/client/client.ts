/** The API over HTTP: calls by the name of their endpoint, with the certainty of each result. */
import { setMaxListeners } from 'node:events'
import { MAX_PAGE_SIZE } from '../contract/filters.ts'
import type { Api, CallResult, DocumentAnswer, LeaseCheck } from '../domain/api.ts'
import type { Clock } from '../support/clock.ts'
import { BridgeError, FAILURES, hasCode } from '../support/errors.ts'
import {
  classifyExchange,
  type ClientResult,
  describeAnswer,
  findEnding,
  isSuccess,
  retryIfNotApplied,
  retryUnlessAnswered,
} from './certainty.ts'
import { isObject } from '../support/object-paths.ts'
import { readPages, unusableAnswerError } from './pages.ts'
import { type BaseUrl, compileRequests, parseBaseUrl, refuseRedirect, type Request } from './requests.ts'
import { createHostHealth, DEFAULT_RETRY, type HostHealth, repeat, type RetryLimits } from './retry.ts'
import { type ApiContext, createTokenSource, type Token, type TokenSource } from './tokens.ts'
import { openBusyTransport, type ThreadSettings } from './sending-thread.ts'
import type { Exchange } from './transport.ts'

export interface ClientOptions {
  /** May have a path; the API's own paths begin below it. */
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
  /** Whether the API promises that a 503 with `Retry-After` means that it did nothing. Default false. */
  readonly trusts503?: boolean
  /** The health of the host, shared with other clients. */
  readonly host?: HostHealth
  /** When a thread of its own sends; by default, for many requests. */
  readonly thread?: ThreadSettings
}

export interface Client extends Api {
  /** Ends all waiting for retries. Requests in flight may take `withinMs` more, and are then cut off. */
  shutdown(withinMs: number): void
}

const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_CONNECTIONS = 16

export function createClient(options: ClientOptions): Client {
  const { clock, timeoutMs = DEFAULT_TIMEOUT_MS, connections = DEFAULT_CONNECTIONS } = options
  const base = parseBaseUrl(options.baseUrl)
  const stop = new AbortController()
  setMaxListeners(0, stop.signal) // every call that waits listens, and any number may wait
  const wire = openBusyTransport({ origin: base.origin, clock, timeoutMs, connections }, options.thread)
  const context: ApiContext = {
    trusts503: false,
    host: createHostHealth(clock),
    ...options,
    wire,
    base,
    userAgent: options.version === undefined ? 'dropbridge' : `dropbridge/${options.version}`,
    limits: { ...DEFAULT_RETRY, ...options.retry },
    stop: stop.signal,
  }
  const attempt = createAttempt(context, createTokenSource(context))
  const requestFor = compileRequests(base.prefix)
  let cutting: NodeJS.Timeout | undefined

  async function read(request: Request, guessed = false): Promise<Answered | undefined> {
    const result = await repeat(context, () => attempt(request), retryUnlessAnswered)
    return guessed && isRefused(result) ? undefined : requireUsable(result, request)
  }

  return {
    async send(call, permit) {
      const request = requestFor(call)
      try {
        return await repeat(context, () => attempt(request, permit), retryIfNotApplied)
      } catch (error) {
        return toNotApplied(error)
      }
    },

    async get(call) {
      const request = requestFor(call)
      const answer = await read(request)
      if (answer === undefined) return undefined
      if (!isObject(answer.body)) throw unusableAnswerError(request.resource, 'it is not an object')
      return answer.body
    },

    async document(call) {
      const request = requestFor(call)
      const result = await repeat(context, () => attempt(request), retryUnlessAnswered)
      return toDocumentAnswer(result, request)
    },

    list(call) {
      const query = { ...call.query, limit: call.query?.['limit'] ?? MAX_PAGE_SIZE }
      const request = requestFor({ ...call, query })
      const { resource, path: first } = request
      const position = { limit: Number(query.limit), firstPage: Number(call.query?.['page'] ?? 1) }
      const list = { base, resource, first, ...position }
      return readPages(list, (path, guessed) => read({ ...request, path }, guessed))
    },

    spareCalls: () => wire.spareRequests(),

    clockOffsetMs: () => wire.clockOffsetMs(),

    shutdown(withinMs) {
      stop.abort()
      // A real timer for any clock, because it is about sockets; it does not keep the program alive.
      cutting ??= setTimeout(() => void wire.abortAll(), withinMs).unref()
    },

    async close() {
      stop.abort()
      await wire.close()
      clearTimeout(cutting)
    },
  }
}

type Answered = Extract<ClientResult, { certainty: 'answered' }>

/** Without a token nothing was sent, so the record can wait. Rethrows any other error. */
function toNotApplied(error: unknown): CallResult {
  if (!hasCode(error, 'api-unreachable', 'api-answer-unusable')) throw error
  const { message, fix } = error
  return {
    certainty: 'not-applied',
    detail: message,
    ...(fix === FAILURES['api-unreachable'].fix ? {} : { fix }),
  }
}

/** Returns the answer to a read; undefined for 404; throws for everything else. */
function requireUsable(result: ClientResult, request: Request): Answered | undefined {
  if (result.certainty !== 'answered') throw noAnswerError(result, request)
  if (result.status === 404) return undefined
  if (!isSuccess(result.status)) throw unusableAnswerError(request.resource, describeAnswer(result))
  return result
}

/** Whether the API refused the request, as some do for a page number beyond the end. */
function isRefused(result: ClientResult): boolean {
  return result.certainty === 'answered' && result.status === 400
}

function toDocumentAnswer(result: ClientResult, request: Request): DocumentAnswer {
  if (result.certainty !== 'answered') throw noAnswerError(result, request)
  const { status, file } = result
  if (file !== undefined) return { made: true, ...file }
  return { made: false, status, detail: describeAnswer(result) }
}

function noAnswerError(result: Exclude<ClientResult, Answered>, { resource }: Request): BridgeError {
  if (isSuccess(result.status)) return unusableAnswerError(resource, result.detail)
  return new BridgeError('api-unreachable', `The API gave no answer to GET ${resource}: ${result.detail}`)
}

// Makes one attempt with a valid token. Throws for answers about the account instead of the call.

/** Makes one attempt, and a second one after a refused token. Throws for answers about the whole account. */
export function createAttempt(context: ApiContext, tokens: TokenSource) {
  const { wire, clock, base, host, trusts503 } = context
  const exchangeWithPermit = (request: Request, token: Token, permit?: LeaseCheck) => {
    const exchange = () => wire.exchange(request, selectHeaders(token, request), permit)
    return permit?.isValid() === false ? permit.renew().then(exchange) : exchange()
  }

  return async (request: Request, permit?: LeaseCheck): Promise<ClientResult> => {
    const rest = host.getPauseReason()
    if (rest !== undefined) {
      return { certainty: 'not-applied', detail: `the request was not sent: ${rest}`, resting: true }
    }
    let token = tokens.current()
    if (token instanceof Promise) token = await token
    let exchange = await exchangeWithPermit(request, token, permit)
    if (findEnding(exchange, { isList: request.isList, hasRetryAfter: false }) === 'token-refused') {
      tokens.invalidate(token)
      token = await tokens.current()
      exchange = await exchangeWithPermit(request, token, permit)
    }
    host.observe(exchange)
    throwAccountErrors(exchange, request, base)
    const { method, isRepeatable } = request
    return classifyExchange(exchange, { method, now: clock.now(), trusts503: isRepeatable || trusts503 })
  }
}

/** Throws for answers that concern all calls of the account, and not only this one. */
function throwAccountErrors(exchange: Exchange, request: Request, base: BaseUrl): void {
  if (exchange.ended !== 'answer') return
  const { party, resource, isList, method } = request
  const ending = findEnding(exchange, { isList, hasRetryAfter: false })
  if (ending !== 'sent-elsewhere' || method === 'GET') refuseRedirect(exchange, resource, base)
  const why = () => `for ${party} at ${resource}: ${describeAnswer(exchange)}`
  if (ending === 'token-refused') {
    const fix = 'Run `dropbridge check --online`. If it passes, run again later; if not, do what it says.'
    throw new BridgeError('credentials-refused', `The API refuses even a fresh token ${why()}`, { fix })
  }
  if (ending === 'account-refused') {
    const setting = party.replace(/^(\w+) (.*)$/, '`$1: $2`')
    const fix = `Correct ${setting} of the route, or its login: \`dropbridge check --online\` says for whom it may act.`
    throw new BridgeError('credentials-refused', `The API does not let this account act ${why()}`, { fix })
  }
}

function selectHeaders({ headers }: Token, { wantsFile, body }: Request): string[] {
  if (wantsFile) return headers.forFile
  return body === undefined ? headers.bare : headers.withBody
}
