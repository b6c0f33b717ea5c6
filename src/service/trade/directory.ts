/** Parties, carriers and connections, kept in memory. A write that changes them refreshes the directory. */
import {
  type Carrier,
  type CarrierWithMethods,
  Connection as ShownConnection,
  type RequestedShippingMethod,
  type ShippingAccount,
  type ShippingMethod,
} from '../../contract/carrier.ts'
import type { PartyKind } from '../../contract/endpoints.ts'
import type { PartySummary } from '../../contract/order.ts'
import { groupBy } from '../../support/collections.ts'
import { assert } from '../../support/errors.ts'
import { build, type Store } from '../store/store.ts'
import { createRowView } from '../values.ts'

export type TradeDirectory = ReturnType<typeof createTradeDirectory>

export function createTradeDirectory(store: Store) {
  let current = readDirectory(store)
  const partyOf = (kind: PartyKind, id: number) => current.parties.get(`${kind}/${id}`)
  return {
    /** Lists the parties of the account, in the order of their ids. */
    listParties: (account: number, kind: PartyKind): readonly PartySummary[] =>
      [...current.parties.values()]
        .filter((party) => party.account === account && party.kind === kind)
        .map((party) => party.summary),
    ownsParty: (account: number, kind: PartyKind, id: number) => partyOf(kind, id)?.account === account,
    findParty: (kind: PartyKind, id: number) => partyOf(kind, id)?.summary,
    /** A party, carrier or method that other rows point to. */
    getParty: (kind: PartyKind, id: number) => assertKnown(partyOf(kind, id), `${kind} ${id}`).summary,
    /** How long after it received an order a brand has to acknowledge it. Spec: "the retailer's SLA". */
    acknowledgeWithinMs: (retailer: number) =>
      assertKnown(partyOf('retailer', retailer), `retailer ${retailer}`).acknowledgeWithinMs,
    listCarriers: (): readonly CarrierWithMethods[] => current.carriersWithMethods,
    getCarrier: (id: number) => assertKnown(current.carriers.get(id), `carrier ${id}`),
    getMethod: (id: number) => assertKnown(current.methods.get(id), `shipping method ${id}`),
    getRequestedMethod: (id: number): RequestedShippingMethod =>
      assertKnown(current.requestedMethods.get(id), `generic shipping method ${id}`),
    findCarrier: (id: number) => current.carriers.get(id),
    findMethod: (id: number) => current.methods.get(id),
    findRequestedMethod: (id: number) => current.requestedMethods.get(id),
    findMethodByCode: (carrierCode: string, code: string) =>
      current.methodsByCode.get(JSON.stringify([carrierCode, code])),
    findConnection: (retailer: number, brand: number) => current.connectionsByKey.get(`${retailer}/${brand}`),
    listConnections: (retailer: number) =>
      current.connections.filter((connection) => connection.retailer_id === retailer),
    /** In the order of the ids. */
    listAllConnections: (): readonly Connection[] => current.connections,
    findConnectionById: (id: number) => current.connections.find((connection) => connection.id === id),
    /** Reloads everything: within the write that changed it, and after a rollback. */
    refresh: () => {
      current = readDirectory(store)
    },
  }
}

const showConnection = createRowView(ShownConnection)

/** Spec: "Connection". */
export function toConnection(connection: Connection, directory: TradeDirectory): ShownConnection {
  const { id, name } = directory.getParty('brand', connection.brand_id)
  return showConnection(connection, {
    brand: { id, name },
    shipping_methods: [...connection.methods].map((methodId) => directory.getMethod(methodId)),
  })
}

function assertKnown<Value>(value: Value | undefined, name: string): Value {
  assert(value !== undefined, `the service's database names the unknown ${name}`)
  return value
}

function readDirectory(store: Store) {
  const parties = readParties(store)
  const carriers = new Map<number, Carrier>(
    store.all(build.selectFrom('carriers').selectAll().orderBy('id')).map((carrier) => [carrier.id, carrier]),
  )
  const generic = store.all(build.selectFrom('generic_shipping_methods').selectAll().orderBy('id'))
  const methods = readMethods(store, carriers, new Map(generic.map((method) => [method.id, method])))
  const connections = readConnections(store, carriers, methods)
  return {
    parties: new Map(parties.map((party) => [`${party.kind}/${party.summary.id}`, party])),
    carriers,
    methods,
    connections,
    carriersWithMethods: addMethodsToCarriers(carriers, methods),
    requestedMethods: new Map(generic.map(({ id, name, description }) => [id, { id, name, description }])),
    methodsByCode: new Map(
      [...methods.values()].map((method) => [JSON.stringify([method.carrier.code, method.code]), method]),
    ),
    connectionsByKey: new Map(
      connections.map((connection) => [`${connection.retailer_id}/${connection.brand_id}`, connection]),
    ),
  }
}

