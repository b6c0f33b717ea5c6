/** Puts a seed into a fresh database, and tells who may log in. */
import type { Clock } from '../../support/clock.ts'
import type { Seed, SeedConnection, SeedCredential, SeedVariant } from '../seed.ts'
import { createClientMaker, readToldClients, type ToldClients } from './clients.ts'
import { merchandisingOf } from '../variants/merchandising.ts'
import type { Store } from './store.ts'

const HOUR_MS = 3_600_000

/** A database that has accounts already is left as it is. */
export function seedWhenFresh(store: Store, seed: Seed, clock: Clock): ToldClients {
  if (store.all(store.build.selectFrom('accounts').select('id').limit(1)).length > 0) {
    return readToldClients(store)
  }
  let secrets = new Map<string, string>()
  store.atomically(() => {
    secrets = insertParties(store, seed)
    insertCarriers(store, seed)
    for (const connection of seed.connections) insertConnection(store, connection)
    insertVariants(store, seed, clock.now())
  })
  return readToldClients(store, secrets)
}

/** The secrets by client id. */
function insertParties(store: Store, { parties, credentials = [] }: Seed): Map<string, string> {
  const insertAccount = store.inserter('accounts')
  const insertParty = store.inserter('parties')
  const makeClient = createClientMaker(store)
  const accounts = new Map<string, number>()
  const secrets = new Map<string, string>()
  const addClient = (account: number, kind: SeedCredential['kind'], id: number) => {
    const fixed = credentials.find((credential) => credential.kind === kind && credential.id === id)
    const { clientId, clientSecret } = makeClient({ account, scope: 'read write', told: true, ...fixed })
    secrets.set(clientId, clientSecret)
  }
  addClient(insertAccount({ name: 'administrator', is_admin: 1 }), 'admin', 0)
  for (const { kind, id, name, code, account = `${kind} ${id}`, acknowledgeWithinHours = 24 } of parties) {
    const known = accounts.get(account)
    const account_id = known ?? insertAccount({ name: account, is_admin: 0 })
    accounts.set(account, account_id)
    const acknowledge_within_ms = kind === 'retailer' ? acknowledgeWithinHours * HOUR_MS : null
    insertParty({ kind, id, name, code, account_id, acknowledge_within_ms })
    if (known === undefined) addClient(account_id, kind, id)
  }
  return secrets
}

function insertCarriers({ inserter }: Store, { genericMethods = [], carriers }: Seed): void {
  const insertGeneric = inserter('generic_shipping_methods')
  const insertCarrier = inserter('carriers')
  const insertMethod = inserter('shipping_methods')
  for (const method of genericMethods) insertGeneric(method)
  for (const { methods, ...carrier } of carriers) {
    insertCarrier(carrier)
    for (const { id, name, code, type = 'small_parcel', genericId = null } of methods) {
      insertMethod({ id, carrier_id: carrier.id, name, code, type, generic_id: genericId })
    }
  }
}

function insertConnection({ inserter }: Store, connection: SeedConnection): void {
  const insertMethod = inserter('connection_methods')
  const insertAccount = inserter('shipping_accounts')
  const insertAccountMethod = inserter('shipping_account_methods')
  const { id, methodIds, accounts } = connection
  inserter('connections')({
    id,
    retailer_id: connection.retailerId,
    brand_id: connection.brandId,
    message: connection.message ?? 'The retailer and the supplier are connected.',
    level: connection.level,
    status: connection.status,
    fulfill_within_ms: connection.fulfillWithinHours * HOUR_MS,
    signature_required: Number(connection.signatureRequired ?? false),
    packing_slips: Number(connection.packingSlips ?? true),
  })
  for (const shipping_method_id of methodIds) insertMethod({ connection_id: id, shipping_method_id })
  for (const account of accounts) {
    insertAccount({
      id: account.id,
      connection_id: id,
      carrier_id: account.carrierId,
      nickname: account.nickname,
      owner_type: account.ownerType,
    })
    for (const shipping_method_id of account.methodIds) {
      insertAccountMethod({ shipping_account_id: account.id, shipping_method_id })
    }
  }
}

/** An item is offered to every retailer that its brand trades with. */
function insertVariants({ inserter }: Store, { connections, variants }: Seed, now: number): void {
  const insertVariant = inserter('variants')
  const insertAttribute = inserter('variant_attributes')
  const insertOffer = inserter('retailer_variants')
  for (const variant of variants) {
    const { id, brandId, attributes = {} } = variant
    insertVariant({ ...toVariantRow(variant), created_at: now, updated_at: now, inventory_updated_at: now })
    for (const [code, value] of Object.entries(attributes)) {
      insertAttribute({ variant_id: id, retailer_id: 0, code, value })
    }
    for (const { retailerId, status, level } of connections.filter((one) => one.brandId === brandId)) {
      const own = variant.retailerItems.find((item) => item.retailerId === retailerId)
      if (own === undefined && (status !== 'Active' || level !== 'Full')) continue
      insertOffer({
        retailer_id: retailerId,
        variant_id: id,
        sku: own?.identifier ?? null,
        acknowledged_at: null,
      })
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
    parent_identifier: null,
    parent_name: null,
    size: variant.size,
    color: variant.color,
    inventory: variant.inventory ?? 0,
    lead_time_days: variant.leadTimeDays,
    cartons: 1,
    ...merchandisingOf(new Set(given)),
  }
}
