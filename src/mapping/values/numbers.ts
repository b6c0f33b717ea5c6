/** Whole numbers, money and measures as people and spreadsheets write them. Exact: no float ever holds one. */
import type { FieldRule } from '../../contract/fields.ts'
import { type Decimal, formatDecimal, rescaleExactly } from '../../support/decimal.ts'
import { currencyCure, decimalCure, shorterCure, wholeCure } from './number-cures.ts'
import { type NumberOptions, numberReader, PLAIN_NUMBERS } from './number-text.ts'
import { rounded } from './rounding.ts'
import type { Convert, Refuse } from './value.ts'
import { quoted } from './text.ts'

export function integerConverter(min: number, max: number, options: NumberOptions = PLAIN_NUMBERS): Convert {
  const read = numberReader(options)
  const mayBePlain = options.implied === undefined
  const cure = wholeCure(options)
  return (text, refuse) => {
    if (mayBePlain && text.length < 10 && isDigits(text)) {
      const plain = Number(text)
      return plain >= min && plain <= max ? plain : refuseRange(text, min, max, refuse)
    }
    const number = read(text)
    if ('why' in number) {
      const message = number.why ?? notWhole(text)
      return refuse('integer-expected', message, number.why === undefined ? cure : (number.hint ?? cure))
    }
    const whole = fitted(number, 0, options)
    if (whole === undefined) return refuse('integer-expected', notWhole(text), cure)
    const value = Number(whole.units)
    return value >= min && value <= max ? value : refuseRange(text, min, max, refuse)
  }
}

function notWhole(text: string): string {
  return `${quoted(text)} is not a whole number.`
}

function refuseRange(text: string, min: number, max: number, refuse: Refuse) {
  return refuse('number-out-of-range', `${quoted(text)} is outside of ${min} to ${max}.`)
}

export function moneyConverter(wholeDigits: number, options: NumberOptions = PLAIN_NUMBERS): Convert {
  const plainMoney = new RegExp(`^(?:0|[1-9]\\d{0,${wholeDigits - 1}})\\.\\d{2}$`)
  const mayBePlain = options.decimal !== ',' && options.implied === undefined
  const read = numberReader(options)
  const cure = decimalCure(options)
  return (text, refuse) => {
    if (mayBePlain && plainMoney.test(text)) return text
    const number = read(withoutCurrency(text))
    if ('why' in number) {
      const message = number.why ?? `${quoted(text)} is not an amount in US dollars.`
      return refuse('decimal-expected', message, currencyCure(text) ?? number.hint ?? cure)
    }
    const exact = fitted(number, 2, options)
    if (exact === undefined) {
      const message = `${quoted(text)} has more than two decimals; the API would lose digits.`
      return refuse('decimal-expected', message, shorterCure(2))
    }
    if (exact.units < 0n) return refuse('number-out-of-range', `${quoted(text)} is below zero.`)
    const amount = formatDecimal(exact)
    return amount.length <= wholeDigits + 3
      ? amount
      : refuse('number-out-of-range', `${quoted(text)} is more than the API takes: ${wholeDigits} digits.`)
  }
}

export function decimalConverter(
  { unit, wholeDigits, decimals }: Extract<FieldRule, { kind: 'decimal' }>,
  options: NumberOptions = PLAIN_NUMBERS,
): Convert {
  const read = numberReader(options)
  const cure = decimalCure(options)
  return (text, refuse) => {
    const number = read(text)
    if ('why' in number) {
      const message = number.why ?? `${quoted(text)} is not a number of ${unit}.`
      return refuse('decimal-expected', message, number.hint ?? cure)
    }
    if (number.units <= 0n) return refuse('number-out-of-range', `${quoted(text)} is not above zero.`)
    const exact = fitted(number, decimals, options)
    if (exact === undefined) {
      const message = `${quoted(text)} has more than ${decimals} decimals; the API would lose digits.`
      return refuse('decimal-expected', message, shorterCure(decimals))
    }
    if (exact.units === 0n) return refuse('number-out-of-range', `${quoted(text)} is nothing when rounded.`)
    const measure = formatDecimal(exact).replace(/\.?0+$/, '')
    return exact.units < 10n ** BigInt(wholeDigits + decimals)
      ? measure
      : refuse('number-out-of-range', `${quoted(text)} is too large.`)
  }
}

/** With so many decimals; undefined when that would lose a digit and nobody asked to round. */
function fitted(number: Decimal, scale: number, { round }: NumberOptions): Decimal | undefined {
  return round === undefined ? rescaleExactly(number, scale) : rounded(number, scale, round)
}

function isDigits(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit < 0x30 || unit > 0x39) return false
  }
  return text.length > 0
}

/** `$1,433.66`, `-$5.00`, `($5.00)` and `5.00 USD` without the sign of the currency; the sign of the number stays. */
export function withoutCurrency(text: string): string {
  return text
    .replace(/^([+(-]?)\s*(?:(?:US)?\$|USD)\s*/, '$1')
    .replace(/\s*(?:(?:US)?\$|USD)\s*([)-]?)$/, '$1')
}
