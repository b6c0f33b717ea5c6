/** Offers items to retailers: a retailer may sell an item once its connection with the brand is open. */
import { sql } from 'kysely'
import type { ServiceContext } from '../context.ts'
import { build, type Store } from '../store/store.ts'

// Existing offers stay unchanged, with their SKU and acknowledgement. Runs in the write queue.

/** Offers a new item. */
export function offerToRetailers(store: Store, variant: number, retailerIds: readonly number[]): void {
  for (const retailer of retailerIds) store.run(offerOne, { variant, retailer })
}

const newOffers = build.insertInto('retailer_variants').onConflict((conflict) => conflict.doNothing())

const offerOne = (p: { variant: number; retailer: number }) =>
  newOffers.values({ retailer_id: p.retailer, variant_id: p.variant })

/** Offers every item of the brand, once a connection becomes open. */
export function offerAllVariants(store: Store, brand: number, retailer: number): void {
  store.run(offerBrand, { brand, retailer })
}

const offerBrand = (p: { brand: number; retailer: number }) =>
  newOffers.columns(['retailer_id', 'variant_id']).expression(
    build
      .selectFrom('variants')
      .select([sql<number>`${p.retailer}`.as('retailer_id'), 'id'])
      .where('brand_id', '=', p.brand),
  )

/** The retailers to whom a new item of a brand is offered. */
export function listOpenRetailers({ directory }: ServiceContext, brandId: number): number[] {
  const open = directory.listAllConnections().filter((each) => each.brand_id === brandId && each.isOpen)
  return open.map(({ retailer_id }) => retailer_id).toSorted((a, b) => a - b)
}
