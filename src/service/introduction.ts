/** What somebody who starts the service needs to make a first call: parties, items, carriers with their methods. */
import type { CarrierWithMethods } from '../contract/carrier.ts'
import type { Directory } from './directory.ts'
import type { Store } from './store/store.ts'
import type { ToldParty } from './store/clients.ts'

export interface Introduction {
  /** Each with a few of its items, or of those that it may order. */
  readonly parties: readonly (ToldParty & { readonly variants: readonly IntroducedVariant[] })[]
  readonly carriers: readonly CarrierWithMethods[]
}

/** `identifier` is the one the party uses. */
export interface IntroducedVariant {
  readonly id: number
  readonly brand_id: number
  readonly identifier: string
  readonly brand_identifier: string
  readonly upc: string | null
  readonly name: string | null
}

/** As many items are shown of each brand. */
const SHOWN_VARIANTS = 3

export function createIntroduction(
  store: Store,
  directory: Directory,
  parties: readonly ToldParty[],
): () => Introduction {
  const { all, build } = store
  const variantsOf = (brand: number, retailer: number): IntroducedVariant[] =>
    all(
      build
        .selectFrom('variants')
        .leftJoin('retailer_variants', (join) =>
          join
            .onRef('retailer_variants.variant_id', '=', 'variants.id')
            .on('retailer_variants.retailer_id', '=', retailer),
        )
        .select(['variants.id', 'brand_id', 'retailer_variants.sku', 'identifier', 'upc', 'name'])
        .where('brand_id', '=', brand)
        .orderBy('variants.id')
        .limit(SHOWN_VARIANTS),
    ).map(({ sku, identifier, ...variant }) => ({
      ...variant,
      identifier: sku ?? identifier,
      brand_identifier: identifier,
    }))
  return () => ({
    parties: parties.map((party) => ({
      ...party,
      variants:
        party.kind === 'brand'
          ? variantsOf(party.id, 0)
          : directory.connectionsOf(party.id).flatMap(({ brandId }) => variantsOf(brandId, party.id)),
    })),
    carriers: directory.carriers(),
  })
}
