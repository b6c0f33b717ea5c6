/** The attributes of items. Spec: "Variant"; the codes below appear there, the full catalogue is not shown. */
import { isPlainText } from './fields.ts'

/** `image` is an https address; `money` is US dollars. */
export type AttributeType = 'text' | 'integer' | 'decimal' | 'money' | 'image'

/** What an attribute is and takes. */
export interface AttributeRule {
  /** Stable; shown beside the code. */
  readonly id: number
  readonly name: string
  readonly grouping: string
  readonly description: string
  readonly type: AttributeType
  /** Null for what is not measured. */
  readonly units: string | null
  /** The most characters a text may have. */
  readonly max: number
  /** Whether the `attribute` filter of variant lists knows it. Spec: Color, Size, Category, Material, Finish, Collection. */
  readonly isSearchable: boolean
  /** Whether each retailer has a value of its own and there is none for all. */
  readonly isPerRetailer: boolean
}

type Traits = Partial<Pick<AttributeRule, 'type' | 'units' | 'max' | 'isSearchable' | 'isPerRetailer'>>

/** Spec: not shown but for sizes of the fields that repeat them. */
const LONGEST_TEXT = 2000

function attribute(id: number, name: string, grouping: string, traits: Traits & { description: string }) {
  const usual = {
    type: 'text',
    units: null,
    max: LONGEST_TEXT,
    isSearchable: false,
    isPerRetailer: false,
  } as const
  return { id, name, grouping, ...usual, ...traits } satisfies AttributeRule
}

const image = (ordinal: number) =>
  attribute(100 + ordinal, `Image ${ordinal}`, 'Images', {
    type: 'image',
    description: `The address of image ${ordinal}, in the order in which they are shown.`,
  })

const inches = { type: 'decimal', units: 'inches' } as const

