/** Creates parties and the connections between retailers and brands, and changes their terms. Runs in the write queue. */
import { type Selectable, sql } from 'kysely'
import {
  type ConnectionChange,
  type ConnectionCreate,
  ConnectionTerms,
  type NewParty,
  type Party,
  type PartyCreate,
} from '../admin/schemas.ts'
import type { ServiceContext } from '../endpoints.ts'
import {
  type Answer,
  answerWith,
  type FieldErrors,
  gatherErrors,
  refuseField,
  refuseNotFound,
} from '../http/answers.ts'
import { build, type Store } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'
import { HOUR_MS } from '../../support/clock.ts'
import { createRowView } from '../values.ts'
import { offerAllVariants } from '../variants/columns.ts'
import { checkShippingMethods } from './carriers.ts'
import type { Connection, TradeDirectory } from './directory.ts'
import { groupBy } from '../../support/collections.ts'
import { assert } from '../../support/errors.ts'
import { answerWithSecret, createClient, toClient, toNewClient } from '../access/clients.ts'
import type { PartyKind } from '../../contract/endpoints.ts'

const showTerms = createRowView(ConnectionTerms)

export function toConnectionTerms(connection: Connection): ConnectionTerms {
  return showTerms(connection, {
    fulfill_within_hours: connection.fulfill_within_ms / HOUR_MS,
    shipping_method_ids: [...connection.methods],
    shipping_accounts: [...connection.accounts],
  })
}

/** Spec: "Static message". */
const DEFAULT_MESSAGE = 'The retailer and the supplier are connected.'

/** Answers only the id: the caller shows the rest from the refreshed directory. */
export function createConnection({ store, directory }: ServiceContext, body: ConnectionCreate): Answer {
  const { retailer_id, brand_id } = body
  const errors = gatherErrors()
  if (directory.findParty('retailer', retailer_id) === undefined) {
    errors.add(['retailer_id'], `Retailer ${retailer_id} does not exist.`)
  }
  if (directory.findParty('brand', brand_id) === undefined) {
    errors.add(['brand_id'], `Brand ${brand_id} does not exist.`)
  }
  checkMethodsExist(body.shipping_method_ids, directory, errors)
  if (store.find('connections', { retailer_id, brand_id }) !== undefined) {
    errors.add(['brand_id'], `Retailer ${retailer_id} and brand ${brand_id} are connected already.`)
  }
  if (errors.hasErrors()) return errors.toAnswer()
  const id = insertConnection(store, body)
  offerIfOpen(store, body)
  return answerWith({ id }, 201)
}

/** Stores a connection with its methods, under its own id if it has one. */
export function insertConnection(store: Store, body: ConnectionCreate, own: { id?: number } = {}): number {
  const { shipping_method_ids, fulfill_within_hours, message, ...terms } = body
  const id = store.insert('connections', {
    ...own,
    ...terms,
    message: message ?? DEFAULT_MESSAGE,
    fulfill_within_ms: fulfill_within_hours * HOUR_MS,
    signature_required: Number(body.signature_required ?? false),
    packing_slips: Number(body.packing_slips ?? true),
  })
  setMethods(store, id, shipping_method_ids)
  return id
}

/** Fields that are absent from the body stay unchanged. Answers only the id, like `createConnection`. */
export function changeConnection({ store, directory }: ServiceContext, id: number, body: ConnectionChange) {
  const row = store.find('connections', { id })
  if (row === undefined) return refuseNotFound()
  const { message, level = row.level, status = row.status, shipping_method_ids } = body
  const errors = gatherErrors()
  if (shipping_method_ids !== undefined) checkMethodsExist(shipping_method_ids, directory, errors)
  if (errors.hasErrors()) return errors.toAnswer()
  const { fulfill_within_hours: within, signature_required, packing_slips } = body
  const patch = {
    message,
    level,
    status,
    fulfill_within_ms: within === undefined ? undefined : within * HOUR_MS,
    signature_required: Number(signature_required ?? row.signature_required),
    packing_slips: Number(packing_slips ?? row.packing_slips),
  }
  store.update('connections', { id }, patch)
  if (shipping_method_ids !== undefined) setMethods(store, id, shipping_method_ids)
  offerIfOpen(store, { ...row, level, status })
  return answerWith({ id })
}

function checkMethodsExist(ids: readonly number[], directory: TradeDirectory, errors: FieldErrors): void {
  checkShippingMethods(ids, errors, (id) =>
    directory.findMethod(id) === undefined ? `Shipping method ${id} does not exist.` : undefined,
  )
}

function setMethods(store: Store, connection_id: number, methodIds: readonly number[]): void {
  store.remove('connection_methods', { connection_id })
  for (const shipping_method_id of methodIds) {
    store.insert('connection_methods', { connection_id, shipping_method_id })
  }
}

type ConnectionState = Pick<
  Selectable<Tables['connections']>,
  'retailer_id' | 'brand_id' | 'level' | 'status'
>

/** Spec: Full is "approved for transactions", Active is neither waiting nor on hold. */
function offerIfOpen(store: Store, { retailer_id, brand_id, level, status }: ConnectionState): void {
  if (level === 'Full' && status === 'Active') offerAllVariants(store, brand_id, retailer_id)
}

// Lists and creates retailers and brands with their accounts. Creating runs in the write queue.

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
