/** Converts the text of a cell into the value that a field takes, or refuses it with a problem. */
import { CONTROL_CHARACTER, type FieldRule } from '../../contract/fields.ts'
import { didYouMean } from '../../support/text.ts'
import { createDateConverter, createDateTimeConverter, type DateOptions } from './dates.ts'
import {
  createDecimalConverter,
  createIntegerConverter,
  createMoneyConverter,
  type NumberOptions,
} from './numbers.ts'
import { toCountry } from './places.ts'
import { type Convert, findCutPosition, quoteText, type Refuse } from './text.ts'

export interface ConvertOptions extends NumberOptions {
  /** Cuts a text that is too long. */
  readonly cut?: boolean
  /** Lets a text pass that shows signs of a wrong encoding. */
  readonly allowsDamage?: boolean
  /** The text comes from a cell, and not from the mapping or an order. */
  readonly isCell?: boolean
}

/** Creates the conversion for a field. */
export function createConverter(rule: FieldRule, dates: DateOptions, options: ConvertOptions = {}): Convert {
  const convert = createKindConverter(rule, dates, options)
  // A text has a check of its own, that the mapping can switch off.
  if (rule.kind === 'text' || options.isCell !== true) return convert
  return (text, refuse) =>
    text.startsWith('#') && SPREADSHEET_ERROR.test(text)
      ? refuse('spreadsheet-error', describeSpreadsheetError(text), FIX_SPREADSHEET_ERROR)
      : convert(text, refuse)
}

const FIX_SPREADSHEET_ERROR = 'Correct the formula or the width of the column, or fill in the value.'

function describeSpreadsheetError(text: string): string {
  return `${quoteText(text)} is what a spreadsheet shows for no value.`
}

function createKindConverter(rule: FieldRule, dates: DateOptions, options: ConvertOptions): Convert {
  switch (rule.kind) {
    case 'text': {
      const { code, max } = rule
      const convertText = createTextConverter(max, options)
      const convert = code === undefined ? convertText : createNumberConverter(EXPONENTS[code], convertText)
      if (!options.cut || max === undefined) return convert
      return (text, refuse) => convert(text.slice(0, findCutPosition(text, max)).trimEnd(), refuse)
    }
    case 'integer':
      return createIntegerConverter(rule.min, rule.max, options)
    case 'money':
      return createMoneyConverter(rule.wholeDigits, options)
    case 'decimal':
      return createDecimalConverter(rule, options)
    case 'dateTime':
      return createDateTimeConverter(dates)
    case 'date':
      return createDateConverter(dates)
    case 'boolean':
      return toBoolean
    case 'choice':
      return createChoiceConverter(rule.values)
    case 'country':
      return toCountry
    case 'province':
      // The meaning of a province depends on the country beside it: see `places.ts`.
      return (text) => text
  }
}

/** What decoders write for bytes that are no character, and controls that Windows-1252 has as quotes and dashes. */
const DAMAGED = /[\u0080-\u009F\uFFFD]/

// UTF-8 that was read as Windows-1252 and saved again.

/** The characters of Windows-1252 for the bytes from 0x80; the five bytes without one leave controls, see above. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/**
 * What UTF-8 has for letters with marks, signs such as £ and ®, curly quotes, dashes, € and ™. Other sequences are left
 * out, and so is Ã before a no-break space: these stand in real names, such as NESTLÉ®.
 */
const MISREAD_UTF8 = new RegExp(
  String.raw`Â[\u00A0-\u00BF]|Ã[${WINDOWS_1252}\u00A1-\u00BF]|[ÄÅ][${WINDOWS_1252}\u00A0-\u00BF]|â[€„][${WINDOWS_1252}\u00A0-\u00BF]|â‚¬`,
  'g',
)

/** The text as it was meant, when it holds UTF-8 that was read as Windows-1252: `JosÃ©` is `José`. Else undefined. */
export function readMisreadUtf8(text: string): string | undefined {
  if (!/[ÂÃÄÅâ]/.test(text)) return undefined
  const meant = text.replace(MISREAD_UTF8, (found) => Buffer.from(Array.from(found, toByte)).toString('utf8'))
  return meant === text ? undefined : meant
}

function toByte(character: string): number {
  const high = WINDOWS_1252.indexOf(character)
  return high === -1 ? character.charCodeAt(0) : 0x80 + high
}

/**
 * What spreadsheets write for a formula that failed: English, German, French, Spanish, Italian, Portuguese, Dutch and Polish
 * ones; and for a number in a column that is too narrow.
 */
const SPREADSHEET_ERRORS = [
  String.raw`N/A REF! VALUE! DIV/0! NAME\? NUM! NULL! SPILL! CALC! FIELD!`,
  'NV BEZUG! WERT! ZAHL! ÜBERLAUF!',
  String.raw`VALEUR! NOM\? NOMBRE! NUL!`,
  String.raw`N/D!? ¡REF! ¡VALOR! ¡DIV/0! ¿NOMBRE\? ¡NUM! ¡NULO!`,
  String.raw`RIF! VALORE! NOME\? NULLO!`,
  'VALOR! NÚM! NULO!',
  String.raw`N/B VERW! WAARDE! NAAM\? GETAL! LEEG! DEEL/0!`,
  String.raw`ADR! ARG! NAZWA\? LICZBA! DZIEL/0! ZERO!`,
]

