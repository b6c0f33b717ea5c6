/** Parses the calculations of a mapping: columns, numbers and sums. No calculation can run forever. */
import { type Decimal, formatShortDecimal, multiplyDecimals, parseDecimal } from '../../support/decimal.ts'
import { isKeyOf } from '../../support/object-paths.ts'
import type { KeyRow } from '../source/schema.ts'
import type { DateOptions } from '../values/dates.ts'
import type { NumberOptions, Rounding } from '../values/numbers.ts'

export type Calc =
  | { readonly kind: 'number'; readonly value: Decimal }
  | ({ readonly kind: 'column' } & CalcColumn)
  | { readonly kind: 'sum'; readonly of: Calc }
  | { readonly kind: 'count' }
  | { readonly kind: 'round'; readonly of: Calc; readonly decimals: number }
  | { readonly kind: 'negative'; readonly of: Calc }
  | { readonly kind: '+' | '-' | '*' | '/'; readonly left: Calc; readonly right: Calc }

export interface CalcColumn {
  readonly name: string
  readonly inSum: boolean
  readonly otherwise?: Decimal
}

/** A date column plus a number of days. */
export interface DateCalc {
  readonly kind: 'date'
  readonly column: string
  readonly days: Calc
}

export interface CalcPlan {
  readonly calc: Calc | DateCalc
  readonly numbers: NumberOptions
  /** As in `LeafPlan`. */
  readonly warnsOfGrouping: boolean
  readonly dates: DateOptions
  /** How a non-terminating result is rounded, and to how many decimals; without it, the result is refused. */
  readonly round: { readonly decimals: number; readonly rounding: Rounding } | undefined
}

function listParts(calc: Calc | DateCalc): readonly Calc[] {
  if ('of' in calc) return [calc.of]
  if ('left' in calc) return [calc.left, calc.right]
  return calc.kind === 'date' ? [calc.days] : []
}

export function listColumns(calc: Calc | DateCalc): CalcColumn[] {
  if (calc.kind === 'column') return [calc]
  const own = calc.kind === 'date' ? [{ name: calc.column, inSum: false }] : []
  return [...own, ...listParts(calc).flatMap(listColumns)]
}

/** The columns of each sum of a calculation. */
export function listSums(calc: Calc | DateCalc): string[][] {
  if (calc.kind === 'sum') return [listColumns(calc.of).map(({ name }) => name)]
  return listParts(calc).flatMap(listSums)
}

// The parser.

class CalcSyntaxError extends Error {}

/** Returns the calculation, or a text that describes its error. */
export function parseCalc(text: string, result: 'number' | 'date'): Calc | DateCalc | string {
  try {
    return new Parser(text).whole(result)
  } catch (error) {
    if (!(error instanceof CalcSyntaxError)) throw error
    const message = describeError(text, error)
    const meant = rewriteMeant(text)
    const isNew = meant !== replaceCommas(text) && canParse(meant, result)
    return isNew ? `write ${meant} instead: ${message}` : message
  }
}

function describeError(text: string, { message }: CalcSyntaxError): string {
  const [comma] = listDecimalCommas(text)
  if (comma === undefined) return message
  const point = `write ${comma.replace(',', '.')} in place of ${comma}: calculations have a decimal point`
  return isMisplacedComma(message) ? point : `${message}; and ${point}`
}

function replaceCommas(text: string): string {
  return listDecimalCommas(text).reduce((all, each) => all.replace(each, each.replace(',', '.')), text)
}

function canParse(text: string, result: 'number' | 'date'): boolean {
  try {
    new Parser(text).whole(result)
    return true
  } catch (error) {
    if (error instanceof CalcSyntaxError) return false
    throw error
  }
}

/** Other ways to write a column and a sign, each with ours. */
const MEANT_SIGNS: readonly (readonly [RegExp, string])[] = [
  [/[×·∙]|(?<!\w)(?:x|times)(?!\w)/gi, '*'],
  [/[÷:]/g, '/'],
  [/[−–]|(?<!\w)minus(?!\w)/gi, '-'],
  [/(?<!\w)plus(?!\w)/gi, '+'],
]

/** The calculation as it was perhaps meant: `[Cost] * 100` for `{Cost} x 100`, and for `Cost x 100`. */
function rewriteMeant(text: string): string {
  const parts = replaceCommas(text)
    .replaceAll(/[{"']+([^{}"'[\]]+)[}"']+/g, '[$1]')
    .split(/(\[[^\]]*\])/)
  return parts.map((part) => (part.startsWith('[') ? part : rewriteSigns(part))).join('')
}

function rewriteSigns(part: string): string {
  const signed = MEANT_SIGNS.reduce((text, [written, sign]) => text.replaceAll(written, sign), part)
  return signed
    .replaceAll(/(\d+(?:\.\d+)?)\s*%/g, (whole, percent: string) => {
      const value = parseDecimal(percent)
      return value === undefined ? whole : formatShortDecimal(multiplyDecimals(value, HUNDREDTH))
    })
    .replaceAll(/[a-z_]\w*(?: +[a-z_]\w*)*/gi, (word) => (isKnownWord(word) ? word : `[${word}]`))
}

