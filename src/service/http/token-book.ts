/** The tokens in force: kept in the database by their hashes, found in memory. */
import type { Clock } from '../../support/clock.ts'
import type { Store } from '../store/store.ts'
import { type Caller, scopeOf, scopeText } from './scopes.ts'

/** The oldest tokens of a client beyond this many are forgotten, so that asking for tokens fills no memory. */
const MOST_TOKENS = 1000

export interface KnownToken {
  readonly caller: Caller
  readonly expiresAt: number
  /** Made with it since the service started. */
  requests: number
}

export interface TokenBook {
  /** Undefined when there is no such token, or none any more. */
  find(tokenHash: string): KnownToken | undefined
  /** Makes room first. */
  add(tokenHash: string, token: KnownToken): void
  /** In memory alone, for a request that writes nothing; the row goes when the token's time is over. */
  forget(tokenHash: string): void
  removeAll(clientId: string): void
  /** Reads the tokens anew, after writes of theirs were taken back. */
  refresh(): void
}

export function openTokenBook(store: Store, clock: Clock): TokenBook {
  const statements = prepareStatements(store)
  let known = readTokens(store)

  function remove(tokenHash: string): void {
    statements.remove.run({ token_hash: tokenHash })
    known.delete(tokenHash)
  }

  function tokensOf(clientId: string): string[] {
    return [...known].filter(([, { caller }]) => caller.clientId === clientId).map(([tokenHash]) => tokenHash)
  }

  function makeRoom(clientId: string): void {
    const now = clock.now()
    statements.removeExpired.run({ now })
    for (const [tokenHash, { expiresAt }] of known) if (expiresAt <= now) known.delete(tokenHash)
    const hashes = tokensOf(clientId)
    for (const tokenHash of hashes.slice(0, Math.max(0, hashes.length - MOST_TOKENS + 1))) remove(tokenHash)
  }

  return {
    find: (tokenHash) => {
      const token = known.get(tokenHash)
      return token === undefined || token.expiresAt <= clock.now() ? undefined : token
    },
    add: (token_hash, token) => {
      const { account: account_id, clientId: client_id, scope } = token.caller
      makeRoom(client_id)
      const row = { token_hash, account_id, client_id, scope: scopeText(scope), expires_at: token.expiresAt }
      statements.add(row)
      known.set(token_hash, token)
    },
    forget: (tokenHash) => void known.delete(tokenHash),
    removeAll: (clientId) => {
      for (const tokenHash of tokensOf(clientId)) remove(tokenHash)
    },
    refresh: () => {
      const before = known
      known = readTokens(store)
      for (const [tokenHash, token] of known) token.requests = before.get(tokenHash)?.requests ?? 0
    },
  }
}

function prepareStatements({ build, prepare, inserter }: Store) {
  return {
    add: inserter('tokens'),
    removeExpired: prepare((p: { now: number }) =>
      build.deleteFrom('tokens').where('expires_at', '<=', p.now),
    ),
    remove: prepare((p: { token_hash: string }) =>
      build.deleteFrom('tokens').where('token_hash', '=', p.token_hash),
    ),
  }
}

/** In the order of issue, so that the oldest come first. */
function readTokens({ all, build }: Store): Map<string, KnownToken> {
  const rows = all(
    build
      .selectFrom('tokens')
      .innerJoin('accounts', 'accounts.id', 'tokens.account_id')
      .select(['token_hash', 'account_id', 'client_id', 'scope', 'is_admin', 'expires_at'])
      .orderBy('expires_at'),
  )
  return new Map(
    rows.map(({ token_hash, account_id, client_id, scope, is_admin, expires_at }) => {
      const caller = {
        account: account_id,
        clientId: client_id,
        scope: scopeOf(scope),
        isAdmin: is_admin !== 0,
      }
      return [token_hash, { caller, expiresAt: expires_at, requests: 0 }]
    }),
  )
}
