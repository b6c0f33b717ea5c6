/** Columns of an item: attributes that lists and other resources need, flags derived from them, and its offers to retailers. */
import { type Selectable, sql } from 'kysely'
import type { AttributeCode } from '../../contract/attributes.ts'
import type { Tables } from '../store/tables.ts'
import type { ServiceContext } from '../endpoints.ts'
import { build, type Store } from '../store/store.ts'

/** An item as it is stored; the database computes `in_stock`. */
export type StoredVariant = Selectable<Tables['variants']>

const TEXT_COLUMNS = [
  'name',
  'description',
  'upc',
  'parent_identifier',
  'parent_name',
  'size',
  'color',
] as const

const NUMBER_COLUMNS = {
  inventory: { column: 'inventory', otherwise: 0 },
  lead_time: { column: 'lead_time_days', otherwise: 0 },
  cartons: { column: 'cartons', otherwise: 1 },
} as const

/** The columns of a new item that has only its identifier; all others are null. */
export const EMPTY_COLUMNS = {
  inventory: NUMBER_COLUMNS.inventory.otherwise,
  lead_time_days: NUMBER_COLUMNS.lead_time.otherwise,
  cartons: NUMBER_COLUMNS.cartons.otherwise,
}

/** Whether the value for all retailers is a column. */
export function isColumn(code: AttributeCode): boolean {
  return code === 'identifier' || isTextColumn(code) || isNumberColumn(code)
}

/** Lists the values of the columns by attribute code; numbers always have a value. */
export function readColumnValues(variant: StoredVariant): [code: AttributeCode, value: string][] {
  const values: [AttributeCode, string][] = [['identifier', variant.identifier]]
  for (const code of TEXT_COLUMNS) {
    const value = variant[code]
    if (value !== null) values.push([code, value])
  }
  for (const code of Object.keys(NUMBER_COLUMNS).filter(isNumberColumn)) {
    values.push([code, String(variant[NUMBER_COLUMNS[code].column])])
  }
  return values
}

/** The item with another value in the column of the attribute; null takes the value away. */
export function setColumn(variant: StoredVariant, code: AttributeCode, value: string | null): StoredVariant {
  if (isTextColumn(code)) return { ...variant, [code]: value }
  if (!isNumberColumn(code)) return variant
  const { column, otherwise } = NUMBER_COLUMNS[code]
  return { ...variant, [column]: value === null ? otherwise : Number(value) }
}

function isTextColumn(code: string): code is (typeof TEXT_COLUMNS)[number] {
  return TEXT_COLUMNS.some((column) => column === code)
}

function isNumberColumn(code: string): code is keyof typeof NUMBER_COLUMNS {
  return Object.hasOwn(NUMBER_COLUMNS, code)
}

// Flags derived from attributes. Spec: has_images, has_shipping, meets_publish_rules of variant lists.

const SHIPPING = ['shipping_width', 'shipping_height', 'shipping_length', 'shipping_weight'] as const

/** Spec: which specifications an item must meet to be published is not shown; these are our choice. */
const REQUIRED_TO_PUBLISH = ['name', 'upc', 'msrp'] as const

/** Columns of an item, 1 or 0, from the codes of the attributes that have a value for all retailers. */
export function computeMerchandising(given: ReadonlySet<string>) {
  const isGiven = (code: AttributeCode) => given.has(code)
  const hasImages = [...given].some((code) => code.startsWith('image_'))
  const hasShipping = SHIPPING.every(isGiven)
  return {
    has_images: Number(hasImages),
    has_shipping: Number(hasShipping),
    meets_publish_rules: Number(hasImages && hasShipping && REQUIRED_TO_PUBLISH.every(isGiven)),
  }
}

// Offers items to retailers: a retailer may sell an item once its connection with the brand is open.

// Existing offers stay unchanged, with their SKU and acknowledgement. Runs in the write queue.

/** Offers a new item. */
export function offerToRetailers(store: Store, variant: number, retailerIds: readonly number[]): void {
  for (const retailer of retailerIds) store.run(offerOne, { variant, retailer })
}

const newOffers = build.insertInto('retailer_variants').onConflict((conflict) => conflict.doNothing())

const offerOne = (p: { variant: number; retailer: number }) =>
  newOffers.values({ retailer_id: p.retailer, variant_id: p.variant })

/** Offers every item of the brand, once a connection becomes open. */
export function offerAllVariants(store: Store, brand: number, retailer: number): void {
  store.run(offerBrand, { brand, retailer })
}

const offerBrand = (p: { brand: number; retailer: number }) =>
  newOffers.columns(['retailer_id', 'variant_id']).expression(
    build
      .selectFrom('variants')
      .select([sql<number>`${p.retailer}`.as('retailer_id'), 'id'])
      .where('brand_id', '=', p.brand),
  )

/** The retailers to whom a new item of a brand is offered. */
export function listOpenRetailers({ directory }: ServiceContext, brandId: number): number[] {
  const open = directory.listAllConnections().filter((each) => each.brand_id === brandId && each.isOpen)
  return open.map(({ retailer_id }) => retailer_id).toSorted((a, b) => a - b)
}
