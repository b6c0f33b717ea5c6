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

/** What a line of an order is known by. */
export interface NamedLine {
  readonly variant_id: number
  readonly brand_identifier: string
  readonly retailer_identifier: string | null
  readonly upc: string | null
}

/**
 * The line of an order that a body names. Spec: the priority is id, identifier, upc; identifier is the retailer SKU if
 * set, otherwise the brand SKU. Where the brand speaks its own SKU is taken too. Spec: not shown.
 */
export function findLine<Line extends NamedLine>(
  lines: readonly Line[],
  { id, identifier, upc }: VariantInput,
  speaker: 'retailer' | 'brand',
): Line | undefined {
  if (!isAbsent(id)) return lines.find((line) => line.variant_id === id)
  if (isAbsent(identifier)) return lines.find((line) => line.upc === upc)
  const shown = lines.find((line) => (line.retailer_identifier ?? line.brand_identifier) === identifier)
  if (shown !== undefined || speaker === 'retailer') return shown
  return lines.find((line) => line.brand_identifier === identifier)
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
