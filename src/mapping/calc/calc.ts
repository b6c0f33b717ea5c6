/** Calculations of a mapping: columns, numbers, sums. There is nothing in them that could run for ever. */
import type { Decimal } from '../../support/decimal.ts'
import type { DateOptions } from '../values/dates.ts'
import type { NumberOptions } from '../values/number-text.ts'
import type { Rounding } from '../values/rounding.ts'

export type Calc =
  | { readonly kind: 'number'; readonly value: Decimal }
  | ({ readonly kind: 'column' } & CalcColumn)
  | { readonly kind: 'sum'; readonly of: Calc }
  | { readonly kind: 'count' }
  | { readonly kind: 'round'; readonly of: Calc; readonly decimals: number }
  | { readonly kind: 'negative'; readonly of: Calc }
  | { readonly kind: '+' | '-' | '*' | '/'; readonly left: Calc; readonly right: Calc }

/** A column that a calculation names. */
export interface CalcColumn {
  readonly name: string
  readonly inSum: boolean
  /** What stands for a blank cell, or for a column that the file does not have. */
  readonly otherwise?: Decimal
}

/** A date in a column, and the days that are added to it. */
export interface DateCalc {
  readonly kind: 'date'
  readonly column: string
  readonly days: Calc
}

export interface CalcPlan {
  readonly calc: Calc | DateCalc
  /** How numbers and dates are written in the columns. */
  readonly numbers: NumberOptions
  readonly dates: DateOptions
  /** How a result without an end is rounded, and to how many decimals; without it, it is refused. */
  readonly round?: { readonly decimals: number; readonly rounding: Rounding }
}

/** The columns a calculation names. */
export function columnsIn(calc: Calc | DateCalc): CalcColumn[] {
  switch (calc.kind) {
    case 'column':
      return [calc]
    case 'date':
      return [{ name: calc.column, inSum: false }, ...columnsIn(calc.days)]
    case 'sum':
    case 'round':
    case 'negative':
      return columnsIn(calc.of)
    case '+':
    case '-':
    case '*':
    case '/':
      return [...columnsIn(calc.left), ...columnsIn(calc.right)]
    case 'number':
    case 'count':
      return []
  }
}

/** The columns of each sum of a calculation. */
export function sumsIn(calc: Calc | DateCalc): string[][] {
  switch (calc.kind) {
    case 'sum':
      return [columnsIn(calc.of).map(({ name }) => name)]
    case 'round':
    case 'negative':
      return sumsIn(calc.of)
    case '+':
    case '-':
    case '*':
    case '/':
      return [...sumsIn(calc.left), ...sumsIn(calc.right)]
    case 'date':
      return sumsIn(calc.days)
    case 'number':
    case 'column':
    case 'count':
      return []
  }
}
