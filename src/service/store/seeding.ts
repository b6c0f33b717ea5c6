/** Puts a seed into a fresh database, and tells who may log in. */
import type { PartyKind } from '../directory.ts'
import type { Seed, SeedConnection, SeedVariant } from '../seed.ts'
import type { Store } from './store.ts'
import { hashSecret, randomSecret } from '../http/tokens.ts'

/** A party and its client. The secret is known only when the database was seeded just now: its hash is kept. */
export interface SeededParty {
  readonly kind: PartyKind
  readonly id: number
  readonly name: string
  readonly clientId: string
  readonly clientSecret?: string
}

const HOUR_MS = 3_600_000

/** A database that has parties already is left as it is. */
export function seedWhenFresh(store: Store, seed: Seed): readonly SeededParty[] {
  const known = readParties(store)
  if (known.length > 0) return known
  const commands = {
    begin: store.command('begin immediate'),
    commit: store.command('commit'),
    rollback: store.command('rollback'),
  }
  commands.begin()
  try {
    const secrets = insertParties(store, seed)
    insertCarriers(store, seed)
    for (const connection of seed.connections) insertConnection(store, connection)
    insertVariants(store, seed.variants)
    commands.commit()
    return readParties(store).map((party) => {
      const clientSecret = secrets.get(party.clientId)
      return clientSecret === undefined ? party : { ...party, clientSecret }
    })
  } catch (error) {
    commands.rollback()
    throw error
  }
}

function readParties({ all, build }: Store): SeededParty[] {
  return all(
    build
      .selectFrom('parties')
      .innerJoin('clients', 'clients.account_id', 'parties.account_id')
      .select(['parties.kind', 'parties.id', 'parties.name', 'clients.client_id as clientId'])
      .orderBy('parties.id'),
  )
}

/** The secrets by client id. */
function insertParties({ inserter }: Store, { parties, credentials = [] }: Seed): Map<string, string> {
  const insertAccount = inserter('accounts')
  const insertParty = inserter('parties')
  const insertClient = inserter('clients')
  const accounts = new Map<string, number>()
  const secrets = new Map<string, string>()
  for (const { kind, id, name, code, account = `${kind} ${id}` } of parties) {
    const known = accounts.get(account)
    const account_id = known ?? insertAccount({ name: account })
    accounts.set(account, account_id)
    insertParty({ kind, id, name, code, account_id })
    if (known !== undefined) continue
    const fixed = credentials.find((credential) => credential.kind === kind && credential.id === id)
    const client_id = fixed?.clientId ?? randomSecret()
    const secret = fixed?.clientSecret ?? randomSecret()
    insertClient({ client_id, secret_hash: hashSecret(secret), account_id })
    secrets.set(client_id, secret)
  }
  return secrets
}

function insertCarriers({ inserter }: Store, { carriers }: Seed): void {
  const insertCarrier = inserter('carriers')
  const insertMethod = inserter('shipping_methods')
  for (const { methods, ...carrier } of carriers) {
    insertCarrier(carrier)
    for (const { id, name, code } of methods) {
      insertMethod({ id, carrier_id: carrier.id, name, code, type: 'small_parcel' })
    }
  }
}

function insertConnection({ inserter }: Store, connection: SeedConnection): void {
  const insertMethod = inserter('connection_methods')
  const insertAccount = inserter('shipping_accounts')
  const insertAccountMethod = inserter('shipping_account_methods')
  const { id, retailerId, brandId, level, status, methodIds, accounts } = connection
  inserter('connections')({
    id,
    retailer_id: retailerId,
    brand_id: brandId,
    level,
    status,
    acknowledge_within_ms: connection.acknowledgeWithinHours * HOUR_MS,
    fulfill_within_ms: connection.fulfillWithinHours * HOUR_MS,
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

function insertVariants({ inserter }: Store, variants: readonly SeedVariant[]): void {
  const insertVariant = inserter('variants')
  const insertRetailerItem = inserter('retailer_items')
  for (const variant of variants) {
    insertVariant({
      id: variant.id,
      brand_id: variant.brandId,
      identifier: variant.brandIdentifier,
      upc: variant.upc,
      name: variant.name,
      description: variant.description,
      size: variant.size,
      color: variant.color,
      lead_time_ms: variant.leadTimeDays * 24 * HOUR_MS,
    })
    for (const { retailerId, identifier } of variant.retailerItems) {
      insertRetailerItem({ retailer_id: retailerId, variant_id: variant.id, identifier })
    }
  }
}
