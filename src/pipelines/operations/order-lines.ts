/** The lines of an order, and which of them an item of a body means. */
import type { Body } from './operation.ts'

export type OrderLine = Body

/** The lines as shown. Spec: what an order shows is not all shown, so nothing is taken for granted. */
export function linesOf(order: Body): readonly OrderLine[] {
  const lines = order['order_lines']
  return Array.isArray(lines) ? (lines as unknown[]).filter(isObject) : []
}

/** The items of a list of the body, each with its variant. */
export function itemsOf(body: Body, list: string): readonly Body[] {
  const items = body[list]
  return Array.isArray(items) ? (items as unknown[]).filter(isObject) : []
}

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null
}

/** `untold`: the order does not show enough to tell, or shows several that fit. */
export type Match = OrderLine | 'none' | 'untold'

/**
 * The line that an item means. Spec: on shipments upc comes before brand_identifier; elsewhere the priority is id,
 * identifier, upc, where identifier is the retailer SKU if set, otherwise the brand SKU.
 */
export function lineMeant(lines: readonly OrderLine[], item: Body): Match {
  const variant = isObject(item['variant']) ? item['variant'] : {}
  const { id, identifier, upc, brand_identifier: sku } = variant
  if (given(id)) return fitting(lines, [['id', id]])
  if (given(identifier))
    return fitting(lines, [
      ['identifier', identifier],
      ['brand_identifier', identifier],
    ])
  if (!given(upc)) return fitting(lines, [['brand_identifier', sku]])
  const byUpc = fitting(lines, [['upc', upc]])
  if (byUpc !== 'untold' || !given(sku)) return byUpc
  return fitting(
    lines.filter((line) => isShownAs(variantOf(line)['upc'], upc)),
    [['brand_identifier', sku]],
  )
}

function given(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** Without the field on every line, nothing can be told; a line that shows it as null has none. */
function fitting(
  lines: readonly OrderLine[],
  names: readonly (readonly [field: string, value: unknown])[],
): Match {
  const shown = names.filter(([field]) => lines.every((line) => variantOf(line)[field] !== undefined))
  if (lines.length === 0 || shown.length === 0) return 'untold'
  for (const [field, value] of shown) {
    const found = lines.filter((line) => isShownAs(variantOf(line)[field], value))
    const [only, another] = found
    if (another !== undefined) return 'untold'
    if (only !== undefined) return only
  }
  return 'none'
}

/** Shown as a number, a name has lost its leading zeros. */
function isShownAs(shown: unknown, value: unknown): boolean {
  const text = String(value)
  return (
    String(shown) === text || (typeof shown === 'number' && /^\d+$/u.test(text) && Number(text) === shown)
  )
}

function variantOf(line: OrderLine): Body {
  return isObject(line['variant']) ? line['variant'] : {}
}

/** The number in a field; undefined where none is shown. */
export function unitsIn(shown: Body, field: string): number | undefined {
  const units = shown[field]
  return typeof units === 'number' ? units : undefined
}

/** How the item is called in messages: `upc "086000100025"`. */
export function describeItem(item: Body): string {
  const variant = isObject(item['variant']) ? item['variant'] : {}
  const named = ['id', 'identifier', 'upc', 'brand_identifier'].filter((field) => given(variant[field]))
  return named.map((field) => `${field} "${String(variant[field])}"`).join(', ')
}
