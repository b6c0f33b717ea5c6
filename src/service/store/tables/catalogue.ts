/** Items. */
import type { Generated, GeneratedAlways } from 'kysely'

export interface CatalogueTables {
  variants: VariantTable
  /** The attributes without a column. `retailer_id` is 0 for a value that is for all. */
  variant_attributes: { variant_id: number; retailer_id: number; code: string; value: string }
  /** Stock by warehouse. */
  variant_stock: { variant_id: number; location: string; inventory: number; updated_at: number }
  /** The items a retailer may sell; `sku` where it has a number of its own. */
  retailer_variants: {
    retailer_id: number
    variant_id: number
    sku: string | null
    acknowledged_at: number | null
    is_acknowledged: GeneratedAlways<number>
  }
}

interface VariantTable {
  id: Generated<number>
  brand_id: number
  identifier: string
  upc: string | null
  name: string | null
  description: string | null
  parent_identifier: string | null
  parent_name: string | null
  size: string | null
  color: string | null
  inventory: number
  inventory_updated_at: number | null
  lead_time_days: number
  /** Packages that one item is shipped in. */
  cartons: number
  has_images: number
  has_shipping: number
  meets_publish_rules: number
  created_at: number
  updated_at: number
  in_stock: GeneratedAlways<number>
}
