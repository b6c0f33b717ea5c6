/** Who trades with whom and how: parties, carriers, connections. Kept in memory; read again when it was changed. */
import type {
  Carrier,
  CarrierWithMethods,
  RequestedShippingMethod,
  ShippingMethod,
} from '../contract/carrier.ts'
import type { Connection as ShownConnection } from '../contract/connection.ts'
import type { PartySummary } from '../contract/order.ts'
import { assert } from '../support/errors.ts'
import { type Connection, readConnections } from './connections.ts'
import { groupRows } from './grouping.ts'
import type { Store } from './store/store.ts'

export type PartyKind = 'retailer' | 'brand'

export interface Directory {
  /** Of the account, in the order of their ids. */
  partiesOf(account: number, kind: PartyKind): readonly PartySummary[]
  owns(account: number, kind: PartyKind, id: number): boolean
  findParty(kind: PartyKind, id: number): PartySummary | undefined
  /** A party, carrier or method that other rows point to. */
  party(kind: PartyKind, id: number): PartySummary
  /** How long after it received an order a brand has to acknowledge it. Spec: "the retailer's SLA". */
  acknowledgeWithinMs(retailerId: number): number
  carriers(): readonly CarrierWithMethods[]
  carrier(id: number): Carrier
  method(id: number): ShippingMethod
  requestedMethod(id: number): RequestedShippingMethod
  findCarrier(id: number): Carrier | undefined
  findMethod(id: number): ShippingMethod | undefined
  findRequestedMethod(id: number): RequestedShippingMethod | undefined
  findMethodByCode(carrierCode: string, code: string): ShippingMethod | undefined
  connection(retailerId: number, brandId: number): Connection | undefined
  connectionsOf(retailerId: number): readonly Connection[]
  connectionById(id: number): Connection | undefined
  /** Reads everything again: within the write that changed it, and after one was taken back. */
  readonly refresh: () => void
}

export function createDirectory(store: Store): Directory {
  let current = readDirectory(store)
  return {
    partiesOf: (account, kind) =>
      current.parties
        .filter((party) => party.account === account && party.kind === kind)
        .map((party) => party.summary),
    owns: (account, kind, id) => current.partiesByKey.get(`${kind}/${id}`)?.account === account,
    findParty: (kind, id) => current.partiesByKey.get(`${kind}/${id}`)?.summary,
    party: (kind, id) => known(current.partiesByKey.get(`${kind}/${id}`), `${kind} ${id}`).summary,
    acknowledgeWithinMs: (id) =>
      known(current.partiesByKey.get(`retailer/${id}`), `retailer ${id}`).acknowledgeWithinMs,
    carriers: () => current.carriersWithMethods,
    carrier: (id) => known(current.carriers.get(id), `carrier ${id}`),
    method: (id) => known(current.methods.get(id), `shipping method ${id}`),
    requestedMethod: (id) => known(current.requestedMethods.get(id), `generic shipping method ${id}`),
    findCarrier: (id) => current.carriers.get(id),
    findMethod: (id) => current.methods.get(id),
    findRequestedMethod: (id) => current.requestedMethods.get(id),
    findMethodByCode: (carrierCode, code) => current.methodsByCode.get(JSON.stringify([carrierCode, code])),
    connection: (retailerId, brandId) => current.connectionsByKey.get(`${retailerId}/${brandId}`),
    connectionsOf: (retailerId) =>
      current.connections.filter((connection) => connection.retailerId === retailerId),
    connectionById: (id) => current.connections.find((connection) => connection.id === id),
    refresh: () => {
      current = readDirectory(store)
    },
  }
}

/** Spec: "Connection". */
export function toConnection(connection: Connection, directory: Directory): ShownConnection {
  const { id, name } = directory.party('brand', connection.brandId)
  return {
    id: connection.id,
    message: connection.message,
    brand: { id, name },
    level: connection.level,
    status: connection.status,
    shipping_methods: [...connection.methods].map((methodId) => directory.method(methodId)),
  }
}

function known<Value>(value: Value | undefined, name: string): Value {
  assert(value !== undefined, `the service's database names the unknown ${name}`)
  return value
}

function readDirectory(store: Store) {
  const parties = readParties(store)
  const carriers = new Map<number, Carrier>(
    store
      .all(store.build.selectFrom('carriers').selectAll().orderBy('id'))
      .map((carrier) => [carrier.id, carrier]),
  )
  const generic = store.all(store.build.selectFrom('generic_shipping_methods').selectAll().orderBy('id'))
  const genericById = new Map(generic.map((method) => [method.id, method]))
  const methods = readMethods(store, carriers, genericById)
  const connections = readConnections(store, carriers, methods)
  return {
    parties,
    partiesByKey: new Map(parties.map((party) => [`${party.kind}/${party.summary.id}`, party])),
    carriers,
    methods,
    connections,
    carriersWithMethods: withMethods(carriers, methods),
    requestedMethods: new Map(generic.map(({ id, name, description }) => [id, { id, name, description }])),
    methodsByCode: new Map(
      [...methods.values()].map((method) => [JSON.stringify([method.carrier.code, method.code]), method]),
    ),
    connectionsByKey: new Map(
      connections.map((connection) => [`${connection.retailerId}/${connection.brandId}`, connection]),
    ),
  }
}

function readParties({ all, build }: Store) {
  return all(build.selectFrom('parties').selectAll().orderBy('id')).map(
    ({ kind, id, name, code, account_id, acknowledge_within_ms }) => ({
      kind,
      account: account_id,
      acknowledgeWithinMs: acknowledge_within_ms ?? 0,
      summary: { id, name, code },
    }),
  )
}

type GenericMethods = ReadonlyMap<number, { name: string; description: string; type: string }>

function readMethods(
  { all, build }: Store,
  carriers: ReadonlyMap<number, Carrier>,
  generics: GenericMethods,
): Map<number, ShippingMethod> {
  const rows = all(build.selectFrom('shipping_methods').selectAll().orderBy('id'))
  return new Map(
    rows.map(({ id, name, code, type, carrier_id, generic_id }) => {
      const carrier = known(carriers.get(carrier_id), `carrier ${carrier_id}`)
      const found = generics.get(generic_id ?? 0)
      const generic = found && { name: found.name, description: found.description, type: found.type }
      return [id, { id, name, code, type, carrier, generic_shipping_method: generic ?? null }]
    }),
  )
}

/** Spec: "shipping_methods: present on carrier lookups"; there the methods do not name their carrier again. */
function withMethods(
  carriers: ReadonlyMap<number, Carrier>,
  methods: ReadonlyMap<number, ShippingMethod>,
): CarrierWithMethods[] {
  const byCarrier = groupRows([...methods.values()], (method) => method.carrier.id)
  return [...carriers.values()].map((carrier) => ({
    ...carrier,
    shipping_methods: (byCarrier.get(carrier.id) ?? []).map(
      ({ id, name, code, type, generic_shipping_method }) => ({
        id,
        name,
        code,
        type,
        generic_shipping_method,
      }),
    ),
  }))
}
