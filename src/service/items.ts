/** Items: how bodies name them, and how orders, shipments and invoices show them. */
import { isAbsent } from './absent.ts'
import type { VariantInput, VariantSummary } from '../contract/variant.ts'
import type { Prepared, Store } from './store/store.ts'

/** What other resources show of an item, joined to their rows. */
export interface ItemRow {
  readonly variant_id: number
  readonly brand_id: number
  readonly brand_identifier: string
  readonly retailer_identifier: string | null
  readonly upc: string | null
  readonly name: string
  readonly description: string | null
  readonly size: string | null
  readonly color: string | null
}

/** The columns of an `ItemRow`, of `variants` joined with `retailer_items`. */
export const ITEM_COLUMNS = [
  'variants.id as variant_id',
  'variants.brand_id',
  'variants.identifier as brand_identifier',
  'retailer_items.identifier as retailer_identifier',
  'variants.upc',
  'variants.name',
  'variants.description',
  'variants.size',
  'variants.color',
] as const

/** Spec: identifier is the retailer SKU if set, otherwise the brand SKU. Media and attributes are not kept. */
export function toVariantSummary(item: ItemRow, brandName: string): VariantSummary {
  return {
    id: item.variant_id,
    name: item.name,
    description: item.description,
    brand: { id: item.brand_id, name: brandName },
    identifier: item.retailer_identifier ?? item.brand_identifier,
    brand_identifier: item.brand_identifier,
    upc: item.upc,
    size: item.size,
    color: item.color,
    media: [],
    attributes: {},
  }
}

/** An item as far as placing an order needs it. */
export interface CatalogItem {
  readonly id: number
  readonly brand_id: number
  readonly lead_time_ms: number
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
    .select(['variants.id', 'variants.brand_id', 'variants.lead_time_ms'])
    .limit(MOST_CANDIDATES)
  return {
    byId: prepare((p) => items.where('variants.id', '=', p.id)),
    byRetailerIdentifier: prepare((p) =>
      items
        .innerJoin('retailer_items', 'retailer_items.variant_id', 'variants.id')
        .where('retailer_items.retailer_id', '=', p.retailer)
        .where('retailer_items.identifier', '=', p.identifier),
    ),
    byBrandIdentifier: prepare((p) =>
      items
        .where('variants.identifier', '=', p.identifier)
        .where((expression) =>
          expression.not(
            expression.exists(
              expression
                .selectFrom('retailer_items')
                .select('identifier')
                .where('retailer_id', '=', p.retailer)
                .whereRef('variant_id', '=', 'variants.id'),
            ),
          ),
        ),
    ),
    byUpc: prepare((p) => items.where('variants.upc', '=', p.upc)),
  }
}

/** Several brands may sell what has one UPC; as many are looked at. */
const MOST_CANDIDATES = 100
