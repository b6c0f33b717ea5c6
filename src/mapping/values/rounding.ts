/** Rounding of exact decimals, in the ways a mapping may ask for. */
import { type Decimal, rescaleExactly } from '../../support/decimal.ts'

export type Rounding = 'half-up' | 'half-even' | 'down'

/** The number with exactly `scale` decimals. `half-up` rounds away from zero, `down` towards it. */
export function rounded(value: Decimal, scale: number, rounding: Rounding): Decimal {
  const exact = rescaleExactly(value, scale)
  if (exact !== undefined) return exact
  const factor = 10n ** BigInt(value.scale - scale)
  const whole = value.units / factor
  const rest = value.units % factor
  const twice = (rest < 0n ? -rest : rest) * 2n
  const isHalf = twice === factor
  const away =
    rounding !== 'down' && (twice > factor || (isHalf && (rounding === 'half-up' || whole % 2n !== 0n)))
  return { units: away ? whole + (rest < 0n ? -1n : 1n) : whole, scale }
}
