/** OAuth 2.0 client credentials: a client id and secret for a token, a token for a caller. Spec: "Authentication". */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import { TokenRequest } from '../../contract/endpoints.ts'
import type { Clock } from '../../support/clock.ts'
import { type Answer, refused } from './answer.ts'
import { type Caller, scopeAsked, scopeOf, scopeText } from './scopes.ts'
import type { Store } from '../store/store.ts'
import type { Switches } from './switches.ts'
import { openTokenBook } from './token-book.ts'

/** `issue` and `revoke` run in the write queue. */
export interface Tokens {
  issue(form: unknown): Answer
  /** Who is behind an Authorization header, or the refusal. */
  callerOf(header: string | undefined): Caller | Answer
  /** Ends a client and all its tokens at once; false when there is no such client. May be repeated. */
  revoke(clientId: string): boolean
  /** Reads everything anew, after writes were taken back. */
  refresh(): void
}

export interface TokenOptions {
  readonly store: Store
  readonly clock: Clock
  readonly lifetimeSeconds: number
  readonly switches: Pick<Switches, 'tokenLastsRequests'>
}

/** Secrets and tokens are random and long, so that a plain hash of one cannot be undone. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret)
}

/** Text of 256 random bits. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

export function createTokens({ store, clock, lifetimeSeconds, switches }: TokenOptions): Tokens {
  const statements = prepareStatements(store)
  const book = openTokenBook(store, clock)

  function issue(form: unknown): Answer {
    const fields = typeof form === 'object' && form !== null ? (form as Record<string, unknown>) : {}
    if (fields['grant_type'] !== 'client_credentials') return tokenRefused(400, 'unsupported_grant_type')
    const request = TokenRequest.safeParse(fields)
    if (!request.success) return tokenRefused(401, 'invalid_client')
    const { client_id: clientId, client_secret: secret } = request.data
    const client = statements.findClient.first({ client_id: clientId })
    if (!isSecret(secret, client?.secret_hash) || client === undefined) {
      return tokenRefused(401, 'invalid_client')
    }
    const scope = scopeAsked(fields['scope'], scopeOf(client.scope))
    if (scope === undefined) return tokenRefused(400, 'invalid_scope')
    const token = randomSecret()
    const caller = { account: client.account_id, clientId, scope, isAdmin: client.is_admin !== 0 }
    const expiresAt = clock.now() + lifetimeSeconds * 1000
    book.add(hashSecret(token), { caller, expiresAt, requests: 0 })
    const body = {
      access_token: token,
      token_type: 'Bearer',
      expires_in: lifetimeSeconds,
      scope: scopeText(scope),
    }
    return { status: 200, body, headers: { 'cache-control': 'no-store' } }
  }

  function callerOf(header: string | undefined): Caller | Answer {
    const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]
    if (token === undefined) return unauthorized('Authentication credentials were not provided.')
    const tokenHash = hashSecret(token)
    const found = book.find(tokenHash)
    if (found === undefined) return unauthorized('Invalid or expired token.')
    const { tokenLastsRequests } = switches
    if (tokenLastsRequests > 0 && found.requests >= tokenLastsRequests) {
      book.forget(tokenHash)
      return unauthorized('Invalid or expired token.')
    }
    found.requests += 1
    return found.caller
  }

  function revoke(clientId: string): boolean {
    book.removeAll(clientId)
    return statements.revoke.run({ client_id: clientId, now: clock.now() }) > 0
  }

  return { issue, callerOf, revoke, refresh: () => book.refresh() }
}

/** The answer to a request without a token, or with one that is not in force. */
export function unauthorized(detail: string): Answer {
  return refused(401, detail, { 'www-authenticate': 'Bearer realm="api"' })
}

function prepareStatements({ build, prepare }: Store) {
  return {
    findClient: prepare((p: { client_id: string }) =>
      build
        .selectFrom('clients')
        .innerJoin('accounts', 'accounts.id', 'clients.account_id')
        .select(['secret_hash', 'account_id', 'scope', 'is_admin'])
        .where('client_id', '=', p.client_id)
        .where('revoked_at', 'is', null),
    ),
    /** The time of the first revocation stays. */
    revoke: prepare((p: { client_id: string; now: number }) =>
      build
        .updateTable('clients')
        .set({ revoked_at: sql`coalesce(revoked_at, ${p.now})` })
        .where('client_id', '=', p.client_id),
    ),
  }
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
