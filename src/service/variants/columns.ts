/** The columns of an item: attributes that lists or other resources need, and flags derived from attributes. */
import type { Selectable } from 'kysely'
import type { AttributeCode } from '../../contract/attributes.ts'
import type { Tables } from '../store/tables.ts'

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
