/** Exact amounts and measures from the text that bodies carry. */
import { assert } from '../support/errors.ts'
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  formatDecimal,
  multiplyDecimals,
  parseDecimal,
} from '../support/decimal.ts'

/** Quantity times price. */
export function amountOf(quantity: number, price: string): Decimal {
  return multiplyDecimals({ units: BigInt(quantity), scale: 0 }, checkedDecimal(price))
}

export function fitsDigits(amount: Decimal, wholeDigits: number): boolean {
  return compareDecimals(amount, { units: 10n ** BigInt(wholeDigits), scale: 0 }) < 0
}

/** Spec: girth is (d1+d2)*2+d3, where d1 and d2 are the two shortest dimensions. */
export function girthOf(dimensions: readonly [string, string, string]): string {
  const [shortest, middle, longest] = dimensions.map(checkedDecimal).toSorted(compareDecimals)
  assert(
    shortest !== undefined && middle !== undefined && longest !== undefined,
    'a box has three dimensions',
  )
  const around = multiplyDecimals(addDecimals(shortest, middle), { units: 2n, scale: 0 })
  return shortDecimal(addDecimals(around, longest))
}

/** In cubic inches. */
export function volumeOf(dimensions: readonly [string, string, string]): string {
  return shortDecimal(dimensions.map(checkedDecimal).reduce(multiplyDecimals))
}

/** For text that has passed the contract's check. */
function checkedDecimal(text: string): Decimal {
  const value = parseDecimal(text)
  assert(value !== undefined, `"${text}" has passed as a decimal and is none`)
  return value
}

/** Without zeros at the end of the fraction. */
function shortDecimal(value: Decimal): string {
  const text = formatDecimal(value)
  return value.scale === 0 ? text : text.replace(/\.?0+$/, '')
}
