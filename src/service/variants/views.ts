/** Items as the retailer and the brand see them. Spec: "Variant". */
import { sql } from 'kysely'
import { ATTRIBUTE_CODES, type AttributeCode } from '../../contract/attributes.ts'
import type { Attribute } from '../../contract/variant.ts'
import { isoTime } from '../../support/clock.ts'
import { groupBy } from '../../support/collections.ts'
import type { ServiceContext } from '../endpoints.ts'
import { indexByCode, readMedia, toAttribute } from '../items/summaries.ts'
import { build, idsFromJson, type IdsParameter, idsParameter, type RowOf } from '../store/store.ts'
import { isoTimeOrNull } from '../values.ts'
import { readColumnValues, type StoredVariant } from './columns.ts'

// Items by their ids, in the order of the ids, with the same few queries for any number of them.

/** Reads the items that are offered to the retailer. */
export function readRetailerVariants(context: ServiceContext, ids: readonly number[], retailer: number) {
  const wanted = { ...idsParameter(ids), retailer }
  const values = groupBy(context.store.rows(valuesForRetailer, wanted), (row) => row.variant_id)
  const commonOf = readCommonFields(context, ids)
  return context.store.rows(offeredVariants, wanted).map((row) => {
    const shown = collectRetailerValues(row, values.get(row.id) ?? [])
    return {
      ...commonOf(row),
      ...toRepeatedFields(row, shown),
      attributes: toAttributes((code) => {
        const value = shown.get(code)
        return value === undefined ? [] : [{ value, retailer_id: 0 }]
      }),
      is_acknowledged: row.acknowledged_at !== null,
      acknowledged_at: isoTimeOrNull(row.acknowledged_at),
    }
  })
}

/** Spec: "Common attributes (name, size, color, identifier)"; the attributes of `short` are not shown. */
const COMMON_ATTRIBUTES: ReadonlySet<AttributeCode> = new Set(['identifier', 'name', 'size', 'color'])

/** `short` leaves out all but the common attributes. */
export function readBrandVariants(context: ServiceContext, ids: readonly number[], short: boolean) {
  const { store } = context
  const stored = [...store.rows(allValues, idsParameter(ids)), ...store.rows(retailerSkus, idsParameter(ids))]
  const values = groupBy(stored, (row) => row.variant_id)
  const commonOf = readCommonFields(context, ids)
  return store.findAll('variants', 'id', ids).map((row) => {
    const shown = collectBrandValues(row, values.get(row.id) ?? [])
    const attributes = toAttributes((code) =>
      short && !COMMON_ATTRIBUTES.has(code) ? [] : (shown.get(code) ?? []),
    )
    return {
      ...commonOf(row),
      ...toRepeatedFields(row, new Map(readColumnValues(row))),
      attributes: indexByCode(attributes),
    }
  })
}

function readCommonFields({ store, directory }: ServiceContext, ids: readonly number[]) {
  const media = readMedia(store, ids)
  const locations = groupBy(store.rows(stockLocations, idsParameter(ids)), (row) => row.variant_id)
  return (variant: StoredVariant) => ({
    id: variant.id,
    brand: directory.getParty('brand', variant.brand_id),
    inventory: toInventory(variant, locations.get(variant.id) ?? []),
    media: media(variant.id),
  })
}

/** A retailer's own value replaces the one for all; `values` has only these two kinds, own ones last. */
function collectRetailerValues(row: RowOf<typeof offeredVariants>, values: readonly ValueRow[]) {
  const shown = new Map<string, string>(readColumnValues(row))
  for (const { code, value } of values) shown.set(code, value)
  if (row.sku !== null) shown.set('retailer_sku', row.sku)
  return shown
}

/** Every value, the one for all first. */
function collectBrandValues(row: StoredVariant, rows: readonly ValueRow[]) {
  const own = readColumnValues(row).map(([code, value]) => ({ code: code as string, value, retailer_id: 0 }))
  return groupBy([...own, ...rows], ({ code }) => code)
}

/** Lists attributes with a value, in the order of the catalogue. */
function toAttributes(valuesOf: (code: AttributeCode) => Parameters<typeof toAttribute>[1]): Attribute[] {
  return ATTRIBUTE_CODES.flatMap((code) => {
    const values = valuesOf(code)
    return values.length === 0 ? [] : [toAttribute(code, values)]
  })
}

/** Spec: the common attributes "are repeated". The identifier is the supplier's in both views. */
function toRepeatedFields({ identifier }: StoredVariant, values: ReadonlyMap<string, string>) {
  const shown = (code: AttributeCode) => values.get(code) ?? null
  return {
    name: shown('name'),
    identifier,
    upc: shown('upc'),
    parent_identifier: shown('parent_identifier'),
    parent_name: shown('parent_name'),
    color: shown('color'),
    size: shown('size'),
  }
}

/** Spec: sellable is always 'Yes', here since the item was created. The fields of a location are not shown. */
function toInventory(variant: StoredVariant, locations: readonly RowOf<typeof stockLocations>[]) {
  return {
    inventory: variant.inventory,
    inventory_updated_at: isoTimeOrNull(variant.inventory_updated_at),
    sellable: 'Yes',
    sellable_updated_at: isoTime(variant.created_at),
    locations: locations.map(({ location, inventory, updated_at }) => ({
      code: location,
      inventory,
      inventory_updated_at: isoTime(updated_at),
    })),
  }
}

/** The values that are not columns; those for all, with `retailer_id` 0, come before those for one retailer. */
const allValues = (p: IdsParameter) =>
  build
    .selectFrom('variant_attributes')
    .selectAll()
    .where('variant_id', 'in', idsFromJson(p.ids))
    .orderBy('variant_id')
    .orderBy('retailer_id')

type ValueRow = RowOf<typeof allValues>

/** The same without those of other retailers. */
const valuesForRetailer = (p: IdsParameter & { retailer: number }) =>
  allValues(p).where(sql<boolean>`retailer_id in (0, ${p.retailer})`)

const stockLocations = (p: IdsParameter) =>
  build
    .selectFrom('variant_stock')
    .selectAll()
    .where('variant_id', 'in', idsFromJson(p.ids))
    .orderBy('variant_id')
    .orderBy('location')

/** Items as they are offered to a retailer; `sku` where the retailer has its own number. */
const offeredVariants = (p: IdsParameter & { retailer: number }) =>
  build
    .selectFrom('retailer_variants')
    .innerJoin('variants', 'variants.id', 'retailer_variants.variant_id')
    .selectAll('variants')
    .select(['retailer_variants.sku', 'retailer_variants.acknowledged_at'])
    .where('retailer_variants.retailer_id', '=', p.retailer)
    .where('retailer_variants.variant_id', 'in', idsFromJson(p.ids))
    .orderBy('variants.id')

/** Values of `retailer_sku`. By the connected retailers, the rows are found without walking all of them. */
const retailerSkus = (p: IdsParameter) =>
  build
    .selectFrom('retailer_variants')
    .select(['variant_id', 'retailer_id', sql<string>`'retailer_sku'`.as('code')])
    .select(sql<string>`sku`.as('value'))
    .where('retailer_id', 'in', (connected) =>
      connected
        .selectFrom('connections')
        .select('connections.retailer_id')
        .where('connections.brand_id', 'in', (owners) =>
          owners.selectFrom('variants').select('brand_id').where('id', 'in', idsFromJson(p.ids)),
        ),
    )
    .where('variant_id', 'in', idsFromJson(p.ids))
    .where('sku', 'is not', null)
    .orderBy('variant_id')
    .orderBy('retailer_id')
