/** Retailers and brands, and the accounts they belong to. Making one runs in the write queue. */
import { sql } from 'kysely'
import type { Answer } from '../http/answer.ts'
import { assert } from '../../support/errors.ts'
import { createFieldErrors } from '../http/field-errors.ts'
import { groupRows } from '../grouping.ts'
import type { Store } from '../store/store.ts'
import type { PartyCreate } from './bodies.ts'
import {
  type AddClient,
  clientRows,
  createAccountCheck,
  createClientAdding,
  secretAnswer,
  toClient,
} from './clients.ts'
import { HOUR_MS } from './hours.ts'
import type { NewClient, NewParty, Party } from './shown.ts'

/** All of them, with who may log in for them: retailers after brands, each in the order of their ids. */
export function createPartyListing(store: Store): () => Party[] {
  const { all, build } = store
  return () => {
    const clients = groupRows(all(clientRows(store).orderBy('client_id')), (client) => client.account_id)
    const rows = all(build.selectFrom('parties').selectAll().orderBy('kind').orderBy('id'))
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
}

/** A party without an account gets a new one, with a client whose secret is shown this once. */
export function createPartyMaking(store: Store): (body: PartyCreate) => Answer {
  const isAccount = createAccountCheck(store)
  const list = createPartyListing(store)
  const insert = createPartyInserter(store, createClientAdding(store))
  return (body) => {
    if (typeof body.account_id === 'number' && !isAccount(body.account_id)) {
      const errors = createFieldErrors()
      errors.add(['account_id'], `Account ${body.account_id} does not exist.`)
      return errors.answer()
    }
    const { id, client } = insert(body)
    const party = list().find((one) => one.kind === body.kind && one.id === id)
    assert(party !== undefined, 'a party that was just made is not there')
    return secretAnswer({ ...party, client } satisfies NewParty)
  }
}

type InsertParty = (body: PartyCreate) => { readonly id: number; readonly client: NewClient | null }

function createPartyInserter({ build, prepare, inserter }: Store, addClient: AddClient): InsertParty {
  const insertAccount = inserter('accounts')
  const insertParty = inserter('parties')
  const nextId = prepare((p: { kind: 'retailer' | 'brand' }) =>
    build
      .selectFrom('parties')
      .select(sql<number>`coalesce(max(id), 0) + 1`.as('id'))
      .where('kind', '=', p.kind),
  )
  return ({ kind, name, code, acknowledge_within_hours: within, account_id: given }) => {
    const id = nextId.first({ kind })?.id ?? 1
    const account_id = given ?? insertAccount({ name, is_admin: 0 })
    const acknowledge_within_ms = kind === 'retailer' ? (within ?? 0) * HOUR_MS : null
    insertParty({ kind, id, name, code, account_id, acknowledge_within_ms })
    return { id, client: typeof given === 'number' ? null : addClient(account_id, 'read write') }
  }
}
