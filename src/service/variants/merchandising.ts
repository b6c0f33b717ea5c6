/** What follows from the attributes of an item. Spec: has_images, has_shipping, meets_publish_rules of variant lists. */
import type { AttributeCode } from '../../contract/attributes.ts'

/** Columns of an item, 1 or 0. */
export interface Merchandising {
  readonly has_images: number
  readonly has_shipping: number
  readonly meets_publish_rules: number
}

const SHIPPING = ['shipping_width', 'shipping_height', 'shipping_length', 'shipping_weight'] as const

/** Spec: which specifications an item must meet to be published is not shown; these are our choice. */
const NEEDED_TO_PUBLISH = ['name', 'upc', 'msrp'] as const

/** Takes the codes of the attributes that have a value for all retailers. */
export function merchandisingOf(given: ReadonlySet<string>): Merchandising {
  const isGiven = (code: AttributeCode) => given.has(code)
  const hasImages = [...given].some((code) => code.startsWith('image_'))
  const hasShipping = SHIPPING.every(isGiven)
  return {
    has_images: Number(hasImages),
    has_shipping: Number(hasShipping),
    meets_publish_rules: Number(hasImages && hasShipping && NEEDED_TO_PUBLISH.every(isGiven)),
  }
}
