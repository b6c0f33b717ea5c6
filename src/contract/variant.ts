/** How bodies name an item, and how the service shows it. */
import { z } from 'zod'
import { id, integer, text, upc } from './fields.ts'
import { model, type Rule, type Violation } from './model.ts'

/**
 * An item on an order, cancel or invoice line. Spec: at least one of id, identifier, upc; when several are given the
 * priority is id, then identifier, then upc. `identifier` is the retailer SKU if set, otherwise the brand SKU.
 */
export const VariantInput = model(
  { id: id().nullish(), identifier: text(128).nullish(), upc: upc().nullish() },
  namesAnItem('id', 'identifier', 'upc'),
)
export type VariantInput = z.infer<typeof VariantInput>

/** An item on a shipment line. Spec: upc and brand_identifier, at least one; when both, upc has priority. */
export const ShippedVariantInput = model(
  { upc: upc().nullish(), brand_identifier: text(128).nullish() },
  namesAnItem('upc', 'brand_identifier'),
)
export type ShippedVariantInput = z.infer<typeof ShippedVariantInput>

/** At least one of the fields must be there. */
function namesAnItem(...fields: string[]): Rule {
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
    const violations: Violation[] = []
    for (const [index, line] of lines.entries()) {
      const item = nameOfItem(line as { variant?: Record<string, unknown> }, priority)
      if (item === undefined) continue
      const named = first.get(item.field) ?? new Map<string | number, number>()
      const earlier = named.get(item.name)
      if (earlier === undefined) first.set(item.field, named.set(item.name, index))
      else
        violations.push({
          code: 'item-repeated',
          path: [linesField, index, 'variant'],
          message: `${item.field} "${item.name}" is named by lines ${earlier + 1} and ${index + 1} of the record`,
        })
    }
    return violations
  }
}

function nameOfItem(
  line: { variant?: Record<string, unknown> },
  priority: readonly string[],
): { readonly field: string; readonly name: string | number } | undefined {
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

/** What other resources show of an item. Spec: "variant summary"; `attributes` is a subset. */
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