const HUNDREDTH: Decimal = { units: 1n, scale: 2 }

function isKnownWord(word: string): boolean {
  const folded = word.toLowerCase()
  return isDayWord(folded) || isKeyOf(CALC_FUNCTIONS, folded)
}

/** The numbers that have a decimal comma. Left out: names of columns, and the `3,2` of `round([Cost] * 3,2)`, which are two numbers. */
function listDecimalCommas(text: string): string[] {
  const plain = text.replaceAll(/\[[^\]]*\]/g, '[]')
  const found = [...plain.matchAll(/\d+,\d+/g)]
  const isOfRound = (whole: string, at: number) =>
    /,\d$/.test(whole) &&
    /^\s*\)/.test(plain.slice(at + whole.length)) &&
    /\bround\s*\(/i.test(plain.slice(0, at))
  return found.flatMap(({ 0: whole, index }) => (isOfRound(whole, index) ? [] : [whole]))
}

/** Whether the error is about a comma, or about what is missing where a comma separates two numbers. */
function isMisplacedComma(message: string): boolean {
  return (
    message === describeMisplaced(',') || message.includes('before ","') || message.startsWith('round takes')
  )
}

const TOKEN = /\s*(?:\[([^\]]*)\]|(\d+(?:\.\d+)?)|([a-z]+)|([-+*/(),]))/iy

interface Token {
  readonly kind: 'column' | 'number' | 'word' | 'sign' | 'end'
  readonly text: string
}

/** Reads by recursion; a text of bounded length nests in bounded depth. */
class Parser {
  readonly #tokens: readonly Token[]
  #next = 0
  #inSum = false
  /** Whether a `round` within the current sum surrounds the expression; a division in a sum needs one. */
  #inRound = false

  constructor(text: string) {
    this.#tokens = tokenize(text)
  }

  whole(result: 'number' | 'date'): Calc | DateCalc {
    const calc = result === 'date' ? this.#date() : this.#terms()
    const { kind, text } = this.#peek()
    if (kind === 'end') return calc
    const noDate = 'days are added to a date, and this field takes no date'
    throw new CalcSyntaxError(isDayWord(text) ? noDate : describeMisplaced(text))
  }

  #date(): DateCalc {
    const { kind, text } = this.#take()
    if (kind !== 'column')
      throw new CalcSyntaxError('a date is calculated as a column and days, such as [Date] + 30 days')
    let days: Calc = { kind: 'number', value: { units: 0n, scale: 0 } }
    for (let sign = this.#sign('+', '-'); sign !== undefined; sign = this.#sign('+', '-')) {
      days = { kind: sign, left: days, right: this.#product() }
      const word = this.#take()
      if (!isDayWord(word.text))
        throw new CalcSyntaxError('to a date only days can be added, such as [Date] + 30 days')
    }
    return { kind: 'date', column: text, days }
  }

  #terms(): Calc {
    let left = this.#product()
    for (let sign = this.#sign('+', '-'); sign !== undefined; sign = this.#sign('+', '-')) {
      left = { kind: sign, left, right: this.#product() }
    }
    return left
  }

  #product(): Calc {
    let left = this.#factor()
    for (let sign = this.#sign('*', '/'); sign !== undefined; sign = this.#sign('*', '/')) {
      if (sign === '/' && this.#inSum && !this.#inRound) {
        const message = 'a quotient in a sum is rounded first, as in sum(round([Total] / [Qty], 2))'
        throw new CalcSyntaxError(message)
      }
      left = { kind: sign, left, right: this.#factor() }
    }
    return left
  }

  #factor(): Calc {
    if (this.#sign('-') !== undefined) return { kind: 'negative', of: this.#factor() }
    const { kind, text } = this.#take()
    if (kind === 'column') return { kind: 'column', inSum: this.#inSum, ...parseColumn(text) }
    if (kind === 'word') return this.#call(text)
    const value = kind === 'number' ? parseDecimal(text) : undefined
    if (value !== undefined) return { kind: 'number', value }
    if (text !== '(')
      throw new CalcSyntaxError(text === '' ? 'the calculation stops too early' : describeMisplaced(text))
    const inner = this.#terms()
    this.#expect(')')
    return inner
  }

  #call(name: string): Calc {
    if (!isKeyOf(CALC_FUNCTIONS, name)) {
      const names = Object.keys(CALC_FUNCTIONS)
      const known = `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`
      const brackets = 'a column stands in brackets, as in [Qty]'
      throw new CalcSyntaxError(`there is no "${name}" in calculations: ${brackets}, and there are ${known}`)
    }
    this.#expect('(')
    if (name === 'count') {
      this.#expect(')')
      return { kind: 'count' }
    }
    if (name === 'sum') return this.#sum()
    const outside = this.#inRound
    this.#inRound = true
    const of = this.#terms()
    this.#inRound = outside
    if (this.#peek().text !== ')') this.#expect(',')
    const { text } = this.#take()
    if (!/^\d$/.test(text))
      throw new CalcSyntaxError('round takes the number of decimals, as in round([Cost] * 0.9, 2)')
    this.#expect(')')
    return { kind: 'round', of, decimals: Number(text) }
  }

  #sum(): Calc {
    if (this.#inSum) throw new CalcSyntaxError('a sum cannot stand inside of a sum')
    const outside = this.#inRound
    this.#inSum = true
    this.#inRound = false
    const of = this.#terms()
    this.#inSum = false
    this.#inRound = outside
    this.#expect(')')
    return { kind: 'sum', of }
  }

  #sign<Sign extends '+' | '-' | '*' | '/'>(...signs: readonly Sign[]): Sign | undefined {
    const { kind, text } = this.#peek()
    const sign = kind === 'sign' ? signs.find((each) => each === text) : undefined
    if (sign !== undefined) this.#next += 1
    return sign
  }

