/** Who trades with whom and how: parties, carriers, connections. Read once; nothing in the API changes them. */
import type { Carrier, ShippingAccount, ShippingMethod } from '../contract/carrier.ts'
import type { PartySummary } from '../contract/order.ts'
import { assert } from '../support/errors.ts'
import type { Store } from './store/store.ts'

export type PartyKind = 'retailer' | 'brand'

export interface Connection {
  readonly id: number
  readonly retailerId: number
  readonly brandId: number
  /** Whether orders may be placed. Spec: Full is "approved for transactions", Suspended is "on hold". */
  readonly isOpen: boolean
  readonly acknowledgeWithinMs: number
  readonly fulfillWithinMs: number
  readonly methods: ReadonlySet<number>
  readonly accounts: readonly ShippingAccount[]
}

export interface Directory {
  /** Of the account, in the order of their ids. */
  partiesOf(account: number, kind: PartyKind): readonly PartySummary[]
  owns(account: number, kind: PartyKind, id: number): boolean
  /** A party, carrier or method that other rows point to. */
  party(kind: PartyKind, id: number): PartySummary
  carrier(id: number): Carrier
  method(id: number): ShippingMethod
  findCarrier(id: number): Carrier | undefined
  findMethod(id: number): ShippingMethod | undefined
  findMethodByCode(carrierCode: string, code: string): ShippingMethod | undefined
  connection(retailerId: number, brandId: number): Connection | undefined
  connectionsOf(retailerId: number): readonly Connection[]
}

export function readDirectory(store: Store): Directory {
  const parties = store.all(store.build.selectFrom('parties').selectAll().orderBy('id'))
  const carriers = new Map<number, Carrier>(
    store.all(store.build.selectFrom('carriers').selectAll()).map((carrier) => [carrier.id, carrier]),
  )
  const methods = readMethods(store, carriers)
  const connections = readConnections(store, carriers, methods)
  const partiesByKey = new Map(
    parties.map(({ kind, id, name, code, account_id }) => [
      `${kind}/${id}`,
      { account_id, summary: { id, name, code } },
    ]),
  )
  const methodsByCode = new Map(
    [...methods.values()].map((method) => [`${method.carrier.code}/${method.code}`, method]),
  )
  const connectionsByKey = new Map(
    connections.map((connection) => [`${connection.retailerId}/${connection.brandId}`, connection]),
  )
  return {
    partiesOf: (account, kind) =>
      parties
        .filter((party) => party.account_id === account && party.kind === kind)
        .map(({ id, name, code }) => ({ id, name, code })),
    owns: (account, kind, id) => partiesByKey.get(`${kind}/${id}`)?.account_id === account,
    party: (kind, id) => known(partiesByKey.get(`${kind}/${id}`), `${kind} ${id}`).summary,
    carrier: (id) => known(carriers.get(id), `carrier ${id}`),
    method: (id) => known(methods.get(id), `shipping method ${id}`),
    findCarrier: (id) => carriers.get(id),
    findMethod: (id) => methods.get(id),
    findMethodByCode: (carrierCode, code) => methodsByCode.get(`${carrierCode}/${code}`),
    connection: (retailerId, brandId) => connectionsByKey.get(`${retailerId}/${brandId}`),
    connectionsOf: (retailerId) => connections.filter((connection) => connection.retailerId === retailerId),
  }
}

function known<Value>(value: Value | undefined, name: string): Value {
  assert(value !== undefined, `the service's database names the unknown ${name}`)
  return value
}

function readMethods(store: Store, carriers: ReadonlyMap<number, Carrier>): Map<number, ShippingMethod> {
  const rows = store.all(store.build.selectFrom('shipping_methods').selectAll())
  return new Map(
    rows.map(({ id, name, code, type, carrier_id }) => {
      const carrier = known(carriers.get(carrier_id), `carrier ${carrier_id}`)
      return [id, { id, name, code, type, carrier, generic_shipping_method: null }]
    }),
  )
}

function readConnections(
  store: Store,
  carriers: ReadonlyMap<number, Carrier>,
  methods: ReadonlyMap<number, ShippingMethod>,
): Connection[] {
  const allowed = store.all(store.build.selectFrom('connection_methods').selectAll())
  const accounts = store.all(store.build.selectFrom('shipping_accounts').selectAll().orderBy('id'))
  const accountMethods = store.all(
    store.build.selectFrom('shipping_account_methods').selectAll().orderBy('shipping_method_id'),
  )
  const methodsOfAccount = (accountId: number) =>
    accountMethods
      .filter((row) => row.shipping_account_id === accountId)
      .map((row) => known(methods.get(row.shipping_method_id), `shipping method ${row.shipping_method_id}`))
      .map(({ id, name, code }) => ({ id, name, code }))
  const accountsOfConnection = (connectionId: number) =>
    accounts
      .filter((row) => row.connection_id === connectionId)
      .map(({ id, nickname, owner_type, carrier_id }) => ({
        id,
        nickname,
        owner_type,
        carrier: known(carriers.get(carrier_id), `carrier ${carrier_id}`),
        shipping_methods: methodsOfAccount(id),
      }))
  return store.all(store.build.selectFrom('connections').selectAll().orderBy('id')).map((row) => ({
    id: row.id,
    retailerId: row.retailer_id,
    brandId: row.brand_id,
    isOpen: row.level === 'Full' && row.status === 'Active',
    acknowledgeWithinMs: row.acknowledge_within_ms,
    fulfillWithinMs: row.fulfill_within_ms,
    methods: new Set(
      allowed.filter((one) => one.connection_id === row.id).map((one) => one.shipping_method_id),
    ),
    accounts: accountsOfConnection(row.id),
  }))
}
