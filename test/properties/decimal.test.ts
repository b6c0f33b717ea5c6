/** Amounts are exact: there and back, and the same as whole-number arithmetic. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  formatDecimal,
  multiplyDecimals,
  parseDecimal,
  rescaleExactly,
} from '../../src/support/decimal.ts'

const decimal: fc.Arbitrary<Decimal> = fc.record({
  units: fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }),
  scale: fc.integer({ min: 0, max: 10 }),
})

/** The value as a whole number of the smallest unit there is. */
const SMALLEST = 20
const whole = ({ units, scale }: Decimal) => units * 10n ** BigInt(SMALLEST - scale)

function parsed(text: string): Decimal {
  const value = parseDecimal(text)
  if (!value) throw new Error(`not read: ${text}`)
  return value
}

test('a number that is written is read back as itself', () => {
  fc.assert(
    fc.property(decimal, (value) => {
      expect(parsed(formatDecimal(value))).toEqual(value)
    }),
  )
})

test('text that is read is written back as itself', () => {
  const text = fc
    .tuple(fc.constantFrom('', '-'), fc.bigInt({ min: 1n, max: 10n ** 28n }), fc.stringMatching(/^\d{0,20}$/))
    .map(([sign, units, fraction]) => `${sign}${units}${fraction === '' ? '' : `.${fraction}`}`)
  fc.assert(
    fc.property(text, (written) => {
      expect(formatDecimal(parsed(written))).toBe(written)
    }),
  )
})

test('sums and products are those of whole numbers', () => {
  fc.assert(
    fc.property(decimal, decimal, (a, b) => {
      expect(whole(addDecimals(a, b))).toBe(whole(a) + whole(b))
      expect(whole(multiplyDecimals(a, b)) * 10n ** BigInt(SMALLEST)).toBe(whole(a) * whole(b))
      expect(compareDecimals(a, b)).toBe(whole(a) < whole(b) ? -1 : whole(a) > whole(b) ? 1 : 0)
    }),
  )
})

test('a number is brought to other decimals only when no digit is lost', () => {
  fc.assert(
    fc.property(decimal, fc.integer({ min: 0, max: 12 }), (value, scale) => {
      const atSmallest = whole(value)
      const unit = 10n ** BigInt(SMALLEST - scale)

      expect(rescaleExactly(value, scale)).toEqual(
        atSmallest % unit === 0n ? { units: atSmallest / unit, scale } : undefined,
      )
    }),
  )
})

test.each([
  ['12', { units: 12n, scale: 0 }],
  ['-3.50', { units: -350n, scale: 2 }],
  ['+0.05', { units: 5n, scale: 2 }],
  ['7.', { units: 7n, scale: 0 }],
  ['-0', { units: 0n, scale: 0 }],
])('%s is read exactly', (text, value) => {
  expect(parseDecimal(text)).toEqual(value)
})

test.each(['', '.', '-', '1,5', '1e3', ' 1', '1 ', '0x1', 'NaN', '1.2.3', '٣', '9'.repeat(31)])(
  '%j is not a plain number and is not guessed at',
  (text) => {
    expect(parseDecimal(text)).toBeUndefined()
  },
)

test.each([
  [{ units: 5n, scale: 2 }, '0.05'],
  [{ units: -5n, scale: 3 }, '-0.005'],
  [{ units: 0n, scale: 2 }, '0.00'],
  [{ units: 100n, scale: 0 }, '100'],
])('%o is written %s', (value, text) => {
  expect(formatDecimal(value)).toBe(text)
})
