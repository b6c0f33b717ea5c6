/** Item summaries, attributes and images as other resources show them. Spec: "Variant summary". */
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { z } from 'zod'
import { type AttributeCode, attributeRule } from '../../contract/attributes.ts'
import {
  type Attribute,
  BrandVariantSummary,
  type Media,
  RetailerVariantSummary,
} from '../../contract/variant.ts'
import { groupBy } from '../../support/collections.ts'
import type { ServiceContext } from '../endpoints.ts'
import { build, idsFromJson, type IdsParameter, idsParameter, type Store } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'
import { createRowView } from '../values.ts'

const showForRetailer = createRowView(RetailerVariantSummary)
const showForBrand = createRowView(BrandVariantSummary)

/** The columns of an item for other resources, joined to their rows. */
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

/** Summarizes all rows of a page, reading their common data once. */
export type Summarize<Summary> = (
  context: ServiceContext,
  rows: readonly ItemRow[],
) => (row: ItemRow) => Summary

export const summarizeForRetailer: Summarize<RetailerVariantSummary> = (context, rows) => {
  const commonOf = readCommonFields(context, rows)
  return (row) => showForRetailer(row, { ...commonOf(row), attributes: toCommonAttributes(row) })
}

export const summarizeForBrand: Summarize<BrandVariantSummary> = (context, rows) => {
  const commonOf = readCommonFields(context, rows)
  return (row) => showForBrand(row, { ...commonOf(row), attributes: indexByCode(toCommonAttributes(row)) })
}

/** Spec: identifier is the retailer SKU if set, otherwise the brand SKU. */
function readCommonFields({ store, directory }: ServiceContext, rows: readonly ItemRow[]) {
  const media = readMedia(store, [...new Set(rows.map((row) => row.variant_id))])
  return (row: ItemRow) => ({
    id: row.variant_id,
    brand: { id: row.brand_id, name: directory.getParty('brand', row.brand_id).name },
    identifier: row.retailer_identifier ?? row.brand_identifier,
    media: media(row.variant_id),
  })
}

/** Spec: which attributes the subset holds is not shown; here the common ones. */
function toCommonAttributes({ name, size, color, brand_identifier: identifier }: ItemRow) {
  return Object.entries({ identifier, name, size, color } as const).flatMap(([code, value]) =>
    value === null ? [] : [toAttribute(code as AttributeCode, [{ value, retailer_id: 0 }])],
  )
}

// Spec: "attributes", keyed by code for brands and an array for retailers.

/** A value; `retailer_id` is 0 where it is for all. */
type AttributeValueRow = Pick<Tables['variant_attributes'], 'value' | 'retailer_id'>

export function toAttribute(code: AttributeCode, values: readonly AttributeValueRow[]): Attribute {
  const { id, name, grouping, description, type, units } = attributeRule(code)
  return {
    id,
    code,
    name,
    grouping,
    description,
    type,
    units,
    // Spec: the number of a value is not shown; here it counts within its attribute
    values: values.map(({ value, retailer_id }, index) => ({
      id: index + 1,
      value,
      ...(retailer_id === 0 ? {} : { retailer: { id: retailer_id } }),
    })),
  }
}

export function indexByCode(attributes: readonly Attribute[]): Record<string, Attribute> {
  return Object.fromEntries(attributes.map((attribute) => [attribute.code, attribute]))
}

// Spec: `media` is the md5 hash of the file, `priority` its place, `url` its address.

type FindMedia = (variantId: number) => z.infer<typeof Media>[]

/** The images of any number of items, read at once. */
export function readMedia(store: Store, ids: readonly number[]): FindMedia {
  const byVariant = groupBy(store.rows(imageValues, idsParameter(ids)), (row) => row.variant_id)
  return (id) => (byVariant.get(id) ?? []).map(({ code, value }) => toMedia(code, value))
}

const imageValues = (p: IdsParameter) =>
  build
    .selectFrom('variant_attributes')
    .select(['variant_id', 'code', 'value'])
    .where('variant_id', 'in', idsFromJson(p.ids))
    .where('retailer_id', '=', 0)
    .where(sql<boolean>`code between 'image_' and 'image_~'`)
    .orderBy('code')

/** The service keeps addresses and no files, so the hash is that of the address. */
function toMedia(code: string, url: string) {
  return { media: hash('md5', url), priority: Number(code.slice('image_'.length)), url }
}
