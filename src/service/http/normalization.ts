/**
 * Normalizes other notations of amounts and times before a body is checked. Spec: not shown; an example of
 * net_price has a leading currency sign, an example of shipped_at has a space.
 */
import { attributeRule, isAttributeCode } from '../../contract/attributes.ts'
import { formatDecimal, parseDecimal, rescaleExactly } from '../../support/decimal.ts'
import { isObject } from '../../support/object-paths.ts'

/** Returns the standard notation, or the value unchanged when it has no other notation. */
export type Normalise = (value: unknown) => unknown

const LOCAL_TIME = /^(\d{4}-\d{2}-\d{2})[ Tt](\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?)([Zz]|[+-]\d{2}:\d{2})?$/

const GROUPED = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/

export const normaliseOrder: Normalise = normaliseFields({
  ordered_at: normaliseDateTime,
  order_lines: normaliseEach(normaliseFields({ net_price: normaliseMoney, price: normaliseMoney })),
})

const normaliseShipmentFields = normaliseFields({
  shipped_at: normaliseDateTime,
  ship_weight: normaliseMeasure,
  ship_width: normaliseMeasure,
  ship_length: normaliseMeasure,
  ship_height: normaliseMeasure,
})

export const normaliseShipment: Normalise = (body) => normaliseShipmentFields(renameShippingMethod(body))

export const normaliseInvoice: Normalise = normaliseFields({
  due_amount: normaliseMoney,
  invoice_lines: normaliseEach(normaliseFields({ net_price: normaliseMoney })),
})

function normaliseFields(corrections: Readonly<Record<string, Normalise>>): Normalise {
  return (value) => {
    if (!isObject(value)) return value
    const corrected: Record<string, unknown> = { ...value }
    for (const [name, correct] of Object.entries(corrections)) {
      if (Object.hasOwn(corrected, name)) corrected[name] = correct(corrected[name])
    }
    return corrected
  }
}

function normaliseEach(correct: Normalise): Normalise {
  return (value) => (Array.isArray(value) ? value.map(correct) : value)
}

function readPlainNumber(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return undefined
  return GROUPED.test(value) ? value.replaceAll(',', '') : value
}

/** Turns `12.5`, `"$12.50"` and `"1,012.50"` into text with two decimals, unless that loses a digit. */
function normaliseMoney(value: unknown): unknown {
  const text = readPlainNumber(typeof value === 'string' && value.startsWith('$') ? value.slice(1) : value)
  const amount = text === undefined ? undefined : parseDecimal(text)
  const cents = amount === undefined ? undefined : rescaleExactly(amount, 2)
  if (cents !== undefined) return formatDecimal(cents)
  return typeof value === 'number' ? String(value) : value
}

function normaliseMeasure(value: unknown): unknown {
  return readPlainNumber(value) ?? value
}

/** Normalizes times with a space, without a zone, or in another zone; `2026-11-21 02:15:00` counts as UTC. */
function normaliseDateTime(value: unknown): unknown {
  const match = typeof value === 'string' ? LOCAL_TIME.exec(value) : null
  if (match === null) return value
  const [, date = '', time = '', zone = 'Z'] = match
  const offset = zone.toUpperCase()
  if (offset === 'Z' || /^[+-]00:00$/.test(offset)) return `${date}T${time}Z`
  const instant = Date.parse(`${date}T${time}${offset}`)
  return Number.isNaN(instant) ? value : new Date(instant).toISOString()
}

/** Spec: one example spells the method key shipping_method; the documented name is shipping_method_id. */
function renameShippingMethod(body: unknown): unknown {
  if (!isObject(body) || 'shipping_method_id' in body || !('shipping_method' in body)) return body
  return { ...body, shipping_method_id: body['shipping_method'] }
}

// Amounts among the attributes of items.

/** Turns amounts `12.5`, `"12.5"`, `"$12.50"` and `"1,012.50"` into text with two decimals; other values stay. */
export const normaliseVariant: Normalise = (body) => {
  if (!isObject(body) || !Array.isArray(body['attributes'])) return body
  return { ...body, attributes: body['attributes'].map(normaliseEntry) }
}

function normaliseEntry(entry: unknown): unknown {
  if (!isObject(entry) || !isObject(entry['attribute'])) return entry
  const { code } = entry['attribute']
  if (typeof code !== 'string' || !isAttributeCode(code) || attributeRule(code).type !== 'money') return entry
  return { ...entry, value: normaliseMoney(entry['value']) }
}
