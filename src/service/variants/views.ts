/** Items as the retailer and as the brand see them. Spec: "Variant". */
import { ATTRIBUTE_CODES, type AttributeCode } from '../../contract/attributes.ts'
import type { BrandVariant, RetailerVariant } from '../../contract/catalog.ts'
import type { Attribute } from '../../contract/variant.ts'
import { isoTime } from '../../support/clock.ts'
import type { Directory } from '../directory.ts'
import { groupRows } from '../grouping.ts'
import { type AttributeValueRow, byCode, toAttribute } from '../items/attributes.ts'
import { createMediaReader } from '../items/media.ts'
import type { Store } from '../store/store.ts'
import { isoTimeOrNull } from '../times.ts'
import { columnValues, type StoredVariant } from './columns.ts'
import { type LocationRow, type OfferedVariant, prepareRows, type ValueRow } from './rows.ts'

/** Items by their ids, in the order of the ids, with the same few queries for any number of them. */
export interface VariantReader {
  /** Those of the items that are offered to the retailer. */
  retailer(ids: readonly number[], retailerId: number): RetailerVariant[]
  /** `short` leaves out all but the common attributes. */
  brand(ids: readonly number[], short: boolean): BrandVariant[]
}

export interface VariantReaderParts {
  readonly store: Store
  readonly directory: Directory
}

/** Spec: "Common attributes (name, size, color, identifier)"; which `short` leaves is not shown. */
const COMMON_ATTRIBUTES: ReadonlySet<AttributeCode> = new Set(['identifier', 'name', 'size', 'color'])

export function createVariantReader({ store, directory }: VariantReaderParts): VariantReader {
  const rows = prepareRows(store)
  const readMedia = createMediaReader(store)

  /** What both views have, read for all of the items. */
  function createCommon(ids: readonly number[]) {
    const media = readMedia(ids)
    const locations = groupRows(rows.locations.all({ ids: JSON.stringify(ids) }), (row) => row.variant_id)
    return (variant: StoredVariant) => ({
      id: variant.id,
      brand: directory.party('brand', variant.brand_id),
      inventory: toInventory(variant, locations.get(variant.id) ?? []),
      media: media(variant.id),
    })
  }

  return {
    retailer: (ids, retailerId) => {
      const wanted = { ids: JSON.stringify(ids), retailer: retailerId }
      const values = groupRows(rows.valuesForRetailer.all(wanted), (row) => row.variant_id)
      const commonOf = createCommon(ids)
      return rows.offered.all(wanted).map((row) => {
        const shown = valuesForRetailer(row, values.get(row.id) ?? [])
        return {
          ...commonOf(row),
          ...repeatedFields(row, shown),
          attributes: toAttributes((code) => {
            const value = shown.get(code)
            return value === undefined ? [] : [{ value }]
          }),
          is_acknowledged: row.acknowledged_at !== null,
          acknowledged_at: isoTimeOrNull(row.acknowledged_at),
        }
      })
    },
    brand: (ids, short) => {
      const wanted = { ids: JSON.stringify(ids) }
      const values = groupRows(
        [...rows.values.all(wanted), ...rows.skus.all(wanted)],
        (row) => row.variant_id,
      )
      const commonOf = createCommon(ids)
      return rows.variants.all(wanted).map((row) => {
        const shown = valuesForBrand(row, values.get(row.id) ?? [])
        const attributes = toAttributes((code) =>
          short && !COMMON_ATTRIBUTES.has(code) ? [] : (shown.get(code) ?? []),
        )
        return {
          ...commonOf(row),
          ...repeatedFields(row, new Map(columnValues(row))),
          attributes: byCode(attributes),
        }
      })
    },
  }
}

/** A value of the retailer's own stands for the one for all; `values` has no others' and the own ones last. */
function valuesForRetailer(row: OfferedVariant, values: readonly ValueRow[]): Map<string, string> {
  const shown = new Map<string, string>(columnValues(row))
  for (const { code, value } of values) shown.set(code, value)
  if (row.sku !== null) shown.set('retailer_sku', row.sku)
  return shown
}

/** Every value, the one for all first. */
function valuesForBrand(row: StoredVariant, values: readonly ValueRow[]): Map<string, AttributeValueRow[]> {
  const columns = columnValues(row).map(([code, value]) => ({ code: code as string, value, retailer_id: 0 }))
  const byAttribute = groupRows([...columns, ...values], ({ code }) => code)
  return new Map(
    [...byAttribute].map(([code, ofCode]) => [
      code,
      ofCode.map(({ value, retailer_id: retailerId }) =>
        retailerId === 0 ? { value } : { value, retailerId },
      ),
    ]),
  )
}

/** Those that have a value, in the order of the catalogue of attributes. */
function toAttributes(valuesOf: (code: AttributeCode) => readonly AttributeValueRow[]): Attribute[] {
  return ATTRIBUTE_CODES.flatMap((code) => {
    const values = valuesOf(code)
    return values.length === 0 ? [] : [toAttribute(code, values)]
  })
}

/** Spec: the common attributes "are repeated". The identifier is the supplier's in both views. */
function repeatedFields({ identifier }: StoredVariant, values: ReadonlyMap<string, string>) {
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

/** Spec: sellable is always 'Yes', so it has been since there is the item. What a location has is not shown. */
function toInventory(variant: StoredVariant, locations: readonly LocationRow[]) {
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