  #expect(sign: string): void {
    const { text } = this.#take()
    if (text === sign) return
    const where = text === '' ? 'at the end' : `before "${text}"`
    throw new CalcSyntaxError(`"${sign}" is missing ${where} of the calculation`)
  }

  #take(): Token {
    const token = this.#peek()
    this.#next += 1
    return token
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', text: '' }
  }
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  const pattern = new RegExp(TOKEN)
  const end = text.trimEnd().length
  while (pattern.lastIndex < end) {
    const at = pattern.lastIndex
    const match = pattern.exec(text)
    if (match === null) throw new CalcSyntaxError(describeMisplaced(text.slice(at, end).trim().charAt(0)))
    const [, column, number, word, sign] = match
    if (column !== undefined) tokens.push({ kind: 'column', text: column.trim() })
    else if (number !== undefined) tokens.push({ kind: 'number', text: number })
    else if (word !== undefined) tokens.push({ kind: 'word', text: word.toLowerCase() })
    else tokens.push({ kind: 'sign', text: sign ?? '' })
  }
  return tokens
}

const DEFAULT_PATTERN = /^(.*\S)(\s*)\|\s*(\d+(?:\.\d+)?)$/

/** Ends as a path of a document does before the next of its qualifiers: `MOA+8` of `MOA+8|23.5004`. */
const QUALIFIED = /[*+]\w+(?:\|\w+)*$/

/** Parses `Freight`, or `Freight | 0` with the number for a blank. */
export function parseColumn(text: string): Pick<CalcColumn, 'name' | 'otherwise'> {
  const [, name, blank, number = ''] = DEFAULT_PATTERN.exec(text) ?? []
  const otherwise = parseDecimal(number)
  if (name !== undefined && blank === '' && QUALIFIED.test(name)) return { name: text }
  return name === undefined || otherwise === undefined ? { name: text } : { name, otherwise }
}

function isDayWord(word: string): boolean {
  return word === 'days' || word === 'day'
}

function describeMisplaced(text: string): string {
  if (text === '[') return 'a "[" is not closed: a column is written [Cost]'
  if (text === '{') return '"{" has no meaning here: a column is written [Cost]'
  return `"${text}" cannot stand where it stands in the calculation`
}

// What a calculation may contain, each with an example and its result, for the parser and the documentation.

type CalcForm = Required<Pick<KeyRow, 'summary' | 'example' | 'of' | 'gives'>>

const CALC_FUNCTIONS = {
  sum: {
    summary: 'over the rows of the record; a blank cell in a sum counts as nothing',
    example: 'sum([Qty] * [Cost]) + [Freight]',
    of: Object.entries({ Qty: ['2', '1'], Cost: ['12.50', '9.00'], Freight: '4.90' }),
    gives: '38.90',
  },
  count: {
    summary: 'how many rows the record has',
    example: 'count() * 1.50',
    of: [['Qty', ['2', '1', '4']]],
    gives: '4.50',
  },
  round: {
    summary: 'rounded to so many decimals, half up',
    example: 'round([Cost] * 0.95, 2)',
    of: [['Cost', '9.99']],
    gives: '9.49',
  },
} as const satisfies Readonly<Record<string, CalcForm>>

/** Every form, for the documentation. */
export const CALC_FORMS: readonly CalcForm[] = [
  {
    summary: 'the columns of the row; outside of the array those of the record',
    example: '[Qty] * [Cost]',
    of: Object.entries({ Qty: '2', Cost: '12.50' }),
    gives: '25.00',
  },
  {
    summary: 'a quotient that has an end within the decimals of its field; any other is refused, or rounded',
    example: '[Total] / [Qty]',
    of: Object.entries({ Total: '25.00', Qty: '4' }),
    gives: '6.25',
  },
  {
    summary: 'a blank cell, or a column that the file does not have, counts as that number',
    example: '[Cost] + [Freight | 0]',
    of: Object.entries({ Cost: '12.50', Freight: '' }),
    gives: '12.50',
  },
  ...Object.values(CALC_FUNCTIONS),
  {
    summary: 'a date and days, for a field that is a date',
    example: '[Invoice Date] + [Net Days] days',
    of: Object.entries({ 'Invoice Date': '2026-11-20', 'Net Days': '30' }),
    gives: '2026-12-20',
  },
]
