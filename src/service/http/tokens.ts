/** OAuth 2.0 client credentials: a client id and secret for a token, a token for an account. Spec: "Authentication". */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { TokenRequest } from '../../contract/endpoints.ts'
import type { Clock } from '../../support/clock.ts'
import { type Answer, refused } from './answer.ts'
import type { Store } from '../store/store.ts'

/** The oldest tokens of an account beyond this many are forgotten, so that asking for tokens fills no memory. */
const MOST_TOKENS = 1000

export interface Tokens {
  /** Runs in the write queue. */
  issue(form: unknown): Answer
  /** The account behind an Authorization header, or the refusal. */
  accountOf(header: string | undefined): number | Answer
}

export interface TokenOptions {
  readonly store: Store
  readonly clock: Clock
  readonly lifetimeSeconds: number
}

/** Secrets and tokens are random and long, so that a plain hash of one cannot be undone. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret)
}

/** Text of 256 random bits. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

interface KnownToken {
  readonly account: number
  readonly expiresAt: number
}

export function createTokens({ store, clock, lifetimeSeconds }: TokenOptions): Tokens {
  const statements = prepareStatements(store)
  const known = readTokens(store)

  function forgetOld(account: number): void {
    const now = clock.now()
    statements.forgetExpired.run({ now })
    const hashes: string[] = []
    for (const [tokenHash, token] of known) {
      if (token.expiresAt <= now) known.delete(tokenHash)
      else if (token.account === account) hashes.push(tokenHash)
    }
    for (const token_hash of hashes.slice(0, Math.max(0, hashes.length - MOST_TOKENS + 1))) {
      statements.forget.run({ token_hash })
      known.delete(token_hash)
    }
  }

  function issue(form: unknown): Answer {
    const fields = typeof form === 'object' && form !== null ? (form as Record<string, unknown>) : {}
    if (fields['grant_type'] !== 'client_credentials') return tokenRefused(400, 'unsupported_grant_type')
    const request = TokenRequest.safeParse(fields)
    if (!request.success) return tokenRefused(401, 'invalid_client')
    const client = statements.findClient.first({ client_id: request.data.client_id })
    if (!isSecret(request.data.client_secret, client?.secret_hash)) return tokenRefused(401, 'invalid_client')
    const account = client?.account_id ?? 0
    forgetOld(account)
    const token = randomSecret()
    const token_hash = hashSecret(token)
    const expiresAt = clock.now() + lifetimeSeconds * 1000
    statements.remember({ token_hash, account_id: account, expires_at: expiresAt })
    known.set(token_hash, { account, expiresAt })
    const body = {
      access_token: token,
      token_type: 'Bearer',
      expires_in: lifetimeSeconds,
      scope: 'read write',
    }
    return { status: 200, body, headers: { 'cache-control': 'no-store' } }
  }

  function accountOf(header: string | undefined): number | Answer {
    const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]
    if (token === undefined) return unauthorized('Authentication credentials were not provided.')
    const found = known.get(hashSecret(token))
    if (found === undefined || found.expiresAt <= clock.now())
      return unauthorized('Invalid or expired token.')
    return found.account
  }

  return { issue, accountOf }
}

function prepareStatements({ build, prepare, inserter }: Store) {
  return {
    findClient: prepare((p: { client_id: string }) =>
      build.selectFrom('clients').select(['secret_hash', 'account_id']).where('client_id', '=', p.client_id),
    ),
    remember: inserter('tokens'),
    forgetExpired: prepare((p: { now: number }) =>
      build.deleteFrom('tokens').where('expires_at', '<=', p.now),
    ),
    forget: prepare((p: { token_hash: string }) =>
      build.deleteFrom('tokens').where('token_hash', '=', p.token_hash),
    ),
  }
}

/** In the order of issue, so that the oldest come first. */
function readTokens({ all, build }: Store): Map<string, KnownToken> {
  const rows = all(build.selectFrom('tokens').selectAll().orderBy('expires_at'))
  return new Map(rows.map((row) => [row.token_hash, { account: row.account_id, expiresAt: row.expires_at }]))
}

/** Takes as long for an unknown client as for a wrong secret. */
function isSecret(secret: string, expectedHash: string | undefined): boolean {
  const given = Buffer.from(hashSecret(secret))
  const expected = Buffer.from(expectedHash ?? hashSecret(''))
  return timingSafeEqual(given, expected) && expectedHash !== undefined
}

/** Spec: not shown; the body OAuth 2.0 asks for. */
function tokenRefused(status: number, error: string): Answer {
  return { status, body: { error }, headers: { 'cache-control': 'no-store' } }
}

function unauthorized(detail: string): Answer {
  return refused(401, detail, { 'www-authenticate': 'Bearer realm="api"' })
}