/** By code. The order is the order in which an item shows them. */
export const ATTRIBUTES = {
  identifier: attribute(1, 'Identifier', 'General', {
    max: 128,
    description: 'The number of the item in the books of the supplier.',
  }),
  name: attribute(2, 'Name', 'General', { max: 200, description: 'The name of the item.' }),
  description: attribute(3, 'Description', 'General', {
    description: 'What the item is, in a few sentences.',
  }),
  upc: attribute(4, 'UPC', 'General', { max: 64, description: 'The universal product code.' }),
  parent_identifier: attribute(5, 'Parent Identifier', 'General', {
    max: 100,
    description: 'Groups items into one product.',
  }),
  parent_name: attribute(6, 'Parent Name', 'General', { max: 200, description: 'The name of the product.' }),
  size: attribute(7, 'Size', 'General', {
    max: 100,
    isSearchable: true,
    description: 'The size of the item.',
  }),
  color: attribute(8, 'Color', 'General', {
    max: 100,
    isSearchable: true,
    description: 'The color of the item.',
  }),
  category: attribute(9, 'Category', 'Merchandising', {
    max: 255,
    isSearchable: true,
    description: 'Where in an assortment the item belongs.',
  }),
  material: attribute(10, 'Material', 'Merchandising', {
    max: 255,
    isSearchable: true,
    description: 'What the item is made of.',
  }),
  finish: attribute(11, 'Finish', 'Merchandising', {
    max: 255,
    isSearchable: true,
    description: 'How the surface is treated.',
  }),
  collection: attribute(12, 'Collection', 'Merchandising', {
    max: 255,
    isSearchable: true,
    description: 'The collection the item is part of.',
  }),
  manufacturer: attribute(13, 'Manufacturer', 'Merchandising', {
    max: 255,
    description: 'Who makes the item.',
  }),
  manufacturer_part_number: attribute(14, 'Manufacturer Part Number', 'Merchandising', {
    max: 128,
    description: 'The number of the item in the books of its maker.',
  }),
  cost: attribute(20, 'Cost', 'Pricing', {
    type: 'money',
    units: 'USD',
    description: 'What a retailer pays for one.',
  }),
  msrp: attribute(21, 'MSRP', 'Pricing', {
    type: 'money',
    units: 'USD',
    description: 'The retail price its maker suggests.',
  }),
  inventory: attribute(30, 'Inventory', 'Inventory', {
    type: 'integer',
    units: 'each',
    description: 'Units on hand and ready to ship.',
  }),
  lead_time: attribute(40, 'Lead Time', 'Shipping', {
    type: 'integer',
    units: 'days',
    description: 'Days until the item is ready to ship.',
  }),
  ships: attribute(41, 'Ships', 'Shipping', {
    max: 64,
    description: 'How the item travels, such as small_parcel.',
  }),
  cartons: attribute(42, 'Cartons', 'Shipping', {
    type: 'integer',
    units: 'each',
    description: 'Packages that one item is shipped in.',
  }),
  shipping_width: attribute(43, 'Shipping Width', 'Shipping', {
    ...inches,
    description: 'The width of the package.',
  }),
  shipping_height: attribute(44, 'Shipping Height', 'Shipping', {
    ...inches,
    description: 'The height of the package.',
  }),
  shipping_length: attribute(45, 'Shipping Length', 'Shipping', {
    ...inches,
    description: 'The length of the package.',
  }),
  shipping_weight: attribute(46, 'Shipping Weight', 'Shipping', {
    type: 'decimal',
    units: 'pounds',
    description: 'The weight of the package.',
  }),
  retailer_item: attribute(60, 'Retailer Item', 'Retailer', {
    max: 128,
    isPerRetailer: true,
    description: 'The number of the product in the books of a retailer.',
  }),
  retailer_item_name: attribute(61, 'Retailer Item Name', 'Retailer', {
    max: 200,
    isPerRetailer: true,
    description: 'What a retailer calls the product.',
  }),
  retailer_sku: attribute(62, 'Retailer SKU', 'Retailer', {
    max: 128,
    isPerRetailer: true,
    description: 'The number of the item in the books of a retailer.',
  }),
  image_1: image(1),
  image_2: image(2),
  image_3: image(3),
  image_4: image(4),
  image_5: image(5),
  image_6: image(6),
  image_7: image(7),
  image_8: image(8),
} as const satisfies Record<string, AttributeRule>

export type AttributeCode = keyof typeof ATTRIBUTES

export const ATTRIBUTE_CODES = Object.keys(ATTRIBUTES) as readonly AttributeCode[]

export function isAttributeCode(code: string): code is AttributeCode {
  return Object.hasOwn(ATTRIBUTES, code)
}

/** The rule behind a code. */
export function attributeRule(code: AttributeCode): AttributeRule {
  return ATTRIBUTES[code]
}

const LARGEST_INTEGER = 2_147_483_647

/** What is wrong with a value, as a fragment of a sentence, or undefined when nothing is. Takes text only. */
export function wrongAttributeValue(code: AttributeCode, value: string): string | undefined {
  const { type, max } = attributeRule(code)
  if (type === 'integer') {
    return /^\d{1,10}$/.test(value) && Number(value) <= LARGEST_INTEGER ? undefined : 'must be a whole number'
  }
  if (type === 'decimal') {
    return /^\d{1,6}(\.\d{1,4})?$/.test(value) ? undefined : 'must be a decimal, such as 2.5'
  }
  if (type === 'money') {
    return /^\d{1,8}\.\d{2}$/.test(value) ? undefined : 'must be a decimal with two decimals, such as 12.50'
  }
  if (!isPlainText(value)) return 'must not be blank or hold control characters'
  if (value.length > max) return `must have no more than ${max} characters`
  if (type === 'image') return isSecureAddress(value) ? undefined : 'must be an https address'
  return undefined
}

function isSecureAddress(value: string): boolean {
  return URL.canParse(value) && new URL(value).protocol === 'https:'
}
