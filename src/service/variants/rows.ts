/** The rows that items are made of, for any number of items at once. */
import { sql } from 'kysely'
import { idsIn, type Prepared, type Store } from '../store/store.ts'
import type { StoredVariant } from './columns.ts'

/** An item as it is offered to a retailer; `sku` where the retailer has a number of its own. */
export interface OfferedVariant extends StoredVariant {
  readonly sku: string | null
  readonly acknowledged_at: number | null
}

/** A value that is no column; `retailer_id` is 0 where it is for all. */
export interface ValueRow {
  readonly variant_id: number
  readonly retailer_id: number
  readonly code: string
  readonly value: string
}

export interface LocationRow {
  readonly variant_id: number
  readonly location: string
  readonly inventory: number
  readonly updated_at: number
}

/** The ids of the wanted items as JSON text. */
interface Wanted {
  readonly ids: string
}

interface WantedByRetailer extends Wanted {
  readonly retailer: number
}

interface VariantRows {
  readonly variants: Prepared<Wanted, StoredVariant>
  readonly offered: Prepared<WantedByRetailer, OfferedVariant>
  /** Those for all go before those for one retailer. */
  readonly values: Prepared<Wanted, ValueRow>
  /** The same without those of other retailers. */
  readonly valuesForRetailer: Prepared<WantedByRetailer, ValueRow>
  /** What retailers call the items, as values of `retailer_sku`. */
  readonly skus: Prepared<Wanted, ValueRow>
  readonly locations: Prepared<Wanted, LocationRow>
}

export function prepareRows(store: Store): VariantRows {
  const { build, prepare } = store
  const values = build
    .selectFrom('variant_attributes')
    .selectAll()
    .orderBy('variant_id')
    .orderBy('retailer_id')
  return {
    variants: prepare((p) =>
      build.selectFrom('variants').selectAll().where('id', 'in', idsIn(p.ids)).orderBy('id'),
    ),
    offered: prepareOffered(store),
    values: prepare((p) => values.where('variant_id', 'in', idsIn(p.ids))),
    valuesForRetailer: prepare((p) =>
      values.where('variant_id', 'in', idsIn(p.ids)).where(sql<boolean>`retailer_id in (0, ${p.retailer})`),
    ),
    skus: prepareSkus(store),
    locations: prepare((p) =>
      build
        .selectFrom('variant_stock')
        .selectAll()
        .where('variant_id', 'in', idsIn(p.ids))
        .orderBy('variant_id')
        .orderBy('location'),
    ),
  }
}

function prepareOffered({ build, prepare }: Store): Prepared<WantedByRetailer, OfferedVariant> {
  return prepare((p) =>
    build
      .selectFrom('retailer_variants')
      .innerJoin('variants', 'variants.id', 'retailer_variants.variant_id')
      .selectAll('variants')
      .select(['retailer_variants.sku', 'retailer_variants.acknowledged_at'])
      .where('retailer_variants.retailer_id', '=', p.retailer)
      .where('retailer_variants.variant_id', 'in', idsIn(p.ids))
      .orderBy('variants.id'),
  )
}

/** Only connected retailers have items of a brand, and by retailer the rows are found without walking all of them. */
function prepareSkus({ build, prepare }: Store): Prepared<Wanted, ValueRow> {
  return prepare((p) =>
    build
      .selectFrom('retailer_variants')
      .select(['variant_id', 'retailer_id', sql<string>`'retailer_sku'`.as('code')])
      .select(sql<string>`sku`.as('value'))
      .where('retailer_id', 'in', (connected) =>
        connected
          .selectFrom('connections')
          .select('connections.retailer_id')
          .where('connections.brand_id', 'in', (owners) =>
            owners.selectFrom('variants').select('brand_id').where('id', 'in', idsIn(p.ids)),
          ),
      )
      .where('variant_id', 'in', idsIn(p.ids))
      .where('sku', 'is not', null)
      .orderBy('variant_id')
      .orderBy('retailer_id'),
  )
}
