/** OAuth clients of accounts: creates them with a secret that is shown once, lists and revokes them. */
import type { Insertable } from 'kysely'
import type { Client, ClientCreate, NewClient } from '../admin/schemas.ts'
import { type Answer, refuseNotFound } from '../http/answers.ts'
import { build, type Store } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'
import type { PartyKind } from '../../contract/endpoints.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { isoTimeOrNull } from '../values.ts'
import { hashSecret, randomSecret, type Tokens } from './tokens.ts'

interface ClientOptions {
  readonly scope: 'read write' | 'read'
  /** Random and long when absent. */
  readonly clientId?: string
  readonly clientSecret?: string
  /** Whether the service prints it at its start. */
  readonly isAnnounced?: boolean
}

type ClientRow = Insertable<Tables['clients']>

/** Makes a client. Its secret is known here and never again. Runs in the write queue, or before the service starts. */
export function createClient(store: Store, account_id: number, options: ClientOptions) {
  const { scope, isAnnounced = false, clientId = randomSecret(), clientSecret = randomSecret() } = options
  const row: ClientRow = {
    client_id: clientId,
    secret_hash: hashSecret(clientSecret),
    account_id,
    scope,
    announced: Number(isAnnounced),
  }
  store.insert('clients', row)
  return { ...row, client_secret: clientSecret }
}

/** The secret is known only when the client was made just now: its hash is kept. */
export interface StartupClient {
  readonly clientId: string
  readonly clientSecret?: string
}

export interface StartupParty extends StartupClient {
  readonly kind: PartyKind
  readonly id: number
  readonly name: string
}

export interface StartupClients {
  readonly parties: readonly StartupParty[]
  readonly admin: StartupClient
}

/** The clients to report, with the secrets of those made just now, by client id. */
export function readStartupClients(store: Store, secrets = new Map<string, string>()): StartupClients {
  const clients = store.all(
    build
      .selectFrom('clients')
      .innerJoin('accounts', 'accounts.id', 'clients.account_id')
      .select(['account_id', 'client_id', 'is_admin'])
      .where('announced', '=', 1)
      .where('revoked_at', 'is', null),
  )
  const withSecret = (clientId = ''): StartupClient =>
    omitUndefined({ clientId, clientSecret: secrets.get(clientId) })
  const clientOf = (account: number) => clients.find(({ account_id }) => account_id === account)?.client_id
  const parties = store.all(build.selectFrom('parties').selectAll().orderBy('id'))
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

/** Makes another client for every account whose secrets are lost; earlier ones stay valid. Before the service starts. */
export function replaceStartupClients(store: Store): StartupClients {
  const secrets = new Map<string, string>()
  store.runInTransaction(() => {
    store.update('clients', { announced: 1 }, { announced: 0 })
    for (const { id } of store.all(build.selectFrom('accounts').select('id'))) {
      const { client_id, client_secret } = createClient(store, id, { scope: 'read write', isAnnounced: true })
      secrets.set(client_id, client_secret)
    }
  })
  return readStartupClients(store, secrets)
}

// Clients that an administrator creates and revokes. Runs in the write queue.

export function issueClient(store: Store, accountId: number, { scope }: ClientCreate): Answer {
  if (store.find('accounts', { id: accountId }) === undefined) return refuseNotFound()
  return answerWithSecret(toNewClient(createClient(store, accountId, { scope: scope ?? 'read write' })))
}

/** An answer with a secret in it, which no cache may keep. */
export function answerWithSecret(body: unknown): Answer {
  return { status: 201, body, headers: { 'cache-control': 'no-store' } }
}

/** Revokes a client. A second call keeps the first time and succeeds. */
export function revokeClient(store: Store, tokens: Tokens, client_id: string): Answer {
  if (!tokens.revoke(client_id)) return refuseNotFound()
  const client = store.find('clients', { client_id })
  return { status: 200, body: client && toClient(client) }
}

/** Every column but the secret. */
export function toClient({ client_id, account_id, scope, revoked_at }: ClientRow): Client {
  return { client_id, account_id, scope, revoked_at: isoTimeOrNull(revoked_at ?? null) }
}

export function toNewClient(client: ReturnType<typeof createClient>): NewClient {
  return { ...toClient(client), client_secret: client.client_secret }
}
