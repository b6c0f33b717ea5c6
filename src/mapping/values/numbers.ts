/** Converts whole numbers, money and measures as people write them, exactly and without floats. */
import type { FieldRule } from '../../contract/fields.ts'
import {
  type Decimal,
  formatDecimal,
  formatShortDecimal,
  parseDecimal,
  rescaleExactly,
} from '../../support/decimal.ts'
import { type Convert, quoteText, type Refuse } from './text.ts'

export function createIntegerConverter(min: number, max: number, options: NumberOptions): Convert {
  const read = createNumberReader(options)
  const mayBePlain = options.implied === undefined
  const fix = options.implied === undefined ? undefined : suggestImpliedFix(options.implied)
  return (text, refuse) => {
    if (mayBePlain && text.length < 10 && isDigits(text)) {
      const plain = Number(text)
      return plain >= min && plain <= max ? plain : refuseRange(text, min, max, refuse)
    }
    const number = read(text)
    if ('why' in number) {
      const message = number.why ?? describeNotWhole(text)
      return refuse('integer-expected', message, number.why === undefined ? fix : (number.fix ?? fix))
    }
    const whole = fitScale(number, 0, options)
    if (whole === undefined) {
      const thousand = suggestThousand(text, options)
      const other = thousand === undefined ? fix : `${thousand} Else write it without decimals.`
      return refuse('integer-expected', describeNotWhole(text), other)
    }
    const value = Number(whole.units)
    return value >= min && value <= max ? value : refuseRange(text, min, max, refuse)
  }
}

function describeNotWhole(text: string): string {
  return `${quoteText(text)} is not a whole number.`
}

function refuseRange(text: string, min: number, max: number, refuse: Refuse) {
  const fix = Number(text) < min ? `Write a number of at least ${min}, or take the row out.` : undefined
  return refuse('number-out-of-range', `${quoteText(text)} is outside of ${min} to ${max}.`, fix)
}

export function createMoneyConverter(wholeDigits: number, options: NumberOptions): Convert {
  const plainMoney = new RegExp(`^(?:0|[1-9]\\d{0,${wholeDigits - 1}})\\.\\d{2}$`)
  const mayBePlain = options.decimal !== ',' && options.implied === undefined
  const read = createNumberReader(options)
  const fix = suggestDecimalFix(options)
  return (text, refuse) => {
    if (mayBePlain && plainMoney.test(text)) return text
    const number = read(stripCurrency(text))
    if ('why' in number) {
      const message = number.why ?? `${quoteText(text)} is not an amount in US dollars.`
      return refuse('decimal-expected', message, suggestCurrencyFix(text) ?? number.fix ?? fix)
    }
    const exact = fitScale(number, 2, options)
    if (exact === undefined) {
      const message = `${quoteText(text)} has more than two decimals; the API would lose digits.`
      return refuse('decimal-expected', message, suggestFewerDecimals(2, text, options))
    }
    if (exact.units < 0n) return refuse('number-out-of-range', `${quoteText(text)} is below zero.`)
    const amount = formatDecimal(exact)
    return amount.length <= wholeDigits + 3
      ? amount
      : refuse('number-out-of-range', `${quoteText(text)} is more than the API takes: ${wholeDigits} digits.`)
  }
}

export function createDecimalConverter(
  { unit, wholeDigits, decimals }: Extract<FieldRule, { kind: 'decimal' }>,
  options: NumberOptions,
): Convert {
  const read = createNumberReader(options)
  const fix = suggestDecimalFix(options)
  return (text, refuse) => {
    const number = read(text)
    if ('why' in number) {
      const message = number.why ?? `${quoteText(text)} is not a number of ${unit}.`
      return refuse('decimal-expected', message, number.fix ?? fix)
    }
    if (number.units <= 0n) return refuse('number-out-of-range', `${quoteText(text)} is not above zero.`)
    const exact = fitScale(number, decimals, options)
    if (exact === undefined) {
      const message = `${quoteText(text)} has more than ${decimals} decimals; the API would lose digits.`
      return refuse('decimal-expected', message, suggestFewerDecimals(decimals, text, options))
    }
    if (exact.units === 0n)
      return refuse('number-out-of-range', `${quoteText(text)} is nothing when rounded.`)
    return exact.units < 10n ** BigInt(wholeDigits + decimals)
      ? formatShortDecimal(exact)
      : refuse('number-out-of-range', `${quoteText(text)} is too large.`)
  }
}

/** Scales to this many decimals; undefined when that loses a digit and the mapping does not round. */
function fitScale(number: Decimal, scale: number, { round }: NumberOptions): Decimal | undefined {
  return round === undefined ? rescaleExactly(number, scale) : roundDecimal(number, scale, round)
}

