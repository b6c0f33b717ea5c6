/** OAuth clients of accounts: made with a secret that is shown once, and revoked. Runs in the write queue. */
import { type Answer, notFound } from '../http/answer.ts'
import { hashSecret, randomSecret, type Tokens } from '../http/tokens.ts'
import type { Store } from '../store/store.ts'
import { isoTimeOrNull } from '../times.ts'
import type { ClientCreate } from './bodies.ts'
import type { Client, NewClient } from './shown.ts'

/** For an account that exists. */
export type AddClient = (accountId: number, scope: string) => NewClient

export function createClientAdding({ inserter }: Store): AddClient {
  const insert = inserter('clients')
  return (account_id, scope) => {
    const client_id = randomSecret()
    const client_secret = randomSecret()
    const secret_hash = hashSecret(client_secret)
    insert({ client_id, secret_hash, account_id, scope, revoked_at: null, told: 0 })
    return { client_id, account_id, scope, revoked_at: null, client_secret }
  }
}

/** Whether there is an account with the id. */
export function createAccountCheck({ build, prepare }: Store): (id: number) => boolean {
  const find = prepare((p: { id: number }) =>
    build.selectFrom('accounts').select('id').where('id', '=', p.id),
  )
  return (id) => find.first({ id }) !== undefined
}

export function createClientMaking(store: Store): (accountId: number, body: ClientCreate) => Answer {
  const isAccount = createAccountCheck(store)
  const add = createClientAdding(store)
  return (accountId, { scope }) =>
    isAccount(accountId) ? secretAnswer(add(accountId, scope ?? 'read write')) : notFound()
}

/** An answer with a secret in it, which no cache may keep. */
export function secretAnswer(body: unknown): Answer {
  return { status: 201, body, headers: { 'cache-control': 'no-store' } }
}

/** A second time keeps the time of the first and is fine. */
export function createRevoking(store: Store, tokens: Tokens): (clientId: string) => Answer {
  const find = store.prepare((p: { client_id: string }) =>
    clientRows(store).where('client_id', '=', p.client_id),
  )
  return (client_id) => {
    if (!tokens.revoke(client_id)) return notFound()
    return { status: 200, body: find.all({ client_id }).map(toClient)[0] }
  }
}

type ClientRow = Omit<Client, 'revoked_at'> & { readonly revoked_at: number | null }

/** Every client but its secret. */
export function clientRows({ build }: Store) {
  return build.selectFrom('clients').select(['client_id', 'account_id', 'scope', 'revoked_at'])
}

export function toClient({ client_id, account_id, scope, revoked_at }: ClientRow): Client {
  return { client_id, account_id, scope, revoked_at: isoTimeOrNull(revoked_at) }
}
