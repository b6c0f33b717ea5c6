/** Numbers in conditions and totals. */
import { compareDecimals, type Decimal, parseDecimal } from '../../support/decimal.ts'
import { decimalCure } from '../values/number-cures.ts'
import { type NoNumber, numberReader } from '../values/number-text.ts'
import { withoutCurrency } from '../values/numbers.ts'

export interface NumberTest {
  readonly holds: (text: string) => boolean
  readonly words: string
  readonly unclear: (text: string) => NoNumber | undefined
}

/**
 * Whether a number is above (1) or below (-1) another. A blank is neither; of a text that is no number, or may be two,
 * nothing can be said.
 */
export function comparison(
  [limit, sign]: readonly [limit: Decimal, sign: 1 | -1],
  shown: string,
  decimal: '.' | ',' | undefined,
): NumberTest {
  const written = decimal === undefined ? {} : { decimal }
  const read = numberReader(written)
  const cure = decimalCure(written)
  return {
    holds(text) {
      const number = read(withoutCurrency(text))
      return !('why' in number) && compareDecimals(number, limit) === sign
    },
    words: `is ${sign === 1 ? 'above' : 'below'} ${shown}`,
    unclear(text) {
      const number = read(withoutCurrency(text))
      if (text === '' || !('why' in number)) return undefined
      const hint = number.hint ?? cure
      return hint === undefined ? number : { ...number, hint }
    },
  }
}

const NUMBER = /^[+-]?(?:\d{1,30}|\d{1,3}(?:,\d{3}){1,9})(?:\.\d{1,20})?$/

/**
 * A number as people write it, with commas between thousands and perhaps a dollar sign; or with what the mapping says
 * stands before decimals.
 */
export function numberOf(text: string, decimal?: '.' | ','): Decimal | undefined {
  const plain = withoutCurrency(text)
  if (decimal !== undefined) {
    const number = numberReader({ decimal })(plain)
    return 'why' in number ? undefined : number
  }
  return NUMBER.test(plain) ? parseDecimal(plain.replaceAll(',', '')) : undefined
}
