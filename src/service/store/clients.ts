/** Who may log in: the clients of accounts, and those that are told to whoever starts the service. */
import type { PartyKind } from '../directory.ts'
import { hashSecret, randomSecret } from '../http/tokens.ts'
import type { Store } from './store.ts'

/** The secret is known only when the client was made just now: its hash is kept. */
export interface ToldClient {
  readonly clientId: string
  readonly clientSecret?: string
}

/** A party and its client. */
export interface ToldParty extends ToldClient {
  readonly kind: PartyKind
  readonly id: number
  readonly name: string
}

export interface ToldClients {
  readonly parties: readonly ToldParty[]
  readonly admin: ToldClient
}

/** What a client may do. */
export type ClientScope = 'read write' | 'read'

export interface NewClient {
  readonly account: number
  readonly scope: ClientScope
  /** Random and long where they are not given. */
  readonly clientId?: string
  readonly clientSecret?: string
  /** Whether the service tells it at its start. */
  readonly told: boolean
}

/** Makes a client. Its secret is known here and never again. Runs in the write queue, or before the service starts. */
export function createClientMaker(store: Store): (client: NewClient) => Required<ToldClient> {
  const insert = store.inserter('clients')
  return ({ account, scope, told, clientId = randomSecret(), clientSecret = randomSecret() }) => {
    insert({
      client_id: clientId,
      secret_hash: hashSecret(clientSecret),
      account_id: account,
      scope,
      revoked_at: null,
      told: Number(told),
    })
    return { clientId, clientSecret }
  }
}

/** The clients to tell, with the secrets of those made just now, by client id. */
export function readToldClients(
  { all, build }: Store,
  secrets: ReadonlyMap<string, string> = new Map(),
): ToldClients {
  const clients = all(
    build
      .selectFrom('clients')
      .innerJoin('accounts', 'accounts.id', 'clients.account_id')
      .select(['account_id', 'client_id', 'is_admin'])
      .where('told', '=', 1)
      .where('revoked_at', 'is', null),
  )
  const withSecret = (clientId = ''): ToldClient => {
    const clientSecret = secrets.get(clientId)
    return clientSecret === undefined ? { clientId } : { clientId, clientSecret }
  }
  const clientOf = (account: number) => clients.find(({ account_id }) => account_id === account)?.client_id
  const parties = all(build.selectFrom('parties').selectAll().orderBy('id'))
  return {
    parties: parties.map(({ kind, id, name, account_id }) => ({
      kind,
      id,
      name,
      ...withSecret(clientOf(account_id)),
    })),
    admin: withSecret(clients.find(({ is_admin }) => is_admin === 1)?.client_id),
  }
}

/**
 * Makes another client for every account, for whoever has lost the secrets. The earlier ones stay good until they are
 * revoked, but are not told any more. Runs before the service starts.
 */
export function replaceToldClients(store: Store): ToldClients {
  const { all, build, prepare } = store
  const make = createClientMaker(store)
  const forget = prepare(() => build.updateTable('clients').set({ told: 0 }).where('told', '=', 1))
  const secrets = new Map<string, string>()
  store.atomically(() => {
    forget.run({})
    for (const { id } of all(build.selectFrom('accounts').select('id'))) {
      const { clientId, clientSecret } = make({ account: id, scope: 'read write', told: true })
      secrets.set(clientId, clientSecret)
    }
  })
  return readToldClients(store, secrets)
}