function isDigits(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit < 0x30 || unit > 0x39) return false
  }
  return text.length > 0
}

/** `$1,433.66`, `-$5.00`, `($5.00)` and `5.00 USD` without the sign of the currency; the sign of the number stays. */
export function stripCurrency(text: string): string {
  return text
    .replace(/^([+(-]?)\s*(?:(?:US)?\$|USD)\s*/, '$1')
    .replace(/\s*(?:(?:US)?\$|USD)\s*([)-]?)$/, '$1')
}

// Parses the text of a number: signs, separators of thousands, decimal points and commas.

export interface NumberOptions {
  /** The decimal mark; without it, ambiguous numbers are refused. */
  readonly decimal?: '.' | ',' | undefined
  /** How many of the last digits are decimals without a decimal mark. */
  readonly implied?: number | undefined
  readonly round?: Rounding | undefined
}

/** Why a text is not a number, and a fix where there is a specific one. */
export interface InvalidNumber {
  readonly why: string | undefined
  readonly fix?: string
}

type NumberReader = (text: string) => Decimal | InvalidNumber

const MAX_NUMBER_LENGTH = 30
const INVALID_NUMBER: InvalidNumber = { why: undefined }
const COMMA: InvalidNumber = {
  why: undefined,
  fix: 'Write a point before the decimals, such as 12.50, or `decimal: ","` under `read` in the mapping.',
}

export function createNumberReader({ decimal, implied }: NumberOptions): NumberReader {
  const grammar = GRAMMARS[decimal ?? 'unsure']
  return (text) => {
    if (text.length > MAX_NUMBER_LENGTH) return INVALID_NUMBER
    const bare = normalizeSign(text)
    if (implied !== undefined) return parseImplied(text, bare, implied)
    if (decimal === undefined && AMBIGUOUS.test(bare)) return describeAmbiguous(text, bare)
    const [, sign = '', whole = '', , fraction = ''] = grammar.exec(bare) ?? []
    if (whole === '' && fraction === '') return describeOtherNotation(text, bare, decimal)
    const digits = `${sign}${whole.replace(/\D/g, '') || '0'}`
    return parseDecimal(fraction === '' ? digits : `${digits}.${fraction.slice(0, 20)}`) ?? INVALID_NUMBER
  }
}

