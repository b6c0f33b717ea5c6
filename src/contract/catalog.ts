/** Items as their suppliers keep them and retailers see them. Spec: "Variant", "Variant create and update". */
import { z } from 'zod'
import { isAttributeCode, wrongAttributeValue } from './attributes.ts'
import { boolean, dateTime, id, integer, text, upc } from './fields.ts'
import { model, type Rule, type Violation } from './model.ts'
import { AttributeList, AttributesByCode, Media } from './variant.ts'

/**
 * One value of one attribute. Null takes the value away. `retailer` makes it the value for that retailer alone, and
 * must be there for attributes such as retailer_sku. Spec: which values may be sent is not shown.
 */
export const AttributeEntry = model(
  {
    attribute: model({ code: text(100) }),
    value: z.union([z.string(), z.number(), z.boolean()], 'must be text or a number').nullable(),
    retailer: model({ id: id() }).nullish(),
  },
  (entry) => {
    const { attribute, value } = entry as { attribute?: { code?: unknown }; value?: unknown }
    const code = attribute?.code
    if (typeof code !== 'string') return []
    if (!isAttributeCode(code)) {
      return [
        { code: 'field-invalid', path: ['attribute', 'code'], message: `"${code}" is not an attribute` },
      ]
    }
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return []
    const wrong = value === '' ? 'must not be blank' : wrongAttributeValue(code, String(value))
    return wrong === undefined
      ? []
      : [{ code: 'field-invalid', path: ['value'], message: `${code} ${wrong}` }]
  },
)
export type AttributeEntry = z.infer<typeof AttributeEntry>

interface LooseEntry {
  readonly attribute?: { readonly code?: unknown }
  readonly value?: unknown
  readonly retailer?: { readonly id?: unknown } | null
}

function entriesOf(body: Readonly<Record<string, unknown>>): LooseEntry[] {
  const { attributes } = body
  if (!Array.isArray(attributes)) return []
  return attributes.map((entry) => (typeof entry === 'object' && entry !== null ? (entry as LooseEntry) : {}))
}

const eachOnce: Rule = (body) => {
  const seen = new Set<string>()
  return entriesOf(body).flatMap(({ attribute, retailer }, index): Violation[] => {
    if (typeof attribute?.code !== 'string') return []
    const key = JSON.stringify([attribute.code, retailer?.id ?? null])
    if (seen.has(key)) {
      const message = `${attribute.code} is given more than once`
      return [{ code: 'field-invalid', path: ['attributes', index, 'attribute', 'code'], message }]
    }
    seen.add(key)
    return []
  })
}

const namesTheItem: Rule = (body) => {
  if (!Array.isArray(body['attributes'])) return []
  const isNamed = entriesOf(body).some(
    ({ attribute, value }) => attribute?.code === 'identifier' && value !== null,
  )
  if (isNamed) return []
  return [{ code: 'field-invalid', path: ['attributes'], message: 'the identifier attribute is missing' }]
}

/** Spec: "the identifier attribute is mandatory and all others optional". */
export const VariantCreate = model({ attributes: z.array(AttributeEntry).min(1) }, eachOnce, namesTheItem)
export type VariantCreate = z.infer<typeof VariantCreate>

/** Spec: "the identifier attribute cannot be changed". */
export const VariantUpdate = model({ attributes: z.array(AttributeEntry).min(1) }, eachOnce)
export type VariantUpdate = z.infer<typeof VariantUpdate>

/** Stock of one warehouse. Spec: the shape is not shown; this is our choice. */
export const InventoryLocation = z.object({
  code: text(),
  inventory: integer(),
  inventory_updated_at: dateTime(),
})
export type InventoryLocation = z.infer<typeof InventoryLocation>

/** Spec: `sellable` is always 'Yes'; `locations` is empty unless stock is given by warehouse. */
export const Inventory = z.object({
  inventory: integer(),
  inventory_updated_at: dateTime().nullable(),
  sellable: text(),
  sellable_updated_at: dateTime().nullable(),
  locations: z.array(InventoryLocation),
})

/** Only the identifier is guaranteed to be there. */
const variantFields = {
  id: id(),
  brand: z.object({ id: id(), name: text(), code: text() }),
  name: text(200).nullable(),
  identifier: text(128),
  upc: upc().nullable(),
  parent_identifier: text(100).nullable(),
  parent_name: text(200).nullable(),
  color: text(100).nullable(),
  size: text(100).nullable(),
  inventory: Inventory,
  media: z.array(Media),
}

export const BrandVariant = z.object({ ...variantFields, attributes: AttributesByCode })
export type BrandVariant = z.infer<typeof BrandVariant>

/** `acknowledged_at`: the fields leave it out, the acknowledgement sets it. */
export const RetailerVariant = z.object({
  ...variantFields,
  attributes: AttributeList,
  is_acknowledged: boolean(),
  acknowledged_at: dateTime().nullable(),
})
export type RetailerVariant = z.infer<typeof RetailerVariant>
