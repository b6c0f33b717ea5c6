/** Summarizes the contents of the service: parties, items and carriers for a first call, and counts. */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { StartupParty } from './access/clients.ts'
import type { Counts } from './admin/schemas.ts'
import type { ListName } from './store/list-counts.ts'
import { build, type Store } from './store/store.ts'
import type { TradeDirectory } from './trade/directory.ts'

const VARIANTS_PER_BRAND = 3

/** Each party with a few of its items, or of those that it may order; `identifier` is the one the party uses. */
export function readIntroduction(store: Store, directory: TradeDirectory, parties: readonly StartupParty[]) {
  const variantsOf = (brand: number, retailer: number) =>
    store.rows(firstVariants, { brand, retailer }).map(({ sku, identifier, ...variant }) => ({
      ...variant,
      identifier: sku ?? identifier,
      brand_identifier: identifier,
    }))
  return {
    parties: parties.map((party) => ({
      ...party,
      variants:
        party.kind === 'brand'
          ? variantsOf(party.id, 0)
          : directory.listConnections(party.id).flatMap(({ brand_id }) => variantsOf(brand_id, party.id)),
    })),
    carriers: directory.listCarriers(),
  }
}

const firstVariants = (p: { brand: number; retailer: number }) =>
  build
    .selectFrom('variants')
    .leftJoin('retailer_variants', (join) =>
      join
        .onRef('retailer_variants.variant_id', '=', 'variants.id')
        .on('retailer_variants.retailer_id', '=', p.retailer),
    )
    .select(['variants.id', 'brand_id', 'retailer_variants.sku', 'identifier', 'upc', 'name'])
    .where('brand_id', '=', p.brand)
    .orderBy('variants.id')
    .limit(VARIANTS_PER_BRAND)

/** Each retailer acknowledges a variant by itself, so there is no count of acknowledged variants here. */
export function countResources(store: Store): Omit<z.infer<typeof Counts>, 'faults'> {
  const rows = store.rows(listCounts, {})
  const count = (list: ListName, isAcknowledged?: 1) =>
    rows
      .filter((row) => row.list === list && (isAcknowledged ?? row.is_acknowledged) === row.is_acknowledged)
      .reduce((sum, row) => sum + row.count, 0)
  return {
    orders: count('retailerOrders'),
    acknowledgedOrders: count('retailerOrders', 1),
    cancels: count('cancels'),
    acknowledgedCancels: count('cancels', 1),
    shipments: count('shipments'),
    acknowledgedShipments: count('shipments', 1),
    invoices: count('retailerInvoices'),
    acknowledgedInvoices: count('retailerInvoices', 1),
    rmas: count('rmas'),
    acknowledgedRmas: count('rmas', 1),
    credits: count('credits'),
    acknowledgedCredits: count('credits', 1),
    variants: count('brandVariants'),
  }
}

/** Reads the counts that triggers keep, so that this is fast for any amount of data. */
const listCounts = () =>
  build
    .selectFrom('list_counts')
    .select(['list', 'is_acknowledged', sql<number>`sum(count)`.as('count')])
    .groupBy(['list', 'is_acknowledged'])
