/** Works a calculation out for the record being built; no float ever holds a number. */
import type { Row } from '../../domain/document.ts'
import { type Place, problem } from '../../domain/problem.ts'
import type { Building } from '../binding/building.ts'
import type { TextSource } from '../binding/text-source.ts'
import { currencyCure, decimalCure } from '../values/number-cures.ts'
import { numberReader } from '../values/number-text.ts'
import { withoutCurrency } from '../values/numbers.ts'
import { quoted } from '../values/text.ts'
import { type Calc, type CalcColumn, type CalcPlan, columnsIn } from './calc.ts'
import { add, divide, multiply, negative, type Ratio, round, toRatio, ZERO } from './ratio.ts'

/** How the columns of a calculation are read in the file. */
export interface CalcColumns {
  readonly building: Building
  /** The name of the field, in the record being built. */
  readonly field: () => string
  /** A column outside of sums; undefined when the file does not have it, which one that is needed must. */
  source(name: string, isNeeded: boolean): TextSource | undefined
  /** A column inside of a sum, for each of the rows of the record. */
  rowSource(name: string, isNeeded: boolean): RowSource | undefined
}

export interface RowSource {
  text(row: Row): string
  place(row: Row): Place
}

/** A blank makes what it stands in blank; only a sum passes over it. */
export type Value = Ratio | 'blank' | 'failed'

export type Evaluate = (row: Row | undefined) => Value

/** What a calculation is worked out with. */
export interface Scope {
  readonly plan: CalcPlan
  readonly columns: CalcColumns
  readonly outside: ReadonlyMap<string, TextSource | undefined>
  readonly inside: ReadonlyMap<string, RowSource | undefined>
}

/** The function that works the calculation out, for the record or for one row of it. */
export function evaluator(calc: Calc, scope: Scope): Evaluate {
  switch (calc.kind) {
    case 'number':
      return always(toRatio(calc.value))
    case 'column':
      return calc.inSum ? rowColumn(calc, scope) : column(calc, scope)
    case 'count': {
      const { building } = scope.columns
      return () => toRatio({ units: BigInt(building.lineRows.length), scale: 0 })
    }
    case 'sum':
      return sumOf(evaluator(calc.of, scope), scope.columns.building)
    case 'round': {
      const of = evaluator(calc.of, scope)
      return (row) => applied(of(row), ZERO, (value) => round(value, calc.decimals, 'half-up'))
    }
    case 'negative': {
      const of = evaluator(calc.of, scope)
      return (row) => applied(of(row), ZERO, negative)
    }
    case '+':
    case '-':
    case '*': {
      const left = evaluator(calc.left, scope)
      const right = evaluator(calc.right, scope)
      const operation = OPERATIONS[calc.kind]
      return (row) => applied(left(row), right(row), operation)
    }
    case '/':
      return quotientOf(calc.left, calc.right, scope)
  }
}

const OPERATIONS = {
  '+': add,
  '-': (a: Ratio, b: Ratio) => add(a, negative(b)),
  '*': multiply,
}

function always(value: Ratio): Evaluate {
  return () => value
}

function quotientOf(dividend: Calc, divisor: Calc, scope: Scope): Evaluate {
  const left = evaluator(dividend, scope)
  const right = evaluator(divisor, scope)
  return (row) =>
    applied(left(row), right(row), (a, b) => {
      const quotient = divide(a, b)
      if (quotient !== undefined) return quotient
      const message = 'The calculation divides by it, and it is 0.'
      scope.columns.building.problems.push(
        problem('number-out-of-range', placeIn(divisor, row, scope), message),
      )
      return 'failed'
    })
}

/** The place of the first column of the calculation. */
function placeIn(calc: Calc, row: Row | undefined, { columns, outside, inside }: Scope): Place {
  const [first] = columnsIn(calc)
  const own = first === undefined ? undefined : outside.get(first.name)?.place()
  const inRow = first === undefined || row === undefined ? undefined : inside.get(first.name)?.place(row)
  return (first?.inSum === true ? inRow : own) ?? placeOfRecord(columns)
}

function applied(a: Value, b: Value, operation: (a: Ratio, b: Ratio) => Value): Value {
  if (a === 'failed' || b === 'failed') return 'failed'
  return a === 'blank' || b === 'blank' ? 'blank' : operation(a, b)
}

/** Rows that cannot be used have said so already. */
function sumOf(of: Evaluate, building: Building): Evaluate {
  return () => {
    let total = ZERO
    let isFailed = false
    for (const row of building.lineRows) {
      if (row.problems !== undefined) continue
      const value = of(row)
      if (value === 'failed') isFailed = true
      else if (value !== 'blank') total = add(total, value)
    }
    return isFailed ? 'failed' : total
  }
}

function column({ name, otherwise }: CalcColumn, { plan, columns, outside }: Scope): Evaluate {
  const source = outside.get(name)
  const blank = otherwise === undefined ? 'blank' : toRatio(otherwise)
  if (source === undefined) return () => blank
  const toValue = valueReader(plan, columns.building)
  return () => {
    const text = source.take()
    if (typeof text !== 'string') return 'failed'
    return text === '' ? blank : toValue(text, source.place)
  }
}

function rowColumn({ name, otherwise }: CalcColumn, { plan, columns, inside }: Scope): Evaluate {
  const source = inside.get(name)
  const blank = otherwise === undefined ? 'blank' : toRatio(otherwise)
  if (source === undefined) return () => blank
  const toValue = valueReader(plan, columns.building)
  return (row) => {
    const text = row === undefined ? '' : source.text(row)
    return row === undefined || text === '' ? blank : toValue(text, () => source.place(row))
  }
}

function valueReader({ numbers }: CalcPlan, building: Building): (text: string, place: () => Place) => Value {
  const read = numberReader(numbers)
  return (text, place) => {
    const number = read(withoutCurrency(text))
    if (!('why' in number)) return toRatio(number)
    const message = number.why ?? `${quoted(text)} is not a number to calculate with.`
    const hint = currencyCure(text) ?? number.hint ?? decimalCure(numbers)
    building.problems.push(problem('decimal-expected', place(), message, hint))
    return 'failed'
  }
}

/** Where a record stands that no cell is to blame for. */
export function placeOfRecord({ building, field }: CalcColumns): Place {
  const line = building.headerRows[0]?.line
  return { ...(line === undefined ? {} : { line }), field: field() }
}
