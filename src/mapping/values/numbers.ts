/** Whole numbers, money and measures as people and spreadsheets write them. Exact: no float ever holds one. */
import type { FieldRule } from '../../contract/fields.ts'
import { formatDecimal, parseDecimal, rescaleExactly } from '../../support/decimal.ts'
import type { Convert } from './value.ts'
import { quoted } from './text.ts'

/** Digits, or digits in groups of three; then perhaps decimals. */
const NUMBER = /^([+-]?)((?:\d+|\d{1,3}(?:,\d{3})+)?)(?:\.(\d*))?$/

/** Nothing longer is a number anybody meant. */
const LONGEST = 30

export function integerConverter(min: number, max: number): Convert {
  const outOfRange = (text: string) => `${quoted(text)} is outside of ${min} to ${max}.`
  return (text, refuse) => {
    const plain = text.length < 10 && isDigits(text) ? Number(text) : undefined
    const value = plain ?? readInteger(text)
    if (value === undefined) return refuse('integer-expected', `${quoted(text)} is not a whole number.`)
    if (plain === undefined && isAmbiguous(text))
      return refuse('integer-expected', ambiguity(text), WRITE_IT_OUT)
    return value >= min && value <= max ? value : refuse('number-out-of-range', outOfRange(text))
  }
}

export function moneyConverter(wholeDigits: number): Convert {
  const plainMoney = new RegExp(`^(?:0|[1-9]\\d{0,${wholeDigits - 1}})\\.\\d{2}$`)
  return (text, refuse) => {
    if (plainMoney.test(text)) return text
    const bare = withoutCurrency(text)
    if (isAmbiguous(bare)) return refuse('decimal-expected', ambiguity(bare), WRITE_IT_OUT)
    const number = normalised(bare)
    if (number === undefined) {
      const hint = /\d,\d{1,2}$/.test(text) ? 'Write a point before the cents, such as 12.50.' : undefined
      return refuse('decimal-expected', `${quoted(text)} is not an amount in US dollars.`, hint)
    }
    const exact = rescaleExactly(number, 2)
    if (exact === undefined) {
      return refuse(
        'decimal-expected',
        `${quoted(text)} has more than two decimals; the API would lose digits.`,
      )
    }
    if (exact.units < 0n) return refuse('number-out-of-range', `${quoted(text)} is below zero.`)
    const amount = formatDecimal(exact)
    return amount.length <= wholeDigits + 3
      ? amount
      : refuse('number-out-of-range', `${quoted(text)} is more than the API takes: ${wholeDigits} digits.`)
  }
}

export function decimalConverter({
  unit,
  wholeDigits,
  decimals,
}: Extract<FieldRule, { kind: 'decimal' }>): Convert {
  return (text, refuse) => {
    if (isAmbiguous(text)) return refuse('decimal-expected', ambiguity(text), WRITE_IT_OUT)
    const number = normalised(text)
    if (number === undefined) return refuse('decimal-expected', `${quoted(text)} is not a number of ${unit}.`)
    if (number.units <= 0n) return refuse('number-out-of-range', `${quoted(text)} is not above zero.`)
    const exact = rescaleExactly(number, decimals)
    if (exact === undefined) {
      const message = `${quoted(text)} has more than ${decimals} decimals; the API would lose digits.`
      return refuse('decimal-expected', message)
    }
    const measure = formatDecimal(exact).replace(/\.?0+$/, '')
    return exact.units < 10n ** BigInt(wholeDigits + decimals)
      ? measure
      : refuse('number-out-of-range', `${quoted(text)} is too large.`)
  }
}

function isDigits(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit < 0x30 || unit > 0x39) return false
  }
  return text.length > 0
}

/** Takes `1,000` and `10.00`, because spreadsheets write whole numbers that way. */
function readInteger(text: string): number | undefined {
  const number = normalised(text)
  const whole = number && rescaleExactly(number, 0)
  return whole === undefined ? undefined : Number(whole.units)
}

/**
 * A comma with three digits behind it and nothing else: a thousand where people write points for decimals, one where they
 * write commas. The same for a whole number with a point and three zeros.
 */
const AMBIGUOUS = /^[+-]?\d{1,3}(?:,\d{3}|\.000)$/

/** Whether two people would read two numbers that differ a thousandfold. */
function isAmbiguous(text: string): boolean {
  return AMBIGUOUS.test(text)
}

const WRITE_IT_OUT =
  'Write it without separators of thousands and with a point before decimals, such as 1000 or 1000.00.'

function ambiguity(text: string): string {
  return `${quoted(text)} may mean ${text.replace(/[.,]/, '')} or ${text.replace(',', '.')}.`
}

function normalised(text: string) {
  const match = text.length > LONGEST ? null : NUMBER.exec(text)
  const [, sign = '', whole = '', fraction = ''] = match ?? []
  if (whole === '' && fraction === '') return undefined
  const digits = `${sign}${whole.replaceAll(',', '') || '0'}`
  return parseDecimal(fraction === '' ? digits : `${digits}.${fraction.slice(0, 20)}`)
}

/** `$1,433.66`, `-$5.00` and `($5.00)` without the sign of the currency; brackets mean below zero. */
function withoutCurrency(text: string): string {
  const bracketed = /^\((.*)\)$/.exec(text)
  const inner = bracketed?.[1] === undefined ? text : `-${bracketed[1]}`
  return inner.replace(/^([+-]?)\s*(?:US)?\$\s*/, '$1').replace(/\s*USD$/, '')
}
