/** Exact numbers that may be quotients: no digit is lost before somebody says how it is rounded. */
import { addDecimals, type Decimal, multiplyDecimals } from '../../support/decimal.ts'
import { divided, type Rounding } from '../values/rounding.ts'

/** A decimal number divided by a whole one that is above zero; most are divided by one. */
export interface Ratio extends Decimal {
  readonly over: bigint
}

export const ZERO: Ratio = { units: 0n, scale: 0, over: 1n }

/** What has more decimals is taken for a number without an end: nobody writes so many. */
const MOST_DECIMALS = 20

export function toRatio({ units, scale }: Decimal): Ratio {
  return { units, scale, over: 1n }
}

export function negative({ units, scale, over }: Ratio): Ratio {
  return { units: -units, scale, over }
}

export function add(a: Ratio, b: Ratio): Ratio {
  if (a.over === b.over) return { ...addDecimals(a, b), over: a.over }
  const sum = addDecimals(times(a, b.over), times(b, a.over))
  return { ...sum, over: a.over * b.over }
}

export function multiply(a: Ratio, b: Ratio): Ratio {
  return { ...multiplyDecimals(a, b), over: a.over * b.over }
}

/** Undefined when the divisor is zero. */
export function divide(a: Ratio, b: Ratio): Ratio | undefined {
  if (b.units === 0n) return undefined
  const sign = b.units < 0n ? -1n : 1n
  const turned = { units: sign * b.over * 10n ** BigInt(b.scale), scale: 0 }
  return { ...multiplyDecimals(a, turned), over: a.over * sign * b.units }
}

/** The number as a decimal; undefined when it has no end. */
export function toDecimal(ratio: Ratio): Decimal | undefined {
  const { units, scale, over } = ratio
  if (over === 1n) return { units, scale }
  const exact = units * 10n ** BigInt(MOST_DECIMALS)
  const divisor = over * 10n ** BigInt(scale)
  return exact % divisor === 0n ? { units: exact / divisor, scale: MOST_DECIMALS } : undefined
}

/** The number with so many decimals. */
export function round({ units, scale, over }: Ratio, decimals: number, rounding: Rounding): Ratio {
  const grown = units * 10n ** BigInt(decimals)
  return { units: divided(grown, over * 10n ** BigInt(scale), rounding), scale: decimals, over: 1n }
}

function times({ units, scale }: Decimal, factor: bigint): Decimal {
  return { units: units * factor, scale }
}
