/** Turns the text of a cell into the value a field takes, or refuses it with a problem. */
import type { FieldRule } from '../../contract/fields.ts'
import { didYouMean } from '../../support/nearest.ts'
import { dateConverter, type DateOptions, dateTimeConverter } from './dates.ts'
import { decimalConverter, integerConverter, moneyConverter } from './numbers.ts'
import { toCountry } from './places.ts'
import type { NumberOptions } from './number-text.ts'
import { cutBefore, quoted } from './text.ts'
import type { Convert } from './value.ts'

/** How a text may differ from what a field takes. */
export interface ValueOptions extends NumberOptions {
  /** A text that is too long is cut. */
  readonly cut?: boolean
}

/** The conversion for a field, made once. */
export function converterFor(rule: FieldRule, dates: DateOptions, options: ValueOptions = {}): Convert {
  switch (rule.kind) {
    case 'text': {
      const convert = rule.code === 'upc' ? upcConverter(rule.max) : textConverter(rule.max)
      return options.cut === true && rule.max !== undefined ? cutting(rule.max, convert) : convert
    }
    case 'integer':
      return integerConverter(rule.min, rule.max, options)
    case 'money':
      return moneyConverter(rule.wholeDigits, options)
    case 'decimal':
      return decimalConverter(rule, options)
    case 'dateTime':
      return dateTimeConverter(dates)
    case 'date':
      return dateConverter(dates)
    case 'boolean':
      return toBoolean
    case 'choice':
      return choiceConverter(rule.values)
    case 'country':
      return toCountry
    case 'province':
      // Which province a text means depends on the country beside it: see `places.ts`.
      return (text) => text
  }
}

/** What no keyboard writes; tabs and line breaks are none of these. */
// oxlint-disable-next-line no-control-regex -- control characters are what it is for
const CONTROL = /[\u0000-\u0008\u000e-\u001f\u007f]/

function textConverter(max = Number.POSITIVE_INFINITY): Convert {
  return (text, refuse) => {
    if (text.length > max) {
      const message = `${quoted(text)} has ${text.length} characters; the API takes at most ${max}.`
      return refuse('value-too-long', message)
    }
    const control = CONTROL.exec(text)?.[0]
    if (control === undefined) return text
    const code = control.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()
    return refuse(
      'field-invalid',
      `The text holds the control character U+${code}.`,
      'Remove it; no reader can show it.',
    )
  }
}

function cutting(max: number, convert: Convert): Convert {
  return (text, refuse) => convert(text.slice(0, cutBefore(text, max)).trimEnd(), refuse)
}

const EXPONENT = /^\d+([.,]\d+)?E\+?\d+$/i

function upcConverter(max: number | undefined): Convert {
  const convert = textConverter(max)
  return (text, refuse) =>
    EXPONENT.test(text)
      ? refuse(
          'upc-in-exponent-form',
          `${quoted(text)} is a number in exponent form; its last digits are gone.`,
        )
      : convert(text, refuse)
}

const YES = new Set(['true', 'yes', 'y', '1'])
const NO = new Set(['false', 'no', 'n', '0'])

const toBoolean: Convert = (text, refuse) => {
  const word = text.toLowerCase()
  if (YES.has(word)) return true
  if (NO.has(word)) return false
  return refuse('boolean-expected', `${quoted(text)} is neither yes nor no.`)
}

function choiceConverter(values: readonly string[]): Convert {
  const byWord = new Map(values.map((value) => [value.toLowerCase(), value]))
  return (text, refuse) =>
    byWord.get(text.toLowerCase()) ??
    refuse(
      'value-not-allowed',
      `${quoted(text)} is not allowed here.${didYouMean(text, values)}`,
      `Use one of ${values.join(', ')}.`,
    )
}
