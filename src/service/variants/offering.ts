/** Which retailers may sell an item: those whose connection with its brand is open, from then on. */
import { sql } from 'kysely'
import type { Directory } from '../directory.ts'
import { idsIn, type Store } from '../store/store.ts'

/** What is offered already stays as it is, with its SKU and acknowledgement. Runs in the write queue. */
export interface Offering {
  /** For a new item. */
  offerToRetailers(variantId: number, retailerIds: readonly number[]): void
  /** For a connection that becomes open: every item of the brand. */
  offerAll(brandId: number, retailerId: number): void
}

export function createOffering({ build, prepare }: Store): Offering {
  const offerOne = prepare((p: { variant: number; retailers: string }) =>
    build
      .insertInto('retailer_variants')
      .columns(['retailer_id', 'variant_id'])
      .expression(
        build
          .selectFrom('parties')
          .select(['id', sql<number>`${p.variant}`.as('variant_id')])
          .where('kind', '=', 'retailer')
          .where('id', 'in', idsIn(p.retailers)),
      )
      .onConflict((conflict) => conflict.doNothing()),
  )
  const offerEvery = prepare((p: { brand: number; retailer: number }) =>
    build
      .insertInto('retailer_variants')
      .columns(['retailer_id', 'variant_id'])
      .expression(
        build
          .selectFrom('variants')
          .select([sql<number>`${p.retailer}`.as('retailer_id'), 'id'])
          .where('brand_id', '=', p.brand),
      )
      .onConflict((conflict) => conflict.doNothing()),
  )
  return {
    offerToRetailers: (variant, retailerIds) =>
      void offerOne.run({ variant, retailers: JSON.stringify(retailerIds) }),
    offerAll: (brand, retailer) => void offerEvery.run({ brand, retailer }),
  }
}

/** The retailers to whom a new item of a brand is offered. */
export function createOpenRetailers(
  { build, prepare }: Store,
  directory: Directory,
): (brandId: number) => number[] {
  const connected = prepare((p: { brand: number }) =>
    build
      .selectFrom('connections')
      .select('retailer_id')
      .where('brand_id', '=', p.brand)
      .orderBy('retailer_id'),
  )
  return (brand) =>
    connected
      .all({ brand })
      .map(({ retailer_id }) => retailer_id)
      .filter((retailer) => directory.connection(retailer, brand)?.isOpen === true)
}
