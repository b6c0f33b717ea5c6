/** The access token: fetched by one caller for all, renewed before it ends. */
import { z } from 'zod'
import { ENDPOINTS } from '../contract/endpoints.ts'
import { BridgeError } from '../support/errors.ts'
import {
  classifyExchange,
  describeAnswer,
  findConnectionFix,
  isOtherServer,
  isSuccess,
  isWebPage,
  retryUnlessAnswered,
} from './certainty.ts'
import { type BaseUrl, refuseRedirect } from './requests.ts'
import { repeat, type RetryContext } from './retry.ts'
import type { Exchange, Transport } from './transport.ts'

export interface Token {
  /** Made once, for every call with the token. */
  readonly headers: Readonly<Record<'bare' | 'withBody' | 'forFile', string[]>>
  /** The bridge's time from which a new token is fetched. */
  readonly renewAt: number
}

export interface ApiContext extends RetryContext {
  readonly wire: Transport
  readonly base: BaseUrl
  readonly userAgent: string
  readonly clientId: string
  readonly clientSecret: string
  /** Whether the API promises that a 503 with `Retry-After` means that it did nothing. */
  readonly trusts503: boolean
}

export type TokenSource = ReturnType<typeof createTokenSource>

export function createTokenSource(context: ApiContext) {
  let token: Token | undefined
  let pending: Promise<Token> | undefined

  async function renew(): Promise<Token> {
    try {
      token = await fetchToken(context)
      return token
    } finally {
      pending = undefined
    }
  }

  return {
    /**
     * The valid token; a promise only while one is fetched, which all callers share. Throws
     * `credentials-refused`, `api-redirected`, `api-unreachable` or `api-answer-unusable`.
     */
    current(): Token | Promise<Token> {
      if (token !== undefined && context.clock.now() < token.renewAt) return token
      pending ??= renew()
      return pending
    },
    /** Drops a token that the API refused; a newer token stays. */
    invalidate(refused: Token): void {
      if (token === refused) token = undefined
    },
  }
}

async function fetchToken(context: ApiContext): Promise<Token> {
  const { clock, base, clientSecret } = context
  const path = base.prefix + ENDPOINTS.token.path
  const address = base.origin + path
  let askedAt = clock.now()
  let last: Exchange | undefined
  const request = async () => {
    askedAt = clock.now()
    last = await requestToken(path, context)
    return classifyExchange(last, { method: 'POST', now: clock.now(), trusts503: true })
  }
  const result = await repeat(context, request, retryUnlessAnswered)
  if (result.certainty !== 'answered') {
    // the body of a success is not shown: it may hold a token
    if (isSuccess(result.status)) throw unusableTokenError(address, last)
    const detail = maskSecret(result.detail, clientSecret)
    const cause = last === undefined || last.ended === 'answer' ? undefined : last.cause
    const fix = cause && findConnectionFix(cause, { isPlain: base.origin.startsWith('http:') })
    const page = last !== undefined && isOtherServer(last) ? last : undefined
    const found = page === undefined ? detail : `HTTP ${page.status}, and a web page`
    throw new BridgeError('api-unreachable', `No access token from ${address}: ${found}`, {
      fix: page === undefined ? fix : OTHER_SERVER_FIX,
    })
  }
  if (!isSuccess(result.status)) {
    const code = REFUSED_STATUSES.includes(result.status) ? 'credentials-refused' : 'api-answer-unusable'
    const detail = maskSecret(describeAnswer(result), clientSecret)
    const isElsewhere = last !== undefined && isOtherServer(last)
    const refusedFix = code === 'credentials-refused' ? LOGIN_FIX : findPathFix(base, result.status)
    const fix = isElsewhere ? OTHER_SERVER_FIX : refusedFix
    throw new BridgeError(code, `${address} gave no access token: ${detail}`, { fix })
  }
  const token = UsableToken.safeParse(result.body)
  if (!token.success) throw unusableTokenError(address, last)
  const { access_token: value, expires_in: expiresIn } = token.data
  return { headers: createHeaders(context.userAgent, value), renewAt: askedAt + usableLifetimeMs(expiresIn) }
}

function createHeaders(userAgent: string, token: string): Token['headers'] {
  const common = ['user-agent', userAgent, 'authorization', `Bearer ${token}`]
  const bare = ['accept', 'application/json', ...common]
  return {
    bare,
    withBody: [...bare, 'content-type', 'application/json'],
    forFile: ['accept', '*/*', ...common],
  }
}

async function requestToken(path: string, context: ApiContext): Promise<Exchange> {
  const { wire, base, host, userAgent, clientId, clientSecret } = context
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  }).toString()
  const headers = ['accept', 'application/json', 'user-agent', userAgent, 'content-type', FORM]
  const exchange = await wire.exchange({ method: 'POST', path, body }, headers)
  host.observe(exchange)
  refuseRedirect(exchange, path, base)
  return exchange
}

const FORM = 'application/x-www-form-urlencoded'

/** More tolerant than the contract: accepts any usable token. */
const UsableToken = z.object({
  access_token: z.string().min(1),
  token_type: z.optional(z.string().regex(/^bearer$/i)),
  expires_in: z.coerce.number().catch(0),
})

/** The API's own paths begin with its version: one that was copied into the setting stands there twice. */
function findPathFix({ origin, prefix }: ApiContext['base'], status: number): string | undefined {
  return status === 404 && prefix !== ''
    ? `If the API is not below ${prefix}, leave that out of api.baseUrl: write ${origin}`
    : undefined
}

const LOGIN_FIX =
  'Check clientId and clientSecret under `api`, or under the `api` of the route if it has its own.'
const OTHER_SERVER_FIX =
  'Check api.baseUrl: a web page answers there. If it is right, ask the API’s operator.'
const REFUSED_STATUSES: readonly number[] = [400, 401, 403]
const HOUR_SECONDS = 3_600
const LONGEST_LIFETIME_SECONDS = 30 * 24 * HOUR_SECONDS
const RENEW_EARLY_MS = 5 * 60_000

function unusableTokenError(address: string, exchange: Exchange | undefined): BridgeError {
  const what = exchange !== undefined && isWebPage(exchange) ? 'a web page' : 'no usable bearer token'
  return new BridgeError('api-answer-unusable', `${address} answered ${what}`)
}

/** Spec: not shown, `expires_in` is in seconds. An implausible lifetime counts as an hour. */
function usableLifetimeMs(expiresIn: number): number {
  const credible = expiresIn > 0 && expiresIn <= LONGEST_LIFETIME_SECONDS
  const lifetimeMs = (credible ? expiresIn : HOUR_SECONDS) * 1000
  return Math.max(lifetimeMs * 0.9, lifetimeMs - RENEW_EARLY_MS)
}

/** Masks the secret in the text of a server that repeats the request. */
function maskSecret(text: string, secret: string): string {
  if (secret === '') return text
  return text.replaceAll(secret, '***').replaceAll(encodeURIComponent(secret), '***')
}
