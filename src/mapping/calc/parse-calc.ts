/** Reads the text of a calculation. */
import { parseDecimal } from '../../support/decimal.ts'
import type { Calc, CalcColumn, DateCalc } from './calc.ts'
import { CALC_FUNCTIONS } from './calc-forms.ts'

/** Thrown inside of the parser only. */
class Unreadable extends Error {}

/** The calculation, or a text that says what is wrong with it. */
export function parseCalc(text: string, result: 'number' | 'date'): Calc | DateCalc | string {
  try {
    return new Parser(text).whole(result)
  } catch (error) {
    if (error instanceof Unreadable) return error.message
    throw error
  }
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
  /** Whether what is read is rounded before it leaves the sum it stands in. */
  #inRound = false

  constructor(text: string) {
    this.#tokens = tokensOf(text)
  }

  whole(result: 'number' | 'date'): Calc | DateCalc {
    const calc = result === 'date' ? this.#date() : this.#terms()
    const { kind, text } = this.#peek()
    if (kind === 'end') return calc
    throw new Unreadable(
      isDays(text)
        ? 'days are added to a date, and this field takes no date'
        : `"${text}" cannot stand where it stands in the calculation`,
    )
  }

  #date(): DateCalc {
    const { kind, text } = this.#take()
    if (kind !== 'column')
      throw new Unreadable('a date is calculated as a column and days, such as [Date] + 30 days')
    let days: Calc = { kind: 'number', value: { units: 0n, scale: 0 } }
    for (let sign = this.#sign('+', '-'); sign !== undefined; sign = this.#sign('+', '-')) {
      days = { kind: sign, left: days, right: this.#product() }
      const word = this.#take()
      if (!isDays(word.text))
        throw new Unreadable('to a date only days can be added, such as [Date] + 30 days')
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
        throw new Unreadable('a quotient in a sum is rounded first, as in sum(round([Total] / [Qty], 2))')
      }
      left = { kind: sign, left, right: this.#factor() }
    }
    return left
  }

  #factor(): Calc {
    if (this.#sign('-') !== undefined) return { kind: 'negative', of: this.#factor() }
    const { kind, text } = this.#take()
    if (kind === 'column') return { kind: 'column', inSum: this.#inSum, ...columnOf(text) }
    if (kind === 'word') return this.#call(text)
    const value = kind === 'number' ? parseDecimal(text) : undefined
    if (value !== undefined) return { kind: 'number', value }
    if (text !== '(') throw new Unreadable(text === '' ? 'the calculation stops too early' : misplaced(text))
    const inner = this.#terms()
    this.#expect(')')
    return inner
  }

  #call(name: string): Calc {
    if (!isFunction(name)) {
      const names = Object.keys(CALC_FUNCTIONS)
      throw new Unreadable(
        `there is no "${name}" in calculations: a column stands in brackets, as in [Qty], and there are ${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`,
      )
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
    this.#expect(',')
    const { text } = this.#take()
    if (!/^\d$/.test(text))
      throw new Unreadable('round takes the number of decimals, as in round([Cost] * 0.9, 2)')
    this.#expect(')')
    return { kind: 'round', of, decimals: Number(text) }
  }

  #sum(): Calc {
    if (this.#inSum) throw new Unreadable('a sum cannot stand inside of a sum')
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
    if (text !== sign)
      throw new Unreadable(
        `"${sign}" is missing ${text === '' ? 'at the end' : `before "${text}"`} of the calculation`,
      )
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

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  const pattern = new RegExp(TOKEN)
  const end = text.trimEnd().length
  while (pattern.lastIndex < end) {
    const at = pattern.lastIndex
    const match = pattern.exec(text)
    if (match === null) throw new Unreadable(misplaced(text.slice(at, end).trim().charAt(0)))
    const [, column, number, word, sign] = match
    if (column !== undefined) tokens.push({ kind: 'column', text: column.trim() })
    else if (number !== undefined) tokens.push({ kind: 'number', text: number })
    else if (word !== undefined) tokens.push({ kind: 'word', text: word.toLowerCase() })
    else tokens.push({ kind: 'sign', text: sign ?? '' })
  }
  return tokens
}

const OTHERWISE = /^(.*\S)\s*\|\s*(\d+(?:\.\d+)?)$/

/** `Freight`, or `Freight | 0` with what a blank counts as. */
export function columnOf(text: string): Pick<CalcColumn, 'name' | 'otherwise'> {
  const [, name, number = ''] = OTHERWISE.exec(text) ?? []
  const otherwise = parseDecimal(number)
  return name === undefined || otherwise === undefined ? { name: text } : { name, otherwise }
}

function isFunction(name: string): name is keyof typeof CALC_FUNCTIONS {
  return Object.hasOwn(CALC_FUNCTIONS, name)
}

function isDays(word: string): boolean {
  return word === 'days' || word === 'day'
}

function misplaced(text: string): string {
  return `"${text}" cannot stand where it stands in the calculation`
}