const SPREADSHEET_ERROR = new RegExp(
  `^(?:#(?:${SPREADSHEET_ERRORS.join(' ').replaceAll(' ', '|')})|#{4,})$`,
  'iu',
)

function createTextConverter(
  max = Number.POSITIVE_INFINITY,
  { allowsDamage, isCell }: ConvertOptions,
): Convert {
  return (text, refuse) => {
    if (text.length <= max && isPlain(text)) return text
    if (isCell === true && allowsDamage !== true && SPREADSHEET_ERROR.test(text))
      return refuse('spreadsheet-error', describeSpreadsheetError(text))
    if (text.length > max) {
      const message = `${quoteText(text)} has ${text.length} characters; the API takes at most ${max}.`
      return refuse('value-too-long', message)
    }
    const damaged = allowsDamage === true ? undefined : DAMAGED.exec(text)?.[0]
    if (damaged !== undefined) {
      const shown = quoteText(text.replaceAll(new RegExp(DAMAGED, 'g'), '\uFFFD'))
      return refuse(
        'text-damaged',
        `${shown} holds ${nameCharacter(damaged)}, which a wrong encoding leaves.`,
      )
    }
    const control = CONTROL_CHARACTER.exec(text)?.[0]
    if (control === undefined) return text
    const message = `The text holds the control character ${nameCharacter(control)}.`
    return refuse('field-invalid', message, 'Remove it; no reader can show it.')
  }
}

/** Whether a text is surely right, as most are: of printable ASCII, and no error of a spreadsheet. */
function isPlain(text: string): boolean {
  if (text.length > SHORT || text.startsWith('#')) return false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < 0x20 || code > 0x7e) return false
  }
  return true
}

/** A regular expression searches longer texts faster than a loop over their characters. */
const SHORT = 40

function nameCharacter(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`
}

/** The forms that spreadsheets give to long numbers. An order or tracking number such as `12E3` may be right. */
const EXPONENTS = { upc: /^\d+([.,]\d+)?E\+?\d+$/i, number: /^\d+([.,]\d+)?E\+\d+$/i }

function createNumberConverter(exponent: RegExp, convert: Convert): Convert {
  return (text, refuse) => {
    if (!exponent.test(text)) return convert(text, refuse)
    const message = `${quoteText(text)} is a number in exponent form; its last digits are gone.`
    return refuse('number-in-exponent-form', message)
  }
}

const TRUE_WORDS = new Set(['true', 'yes', 'y', '1'])
const FALSE_WORDS = new Set(['false', 'no', 'n', '0'])

const toBoolean: Convert = (text, refuse) => {
  const word = text.toLowerCase()
  if (TRUE_WORDS.has(word)) return true
  if (FALSE_WORDS.has(word)) return false
  return refuse('boolean-expected', `${quoteText(text)} is neither yes nor no.`)
}

function createChoiceConverter(values: readonly string[]): Convert {
  const byWord = new Map(values.map((value) => [value.toLowerCase(), value]))
  return (text, refuse) => {
    const value = byWord.get(text.toLowerCase())
    if (value !== undefined) return value
    const message = `${quoteText(text)} is not allowed here.${didYouMean(text, values)}`
    return refuse('value-not-allowed', message, `Use one of ${values.join(', ')}.`)
  }
}

// Numbers used as names, such as postal codes and UPCs: their leading zeros and check digits.

/** The lengths of the numbers GS1 gives out: EAN-8, UPC, EAN-13 and GTIN-14. */
export const GS1_WIDTHS: readonly number[] = [8, 12, 13, 14]

/** Adds the missing leading zeros to a text of digits; leaves other texts alone. */
export function padDigits(text: string, width: number): string {
  return /^\d+$/.test(text) ? text.padStart(width, '0') : text
}

/** Restores the leading zeros of a UPC, when its check digit proves that no other digit is missing. */
export function restoreUpc(text: string, width: number, refuse: Refuse) {
  // The field itself refuses other damage by spreadsheets, such as 8.6E+11.
  if (!/^\d+$/.test(text)) return text
  if (text.length > width) {
    const message = `${quoteText(text)} has ${text.length} digits; a UPC has ${width} here.`
    return refuse('check-digit-wrong', message)
  }
  const upc = text.padStart(width, '0')
  if (computeCheckDigit(upc.slice(0, -1)) === upc.slice(-1)) return upc
  return refuse('check-digit-wrong', `The check digit of ${quoteText(text)} does not fit its other digits.`)
}

/** The GS1 check digit of the digits before it. */
export function computeCheckDigit(digits: string): string {
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) {
    const fromRight = digits.length - index
    sum += Number(digits.charAt(index)) * (fromRight % 2 === 1 ? 3 : 1)
  }
  return String((10 - (sum % 10)) % 10)
}
