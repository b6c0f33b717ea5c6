/** Reads the text of a number: signs, separators of thousands, decimal points and commas. */
import { type Decimal, parseDecimal } from '../../support/decimal.ts'
import { quoted } from './text.ts'
import type { Rounding } from './rounding.ts'

export interface NumberOptions {
  /** What stands before the decimals; without it, what two people would read differently is refused. */
  readonly decimal?: '.' | ','
  /** How many of the last digits are decimals that no point marks. */
  readonly implied?: number
  readonly round?: Rounding
}

export const PLAIN_NUMBERS: NumberOptions = {}

/** Why a text is no number, where there is more to say than that. */
export interface NoNumber {
  readonly why: string | undefined
  readonly hint?: string
}

export type NumberReader = (text: string) => Decimal | NoNumber

/** Nothing longer is a number anybody meant. */
const LONGEST = 30

const NO_NUMBER: NoNumber = { why: undefined }
const COMMA: NoNumber = { why: undefined, hint: 'Write a point before the decimals, such as 12.50.' }

export function numberReader({ decimal, implied }: NumberOptions): NumberReader {
  const grammar = GRAMMARS[decimal ?? 'unsure']
  return (text) => {
    if (text.length > LONGEST) return NO_NUMBER
    const bare = signFirst(text)
    if (implied !== undefined) return readImplied(text, bare, implied)
    if (decimal === undefined && AMBIGUOUS.test(bare)) return ambiguous(text, bare)
    const [, sign = '', whole = '', , fraction = ''] = grammar.exec(bare) ?? []
    if (whole === '' && fraction === '') return looksOtherwise(text, bare, decimal)
    const digits = `${sign}${whole.replace(/\D/g, '') || '0'}`
    return parseDecimal(fraction === '' ? digits : `${digits}.${fraction.slice(0, 20)}`) ?? NO_NUMBER
  }
}

/** Digits, or digits in groups of three; then perhaps decimals. Blanks and apostrophes only where the mapping says which is which. */
const GRAMMARS = {
  unsure: /^([+-]?)((?:\d+|\d{1,3}(?:(,)\d{3})+)?)(?:\.(\d*))?$/,
  '.': /^([+-]?)((?:\d+|\d{1,3}(?:([,\s'’])\d{3})(?:\3\d{3})*)?)(?:\.(\d*))?$/,
  ',': /^([+-]?)((?:\d+|\d{1,3}(?:([.\s'’])\d{3})(?:\3\d{3})*)?)(?:,(\d*))?$/,
}

/** `(5.00)` and `5.00-` are below zero, as `-5.00` is. */
function signFirst(text: string): string {
  const inner = /^\((.*)\)$/.exec(text)?.[1] ?? /^([\d.,].*?)\s*-$/.exec(text)?.[1]
  return inner === undefined ? text : `-${inner}`
}

function readImplied(text: string, bare: string, scale: number): Decimal | NoNumber {
  const number = /^[+-]?\d+$/.test(bare) ? parseDecimal(bare) : undefined
  if (number !== undefined) return { units: number.units, scale }
  return /^[+-]?\d+[.,]\d*$/.test(bare)
    ? {
        why: `${quoted(text)} has a point, but the mapping says that its last ${scale} digits are the decimals.`,
      }
    : NO_NUMBER
}

/**
 * A comma with three digits behind it and nothing else: a thousand where people write points for decimals, one where they
 * write commas. The same for a whole number with a point and three zeros.
 */
const AMBIGUOUS = /^[+-]?\d{1,3}(?:,\d{3}|\.000)$/

function ambiguous(text: string, bare: string): Decimal | NoNumber {
  return {
    why: `${quoted(text)} may mean ${bare.replace(/[.,]/, '')} or ${bare.replace(',', '.')}.`,
    hint: 'Write it without separators of thousands and with a point before decimals, such as 1000 or 1000.00; or say with `decimal` in the mapping how numbers are written.',
  }
}

/** A number as others write it is worth a hint. */
function looksOtherwise(text: string, bare: string, decimal: '.' | ',' | undefined): Decimal | NoNumber {
  if (decimal === ',' && /\d\.\d+$/.test(bare)) {
    return { why: `${quoted(text)} has a point where the mapping says that decimals stand behind a comma.` }
  }
  return decimal !== ',' && /\d,\d{1,2}$/.test(bare) ? COMMA : NO_NUMBER
}
