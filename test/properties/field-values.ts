/** Any value that a field of the API may have, and the ways a file may write it. */
import fc from 'fast-check'
import type { FieldRule } from '../../src/contract/fields.ts'

export interface Written {
  readonly cell: string
  readonly value: unknown
}

/** A value of the field and its cell. */
export function writtenValue(rule: FieldRule): fc.Arbitrary<Written> {
  switch (rule.kind) {
    case 'text':
      return (rule.code === 'upc' ? upc() : text(Math.min(rule.max ?? 200, 300))).map(plain)
    case 'integer':
      return fc.integer({ min: rule.min, max: rule.max }).map((value) => ({ cell: String(value), value }))
    case 'money':
      return amount(rule.wholeDigits, 2).map(plain)
    case 'decimal':
      return measure(rule.wholeDigits, rule.decimals).map(plain)
    case 'dateTime':
      return seconds().map((date) => plain(`${date.toISOString().slice(0, 19)}Z`))
    case 'date':
      return seconds().map((date) => plain(date.toISOString().slice(0, 10)))
    case 'boolean':
      return fc.boolean().map((value) => ({ cell: String(value), value }))
    case 'choice':
      return fc.constantFrom(...rule.values).map(plain)
    case 'country':
      return fc.constantFrom('US', 'USA', 'United States', 'us').map((cell) => ({ cell, value: 'US' }))
    case 'province':
      return fc
        .constantFrom(['NY', 'NY'], ['New York', 'NY'], ['pr', 'PR'])
        .map(([cell = '', value]) => ({ cell, value }))
  }
}

function plain(text: string): Written {
  return { cell: text, value: text }
}

/** Signs with a meaning in a file or in a spreadsheet, between letters at the ends. */
const UNITS = Array.from('abÄß王09 ,;|"\'=+-@/.\n\t😀')
const ENDS = ['a', 'Z', 'é', '王', '7', '"', '#']

function text(max: number): fc.Arbitrary<string> {
  const end = fc.constantFrom(...ENDS)
  const inner = fc.array(fc.constantFrom(...UNITS), { maxLength: Math.max(0, Math.floor((max - 2) / 2)) })
  // Blanks at the ends, and signs that spreadsheets put around numbers, are no part of a text.
  return fc.tuple(end, inner, end).map(([first, middle, last]) => first + middle.join('') + last)
}

function upc(): fc.Arbitrary<string> {
  return fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: 8, maxLength: 14 })
    .map((digits) => digits.join(''))
}

function amount(wholeDigits: number, decimals: number): fc.Arbitrary<string> {
  const units = fc.bigInt({ min: 0n, max: 10n ** BigInt(wholeDigits + decimals) - 1n })
  return units.map((all) => {
    const digits = String(all).padStart(decimals + 1, '0')
    return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
  })
}

/** Without zeros at the end; three decimals could be a thousand, and are refused elsewhere. */
function measure(wholeDigits: number, decimals: number): fc.Arbitrary<string> {
  return amount(wholeDigits, decimals)
    .map((digits) => digits.replace(/\.?0+$/, ''))
    .filter((digits) => digits !== '' && digits !== '0' && !/\.\d{3}$/.test(digits))
}

function seconds(): fc.Arbitrary<Date> {
  const all = fc.integer({ min: Date.UTC(2000, 0, 1) / 1000, max: Date.UTC(2099, 11, 31) / 1000 })
  return all.map((count) => new Date(count * 1000))
}
