/** The access token: fetched by one caller for all, renewed before it ends. */
import { z } from 'zod'
import { ENDPOINTS } from '../contract/endpoints.ts'
import type { Clock } from '../support/clock.ts'
import { BridgeError } from '../support/errors.ts'
import { againUnlessAnswered, describeAnswer, isSuccess, judge, type Judged } from './certainty.ts'
import type { Host } from './host.ts'
import { refuseRedirect } from './redirects.ts'
import type { Base } from './requests.ts'
import type { Retry } from './retry.ts'
import type { Wire } from './wire.ts'

export interface Token {
  readonly value: string
  /** Our time from which a new one is fetched. */
  readonly renewAt: number
}

export interface Tokens {
  /**
   * The token in force; a promise only when one has to be fetched, which all callers then share. Throws
   * `credentials-refused`, `api-redirected`, `api-unreachable` or `api-answer-unusable`.
   */
  current(): Token | Promise<Token>
  /** Forgets a token that the API refused; if another one has taken its place already, that one stays. */
  drop(token: Token): void
}

export interface TokenOptions {
  readonly wire: Wire
  readonly retry: Retry
  readonly clock: Clock
  readonly base: Base
  readonly host: Host
  readonly userAgent: string
  readonly clientId: string
  readonly clientSecret: string
}

export function createTokens(options: TokenOptions): Tokens {
  let token: Token | undefined
  let pending: Promise<Token> | undefined

  async function renew(): Promise<Token> {
    try {
      token = await fetchToken(options)
      return token
    } finally {
      pending = undefined
    }
  }

  return {
    current() {
      if (token !== undefined && options.clock.now() < token.renewAt) return token
      pending ??= renew()
      return pending
    },
    drop(refused) {
      if (token === refused) token = undefined
    },
  }
}

async function fetchToken(options: TokenOptions): Promise<Token> {
  const { clock, retry, base, clientSecret } = options
  const path = base.prefix + ENDPOINTS.token.path
  let askedAt = clock.now()
  const result = await retry.repeat(() => {
    askedAt = clock.now()
    return askOnce(path, options)
  }, againUnlessAnswered)
  if (result.certainty !== 'answered') {
    // the body of a success is not shown: it may hold a token
    if (isSuccess(result.status)) throw noUsableToken(path)
    const detail = withoutSecret(result.detail, clientSecret)
    throw new BridgeError('api-unreachable', `No access token could be had from ${path}: ${detail}`)
  }
  if (!isSuccess(result.status)) {
    const code = REFUSALS.includes(result.status) ? 'credentials-refused' : 'api-answer-unusable'
    const detail = withoutSecret(describeAnswer(result), clientSecret)
    throw new BridgeError(code, `${path} gave no access token: ${detail}`)
  }
  const token = UsableToken.safeParse(result.body)
  if (!token.success) throw noUsableToken(path)
  return { value: token.data.access_token, renewAt: askedAt + usableMs(token.data.expires_in) }
}

async function askOnce(path: string, options: TokenOptions): Promise<Judged> {
  const { wire, clock, base, host, userAgent, clientId, clientSecret } = options
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  }).toString()
  const headers = ['accept', 'application/json', 'user-agent', userAgent, 'content-type', FORM]
  const exchange = await wire.exchange({ method: 'POST', path, body }, headers)
  host.look(exchange)
  refuseRedirect(exchange, path, base)
  return judge(exchange, { method: 'POST', now: clock.now(), trusts503: true })
}

const FORM = 'application/x-www-form-urlencoded'

/** More tolerant than the contract: a token that can be used is used. */
const UsableToken = z.object({
  access_token: z.string().min(1),
  token_type: z
    .string()
    .regex(/^bearer$/i)
    .optional(),
  expires_in: z.coerce.number().catch(0),
})

const REFUSALS: readonly number[] = [400, 401, 403]
const HOUR_SECONDS = 3_600
const LONGEST_LIFETIME_SECONDS = 30 * 24 * HOUR_SECONDS
const RENEW_EARLY_MS = 5 * 60_000

function noUsableToken(path: string): BridgeError {
  return new BridgeError('api-answer-unusable', `${path} answered without a bearer token that can be used`)
}

/** Spec: not shown, `expires_in` is in seconds. What cannot be a lifetime counts as an hour. */
function usableMs(expiresIn: number): number {
  const credible = expiresIn > 0 && expiresIn <= LONGEST_LIFETIME_SECONDS
  const lifetimeMs = (credible ? expiresIn : HOUR_SECONDS) * 1000
  return Math.max(lifetimeMs * 0.9, lifetimeMs - RENEW_EARLY_MS)
}

/** A server that repeats what it was sent must not bring the secret into a message. */
function withoutSecret(text: string, secret: string): string {
  if (secret === '') return text
  return text.replaceAll(secret, '***').replaceAll(encodeURIComponent(secret), '***')
}
