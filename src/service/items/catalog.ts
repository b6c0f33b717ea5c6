/** Items as bodies name them. */
import { isAbsent } from '../absent.ts'
import type { VariantInput } from '../../contract/variant.ts'
import type { Prepared, Store } from '../store/store.ts'

/** An item as far as placing an order needs it. */
export interface CatalogItem {
  readonly id: number
  readonly brand_id: number
  readonly lead_time_days: number
}

export interface ItemCatalog {
  /** Every item the retailer could mean. Spec: when several names are given the priority is id, identifier, upc. */
  find(retailerId: number, named: VariantInput): readonly CatalogItem[]
}

export function createItemCatalog(store: Store): ItemCatalog {
  const { byId, byRetailerIdentifier, byBrandIdentifier, byUpc } = prepareLookups(store)
  return {
    find: (retailer, { id, identifier, upc }) => {
      if (!isAbsent(id)) return byId.all({ id })
      if (isAbsent(identifier)) return isAbsent(upc) ? [] : byUpc.all({ upc })
      const own = byRetailerIdentifier.all({ retailer, identifier })
      return own.length > 0 ? own : byBrandIdentifier.all({ retailer, identifier })
    },
  }
}

/** `id 9001`, `identifier "NL-0001"`, `upc "086000100011"`: the name that has priority, in words. */
export function describeItem({ id, identifier, upc }: VariantInput): string {
  if (!isAbsent(id)) return `id ${id}`
  return isAbsent(identifier) ? `upc "${upc}"` : `identifier "${identifier}"`
}

type Lookup<Parameters> = Prepared<Parameters, CatalogItem>

interface Lookups {
  readonly byId: Lookup<{ id: number }>
  readonly byRetailerIdentifier: Lookup<{ retailer: number; identifier: string }>
  readonly byBrandIdentifier: Lookup<{ retailer: number; identifier: string }>
  readonly byUpc: Lookup<{ upc: string }>
}

function prepareLookups({ build, prepare }: Store): Lookups {
  const items = build
    .selectFrom('variants')
    .select(['variants.id', 'variants.brand_id', 'variants.lead_time_days'])
    .limit(MOST_CANDIDATES)
  return {
    byId: prepare((p) => items.where('variants.id', '=', p.id)),
    byRetailerIdentifier: prepare((p) =>
      items
        .innerJoin('retailer_variants', 'retailer_variants.variant_id', 'variants.id')
        .where('retailer_variants.retailer_id', '=', p.retailer)
        .where('retailer_variants.sku', '=', p.identifier),
    ),
    byBrandIdentifier: prepare((p) =>
      items
        .where('variants.identifier', '=', p.identifier)
        .where((expression) =>
          expression.not(
            expression.exists(
              expression
                .selectFrom('retailer_variants')
                .select('sku')
                .where('retailer_id', '=', p.retailer)
                .whereRef('variant_id', '=', 'variants.id')
                .where('sku', 'is not', null),
            ),
          ),
        ),
    ),
    byUpc: prepare((p) => items.where('variants.upc', '=', p.upc)),
  }
}

/** Several brands may sell what has one UPC; as many are looked at. */
const MOST_CANDIDATES = 100
