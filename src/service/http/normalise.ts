/**
 * Forgivable spellings of amounts and times, made right before a body is checked.
 * Spec: not shown; an example of net_price has a leading currency sign, an example of shipped_at has a space.
 */
import { formatDecimal, parseDecimal, rescaleExactly } from '../../support/decimal.ts'

/** Gives the right spelling, or the value as it is when there is nothing to forgive. */
export type Normalise = (value: unknown) => unknown

export const normaliseOrder: Normalise = fields({
  ordered_at: dateTime,
  order_lines: each(fields({ net_price: money, price: money })),
})

export const normaliseShipment: Normalise = (body) =>
  correctFields(withMethodId(body), {
    shipped_at: dateTime,
    ship_weight: measure,
    ship_width: measure,
    ship_length: measure,
    ship_height: measure,
  })

export const normaliseInvoice: Normalise = fields({
  due_amount: money,
  invoice_lines: each(fields({ net_price: money })),
})

type Corrections = Readonly<Record<string, Normalise>>

function fields(corrections: Corrections): Normalise {
  return (value) => correctFields(value, corrections)
}

function correctFields(value: unknown, corrections: Corrections): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const corrected: Record<string, unknown> = { ...value }
  for (const [name, correct] of Object.entries(corrections)) {
    if (Object.hasOwn(corrected, name)) corrected[name] = correct(corrected[name])
  }
  return corrected
}

function each(correct: Normalise): Normalise {
  return (value) => (Array.isArray(value) ? value.map(correct) : value)
}

const GROUPED = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/

function plainNumber(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return undefined
  return GROUPED.test(value) ? value.replaceAll(',', '') : value
}

/** `12.5`, `"$12.50"` and `"1,012.50"` as text with two decimals; what would lose a digit stays as it is. */
export function money(value: unknown): unknown {
  const text = plainNumber(typeof value === 'string' && value.startsWith('$') ? value.slice(1) : value)
  const amount = text === undefined ? undefined : parseDecimal(text)
  const cents = amount === undefined ? undefined : rescaleExactly(amount, 2)
  if (cents !== undefined) return formatDecimal(cents)
  return typeof value === 'number' ? String(value) : value
}

function measure(value: unknown): unknown {
  return plainNumber(value) ?? value
}

const LOCAL_TIME = /^(\d{4}-\d{2}-\d{2})[ Tt](\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?)([Zz]|[+-]\d{2}:\d{2})?$/

/** With a space, without a zone, or in another zone: `2026-11-21 02:15:00` is taken for UTC. */
function dateTime(value: unknown): unknown {
  const match = typeof value === 'string' ? LOCAL_TIME.exec(value) : null
  if (match === null) return value
  const [, date = '', time = '', zone = 'Z'] = match
  const offset = zone.toUpperCase()
  if (offset === 'Z' || /^[+-]00:00$/.test(offset)) return `${date}T${time}Z`
  const instant = Date.parse(`${date}T${time}${offset}`)
  return Number.isNaN(instant) ? value : new Date(instant).toISOString()
}

/** Spec: one example spells the method key shipping_method; the documented name is shipping_method_id. */
function withMethodId(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  if ('shipping_method_id' in body || !('shipping_method' in body)) return body
  return { ...body, shipping_method_id: body.shipping_method }
}
