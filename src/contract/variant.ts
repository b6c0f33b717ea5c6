/** How bodies name an item, and how the service shows it. */
import { z } from 'zod'
import { id, text, upc } from './fields.ts'
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
    const first = new Map<string, number>()
    const violations: Violation[] = []
    for (const [index, line] of lines.entries()) {
      const item = nameOfItem(line as { variant?: Record<string, unknown> }, priority)
      if (item === undefined) continue
      const earlier = first.get(item)
      if (earlier === undefined) first.set(item, index)
      else
        violations.push({
          code: 'item-repeated',
          path: [linesField, index, 'variant'],
          message: `${item} is named by lines ${earlier + 1} and ${index + 1} of the record`,
        })
    }
    return violations
  }
}

function nameOfItem(line: { variant?: Record<string, unknown> }, priority: string[]): string | undefined {
  for (const field of priority) {
    const value = line.variant?.[field]
    if (typeof value === 'string' || typeof value === 'number') return `${field} "${value}"`
  }
  return undefined
}

/** Spec: variant summary on order lines; brand views also show brand_identifier, size and color. */
export const VariantSummary = z.object({
  id: id(),
  name: text(200),
  description: text().nullable(),
  brand: z.object({ id: id(), name: text() }),
  identifier: text(128),
  brand_identifier: text(128),
  upc: upc().nullable(),
  size: text(100).nullable(),
  color: text(100).nullable(),
  media: z.array(z.object({ media: text(), priority: z.int(), url: text() })),
  attributes: z.record(z.string(), z.unknown()),
})
export type VariantSummary = z.infer<typeof VariantSummary>
