/** Exact decimals as text. No float ever touches an amount. */

/** A decimal number as `units / 10^scale`. */
export interface Decimal {
  readonly units: bigint
  readonly scale: number
}

const PLAIN = /^([+-]?)(\d{1,30})(?:\.(\d{0,20}))?$/

/** Reads plain decimal text such as `12`, `-3.50` or `.5`'s full form `0.5`; anything else is undefined. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = PLAIN.exec(text)
  if (!match) return undefined
  const [, sign, whole = '', fraction = ''] = match
  const units = BigInt(whole + fraction)
  return { units: sign === '-' ? -units : units, scale: fraction.length }
}

/** The same number with exactly `scale` decimals, or undefined when that would lose a digit that is not zero. */
export function rescaleExactly(value: Decimal, scale: number): Decimal | undefined {
  if (scale >= value.scale) return { units: value.units * 10n ** BigInt(scale - value.scale), scale }
  const factor = 10n ** BigInt(value.scale - scale)
  return value.units % factor === 0n ? { units: value.units / factor, scale } : undefined
}

export function formatDecimal({ units, scale }: Decimal): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0')
  const sign = units < 0n ? '-' : ''
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** Without zeros at the end of the fraction. */
export function formatShortDecimal(value: Decimal): string {
  const text = formatDecimal(value)
  return value.scale === 0 ? text : text.replace(/\.?0+$/, '')
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.scale === b.scale) return { units: a.units + b.units, scale: a.scale }
  const [left, right] = widenBoth(a, b)
  return { units: left + right, scale: Math.max(a.scale, b.scale) }
}

/** The units of both with as many decimals as the longer one has. */
function widenBoth(a: Decimal, b: Decimal): readonly [bigint, bigint] {
  const scale = Math.max(a.scale, b.scale)
  const widen = (value: Decimal) => value.units * 10n ** BigInt(scale - value.scale)
  return [widen(a), widen(b)]
}

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return { units: a.units * b.units, scale: a.scale + b.scale }
}

/** -1, 0 or 1. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const [left, right] = a.scale === b.scale ? [a.units, b.units] : widenBoth(a, b)
  return left < right ? -1 : left > right ? 1 : 0
}
