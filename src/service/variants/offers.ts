/** Offers items to retailers: a retailer may sell an item once its connection with the brand is open. */
import { sql } from 'kysely'
import type { ServiceContext } from '../context.ts'
import { build, idsFromJson, type Store } from '../store/store.ts'

// Existing offers stay unchanged, with their SKU and acknowledgement. Runs in the write queue.

/** Offers a new item. */
export function offerToRetailers(store: Store, variant: number, retailerIds: readonly number[]): void {
  store.run(offerVariant, { variant, retailers: JSON.stringify(retailerIds) })
}

const newOffers = build
  .insertInto('retailer_variants')
  .columns(['retailer_id', 'variant_id'])
  .onConflict((conflict) => conflict.doNothing())

const offerVariant = (p: { variant: number; retailers: string }) =>
  newOffers.expression(
    build
      .selectFrom('parties')
      .select(['id', sql<number>`${p.variant}`.as('variant_id')])
      .where('kind', '=', 'retailer')
      .where('id', 'in', idsFromJson(p.retailers)),
  )

/** Offers every item of the brand, once a connection becomes open. */
export function offerAllVariants(store: Store, brand: number, retailer: number): void {
  store.run(offerBrand, { brand, retailer })
}

const offerBrand = (p: { brand: number; retailer: number }) =>
  newOffers.expression(
    build
      .selectFrom('variants')
      .select([sql<number>`${p.retailer}`.as('retailer_id'), 'id'])
      .where('brand_id', '=', p.brand),
  )

/** The retailers to whom a new item of a brand is offered. */
export function listOpenRetailers({ directory }: ServiceContext, brandId: number): number[] {
  const open = directory.listAllConnections().filter((each) => each.brandId === brandId && each.isOpen)
  return open.map(({ retailerId }) => retailerId).toSorted((a, b) => a - b)
}
