/** The numbers that retailers give to items: one item each. */
import type { FieldErrors } from '../http/field-errors.ts'
import type { Store } from '../store/store.ts'
import type { AttributeChange } from './changes.ts'

export interface SkuTarget {
  /** 0 for an item that is about to be made. */
  readonly variantId: number
  /** Told for such an item, which nothing can be looked up of. */
  readonly isOffered?: (retailerId: number) => boolean
}

/** Adds to the errors what is wrong with the retailers' SKUs among the changes. */
export type CheckSkus = (changes: readonly AttributeChange[], target: SkuTarget, errors: FieldErrors) => void

export function createSkuCheck(store: Store): CheckSkus {
  const owner = prepareOwner(store)
  const offer = prepareOffer(store)
  return (changes, { variantId, isOffered }, errors) => {
    const offered =
      isOffered ?? ((retailer: number) => offer.first({ retailer, variant: variantId }) !== undefined)
    for (const { index, code, value, retailerId: retailer } of changes) {
      if (code !== 'retailer_sku') continue
      // Spec: not shown; what a retailer may not sell yet has no place among its numbers
      if (!offered(retailer)) {
        errors.add(['attributes', index, 'retailer'], `The item is not offered to retailer ${retailer} yet.`)
      }
      const taken = value === null ? undefined : owner.first({ retailer, sku: value })
      if (taken !== undefined && taken.variant_id !== variantId) {
        errors.add(['attributes', index, 'value'], 'A variant with this retailer_sku already exists.')
      }
    }
  }
}

function prepareOwner({ build, prepare }: Store) {
  return prepare((p: { retailer: number; sku: string }) =>
    build
      .selectFrom('retailer_variants')
      .select('variant_id')
      .where('retailer_id', '=', p.retailer)
      .where('sku', '=', p.sku),
  )
}

function prepareOffer({ build, prepare }: Store) {
  return prepare((p: { retailer: number; variant: number }) =>
    build
      .selectFrom('retailer_variants')
      .select('variant_id')
      .where('retailer_id', '=', p.retailer)
      .where('variant_id', '=', p.variant),
  )
}