function readParties(store: Store) {
  return store
    .all(build.selectFrom('parties').selectAll().orderBy('id'))
    .map(({ kind, id, name, code, account_id, acknowledge_within_ms }) => ({
      kind,
      account: account_id,
      acknowledgeWithinMs: acknowledge_within_ms ?? 0,
      summary: { id, name, code },
    }))
}

type GenericMethods = ReadonlyMap<number, { name: string; description: string; type: string }>

function readMethods(store: Store, carriers: ReadonlyMap<number, Carrier>, generics: GenericMethods) {
  const rows = store.all(build.selectFrom('shipping_methods').selectAll().orderBy('id'))
  return new Map(
    rows.map(({ id, name, code, type, carrier_id, generic_id }) => {
      const carrier = assertKnown(carriers.get(carrier_id), `carrier ${carrier_id}`)
      const found = generics.get(generic_id ?? 0)
      const generic = found && { name: found.name, description: found.description, type: found.type }
      return [id, { id, name, code, type, carrier, generic_shipping_method: generic ?? null }]
    }),
  )
}

/** Spec: "shipping_methods: present on carrier lookups"; there the methods do not name their carrier again. */
function addMethodsToCarriers(
  carriers: ReadonlyMap<number, Carrier>,
  methods: ReadonlyMap<number, ShippingMethod>,
): CarrierWithMethods[] {
  const byCarrier = groupBy([...methods.values()], (method) => method.carrier.id)
  return [...carriers.values()].map((carrier) => ({
    ...carrier,
    shipping_methods: (byCarrier.get(carrier.id) ?? []).map(({ carrier: _carrier, ...method }) => method),
  }))
}

// Connections between retailers and brands. Spec: "Connection", "Shipping Account".

export type Connection = ReturnType<typeof readConnections>[number]

function readConnections(
  store: Store,
  carriers: ReadonlyMap<number, Carrier>,
  methods: ReadonlyMap<number, ShippingMethod>,
) {
  const allowed = groupBy(
    store.all(build.selectFrom('connection_methods').selectAll().orderBy('shipping_method_id')),
    (row) => row.connection_id,
  )
  const accounts = readAccounts(store, carriers, methods)
  return store.all(build.selectFrom('connections').selectAll().orderBy('id')).map((row) => ({
    ...row,
    // Whether orders may be placed. Spec: Full is "approved for transactions", Suspended is "on hold".
    isOpen: row.level === 'Full' && row.status === 'Active',
    // The ids of the methods that orders may ask for.
    methods: new Set((allowed.get(row.id) ?? []).map((one) => one.shipping_method_id)),
    accounts: accounts.get(row.id) ?? [],
  }))
}

function readAccounts(
  store: Store,
  carriers: ReadonlyMap<number, Carrier>,
  methods: ReadonlyMap<number, ShippingMethod>,
): Map<number, ShippingAccount[]> {
  const methodIds = groupBy(
    store.all(build.selectFrom('shipping_account_methods').selectAll().orderBy('shipping_method_id')),
    (row) => row.shipping_account_id,
  )
  const rows = store.all(build.selectFrom('shipping_accounts').selectAll().orderBy('id'))
  const byConnection = groupBy(rows, (row) => row.connection_id)
  const toAccount = ({ id, nickname, owner_type, carrier_id }: (typeof rows)[number]): ShippingAccount => ({
    id,
    nickname,
    owner_type,
    carrier: assertKnown(carriers.get(carrier_id), `carrier ${carrier_id}`),
    shipping_methods: (methodIds.get(id) ?? []).map((row) => {
      const method = assertKnown(methods.get(row.shipping_method_id), `method ${row.shipping_method_id}`)
      return { id: method.id, name: method.name, code: method.code }
    }),
  })
  return new Map(
    [...byConnection].map(([connection, ofConnection]) => [connection, ofConnection.map(toAccount)]),
  )
}
