/** OAuth 2.0 client credentials: issues tokens and identifies callers by them. Spec: "Authentication". */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Selectable } from 'kysely'
import { TokenRequest } from '../../contract/endpoints.ts'
import type { Clock } from '../../support/clock.ts'
import { type Answer, refuseWith } from '../http/answers.ts'
import { build, type Store } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'
import type { Switches } from '../switches.ts'
import { refuseThrottled } from '../http/rate-limit.ts'

interface TokenOptions {
  readonly store: Store
  readonly clock: Clock
  readonly lifetimeSeconds: number
  readonly switches: Pick<Switches, 'tokenLastsRequests'>
  readonly guesses: GuessLimit
}

/** Secrets and tokens are random and long, so that a plain hash of one cannot be undone. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret)
}

/** Text of 256 random bits. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

export type Tokens = ReturnType<typeof createTokens>

export function createTokens({ store, clock, lifetimeSeconds, switches, guesses }: TokenOptions) {
  let known = readTokens(store)

  function remove(tokenHash: string): void {
    store.remove('tokens', { token_hash: tokenHash })
    known.delete(tokenHash)
  }

  function tokensOf(clientId: string): string[] {
    return [...known].filter(([, { caller }]) => caller.clientId === clientId).map(([tokenHash]) => tokenHash)
  }

  function makeRoom(clientId: string): void {
    const now = clock.now()
    store.run(removeExpired, { now })
    for (const [tokenHash, { expiresAt }] of known) if (expiresAt <= now) known.delete(tokenHash)
    const hashes = tokensOf(clientId)
    for (const tokenHash of hashes.slice(0, Math.max(0, hashes.length - MAX_TOKENS_PER_CLIENT + 1)))
      remove(tokenHash)
  }

  /** Runs in the write queue. */
  function issue(form: unknown, ip: string): Answer {
    const fields = typeof form === 'object' && form !== null ? (form as Record<string, unknown>) : {}
    if (fields['grant_type'] !== 'client_credentials') return refuseToken(400, 'unsupported_grant_type')
    const request = TokenRequest.safeParse(fields)
    if (!request.success) return refuseToken(401, 'invalid_client')
    const { client_id: clientId, client_secret: secret } = request.data
    const early = guesses.refuseEarly(ip, clientId)
    if (early !== undefined) return early
    const client = store.first(clientInForce, { client_id: clientId })
    const isCorrect = isCorrectSecret(secret, client?.secret_hash)
    guesses.recordResult(ip, clientId, isCorrect)
    if (!isCorrect || client === undefined) return refuseToken(401, 'invalid_client')
    const scope = parseRequestedScope(fields['scope'], parseScope(client.scope))
    if (scope === undefined) return refuseToken(400, 'invalid_scope')
    const token = randomSecret()
    const row = {
      token_hash: hashSecret(token),
      account_id: client.account_id,
      client_id: clientId,
      scope: [...scope].join(' '),
      expires_at: clock.now() + lifetimeSeconds * 1000,
    }
    makeRoom(clientId)
    store.insert('tokens', row)
    known.set(row.token_hash, toKnownToken({ ...row, is_admin: client.is_admin }))
    const body = {
      access_token: token,
      token_type: 'Bearer',
      expires_in: lifetimeSeconds,
      scope: row.scope,
    }
    return { status: 200, body, headers: { 'cache-control': 'no-store' } }
  }

  function findCaller(header: string | undefined): Caller | Answer {
    const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]
    if (token === undefined) return refuseUnauthorized('Authentication credentials were not provided.')
    const tokenHash = hashSecret(token)
    const found = known.get(tokenHash)
    if (found === undefined || found.expiresAt <= clock.now()) {
      return refuseUnauthorized('Invalid or expired token.')
    }
    const { tokenLastsRequests } = switches
    if (tokenLastsRequests > 0 && found.requests >= tokenLastsRequests) {
      // in memory only, because this request writes nothing; the row is removed at its expiry
      known.delete(tokenHash)
      return refuseUnauthorized('Invalid or expired token.')
    }
    found.requests += 1
    return found.caller
  }

  /** Ends a client and all its tokens at once; false when there is no such client. May be repeated. Runs in the write queue. */
  function revoke(clientId: string): boolean {
    for (const tokenHash of tokensOf(clientId)) remove(tokenHash)
    // the time of the first revocation stays
    store.update('clients', { client_id: clientId, revoked_at: null }, { revoked_at: clock.now() })
    return store.find('clients', { client_id: clientId }) !== undefined
  }

  /** Reloads the tokens after a rollback. */
  function refresh(): void {
    const before = known
    known = readTokens(store)
    for (const [tokenHash, token] of known) token.requests = before.get(tokenHash)?.requests ?? 0
  }

  return { issue, findCaller, revoke, refresh }
}

export function refuseUnauthorized(detail: string): Answer {
  return refuseWith(401, detail, { 'www-authenticate': 'Bearer realm="api"' })
}

const clientInForce = (p: { client_id: string }) =>
  build
    .selectFrom('clients')
    .innerJoin('accounts', 'accounts.id', 'clients.account_id')
    .select(['secret_hash', 'account_id', 'scope', 'is_admin'])
    .where('client_id', '=', p.client_id)
    .where('revoked_at', 'is', null)