/** Digits, perhaps in groups of three and with decimals. Blanks and apostrophes group only with a stated decimal mark. */
const GRAMMARS = {
  unsure: /^([+-]?)((?:\d+|[1-9]\d{0,2}(?:(,)\d{3})+)?)(?:\.(\d*))?$/,
  '.': /^([+-]?)((?:\d+|[1-9]\d{0,2}(?:([,\s'’])\d{3})(?:\3\d{3})*)?)(?:\.(\d*))?$/,
  ',': /^([+-]?)((?:\d+|[1-9]\d{0,2}(?:([.\s'’])\d{3})(?:\3\d{3})*)?)(?:,(\d*))?$/,
}

/** Whether its only mark is a point before three digits, such as in `1.124`: with a decimal comma, a thousand and more. */
export function hasOnlyGroupingPoint(text: string): boolean {
  return text.includes('.') && /^[^\d.,]*[1-9]\d{0,2}\.\d{3}[^\d.,]*$/.test(text)
}

/** What to say of such a number that was taken. */
export function describeGroupingPoint(text: string): string {
  return `${quoteText(text)} was read as ${text.replace(/\D/g, '')}: its point stands between thousands.`
}

/** Turns `(5.00)` and `5.00-` into `-5.00`. */
function normalizeSign(text: string): string {
  const inner = /^\((.*)\)$/.exec(text)?.[1] ?? /^([\d.,].*?)\s*-$/.exec(text)?.[1]
  return inner === undefined ? text : `-${inner}`
}

function parseImplied(text: string, bare: string, scale: number): Decimal | InvalidNumber {
  const number = /^[+-]?\d+$/.test(bare) ? parseDecimal(bare) : undefined
  if (number !== undefined) return { units: number.units, scale }
  if (!/^[+-]?\d+[.,]\d*$/.test(bare)) return INVALID_NUMBER
  const digits = `its last ${scale} digits are the decimals`
  return { why: `${quoteText(text)} has a point, but the mapping says that ${digits}.` }
}

/** `1,000` is a thousand where people write decimal points, and one where they write commas. The same with `1.000`. */
const AMBIGUOUS = /^[+-]?\d{1,3}(?:,\d{3}|\.000)$/

function describeAmbiguous(text: string, bare: string): Decimal | InvalidNumber {
  return {
    why: `${quoteText(text)} may mean ${bare.replace(/[.,]/, '')} or ${bare.replace(',', '.')}.`,
    fix: 'Write it without separators of thousands and with a point before decimals, such as 1000 or 1000.00; or say with `decimal` in the mapping how numbers are written.',
  }
}

/** Describes a number in another country's notation, with a fix. */
function describeOtherNotation(text: string, bare: string, decimal: '.' | ',' | undefined): InvalidNumber {
  if (!/\d/.test(bare))
    return {
      why: undefined,
      fix: `Write a number; or, where it stands for none, \`blanks: [${JSON.stringify(text)}]\` under \`read\` of the mapping.`,
    }
  const letter = findLetterAmongDigits(bare)
  if (letter !== undefined)
    return {
      why: `${quoteText(text)} has the letter ${letter} among its digits.`,
      fix: 'Write digits only: 0 for O, 1 for l or I.',
    }
  if (decimal === ',' && /\d\.\d+$/.test(bare)) {
    const where = 'where the mapping says that decimals stand behind a comma'
    return { why: `${quoteText(text)} has a point ${where}.` }
  }
  return decimal !== ',' && /\d,\d{1,2}$/.test(bare) ? COMMA : INVALID_NUMBER
}

/** A letter that is taken for a digit, in a text that is a number but for such letters. */
function findLetterAmongDigits(text: string): string | undefined {
  return /\d/.test(text) && /^[+-]?[\dOoIl.,]+$/.test(text) ? /[OoIl]/.exec(text)?.[0] : undefined
}

const COMMA_WANTED =
  'Write a comma before the decimals, such as 12,50, in quotes where commas separate cells; or correct `decimal` in the mapping.'

/** Undefined where the fix of the code fits. */
export function suggestDecimalFix({ decimal, implied }: NumberOptions): string | undefined {
  if (implied !== undefined) return suggestImpliedFix(implied)
  return decimal === ',' ? COMMA_WANTED : undefined
}

function suggestFewerDecimals(decimals: number, text: string, options: NumberOptions): string {
  const what = `${decimals} decimals at most`
  const thousand = suggestThousand(text, options)
  return thousand === undefined
    ? `Write ${what}; or let the mapping round it with \`round\`.`
    : `${thousand} Else write ${what}, or use \`round\`.`
}

/** Names the other reading of a point before three digits. Rounding would make 1 of what is meant as a thousand. */
function suggestThousand(text: string, { decimal, implied }: NumberOptions): string | undefined {
  if (decimal !== undefined || implied !== undefined || !hasOnlyGroupingPoint(text)) return undefined
  return `If it means ${text.replace(/\D/g, '')}: \`decimal: ","\` in the mapping.`
}

/** Returns the fix for an amount in another currency; undefined for a text that names none. */
export function suggestCurrencyFix(text: string): string | undefined {
  // The sign of US dollars is taken as it is; another fault is to be named then.
  const plain = stripCurrency(text).trim()
  const isForeign = /\p{Sc}/u.test(plain) || /^[A-Z]{3}\b|\b[A-Z]{3}$/.test(plain)
  return isForeign ? 'Amounts are US dollars: take the sign away, or do not send this record.' : undefined
}

function suggestImpliedFix(implied: number): string {
  const digits = `125${'0'.repeat(Math.max(0, implied - 1))}`
  const shown = `${digits.slice(0, -implied) || '0'}.${digits.slice(-implied)}`
  return `Write digits only, such as ${digits} for ${shown}.`
}

export type Rounding = 'half-up' | 'half-even' | 'down'

/** The number with exactly `scale` decimals. `half-up` rounds away from zero, `down` towards it. */
export function roundDecimal(value: Decimal, scale: number, rounding: Rounding): Decimal {
  const exact = rescaleExactly(value, scale)
  if (exact !== undefined) return exact
  return { units: divideRounded(value.units, 10n ** BigInt(value.scale - scale), rounding), scale }
}

/** The whole number nearest to the quotient. The divisor is above zero. */
export function divideRounded(units: bigint, divisor: bigint, rounding: Rounding): bigint {
  const whole = units / divisor
  const rest = units % divisor
  const twice = (rest < 0n ? -rest : rest) * 2n
  const isHalf = twice === divisor
  const away =
    rounding !== 'down' && (twice > divisor || (isHalf && (rounding === 'half-up' || whole % 2n !== 0n)))
  return away ? whole + (rest < 0n ? -1n : 1n) : whole
}
