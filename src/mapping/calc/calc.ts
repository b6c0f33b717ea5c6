/** Calculations of a mapping: columns, numbers, sums. There is nothing in them that could run for ever. */
import type { Decimal } from '../../support/decimal.ts'
import type { DateOptions } from '../values/dates.ts'
import type { NumberOptions } from '../values/number-text.ts'
import type { Rounding } from '../values/rounding.ts'

export type Calc =
  | { readonly kind: 'number'; readonly value: Decimal }
  | { readonly kind: 'column'; readonly name: string; readonly inSum: boolean }
  | { readonly kind: 'sum'; readonly of: Calc }
  | { readonly kind: 'count' }
  | { readonly kind: 'round'; readonly of: Calc; readonly decimals: number }
  | { readonly kind: 'negative'; readonly of: Calc }
  | { readonly kind: '+' | '-' | '*' | '/'; readonly left: Calc; readonly right: Calc }

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
export function columnsIn(calc: Calc | DateCalc): { readonly name: string; readonly inSum: boolean }[] {
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
