/** The data of a fresh database, and how the service loads it. */
import type { Selectable } from 'kysely'
import type { AttributeCode } from '../contract/attributes.ts'
import type { PartyKind } from '../contract/endpoints.ts'
import { type Clock, HOUR_MS } from '../support/clock.ts'
import { createClient, readStartupClients, type StartupClients } from './access/clients.ts'
import type { ConnectionCreate, ShippingAccountCreate } from './admin/schemas.ts'
import { build, type Store } from './store/store.ts'
import type { Tables } from './store/tables.ts'
import { insertShippingAccount } from './trade/carriers.ts'
import { insertConnection } from './trade/connections.ts'
import { computeMerchandising } from './variants/columns.ts'

export interface SeedParty {
  readonly kind: PartyKind
  readonly id: number
  readonly name: string
  readonly code: string
  /** Parties with the same account share one client; without one, a party has an account of its own. */
  readonly account?: string
  /** How long a supplier has to acknowledge an order of the retailer; 24 by default. */
  readonly acknowledgeWithinHours?: number
}

/** A service level that leaves the carrier to the supplier. */
export type SeedGenericMethod = Readonly<Selectable<Tables['generic_shipping_methods']>>

interface SeedMethod {
  readonly id: number
  readonly code: string
  readonly name: string
  /** `small_parcel` by default. */
  readonly type?: string
  readonly genericId?: number
}

export interface SeedCarrier extends Readonly<Selectable<Tables['carriers']>> {
  readonly methods: readonly SeedMethod[]
}

export interface SeedConnection extends Readonly<ConnectionCreate> {
  readonly id: number
  readonly accounts: readonly SeedAccount[]
}

export interface SeedAccount extends Readonly<ShippingAccountCreate> {
  readonly id: number
}

export interface SeedVariant {
  readonly id: number
  readonly brandId: number
  /** The brand's own SKU. */
  readonly brandIdentifier: string
  /** The retailers' own SKUs. */
  readonly retailerItems: readonly { readonly retailerId: number; readonly identifier: string }[]
  readonly upc: string | null
  readonly name: string
  readonly description: string | null
  readonly size: string | null
  readonly color: string | null
  readonly leadTimeDays: number
  /** Units on hand; none by default. */
  readonly inventory?: number
  readonly attributes?: Readonly<Partial<Record<AttributeCode, string>>>
}

/** The client of a party, or of the administrator (id 0). The secret should be long: only its hash is kept. */
interface SeedCredential {
  readonly kind: PartyKind | 'admin'
  readonly id: number
  readonly clientId: string
  readonly clientSecret: string
}

export interface Seed {
  readonly parties: readonly SeedParty[]
  readonly genericMethods?: readonly SeedGenericMethod[]
  readonly carriers: readonly SeedCarrier[]
  readonly connections: readonly SeedConnection[]
  readonly variants: readonly SeedVariant[]
  readonly credentials?: readonly SeedCredential[]
}

/** Leaves a database with accounts unchanged. */
export function seedIfEmpty(store: Store, seed: Seed, clock: Clock): StartupClients {
  if (store.all(build.selectFrom('accounts').select('id').limit(1)).length > 0) {
    return readStartupClients(store)
  }
  let secrets = new Map<string, string>()
  store.runInTransaction(() => {
    secrets = insertParties(store, seed)
    insertCarriers(store, seed)
    for (const { id, accounts, ...connection } of seed.connections) {
      insertConnection(store, connection, { id })
      for (const { id: accountId, ...account } of accounts) {
        insertShippingAccount(store, id, account, { id: accountId })
      }
    }
    insertVariants(store, seed, clock.now())
  })
  return readStartupClients(store, secrets)
}

/** The secrets by client id. */
function insertParties(store: Store, { parties, credentials = [] }: Seed): Map<string, string> {
  const accounts = new Map<string, number>()
  const secrets = new Map<string, string>()
  const addClient = (account: number, kind: SeedCredential['kind'], id: number) => {
    const fixed = credentials.find((credential) => credential.kind === kind && credential.id === id)
    const client = createClient(store, account, { scope: 'read write', isAnnounced: true, ...fixed })
    secrets.set(client.client_id, client.client_secret)
  }
  addClient(store.insert('accounts', { name: 'administrator', is_admin: 1 }), 'admin', 0)
  for (const { kind, id, name, code, account = `${kind} ${id}`, acknowledgeWithinHours = 24 } of parties) {
    const known = accounts.get(account)
    const account_id = known ?? store.insert('accounts', { name: account, is_admin: 0 })
    accounts.set(account, account_id)
    const acknowledge_within_ms = kind === 'retailer' ? acknowledgeWithinHours * HOUR_MS : null
    store.insert('parties', { kind, id, name, code, account_id, acknowledge_within_ms })
    if (known === undefined) addClient(account_id, kind, id)
  }
  return secrets
}

function insertCarriers(store: Store, { genericMethods = [], carriers }: Seed): void {
  for (const method of genericMethods) store.insert('generic_shipping_methods', method)
  for (const { methods, ...carrier } of carriers) {
    store.insert('carriers', carrier)
    for (const { id, name, code, type = 'small_parcel', genericId = null } of methods) {
      const row = { id, carrier_id: carrier.id, name, code, type, generic_id: genericId }
      store.insert('shipping_methods', row)
    }
  }
}

/** Offers each item to every retailer that its brand trades with. */
function insertVariants(store: Store, { connections, variants }: Seed, now: number): void {
  for (const variant of variants) {
    const { id, brandId, attributes = {} } = variant
    const times = { created_at: now, updated_at: now, inventory_updated_at: now }
    store.insert('variants', { ...toVariantRow(variant), ...times })
    for (const [code, value] of Object.entries(attributes)) {
      store.insert('variant_attributes', { variant_id: id, retailer_id: 0, code, value })
    }
    for (const { retailer_id, status, level } of connections.filter((one) => one.brand_id === brandId)) {
      const own = variant.retailerItems.find((item) => item.retailerId === retailer_id)
      if (own === undefined && (status !== 'Active' || level !== 'Full')) continue
      const sku = own?.identifier ?? null
      store.insert('retailer_variants', { retailer_id, variant_id: id, sku })
    }
  }
}

function toVariantRow(variant: SeedVariant) {
  const { name, upc, attributes = {} } = variant
  const given = Object.entries({ ...attributes, name, upc }).flatMap(([code, value]) =>
    value === null ? [] : [code],
  )
  return {
    id: variant.id,
    brand_id: variant.brandId,
    identifier: variant.brandIdentifier,
    upc,
    name,
    description: variant.description,
    size: variant.size,
    color: variant.color,
    inventory: variant.inventory ?? 0,
    lead_time_days: variant.leadTimeDays,
    cartons: 1,
    ...computeMerchandising(new Set(given)),
  }
}
