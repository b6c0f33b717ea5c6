/** Items as orders, cancels, shipments, invoices, credits and returns show them. Spec: "Variant summary". */
import type { BrandVariantSummary, RetailerVariantSummary } from '../../contract/variant.ts'
import type { Directory } from '../directory.ts'
import type { Store } from '../store/store.ts'
import { byCode, toAttribute } from './attributes.ts'
import { createMediaReader, type MediaOf } from './media.ts'

/** What other resources show of an item, joined to their rows. */
export interface ItemRow {
  readonly variant_id: number
  readonly brand_id: number
  readonly brand_identifier: string
  readonly retailer_identifier: string | null
  readonly upc: string | null
  readonly name: string | null
  readonly description: string | null
  readonly size: string | null
  readonly color: string | null
}

/** The columns of an `ItemRow`, of `variants` joined with `retailer_variants`. */
export const ITEM_COLUMNS = [
  'variants.id as variant_id',
  'variants.brand_id',
  'variants.identifier as brand_identifier',
  'retailer_variants.sku as retailer_identifier',
  'variants.upc',
  'variants.name',
  'variants.description',
  'variants.size',
  'variants.color',
] as const

/** Takes all rows of a page, so that what they have in common is read once, and gives the summary of each. */
export interface ItemSummaries {
  readonly retailer: (rows: readonly ItemRow[]) => (row: ItemRow) => RetailerVariantSummary
  readonly brand: (rows: readonly ItemRow[]) => (row: ItemRow) => BrandVariantSummary
}

export function createItemSummaries(store: Store, directory: Directory): ItemSummaries {
  const readMedia = createMediaReader(store)
  const mediaOf = (rows: readonly ItemRow[]) => readMedia(rows.map((row) => row.variant_id))
  return {
    retailer: (rows) => {
      const media = mediaOf(rows)
      return (row) => ({ ...commonOf(row, directory, media), attributes: subsetOf(row) })
    },
    brand: (rows) => {
      const media = mediaOf(rows)
      return (row) => ({
        ...commonOf(row, directory, media),
        brand_identifier: row.brand_identifier,
        size: row.size,
        color: row.color,
        attributes: byCode(subsetOf(row)),
      })
    },
  }
}

/** Spec: identifier is the retailer SKU if set, otherwise the brand SKU. */
function commonOf(row: ItemRow, directory: Directory, media: MediaOf) {
  return {
    id: row.variant_id,
    name: row.name,
    description: row.description,
    brand: { id: row.brand_id, name: directory.party('brand', row.brand_id).name },
    identifier: row.retailer_identifier ?? row.brand_identifier,
    upc: row.upc,
    media: media(row.variant_id),
  }
}

/** Spec: which attributes the subset holds is not shown; here the common ones. */
function subsetOf({ name, size, color, brand_identifier: identifier }: ItemRow) {
  return Object.entries({ identifier, name, size, color } as const).flatMap(([code, value]) =>
    value === null ? [] : [toAttribute(code as 'identifier' | 'name' | 'size' | 'color', [{ value }])],
  )
}
