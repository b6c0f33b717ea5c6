/** Connections between retailers and brands as the rules need them. Spec: "Connection", "Shipping Account". */
import type { Carrier, ShippingAccount, ShippingMethod } from '../contract/carrier.ts'
import { assert } from '../support/errors.ts'
import { groupRows } from './grouping.ts'
import type { Store } from './store/store.ts'

export interface Connection {
  readonly id: number
  readonly retailerId: number
  readonly brandId: number
  readonly message: string
  readonly level: 'Full' | 'Basic'
  readonly status: 'Active' | 'Pending' | 'Suspended'
  /** Whether orders may be placed. Spec: Full is "approved for transactions", Suspended is "on hold". */
  readonly isOpen: boolean
  readonly fulfillWithinMs: number
  readonly signatureRequired: boolean
  readonly packingSlips: boolean
  /** The ids of the methods that orders may ask for. */
  readonly methods: ReadonlySet<number>
  readonly accounts: readonly ShippingAccount[]
}

export function readConnections(
  store: Store,
  carriers: ReadonlyMap<number, Carrier>,
  methods: ReadonlyMap<number, ShippingMethod>,
): Connection[] {
  const { all, build } = store
  const allowed = groupRows(
    all(build.selectFrom('connection_methods').selectAll().orderBy('shipping_method_id')),
    (row) => row.connection_id,
  )
  const accounts = readAccounts(store, carriers, methods)
  return all(build.selectFrom('connections').selectAll().orderBy('id')).map((row) => ({
    id: row.id,
    retailerId: row.retailer_id,
    brandId: row.brand_id,
    message: row.message,
    level: row.level,
    status: row.status,
    isOpen: row.level === 'Full' && row.status === 'Active',
    fulfillWithinMs: row.fulfill_within_ms,
    signatureRequired: row.signature_required === 1,
    packingSlips: row.packing_slips === 1,
    methods: new Set((allowed.get(row.id) ?? []).map((one) => one.shipping_method_id)),
    accounts: accounts.get(row.id) ?? [],
  }))
}

function readAccounts(
  { all, build }: Store,
  carriers: ReadonlyMap<number, Carrier>,
  methods: ReadonlyMap<number, ShippingMethod>,
): Map<number, ShippingAccount[]> {
  const methodIds = groupRows(
    all(build.selectFrom('shipping_account_methods').selectAll().orderBy('shipping_method_id')),
    (row) => row.shipping_account_id,
  )
  const rows = all(build.selectFrom('shipping_accounts').selectAll().orderBy('id'))
  const byConnection = groupRows(rows, (row) => row.connection_id)
  const toAccount = ({ id, nickname, owner_type, carrier_id }: (typeof rows)[number]): ShippingAccount => ({
    id,
    nickname,
    owner_type,
    carrier: existing(carriers.get(carrier_id)),
    shipping_methods: (methodIds.get(id) ?? []).map((row) => {
      const method = existing(methods.get(row.shipping_method_id))
      return { id: method.id, name: method.name, code: method.code }
    }),
  })
  return new Map(
    [...byConnection].map(([connection, ofConnection]) => [connection, ofConnection.map(toAccount)]),
  )
}

/** The database's own foreign keys see to it. */
function existing<Value>(value: Value | undefined): Value {
  assert(value !== undefined, 'a shipping account names a carrier or method that does not exist')
  return value
}
