/** Lists and creates retailers and brands with their accounts. Creating runs in the write queue. */
import { sql } from 'kysely'
import { groupBy } from '../../support/collections.ts'
import { assert } from '../../support/errors.ts'
import { answerWithSecret, createClient, toClient, toNewClient } from '../access/clients.ts'
import type { NewParty, Party, PartyCreate } from '../admin/schemas.ts'
import { type Answer, refuseField } from '../http/answers.ts'
import { build, type Store } from '../store/store.ts'
import { HOUR_MS } from '../../support/clock.ts'
import type { PartyKind } from '../../contract/endpoints.ts'

/** Lists all parties with their clients: retailers after brands, each in the order of their ids. */
export function listParties(store: Store): Party[] {
  const stored = store.all(build.selectFrom('clients').selectAll().orderBy('client_id'))
  const clients = groupBy(stored, (client) => client.account_id)
  const rows = store.all(build.selectFrom('parties').selectAll().orderBy('kind').orderBy('id'))
  return rows.map(({ kind, id, name, code, account_id, acknowledge_within_ms: within }) => ({
    kind,
    id,
    name,
    code,
    account_id,
    acknowledge_within_hours: within === null ? null : within / HOUR_MS,
    clients: (clients.get(account_id) ?? []).map(toClient),
  }))
}

/** A party without an account gets a new one, with a client whose secret is shown this once. */
export function createParty(store: Store, body: PartyCreate): Answer {
  const { kind, name, code, acknowledge_within_hours: within, account_id: given } = body
  if (typeof given === 'number' && store.find('accounts', { id: given }) === undefined) {
    return refuseField(['account_id'], `Account ${given} does not exist.`)
  }
  const id = store.first(nextPartyId, { kind })?.id ?? 1
  const account_id = given ?? store.insert('accounts', { name, is_admin: 0 })
  const acknowledge_within_ms = kind === 'retailer' ? (within ?? 0) * HOUR_MS : null
  store.insert('parties', { kind, id, name, code, account_id, acknowledge_within_ms })
  const client =
    typeof given === 'number' ? null : toNewClient(createClient(store, account_id, { scope: 'read write' }))
  const party = listParties(store).find((one) => one.kind === kind && one.id === id)
  assert(party !== undefined, 'a party that was just made is not there')
  return answerWithSecret({ ...party, client } satisfies NewParty)
}

const nextPartyId = (p: { kind: PartyKind }) =>
  build
    .selectFrom('parties')
    .select(sql<number>`coalesce(max(id), 0) + 1`.as('id'))
    .where('kind', '=', p.kind)
