/** Reads the lines of an order, and finds the line that an item of a body means. */
import { MEASURES, type OperationName } from '../contract/operations.ts'
import type { RequestBody } from './operation.ts'

export type OrderLine = RequestBody

/** The lines that an order shows. Spec: an order may show less than all of its fields, so nothing is assumed. */
export function readLines(order: RequestBody): readonly OrderLine[] {
  const lines = order['order_lines']
  return Array.isArray(lines) ? (lines as unknown[]).filter(isObject) : []
}

/** The items of a list of the body, each with its variant. */
export function readItems(body: RequestBody, list: string): readonly RequestBody[] {
  const items = body[list]
  return Array.isArray(items) ? (items as unknown[]).filter(isObject) : []
}

/**
 * The amount of a body in cents: its own, or that of its lines. Undefined where it has none, or one that is not text with
 * two decimals; the journal finds the same in SQL.
 */
export function computeCents(operation: OperationName, body: RequestBody): number | undefined {
  const { amount, lines, prices } = MEASURES[operation] ?? {}
  if (amount !== undefined) return toCents(body[amount])
  if (lines === undefined || prices === undefined) return undefined
  // Spec: further packages of one item do not count.
  const counted = readItems(body, lines).filter(({ part }) => !(typeof part === 'number' && part > 1))
  if (counted.length === 0) return undefined
  let sum = 0
  for (const line of counted) {
    const { quantity } = line
    const price = toCents(prices.map((name) => line[name]).find(isGiven))
    if (price === undefined || !Number.isInteger(quantity)) return undefined
    sum += price * (quantity as number)
  }
  return Number.isSafeInteger(sum) ? sum : undefined
}

function toCents(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d+\.\d\d$/.test(value)) return undefined
  const cents = Number(value.replace('.', ''))
  return Number.isSafeInteger(cents) ? cents : undefined
}

function isObject(value: unknown): value is RequestBody {
  return typeof value === 'object' && value !== null
}

/** `unclear`: the order does not show enough to decide, or shows several lines that fit. */
export type LineMatch = OrderLine | 'none' | 'unclear'

/** Spec: on shipments upc comes before brand_identifier; elsewhere id, identifier (retailer or brand SKU), upc. */
export function findLineOfItem(lines: readonly OrderLine[], item: RequestBody): LineMatch {
  const { id, identifier, upc, brand_identifier: sku } = readVariant(item)
  if (isGiven(id)) return findMatchingLine(lines, { id })
  if (isGiven(identifier)) return findMatchingLine(lines, { identifier, brand_identifier: identifier })
  if (!isGiven(upc)) return findMatchingLine(lines, { brand_identifier: sku })
  const byUpc = findMatchingLine(lines, { upc })
  if (byUpc !== 'unclear' || !isGiven(sku)) return byUpc
  const ofUpc = lines.filter((line) => isShownAs(readVariant(line)['upc'], upc))
  return findMatchingLine(ofUpc, { brand_identifier: sku })
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** Uses only fields that every line shows; null counts as shown, and as no value. */
function findMatchingLine(lines: readonly OrderLine[], names: RequestBody): LineMatch {
  const shown = Object.entries(names).filter(([field]) =>
    lines.every((line) => readVariant(line)[field] !== undefined),
  )
  if (lines.length === 0 || shown.length === 0) return 'unclear'
  for (const [field, value] of shown) {
    const [only, another] = lines.filter((line) => isShownAs(readVariant(line)[field], value))
    if (another !== undefined) return 'unclear'
    if (only !== undefined) return only
  }
  return 'none'
}

/** A name that is shown as a number has lost its leading zeros. */
function isShownAs(shown: unknown, value: unknown): boolean {
  const text = String(value)
  if (String(shown) === text) return true
  return typeof shown === 'number' && /^\d+$/u.test(text) && Number(text) === shown
}

export function readVariant(line: OrderLine): RequestBody {
  return isObject(line['variant']) ? line['variant'] : {}
}

/** The number in a field; undefined where no number is shown. */
export function readUnits(shown: RequestBody, field: string): number | undefined {
  const units = shown[field]
  return typeof units === 'number' ? units : undefined
}

/** A number, text or flag as text; empty for anything else. */
export function formatScalar(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value as string) : ''
}

const ITEM_NAMES = ['id', 'identifier', 'upc', 'brand_identifier'] as const

/** The field of the variant that names the item at the path: the first that is given. */
export function findItemField(item: RequestBody, path: string): string {
  const name = ITEM_NAMES.find((field) => isGiven(readVariant(item)[field]))
  return name === undefined ? `${path}.variant` : `${path}.variant.${name}`
}

/** The item as messages name it: `upc "086000100025"`. */
export function describeItem(item: RequestBody): string {
  const variant = readVariant(item)
  const named = ITEM_NAMES.filter((field) => isGiven(variant[field]))
  return named.map((field) => `${field} "${String(variant[field])}"`).join(', ')
}

/** The fix for an unknown item that is described so, where a spreadsheet has spoiled its number; else undefined. */
export function suggestItemFix(description: string): string | undefined {
  return /"\d+(?:[.,]\d+)?E\+?\d+"/i.test(description)
    ? 'A spreadsheet took its last digits. Take it from its source, and format the column as text.'
    : undefined
}
