/** Items. Spec: "Variant", "Variant summary", "Variant create and update". */
import { z } from 'zod'
import { checkAttributeValue, isAttributeCode } from './attributes.ts'
import { boolean, dateTime, id, integer, text, upc } from './fields.ts'
import { objectSchema, type Rule, type RuleViolation } from './object-schema.ts'

/**
 * An item on an order, cancel or invoice line. Spec: at least one of id, identifier, upc; when several are given the
 * priority is id, then identifier, then upc. `identifier` is the retailer SKU if set, otherwise the brand SKU.
 */
export const VariantInput = objectSchema(
  { id: id().nullish(), identifier: text(128).nullish(), upc: upc().nullish() },
  requireItemName('id', 'identifier', 'upc'),
)
export type VariantInput = z.infer<typeof VariantInput>

/** An item on a shipment line. Spec: upc and brand_identifier, at least one; when both, upc has priority. */
export const ShippedVariantInput = objectSchema(
  { upc: upc().nullish(), brand_identifier: text(128).nullish() },
  requireItemName('upc', 'brand_identifier'),
)
export type ShippedVariantInput = z.infer<typeof ShippedVariantInput>

/** At least one of the fields must be there. */
function requireItemName(...fields: string[]): Rule {
  return (variant) => {
    if (fields.some((field) => variant[field] !== undefined && variant[field] !== null)) return []
    return [{ code: 'item-missing', path: [], message: `an item needs at least one of ${fields.join(', ')}` }]
  }
}

/** "One line per unique item": no two lines may name the same item by the field that has priority. */
export function oneLinePerItem(linesField: string, ...priority: string[]): Rule {
  return (value) => {
    const lines = value[linesField]
    if (!Array.isArray(lines) || lines.length < 2) return []
    const first = new Map<string, Map<string | number, number>>()
    const violations: RuleViolation[] = []
    for (const [index, line] of lines.entries()) {
      const item = findItemName(line as { variant?: Record<string, unknown> }, priority)
      if (item === undefined) continue
      const named = first.get(item.field) ?? new Map<string | number, number>()
      const earlier = named.get(item.name)
      if (earlier === undefined) first.set(item.field, named.set(item.name, index))
      else
        violations.push({
          code: 'item-repeated',
          path: [linesField, index, 'variant'],
          message: `${item.field} "${item.name}" is named by items ${earlier + 1} and ${index + 1} of ${linesField}`,
        })
    }
    return violations
  }
}

function findItemName(line: { variant?: Record<string, unknown> }, priority: readonly string[]) {
  for (const field of priority) {
    const name = line.variant?.[field]
    if (typeof name === 'string' || typeof name === 'number') return { field, name }
  }
  return undefined
}

/** `media` is the md5 hash of the file, `priority` its place among the images. */
export const Media = z.object({ media: text(), priority: integer(1), url: text() })

/** A value, and the retailer it is for where it is not for all. Spec: id and value. */
export const AttributeValue = z.object({
  id: id(),
  value: text(),
  retailer: z.object({ id: id() }).optional(),
})

export const Attribute = z.object({
  id: id(),
  code: text(),
  name: text(),
  grouping: text(),
  description: text(),
  type: text(),
  units: text().nullable(),
  values: z.array(AttributeValue),
})
export type Attribute = z.infer<typeof Attribute>

/** Brand view. Only attributes that have a value are there. */
export const AttributesByCode = z.record(z.string(), Attribute)

/** Retailer view. */
export const AttributeList = z.array(Attribute)

const summaryFields = {
  id: id(),
  name: text(200).nullable(),
  description: text().nullable(),
  brand: z.object({ id: id(), name: text() }),
  identifier: text(128),
  upc: upc().nullable(),
  media: z.array(Media),
}

/** An item as other resources show it. Spec: "variant summary"; `attributes` is a subset. */
export const RetailerVariantSummary = z.object({ ...summaryFields, attributes: AttributeList })
export type RetailerVariantSummary = z.infer<typeof RetailerVariantSummary>

/** Spec: "Brand-view payloads also show brand_identifier, size, color." */
export const BrandVariantSummary = z.object({
  ...summaryFields,
  brand_identifier: text(128),
  size: text(100).nullable(),
  color: text(100).nullable(),
  attributes: AttributesByCode,
})
export type BrandVariantSummary = z.infer<typeof BrandVariantSummary>

/** Null takes the value away; `retailer` makes it the value for that retailer. Spec: what may be sent is not shown. */
export const AttributeEntry = objectSchema(
  {
    attribute: objectSchema({ code: text(100) }),
    value: z.union([z.string(), z.number(), z.boolean()], 'must be text or a number').nullable(),
    retailer: objectSchema({ id: id() }).nullish(),
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
    const wrong = value === '' ? 'must not be blank' : checkAttributeValue(code, String(value))
    return wrong === undefined
      ? []
      : [{ code: 'field-invalid', path: ['value'], message: `${code} ${wrong}` }]
  },
)
export type AttributeEntry = z.infer<typeof AttributeEntry>

interface UncheckedEntry {
  readonly attribute?: { readonly code?: unknown }
  readonly value?: unknown
  readonly retailer?: { readonly id?: unknown } | null
}

function readUncheckedEntries(body: Readonly<Record<string, unknown>>): UncheckedEntry[] {
  const { attributes } = body
  if (!Array.isArray(attributes)) return []
  return attributes.map((entry) =>
    typeof entry === 'object' && entry !== null ? (entry as UncheckedEntry) : {},
  )
}

const uniqueAttributes: Rule = (body) => {
  const seen = new Set<string>()
  return readUncheckedEntries(body).flatMap(({ attribute, retailer }, index): RuleViolation[] => {
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

const requireIdentifier: Rule = (body) => {
  if (!Array.isArray(body['attributes'])) return []
  const isNamed = readUncheckedEntries(body).some(
    ({ attribute, value }) => attribute?.code === 'identifier' && value !== null,
  )
  if (isNamed) return []
  return [{ code: 'field-invalid', path: ['attributes'], message: 'the identifier attribute is missing' }]
}

/** Spec: "the identifier attribute is mandatory and all others optional". */
export const VariantCreate = objectSchema(
  { attributes: z.array(AttributeEntry).min(1) },
  uniqueAttributes,
  requireIdentifier,
)
export type VariantCreate = z.infer<typeof VariantCreate>

/** Spec: "the identifier attribute cannot be changed". */
export const VariantUpdate = objectSchema({ attributes: z.array(AttributeEntry).min(1) }, uniqueAttributes)
export type VariantUpdate = z.infer<typeof VariantUpdate>

/** Stock of one warehouse. Spec: the shape is not shown; this is our choice. */
export const InventoryLocation = z.object({
  code: text(),
  inventory: integer(),
  inventory_updated_at: dateTime(),
})

/** Spec: `sellable` is always 'Yes'; `locations` is empty unless stock is given by warehouse. */
export const Inventory = z.object({
  inventory: integer(),
  inventory_updated_at: dateTime().nullable(),
  sellable: text(),
  sellable_updated_at: dateTime().nullable(),
  locations: z.array(InventoryLocation),
})

/** Only the identifier is guaranteed to be there. */
const sharedVariantFields = {
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

export const BrandVariant = z.object({ ...sharedVariantFields, attributes: AttributesByCode })

/** `acknowledged_at`: the fields leave it out, the acknowledgement sets it. */
export const RetailerVariant = z.object({
  ...sharedVariantFields,
  attributes: AttributeList,
  is_acknowledged: boolean(),
  acknowledged_at: dateTime().nullable(),
})
