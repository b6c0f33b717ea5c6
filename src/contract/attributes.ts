/** The attributes of items. Spec: "Variant"; the codes below appear there, the full catalogue is not shown. */
import { isPlainText } from './fields.ts'

/** `image` is an https address; `money` is US dollars. */
export type AttributeType = 'text' | 'integer' | 'decimal' | 'money' | 'image'

export interface AttributeRule {
  /** Stable; shown beside the code. */
  readonly id: number
  readonly name: string
  readonly grouping: string
  readonly description: string
  readonly type: AttributeType
  /** Null for an attribute without a unit. */
  readonly units: string | null
  /** The most characters a text may have. */
  readonly max: number
  /** Whether the `attribute` filter of variant lists knows it. Spec: Color, Size, Category, Material, Finish, Collection. */
  readonly isSearchable: boolean
  /** Whether each retailer has its own value and there is no value for all. */
  readonly isPerRetailer: boolean
}

type Traits = Partial<Pick<AttributeRule, 'type' | 'units' | 'max' | 'isSearchable' | 'isPerRetailer'>>

/** Spec: not shown but for sizes of the fields that repeat them. */
const MAX_TEXT_LENGTH = 2000

const attributesOf =
  (grouping: string) =>
  (id: number, name: string, description: string, traits: Traits = {}) =>
    ({
      id,
      name,
      grouping,
      type: 'text',
      units: null,
      max: MAX_TEXT_LENGTH,
      isSearchable: false,
      isPerRetailer: false,
      ...traits,
      description,
    }) satisfies AttributeRule

const general = attributesOf('General')
const merchandising = attributesOf('Merchandising')
const pricing = attributesOf('Pricing')
const stock = attributesOf('Inventory')
const shipping = attributesOf('Shipping')
const own = attributesOf('Retailer')
const images = attributesOf('Images')

const image = (ordinal: number) => {
  const description = `The address of image ${ordinal}, in the order in which they are shown.`
  return images(100 + ordinal, `Image ${ordinal}`, description, { type: 'image' })
}

const inches = { type: 'decimal', units: 'inches' } as const
const dollars = { type: 'money', units: 'USD' } as const
const pounds = { type: 'decimal', units: 'pounds' } as const
const days = { type: 'integer', units: 'days' } as const
const each = { type: 'integer', units: 'each' } as const
const searchable = { max: 255, isSearchable: true } as const
const ownText = { max: 128, isPerRetailer: true } as const

/** By code, in the order in which an item shows them. */
export const ATTRIBUTES = {
  identifier: general(1, 'Identifier', 'The number of the item in the books of the supplier.', { max: 128 }),
  name: general(2, 'Name', 'The name of the item.', { max: 200 }),
  description: general(3, 'Description', 'What the item is, in a few sentences.'),
  upc: general(4, 'UPC', 'The universal product code.', { max: 64 }),
  parent_identifier: general(5, 'Parent Identifier', 'Groups items into one product.', { max: 100 }),
  parent_name: general(6, 'Parent Name', 'The name of the product.', { max: 200 }),
  size: general(7, 'Size', 'The size of the item.', { max: 100, isSearchable: true }),
  color: general(8, 'Color', 'The color of the item.', { max: 100, isSearchable: true }),
  category: merchandising(9, 'Category', 'Where in an assortment the item belongs.', searchable),
  material: merchandising(10, 'Material', 'What the item is made of.', searchable),
  finish: merchandising(11, 'Finish', 'How the surface is treated.', searchable),
  collection: merchandising(12, 'Collection', 'The collection the item is part of.', searchable),
  manufacturer: merchandising(13, 'Manufacturer', 'Who makes the item.', { max: 255 }),
  manufacturer_part_number: merchandising(
    14,
    'Manufacturer Part Number',
    'The number of the item in the books of its maker.',
    { max: 128 },
  ),
  cost: pricing(20, 'Cost', 'What a retailer pays for one.', dollars),
  msrp: pricing(21, 'MSRP', 'The retail price its maker suggests.', dollars),
  inventory: stock(30, 'Inventory', 'Units on hand and ready to ship.', each),
  lead_time: shipping(40, 'Lead Time', 'Days until the item is ready to ship.', days),
  ships: shipping(41, 'Ships', 'How the item travels, such as small_parcel.', { max: 64 }),
  cartons: shipping(42, 'Cartons', 'Packages that one item is shipped in.', each),
  shipping_width: shipping(43, 'Shipping Width', 'The width of the package.', inches),
  shipping_height: shipping(44, 'Shipping Height', 'The height of the package.', inches),
  shipping_length: shipping(45, 'Shipping Length', 'The length of the package.', inches),
  shipping_weight: shipping(46, 'Shipping Weight', 'The weight of the package.', pounds),
  retailer_item: own(60, 'Retailer Item', 'The number of the product in the books of a retailer.', ownText),
  retailer_item_name: own(61, 'Retailer Item Name', 'What a retailer calls the product.', {
    ...ownText,
    max: 200,
  }),
  retailer_sku: own(62, 'Retailer SKU', 'The number of the item in the books of a retailer.', ownText),
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

export function attributeRule(code: AttributeCode): AttributeRule {
  return ATTRIBUTES[code]
}

const MAX_INTEGER = 2_147_483_647

/** Returns the error of a text value as a fragment of a sentence, or undefined. */
export function checkAttributeValue(code: AttributeCode, value: string): string | undefined {
  const { type, max } = attributeRule(code)
  if (type === 'integer') {
    return /^\d{1,10}$/.test(value) && Number(value) <= MAX_INTEGER ? undefined : 'must be a whole number'
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