/** Takes as long for an unknown client as for a wrong secret. */
function isCorrectSecret(secret: string, expectedHash: string | undefined): boolean {
  const given = Buffer.from(hashSecret(secret))
  const expected = Buffer.from(expectedHash ?? hashSecret(''))
  return timingSafeEqual(given, expected) && expectedHash !== undefined
}

/** Spec: not shown; the body OAuth 2.0 asks for. */
function refuseToken(status: number, error: string): Answer {
  return { status, body: { error }, headers: { 'cache-control': 'no-store' } }
}

// The database keeps tokens by their hashes; requests look them up in memory.

/** The oldest tokens of a client beyond this many are forgotten, so that asking for tokens fills no memory. */
const MAX_TOKENS_PER_CLIENT = 1000

interface KnownToken {
  readonly caller: Caller
  readonly expiresAt: number
  /** Requests with this token since the service started. */
  requests: number
}

const removeExpired = (p: { now: number }) => build.deleteFrom('tokens').where('expires_at', '<=', p.now)

/** In the order of issue, so that the oldest come first. */
function readTokens(store: Store): Map<string, KnownToken> {
  const rows = store.all(
    build
      .selectFrom('tokens')
      .innerJoin('accounts', 'accounts.id', 'tokens.account_id')
      .select(['token_hash', 'account_id', 'client_id', 'scope', 'is_admin', 'expires_at'])
      .orderBy('expires_at'),
  )
  return new Map(rows.map((row) => [row.token_hash, toKnownToken(row)]))
}

interface TokenRow extends Selectable<Tables['tokens']> {
  readonly is_admin: number
}

function toKnownToken({ account_id, client_id, scope, is_admin, expires_at }: TokenRow): KnownToken {
  const isAdmin = is_admin !== 0
  const caller = { account: account_id, clientId: client_id, scope: parseScope(scope), isAdmin }
  return { caller, expiresAt: expires_at, requests: 0 }
}

// Spec: the scope "includes read and write"; no more is shown.

/** Our choice: `read` is for GET, `write` for the rest. */
const SCOPES = ['read', 'write'] as const

type Scope = (typeof SCOPES)[number]

export interface Caller {
  readonly account: number
  readonly clientId: string
  readonly scope: ReadonlySet<Scope>
  readonly isAdmin: boolean
}

/** Refuses a request beyond the scope of the caller's token. */
export function refuseScope({ scope }: Caller, method: string): Answer | undefined {
  const needed: Scope = method === 'GET' || method === 'HEAD' ? 'read' : 'write'
  if (scope.has(needed)) return undefined
  return refuseWith(403, `The token does not have the scope "${needed}".`, {
    'www-authenticate': 'Bearer error="insufficient_scope"',
  })
}

function parseScope(text: string): ReadonlySet<Scope> {
  const words = new Set(text.split(' '))
  return new Set(SCOPES.filter((scope) => words.has(scope)))
}

/** Returns the requested scopes, or all allowed ones without a request; undefined for a scope that is not allowed. */
function parseRequestedScope(asked: unknown, allowed: ReadonlySet<Scope>): ReadonlySet<Scope> | undefined {
  if (asked === undefined || asked === '') return allowed
  if (typeof asked !== 'string') return undefined
  const words = asked.split(' ').filter((word) => word !== '')
  const isWithin = words.length > 0 && words.every((word) => (allowed as ReadonlySet<string>).has(word))
  return isWithin ? parseScope(asked) : undefined
}

// Slows down guessing of secrets: after some wrong ones, a client must wait longer each time.

/** As many wrong secrets in a row are answered at once. */
const FREE_GUESSES = 5
/** The wait doubles from a second up to this. */
const WAIT_SECONDS_MAX = 60
/** Beyond this many, the client whose last wrong secret is longest ago starts anew. */
const MAX_CLIENTS = 1000

interface Guesses {
  readonly wrong: number
  /** Until when the next one is refused unread. */
  readonly waitUntil: number
}

export type GuessLimit = ReturnType<typeof createGuessLimit>

/** Counts by caller and client, so that guesses from one address do not lock out the client at another. */
export function createGuessLimit(clock: Clock, switches: Pick<Switches, 'retryAfter'>) {
  /** In the order of the last wrong secrets. */
  const known = new Map<string, Guesses>()
  const keyOf = (ip: string, clientId: string) => hash('sha256', JSON.stringify([ip, clientId]))
  return {
    /** The refusal of a guess that comes too early; undefined where the secret may be compared. */
    refuseEarly(ip: string, clientId: string): Answer | undefined {
      const now = clock.now()
      const { waitUntil = 0 } = known.get(keyOf(ip, clientId)) ?? {}
      // A clock that was set back must not lock the client out for longer than the wait.
      const left = Math.min(waitUntil - now, WAIT_SECONDS_MAX * 1000)
      return left > 0 ? refuseThrottled(Math.ceil(left / 1000), now, switches) : undefined
    },
    recordResult(ip: string, clientId: string, isCorrect: boolean): void {
      const key = keyOf(ip, clientId)
      const wrong = (known.get(key)?.wrong ?? 0) + 1
      known.delete(key)
      if (isCorrect) return
      const seconds = wrong < FREE_GUESSES ? 0 : Math.min(2 ** (wrong - FREE_GUESSES), WAIT_SECONDS_MAX)
      known.set(key, { wrong, waitUntil: clock.now() + seconds * 1000 })
      const [oldest] = known.keys()
      if (known.size > MAX_CLIENTS && oldest !== undefined) known.delete(oldest)
    },
  }
}
