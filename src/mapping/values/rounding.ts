/** Rounding of exact decimals, in the ways a mapping may ask for. */
import { type Decimal, rescaleExactly } from '../../support/decimal.ts'

export type Rounding = 'half-up' | 'half-even' | 'down'

/** The number with exactly `scale` decimals. `half-up` rounds away from zero, `down` towards it. */
export function rounded(value: Decimal, scale: number, rounding: Rounding): Decimal {
  const exact = rescaleExactly(value, scale)
  if (exact !== undefined) return exact
  return { units: divided(value.units, 10n ** BigInt(value.scale - scale), rounding), scale }
}

/** The whole number nearest to the quotient. The divisor is above zero. */
export function divided(units: bigint, divisor: bigint, rounding: Rounding): bigint {
  const whole = units / divisor
  const rest = units % divisor
  const twice = (rest < 0n ? -rest : rest) * 2n
  const isHalf = twice === divisor
  const away =
    rounding !== 'down' && (twice > divisor || (isHalf && (rounding === 'half-up' || whole % 2n !== 0n)))
  return away ? whole + (rest < 0n ? -1n : 1n) : whole
}
